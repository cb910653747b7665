// SPDX-License-Identifier: GPL-2.0-only
/*
 * enable_rules - the rules of enabling, for a program's provider through libetw
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"

#define ON	EVENT_CONTROL_CODE_ENABLE_PROVIDER
#define OFF	EVENT_CONTROL_CODE_DISABLE_PROVIDER
#define CAPTURE	EVENT_CONTROL_CODE_CAPTURE_STATE

FIXTURE(rules) {
	int fd;
	TRACEHANDLE a, b, c;
};

FIXTURE_SETUP(rules)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->a = vl_start("rules-a");
	self->b = vl_start("rules-b");
	self->c = vl_start("rules-c");
	ASSERT_NE(0, self->a);
	ASSERT_NE(0, self->b);
	ASSERT_NE(0, self->c);
}

FIXTURE_TEARDOWN(rules)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Control provider 1, waiting for its callbacks. */
static ULONG control(TRACEHANDLE session, ULONG code, UCHAR level, ULONGLONG any,
		     ULONGLONG all)
{
	GUID provider = vl_guid(1);

	return EnableTraceEx2(session, &provider, code, level, any, all, VL_TIMEOUT, NULL);
}

/* B11, B13: 256 levels against several, including the reserved ones */
TEST_F(rules, every_level)
{
	static const UCHAR asked[] = { 1, 5, 6, 9, 15, 16, 254, 255 };
	struct vl_reader *r = vl_read("rules-a");
	REGHANDLE reg = vl_register(1);
	unsigned int i, level, wanted = 0, wrong = 0;

	ASSERT_NE(NULL, r);
	ASSERT_NE(0, reg);
	for (i = 0; i < sizeof(asked); i++) {
		ASSERT_EQ(0, vl_enable(self->a, 1, asked[i], 0, 0));
		for (level = 0; level < 256; level++) {
			wrong += EventProviderEnabled(reg, level, 1) != (level <= asked[i]);
			wrong += vl_write(reg, i << 8 | level, level, 1, 0) != 0;
			wanted += level <= asked[i];
		}
	}
	EXPECT_EQ(0, wrong);
	ASSERT_EQ(0, vl_control(self->a, EVENT_TRACE_CONTROL_STOP));
	ASSERT_EQ(wanted, vl_end(r));
	for (i = 0; i < wanted; i++) {
		EVENT_DESCRIPTOR *d = &r->events[i].header.EventDescriptor;

		EXPECT_EQ(d->Id & 0xff, d->Level);
		EXPECT_GE(asked[d->Id >> 8], d->Level);
	}
	EXPECT_EQ(0, EventUnregister(reg));
}

/* B15 to B17: the level of an unregistered provider can be changed, too. */
TEST_F(rules, changed_before_it_registers)
{
	REGHANDLE reg;

	EXPECT_EQ(0, vl_enable(self->a, 1, 2, 4, 0));
	EXPECT_EQ(0, vl_enable(self->a, 1, 5, 3, 1));
	reg = vl_register(1);
	ASSERT_NE(0, reg);
	EXPECT_TRUE(EventProviderEnabled(reg, 5, 1));
	EXPECT_FALSE(EventProviderEnabled(reg, 6, 1));
	EXPECT_FALSE(EventProviderEnabled(reg, 2, 4));
	EXPECT_FALSE(EventProviderEnabled(reg, 2, 2));
	EXPECT_EQ(0, EventUnregister(reg));
	/* B26: once, and once more. */
	EXPECT_EQ(0, vl_disable(self->a, 1));
	EXPECT_EQ(0, vl_disable(self->a, 1));
	EXPECT_EQ(0, vl_disable(self->a, 99));
	reg = vl_register(1);
	EXPECT_FALSE(EventProviderEnabled(reg, 0, 0));
	EXPECT_EQ(0, EventUnregister(reg));
}

/* ------------------------------------------------------------- callbacks */

struct calls {
	atomic_uint count;
	atomic_bool hold;	/* a callback waits while it is set */
	atomic_bool inside;
	ULONG control;		/* of the last call, as what follows */
	UCHAR level;
	ULONGLONG any, all;
	/* what the callback does */
	REGHANDLE writes;	/* on a capture: its state */
	TRACEHANDLE session;	/* the session that it plays with */
	ULONG results[8];
	ULONG own;		/* enabling its own provider there, with a timeout */
};

/* Calls that a callback should not make; none of them may hang. */
static void control_sessions(struct calls *c)
{
	struct vl_props props = vl_props();
	GUID own = vl_guid(1), other = vl_guid(2);
	TRACEHANDLE handle = 0;

	c->results[0] = StartTraceA(&handle, "rules-inner", &props.p);
	props = vl_props();
	c->results[1] = QueryTraceA(0, "rules-inner", &props.p);
	c->results[2] = EnableTraceEx2(handle, &other, ON, 0, 0, 0, 0, NULL);
	c->results[3] = EnableTraceEx2(handle, &own, ON, 7, 0, 0, 0, NULL);
	c->own = EnableTraceEx2(handle, &own, ON, 6, 0, 0, 100, NULL);
	c->results[4] = FlushTraceA(handle, NULL, &props.p);
	props = vl_props();
	c->results[5] = StopTraceA(handle, NULL, &props.p);
}

static VOID on_enable(LPCGUID source, ULONG code, UCHAR level, ULONGLONG any, ULONGLONG all,
		      PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	struct calls *c = context;

	(void)source;
	(void)filter;
	atomic_store(&c->inside, true);
	while (atomic_load(&c->hold))
		usleep(1000);
	if (code == CAPTURE && c->writes) {
		vl_write(c->writes, 1, 2, 1, 0);
		vl_write(c->writes, 2, 5, 1, 0);
		vl_write(c->writes, 3, 2, 2, 0);
	}
	if (code == CAPTURE && c->session)
		control_sessions(c);
	c->control = code;
	c->level = level;
	c->any = any;
	c->all = all;
	atomic_store(&c->inside, false);
	atomic_fetch_add(&c->count, 1);
}

static REGHANDLE register_calls(struct calls *c)
{
	GUID provider = vl_guid(1);
	REGHANDLE reg = 0;

	return EventRegister(&provider, on_enable, c, &reg) ? 0 : reg;
}

static bool called_with(struct calls *c, unsigned int count, UCHAR level, ULONGLONG any,
			ULONGLONG all)
{
	bool ok = vm_until(atomic_load(&c->count) >= count) && c->count == count &&
		  c->control == ON && c->level == level && c->any == any && c->all == all;

	if (!ok)
		fprintf(stderr, "# call %u: control %u level %u any %llx all %llx\n",
			atomic_load(&c->count), c->control, c->level, c->any, c->all);
	return ok;
}

/* B2, B6, B28: 0 is the widest level and MatchAny, and no restriction by MatchAll. */
TEST_F(rules, composite_with_zero)
{
	struct calls c = { 0 };
	REGHANDLE reg = register_calls(&c);

	ASSERT_NE(0, reg);
	ASSERT_EQ(0, control(self->a, ON, 3, 1, 7));
	EXPECT_TRUE(called_with(&c, 1, 3, 1, 7));
	ASSERT_EQ(0, control(self->b, ON, 0, 2, 3));
	EXPECT_TRUE(called_with(&c, 2, 255, 3, 3));
	ASSERT_EQ(0, control(self->c, ON, 1, 0, 0));
	EXPECT_TRUE(called_with(&c, 3, 255, ~0ULL, 0));
	ASSERT_EQ(0, control(self->b, OFF, 0, 0, 0));
	EXPECT_TRUE(called_with(&c, 4, 3, ~0ULL, 0));
	ASSERT_EQ(0, vl_control(self->c, EVENT_TRACE_CONTROL_STOP));
	EXPECT_TRUE(called_with(&c, 5, 3, 1, 7));
	EXPECT_EQ(0, EventUnregister(reg));
}

/* B29, B30: levels 3 and 1, and the one of level 3 goes first. */
TEST_F(rules, two_sessions_come_and_go)
{
	struct calls c = { 0 };
	REGHANDLE reg = register_calls(&c);

	ASSERT_NE(0, reg);
	ASSERT_EQ(0, control(self->a, ON, 3, 1, 0));
	ASSERT_EQ(0, control(self->b, ON, 1, 1, 0));
	EXPECT_TRUE(called_with(&c, 2, 3, 1, 0));
	ASSERT_EQ(0, control(self->a, OFF, 0, 0, 0));
	EXPECT_TRUE(called_with(&c, 3, 1, 1, 0));
	ASSERT_EQ(0, control(self->b, OFF, 0, 0, 0));
	EXPECT_EQ(4, atomic_load(&c.count));
	EXPECT_EQ(OFF, c.control);
	EXPECT_EQ(0, EventUnregister(reg));
}

/* B36: all sessions that enable such events get the answer, whichever asked. */
TEST_F(rules, answer_to_capture_state)
{
	struct calls c = { 0 };
	struct vl_reader *r[3] = { vl_read("rules-a"), vl_read("rules-b"), vl_read("rules-c") };
	REGHANDLE reg = register_calls(&c);
	int i;

	ASSERT_TRUE(r[0] && r[1] && r[2] && reg);
	c.writes = reg;
	ASSERT_EQ(0, control(self->a, CAPTURE, 0, 0, 0));
	EXPECT_EQ(0, atomic_load(&c.count));	/* no session enables it */
	ASSERT_EQ(0, control(self->a, ON, 5, 1, 0));
	ASSERT_EQ(0, control(self->b, ON, 2, 3, 0));
	ASSERT_EQ(0, control(self->c, CAPTURE, 0, 0, 0));
	EXPECT_EQ(2, atomic_load(&c.count));	/* this one has not */
	ASSERT_EQ(0, control(self->a, CAPTURE, 0, 0, 0));
	EXPECT_EQ(3, atomic_load(&c.count));
	EXPECT_EQ(CAPTURE, c.control);
	EXPECT_EQ(5, c.level);
	EXPECT_EQ(3, c.any);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, vl_control(i ? i > 1 ? self->c : self->b : self->a,
					EVENT_TRACE_CONTROL_STOP));
	ASSERT_EQ(2, vl_end(r[0]));
	EXPECT_EQ(1, r[0]->events[0].header.EventDescriptor.Id);
	EXPECT_EQ(2, r[0]->events[1].header.EventDescriptor.Id);
	ASSERT_EQ(2, vl_end(r[1]));
	EXPECT_EQ(1, r[1]->events[0].header.EventDescriptor.Id);
	EXPECT_EQ(3, r[1]->events[1].header.EventDescriptor.Id);
	EXPECT_EQ(0, vl_end(r[2]));
	EXPECT_EQ(0, EventUnregister(reg));
}

/*
 * B38: the callback controls sessions, though it should not. Only waiting for itself cannot
 * succeed; that takes as long as the call's timeout.
 */
TEST_F(rules, callback_controls_sessions)
{
	struct calls c = { 0 };
	REGHANDLE reg = register_calls(&c);
	int i;

	ASSERT_NE(0, reg);
	ASSERT_EQ(0, control(self->a, ON, 5, 1, 0));
	c.session = self->a;
	ASSERT_EQ(0, control(self->a, CAPTURE, 0, 0, 0));
	for (i = 0; i < 6; i++)
		EXPECT_EQ(0, c.results[i])
			TH_LOG("call %d", i);
	EXPECT_EQ(ERROR_TIMEOUT, c.own);
	/* The callback runs for each change that it made, afterwards and in order. */
	EXPECT_TRUE(called_with(&c, 5, 5, 1, 0));
	EXPECT_EQ(0, EventUnregister(reg));
}

struct waiter {
	TRACEHANDLE session;
	pthread_t thread;
	atomic_bool done;
	ULONG ret;
};

static void *wait_forever(void *arg)
{
	struct waiter *w = arg;
	GUID provider = vl_guid(1);

	w->ret = EnableTraceEx2(w->session, &provider, ON, 5, 0, 0, INFINITE, NULL);
	atomic_store(&w->done, true);
	return NULL;
}

/* B24: not at all, for some time, and until it has returned */
TEST_F(rules, three_timeouts)
{
	struct waiter w = { .session = self->a };
	struct calls c = { .hold = true };
	REGHANDLE reg = register_calls(&c);
	GUID provider = vl_guid(1);

	ASSERT_NE(0, reg);
	EXPECT_EQ(0, vl_enable(self->a, 1, 1, 0, 0));
	EXPECT_EQ(ERROR_TIMEOUT, EnableTraceEx2(self->a, &provider, ON, 3, 0, 0, 50, NULL));
	EXPECT_TRUE(EventProviderEnabled(reg, 3, 1));
	EXPECT_FALSE(EventProviderEnabled(reg, 4, 1));
	EXPECT_EQ(0, atomic_load(&c.count));
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, wait_forever, &w));
	ASSERT_TRUE(vm_until(EventProviderEnabled(reg, 5, 1) && atomic_load(&c.inside)));
	ASSERT_TRUE(vm_until(vm_others_sleep()));
	EXPECT_FALSE(atomic_load(&w.done));
	atomic_store(&c.hold, false);
	pthread_join(w.thread, NULL);
	EXPECT_EQ(0, w.ret);
	EXPECT_EQ(3, atomic_load(&c.count));
	EXPECT_EQ(0, EventUnregister(reg));
}

TEST_HARNESS_MAIN
