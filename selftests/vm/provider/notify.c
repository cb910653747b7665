// SPDX-License-Identifier: GPL-2.0-only
/* notify - the enable notifications of a user-mode provider */
#include "lib/vm.h"
#include "lib/vm_notify.h"

#include <pthread.h>

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

/* B2, B6, B32: 0 stands for everything, and the notification says so. */
TEST_F(notify, zero_counts_as_all)
{
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 0, 0, 0, 0));
	ASSERT_EQ(0, next(self));
	EXPECT_TRUE(state(self, ETW_CONTROL_ENABLE, 255, UINT64_MAX, 0));
	EXPECT_TRUE(from(self, 0));
}

/* B28 to B31: level: the highest; any: the bits of either; all: the common bits. */
TEST_F(notify, composite_of_two_sessions)
{
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 3, 1, 5, 1));
	ASSERT_EQ(0, next(self));
	ASSERT_EQ(0, control(self, self->b, ETW_CONTROL_ENABLE, 1, 2, 4, 2));
	ASSERT_EQ(0, next(self));
	EXPECT_TRUE(state(self, ETW_CONTROL_ENABLE, 3, 3, 4));
	EXPECT_TRUE(from(self, 2));
	/* One of two sessions disables it: it is still enabled, at a lower level. */
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

/* B23, B32: it contains the new state, but no source */
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

/* B15, B27, B32: enabled first, registered later: notified at once, but without a source. */
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
	/* Not enabled: no state to capture. */
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

/* 8 are queued; older ones are dropped, because each carries the whole state. */
TEST_F(notify, oldest_are_dropped)
{
	int i;

	for (i = 1; i <= 70; i++)
		ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, i, 1, 0, i));
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(62, self->n.dropped);
	EXPECT_EQ(63, self->n.level);
	EXPECT_TRUE(from(self, 63));
	for (i = 64; i <= 70; i++) {
		ASSERT_EQ(0, next(self));
		EXPECT_EQ(i, self->n.level);
		EXPECT_EQ(0, self->n.dropped);
	}
	EXPECT_EQ(-EAGAIN, next(self));
}

/* Requests for rundowns are dropped first, except for the last one. */
TEST_F(notify, captures_are_dropped_first)
{
	int i;

	for (i = 0; i < 70; i++) {
		ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 5, 1, 0, 1));
		ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_CAPTURE, 0, 0, 0, 2 + i));
	}
	for (i = 0; !next(self) && self->n.control == ETW_CONTROL_ENABLE; i++)
		;
	EXPECT_EQ(7, i);
	EXPECT_EQ(ETW_CONTROL_CAPTURE, self->n.control);
	EXPECT_TRUE(from(self, 71));
	EXPECT_EQ(-EAGAIN, next(self));
}

/* However many changes follow it, a request for a rundown is not lost. */
TEST_F(notify, last_capture_is_kept)
{
	int i;

	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 5, 1, 0, 1));
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_CAPTURE, 0, 0, 0, 2));
	for (i = 1; i <= 70; i++)
		ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, i, 1, 0, 3));
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(ETW_CONTROL_CAPTURE, self->n.control);
	EXPECT_TRUE(from(self, 2));
	EXPECT_EQ(64, self->n.dropped);
	for (i = 64; i <= 70; i++) {
		ASSERT_EQ(0, next(self));
		EXPECT_EQ(i, self->n.level);
	}
	EXPECT_EQ(-EAGAIN, next(self));
}

/* Whoever goes takes its own waiting notices along, and leaves those of the others. */
TEST_F(notify, each_takes_its_own_along)
{
	enum { ALL = 256, LEFT = 3 };
	int other = vm_open(), i;
	uint64_t cookies = 0;

	ASSERT_LE(0, other);
	for (i = 0; i < ALL; i++)
		ASSERT_LE(0, vm_register_flags(other, vm_guid(3), ETW_REGISTER_NOTIFY, i));
	for (i = 0; i < 16; i++)
		ASSERT_EQ(0, vm_enable(self->fd, self->a, vm_guid(3), 1 + i, 1, 0));
	for (i = 0; i < ALL - LEFT; i++)
		ASSERT_EQ(0, vm_unregister(other, i));
	for (i = 0; i < LEFT * 8; i++) {
		self->n = (struct etw_notify){ .size = sizeof(self->n) };
		ASSERT_EQ(0, vm_ioctl(other, ETW_IOC_NOTIFY, &self->n));
		EXPECT_LE(ALL - LEFT, self->n.cookie);
		EXPECT_EQ(9 + i / LEFT, self->n.level);
		cookies |= 1ull << (self->n.cookie - (ALL - LEFT));
	}
	EXPECT_EQ(7, cookies);
	self->n = (struct etw_notify){ .size = sizeof(self->n) };
	EXPECT_EQ(-EAGAIN, vm_ioctl(other, ETW_IOC_NOTIFY, &self->n));
	/* More wait when the file is closed. */
	ASSERT_EQ(0, vm_enable(self->fd, self->a, vm_guid(3), 17, 1, 0));
	EXPECT_EQ(0, close(other));
	EXPECT_EQ(0, vm_enable(self->fd, self->a, vm_guid(3), 18, 1, 0));
	EXPECT_EQ(-EAGAIN, next(self));
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
	int signals;
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
	ASSERT_TRUE(vm_until(vm_others_wait()));
	EXPECT_FALSE(w.done);	/* taken, not handled */
	EXPECT_EQ(-EAGAIN, next(self));
	EXPECT_TRUE(vm_until(w.done));
	EXPECT_EQ(0, w.ret);
	pthread_join(thread, NULL);
}

static void on_alarm(int sig)
{
}

/* As the library does. */
static void *enable_and_wait(void *arg)
{
	struct etw_enable wait = { .size = sizeof(wait), .control = ETW_CONTROL_WAIT,
				   .timeout_ms = 0xFFFFFFFF };
	struct waiter *w = arg;

	for (w->ret = vm_ioctl(w->fd, ETW_IOC_ENABLE, &w->e); w->ret == -EINTR; w->signals++)
		w->ret = vm_ioctl(w->fd, ETW_IOC_ENABLE, &wait);
	w->done = true;
	return NULL;
}

/* B24: a wait continues after a signal, without another notification. */
TEST_F(notify, signals_do_not_repeat_it)
{
	struct waiter w = { .fd = self->fd, .e = vm_enable_arg(self->a, vm_guid(1)) };
	const struct sigaction act = { .sa_handler = on_alarm };	/* no SA_RESTART */
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	pthread_t thread;
	int i;

	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
	w.e.timeout_ms = 0xFFFFFFFF;
	ASSERT_EQ(0, pthread_create(&thread, NULL, enable_and_wait, &w));
	ASSERT_EQ(1, poll(&p, 1, VM_LIMIT_MS));
	ASSERT_EQ(0, next(self));
	for (i = 0; i < 20; i++) {
		ASSERT_TRUE(vm_until(vm_others_wait()));
		ASSERT_EQ(0, pthread_kill(thread, SIGALRM));
	}
	EXPECT_FALSE(w.done);
	EXPECT_EQ(-EAGAIN, next(self));
	EXPECT_TRUE(vm_until(w.done));
	EXPECT_EQ(0, w.ret);
	EXPECT_LE(1, w.signals);
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

/* B24: without a pending callback the call returns at once, even with an endless limit. */
TEST_F(notify, enable_without_callbacks_returns)
{
	struct etw_enable e = vm_enable_arg(self->a, vm_guid(2));

	ASSERT_LE(0, vm_register(self->fd, vm_guid(2)));
	e.timeout_ms = 0xFFFFFFFF;
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
}

/* The registration that is waited for goes away, which ends the wait. */
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

TEST_HARNESS_MAIN
