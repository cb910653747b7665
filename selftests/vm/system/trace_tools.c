// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_tools - the classes process, image, sched, disk, net and syscall of a real workload: perf
 * and trace-cmd record the same run, and have as many of each event; and what /proc counts agrees
 *
 * The workload compiles a program, writes to an ext4 on a disk of its own and has a connection.
 * All three tools record the whole machine.  Of what they have, those events count that the
 * workload's processes cause, that concern them (they are woken, they run), that are of its disk,
 * or of its connection: nobody else uses these.  All are over when the workload ends, so it does
 * not matter when each tool begins before that and ends after it.  Of tasks that are switched,
 * only the one that runs next counts, because the last switch of a process may come later.
 *
 * perf has the system calls by number, as one event for all: to open each of them takes half a
 * minute.  To enable them takes etw long on a busy machine, too, so nobody limits that.
 *
 * TIMEOUT: 900
 * RUN: in turn
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <linux/loop.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/shell.h"
#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_log.h"
#include "lib/vm_workload.h"
#include "lib/vm_tracefs.h"

#define FILE_NAME	LOG_DIR "/a.etl"
#define IMAGE		LOG_DIR "/disk"
#define DISK_DIR	LOG_DIR "/mnt"
#define TEXT		LOG_DIR "/text"
#define BEGUN		LOG_DIR "/begun"
#define SPACE_KB	(600 * 1024)
/* Where there are no modules: perf looks at each of thousands, which takes minutes in the VM. */
#define PERF_ALONE	"unshare -m sh -c 'mount -t tmpfs none /lib/modules && exec perf "
#define CLASSES		"system:process,image,sched,disk,net,syscall"
#define PIDS_MAX	65536
#define CALLS_MAX	1024	/* numbers of system calls */
#define KINDS_MAX	800

/* Those of the classes that perf and trace-cmd also have, but for system calls */
static const char *const events[] = {
	"sched:sched_process_fork", "sched:sched_process_exec", "sched:sched_process_exit",
	"sched:sched_switch", "sched:sched_wakeup", "sched:sched_wakeup_new",
	"sched:sched_migrate_task", "block:block_rq_issue", "block:block_rq_complete",
	"net:net_dev_xmit", "net:netif_receive_skb", "sock:inet_sock_set_state",
	"sock:sock_send_length", "sock:sock_recv_length", "tcp:tcp_rcv_space_adjust",
	"tcp:tcp_destroy_sock", "tcp:tcp_probe",
};

enum tool { ETW, TRACE_CMD, PERF, TOOLS };

/* An event by name, and what each tool has of it */
struct kind {
	char name[64];
	uint64_t counted[TOOLS];
};

/* What /proc says */
struct accounts {
	uint64_t switches, forks, packets, active, passive, read, written;
};

FIXTURE(tools) {
	struct vc_run r;
	int fd;
	char loop[32];
	dev_t disk;
	pid_t pid;			/* of the workload */
	bool runs;			/* ... which has not ended */
	pid_t perf;
	int perf_end;			/* closed, perf ends */
	struct kind *kinds;
	unsigned int kind_count;
	bool ours[PIDS_MAX];		/* the workload's processes, as a tool says */
	bool counts;			/* else it looks for them */
	char calls[CALLS_MAX][64];	/* names of system calls, as trace-cmd says */
	/* What etw has in all */
	struct accounts seen;
};

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, (char *)NULL)

static bool make_disk(FIXTURE_DATA(tools) *self)
{
	struct stat st;
	FILE *f;

	if (!shell("modprobe -q -a loop ext4; mkdir -p " DISK_DIR " && truncate -s 16M " IMAGE " && "
		   "mkfs.ext4 -q -F -b 1024 -E lazy_itable_init=0 " IMAGE " >/dev/null 2>&1"))
		return false;
	f = popen("losetup -f --show " IMAGE, "re");
	if (!f || fscanf(f, "%31s", self->loop) != 1)
		self->loop[0] = '\0';
	if (f)
		pclose(f);
	if (stat(self->loop, &st))
		return false;
	self->disk = st.st_rdev;
	return true;
}

FIXTURE_SETUP(tools)
{
	mount("tracefs", VM_TRACEFS, "tracefs", 0, NULL);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->kinds = calloc(KINDS_MAX, sizeof(*self->kinds));
	ASSERT_NE(NULL, self->kinds);
	ASSERT_TRUE(vl_log_dir(SPACE_KB));
	ASSERT_TRUE(vm_loopback_up());
}

FIXTURE_TEARDOWN(tools)
{
	if (self->perf > 0) {
		close(self->perf_end);
		kill(self->perf, SIGTERM);
		waitpid(self->perf, NULL, 0);
	}
	if (self->runs) {
		kill(self->pid, SIGKILL);
		waitpid(self->pid, NULL, 0);
	}
	EXPECT_TRUE(shell("trace-cmd reset >/dev/null 2>&1; umount -q " DISK_DIR ";"
			  "test -z '%s' || losetup -d '%s'", self->loop, self->loop));
	vm_stop_all(self->fd);
	close(self->fd);
	vl_log_dir_end();
	free(self->kinds);
}

/* ------------------------------------------------------------------- workload */

static const char script[] =
	"mount -t ext4 \"$0\" " DISK_DIR "; cd " DISK_DIR "\n"
	"printf '#include <stdio.h>\\nint main(void) { puts(\"hello\"); return 0; }\\n' >hello.c\n"
	"cc -o hello hello.c; ./hello >out\n"
	"dd if=hello of=copy bs=512 conv=fsync 2>/dev/null; cmp hello copy\n"
	"cd /; umount " DISK_DIR "\n";

/* Are all connections over?  What is left of one that was closed is the state TIME_WAIT, 6. */
static bool connections_over(void)
{
	FILE *f = fopen("/proc/net/tcp", "re");
	unsigned int state, open = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		open += sscanf(line, " %*d: %*x:%*x %*x:%*x %x", &state) == 1 && state != 6;
	if (f)
		fclose(f);
	return f && !open;
}

static bool wait_for_connections(void)
{
	return vm_until(connections_over());
}

/* --------------------------------------------------------------------- /proc */

static uint64_t number_in(const char *path, const char *begin, unsigned int word)
{
	FILE *f = fopen(path, "re");
	uint64_t number = 0;
	char line[1024], *at, *save;

	while (f && fgets(line, sizeof(line), f)) {
		at = line + strspn(line, " ");
		/* /proc/net/snmp has a line of names before the numbers. */
		if (strncmp(at, begin, strlen(begin)) || (at[strlen(begin)] == ' ' &&
							  isalpha(at[strlen(begin) + 1])))
			continue;
		at = strtok_r(at + strlen(begin), " :\n", &save);
		while (at && --word)
			at = strtok_r(NULL, " :\n", &save);
		number = at ? strtoull(at, NULL, 10) : 0;
		break;
	}
	if (f)
		fclose(f);
	return number;
}

static struct accounts look(const FIXTURE_DATA(tools) *self)
{
	char disk[64];

	/* As a line of /proc/diskstats begins */
	snprintf(disk, sizeof(disk), "%u       %u ", major(self->disk), minor(self->disk));
	return (struct accounts){
		.switches = number_in("/proc/stat", "ctxt", 1),
		.forks = number_in("/proc/stat", "processes", 1),
		.packets = number_in("/proc/net/dev", "lo:", 2),
		.active = number_in("/proc/net/snmp", "Tcp:", 5),
		.passive = number_in("/proc/net/snmp", "Tcp:", 6),
		.read = number_in("/proc/diskstats", disk, 4),
		.written = number_in("/proc/diskstats", disk, 8),
	};
}

/* -------------------------------------------------------------------- counting */

static struct kind *kind_of(FIXTURE_DATA(tools) *self, const char *name)
{
	unsigned int i;

	for (i = 0; i < self->kind_count; i++)
		if (!strcmp(self->kinds[i].name, name))
			return &self->kinds[i];
	if (i == KINDS_MAX)
		abort();
	self->kind_count++;
	snprintf(self->kinds[i].name, sizeof(self->kinds[i].name), "%s", name);
	return &self->kinds[i];
}

static bool is_compared(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (!strcmp(strchr(events[i], ':') + 1, name))
			return true;
	return !strncmp(name, "sys_e", 5) || !strcmp(name, "ImageLoad");
}

/* The number of a field, as "pid=7"; 0: there is none. */
static uint64_t field(const char *fields, const char *name)
{
	const size_t len = strlen(name);
	const char *at = fields;

	while ((at = strstr(at, name)) && ((at > fields && at[-1] != ' ') || at[len] != '='))
		at++;
	return at ? strtoull(at + len + 1, NULL, 0) : 0;
}

static bool has_process(const FIXTURE_DATA(tools) *self, uint64_t pid)
{
	return pid < PIDS_MAX && self->ours[pid];
}

static bool has_disk(const FIXTURE_DATA(tools) *self, const char *fields)
{
	char numbers[32];

	snprintf(numbers, sizeof(numbers), "%u,%u ", major(self->disk), minor(self->disk));
	return !strncmp(fields, numbers, strlen(numbers)) ||
	       field(fields, "dev") == (major(self->disk) << 20 | minor(self->disk));
}

/* Is it an event of the workload?  fields: as the tool prints them. */
static bool is_ours(const FIXTURE_DATA(tools) *self, const char *name, uint64_t tid,
		    const char *fields)
{
	if (!strcmp(name, "sched_switch"))
		return has_process(self, field(fields, "next_pid"));
	if (!strncmp(name, "sched_wakeup", 12) || !strcmp(name, "sched_migrate_task"))
		return has_process(self, field(fields, "pid"));
	if (!strncmp(name, "block_", 6))
		return has_disk(self, fields);
	/* Of the only device and of all connections */
	if (!strncmp(name, "net", 3) || !strncmp(name, "tcp_", 4) || !strncmp(name, "inet_", 5))
		return true;
	return has_process(self, tid);
}

static void see(FIXTURE_DATA(tools) *self, const char *name, const char *fields)
{
	const char *rwbs;

	self->seen.switches += !strcmp(name, "sched_switch");
	self->seen.forks += !strcmp(name, "sched_process_fork");
	self->seen.packets += !strcmp(name, "netif_receive_skb");
	self->seen.active += !!strstr(fields, "newstate=TCP_SYN_SENT");
	self->seen.passive += !!strstr(fields, "oldstate=TCP_SYN_RECV newstate=TCP_ESTABLISHED");
	rwbs = strstr(fields, "rwbs=\"");
	if (strcmp(name, "block_rq_complete") || !rwbs || !has_disk(self, fields))
		return;
	rwbs += strlen("rwbs=\"");
	rwbs += *rwbs == 'F';	/* a flush before it */
	self->seen.read += *rwbs == 'R' ? field(fields, "nr_sector") : 0;
	self->seen.written += *rwbs == 'W' ? field(fields, "nr_sector") : 0;
}

static void count_event(FIXTURE_DATA(tools) *self, enum tool tool, const char *name, uint64_t tid,
			const char *fields)
{
	uint64_t child;

	if (self->counts) {
		if (tool == ETW)
			see(self, name, fields);
		if (is_compared(name) && is_ours(self, name, tid, fields))
			kind_of(self, name)->counted[tool]++;
		return;
	}
	child = strcmp(name, "sched_process_fork") ? 0 : field(fields, "child_pid");
	if (child && child < PIDS_MAX && has_process(self, tid))
		self->ours[child] = true;
}

/* "tid name fields"; a name may end in an opcode, as "/Start". */
static void take_etw(FIXTURE_DATA(tools) *self, char *line)
{
	unsigned int tid;
	char name[64];
	int at = 0;

	if (sscanf(line, "%u %63s %n", &tid, name, &at) != 2 || !at)
		return;
	name[strcspn(name, "/")] = '\0';
	count_event(self, ETW, name, tid, line + at);
}

/* "task-tid [cpu] time: name: fields" */
static void take_trace_cmd(FIXTURE_DATA(tools) *self, char *line)
{
	char *cpu = strstr(line, " [0"), *task = cpu, name[64];
	unsigned int tid;
	uint64_t number;
	int at = 0;

	while (task && task > line && *task != '-')
		task--;
	if (!cpu || sscanf(task, "-%u", &tid) != 1 ||
	    sscanf(cpu, " [%*d] %*s %63[^:]: %n", name, &at) != 1 || !at)
		return;
	number = field(cpu + at, "__syscall_nr");
	if (!strncmp(name, "sys_enter_", 10) && number < CALLS_MAX)
		strcpy(self->calls[number], name + 10);
	count_event(self, TRACE_CMD, name, tid, cpu + at);
}

/* "tid system:name: fields", and "comm tid PERF_RECORD_MMAP2 ...: r-xp FILE" */
static void take_perf(FIXTURE_DATA(tools) *self, char *line)
{
	unsigned int tid, number;
	char name[64], call[sizeof(name) + 64];
	const char *event = name;
	int at = 0;

	if (strstr(line, "PERF_RECORD_MMAP2") && strstr(line, " r-xp /")) {
		if (sscanf(line, "%u", &tid) == 1)
			count_event(self, PERF, "ImageLoad", tid, "");
		return;
	}
	if (sscanf(line, "%u %*[^:]:%63[^:]: %n", &tid, name, &at) != 2 || !at)
		return;
	/* What returns from a signal has no number any more, and no event of its own. */
	if (sscanf(line + at, "NR %u", &number) == 1) {
		if (number >= CALLS_MAX)
			return;
		snprintf(call, sizeof(call), "%s_%s", name, self->calls[number]);
		event = call;
	}
	count_event(self, PERF, event, tid, line + at);
}

/* What the command prints, line by line: first for the processes, then for what they did */
static bool count_lines(FIXTURE_DATA(tools) *self, const char *command,
			void (*take)(FIXTURE_DATA(tools) *self, char *line))
{
	FILE *f;
	char line[8192];
	int i;

	if (!shell("%s >" TEXT, command))
		return false;
	memset(self->ours, 0, sizeof(self->ours));
	self->ours[self->pid] = true;
	for (i = 0; i < 2; i++) {
		self->counts = i;
		f = fopen(TEXT, "re");
		while (f && fgets(line, sizeof(line), f))
			take(self, line);
		if (f)
			fclose(f);
	}
	return f;
}

/* ----------------------------------------------------------------- other tools */

/* The options for these events, but for those that this kernel does not have */
static char *event_options(const char *before)
{
	static char text[1500];
	size_t n = 0;
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (vm_event_id(events[i]))
			n += snprintf(text + n, sizeof(text) - n, "%s%s", before, events[i]);
	return text;
}

/* perf does without what it finds out about the machine, and without its own system calls. */
static bool perf_begin(FIXTURE_DATA(tools) *self)
{
	char command[2048];
	int pipes[2];

	snprintf(command, sizeof(command),
		 "exec " PERF_ALONE "record -q -a -B -N --synth no -m 16M -o " LOG_DIR "/perf.data "
		 "-e raw_syscalls:sys_enter,raw_syscalls:sys_exit --exclude-perf %s "
		 "-- tee " BEGUN "' >" LOG_DIR "/perf.log 2>&1",
		 event_options(" -e "));
	if (pipe2(pipes, O_CLOEXEC))
		return false;
	self->perf = fork();
	if (!self->perf) {
		dup2(pipes[0], STDIN_FILENO);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(1);
	}
	close(pipes[0]);
	self->perf_end = pipes[1];
	/* However long it takes to begin */
	while (access(BEGUN, F_OK)) {
		if (waitpid(self->perf, NULL, WNOHANG)) {
			self->perf = 0;
			return false;
		}
		usleep(10000);
	}
	return true;
}

static int perf_end(FIXTURE_DATA(tools) *self)
{
	int status;

	close(self->perf_end);
	if (waitpid(self->perf, &status, 0) != self->perf)
		status = -1;
	self->perf = 0;
	return status;
}

static bool trace_cmd_begin(void)
{
	return shell("trace-cmd start -b 30000 -e syscalls %s >" LOG_DIR "/trace.log 2>&1",
		     event_options(" -e "));
}

static bool trace_cmd_end(void)
{
	return shell("trace-cmd stop >>" LOG_DIR "/trace.log 2>&1");
}

/* ----------------------------------------------------------------------- tests */

static void compare(struct __test_metadata *_metadata, const FIXTURE_DATA(tools) *self)
{
	unsigned int i, calls = 0, others = 0;

	for (i = 0; i < self->kind_count; i++) {
		const struct kind *k = &self->kinds[i];
		const bool image = !strcmp(k->name, "ImageLoad"), call = !strncmp(k->name, "sys_", 4);

		if (!call)
			TH_LOG("%-24s etw %6llu perf %6llu trace-cmd %6llu", k->name,
			       (unsigned long long)k->counted[ETW],
			       (unsigned long long)k->counted[PERF],
			       (unsigned long long)k->counted[TRACE_CMD]);
		calls += call;
		others += !call;
		EXPECT_EQ(k->counted[PERF], k->counted[ETW]) TH_LOG("%s", k->name);
		if (!image)
			EXPECT_EQ(k->counted[TRACE_CMD], k->counted[ETW]) TH_LOG("%s", k->name);
	}
	TH_LOG("and %u kinds of begins and ends of system calls", calls);
	EXPECT_LT(40, calls);
	EXPECT_LE(14, others);
}

static void compare_accounts(struct __test_metadata *_metadata, const FIXTURE_DATA(tools) *self,
			     const struct accounts look[4])
{
	const struct accounts *seen = &self->seen;

	/* At least those between the inner looks, and at most those between the outer ones */
	TH_LOG("/proc: %llu to %llu context switches, etw %llu",
	       (unsigned long long)(look[2].switches - look[1].switches),
	       (unsigned long long)(look[3].switches - look[0].switches),
	       (unsigned long long)seen->switches);
	EXPECT_LE(look[2].switches - look[1].switches, seen->switches);
	EXPECT_GE(look[3].switches - look[0].switches, seen->switches);
	EXPECT_LE(look[2].forks - look[1].forks, seen->forks);
	EXPECT_GE(look[3].forks - look[0].forks, seen->forks);
	EXPECT_EQ(look[3].packets - look[0].packets, seen->packets);
	EXPECT_EQ(1, look[3].active - look[0].active);
	EXPECT_EQ(1, seen->active);
	EXPECT_EQ(1, look[3].passive - look[0].passive);
	EXPECT_EQ(1, seen->passive);
	TH_LOG("/proc: %llu sectors read, %llu written, %llu packets",
	       (unsigned long long)(look[3].read - look[0].read),
	       (unsigned long long)(look[3].written - look[0].written),
	       (unsigned long long)(look[3].packets - look[0].packets));
	EXPECT_LT(0, seen->read);
	EXPECT_LT(0, seen->written);
	EXPECT_EQ(look[3].read - look[0].read, seen->read);
	EXPECT_EQ(look[3].written - look[0].written, seen->written);
}

TEST_F_TIMEOUT(tools, same_run, 900)
{
	struct accounts look_at[4];
	const char byte = 0;
	char command[256];
	int go, status;

	if (!shell("command -v perf && command -v trace-cmd && command -v cc") ||
	    !vm_event_id("raw_syscalls:sys_enter"))
		SKIP(return, "no perf, no trace-cmd, no compiler, or no trace events");
	if (!make_disk(self))
		SKIP(return, "this machine has no ext4 on loop devices");
	self->pid = vm_workload_start(script, self->loop, NULL, wait_for_connections, &go);
	ASSERT_LT(0, self->pid);
	self->runs = true;
	look_at[0] = look(self);
	ASSERT_EQ(0, RUN("start", "work", "--file", FILE_NAME, "--buffer-size", "256K",
			 "--max-buffers", "400"));
	/* Also what the thread does that writes the file: it may wake a process, or run before it. */
	ASSERT_TRUE(shell("%s enable work --readers -p " CLASSES, vc_path()));
	look_at[1] = look(self);
	ASSERT_TRUE(trace_cmd_begin());
	/* Last, because it has most to print of what the others do. */
	ASSERT_TRUE(perf_begin(self));
	ASSERT_EQ(1, write(go, &byte, 1));
	ASSERT_EQ(self->pid, waitpid(self->pid, &status, 0));
	self->runs = false;
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, perf_end(self));
	ASSERT_TRUE(trace_cmd_end());
	look_at[2] = look(self);
	EXPECT_TRUE(shell("%s stop work --strict >" LOG_DIR "/stop.log", vc_path()));
	look_at[3] = look(self);
	snprintf(command, sizeof(command), "%s dump " FILE_NAME " --processes --format '%%s %%e %%f'",
		 vc_path());
	ASSERT_TRUE(count_lines(self, command, take_etw));
	ASSERT_TRUE(count_lines(self, "trace-cmd extract -o " LOG_DIR "/trace.dat >/dev/null 2>&1 && "
				"trace-cmd report -R " LOG_DIR "/trace.dat 2>/dev/null",
				take_trace_cmd));
	ASSERT_TRUE(count_lines(self, PERF_ALONE "script -i " LOG_DIR "/perf.data "
				"-F tid,event,trace --show-mmap-events' 2>/dev/null", take_perf));
	compare(_metadata, self);
	compare_accounts(_metadata, self, look_at);
}

TEST_HARNESS_MAIN
