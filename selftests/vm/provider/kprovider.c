// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprovider - providers of kernel modules: register, callback, write, remove
 *
 * TIMEOUT: 900
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

#include <pthread.h>

static const struct etw_guid static_guid = ETW_TEST_GUID;

FIXTURE(kernel) {
	int fd;
	int kfd;
	uint64_t a, b;
	struct etw_test_log log;
};

FIXTURE_SETUP(kernel)
{
	int one = 1;

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->kfd = vm_kmod_fresh("etw_test");
	ASSERT_LE(0, self->kfd);
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_GATE, &one));
	self->a = vm_start_named(self->fd, "t-a");
	self->b = vm_start_named(self->fd, "t-b");
	ASSERT_NE(0, self->a);
	ASSERT_NE(0, self->b);
}

FIXTURE_TEARDOWN(kernel)
{
	int one = 1;

	vm_ioctl(self->kfd, ETW_TEST_GATE, &one);
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	vm_stop_all(self->fd);
	close(self->fd);
}

static struct etw_guid guid_of(unsigned int index)
{
	return index ? vm_guid(100 + index) : static_guid;
}

static int reg(FIXTURE_DATA(kernel) *self, unsigned int index, uint32_t flags)
{
	return vm_test_register(self->kfd, index, guid_of(index), flags);
}

static int unreg(FIXTURE_DATA(kernel) *self, unsigned int index)
{
	return vm_test_unregister(self->kfd, index);
}

/* Wait for calls until there are this many. */
static bool calls(FIXTURE_DATA(kernel) *self, unsigned int index, unsigned int want)
{
	struct etw_test_log now = { .index = index };
	struct etw_test_log *log = &self->log;

	log->count = 0;
	return vm_until((now.index = index, vm_ioctl(self->kfd, ETW_TEST_LOG, &now)) ||
			(memcpy(&log->calls[log->count], now.calls,
				now.count * sizeof(now.calls[0])),
			 (log->count += now.count) >= want)) && log->count == want;
}

static bool call_is(const struct etw_test_call *c, uint32_t control, uint32_t level,
		    uint64_t any, uint64_t all)
{
	return c->control == control && c->level == level && c->any == any &&
	       c->all == all && c->good_context;
}

static int enable(FIXTURE_DATA(kernel) *self, uint64_t session, unsigned int index,
		  uint8_t level, uint64_t any, uint64_t all)
{
	struct etw_enable e = vm_enable_arg(session, guid_of(index));

	e.level = level;
	e.any = any;
	e.all = all;
	e.source = vm_guid(50);
	e.timeout_ms = 0xFFFFFFFF;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static int disable(FIXTURE_DATA(kernel) *self, uint64_t session, unsigned int index)
{
	return vm_disable(self->fd, session, guid_of(index));
}

/* The same for the static provider and for a run-time handle. */
static void callbacks(struct __test_metadata *_metadata, FIXTURE_DATA(kernel) *self,
		      unsigned int index)
{
	const struct etw_test_call *c = self->log.calls;
	const struct etw_guid source = vm_guid(50);

	ASSERT_EQ(0, reg(self, index, ETW_TEST_CALLBACK));
	ASSERT_EQ(0, enable(self, self->a, index, 3, 1, 5));
	ASSERT_TRUE(calls(self, index, 1));
	EXPECT_TRUE(call_is(c, ETW_CONTROL_ENABLE, 3, 1, 5));
	EXPECT_EQ(0, memcmp(&source, &c->source, sizeof(source)));
	ASSERT_EQ(0, enable(self, self->b, index, 1, 2, 4));
	ASSERT_TRUE(calls(self, index, 1));
	EXPECT_TRUE(call_is(c, ETW_CONTROL_ENABLE, 3, 3, 4));
	ASSERT_EQ(0, disable(self, self->a, index));
	ASSERT_TRUE(calls(self, index, 1));
	EXPECT_TRUE(call_is(c, ETW_CONTROL_ENABLE, 1, 2, 4));
	EXPECT_TRUE(vm_guid_zero(&c->source));
	ASSERT_EQ(0, vm_stop(self->fd, self->b));
	ASSERT_TRUE(calls(self, index, 1));
	EXPECT_EQ(ETW_CONTROL_DISABLE, c->control);
	EXPECT_TRUE(vm_guid_zero(&c->source));
	EXPECT_EQ(0, unreg(self, index));
}

/* B23, B28 to B32, B37, B40: two sessions come and go */
TEST_F(kernel, callbacks_of_a_static_provider)
{
	callbacks(_metadata, self, 0);
}

/* B23, B28 to B32, B37, B40: the same */
TEST_F(kernel, callbacks_of_a_handle)
{
	callbacks(_metadata, self, 1);
}

/* B15, B27, B32 */
TEST_F(kernel, enabled_before_registration)
{
	ASSERT_EQ(0, enable(self, self->a, 0, 2, 8, 0));
	ASSERT_EQ(0, reg(self, 0, ETW_TEST_CALLBACK));
	ASSERT_TRUE(calls(self, 0, 1));
	EXPECT_TRUE(call_is(self->log.calls, ETW_CONTROL_ENABLE, 2, 8, 0));
	EXPECT_TRUE(vm_guid_zero(&self->log.calls[0].source));
}

/* B36: with the state that is in force */
TEST_F(kernel, capture_state)
{
	struct etw_enable e = vm_enable_arg(self->a, static_guid);

	ASSERT_EQ(0, reg(self, 0, ETW_TEST_CALLBACK));
	ASSERT_EQ(0, enable(self, self->a, 0, 2, 8, 0));
	ASSERT_TRUE(calls(self, 0, 1));
	e.control = ETW_CONTROL_CAPTURE;
	e.timeout_ms = 0xFFFFFFFF;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	ASSERT_TRUE(calls(self, 0, 1));
	EXPECT_TRUE(call_is(self->log.calls, ETW_CONTROL_CAPTURE, 2, 8, 0));
}

/* B38: it would wait for itself */
TEST_F(kernel, unregister_inside_the_callback_is_refused)
{
	ASSERT_EQ(0, reg(self, 1, ETW_TEST_CALLBACK | ETW_TEST_UNREG_INSIDE));
	ASSERT_EQ(0, enable(self, self->a, 1, 0, 0, 0));
	ASSERT_TRUE(calls(self, 1, 1));
	EXPECT_EQ(-EDEADLK, self->log.calls[0].inside);
	EXPECT_EQ(0, unreg(self, 1));
}

/* B38 */
TEST_F(kernel, callback_may_write)
{
	struct etw_session_stat st;

	ASSERT_EQ(0, reg(self, 0, ETW_TEST_CALLBACK | ETW_TEST_WRITE_INSIDE));
	ASSERT_EQ(0, enable(self, self->a, 0, 0, 0, 0));
	ASSERT_TRUE(calls(self, 0, 1));
	EXPECT_EQ(0, self->log.calls[0].inside);
	ASSERT_EQ(0, vm_stat(self->fd, self->a, &st));
	EXPECT_EQ(1, st.written);
}

/* B24: late, but in force */
TEST_F(kernel, enable_times_out)
{
	struct etw_enable e = vm_enable_arg(self->a, static_guid);
	struct etw_test_enabled en = { .level = 1, .keyword = 1 };
	int zero = 0, one = 1;

	ASSERT_EQ(0, reg(self, 0, ETW_TEST_CALLBACK | ETW_TEST_GATED));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_GATE, &zero));
	e.timeout_ms = 50;
	EXPECT_EQ(-ETIMEDOUT, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_ENABLED, &en));
	EXPECT_EQ(1, en.inline_test);	/* in force all the same */
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_GATE, &one));
	EXPECT_TRUE(calls(self, 0, 1));
}

struct remover {
	FIXTURE_DATA(kernel) *self;
	int ret;
	struct etw_test_log log;	/* as it was then */
	bool done;
};

static void *remove_provider(void *arg)
{
	struct remover *r = arg;

	r->ret = unreg(r->self, 1);
	r->log.index = 1;
	if (!r->ret)
		r->ret = vm_ioctl(r->self->kfd, ETW_TEST_LOG, &r->log);
	__atomic_store_n(&r->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static bool is_done(const struct remover *r)
{
	return __atomic_load_n(&r->done, __ATOMIC_ACQUIRE);
}

/* Is the callback of provider 1 running, and has no call of it ended? */
static bool callback_runs(FIXTURE_DATA(kernel) *self)
{
	self->log.index = 1;
	return !vm_ioctl(self->kfd, ETW_TEST_LOG, &self->log) && self->log.running == 1 &&
	       self->log.count == 0;
}

/* Is the registration of that GUID gone for every caller? */
static bool is_gone(FIXTURE_DATA(kernel) *self, struct etw_guid guid)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = guid };

	return !vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q) && q.reg_count == 0;
}

/* B39: unregistering waits for a callback that runs, and no other one comes. */
TEST_F(kernel, unregister_waits_for_the_callback)
{
	struct remover r = { .self = self };
	int zero = 0, one = 1;
	pthread_t thread;

	ASSERT_EQ(0, reg(self, 1, ETW_TEST_CALLBACK | ETW_TEST_GATED));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_GATE, &zero));
	ASSERT_EQ(0, vm_enable(self->fd, self->a, guid_of(1), 0, 0, 0));
	ASSERT_TRUE(vm_until(callback_runs(self)));
	ASSERT_EQ(0, pthread_create(&thread, NULL, remove_provider, &r));
	EXPECT_TRUE(vm_until(is_gone(self, guid_of(1))));
	ASSERT_TRUE(vm_until(vm_others_sleep()));
	EXPECT_FALSE(is_done(&r));
	EXPECT_TRUE(callback_runs(self));
	/* Control goes on while the callback takes its time. */
	EXPECT_EQ(0, vm_query(self->fd, self->a, NULL));
	EXPECT_EQ(0, vm_enable(self->fd, self->b, vm_guid(7), 0, 0, 0));
	EXPECT_EQ(0, vm_enable(self->fd, self->b, guid_of(1), 0, 0, 0));
	EXPECT_FALSE(is_done(&r));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_GATE, &one));
	ASSERT_TRUE(vm_until(is_done(&r)));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, r.ret);
	EXPECT_EQ(1, r.log.count);
	EXPECT_EQ(0, r.log.running);
	/* Later changes of the provider do not matter here. */
	EXPECT_EQ(0, vm_stop(self->fd, self->a));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_LOG, &r.log));
	EXPECT_EQ(0, r.log.count + r.log.running);
}

static bool wanted(FIXTURE_DATA(kernel) *self, unsigned int index, uint32_t level)
{
	struct etw_test_enabled en = { .index = index, .level = level, .keyword = 1 };

	return !vm_ioctl(self->kfd, ETW_TEST_ENABLED, &en) && en.event_enabled;
}

static int calls_now(FIXTURE_DATA(kernel) *self, unsigned int index)
{
	self->log.index = index;
	return vm_ioctl(self->kfd, ETW_TEST_LOG, &self->log) ? -1 : (int)self->log.count;
}

struct enabler {
	FIXTURE_DATA(kernel) *self;
	int ret;
	volatile bool done;
};

static void *wait_enable(void *arg)
{
	struct enabler *w = arg;

	w->ret = enable(w->self, w->self->a, 1, 9, 1, 0);
	w->done = true;
	return NULL;
}

/* B24: 8 calls can wait, in addition to the one that runs; older ones are not waited for. */
TEST_F(kernel, oldest_calls_are_dropped)
{
	struct enabler w = { .self = self };
	int zero = 0, one = 1, i;
	pthread_t thread;

	ASSERT_EQ(0, reg(self, 1, ETW_TEST_CALLBACK | ETW_TEST_GATED));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_GATE, &zero));
	ASSERT_EQ(0, vm_enable(self->fd, self->a, guid_of(1), 1, 1, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_enable, &w));
	ASSERT_TRUE(vm_until(wanted(self, 1, 9)));
	for (i = 0; i < 7; i++)
		ASSERT_EQ(0, vm_enable(self->fd, self->a, guid_of(1), 10 + i, 1, 0));
	EXPECT_FALSE(w.done);
	for (i = 0; i < 70; i++)
		ASSERT_EQ(0, vm_enable(self->fd, self->a, guid_of(1), 80 + i, 1, 0));
	EXPECT_TRUE(vm_until(w.done));
	EXPECT_EQ(0, w.ret);
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_GATE, &one));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	/* When this returns, all earlier requests have been handled, too. */
	ASSERT_EQ(0, enable(self, self->a, 1, 200, 1, 0));
	i = calls_now(self, 1);
	EXPECT_LE(8, i);
	EXPECT_GE(10, i);
}

/* B39: calls that wait when the provider is unregistered are not made. */
TEST_F(kernel, unregistering_drops_what_waits)
{
	struct remover r = { .self = self };
	int zero = 0, one = 1, i;
	struct etw_provider_query q = { .size = sizeof(q), .provider = guid_of(1) };
	pthread_t thread;

	ASSERT_EQ(0, reg(self, 1, ETW_TEST_CALLBACK | ETW_TEST_GATED));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_GATE, &zero));
	for (i = 1; i <= 10; i++)
		ASSERT_EQ(0, vm_enable(self->fd, self->a, guid_of(1), i, 1, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, remove_provider, &r));
	EXPECT_TRUE(vm_until(vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q) || !q.reg_count));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_GATE, &one));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, r.ret);
	EXPECT_GE(1, calls_now(self, 1));
}

/* B13, B14 */
TEST_F(kernel, tests_follow_the_filter)
{
	struct etw_test_enabled en;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, reg(self, i, 0));
		en = (struct etw_test_enabled){ .index = i };
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_ENABLED, &en));
		EXPECT_EQ(0, en.provider_enabled | en.event_enabled | en.inline_test);
		ASSERT_EQ(0, enable(self, self->a, i, 4, 6, 2));
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_ENABLED, &en));
		EXPECT_EQ(1, en.provider_enabled);	/* level 0, keyword 0: anybody */
		en.level = 4;
		en.keyword = 2;
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_ENABLED, &en));
		EXPECT_EQ(1, en.provider_enabled & en.event_enabled);
		EXPECT_EQ(!i, en.inline_test);
		en.level = 5;
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_ENABLED, &en));
		EXPECT_EQ(0, en.provider_enabled | en.event_enabled | en.inline_test);
		en.level = 4;
		en.keyword = 4;
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_ENABLED, &en));
		EXPECT_EQ(0, en.provider_enabled | en.event_enabled | en.inline_test);
	}
}

TEST_F(kernel, registered_twice)
{
	ASSERT_EQ(0, reg(self, 0, 0));
	EXPECT_EQ(-EBUSY, reg(self, 0, 0));
	EXPECT_EQ(0, unreg(self, 0));
	EXPECT_EQ(0, reg(self, 0, 0));
	EXPECT_EQ(0, unreg(self, 0));
}

TEST_F(kernel, shown_by_the_query)
{
	char name[64] = "";
	struct etw_provider_reg r;
	struct etw_provider_query q = {
		.size = sizeof(q), .provider = static_guid, .name_out = VM_PTR(name),
		.name_cap = sizeof(name), .regs = VM_PTR(&r), .reg_cap = 1 };

	ASSERT_EQ(0, reg(self, 0, 0));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	EXPECT_STREQ(ETW_TEST_NAME, name);
	EXPECT_EQ(strlen(ETW_TEST_NAME), q.name_len);
	EXPECT_EQ(1, q.reg_count);
	EXPECT_EQ(0, r.pid);
	EXPECT_STREQ("etw_test", r.module);
	EXPECT_EQ(0, unreg(self, 0));
	EXPECT_EQ(-ESRCH, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
}

/* Removing the module takes its providers along, enabled or not. */
TEST_F(kernel, module_goes_while_enabled)
{
	ASSERT_EQ(0, reg(self, 0, ETW_TEST_CALLBACK));
	ASSERT_EQ(0, reg(self, 1, 0));
	ASSERT_EQ(0, enable(self, self->a, 0, 0, 0, 0));
	ASSERT_EQ(0, enable(self, self->a, 1, 0, 0, 0));
	close(self->kfd);
	ASSERT_EQ(0, vm_rmmod("etw_test"));
	EXPECT_EQ(0, vm_flush(self->fd, self->a));
	ASSERT_EQ(0, vm_insmod("etw_test"));
	self->kfd = vm_kmod_open("etw_test");
	/* Still enabled, for the next registration. */
	ASSERT_EQ(0, reg(self, 0, ETW_TEST_CALLBACK));
	EXPECT_TRUE(calls(self, 0, 1));
}

TEST_F(kernel, etw_stays_while_a_module_uses_it)
{
	int ret = vm_rmmod_try("etw");

	EXPECT_TRUE(ret == -EAGAIN || ret == -EBUSY);
}

TEST_HARNESS_MAIN
