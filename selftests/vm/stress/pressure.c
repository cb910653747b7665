// SPDX-License-Identifier: GPL-2.0-only
/*
 * pressure - memory is short
 *
 * A session's buffers are charged to the memory cgroup of the process that started it.  If
 * the limit of the group is reached, or others have taken its memory, the pool does not
 * grow: events are lost and counted, no writer waits, and when memory is available again the
 * pool grows on.  A controller is not charged for notices that the programs of others do not fetch.
 *
 * TIMEOUT: 600
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/fault/vm_group.h"
#include "lib/driver/vm_kmod.h"
#include "lib/vm_access.h"
#include "lib/vm_state.h"

#include <sys/syscall.h>

#define KB64	(64 * 1024)
#define MB	(1024 * 1024)
#define SILENT_FILES	4	/* whose registrations never fetch a notice */
#define ENABLES	20	/* of all of them */
#define SLOW_MS	20000	/* no single write may take so long, however slow the machine */

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
	vm_group_leave();
	vm_stop_all(self->fd);
	close(self->fd);
	EXPECT_TRUE(vm_group_remove("own"));
	EXPECT_TRUE(vm_group_remove("others"));
	EXPECT_TRUE(vm_group_remove(""));
}

/* Start as a member of that group. */
static int start_inside(FIXTURE_DATA(pressure) *self, const char *group)
{
	int ret;

	if (!vm_group_join(group))
		return -EIO;
	ret = vm_start(self->fd, &self->s);
	vm_group_leave();
	return ret ? ret : vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0);
}

/* Events of 8 KB; a write may fail only because no buffer is free. */
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

/* Until it has been refused memory for a while; how far the pool has come. */
static void put_until_refused(struct __test_metadata *_metadata,
			      FIXTURE_DATA(pressure) *self, uint32_t *full)
{
	int err;

	ASSERT_TRUE(vm_until((err = put(self, 20)) || self->failed > 200));
	ASSERT_EQ(0, err);
	*full = buffers(self);
	TH_LOG("%u buffers of 64 KB, %llu of %llu events lost, slowest write %lld ms", *full,
	       (unsigned long long)self->failed, (unsigned long long)self->attempted,
	       self->slowest);
	EXPECT_LE(self->s.min_buffers, *full);
	EXPECT_GT(self->s.max_buffers, *full);
	account(_metadata, self);
	/* Calls that need no memory work. */
	EXPECT_EQ(0, vm_flush(self->fd, self->s.handle));
}

/* Memory is available again: the pool grows on by itself. */
static void put_until_grown(struct __test_metadata *_metadata,
			    FIXTURE_DATA(pressure) *self, uint32_t to)
{
	int err;

	EXPECT_TRUE(vm_until((err = put(self, 20)) || buffers(self) >= to));
	ASSERT_EQ(0, err);
	account(_metadata, self);
}

/* Start in a group of 6 MB, and fill it.  False: the test is skipped. */
static bool fill_group(struct __test_metadata *_metadata, FIXTURE_DATA(pressure) *self,
		       uint32_t *full)
{
	const char *why = vm_group_make("");

	if (why)
		SKIP(return false, "%s", why);
	ASSERT_TRUE(vm_group_put("", "memory.max", "6M"));
	ASSERT_EQ(0, start_inside(self, ""));
	put_until_refused(_metadata, self, full);
	return true;
}

TEST_F(pressure, group_is_full)
{
	struct etw_session q;
	uint32_t full;

	if (!fill_group(_metadata, self, &full))
		return;
	EXPECT_GE(6 * MB / KB64, full);
	EXPECT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	ASSERT_TRUE(vm_group_put("", "memory.max", "max"));
	put_until_grown(_metadata, self, full + 50);
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
}

/* How often a session has tried to grow after so many ms, at most. */
static unsigned int most_attempts(long long ms)
{
	unsigned int n = 3, wait = 10;		/* ms */

	for (; ms > 0; ms -= wait, n++)
		wait = wait < 1000 ? 2 * wait : 2000;
	return n;
}

/*
 * Each attempt to grow makes the group reclaim memory, so a session that loses events does not
 * try at each of them.
 */
TEST_F(pressure, growth_backs_off)
{
	struct etw_session_stat st;
	unsigned int refused, most;
	long long began, took, hits;
	uint32_t full;

	if (!fill_group(_metadata, self, &full))
		return;
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	refused = st.growth_refused;
	EXPECT_LE(1, refused);
	hits = vm_group_number("", "memory.events", "max");
	began = vm_ms();
	do {
		ASSERT_EQ(0, put(self, 100));
		took = vm_ms() - began;
	} while (took < 2000);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	hits = vm_group_number("", "memory.events", "max") - hits;
	refused = st.growth_refused - refused;
	most = most_attempts(took);
	TH_LOG("in %lld ms growing was refused %u times, and the group hit its limit %lld times",
	       took, refused, hits);
	EXPECT_GE(most, refused);
	EXPECT_GE(5 * most, hits);
	/* It is still asked for. */
	refused = st.growth_refused;
	ASSERT_TRUE(vm_until(!put(self, 20) && !vm_stat(self->fd, self->s.handle, &st) &&
			     st.growth_refused > refused));
	/* Whoever raises the maximum wants more buffers now. */
	ASSERT_TRUE(vm_group_put("", "memory.max", "max"));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_UPDATE,
			      &(struct etw_session){ .size = sizeof(struct etw_session),
						     .handle = self->s.handle,
						     .max_buffers = 600 }));
	put_until_grown(_metadata, self, full + 50);
}

/* A session whose smallest pool does not fit is refused, and leaves nothing. */
TEST_F(pressure, group_is_too_small)
{
	int areas = vm_count_lines("/proc/vmallocinfo", "[etw]");
	struct vm_state *was = vm_state_get(self->fd);
	const char *why = vm_group_make("");

	if (why)
		SKIP(return, "%s", why);
	ASSERT_TRUE(vm_group_put("", "memory.max", "4M"));
	self->s.min_buffers = 200;
	EXPECT_EQ(-ENOMEM, start_inside(self, ""));
	EXPECT_TRUE(vm_state_same(self->fd, was));
	EXPECT_EQ(areas, vm_count_lines("/proc/vmallocinfo", "[etw]"));
	free(was);
}

/* -------------------------------------------------------------------- others */

/* Take so much memory; then wait to be killed. */
static void hog(size_t bytes, int ready)
{
	if (!vm_group_join("others") ||
	    mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) == MAP_FAILED ||
	    write(ready, "r", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/*
 * Other processes have taken two thirds of what there is; then they go.
 * Growth gives up before anybody is killed for it.  (What there is, is the
 * share of a group of groups: with the whole machine full, the kernel's own
 * next allocation may call the OOM killer before ours is refused.)
 */
TEST_F(pressure, others_take_it)
{
	const char *why = vm_group_make("");
	uint32_t full;
	int ends[2];
	pid_t pid;
	char c;

	if (why)
		SKIP(return, "%s", why);
	ASSERT_TRUE(vm_group_put("", "memory.max", "48M"));
	ASSERT_TRUE(vm_group_put("", "cgroup.subtree_control", "+memory"));
	ASSERT_EQ(NULL, vm_group_make("own"));
	ASSERT_EQ(NULL, vm_group_make("others"));
	ASSERT_EQ(0, pipe(ends));
	pid = fork();
	if (!pid)
		hog(32 * MB, ends[1]);
	close(ends[1]);
	ASSERT_EQ(1, read(ends[0], &c, 1));
	ASSERT_EQ(0, start_inside(self, "own"));
	put_until_refused(_metadata, self, &full);
	EXPECT_GE(16 * MB / KB64, full);
	EXPECT_EQ(0, waitpid(pid, NULL, WNOHANG));
	EXPECT_EQ(0, vm_group_number("", "memory.events", "oom_kill"));
	kill(pid, SIGKILL);
	EXPECT_NE(-1, vm_reap(pid));
	put_until_grown(_metadata, self, self->s.max_buffers);
	close(ends[0]);
}

/* --------------------------------------------------------- killed for memory */

#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* A process that uses every resource of the module. */
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

/* Has as many registrations as four files may have, and fetches no notice. */
static void be_silent(int ready)
{
	const struct vm_who who = { .uid = 1000, .gid = 1000 };
	int fd, i, j;

	if (vm_become(&who))
		_exit(1);
	for (i = 0; i < SILENT_FILES; i++) {
		fd = vm_open();
		for (j = 0; j < ETW_REGISTRATIONS_MAX; j++)
			if (vm_register_flags(fd, vm_guid(1), ETW_REGISTER_NOTIFY, 0) < 0)
				_exit(1);
	}
	if (write(ready, "r", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* What others have not fetched is not charged to the group of who enables them. */
TEST_F(pressure, notices_of_others)
{
	const char *cannot = vm_group_make("");
	long long before, grown = 0;
	int ends[2], i;
	pid_t pid;
	char c;

	if (cannot)
		SKIP(return, "%s", cannot);
	ASSERT_EQ(0, pipe(ends));
	pid = fork();
	if (!pid)
		be_silent(ends[1]);
	close(ends[1]);
	ASSERT_EQ(1, read(ends[0], &c, 1));
	close(ends[0]);
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	ASSERT_TRUE(vm_group_join(""));
	before = vm_group_value("", "memory.current");
	EXPECT_LE(0, before);
	for (i = 0; i < ENABLES; i++)
		EXPECT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(1), 1 + i % 5, 1 + i, 0));
	/* What an enable call replaces is freed after a grace period. */
	EXPECT_TRUE(vm_until((grown = vm_group_value("", "memory.current") - before) < MB));
	TH_LOG("%d enable calls for %d registrations: the group has %lld KB more", ENABLES,
	       SILENT_FILES * ETW_REGISTRATIONS_MAX, grown / 1024);
	vm_group_leave();
	kill(pid, SIGKILL);
	EXPECT_NE(-1, vm_reap(pid));
}

TEST_HARNESS_MAIN
