// SPDX-License-Identifier: GPL-2.0-only
/*
 * forward - a process that writes events of other places (ETW_REGISTER_FORWARDS): whoever ends a
 * session, or the provider in it, waits for them; and what it does not write counts as lost
 *
 * TIMEOUT: 120
 */
#include "lib/vm.h"
#include "lib/vm_access.h"
#include "lib/vm_buf.h"
#include "lib/vm_traits.h"

#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>

#define FLAGS	(ETW_REGISTER_NOTIFY | ETW_REGISTER_FORWARDS)

FIXTURE(forward) {
	int fd;			/* the forwarder's */
	int slot;
	uint64_t session, other;
	struct vm_reader r;
	struct vm_seen seen;
};

/* What a controller does meanwhile */
static struct controller {
	int fd;
	uint64_t session;
	int (*end)(int fd, uint64_t session);
	int ret;
	struct etw_session out;		/* of a stop */
} controller;

static int end_by_stop(int fd, uint64_t session)
{
	return vm_session_op(fd, ETW_IOC_SESSION_STOP, session, &controller.out);
}

static int end_by_enable(int fd, uint64_t session)
{
	return vm_enable(fd, session, vm_guid(1), 1, 0, 0);
}

static int end_by_disable(int fd, uint64_t session)
{
	return vm_disable(fd, session, vm_guid(1));
}

static int end_by_disallow(int fd, uint64_t session)
{
	const struct etw_guid guid = vm_guid(1);

	return vm_disallow(fd, session, &guid, 1);
}

static int end_by_flush(int fd, uint64_t session)
{
	return vm_flush(fd, session);
}

static void *control(void *arg)
{
	struct controller *c = arg;

	c->ret = c->end(c->fd, c->session);
	return NULL;
}

FIXTURE_SETUP(forward)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vm_start_named(self->fd, "t-forward");
	self->other = vm_start_named(self->fd, "t-other");
	ASSERT_TRUE(self->session && self->other);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	self->slot = vm_register_flags(self->fd, vm_guid(1), FLAGS, 0);
	ASSERT_LE(0, self->slot);
	controller.fd = vm_open();
	controller.session = self->session;
	ASSERT_LE(0, controller.fd);
}

FIXTURE_TEARDOWN(forward)
{
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(controller.fd);
	close(self->fd);
}

static int next(FIXTURE_DATA(forward) *self, uint32_t *code)
{
	struct etw_notify n = { .size = sizeof(n) };
	int ret = vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n);

	*code = n.control;
	return ret;
}

/* The next notification, once there is one; ~0: none comes. */
static uint32_t wait_for(FIXTURE_DATA(forward) *self)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	uint32_t code;

	return poll(&p, 1, 60000) == 1 && !next(self, &code) ? code : ~0U;
}

static int enable(FIXTURE_DATA(forward) *self, uint64_t session)
{
	int ret = vm_enable(self->fd, session, vm_guid(1), 0, 0, 0);

	return ret ? ret : wait_for(self) == ETW_CONTROL_ENABLE ? 0 : -EPROTO;
}

static uint64_t drain(FIXTURE_DATA(forward) *self, uint64_t session)
{
	struct etw_session_stat st;

	return vm_stat(self->fd, session, &st) ? UINT64_MAX : st.dropped[ETW_DROP_DRAIN];
}

/* How many of its events the session delivered since the last time */
static uint64_t come(FIXTURE_DATA(forward) *self)
{
	uint64_t before = self->seen.records;
	int ret = vm_drain(&self->r, vm_see, &self->seen);

	/* 0: the session has stopped. */
	return ret == -EAGAIN || !ret ? self->seen.records - before : UINT64_MAX;
}

/* A controller begins to; the forwarder is asked, and is the one that lets it go on. */
static bool asked_while(FIXTURE_DATA(forward) *self, pthread_t *thread,
			int (*end)(int fd, uint64_t session))
{
	controller.end = end;
	controller.ret = -EINPROGRESS;
	return !pthread_create(thread, NULL, control, &controller) &&
	       wait_for(self) == ETW_CONTROL_CAPTURE;
}

static bool write_some(FIXTURE_DATA(forward) *self)
{
	unsigned int i;

	for (i = 0; i < 100; i++)
		if (vm_write(self->fd, self->slot, 1, 4, 1, "event", 5))
			return false;
	return true;
}

/* It writes what it had; the session has it. */
static void gets(struct __test_metadata *_metadata, FIXTURE_DATA(forward) *self,
		 int (*end)(int fd, uint64_t session))
{
	pthread_t thread;
	uint32_t code;

	ASSERT_EQ(0, enable(self, self->session));
	ASSERT_TRUE(asked_while(self, &thread, end));
	/* It waits, for as long as the notification has not been handled. */
	EXPECT_EQ(-EINPROGRESS, controller.ret);
	EXPECT_TRUE(write_some(self));
	/* Asks for the next one, and thereby answers this one. */
	next(self, &code);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, controller.ret);
	if (end == end_by_disable)
		EXPECT_EQ(0, vm_flush(self->fd, self->session));
	EXPECT_EQ(100, come(self));
}

TEST_F(forward, before_a_stop)
{
	gets(_metadata, self, end_by_stop);
}

TEST_F(forward, before_a_disable)
{
	gets(_metadata, self, end_by_disable);
	EXPECT_EQ(0, drain(self, self->session));
}

TEST_F(forward, before_a_flush)
{
	gets(_metadata, self, end_by_flush);
	EXPECT_EQ(0, drain(self, self->session));
}

/* A disallow list takes nothing from a session that has the provider by its own GUID. */
TEST_F(forward, enabled_by_its_own_guid)
{
	const struct etw_guid guids[] = { vm_guid(1), vm_guid(3) };

	ASSERT_EQ(0, enable(self, self->session));
	EXPECT_EQ(0, vm_disallow(controller.fd, self->session, guids, 2));
	EXPECT_EQ(0, drain(self, self->session));
}

/* A session that has it by its group, too, wants less of it without being done with it. */
TEST_F(forward, of_a_group)
{
	struct vm_blob traits = vm_group_traits("Member", vm_guid(2));
	pthread_t thread;
	uint32_t code;

	ASSERT_EQ(0, vm_set_slot(self->fd, self->slot, ETW_SET_TRAITS, traits.bytes, traits.len, 0));
	ASSERT_EQ(0, vm_group_enable(self->fd, self->session, vm_guid(2), 3, 0));
	EXPECT_EQ(ETW_CONTROL_ENABLE, wait_for(self));
	ASSERT_EQ(0, enable(self, self->session));
	ASSERT_TRUE(asked_while(self, &thread, end_by_disable));
	EXPECT_TRUE(write_some(self));
	next(self, &code);
	EXPECT_EQ(ETW_CONTROL_ENABLE, wait_for(self));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, controller.ret);
	/* Now it has the group alone, which is to bring it no longer. */
	ASSERT_TRUE(asked_while(self, &thread, end_by_disallow));
	next(self, &code);
	EXPECT_EQ(ETW_CONTROL_DISABLE, wait_for(self));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, controller.ret);
	EXPECT_EQ(0, vm_flush(self->fd, self->session));
	EXPECT_EQ(100, come(self));
	EXPECT_EQ(0, drain(self, self->session));
}

/* Only the session that ends counts what it does not get; a flush fails, and counts nothing. */
TEST_F(forward, without_an_answer)
{
	pthread_t thread;

	ASSERT_EQ(0, enable(self, self->session));
	ASSERT_EQ(0, enable(self, self->other));
	ASSERT_TRUE(asked_while(self, &thread, end_by_flush));
	pthread_join(thread, NULL);
	EXPECT_EQ(-ETIMEDOUT, controller.ret);
	EXPECT_EQ(0, drain(self, self->session));
	ASSERT_TRUE(asked_while(self, &thread, end_by_disable));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, controller.ret);
	EXPECT_EQ(1, drain(self, self->session));
	EXPECT_EQ(0, drain(self, self->other));
}

/* The session wants less from now on. */
TEST_F(forward, before_an_enable)
{
	struct etw_session_stat st;
	pthread_t thread;
	uint32_t code;

	ASSERT_EQ(0, enable(self, self->session));
	ASSERT_TRUE(asked_while(self, &thread, end_by_enable));
	EXPECT_TRUE(write_some(self));
	next(self, &code);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, controller.ret);
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(100, st.written);
	EXPECT_EQ(0, vm_dropped(&st));
}

/* A request that others have pushed out of the queue was not answered. */
TEST_F(forward, a_request_that_is_dropped)
{
	struct etw_enable e = vm_enable_arg(self->other, vm_guid(1));
	struct pollfd asked = { .fd = self->fd, .events = POLLIN };
	pthread_t thread;
	unsigned int i;

	ASSERT_EQ(0, enable(self, self->session));
	ASSERT_EQ(0, enable(self, self->other));
	controller.end = end_by_stop;
	ASSERT_EQ(0, pthread_create(&thread, NULL, control, &controller));
	ASSERT_EQ(1, poll(&asked, 1, 60000));
	e.control = ETW_CONTROL_CAPTURE;
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, controller.ret);
	EXPECT_EQ(1, controller.out.events_lost);
	EXPECT_EQ(0, drain(self, self->other));
}

/* Another provider is disabled, or a session without it ends: nobody is asked. */
TEST_F(forward, others_do_not_wait)
{
	uint32_t code;

	ASSERT_EQ(0, enable(self, self->session));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(2), 0, 0, 0));
	ASSERT_EQ(0, vm_disable(self->fd, self->session, vm_guid(2)));
	ASSERT_EQ(0, vm_flush(self->fd, self->other));
	ASSERT_EQ(0, vm_stop(self->fd, self->other));
	EXPECT_EQ(-EAGAIN, next(self, &code));
}

/* A process that forwards ends, with or without having unregistered.  Its status */
static int end_forwarder(bool in_order)
{
	pid_t pid = fork();

	if (!pid) {
		int fd = vm_open();
		int slot = vm_register_flags(fd, vm_guid(3), FLAGS, 0);

		if (slot < 0 || (in_order && vm_unregister(fd, slot)))
			_exit(1);
		_exit(0);
	}
	return vm_reap(pid);
}

TEST_F(forward, ends_with_its_process)
{
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(3), 0, 0, 0));
	EXPECT_EQ(0, end_forwarder(true));
	EXPECT_EQ(0, drain(self, self->session));
	EXPECT_EQ(0, end_forwarder(false));
	EXPECT_TRUE(vm_until(drain(self, self->session) == 1));
	EXPECT_EQ(0, drain(self, self->other));
}

/* A session that stops at once after the death does not miss it. */
TEST_F(forward, stop_after_its_death)
{
	struct etw_session out;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		const uint64_t session = vm_start_named(self->fd, "t-death");

		ASSERT_NE(0, session);
		ASSERT_EQ(0, vm_enable(self->fd, session, vm_guid(3), 0, 0, 0));
		ASSERT_EQ(0, end_forwarder(false));
		ASSERT_EQ(0, vm_session_op(self->fd, ETW_IOC_SESSION_STOP, session, &out));
		EXPECT_EQ(1, out.events_lost);
	}
}

static int try_register(void *arg)
{
	uint32_t flags = *(uint32_t *)arg;
	int fd = vm_open();
	int slot = fd < 0 ? fd : vm_register_flags(fd, vm_guid(4), flags, 0);

	return slot < 0 ? slot : 0;
}

/* It delays whoever controls sessions: that takes the right to trace the machine. */
TEST_F(forward, needs_a_capability)
{
	const struct vm_who nobody = { .uid = 65534, .gid = 65534 };
	const struct vm_who tracer = { .uid = 65534, .gid = 65534, .capability = CAP_PERFMON };
	const struct vm_who inside = { .uid = 65534, .gid = 65534, .inside = true };
	uint32_t flags = FLAGS, plain = ETW_REGISTER_NOTIFY;

	EXPECT_EQ(0, vm_as(&nobody, try_register, &plain));
	EXPECT_EQ(-EPERM, vm_as(&nobody, try_register, &flags));
	EXPECT_EQ(-EPERM, vm_as(&inside, try_register, &flags));
	EXPECT_EQ(0, vm_as(&tracer, try_register, &flags));
	flags = ETW_REGISTER_FORWARDS;
	EXPECT_EQ(-EINVAL, try_register(&flags));
	flags = FLAGS | ETW_REGISTER_CLASSIC;
	EXPECT_EQ(-EINVAL, try_register(&flags));
}

TEST_HARNESS_MAIN
