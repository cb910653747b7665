// SPDX-License-Identifier: GPL-2.0-only
/*
 * notify - what a user-mode provider is told of being enabled
 */
#include "vm.h"

#include <pthread.h>
#include <sys/utsname.h>

#define PREEMPT	"/sys/kernel/debug/sched/preempt"

FIXTURE(notify) {
	int fd;
	int slot;
	uint64_t a, b;
	struct etw_notify n;
	char preempt[16];	/* the kernel's way, to be put back; or nothing */
};

static bool set_preempt(const char *mode)
{
	int fd = open(PREEMPT, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, mode, strlen(mode)) == (ssize_t)strlen(mode);

	if (fd >= 0)
		close(fd);
	return ok;
}

FIXTURE_SETUP(notify)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->a = vm_start_named(self->fd, "t-a");
	self->b = vm_start_named(self->fd, "t-b");
	ASSERT_NE(0, self->a);
	ASSERT_NE(0, self->b);
	self->slot = vm_register_flags(self->fd, vm_guid(1), ETW_REGISTER_NOTIFY, 0xc00c1e);
	ASSERT_LE(0, self->slot);
}

FIXTURE_TEARDOWN(notify)
{
	if (*self->preempt)
		EXPECT_TRUE(set_preempt(self->preempt));
	vm_stop_all(self->fd);
	close(self->fd);
}

static int next(FIXTURE_DATA(notify) *self)
{
	self->n = (struct etw_notify){ .size = sizeof(self->n) };
	return vm_ioctl(self->fd, ETW_IOC_NOTIFY, &self->n);
}

/* An enabling call with everything in it. */
static int control(FIXTURE_DATA(notify) *self, uint64_t session, uint32_t code,
		   uint8_t level, uint64_t any, uint64_t all, unsigned int source)
{
	struct etw_enable e = vm_enable_arg(session, vm_guid(1));

	e.control = code;
	e.level = level;
	e.any = any;
	e.all = all;
	if (source)
		e.source = vm_guid(source);
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static bool from(FIXTURE_DATA(notify) *self, unsigned int source)
{
	struct etw_guid want = vm_guid(source);

	return source ? !memcmp(&self->n.source, &want, sizeof(want)) :
			vm_guid_zero(&self->n.source);
}

/* The state that the notification carries. */
static bool state(FIXTURE_DATA(notify) *self, uint32_t code, uint32_t level,
		  uint64_t any, uint64_t all)
{
	return self->n.control == code && self->n.level == level && self->n.any == any &&
	       self->n.all == all;
}

TEST_F(notify, none_yet)
{
	EXPECT_EQ(-EAGAIN, next(self));
}

/* B31: the call's SourceId */
TEST_F(notify, enable)
{
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 4, 0xf0, 0x10, 7));
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(self->slot, self->n.slot);
	EXPECT_EQ(0xc00c1e, self->n.cookie);
	EXPECT_TRUE(state(self, ETW_CONTROL_ENABLE, 4, 0xf0, 0x10));
	EXPECT_TRUE(from(self, 7));
	EXPECT_EQ(0, self->n.dropped);
	EXPECT_EQ(-EAGAIN, next(self));
}

/* B2, B6, B32: 0 stands for everything, and the provider is told so. */
TEST_F(notify, zero_counts_as_all)
{
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 0, 0, 0, 0));
	ASSERT_EQ(0, next(self));
	EXPECT_TRUE(state(self, ETW_CONTROL_ENABLE, 255, UINT64_MAX, 0));
	EXPECT_TRUE(from(self, 0));
}

/* B28 to B31: level: the highest; any: one or the other; all: both. */
TEST_F(notify, composite_of_two_sessions)
{
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 3, 1, 5, 1));
	ASSERT_EQ(0, next(self));
	ASSERT_EQ(0, control(self, self->b, ETW_CONTROL_ENABLE, 1, 2, 4, 2));
	ASSERT_EQ(0, next(self));
	EXPECT_TRUE(state(self, ETW_CONTROL_ENABLE, 3, 3, 4));
	EXPECT_TRUE(from(self, 2));
	/* One of two disables: the provider is enabled still, at a lower level. */
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_DISABLE, 0, 0, 0, 3));
	ASSERT_EQ(0, next(self));
	EXPECT_TRUE(state(self, ETW_CONTROL_ENABLE, 1, 2, 4));
	EXPECT_TRUE(from(self, 3));
	ASSERT_EQ(0, control(self, self->b, ETW_CONTROL_DISABLE, 0, 0, 0, 4));
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(ETW_CONTROL_DISABLE, self->n.control);
	EXPECT_TRUE(from(self, 4));
	EXPECT_EQ(-EAGAIN, next(self));
}

/* B23, B32: told of the new state, but not by whom */
TEST_F(notify, session_stop)
{
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 3, 1, 0, 1));
	ASSERT_EQ(0, control(self, self->b, ETW_CONTROL_ENABLE, 1, 2, 0, 2));
	ASSERT_EQ(0, next(self));
	ASSERT_EQ(0, next(self));
	ASSERT_EQ(0, vm_stop(self->fd, self->a));
	ASSERT_EQ(0, next(self));
	EXPECT_TRUE(state(self, ETW_CONTROL_ENABLE, 1, 2, 0));
	EXPECT_TRUE(from(self, 0));
	ASSERT_EQ(0, vm_stop(self->fd, self->b));
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(ETW_CONTROL_DISABLE, self->n.control);
	EXPECT_TRUE(from(self, 0));
}

/* B15, B27, B32: enabled first, registered later: told at once, but not by whom. */
TEST_F(notify, enabled_before_registration)
{
	struct etw_enable e = vm_enable_arg(self->a, vm_guid(2));
	int slot;

	e.level = 2;
	e.any = 8;
	e.source = vm_guid(9);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	EXPECT_EQ(-EAGAIN, next(self));
	slot = vm_register_flags(self->fd, vm_guid(2), ETW_REGISTER_NOTIFY, 22);
	ASSERT_LE(0, slot);
	ASSERT_TRUE(vm_until(!next(self)));
	EXPECT_EQ(slot, self->n.slot);
	EXPECT_EQ(22, self->n.cookie);
	EXPECT_TRUE(state(self, ETW_CONTROL_ENABLE, 2, 8, 0));
	EXPECT_TRUE(from(self, 0));
}

/* B36: only while it is enabled */
TEST_F(notify, capture_state)
{
	/* Not enabled: there is nothing to capture. */
	control(self, self->a, ETW_CONTROL_CAPTURE, 0, 0, 0, 1);
	EXPECT_EQ(-EAGAIN, next(self));
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 3, 6, 2, 1));
	ASSERT_EQ(0, next(self));
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_CAPTURE, 0, 0, 0, 5));
	ASSERT_EQ(0, next(self));
	EXPECT_TRUE(state(self, ETW_CONTROL_CAPTURE, 3, 6, 2));
	EXPECT_TRUE(from(self, 5));
}

/* A registration that did not ask for notifications gets none. */
TEST_F(notify, only_where_asked_for)
{
	ASSERT_LE(0, vm_register(self->fd, vm_guid(2)));
	ASSERT_EQ(0, vm_enable(self->fd, self->a, vm_guid(2), 0, 0, 0));
	EXPECT_EQ(-EAGAIN, next(self));
}

TEST_F(notify, each_registration_gets_its_own)
{
	int second = vm_register_flags(self->fd, vm_guid(1), ETW_REGISTER_NOTIFY, 2);
	unsigned int slots = 0;

	ASSERT_LE(0, second);
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 3, 1, 0, 1));
	ASSERT_EQ(0, next(self));
	slots |= 1u << self->n.slot;
	ASSERT_EQ(0, next(self));
	slots |= 1u << self->n.slot;
	EXPECT_EQ(1u << self->slot | 1u << second, slots);
	EXPECT_EQ(-EAGAIN, next(self));
}

/* B39: after unregistering, nothing of it is left in the queue. */
TEST_F(notify, none_after_unregister)
{
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 3, 1, 0, 1));
	ASSERT_EQ(0, vm_unregister(self->fd, self->slot));
	EXPECT_EQ(-EAGAIN, next(self));
}

/* 64 wait; older ones are dropped, for each carries the whole state. */
TEST_F(notify, oldest_are_dropped)
{
	int i;

	for (i = 1; i <= 70; i++)
		ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, i, 1, 0, i));
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(6, self->n.dropped);
	EXPECT_EQ(7, self->n.level);
	EXPECT_TRUE(from(self, 7));
	for (i = 8; i <= 70; i++) {
		ASSERT_EQ(0, next(self));
		EXPECT_EQ(i, self->n.level);
		EXPECT_EQ(0, self->n.dropped);
	}
	EXPECT_EQ(-EAGAIN, next(self));
}

static double cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/*
 * All registrations of a file go, with all the notices that may wait.  That is
 * cheaper than making them was; nothing is searched for each notice.
 */
TEST_F(notify, all_go_at_once)
{
	int other = vm_open(), i;
	double start, made, gone;

	ASSERT_LE(0, other);
	for (i = 0; i < 256; i++)
		ASSERT_LE(0, vm_register_flags(other, vm_guid(3), ETW_REGISTER_NOTIFY, i));
	start = cpu_time();
	for (i = 0; i < 64; i++)
		ASSERT_EQ(0, vm_enable(self->fd, self->a, vm_guid(3), 1 + i, 1, 0));
	made = cpu_time();
	ASSERT_EQ(0, close(other));
	gone = cpu_time();
	fprintf(stderr, "# made in %.3f s, gone in %.3f s\n", made - start, gone - made);
	EXPECT_GE(made - start, gone - made);
}

TEST_F(notify, poll)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };

	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 3, 1, 0, 1));
	EXPECT_EQ(1, poll(&p, 1, VM_LIMIT_MS));
	EXPECT_EQ(POLLIN, p.revents & POLLIN);
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(0, poll(&p, 1, 0));
}

struct waiter {
	int fd;
	struct etw_enable e;
	int ret;
	volatile bool done;
};

static void *wait_enable(void *arg)
{
	struct waiter *w = arg;

	w->ret = vm_ioctl(w->fd, ETW_IOC_ENABLE, &w->e);
	w->done = true;
	return NULL;
}

/* B24: a call with a timeout returns when the notification was handled. */
TEST_F(notify, enable_waits_until_it_was_handled)
{
	struct waiter w = { .fd = self->fd, .e = vm_enable_arg(self->a, vm_guid(1)) };
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	pthread_t thread;

	w.e.timeout_ms = 0xFFFFFFFF;
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_enable, &w));
	ASSERT_EQ(1, poll(&p, 1, VM_LIMIT_MS));
	ASSERT_EQ(0, next(self));
	usleep(50000);
	EXPECT_FALSE(w.done);	/* taken, not handled */
	EXPECT_EQ(-EAGAIN, next(self));
	EXPECT_TRUE(vm_until(w.done));
	EXPECT_EQ(0, w.ret);
	pthread_join(thread, NULL);
}

static void on_alarm(int sig)
{
}

/* B24: signals do not end the wait, and nobody is told anything again for them. */
TEST_F(notify, signals_do_not_repeat_it)
{
	struct waiter w = { .fd = self->fd, .e = vm_enable_arg(self->a, vm_guid(1)) };
	const struct sigaction act = { .sa_handler = on_alarm };	/* no SA_RESTART */
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	pthread_t thread;
	int i;

	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
	w.e.timeout_ms = 0xFFFFFFFF;
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_enable, &w));
	ASSERT_EQ(1, poll(&p, 1, VM_LIMIT_MS));
	ASSERT_EQ(0, next(self));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pthread_kill(thread, SIGALRM));
		usleep(5000);
	}
	EXPECT_FALSE(w.done);
	EXPECT_EQ(-EAGAIN, next(self));
	EXPECT_TRUE(vm_until(w.done));
	EXPECT_EQ(0, w.ret);
	pthread_join(thread, NULL);
}

/* B24: late, but in force */
TEST_F(notify, enable_times_out_and_stays_in_force)
{
	struct etw_enable e = vm_enable_arg(self->a, vm_guid(1));
	struct etw_session_stat st;

	e.timeout_ms = 50;
	EXPECT_EQ(-ETIMEDOUT, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	EXPECT_EQ(0, vm_write(self->fd, self->slot, 1, 1, 1, "x", 1));
	ASSERT_EQ(0, vm_stat(self->fd, self->a, &st));
	EXPECT_EQ(1, st.written);
	EXPECT_EQ(0, next(self));
	EXPECT_EQ(ETW_CONTROL_ENABLE, self->n.control);
}

/* B24: nobody to wait for: back at once even with an endless limit. */
TEST_F(notify, enable_waits_for_nobody)
{
	struct etw_enable e = vm_enable_arg(self->a, vm_guid(2));

	ASSERT_LE(0, vm_register(self->fd, vm_guid(2)));
	e.timeout_ms = 0xFFFFFFFF;
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
}

/* The one waited for goes away: so does the wait. */
TEST_F(notify, enable_does_not_wait_for_the_dead)
{
	struct waiter w = { .fd = self->fd, .e = vm_enable_arg(self->a, vm_guid(3)) };
	pthread_t thread;
	int other = vm_open(), slot;
	struct pollfd p = { .fd = other, .events = POLLIN };

	slot = vm_register_flags(other, vm_guid(3), ETW_REGISTER_NOTIFY, 0);
	ASSERT_LE(0, slot);
	w.e.timeout_ms = 0xFFFFFFFF;
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_enable, &w));
	ASSERT_EQ(1, poll(&p, 1, VM_LIMIT_MS));
	EXPECT_FALSE(w.done);
	close(other);
	EXPECT_TRUE(vm_until(w.done));
	EXPECT_EQ(0, w.ret);
	pthread_join(thread, NULL);
}

/* A signal ends the wait; the call can be killed. */
TEST_F(notify, enable_can_be_killed_while_it_waits)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	struct etw_enable e = vm_enable_arg(self->a, vm_guid(1));
	pid_t pid = fork();
	int status;

	if (!pid) {
		e.timeout_ms = 0xFFFFFFFF;
		vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
		_exit(0);
	}
	ASSERT_EQ(1, poll(&p, 1, VM_LIMIT_MS));
	kill(pid, SIGKILL);
	status = vm_reap(pid);
	EXPECT_NE(-1, status);
	EXPECT_TRUE(WIFSIGNALED(status));
}

/* --------------------------------------------- a notice that nobody is told of */

/* Where a thread may lose its CPU within a system call; made so if possible. */
static bool preemptible(FIXTURE_DATA(notify) *self)
{
	FILE *f = fopen(PREEMPT, "re");
	struct utsname u;
	char word[32];

	/* It marks the way it goes: none voluntary (full) */
	while (f && fscanf(f, "%31s", word) == 1)
		if (sscanf(word, "(%15[a-z])", self->preempt) == 1)
			break;
	if (f)
		fclose(f);
	if (*self->preempt)
		return set_preempt("full");
	return !uname(&u) && strstr(u.version, "PREEMPT") &&
	       !strstr(u.version, "PREEMPT_DYNAMIC");
}

/*
 * The other thread.  It waits for notice 1 to be handled, and as it has the
 * higher priority, it goes on in the midst of the very call that says so:
 * notice 2 is that call's, but its caller has not been told yet, and now
 * cannot be any more.
 */
struct thief {
	int fd;
	struct etw_enable e;
	struct etw_notify *page;	/* the argument of that call */
	struct etw_notify n;
	int enabled, took, blocked;
};

static void *steal(void *arg)
{
	struct thief *t = arg;

	t->enabled = vm_ioctl(t->fd, ETW_IOC_ENABLE, &t->e);
	t->n.size = sizeof(t->n);
	t->took = vm_ioctl(t->fd, ETW_IOC_NOTIFY, &t->n);
	t->blocked = mprotect(t->page, 4096, PROT_NONE);
	return NULL;
}

static int start_thief(pthread_t *thread, struct thief *t)
{
	struct sched_param first = { .sched_priority = 1 };
	pthread_attr_t attr;
	int ret;

	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &first);
	ret = pthread_create(thread, &attr, steal, t);
	pthread_attr_destroy(&attr);
	return ret;
}

/* What NOTIFY gives to whom notice 2 is stolen; 0: the thief came too late. */
static int be_stolen_from(struct __test_metadata *_metadata, FIXTURE_DATA(notify) *self,
			  bool another)
{
	struct thief t = { .fd = self->fd, .e = vm_enable_arg(self->a, vm_guid(1)) };
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	pthread_t thread;
	int ret;

	t.e.timeout_ms = 0xFFFFFFFF;
	t.page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, t.page);
	t.page->size = sizeof(*t.page);
	ASSERT_EQ(0, start_thief(&thread, &t));
	ASSERT_EQ(1, poll(&p, 1, VM_LIMIT_MS));
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(0, self->n.dropped);
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 2, 1, 0, 2));
	if (another)
		ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 3, 1, 0, 3));
	ret = vm_ioctl(self->fd, ETW_IOC_NOTIFY, t.page);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, t.enabled);
	EXPECT_EQ(another ? 0 : -EAGAIN, t.took);
	EXPECT_EQ(0, t.blocked);
	munmap(t.page, 4096);
	if (!ret)
		while (!next(self))
			;
	return ret;
}

static void check_stolen(struct __test_metadata *_metadata, FIXTURE_DATA(notify) *self,
			 bool another)
{
	int ret;

	if (!preemptible(self))
		SKIP(return, "no thread of this kernel's gives way in a system call");
	vm_pin(0);
	ASSERT_TRUE(vm_until((ret = be_stolen_from(_metadata, self, another))));
	ASSERT_EQ(-EFAULT, ret);
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 4, 1, 0, 4));
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(4, self->n.level);
	EXPECT_EQ(1, self->n.dropped);
	EXPECT_EQ(-EAGAIN, next(self));
}

TEST_F(notify, untold_one_counts_as_dropped)
{
	check_stolen(_metadata, self, false);
}

TEST_F(notify, untold_one_counts_while_another_is_handled)
{
	check_stolen(_metadata, self, true);
}

TEST_HARNESS_MAIN
