// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_workload - of a program that is compiled, a file that is copied and a connection, etw
 * records each event that perf and ftrace count in the same run, and each read and write that
 * /proc counts; and of a flood of system calls each one, or its loss
 *
 * Here the kernel counts for perf and ftrace, and etw selects by container; trace_tools compares
 * with what the commands record.
 *
 * With $ETW_WHOLE (make check-matrix) the flood is a million reads and writes, else a tenth.
 *
 * TIMEOUT: 900
 * RUN: in turn
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/name_guid.h"
#include "etl/record.h"
#include "etl/verify/verify.h"
#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_items.h"
#include "lib/vm_log.h"
#include "lib/vm_workload.h"
#include "lib/vm_tracefs.h"
#include "lib/fault/vm_disk.h"

#define TRACEFS		"/sys/kernel/tracing/"
#define INSTANCE	TRACEFS "instances/etw_workload/"
#define FILE_NAME	LOG_DIR "/a.etl"
#define GROUP		"/etw-workload"
#define ON_DISK		DISK_DIR "/a.etl"
#define SPACE_KB	(700 * 1024)

/* What happens in the context of the process that causes it */
static const char *const events[] = {
	"syscalls:sys_enter_openat", "syscalls:sys_exit_openat", "syscalls:sys_enter_read",
	"syscalls:sys_exit_read", "syscalls:sys_enter_write", "syscalls:sys_enter_close",
	"syscalls:sys_enter_mmap", "syscalls:sys_enter_sendto", "syscalls:sys_exit_recvfrom",
	"sched:sched_process_fork", "sched:sched_process_exec", "sock:inet_sock_set_state",
	"net:net_dev_queue", "exceptions:page_fault_user", "syscalls:sys_exit_write",
};

#define EVENTS	ARRAY_SIZE(events)
/* The places of sys_enter_read, sys_exit_read, sys_enter_write and sys_exit_write */
enum { READS = 2, READS_DONE, WRITES, WRITES_DONE = EVENTS - 1 };

FIXTURE(workload) {
	struct vc_run r;
	int fd;
	struct etw_guid guids[EVENTS];
	uint64_t counted[EVENTS];		/* by etw */
	int perf[EVENTS];
	uint64_t other;				/* events of other providers */
};

FIXTURE_SETUP(workload)
{
	char name[128];
	unsigned int i;

	mount("tracefs", TRACEFS, "tracefs", 0, NULL);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_TRUE(vl_log_dir(SPACE_KB));
	for (i = 0; i < EVENTS; i++) {
		snprintf(name, sizeof(name), "tracepoint:%s", events[i]);
		ASSERT_EQ(0, etw_guid_from_name(name, strlen(name), &self->guids[i]));
	}
}

FIXTURE_TEARDOWN(workload)
{
	vm_stop_all(self->fd);
	close(self->fd);
	vl_log_dir_end();
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, (char *)NULL)

/* ------------------------------------------------------------------- counting */

static bool count_file(FIXTURE_DATA(workload) *self, const char *path)
{
	struct etw_etl_file *file;
	struct etw_event event;
	unsigned int i;
	int ret;

	if (etw_etl_open(path, NULL, NULL, &file))
		return false;
	while ((ret = etw_etl_next(file, &event)) == 1) {
		/* The names of an event's values are in the trace, too. */
		if (etw_kind_is_schema(event.record.header))
			continue;
		for (i = 0; i < EVENTS; i++)
			if (!memcmp(&event.record.header->provider, &self->guids[i], sizeof(self->guids[i])))
				break;
		if (i < EVENTS)
			self->counted[i]++;
		else
			self->other++;
	}
	etw_etl_close(file);
	return !ret;
}

static void event_path(const char *event, const char *file, char path[256])
{
	int system = strcspn(event, ":");

	snprintf(path, 256, "events/%.*s/%s/%s", system, event, event + system + 1, file);
}

/* A counter of that process and all that come of it */
static int perf_counter(const char *event, pid_t pid)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
					.config = vm_event_id(event), .inherit = 1 };

	return syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The same by ftrace */
static bool ftrace_begin(pid_t pid)
{
	char path[256], name[300], number[16];
	bool good = !mkdir(INSTANCE, 0700);
	unsigned int i;

	snprintf(number, sizeof(number), "%d", pid);
	good = good && vm_write_text(INSTANCE "buffer_size_kb", "30000") &&
	       vm_write_text(INSTANCE "options/event-fork", "1") &&
	       vm_write_text(INSTANCE "set_event_pid", number);
	for (i = 0; good && i < EVENTS; i++) {
		event_path(events[i], "enable", path);
		snprintf(name, sizeof(name), INSTANCE "%s", path);
		good = vm_write_text(name, "1");
	}
	return good;
}

/* Events by ftrace; it has each as "task-pid [cpu] flags time: name: ..." or "name(...)". */
static void ftrace_end(uint64_t counted[EVENTS])
{
	char line[4096], name[64];
	const char *at;
	unsigned int i;
	FILE *f;

	vm_write_text(INSTANCE "events/enable", "0");
	memset(counted, 0, EVENTS * sizeof(*counted));
	f = fopen(INSTANCE "trace", "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (line[0] == '#' || !(at = strstr(line, "] ")) || !(at = strstr(at, ": ")))
			continue;
		at += 2;
		/* A system call's end is "sys_x -> 0x0". */
		for (i = 0; i < EVENTS; i++) {
			const char *event = strchr(events[i], ':') + 1;
			size_t len;

			if (!strncmp(event, "sys_enter_", 10))
				snprintf(name, sizeof(name), "sys_%s(", event + 10);
			else if (!strncmp(event, "sys_exit_", 9))
				snprintf(name, sizeof(name), "sys_%s -> ", event + 9);
			else
				snprintf(name, sizeof(name), "%s: ", event);
			len = strlen(name);
			counted[i] += !strncmp(at, name, len);
		}
	}
	if (f)
		fclose(f);
	rmdir(INSTANCE);
}

/* ------------------------------------------------------------------- workload */

static const char script[] =
	"cd " LOG_DIR "\n"
	"printf '#include <stdio.h>\\nint main(void) { puts(\"hello\"); return 0; }\\n' >hello.c\n"
	"cc -o hello hello.c && ./hello >out || exit 1\n"
	"dd if=hello of=copy bs=512 conv=fsync 2>/dev/null && cmp hello copy\n";

static bool enter_group(void)
{
	return vm_enter_group(GROUP);
}

TEST_F(workload, as_perf_and_ftrace)
{
	uint64_t perf, ftrace[EVENTS];
	char name[128], byte = 0;
	unsigned int i;
	int go, status;
	pid_t pid;

	if (!vm_groups())
		SKIP(return, "no cgroup2");
	ASSERT_TRUE(vm_loopback_up());
	pid = vm_workload_start(script, "sh", enter_group, NULL, &go);
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, RUN("start", "work", "--file", FILE_NAME, "--buffer-size", "256K",
			 "--max-buffers", "400"));
	for (i = 0; i < EVENTS; i++) {
		snprintf(name, sizeof(name), "tracepoint:%s", events[i]);
		ASSERT_EQ(0, RUN("enable", "work", "-p", name, "--container", GROUP))
			TH_LOG("%s", self->r.err);
		self->perf[i] = perf_counter(events[i], pid);
		ASSERT_LE(0, self->perf[i]);
	}
	ASSERT_TRUE(ftrace_begin(pid));
	ASSERT_EQ(1, write(go, &byte, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ftrace_end(ftrace);
	ASSERT_EQ(0, RUN("stop", "work", "--strict")) TH_LOG("%s", self->r.err);
	EXPECT_EQ(0, status);
	ASSERT_TRUE(count_file(self, FILE_NAME));
	for (i = 0; i < EVENTS; i++) {
		ASSERT_EQ(sizeof(perf), read(self->perf[i], &perf, sizeof(perf)));
		close(self->perf[i]);
		TH_LOG("%-32s etw %6llu perf %6llu ftrace %6llu", events[i],
		       (unsigned long long)self->counted[i], (unsigned long long)perf,
		       (unsigned long long)ftrace[i]);
		EXPECT_LT(0, perf);
		EXPECT_EQ(perf, self->counted[i]);
		EXPECT_EQ(ftrace[i], self->counted[i]);
	}
	rmdir(VM_GROUPS GROUP);
}

/* The reads and writes of this process so far, as /proc counts them */
static bool io_of_proc(unsigned long *reads, unsigned long *writes)
{
	FILE *f = fopen("/proc/self/io", "re");
	char line[128];
	int found = 0;

	while (f && fgets(line, sizeof(line), f))
		found += sscanf(line, "syscr: %lu", reads) + sscanf(line, "syscw: %lu", writes);
	if (f)
		fclose(f);
	return found > 0;
}

struct io {
	unsigned long reads[2], writes[2];
};

/* A process that reads 3,000 times and writes 1,000 times once it is told to */
static void do_io(int go, struct io *io)
{
	int zero = open("/dev/zero", O_RDWR | O_CLOEXEC), i;
	bool good = zero >= 0;
	char byte;

	good = read(go, &byte, 1) == 1 && io_of_proc(&io->reads[0], &io->writes[0]) && good;
	for (i = 0; i < 3000 && good; i++)
		good = read(zero, &byte, 1) == 1 && (i % 3 || write(zero, &byte, 1) == 1);
	_exit(good && io_of_proc(&io->reads[1], &io->writes[1]) ? 0 : 1);
}

/* What the kernel's own accounts say; looking at them takes a few reads, too. */
TEST_F(workload, as_proc)
{
	struct io *io = mmap(NULL, sizeof(*io), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int pipes[2], status;
	char text[16];
	pid_t pid;

	if (access("/proc/self/io", R_OK))
		SKIP(return, "this kernel has no /proc/PID/io");
	ASSERT_NE(MAP_FAILED, io);
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid)
		do_io(pipes[0], io);
	snprintf(text, sizeof(text), "%d", pid);
	ASSERT_EQ(0, RUN("start", "work", "--file", FILE_NAME));
	/* Before the first -p, so that it is for both */
	ASSERT_EQ(0, RUN("enable", "work", "--pid", text, "-p", "tracepoint:syscalls:sys_exit_read",
			 "-p", "tracepoint:syscalls:sys_enter_write"))
		TH_LOG("%s", self->r.err);
	ASSERT_EQ(1, write(pipes[1], text, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, RUN("stop", "work", "--strict"));
	ASSERT_TRUE(count_file(self, FILE_NAME));
	TH_LOG("reads: /proc %lu, etw %llu; writes: /proc %lu, etw %llu",
	       io->reads[1] - io->reads[0], (unsigned long long)self->counted[READS_DONE],
	       io->writes[1] - io->writes[0], (unsigned long long)self->counted[WRITES]);
	EXPECT_LE(3000, io->reads[1] - io->reads[0]);
	EXPECT_LE(io->reads[1] - io->reads[0], self->counted[READS_DONE]);
	EXPECT_GE(io->reads[1] - io->reads[0] + 5, self->counted[READS_DONE]);
	EXPECT_EQ(1000, io->writes[1] - io->writes[0]);
	EXPECT_EQ(1000, self->counted[WRITES]);
	munmap(io, sizeof(*io));
}

#define PARTS_MAX	64
#define PARTS		LOG_DIR "/part%d.etl"

/* The files of a session, and what is missing in them */
struct parts {
	struct etw_verdict verdicts[PARTS_MAX];
	unsigned int count;
};

static bool has_part(unsigned int number)
{
	char path[64];

	snprintf(path, sizeof(path), PARTS, number);
	return !access(path, F_OK);
}

/* Count what the next file has, and remove it: all of them have no room at once. */
static bool take_part(FIXTURE_DATA(workload) *self, struct parts *parts)
{
	char path[64];

	snprintf(path, sizeof(path), PARTS, parts->count + 1);
	return parts->count < PARTS_MAX && count_file(self, path) &&
	       !etw_etl_verify(path, &parts->verdicts[parts->count++]) && !unlink(path);
}

/* dd reads a byte and writes it, so often; the files are taken that are complete meanwhile. */
static bool flood(FIXTURE_DATA(workload) *self, const char *count, struct parts *parts)
{
	pid_t pid = fork(), ended;
	bool good = true;
	int status = -1;

	if (!pid) {
		execlp("dd", "dd", "if=/dev/zero", "of=/dev/null", "bs=1", count, "status=none", NULL);
		_exit(1);
	}
	do {
		ended = waitpid(pid, &status, WNOHANG);
		if (good && has_part(parts->count + 2))
			good = take_part(self, parts);
		else if (!ended)
			usleep(50000);
	} while (!ended);
	return good && !status;
}

/* Events that are missing in all files; each gap has its number. */
static bool sum_gaps(struct parts *parts, uint64_t *missing)
{
	uint64_t least, most;
	bool known = true;
	unsigned int i, k;

	*missing = 0;
	for (i = 0; i < parts->count; i++) {
		const struct etw_verdict *v = &parts->verdicts[i];

		etw_verdict_lost(v, &least, &most);
		known = known && least == most && !v->more;
		for (k = 0; k < v->gap_count; k++) {
			printf("# file %u: %s: %llu\n", i + 1, etw_gap_texts[v->gaps[k].cause].key,
			       (unsigned long long)v->gaps[k].events);
			known = known && v->gaps[k].events != ETW_GAP_UNKNOWN;
		}
		*missing += least;
	}
	return known;
}

/*
 * With all system calls enabled, each read and write of dd is two events, or the files say how
 * many are missing.
 */
TEST_F(workload, flood)
{
	const unsigned int writes = getenv("ETW_WHOLE") ? 1000000 : 100000;
	static const int places[] = { READS, READS_DONE, WRITES, WRITES_DONE };
	static struct parts parts;
	uint64_t there = 0, missing;
	char count[32];
	unsigned int i;

	ASSERT_EQ(0, RUN("start", "work", "--file", PARTS, "--new-files", "--max-size", "64M"));
	ASSERT_EQ(0, RUN("enable", "work", "-p", "system:syscall", "--exe", "dd"));
	snprintf(count, sizeof(count), "count=%u", writes);
	ASSERT_TRUE(flood(self, count, &parts));
	ASSERT_EQ(0, RUN("stop", "work"));
	while (has_part(parts.count + 1))
		ASSERT_TRUE(take_part(self, &parts));
	ASSERT_EQ(0, etw_verdict_finish(parts.verdicts, parts.count));
	EXPECT_TRUE(sum_gaps(&parts, &missing));
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		EXPECT_LE(writes, self->counted[places[i]] + missing);
		there += self->counted[places[i]];
	}
	TH_LOG("%u writes: %llu events in %u files, %llu missing", writes,
	       (unsigned long long)there, parts.count, (unsigned long long)missing);
	/* dd also loads libraries, and maps its memory. */
	EXPECT_LE(4 * writes, there + missing);
	EXPECT_GE(4 * writes + 300, there + missing);
	for (i = 0; i < parts.count; i++)
		etw_verdict_free(&parts.verdicts[i]);
}

#define BURST	5000	/* more than all buffers hold */
#define BURSTS	3

static int write_bursts(int in, int out, const void *context)
{
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	/* The answer is one of them. */
	while (vm_helper_next(in, out))
		for (unsigned int i = 1; i < BURST; i++)
			if (write(null, "", 1) != 1)
				return -EIO;
	return 0;
}

/*
 * A few small buffers, for a file on a disk that is frozen: what they do not hold is lost.  The
 * file has all the rest, and for each gap so many events as were written there.
 */
TEST_F(workload, each_loss_is_counted)
{
	struct etw_verdict v;
	uint64_t least, most, there, gaps = 0;
	struct vm_helper writer;
	char text[16];
	int disk, i;

	if (!vm_disk_make(DISK_USUAL))
		SKIP(return, "this machine has no ext4 on loop devices");
	disk = open(DISK_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ASSERT_LE(0, disk);
	ASSERT_EQ(0, vm_helper_start(&writer, write_bursts, NULL));
	snprintf(text, sizeof(text), "%d", writer.pid);
	ASSERT_EQ(0, RUN("start", "work", "--file", ON_DISK, "--buffer-size", "4K",
			 "--max-buffers", "8"));
	ASSERT_EQ(0, RUN("enable", "work", "-p", "tracepoint:syscalls:sys_enter_write", "--pid", text));
	for (i = 0; i < BURSTS; i++) {
		ASSERT_EQ(0, ioctl(disk, FIFREEZE, 0));
		EXPECT_TRUE(vm_helper_ask(&writer));
		ASSERT_EQ(0, ioctl(disk, FITHAW, 0));
		/* What the buffers hold is in the file, so they are free again. */
		ASSERT_EQ(0, RUN("flush", "work")) TH_LOG("%s", self->r.err);
	}
	EXPECT_EQ(0, vm_helper_end(&writer));
	EXPECT_EQ(3, RUN("stop", "work", "--strict"));
	close(disk);
	ASSERT_TRUE(count_file(self, ON_DISK));
	there = self->counted[WRITES];
	ASSERT_EQ(0, etw_etl_verify(ON_DISK, &v));
	ASSERT_EQ(0, etw_verdict_finish(&v, 1));
	etw_verdict_lost(&v, &least, &most);
	for (i = 0; i < (int)v.gap_count; i++) {
		TH_LOG("%s: %llu", etw_gap_texts[v.gaps[i].cause].key,
		       (unsigned long long)v.gaps[i].events);
		EXPECT_NE(ETW_GAP_UNKNOWN, v.gaps[i].events);
		gaps += v.gaps[i].events;
	}
	TH_LOG("%u writes: %llu events, %llu missing in %u gaps", BURST * BURSTS,
	       (unsigned long long)there, (unsigned long long)least, v.gap_count);
	EXPECT_EQ(least, most);
	EXPECT_EQ(least, gaps);
	EXPECT_LE(BURSTS, v.gap_count);
	EXPECT_LT(BURST, least);
	EXPECT_LT(0, there);
	EXPECT_EQ(BURST * BURSTS, there + least);
	etw_verdict_free(&v);
	umount2(DISK_DIR, MNT_DETACH);
}

TEST_HARNESS_MAIN
