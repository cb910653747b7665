// SPDX-License-Identifier: GPL-2.0-only
/*
 * pressure - memory is short
 *
 * TIMEOUT: 600
 *
 * A session's buffers are charged to the memory cgroup of whoever started it.
 * Where that has no more, or the machine has none, the pool does not grow:
 * events are lost and counted, no writer waits, and when there is memory
 * again the pool grows on.
 */
#include "vm_state.h"
#include "vm_kmod.h"

#include <pthread.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define GROUPS	"/sys/fs/cgroup"
#define GROUP	GROUPS "/t-etw"
#define KB64	(64 * 1024)
#define SLOW_MS	20000	/* no single write may take so long, however slow the machine */

static bool put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* A cgroup of ours with a memory controller; NULL or why there is none. */
static const char *have_group(void)
{
	if (access(GROUPS "/cgroup.procs", F_OK) &&
	    mount("none", GROUPS, "cgroup2", 0, NULL))
		return "no cgroup2";
	put_text(GROUPS "/cgroup.subtree_control", "+memory");
	if (mkdir(GROUP, 0755) && errno != EEXIST)
		return "no cgroup can be made";
	return access(GROUP "/memory.max", W_OK) ? "no memory controller" : NULL;
}

static void leave_group(void)
{
	put_text(GROUPS "/cgroup.procs", "0");
	put_text(GROUP "/memory.max", "max");
}

FIXTURE(pressure) {
	int fd;
	int slot;
	struct etw_session s;
	uint64_t attempted, failed;
	long long slowest;
};

FIXTURE_SETUP(pressure)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->s = vm_session("t-pressure");
	self->s.min_buffers = 8;
	self->s.max_buffers = 600;
	self->s.flush_ms = 600000;
}

FIXTURE_TEARDOWN(pressure)
{
	leave_group();
	vm_stop_all(self->fd);
	close(self->fd);
	rmdir(GROUP);
}

/* Start as a member of the group, which has no more than that. */
static int start_inside(FIXTURE_DATA(pressure) *self, const char *max)
{
	int ret;

	if (!put_text(GROUP "/memory.max", max) || !put_text(GROUP "/cgroup.procs", "0"))
		return -EIO;
	ret = vm_start(self->fd, &self->s);
	put_text(GROUPS "/cgroup.procs", "0");
	return ret ? ret : vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0);
}

/* Events of 8 KB; only want of a buffer may be in their way. */
static int put(FIXTURE_DATA(pressure) *self, unsigned int count)
{
	static const uint8_t data[8000];
	long long began, took;
	int ret;

	while (count--) {
		began = vm_ms();
		ret = vm_write(self->fd, self->slot, 1, 1, 1, data, sizeof(data));
		took = vm_ms() - began;
		if (took > self->slowest)
			self->slowest = took;
		if (ret && ret != -ENOBUFS)
			return ret;
		self->attempted++;
		self->failed += ret != 0;
	}
	return 0;
}

static uint32_t buffers(FIXTURE_DATA(pressure) *self)
{
	struct etw_session q = { 0 };

	return vm_query(self->fd, self->s.handle, &q) ? 0 : q.buffers;
}

static void account(struct __test_metadata *_metadata, FIXTURE_DATA(pressure) *self)
{
	struct etw_session_stat st;

	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(self->attempted, st.written + vm_dropped(&st));
	EXPECT_EQ(self->failed, st.dropped[ETW_DROP_NO_BUFFER]);
	EXPECT_EQ(self->failed, vm_dropped(&st));
	EXPECT_GT(SLOW_MS, self->slowest);
}

TEST_F(pressure, group_is_full)
{
	const char *why = have_group();
	struct etw_session q;
	uint32_t full;

	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, start_inside(self, "6M"));
	/* Until it has been refused memory for a while. */
	ASSERT_TRUE(vm_until(put(self, 20) || self->failed > 200));
	full = buffers(self);
	TH_LOG("%u buffers of 64 KB in 6 MB, %llu of %llu events lost, slowest write %lld ms",
	       full, (unsigned long long)self->failed, (unsigned long long)self->attempted,
	       self->slowest);
	EXPECT_LE(8, full);
	EXPECT_GE(6 * 1024 * 1024 / KB64, full);
	account(_metadata, self);
	/* What needs no memory works. */
	EXPECT_EQ(0, vm_flush(self->fd, self->s.handle));
	EXPECT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	/* Memory comes back: it grows on by itself. */
	ASSERT_TRUE(put_text(GROUP "/memory.max", "max"));
	EXPECT_TRUE(vm_until(put(self, 20) || buffers(self) > full + 50));
	account(_metadata, self);
	/* The memory is the group's until the session ends. */
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	EXPECT_TRUE(vm_until(!rmdir(GROUP)));
}

/* A session whose smallest pool does not fit is refused, and leaves nothing. */
TEST_F(pressure, group_is_too_small)
{
	int areas = vm_count_lines("/proc/vmallocinfo", "[etw]");
	struct vm_state *was = vm_state_get(self->fd);
	const char *why = have_group();

	if (why)
		SKIP(return, "%s", why);
	self->s.min_buffers = 200;
	EXPECT_EQ(-ENOMEM, start_inside(self, "4M"));
	EXPECT_TRUE(vm_state_same(self->fd, was));
	EXPECT_EQ(areas, vm_count_lines("/proc/vmallocinfo", "[etw]"));
	leave_group();
	EXPECT_TRUE(vm_until(!rmdir(GROUP)));
	free(was);
}

/* --------------------------------------------------------------- the machine */

static unsigned long free_kb(void)
{
	unsigned long kb = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %lu", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

/* Take memory until so much is left; then wait to be killed. */
static void hog(unsigned long leave_kb, int ready)
{
	const size_t step = 4 << 20;

	put_text("/proc/self/oom_score_adj", "1000");
	while (free_kb() > leave_kb + step / 1024)
		if (mmap(NULL, step, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) == MAP_FAILED)
			break;
	if (write(ready, "r", 1) != 1)
		_exit(1);
	pause();
	_exit(0);
}

/*
 * Hogs take all but 48 MB, of which the pool may have its share; then they go.
 * (Growth gives up before anybody is killed for it.)
 */
TEST_F(pressure, machine_is_full)
{
	uint32_t full;
	pid_t pid;
	int ends[2];
	char c;

	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0));
	ASSERT_EQ(0, pipe(ends));
	pid = fork();
	if (!pid)
		hog(48 * 1024, ends[1]);
	ASSERT_EQ(1, read(ends[0], &c, 1));
	TH_LOG("%lu KB available", free_kb());
	ASSERT_EQ(0, put(self, 2000));
	full = buffers(self);
	TH_LOG("%u buffers, %llu of %llu events lost, slowest write %lld ms, %lu KB available",
	       full, (unsigned long long)self->failed, (unsigned long long)self->attempted,
	       self->slowest, free_kb());
	account(_metadata, self);
	EXPECT_EQ(0, vm_flush(self->fd, self->s.handle));
	kill(pid, SIGKILL);
	EXPECT_NE(-1, vm_reap(pid));
	EXPECT_TRUE(vm_until(put(self, 20) || buffers(self) == self->s.max_buffers));
	account(_metadata, self);
	close(ends[0]);
	close(ends[1]);
}

/* --------------------------------------------------------- killed for memory */

#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* Everything a process can have of ours, in use. */
static void victim(int ready)
{
	struct etw_consumer_open o;
	struct etw_buffer_take take;
	int fd = vm_open(), slot, cfd, i;
	uint64_t handle = vm_start_named(fd, "t-victim");
	void *area, *bufs;

	slot = vm_register_flags(fd, vm_guid(2), ETW_REGISTER_NOTIFY, 1);
	area = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	vm_enable(fd, handle, vm_guid(2), 0, 0, 0);
	cfd = vm_consume(fd, handle, O_NONBLOCK, &o);
	for (i = 0; i < 100; i++)
		vm_write(fd, slot, 1, 1, 1, area, 1000);
	vm_flush(fd, handle);
	bufs = mmap(NULL, 2 * o.buffer_size, PROT_READ, MAP_SHARED, cfd, o.buffer_size);
	if (area == MAP_FAILED || bufs == MAP_FAILED || vm_take(cfd, &take) ||
	    write(ready, "r", 1) != 1)
		_exit(1);
	for (;;)
		vm_write(fd, slot, 1, 1, 1, bufs, 1000);
}

/*
 * As the OOM killer does it: a kill, and the memory is taken away from the
 * dying process at once.  (The OOM killer itself would fill the kernel's log.)
 */
TEST_F(pressure, killed_and_reaped)
{
	int areas = vm_count_lines("/proc/vmallocinfo", "[etw]"), i, pidfd, ends[2], reaped = 0;
	struct vm_state *was = vm_state_get(self->fd);
	uint64_t handle;
	pid_t pid;
	char c;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pipe(ends));
		pid = fork();
		if (!pid)
			victim(ends[1]);
		close(ends[1]);
		ASSERT_EQ(1, read(ends[0], &c, 1));
		close(ends[0]);
		pidfd = syscall(SYS_pidfd_open, pid, 0);
		ASSERT_LE(0, pidfd);
		kill(pid, SIGKILL);
		if (!syscall(SYS_process_mrelease, pidfd, 0))
			reaped++;
		else	/* it may have come to its end before */
			EXPECT_EQ(ESRCH, errno);
		EXPECT_NE(-1, vm_reap(pid));
		close(pidfd);
		/* The session outlives it, nothing else does. */
		ASSERT_EQ(1, vm_sessions(self->fd, &handle, 1));
		ASSERT_EQ(0, vm_stop(self->fd, handle));
		EXPECT_TRUE(vm_state_same(self->fd, was));
	}
	TH_LOG("%d of %d were reaped while they died", reaped, i);
	EXPECT_TRUE(vm_until(vm_count_lines("/proc/vmallocinfo", "[etw]") <= areas));
	free(was);
}

TEST_HARNESS_MAIN
