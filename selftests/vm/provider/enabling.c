// SPDX-License-Identifier: GPL-2.0-only
/*
 * enabling - EnableTraceEx2() and its older forms on the real module
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"

struct last_call {
	atomic_uint count;
	atomic_bool hold;	/* the callback waits while it is set */
	GUID source;
	ULONG control;
	UCHAR level;
	ULONGLONG any, all;
};

static VOID on_enable(LPCGUID source, ULONG control, UCHAR level, ULONGLONG any,
		      ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	struct last_call *t = context;

	(void)filter;
	while (atomic_load(&t->hold))
		usleep(1000);
	t->source = *source;
	t->control = control;
	t->level = level;
	t->any = any;
	t->all = all;
	atomic_fetch_add(&t->count, 1);
}

FIXTURE(enabling) {
	int fd;
	TRACEHANDLE a, b;
	GUID guid;
	REGHANDLE reg;
	struct last_call last_call;
};

FIXTURE_SETUP(enabling)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->a = vl_start("enabling-a");
	self->b = vl_start("enabling-b");
	ASSERT_NE(0, self->a);
	ASSERT_NE(0, self->b);
	self->guid = vl_guid(1);
	ASSERT_EQ(0, EventRegister(&self->guid, on_enable, &self->last_call, &self->reg));
}

FIXTURE_TEARDOWN(enabling)
{
	atomic_store(&self->last_call.hold, false);
	EventUnregister(self->reg);
	vm_stop_all(self->fd);
	close(self->fd);
}

static bool calls(struct last_call *t, unsigned int count)
{
	return vm_until(atomic_load(&t->count) >= count);
}

/* B6: MatchAnyKeyword 0 is all bits, in the callback and in the composite */
TEST_F(enabling, no_keyword_is_every_keyword)
{
	ASSERT_EQ(0, vl_enable(self->a, 1, 1, 0, 0));
	ASSERT_TRUE(calls(&self->last_call, 1));
	EXPECT_EQ(~0ULL, self->last_call.any);
	ASSERT_EQ(0, vl_enable(self->b, 1, 2, 4, 0));
	ASSERT_TRUE(calls(&self->last_call, 2));
	EXPECT_EQ(~0ULL, self->last_call.any);
	EXPECT_EQ(2, self->last_call.level);
}

/* B14: level 0 and keyword 0 ask whether any session enables it */
TEST_F(enabling, enabled_at_all)
{
	EXPECT_FALSE(EventProviderEnabled(self->reg, 0, 0));
	ASSERT_EQ(0, vl_enable(self->a, 1, 1, 4, 4));
	EXPECT_TRUE(EventProviderEnabled(self->reg, 0, 0));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 1, 1));
	ASSERT_EQ(0, vl_disable(self->a, 1));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 0, 0));
}

/* B15, B16: a GUID that is not registered; a later registration is enabled at once */
TEST_F(enabling, before_registration)
{
	ENABLE_TRACE_PARAMETERS p = { .Version = 2, .SourceId = vl_guid(9) };
	struct last_call late = { .count = 0 };
	GUID guid = vl_guid(2), none = { 0 };
	REGHANDLE reg;

	ASSERT_EQ(0, EnableTraceEx2(self->a, &guid, 1, 3, 5, 1, 1000, &p));
	ASSERT_EQ(0, EventRegister(&guid, on_enable, &late, &reg));
	EXPECT_TRUE(EventProviderEnabled(reg, 3, 5));
	ASSERT_TRUE(calls(&late, 1));
	EXPECT_EQ(3, late.level);
	EXPECT_EQ(5, late.any);
	EXPECT_TRUE(vl_same_guid(&none, &late.source));
	EXPECT_EQ(0, EventUnregister(reg));
}

/* B17: enabling again replaces level, keywords and properties, and adds nothing */
TEST_F(enabling, again)
{
	ASSERT_EQ(0, vl_enable(self->a, 1, 5, 0xff, 0));
	ASSERT_EQ(0, vl_enable(self->a, 1, 2, 0x10, 0x10));
	ASSERT_TRUE(calls(&self->last_call, 2));
	EXPECT_EQ(2, self->last_call.level);
	EXPECT_EQ(0x10, self->last_call.any);
	EXPECT_EQ(0x10, self->last_call.all);
	EXPECT_FALSE(EventProviderEnabled(self->reg, 5, 0x10));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 2, 0x01));
}

/* Whether an event of that id, the session's only one, reaches it */
static bool passes(FIXTURE_DATA(enabling) *self, USHORT id)
{
	struct etw_session_stat before, after;

	vm_stat(self->fd, self->a, &before);
	vl_write(self->reg, id, 1, 1, 0);
	vm_stat(self->fd, self->a, &after);
	return after.written == before.written + 1;
}

/* B18: without parameters, or without filters, earlier filters are removed */
TEST_F(enabling, filters_are_replaced)
{
	EVENT_FILTER_EVENT_ID ids = { .FilterIn = TRUE, .Count = 1, .Events = { 7 } };
	EVENT_FILTER_DESCRIPTOR f = { (uintptr_t)&ids, 6, EVENT_FILTER_TYPE_EVENT_ID };
	ENABLE_TRACE_PARAMETERS p = { .Version = 2, .EnableFilterDesc = &f,
				      .FilterDescCount = 1 };

	ASSERT_EQ(0, EnableTraceEx2(self->a, &self->guid, 1, 0, 0, 0, 0, &p));
	EXPECT_TRUE(passes(self, 7));
	EXPECT_FALSE(passes(self, 8));
	ASSERT_EQ(0, EnableTraceEx2(self->a, &self->guid, 1, 0, 0, 0, 0, NULL));
	EXPECT_TRUE(passes(self, 8));
	ASSERT_EQ(0, EnableTraceEx(&self->guid, NULL, self->a, 1, 0, 0, 0, 0, &f));
	EXPECT_FALSE(passes(self, 8));
	p.FilterDescCount = 0;
	ASSERT_EQ(0, EnableTraceEx2(self->a, &self->guid, 1, 0, 0, 0, 0, &p));
	EXPECT_TRUE(passes(self, 8));
}

/* B19: unknown codes, no session, no provider */
TEST_F(enabling, refused)
{
	EXPECT_EQ(ERROR_INVALID_PARAMETER, EnableTraceEx2(self->a, &self->guid, 3, 0, 0, 0, 0, NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, EnableTraceEx2(0, &self->guid, 1, 0, 0, 0, 0, NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, EnableTraceEx2(self->a, NULL, 1, 0, 0, 0, 0, NULL));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND,
		  EnableTraceEx2(~0ULL, &self->guid, 1, 0, 0, 0, 0, NULL));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 0, 0));
}

/* B20: the ninth session is refused, the first eight go on */
TEST_F(enabling, nine_sessions)
{
	struct etw_session_stat st;
	TRACEHANDLE more[8] = { self->a };
	char name[16];
	int i;

	ASSERT_EQ(0, vl_enable(self->a, 1, 0, 0, 0));
	for (i = 1; i < 8; i++) {
		snprintf(name, sizeof(name), "more%d", i);
		more[i] = vl_start(name);
		ASSERT_EQ(0, vl_enable(more[i], 1, 0, 0, 0));
	}
	EXPECT_EQ(ERROR_NO_SYSTEM_RESOURCES, vl_enable(self->b, 1, 0, 0, 0));
	ASSERT_EQ(0, vl_write(self->reg, 1, 1, 1, 0));
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, vm_stat(self->fd, more[i], &st));
		EXPECT_EQ(1, st.written);
	}
	ASSERT_EQ(0, vm_stat(self->fd, self->b, &st));
	EXPECT_EQ(0, st.written);
}

/* B22: enabled by a process that has ended; B23: until the session stops */
TEST_F(enabling, outlives_the_controller)
{
	pid_t pid = fork();

	if (!pid)
		_exit(vl_enable(self->a, 1, 3, 1, 0) != 0);
	ASSERT_EQ(0, vm_reap(pid));
	ASSERT_TRUE(calls(&self->last_call, 1));
	EXPECT_TRUE(EventProviderEnabled(self->reg, 3, 1));
	ASSERT_EQ(0, vl_enable(self->b, 1, 1, 2, 2));
	ASSERT_EQ(0, vl_control(self->a, EVENT_TRACE_CONTROL_STOP));
	ASSERT_TRUE(calls(&self->last_call, 3));
	EXPECT_EQ(EVENT_CONTROL_CODE_ENABLE_PROVIDER, self->last_call.control);
	EXPECT_EQ(1, self->last_call.level);
	EXPECT_EQ(2, self->last_call.any);
	ASSERT_EQ(0, vl_control(self->b, EVENT_TRACE_CONTROL_STOP));
	ASSERT_TRUE(calls(&self->last_call, 4));
	EXPECT_EQ(EVENT_CONTROL_CODE_DISABLE_PROVIDER, self->last_call.control);
}

/* B24: no waiting, waiting for so long, waiting for the callback */
TEST_F(enabling, timeouts)
{
	long long start;

	atomic_store(&self->last_call.hold, true);
	ASSERT_EQ(0, EnableTraceEx2(self->a, &self->guid, 1, 1, 0, 0, 0, NULL));
	ASSERT_EQ(0, EnableTrace(1, 0, 2, &self->guid, self->a));
	ASSERT_EQ(0, EnableTraceEx(&self->guid, NULL, self->a, 1, 3, 0, 0, 0, NULL));
	start = vm_ms();
	EXPECT_EQ(ERROR_TIMEOUT, EnableTraceEx2(self->a, &self->guid, 1, 4, 0, 0, 200, NULL));
	EXPECT_LE(150, vm_ms() - start);	/* in ticks of some clock */
	EXPECT_EQ(0, atomic_load(&self->last_call.count));
	/* It is in force all the same. */
	EXPECT_TRUE(EventProviderEnabled(self->reg, 4, 1));
	atomic_store(&self->last_call.hold, false);
	EXPECT_EQ(0, EnableTraceEx2(self->a, &self->guid, 1, 5, 0, 0, INFINITE, NULL));
	EXPECT_EQ(5, atomic_load(&self->last_call.count));
	EXPECT_EQ(5, self->last_call.level);
}

/* B26: disabling what is not enabled does nothing, and succeeds */
TEST_F(enabling, disable_nothing)
{
	EXPECT_EQ(0, vl_disable(self->a, 1));
	EXPECT_EQ(0, vl_disable(self->a, 77));
	EXPECT_EQ(0, EnableTrace(0, 0, 0, &self->guid, self->a));
	EXPECT_EQ(0, EnableTraceEx(&self->guid, NULL, self->a, 0, 0, 0, 0, 0, NULL));
	/* Callbacks come in order: the first one is that of a call that enables. */
	EXPECT_EQ(0, EnableTraceEx2(self->a, &self->guid, 1, 5, 0, 0, INFINITE, NULL));
	EXPECT_EQ(1, atomic_load(&self->last_call.count));
	EXPECT_EQ(5, self->last_call.level);
}

/* B31, B32: the SourceId of the call that caused it, or none */
TEST_F(enabling, source)
{
	GUID source = vl_guid(9), none = { 0 };

	ASSERT_EQ(0, EnableTraceEx(&self->guid, &source, self->a, 1, 1, 0, 0, 0, NULL));
	ASSERT_TRUE(calls(&self->last_call, 1));
	EXPECT_TRUE(vl_same_guid(&source, &self->last_call.source));
	ASSERT_EQ(0, EnableTrace(1, 0, 2, &self->guid, self->a));
	ASSERT_TRUE(calls(&self->last_call, 2));
	EXPECT_TRUE(vl_same_guid(&none, &self->last_call.source));
}

/* B150, B151: who has registered what, and which sessions enable it */
TEST_F(enabling, enumeration)
{
	struct {
		TRACE_GUID_INFO head;
		TRACE_PROVIDER_INSTANCE_INFO instance;
		TRACE_ENABLE_INFO enable[2];
	} info;
	GUID early = vl_guid(2), guids[4];
	ULONG len, pid = getpid();
	pid_t child;

	ASSERT_EQ(0, vl_enable(self->a, 1, 3, 5, 1));
	ASSERT_EQ(0, vl_enable(self->b, 1, 4, 0, 0));
	ASSERT_EQ(0, EnumerateTraceGuidsEx(TraceGuidQueryInfo, &self->guid, 16, &info,
					   sizeof(info), &len));
	EXPECT_EQ(sizeof(info), len);
	EXPECT_EQ(1, info.head.InstanceCount);
	EXPECT_EQ(pid, info.instance.Pid);
	EXPECT_EQ(0, info.instance.Flags);
	EXPECT_EQ(2, info.instance.EnableCount);
	EXPECT_EQ(3, info.enable[0].Level);
	EXPECT_EQ(5, info.enable[0].MatchAnyKeyword);
	ASSERT_EQ(0, vl_enable(self->a, 2, 1, 1, 1));
	ASSERT_EQ(0, EnumerateTraceGuidsEx(TraceGuidQueryInfo, &early, 16, &info, sizeof(info),
					   &len));
	EXPECT_EQ(1, info.head.InstanceCount);
	EXPECT_EQ(TRACE_PROVIDER_FLAG_PRE_ENABLE, info.instance.Flags);
	early = vl_guid(3);
	EXPECT_EQ(ERROR_WMI_GUID_NOT_FOUND,
		  EnumerateTraceGuidsEx(TraceGuidQueryInfo, &early, 16, &info, sizeof(info), &len));
	child = fork();
	if (!child)
		_exit(EnumerateTraceGuidsEx(TraceGuidQueryProcess, &pid, 4, guids, sizeof(guids),
					    &len) || len != 16 || memcmp(guids, &self->guid, 16));
	EXPECT_EQ(0, vm_reap(child));
	EXPECT_EQ(0, EnumerateTraceGuidsEx(TraceGuidQueryProcess, NULL, 0, guids, sizeof(guids),
					   &len));
	EXPECT_EQ(16, len);
}

/* Which of the test's first eight GUIDs are registered in that process: bits. */
static ULONG guids_of(ULONG pid)
{
	ULONG len = 0, mask = 0, i, n;
	GUID guids[64], guid;

	if (EnumerateTraceGuidsEx(TraceGuidQueryProcess, &pid, sizeof(pid), guids, sizeof(guids),
				  &len))
		return ~0U;
	for (i = 0; i < len / sizeof(GUID); i++) {
		for (n = 0; n < 8; n++) {
			guid = vl_guid(n);
			if (vl_same_guid(&guid, &guids[i]))
				break;
		}
		/* None of them, or one for the second time */
		if (n == 8 || mask & 1U << n)
			return ~0U;
		mask |= 1U << n;
	}
	return mask;
}

/* B151: each process has its own; a GUID that is only enabled belongs to no process. */
TEST_F(enabling, guids_of_two_processes)
{
	int ready[2], go[2];
	pid_t child;
	char c = 0;

	ASSERT_EQ(0, vl_enable(self->a, 2, 1, 1, 1));
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child) {
		int fd = vm_open();

		if (vm_register(fd, vm_guid(4)) < 0 || vm_register(fd, vm_guid(5)) < 0 ||
		    write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) != 1 ||
		    vm_register(fd, vm_guid(1)) < 0 ||
		    write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(1);
		_exit(0);
	}
	close(ready[1]);
	close(go[0]);
	ASSERT_EQ(1, read(ready[0], &c, 1));
	EXPECT_EQ(1 << 1, guids_of(getpid()));
	EXPECT_EQ(1 << 4 | 1 << 5, guids_of(child));
	/* One GUID of both is of both. */
	EXPECT_EQ(1, write(go[1], &c, 1));
	ASSERT_EQ(1, read(ready[0], &c, 1));
	EXPECT_EQ(1 << 1, guids_of(getpid()));
	EXPECT_EQ(1 << 1 | 1 << 4 | 1 << 5, guids_of(child));
	EXPECT_EQ(1, write(go[1], &c, 1));
	EXPECT_EQ(0, vm_reap(child));
	close(ready[0]);
	close(go[1]);
}

TEST_HARNESS_MAIN
