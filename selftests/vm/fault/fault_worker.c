// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_worker - allocations that fail where no caller waits for the result
 *
 * The worker that delivers buffers also grows the pool.  Here its allocations fail, all or
 * some of them: lost events are counted, nothing hangs, and the pool grows on when memory is
 * available again.  Then calls of all kinds fail at random, several at once.
 *
 * TIMEOUT: 600
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/fault/vm_fault.h"

#include <pthread.h>

/* ---------------------------------------------------- who is made to fail */

static void mark(const char *path, bool on)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;		/* it has ended meanwhile */
	if (write(fd, on ? "1" : "0", 1) != 1)
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
	close(fd);
}

struct marking {
	bool on;
	int count;
};

static bool mark_one(void *context, pid_t pid)
{
	struct marking *m = context;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/make-it-fail", pid);
	mark(path, m->on);
	m->count++;
	return true;
}

/*
 * The kernel's unbound workers, including ours; and, if all allocations fail, the thread that
 * makes new ones, which would not be marked.  If only some did, it would get as far as the new
 * one's stack, whose failure the kernel reports with a trace of calls.
 */
static int mark_workers(bool on, bool all)
{
	struct marking m = { .on = on };

	mark("/proc/2/make-it-fail", on && all);
	vm_each_named("kworker/u", mark_one, &m);
	return m.count;
}

/* How often allocations of marked tasks fail, in percent, for each of the named kinds. */
static bool fail_marked(const char *percent, bool copies)
{
	static const char *const attrs[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	bool ok = true;
	int i;

	for (i = 0; i < 2 + copies; i++) {
		ok = fault_knob(attrs[i], "task-filter", "Y") && ok;
		ok = fault_knob(attrs[i], "times", "-1") && ok;
		ok = fault_knob(attrs[i], "interval", "1") && ok;
		ok = fault_knob(attrs[i], "probability", percent) && ok;
	}
	return ok;
}

FIXTURE(worker) {
	int fd;
	int slot;
	struct etw_session s;
	struct vm_reader r;
	struct vm_seen seen;
	uint32_t next;
	uint32_t failed;
};

FIXTURE_SETUP(worker)
{
	const char *why = fault_ready();

	if (why)
		SKIP(return, "%s", why);
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->s = vm_session("t-worker");
	self->s.buffer_kb = 4;
	self->s.min_buffers = 4;
	self->s.max_buffers = 64;
	self->s.flush_ms = 600000;
	self->r.fd = -1;
}

FIXTURE_TEARDOWN(worker)
{
	if (_metadata->skip)
		return;
	fail_marked("0", true);
	mark_workers(false, false);
	vm_cpu1_online(true);
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
}

static int begin(FIXTURE_DATA(worker) *self)
{
	int ret = vm_start(self->fd, &self->s);

	return ret ? ret : vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0);
}

/* Write the next events; those that find no buffer are counted.  0, or what failed. */
static int put(FIXTURE_DATA(worker) *self, unsigned int count)
{
	static uint8_t data[1000];
	int ret;

	while (count--) {
		memcpy(data, &self->next, sizeof(self->next));
		ret = vm_write(self->fd, self->slot, 1, 1, 1, data, sizeof(data));
		if (ret && ret != -ENOBUFS)
			return ret;
		self->next++;
		self->failed += ret == -ENOBUFS;
	}
	return 0;
}

/* Every event is written, or lost because no buffer is free. */
static void account(struct __test_metadata *_metadata, FIXTURE_DATA(worker) *self)
{
	struct etw_session_stat st;

	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(self->failed, st.dropped[ETW_DROP_NO_BUFFER]);
	EXPECT_EQ(self->failed, vm_dropped(&st));
	EXPECT_EQ(self->next - self->failed, st.written);
}

static uint32_t buffers(FIXTURE_DATA(worker) *self)
{
	struct etw_session q = { 0 };

	return vm_query(self->fd, self->s.handle, &q) ? 0 : q.buffers;
}

/* Write until the pool has grown: 0, -ETIME if it does not, or what failed. */
static int grow(FIXTURE_DATA(worker) *self)
{
	int err;

	return vm_until((err = put(self, 3)) || buffers(self) > 8) ? err : -ETIME;
}

TEST_F(worker, pool_that_cannot_grow)
{
	struct etw_session_stat st;
	int i;

	if (_metadata->skip)
		return;
	ASSERT_EQ(0, begin(self));
	ASSERT_TRUE(fail_marked("100", false));
	for (i = 0; i < 40; i++) {
		ASSERT_LT(0, mark_workers(true, true));
		ASSERT_EQ(0, put(self, 10));
		usleep(1000);
	}
	EXPECT_EQ(4, buffers(self));
	EXPECT_LT(300, self->failed);
	account(_metadata, self);
	/* Flushing needs no memory. */
	EXPECT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_TRUE(fail_marked("0", false));
	mark_workers(false, false);
	EXPECT_EQ(0, grow(self));
	account(_metadata, self);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(-EAGAIN, vm_drain(&self->r, vm_see, &self->seen));
	EXPECT_EQ(st.written, self->seen.records);
	EXPECT_EQ(NULL, self->r.error);
}

static uint32_t most(FIXTURE_DATA(worker) *self)
{
	struct etw_session q = { 0 };

	return vm_query(self->fd, self->s.handle, &q) ? 0 : q.max_buffers;
}

/* A CPU comes online while there is no memory for a larger table: it has its buffers later. */
TEST_F(worker, cpu_that_comes_waits)
{
	int i;

	if (_metadata->skip)
		return;
	if (access(VM_CPU1_ONLINE, W_OK))
		SKIP(return, "CPU 1 cannot go offline");
	vm_pin(0);
	ASSERT_TRUE(vm_cpu1_online(false));
	self->s.min_buffers = 2;
	self->s.max_buffers = 2;
	ASSERT_EQ(0, begin(self));
	ASSERT_TRUE(fail_marked("100", false));
	ASSERT_LT(0, mark_workers(true, true));
	ASSERT_TRUE(vm_cpu1_online(true));
	for (i = 0; i < 40; i++) {
		ASSERT_LT(0, mark_workers(true, true));
		ASSERT_EQ(0, put(self, 10));
		usleep(1000);
	}
	EXPECT_EQ(2, most(self));
	ASSERT_TRUE(fail_marked("0", false));
	mark_workers(false, false);
	EXPECT_TRUE(vm_until(put(self, 3) || most(self) == 4));
	EXPECT_EQ(4, most(self));
	account(_metadata, self);
}

/* Every second allocation fails: the pool grows all the same, a little later. */
TEST_F(worker, pool_that_grows_by_halves)
{
	struct etw_consumer_info info;
	struct etw_session_stat st;
	int i;

	if (_metadata->skip)
		return;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	ASSERT_TRUE(fail_marked("50", false));
	for (i = 0; i < 100; i++) {
		mark_workers(true, false);
		ASSERT_EQ(0, put(self, 10));
		if (i % 10 == 9)
			ASSERT_EQ(-EAGAIN, vm_drain(&self->r, vm_see, &self->seen));
	}
	ASSERT_TRUE(fail_marked("0", false));
	mark_workers(false, false);
	EXPECT_EQ(0, grow(self));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	EXPECT_EQ(-EAGAIN, vm_drain(&self->r, vm_see, &self->seen));
	account(_metadata, self);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	ASSERT_EQ(0, vm_consumer_info(self->r.fd, &info));
	EXPECT_EQ(st.written, self->seen.records + info.events_lost);
	EXPECT_EQ(NULL, self->r.error);
}

/*
 * Without memory for a thread a driver's callback waits: in a worker its death could never be
 * cleaned up.
 */
TEST_F(worker, callback_waits_for_memory)
{
	struct etw_test_log log = { .index = 1 };
	int kfd;

	if (_metadata->skip)
		return;
	kfd = vm_test_provider();
	ASSERT_LE(0, kfd);
	ASSERT_EQ(0, vm_test_register(kfd, 1, vm_guid(2), ETW_TEST_CALLBACK));
	ASSERT_EQ(0, begin(self));
	ASSERT_TRUE(fail_marked("100", false));
	ASSERT_LT(0, mark_workers(true, true));
	EXPECT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(2), 0, 0, 0));
	usleep(500 * 1000);
	ASSERT_EQ(0, vm_ioctl(kfd, ETW_TEST_LOG, &log));
	EXPECT_EQ(0, log.count);
	log.index = 1;
	ASSERT_TRUE(fail_marked("0", false));
	mark_workers(false, false);
	ASSERT_TRUE(vm_until((log.index = 1, vm_ioctl(kfd, ETW_TEST_LOG, &log)) || log.count));
	EXPECT_EQ(1, log.count);
	EXPECT_TRUE(log.calls[0].good_context);
	/* One that waits for a thread does not hold up the end of the registration. */
	ASSERT_TRUE(fail_marked("100", false));
	ASSERT_LT(0, mark_workers(true, true));
	EXPECT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(2), 3, 0, 0));
	close(kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	ASSERT_TRUE(fail_marked("0", false));
	mark_workers(false, false);
}

/* ------------------------------------------------------- all calls, at random */

#define THREADS		3
#define ROUNDS		60

struct caller {
	pthread_t thread;
	uint32_t state;
	unsigned int good, bad, strange;
};

static pthread_barrier_t all_are_there;

static uint32_t rnd(struct caller *me, uint32_t below)
{
	me->state = me->state * 1664525 + 1013904223;
	return (me->state >> 8) % below;
}

static int judge(struct caller *me, int ret)
{
	static const int known[] = {
		ENOMEM, EFAULT, EEXIST, ENOENT, ESRCH, ENOSPC, EAGAIN, ENODATA, ESHUTDOWN,
		ENOBUFS, EBADF, EBUSY, ETIMEDOUT };
	unsigned int i;

	if (ret >= 0) {
		me->good++;
		return ret;
	}
	for (i = 0; i < ARRAY_SIZE(known) && known[i] != -ret; i++)
		;
	if (i == ARRAY_SIZE(known) && !me->strange++)
		fprintf(stderr, "# strange error: %s\n", strerror(-ret));
	me->bad++;
	return ret;
}

/* The whole life of a session with a consumer; steps that fail are skipped. */
static void control(struct caller *me, int fd)
{
	char name[16];
	struct etw_session s;
	struct etw_buffer_take take;
	int cfd, i;

	snprintf(name, sizeof(name), "t-r%u", rnd(me, 4));
	s = vm_session(name);
	s.buffer_kb = 4;
	s.mode = rnd(me, 3) ? ETW_MODE_REAL_TIME : ETW_MODE_BUFFERING;
	if (judge(me, vm_start(fd, &s)))
		judge(me, vm_ioctl(fd, ETW_IOC_SESSION_QUERY, &s));
	judge(me, vm_enable(fd, s.handle, vm_guid(rnd(me, 3)), rnd(me, 6), 0, 0));
	cfd = vm_consume(fd, s.handle, O_NONBLOCK, NULL);
	if (judge(me, cfd) >= 0) {
		judge(me, vm_flush(fd, s.handle));
		for (i = 0; i < 3; i++)
			if (!judge(me, vm_take(cfd, &take)))
				judge(me, vm_give(cfd, take.index));
		close(cfd);
	}
	s = (struct etw_session){ .size = sizeof(s), .handle = s.handle,
				  .max_buffers = rnd(me, 2000) };
	judge(me, vm_ioctl(fd, ETW_IOC_SESSION_UPDATE, &s));
	if (rnd(me, 2))
		judge(me, vm_disable(fd, s.handle, vm_guid(rnd(me, 3))));
	if (rnd(me, 4))
		judge(me, vm_stop(fd, s.handle));
}

static void provide(struct caller *me)
{
	struct etw_notify n = { .size = sizeof(n) };
	static const uint8_t data[3000];
	int fd = vm_open(), slot, i;
	void *area;

	if (judge(me, fd) < 0)
		return;
	slot = judge(me, vm_register_flags(fd, vm_guid(rnd(me, 3)), ETW_REGISTER_NOTIFY, 1));
	area = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	for (i = 0; i < 5; i++)
		judge(me, vm_write(fd, slot, 1, 1, 1, data, rnd(me, sizeof(data))));
	judge(me, vm_ioctl(fd, ETW_IOC_NOTIFY, &n));
	if (rnd(me, 2))
		judge(me, vm_unregister(fd, slot));
	close(fd);
	/* That takes memory too, and the mapping would keep the file. */
	while (area != MAP_FAILED && munmap(area, ETW_ENABLE_AREA_SIZE))
		;
}

static void *call(void *arg)
{
	struct caller *me = arg;
	int fd = vm_open(), i;

	mark("/proc/thread-self/make-it-fail", true);
	pthread_barrier_wait(&all_are_there);
	for (i = 0; i < ROUNDS; i++) {
		control(me, fd);
		provide(me);
	}
	close(fd);
	return NULL;
}

TEST_F(worker, calls_at_random)
{
	int areas = vm_count_lines("/proc/vmallocinfo", "[etw]"), i, fds = fault_count_fds();
	struct caller callers[THREADS] = { 0 };
	struct etw_provider_enum pe = { .size = sizeof(pe) };

	if (_metadata->skip)
		return;
	ASSERT_EQ(0, pthread_barrier_init(&all_are_there, NULL, THREADS + 1));
	for (i = 0; i < THREADS; i++) {
		callers[i].state = i + 1;
		ASSERT_EQ(0, pthread_create(&callers[i].thread, NULL, call, &callers[i]));
	}
	/* All are marked and none needs memory to begin. */
	ASSERT_TRUE(vm_until(vm_others_sleep()));
	pthread_barrier_wait(&all_are_there);
	ASSERT_TRUE(fail_marked("3", true));
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_join(callers[i].thread, NULL));
	ASSERT_TRUE(fail_marked("0", true));
	for (i = 0; i < THREADS; i++) {
		TH_LOG("%u calls succeeded, %u failed", callers[i].good, callers[i].bad);
		EXPECT_LT(100, callers[i].good);
		EXPECT_LT(20, callers[i].bad);
		EXPECT_EQ(0, callers[i].strange);
	}
	vm_stop_all(self->fd);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_ENUM, &pe));
	EXPECT_EQ(1 + VM_OWN_PROVIDERS, pe.count);	/* the test's registration */
	EXPECT_EQ(fds, fault_count_fds());
	EXPECT_TRUE(vm_until(vm_count_lines("/proc/vmallocinfo", "[etw]") <= areas));
	/* And it works. */
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(0, put(self, 5));
	account(_metadata, self);
}

TEST_HARNESS_MAIN
