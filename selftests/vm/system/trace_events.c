// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_events - the kernel's trace events as providers, by ETW_IOC_TRACE_EVENT: counts as perf
 * and ftrace have them, what becomes of a record, how long a provider lasts, who may make one
 *
 * TIMEOUT: 900
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_access.h"
#include "lib/vm_tracefs.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

#define TRACEFS		"/sys/kernel/tracing/"
#define INSTANCE	TRACEFS "instances/etw_selftest/"
#define CALLS		5000
#define NAME		"t-trace"

FIXTURE(trace) {
	int fd;
	uint64_t session;
	struct vm_reader r;
	struct etw_guid guid;		/* whose events are taken */
	uint32_t wanted;		/* of this process; 0: of all */
	uint32_t count, kernel, described;
	bool cpu_changes;		/* a CPU comes online: events are missing */
	uint64_t missing;		/* losses of probes */
	uint32_t again;			/* with the payload of the one before */
	unsigned char last[512];	/* the payload of the last one */
	uint32_t last_len;
};

static void take(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	FIXTURE_DATA(trace) *self = ctx;

	if (memcmp(&r->head->provider, &self->guid, sizeof(self->guid)) ||
	    (self->wanted && r->head->process_id != self->wanted))
		return;
	self->count++;
	self->kernel += !(r->head->flags & ETW_EVENT_USER_MODE);
	self->described += r->head->flags & ETW_EVENT_EXTENDED_INFO ? 1 : 0;
	self->again += r->len && r->len == self->last_len && !memcmp(self->last, r->data, r->len);
	self->last_len = r->len < sizeof(self->last) ? r->len : sizeof(self->last);
	memcpy(self->last, r->data, self->last_len);
}

FIXTURE_SETUP(trace)
{
	struct etw_session s = vm_session(NAME);

	mount("tracefs", TRACEFS, "tracefs", 0, NULL);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	/* Those of the test before have gone. */
	ASSERT_TRUE(vm_until(!vm_providers(self->fd, &self->guid, 1)));
	s.max_buffers = 400;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->session = s.handle;
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	self->guid = vm_guid(1);
	self->wanted = getpid();
}

FIXTURE_TEARDOWN(trace)
{
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Also for who may not read tracefs, if root has asked for the same event before */
static unsigned int event_id(const char *event)
{
	static unsigned int known_id;
	static char known[128];
	unsigned int id;

	if (!strcmp(event, known))
		return known_id;
	id = vm_event_id(event);
	if (id) {
		known_id = id;
		snprintf(known, sizeof(known), "%s", event);
	}
	return id;
}

/* Where a field lies in the record; -1: it has none of this declaration. */
static int field_offset(const char *event, const char *declaration)
{
	char path[256], line[512];
	int offset = -1;
	FILE *f;

	snprintf(path, sizeof(path), TRACEFS "events/%s/format", event);
	f = fopen(path, "re");
	while (f && offset < 0 && fgets(line, sizeof(line), f))
		if (strstr(line, declaration))
			sscanf(strstr(line, "offset:"), "offset:%d", &offset);
	if (f)
		fclose(f);
	return offset;
}

static struct etw_trace_event argument(struct etw_guid guid, unsigned int id,
				       const struct etw_trace_piece *pieces, unsigned int count)
{
	struct etw_trace_event e = vm_trace_event_id(guid, id);

	e.pieces = VM_PTR(pieces);
	e.piece_count = count;
	e.keyword = 1;
	return e;
}

static const struct etw_trace_piece head = { .offset = 0, .size = 8, .kind = ETW_TRACE_COPY };

static int make(int fd, struct etw_guid guid, const char *event,
		const struct etw_trace_piece *pieces, unsigned int count)
{
	struct etw_trace_event e = argument(guid, event_id(event), pieces, count);

	return vm_ioctl(fd, ETW_IOC_TRACE_EVENT, &e);
}

/* Enable, and wait until the kernel's probe is there. */
static int enable(FIXTURE_DATA(trace) *self, struct etw_guid guid)
{
	struct etw_enable e = vm_enable_arg(self->session, guid);

	/* This process reads what it does. */
	e.property = ETW_ENABLE_READERS;
	e.timeout_ms = 0xFFFFFFFF;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static bool registered(int fd, struct etw_guid guid)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = guid };

	return !vm_ioctl(fd, ETW_IOC_PROVIDER_QUERY, &q) && q.reg_count;
}

static bool collect(FIXTURE_DATA(trace) *self)
{
	struct etw_session_stat st;

	if (vm_flush(self->fd, self->session) || vm_drain(&self->r, take, self) != -EAGAIN ||
	    vm_stat(self->fd, self->session, &st))
		return false;
	self->missing = etw_stat_dropped(&st, ETW_DROP_PROBE);
	return vm_dropped(&st) == (self->cpu_changes ? self->missing : 0);
}

/* A counter of perf's for this process */
static int perf_counter(unsigned int id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* ftrace in an instance of its own: only this process, counted by its lines */
static bool ftrace_begin(const char *event)
{
	char path[256], filter[64];

	mkdir(INSTANCE, 0700);
	snprintf(filter, sizeof(filter), "common_pid == %d", getpid());
	snprintf(path, sizeof(path), INSTANCE "events/%s/filter", event);
	if (!vm_write_text(INSTANCE "buffer_size_kb", "2000") || !vm_write_text(path, filter))
		return false;
	snprintf(path, sizeof(path), INSTANCE "events/%s/enable", event);
	return vm_write_text(path, "1");
}

static unsigned int ftrace_end(void)
{
	unsigned int count = 0;
	char line[512];
	FILE *f;

	vm_write_text(INSTANCE "tracing_on", "0");
	f = fopen(INSTANCE "trace", "re");
	while (f && fgets(line, sizeof(line), f))
		count += line[0] != '#';
	if (f)
		fclose(f);
	vm_write_text(INSTANCE "events/enable", "0");
	rmdir(INSTANCE);
	return count;
}

/* Each of three tracers saw each of the calls, on both CPUs. */
TEST_F(trace, as_many_as_perf_and_ftrace)
{
	const char *event = "syscalls/sys_enter_getppid";
	uint64_t counted = 0;
	int i, perf;

	ASSERT_EQ(0, make(self->fd, self->guid, event, &head, 1));
	ASSERT_EQ(0, enable(self, self->guid));
	ASSERT_TRUE(ftrace_begin(event));
	perf = perf_counter(event_id(event));
	ASSERT_LE(0, perf);
	for (i = 0; i < CALLS; i++) {
		if (i % (CALLS / 4) == 0)
			vm_pin(i / (CALLS / 4) % 2);
		syscall(SYS_getppid);
	}
	ASSERT_EQ(sizeof(counted), read(perf, &counted, sizeof(counted)));
	close(perf);
	EXPECT_EQ(CALLS, ftrace_end());
	EXPECT_EQ(CALLS, counted);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(CALLS, self->count);
	EXPECT_EQ(CALLS, self->kernel);
	EXPECT_EQ(CALLS, self->described);
	EXPECT_EQ(8, self->last_len);
}

/* How often this process has slept */
static long sleeps(void)
{
	struct rusage use;

	return getrusage(RUSAGE_SELF, &use) ? -1 : use.ru_nvcsw;
}

/* The time that a process ran is also what perf counts by this event: it is one all the same. */
TEST_F(trace, once_whatever_perf_counts)
{
	const char *event = "sched/sched_stat_runtime";
	const struct etw_trace_piece runtime = {
		.offset = field_offset(event, "u64 runtime"), .size = 8, .kind = ETW_TRACE_COPY,
	};
	long slept;

	ASSERT_EQ(0, make(self->fd, self->guid, event, &runtime, 1));
	ASSERT_EQ(0, enable(self, self->guid));
	/* On a busy machine the time may be over before it sleeps. */
	for (slept = sleeps(); sleeps() - slept < 50;)
		usleep(1000);
	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->guid));
	ASSERT_TRUE(collect(self));
	EXPECT_LE(50, self->count);
	EXPECT_GT(self->count, 4 * self->again) TH_LOG("%u of %u", self->again, self->count);
}

/* Call the system without end, as a user without rights. */
static void calling_child(void)
{
	const struct vm_who who = { .uid = VM_ALICE, .gid = VM_ALICE };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (vm_become(&who))
		_exit(1);
	for (;;)
		syscall(SYS_getppid);
}

static bool loses(int fd, uint64_t session)
{
	struct etw_session_stat st;

	return !vm_stat(fd, session, &st) && vm_dropped(&st) > 50;
}

/* Whose calls fill a session that nobody reads loses events, and not the drivers and others. */
TEST_F(trace, the_caller_pays)
{
	static const struct etw_guid driver = ETW_TEST_GUID;
	struct etw_test_write w = { .count = 200, .size = 40, .descriptors = 1,
				    .desc = { .id = 1, .level = 4, .keyword = 1 } };
	struct etw_session s = vm_session("t-paid");
	int kfd, slot, i;
	pid_t pid;

	s.buffer_kb = 16;
	s.flush_ms = 600000;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	kfd = vm_test_provider();
	ASSERT_LE(0, kfd);
	slot = vm_register(self->fd, vm_guid(2));
	ASSERT_LE(0, slot);
	ASSERT_EQ(0, make(self->fd, self->guid, "syscalls/sys_enter_getppid", &head, 1));
	self->session = s.handle;
	ASSERT_EQ(0, enable(self, self->guid));
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, driver, 4, 1, 0));
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, vm_guid(2), 4, 1, 0));
	pid = fork();
	if (!pid)
		calling_child();
	EXPECT_TRUE(vm_until(loses(self->fd, s.handle)));
	EXPECT_EQ(0, vm_ioctl(kfd, ETW_TEST_WRITE, &w));
	EXPECT_EQ(200, w.ok);
	for (i = 0; i < 200; i++)
		EXPECT_EQ(0, vm_write(self->fd, slot, 1, 1, 1, "x", 1));
	kill(pid, SIGKILL);
	vm_reap(pid);
	close(kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
}

/* ------------------------------------------------------------- what is in them */

/* The text of a payload that begins with its length */
static bool is_text(const unsigned char *at, const char *text)
{
	uint16_t len;

	memcpy(&len, at, sizeof(len));
	return len == strlen(text) && !memcmp(at + 2, text, len);
}

/* A data location, an array of characters, and a number */
TEST_F(trace, record_of_exec)
{
	const char *event = "sched/sched_process_exec", *program = "/bin/true";
	int at = field_offset(event, "__data_loc char[] filename"), pid_at = field_offset(event, "pid_t pid");
	const struct etw_trace_piece pieces[] = {
		{ .offset = at, .kind = ETW_TRACE_TEXT_AT },
		{ .offset = pid_at, .size = 4, .kind = ETW_TRACE_COPY },
		/* Not in the record */
		{ .offset = 60000, .size = 16, .kind = ETW_TRACE_TEXT },
		{ .offset = 60000, .kind = ETW_TRACE_TEXT_AT },
		{ .offset = 60000, .size = 8, .kind = ETW_TRACE_ARRAY_AT },
		{ .offset = 60000, .size = 8, .kind = ETW_TRACE_COPY },
	};
	uint32_t pid;
	pid_t child;

	ASSERT_LT(0, at);
	ASSERT_LT(0, pid_at);
	ASSERT_EQ(0, make(self->fd, self->guid, event, pieces, ARRAY_SIZE(pieces)));
	ASSERT_EQ(0, enable(self, self->guid));
	child = fork();
	if (!child) {
		execl(program, program, NULL);
		_exit(99);
	}
	ASSERT_EQ(0, vm_reap(child));
	self->wanted = child;
	ASSERT_TRUE(collect(self));
	ASSERT_EQ(1, self->count);
	ASSERT_EQ(2 + strlen(program) + 4 + 3 * 2, self->last_len);
	EXPECT_TRUE(is_text(self->last, program));
	memcpy(&pid, self->last + 2 + strlen(program), sizeof(pid));
	EXPECT_EQ(child, pid);
}

/* What an argument of a system call points to: a text, up to the end of what is mapped */
TEST_F(trace, text_in_user_memory)
{
	const char *event = "syscalls/sys_enter_openat", *path = "/nowhere/etw";
	const struct etw_trace_piece piece = {
		.offset = field_offset(event, "filename"), .size = 8, .kind = ETW_TRACE_USER_TEXT,
	};
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = pages + 4096 - strlen(path) - 1;

	ASSERT_NE(MAP_FAILED, pages);
	munmap(pages + 4096, 4096);
	ASSERT_EQ(0, make(self->fd, self->guid, event, &piece, 1));
	ASSERT_EQ(0, enable(self, self->guid));
	strcpy(end, path);
	syscall(SYS_openat, AT_FDCWD, end, O_RDONLY);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(1, self->count);
	EXPECT_TRUE(is_text(self->last, path));
	/* Longer than what is taken */
	memset(pages, 'x', 4096);
	pages[4095] = '\0';
	syscall(SYS_openat, AT_FDCWD, pages, O_RDONLY);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(2, self->count);
	EXPECT_EQ(2 + ETW_TRACE_USER_TEXT_MAX, self->last_len);
	/* Nothing there; an address of the kernel's */
	syscall(SYS_openat, AT_FDCWD, pages + 4096, O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, (char *)-4096L, O_RDONLY);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(4, self->count);
	EXPECT_TRUE(is_text(self->last, ""));
	EXPECT_EQ(2, self->last_len);
	munmap(pages, 4096);
}

static void connect_to(const void *address, long length)
{
	syscall(SYS_connect, -1L, address, length);
}

/* Bytes of which the process says how many they are, rightly or not, up to the end of what is mapped */
TEST_F(trace, bytes_in_user_memory)
{
	const char *event = "syscalls/sys_enter_connect";
	unsigned char *pages = mmap(NULL, 12288, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *end = pages + 8192;
	const struct etw_trace_piece pieces[] = {
		{ .offset = field_offset(event, "uservaddr"), .size = 128,
		  .length_offset = field_offset(event, "addrlen"), .kind = ETW_TRACE_USER_BYTES },
		/* Its length is not in the record */
		{ .offset = field_offset(event, "uservaddr"), .size = 128, .length_offset = 60000,
		  .kind = ETW_TRACE_USER_BYTES },
	};
	const struct { const unsigned char *from; long length; unsigned int read; } calls[] = {
		{ pages + 100, 16, 16 }, { pages + 100, 0, 0 }, { pages + 101, 128, 128 },
		{ pages + 102, 129, 128 }, { pages + 103, INT32_MAX, 128 }, { pages, -1, 0 },
		{ pages, UINT32_MAX, 0 }, { pages, INT32_MIN, 0 }, { pages, INT64_MIN, 0 },
		/* The kernel, too, takes the lower half of a register for an int. */
		{ pages + 104, 0x700000010, 16 }, { pages + 105, INT64_MIN | 5, 5 },
		{ pages + 4096 - 30, 64, 64 }, { end - 10, 28, 10 }, { end - 10, INT32_MAX, 10 },
		{ end, 16, 0 }, { NULL, 16, 0 }, { NULL, INT32_MAX, 0 },
		{ (void *)-4096L, 16, 0 }, { (void *)-8L, 16, 0 }, { (void *)-8L, INT32_MAX, 0 },
		{ (void *)0x7ffffffffff8, 16, 0 }, { (void *)0x8000000000000000, 16, 0 },
		{ (void *)0xffff888000001000, 16, 0 },
	};
	unsigned int i;
	uint16_t len;

	ASSERT_NE(MAP_FAILED, pages);
	for (i = 0; i < 8192; i++)
		pages[i] = i * 7 % 251;
	munmap(end, 4096);
	ASSERT_EQ(0, make(self->fd, self->guid, event, pieces, ARRAY_SIZE(pieces)));
	ASSERT_EQ(0, enable(self, self->guid));
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		connect_to(calls[i].from, calls[i].length);
		ASSERT_TRUE(collect(self));
		ASSERT_EQ(i + 1, self->count);
		memcpy(&len, self->last, sizeof(len));
		EXPECT_EQ(calls[i].read, len) TH_LOG("%u", i);
		ASSERT_EQ(2 + calls[i].read + 2, self->last_len) TH_LOG("%u", i);
		EXPECT_EQ(0, memcmp(self->last + 2, calls[i].from, len)) TH_LOG("%u", i);
		memcpy(&len, self->last + 2 + calls[i].read, sizeof(len));
		EXPECT_EQ(0, len);
	}
	munmap(pages, 8192);
}

/* Where an interrupt came: the scratch memory of each context is its own. */
TEST_F(trace, in_interrupts)
{
	const struct etw_guid other = vm_guid(2);
	uint32_t calls = 0;

	ASSERT_EQ(0, make(self->fd, self->guid, "irq_vectors/local_timer_entry", &head, 1));
	ASSERT_EQ(0, make(self->fd, other, "syscalls/sys_enter_getppid", &head, 1));
	ASSERT_EQ(0, enable(self, self->guid));
	ASSERT_EQ(0, enable(self, other));
	self->wanted = 0;
	ASSERT_TRUE(vm_until((syscall(SYS_getppid), ++calls % 64 || collect(self)) &&
			     self->count >= 10));
	EXPECT_EQ(self->count, self->described);
	self->guid = other;
	self->wanted = getpid();
	self->count = 0;
	syscall(SYS_getppid);
	ASSERT_TRUE(collect(self));
	EXPECT_LT(0, self->count);
}

/* --------------------------------------------------------------- how long it lasts */

TEST_F(trace, lasts_while_held_or_enabled)
{
	const char *event = "syscalls/sys_enter_getppid";
	int holder = vm_open(), second = vm_open();

	ASSERT_EQ(0, make(holder, self->guid, event, &head, 1));
	ASSERT_EQ(0, make(second, self->guid, event, &head, 1));
	ASSERT_EQ(0, make(second, self->guid, event, &head, 1));
	EXPECT_TRUE(registered(self->fd, self->guid));
	close(holder);
	EXPECT_TRUE(registered(self->fd, self->guid));
	ASSERT_EQ(0, enable(self, self->guid));
	close(second);
	syscall(SYS_getppid);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(1, self->count);
	EXPECT_TRUE(registered(self->fd, self->guid));
	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->guid));
	EXPECT_TRUE(vm_until(!registered(self->fd, self->guid)));
	syscall(SYS_getppid);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(1, self->count);
}

TEST_F(trace, goes_with_its_session)
{
	int holder = vm_open();

	ASSERT_EQ(0, make(holder, self->guid, "syscalls/sys_enter_getppid", &head, 1));
	ASSERT_EQ(0, enable(self, self->guid));
	close(holder);
	EXPECT_TRUE(registered(self->fd, self->guid));
	ASSERT_EQ(0, vm_stop(self->fd, self->session));
	EXPECT_TRUE(vm_until(!registered(self->fd, self->guid)));
}

static void call_often(unsigned int n)
{
	while (n--)
		syscall(SYS_getppid);
}

/* What a session's reader does is left out of it, but not what its child does, nor of others. */
TEST_F(trace, readers_are_left_out)
{
	struct etw_enable e = vm_enable_arg(self->session, vm_guid(1));
	pid_t child;

	ASSERT_EQ(0, make(self->fd, vm_guid(1), "syscalls/sys_enter_getppid", &head, 1));
	e.timeout_ms = 0xFFFFFFFF;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	call_often(100);
	child = fork();
	if (!child) {
		call_often(100);
		_exit(0);
	}
	vm_reap(child);
	self->wanted = 0;
	ASSERT_TRUE(collect(self));
	EXPECT_LE(100, self->count);
	EXPECT_GT(200, self->count);
	self->count = 0;
	self->wanted = getpid();
	ASSERT_EQ(0, enable(self, vm_guid(1)));
	call_often(100);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(100, self->count);
	/* Its reader has gone: nobody is left out. */
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	vm_reader_close(&self->r);
	call_often(100);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	self->count = 0;
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(100, self->count);
}

/* A CPU that was away is traced again, and the session knows that it was not for a while. */
TEST_F(trace, cpu_comes_back)
{
	const char *online = "/sys/devices/system/cpu/cpu1/online";

	self->cpu_changes = true;
	ASSERT_EQ(0, make(self->fd, self->guid, "syscalls/sys_enter_getppid", &head, 1));
	ASSERT_EQ(0, enable(self, self->guid));
	vm_pin(0);
	if (!vm_write_text(online, "0"))
		SKIP(return, "CPU 1 cannot be switched off");
	syscall(SYS_getppid);
	ASSERT_TRUE(vm_write_text(online, "1"));
	vm_pin(1);
	EXPECT_TRUE(vm_until((syscall(SYS_getppid), collect(self)) && self->count > 1));
	self->count = 0;
	syscall(SYS_getppid);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(1, self->count);
	EXPECT_LT(0, self->missing);
}

/* The state of hotplug with this name; -1: the kernel has none. */
static int hotplug_state(const char *name)
{
	char line[128], found[96];
	int number, state = -1;
	FILE *f = fopen("/sys/devices/system/cpu/hotplug/states", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%d: %95s", &number, found) == 2 && !strcmp(found, name))
			state = number;
	if (f)
		fclose(f);
	return state;
}

/* A CPU that could not go down had lost its counters on the way. */
TEST_F(trace, cpu_stays)
{
	const char *dir = "/sys/devices/system/cpu/cpu1/";
	char path[128], state[16];

	self->cpu_changes = true;
	snprintf(state, sizeof(state), "%d", hotplug_state("smpboot/threads:online"));
	snprintf(path, sizeof(path), "%shotplug/fail", dir);
	if (!vm_write_text(path, state))
		SKIP(return, "hotplug cannot be made to fail");
	ASSERT_EQ(0, make(self->fd, self->guid, "syscalls/sys_enter_getppid", &head, 1));
	ASSERT_EQ(0, enable(self, self->guid));
	vm_pin(0);
	snprintf(path, sizeof(path), "%sonline", dir);
	EXPECT_FALSE(vm_write_text(path, "0"));
	vm_pin(1);
	EXPECT_TRUE(vm_until((syscall(SYS_getppid), collect(self)) && self->count));
	EXPECT_LT(0, self->missing);
}

/* ------------------------------------------------------------------- refusals */

static int try_as_nobody(void *arg)
{
	return make(vm_open(), *(struct etw_guid *)arg, "syscalls/sys_enter_getppid", &head, 1);
}

TEST_F(trace, needs_a_right)
{
	const struct vm_who nobody = { .uid = 65534, .gid = 65534 };

	ASSERT_LT(0, event_id("syscalls/sys_enter_getppid"));
	EXPECT_EQ(-EPERM, vm_as(&nobody, try_as_nobody, &self->guid));
	EXPECT_FALSE(registered(self->fd, self->guid));
}

static int enable_as_alice(void *arg)
{
	const FIXTURE_DATA(trace) *self = arg;

	return vm_enable(vm_open(), self->session, self->guid, 0, 0, 0);
}

/*
 * A list may let somebody enable everything; what tracepoints show of the kernel and of others
 * takes a capability all the same, before and after the provider is made.
 */
TEST_F(trace, is_enabled_only_with_a_right)
{
	const struct vm_who alice = { .uid = VM_ALICE, .gid = VM_ALICE };

	ASSERT_EQ(0, vm_access(self->fd, vm_default,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_ALL)));
	/* Registrations of processes, which the kernel's refuses then, change nothing. */
	ASSERT_LE(0, vm_register(self->fd, self->guid));
	/* What nobody has made yet may become anything. */
	ASSERT_EQ(0, vm_as(&alice, enable_as_alice, self));
	ASSERT_EQ(0, make(self->fd, self->guid, "syscalls/sys_enter_getppid", &head, 1));
	syscall(SYS_getppid);
	EXPECT_EQ(-EPERM, vm_as(&alice, enable_as_alice, self));
	syscall(SYS_getppid);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(0, self->count);
	ASSERT_EQ(0, enable(self, self->guid));
	syscall(SYS_getppid);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(1, self->count);
	/* It leaves what root enabled. */
	EXPECT_EQ(-EPERM, vm_as(&alice, enable_as_alice, self));
	syscall(SYS_getppid);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(2, self->count);
	vm_access_clear(self->fd);
}

TEST_F(trace, refuses_what_is_wrong)
{
	static struct etw_trace_piece pieces[ETW_TRACE_PIECES_MAX + 1];
	const unsigned int id = event_id("syscalls/sys_enter_getppid");
	const struct etw_trace_event good = argument(self->guid, id, pieces, 1);
	const struct { size_t at, size; uint64_t value; } wrong[] = {
#define WRONG(member, bad)	{ offsetof(struct etw_trace_event, member), sizeof(good.member), bad }
		WRONG(flags, 1), WRONG(name_len, 0), WRONG(schema_len, 1), WRONG(schema_len, 8),
		WRONG(schema_len, ETW_TRACE_SCHEMA_MAX + 1),
		WRONG(piece_count, ETW_TRACE_PIECES_MAX + 1), WRONG(counter, 1), WRONG(config, 1), WRONG(period, 1),
	};
	const struct etw_trace_piece bad[] = {
		{ .size = 8, .kind = ETW_TRACE_USER_BYTES + 1 },
		{ .size = 8, .flags = ETW_TRACE_RELATIVE }, { .size = 8, .flags = 2 },
		{ .size = 8, .length_offset = 1 }, { .size = 0 },
		{ .size = 8, .kind = ETW_TRACE_USER_TEXT, .length_offset = 8 },
		{ .size = 0, .kind = ETW_TRACE_USER_BYTES },
		{ .size = ETW_TRACE_USER_TEXT_MAX + 1, .kind = ETW_TRACE_USER_BYTES },
		{ .size = 8, .kind = ETW_TRACE_USER_BYTES, .flags = ETW_TRACE_RELATIVE },
		{ .size = 0, .kind = ETW_TRACE_ARRAY_AT },
	};
	struct etw_trace_event e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		pieces[0] = head;
		e = good;
		memcpy((char *)&e + wrong[i].at, &wrong[i].value, wrong[i].size);
		EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e)) TH_LOG("%zu", i);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		pieces[0] = bad[i];
		e = good;
		EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e)) TH_LOG("%zu", i);
	}
	for (i = 0; i <= ETW_TRACE_USER_TEXTS; i++)
		pieces[i] = (struct etw_trace_piece){
			.size = 8, .kind = i ? ETW_TRACE_USER_BYTES : ETW_TRACE_USER_TEXT,
		};
	e = argument(self->guid, id, pieces, i);
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	e = good;
	e.pieces = 1;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	EXPECT_FALSE(registered(self->fd, self->guid));
}

/* The same provider with another event */
TEST_F(trace, is_one_event)
{
	ASSERT_EQ(0, make(self->fd, self->guid, "syscalls/sys_enter_getppid", &head, 1));
	EXPECT_EQ(-EEXIST, make(self->fd, self->guid, "syscalls/sys_enter_getpid", &head, 1));
	EXPECT_EQ(-EEXIST, make(self->fd, self->guid, "syscalls/sys_enter_getppid", &head, 0));
}

/* What CAP_PERFMON allows is to trace, not to write events of others. */
TEST_F(trace, no_provider_of_others)
{
	const struct etw_guid own[] = {
		ETW_PROCESS_GUID, ETW_IMAGE_GUID, ETW_CLOCK_PROVIDER_GUID, ETW_LOST_EVENT_GUID,
		ETW_LEDGER_GUID,
	};
	const struct etw_guid driver = ETW_TEST_GUID;
	int module = vm_test_provider();
	unsigned int i;

	ASSERT_LE(0, module);
	for (i = 0; i < ARRAY_SIZE(own); i++)
		EXPECT_EQ(-EEXIST, make(self->fd, own[i], "syscalls/sys_enter_getppid", &head, 1));
	EXPECT_EQ(-EEXIST, make(self->fd, driver, "syscalls/sys_enter_getppid", &head, 1));
	close(module);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
}

static int try_with_capability(void *arg)
{
	return make(vm_open(), *(struct etw_guid *)arg, "syscalls/sys_enter_getppid", &head, 1);
}

/* An access list says who may register a provider; this is another way to do so. */
TEST_F(trace, needs_the_right_to_register)
{
	const struct vm_who tracer = { .uid = 65534, .gid = 65534, .capability = CAP_PERFMON };

	ASSERT_LT(0, event_id("syscalls/sys_enter_getppid"));
	EXPECT_EQ(0, vm_as(&tracer, try_with_capability, &self->guid));
	EXPECT_TRUE(vm_until(!registered(self->fd, self->guid)));
	ASSERT_EQ(0, vm_access(self->fd, self->guid, VM_DENY(USER, 65534, ETW_RIGHT_REGISTER_GUIDS)));
	EXPECT_EQ(-EPERM, vm_as(&tracer, try_with_capability, &self->guid));
	EXPECT_EQ(0, vm_access_remove(self->fd, self->guid));
}

/* An event that the kernel does not have: it is enabled, and the kernel log and the trace say so. */
TEST_F(trace, of_no_event)
{
	struct etw_trace_event e = argument(self->guid, 0xfffff, &head, 1);
	struct etw_session_stat st;

	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	ASSERT_EQ(0, enable(self, self->guid));
	EXPECT_FALSE(collect(self));
	EXPECT_EQ(0, self->count);
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(1, etw_stat_dropped(&st, ETW_DROP_PROBE));
	EXPECT_EQ(1, vm_dropped(&st));
}

TEST_HARNESS_MAIN
