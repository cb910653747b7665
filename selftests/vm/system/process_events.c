// SPDX-License-Identifier: GPL-2.0-only
/*
 * process_events - the provider Etw-Process: starts, programs, names and ends of processes, and
 * the rundown of those that exist
 *
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "lib/vm.h"
#include "lib/vm_items.h"

#include <etw/format.h>

#define EVENTS_MAX	64

static const struct etw_guid process_guid = ETW_PROCESS_GUID;

struct event {
	struct etw_process_payload id;
	uint8_t opcode;
	uint32_t writer;	/* the header's process */
	int64_t time;
	char name[16];
	char path[256];
	int32_t code;
	uint32_t signal;
};

FIXTURE(process) {
	int fd;
	uint64_t session;
	struct vm_reader r;
	pid_t wanted;		/* events of this process only */
	uint32_t total, count;
	const char *error;
	struct event events[EVENTS_MAX];
};

static void take(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	FIXTURE_DATA(process) *self = ctx;
	const char *text = (const char *)r->data + sizeof(struct etw_process_payload);
	const char *end = (const char *)r->data + r->len;
	struct event e = { .opcode = r->head->desc.opcode, .writer = r->head->process_id,
			   .time = r->head->timestamp };
	size_t path;

	if (memcmp(&r->head->provider, &process_guid, sizeof(process_guid)))
		return;
	self->total++;
	if (r->len < sizeof(e.id) + 2 || r->head->desc.keyword != ETW_PROCESS_KEYWORD ||
	    r->head->desc.level != 4 || r->head->flags & ETW_EVENT_USER_MODE) {
		self->error = "header";
		return;
	}
	memcpy(&e.id, r->data, sizeof(e.id));
	snprintf(e.name, sizeof(e.name), "%s", text);
	text += strnlen(text, end - text) + 1;
	path = text < end ? strnlen(text, end - text) : 0;
	snprintf(e.path, sizeof(e.path), "%.*s", (int)path, text);
	text += path + 1;
	if (e.opcode == ETW_PROCESS_STOP && end - text == 8) {
		memcpy(&e.code, text, 4);
		memcpy(&e.signal, text + 4, 4);
	} else if (text != end) {
		self->error = "length";
	}
	if ((pid_t)e.id.pid == self->wanted && self->count < EVENTS_MAX)
		self->events[self->count++] = e;
}

FIXTURE_SETUP(process)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vm_start_named(self->fd, "t-process");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
}

FIXTURE_TEARDOWN(process)
{
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Enable or capture, and wait until the provider has done it. */
static int control(FIXTURE_DATA(process) *self, uint32_t what)
{
	struct etw_enable e = vm_enable_arg(self->session, process_guid);

	e.control = what;
	e.level = 4;
	e.timeout_ms = 0xFFFFFFFF;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static bool collect(FIXTURE_DATA(process) *self, pid_t pid)
{
	self->wanted = pid;
	self->total = self->count = 0;
	self->error = NULL;
	return !vm_flush(self->fd, self->session) && vm_drain(&self->r, take, self) == -EAGAIN &&
	       !self->error;
}

/* The only event of the process with this opcode, or NULL. */
static const struct event *the(FIXTURE_DATA(process) *self, uint8_t opcode)
{
	const struct event *found = NULL;
	uint32_t i;

	for (i = 0; i < self->count; i++) {
		if (self->events[i].opcode != opcode)
			continue;
		if (found)
			return NULL;
		found = &self->events[i];
	}
	return found;
}

static bool own_path(char path[256])
{
	ssize_t n = readlink("/proc/self/exe", path, 255);

	path[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The start time of a process in ticks of 1/100 s since boot, as /proc has it. */
static uint64_t proc_start(pid_t pid)
{
	unsigned long long start = 0;
	char path[32], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f && fgets(line, sizeof(line), f) && strrchr(line, ')'))
		sscanf(strrchr(line, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u "
		       "%*d %*d %*d %*d %*d %*d %llu", &start);
	if (f)
		fclose(f);
	return start;
}

static int64_t filetime_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 10000000LL + now.tv_nsec / 100 + ETW_UNIX_EPOCH_100NS;
}

TEST_F(process, forks_executes_and_exits)
{
	const struct event *start, *exec, *rename, *stop;
	int64_t before, after;
	char path[256];
	pid_t pid;
	int status;

	ASSERT_TRUE(own_path(path));
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	before = filetime_now();
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		execl("/bin/sh", "sh", "-c", "exit 7", NULL);
		_exit(99);
	}
	status = vm_reap(pid);
	after = filetime_now();
	ASSERT_TRUE(WIFEXITED(status));
	ASSERT_TRUE(collect(self, pid)) TH_LOG("%s", self->error ?: "not read");
	start = the(self, ETW_PROCESS_START);
	exec = the(self, ETW_PROCESS_EXEC);
	rename = the(self, ETW_PROCESS_RENAME);
	stop = the(self, ETW_PROCESS_STOP);
	ASSERT_TRUE(start && exec && rename && stop);
	EXPECT_EQ(getpid(), start->id.parent);
	EXPECT_EQ(getpid(), start->writer);
	EXPECT_STREQ("process_events", start->name);
	EXPECT_STREQ(path, start->path);
	EXPECT_EQ(getuid(), start->id.uid);
	EXPECT_EQ(pid, start->id.namespace_pid);
	/* Two readings of clocks lie between. */
	EXPECT_LE(before - 10000, start->id.start);
	EXPECT_GE(after + 10000, start->id.start);
	EXPECT_EQ(pid, exec->writer);
	EXPECT_STREQ("sh", exec->name);
	EXPECT_STREQ("sh", rename->name);
	EXPECT_STREQ("", rename->path);
	ASSERT_NE(NULL, realpath("/bin/sh", path));
	EXPECT_STREQ(path, exec->path);
	EXPECT_EQ(start->id.start_key, exec->id.start_key);
	EXPECT_EQ(start->id.start_key, stop->id.start_key);
	EXPECT_EQ(7, stop->code);
	EXPECT_EQ(0, stop->signal);
	EXPECT_STREQ("sh", stop->name);
	EXPECT_TRUE(start->time < rename->time && rename->time < exec->time && exec->time < stop->time);
}

static void *idle(void *unused)
{
	pause();
	return unused;
}

/* The end of a process is that of its last thread; threads are no processes. */
TEST_F(process, threads_and_signals)
{
	const struct event *stop;
	pid_t pid;
	int status;

	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		pthread_t thread;

		prctl(PR_SET_NAME, "renamed");
		prctl(PR_SET_NAME, "renamed");
		if (pthread_create(&thread, NULL, idle, NULL))
			_exit(99);
		kill(getpid(), SIGKILL);
	}
	status = vm_reap(pid);
	ASSERT_TRUE(WIFSIGNALED(status));
	ASSERT_TRUE(collect(self, pid)) TH_LOG("%s", self->error ?: "not read");
	EXPECT_EQ(3, self->count);
	EXPECT_NE(NULL, the(self, ETW_PROCESS_START));
	ASSERT_NE(NULL, the(self, ETW_PROCESS_RENAME));
	EXPECT_STREQ("renamed", the(self, ETW_PROCESS_RENAME)->name);
	stop = the(self, ETW_PROCESS_STOP);
	ASSERT_NE(NULL, stop);
	EXPECT_STREQ("renamed", stop->name);
	EXPECT_EQ(0, stop->code);
	EXPECT_EQ(SIGKILL, stop->signal);
}

#define THREADS		7

static void *spin(void *barrier)
{
	pthread_barrier_wait(barrier);
	return idle(NULL);
}

/* The last two threads may end at once, and each may then find that it is the last. */
TEST_F(process, one_stop_of_many_threads)
{
	pid_t pid;
	int i, k;

	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	for (i = 0; i < 300; i++) {
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			pthread_barrier_t barrier;
			pthread_t thread;
			cpu_set_t all;

			memset(&all, 0xff, sizeof(all));
			sched_setaffinity(0, sizeof(all), &all);
			pthread_barrier_init(&barrier, NULL, THREADS + 1);
			for (k = 0; k < THREADS; k++)
				if (pthread_create(&thread, NULL, spin, &barrier))
					_exit(99);
			pthread_barrier_wait(&barrier);
			_exit(3);
		}
		ASSERT_EQ(3, WEXITSTATUS(vm_reap(pid)));
		ASSERT_TRUE(collect(self, pid)) TH_LOG("%s", self->error ?: "not read");
		ASSERT_NE(NULL, the(self, ETW_PROCESS_STOP))
			TH_LOG("process %d: %u events", i, self->count);
		EXPECT_EQ(3, the(self, ETW_PROCESS_STOP)->code);
	}
}

TEST_F(process, rundown)
{
	uint64_t ticks = proc_start(getpid()), from_key;
	const struct event *own;
	char path[256];

	ASSERT_TRUE(own_path(path));
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	ASSERT_TRUE(collect(self, getpid()));
	EXPECT_EQ(0, the(self, ETW_PROCESS_RUNDOWN) != NULL);
	ASSERT_EQ(0, control(self, ETW_CONTROL_CAPTURE));
	ASSERT_TRUE(collect(self, getpid())) TH_LOG("%s", self->error ?: "not read");
	own = the(self, ETW_PROCESS_RUNDOWN);
	ASSERT_NE(NULL, own);
	EXPECT_EQ(getppid(), own->id.parent);
	EXPECT_STREQ("process_events", own->name);
	EXPECT_STREQ(path, own->path);
	/* The key's upper bits count 2^20 ns. */
	from_key = (own->id.start_key >> 22 << 20) / 10000000;
	EXPECT_TRUE(from_key + 1 >= ticks && from_key <= ticks + 1);
	EXPECT_EQ(getpid(), own->id.start_key & ((1 << 22) - 1));
	EXPECT_LT(5, self->total);	/* kernel threads, too */
	/* Process 2 is the kernel's: it has a name and no program. */
	ASSERT_EQ(0, control(self, ETW_CONTROL_CAPTURE));
	ASSERT_TRUE(collect(self, 2));
	own = the(self, ETW_PROCESS_RUNDOWN);
	ASSERT_NE(NULL, own);
	EXPECT_STREQ("kthreadd", own->name);
	EXPECT_STREQ("", own->path);
}

/* A path that is too long for the event leaves its last part. */
TEST_F(process, long_path)
{
	char folder[300] = "/tmp/", part[60], file[400];
	const struct event *exec;
	pid_t pid;
	int i;

	memset(part, 'd', sizeof(part) - 1);
	part[sizeof(part) - 1] = '\0';
	for (i = 0; i < 4; i++) {
		strcat(folder, part);
		mkdir(folder, 0700);
		strcat(folder, "/");
	}
	snprintf(file, sizeof(file), "%slast_part_of_the_path", folder);
	snprintf(part, sizeof(part), "cp /bin/true %s", "\"$FILE\"");
	setenv("FILE", file, 1);
	ASSERT_EQ(0, system(part));
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		execl(file, "true", NULL);
		_exit(99);
	}
	EXPECT_EQ(0, vm_reap(pid));
	unlink(file);
	ASSERT_TRUE(collect(self, pid));
	exec = the(self, ETW_PROCESS_EXEC);
	ASSERT_NE(NULL, exec);
	EXPECT_STREQ("last_part_of_the_path", exec->path);
	EXPECT_STREQ("last_part_of_th", exec->name);
}

/* The tracepoints have probes only while the provider is enabled. */
TEST_F(process, disabled_writes_nothing)
{
	struct etw_session_stat before, after;
	pid_t pid;

	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	ASSERT_EQ(0, control(self, ETW_CONTROL_DISABLE));
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &before));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(0);
	EXPECT_EQ(0, vm_reap(pid));
	ASSERT_TRUE(collect(self, pid));
	EXPECT_EQ(0, self->count);
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &after));
	EXPECT_EQ(0, vm_dropped(&after));
}

TEST_HARNESS_MAIN
