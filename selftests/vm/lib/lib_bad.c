// SPDX-License-Identifier: GPL-2.0-only
/*
 * lib_bad - bad input to libetw: ETW's error codes, and an unchanged state
 *
 * The state is compared through the bare device after every test.
 */
#include "lib/vm.h"
#include "lib/vm_state.h"
#include "lib/vm_lib.h"

#include <grp.h>

#define HUGE	0xFFFFFFFFu	/* a length */

FIXTURE(bad) {
	int fd;
	int drops;		/* events that a test has to lose ... */
	int cause;		/* ... by this cause, ETW_DROP_* */
	TRACEHANDLE session;
	REGHANDLE reg;
	struct vm_state *was;
	struct vl_props props;
	EVENT_DESCRIPTOR desc;
	EVENT_DATA_DESCRIPTOR data[MAX_EVENT_DATA_DESCRIPTORS + 1];
	char *big;
};

/* One session of 4 KB buffers that no timer flushes, one enabled provider. */
FIXTURE_SETUP(bad)
{
	struct vl_props props = vl_props();

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	props.p.BufferSize = 4;
	props.p.FlushTimer = 600;
	ASSERT_EQ(0, StartTraceA(&self->session, "lib-bad", &props.p));
	self->reg = vl_register(1);
	ASSERT_NE(0, self->reg);
	ASSERT_EQ(0, vl_enable(self->session, 1, 0, 0, 0));
	ASSERT_EQ(0, vl_write(self->reg, 1, 1, 1, 1));
	self->props = vl_props();
	self->desc = vl_event(1, 1, 1);
	self->big = calloc(1, 0x20000);
	ASSERT_NE(NULL, self->big);
	self->was = vm_state_get(self->fd);
	ASSERT_NE(NULL, self->was);
}

FIXTURE_TEARDOWN(bad)
{
	int i;

	/* Only a loss may have changed the state. */
	for (i = 0; i < self->was->sessions && self->drops; i++) {
		self->was->session[i].stat.dropped[self->cause] += self->drops;
		self->was->session[i].query.events_lost += self->drops;
	}
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
	EXPECT_EQ(0, EventUnregister(self->reg));
	vm_stop_all(self->fd);
	close(self->fd);
}

/* ------------------------------------------------------------- sessions */

static ULONG start(FIXTURE_DATA(bad) *self, const char *name)
{
	TRACEHANDLE handle = 77;
	ULONG ret = StartTraceA(&handle, name, &self->props.p);

	return handle ? ~0u : ret;
}

static ULONG start_w(FIXTURE_DATA(bad) *self, const WCHAR *name)
{
	TRACEHANDLE handle = 77;
	ULONG ret = StartTraceW(&handle, name, &self->props.p);

	return handle ? ~0u : ret;
}

/* B112 */
TEST_F(bad, name_taken)
{
	struct vl_props before = self->props;

	EXPECT_EQ(ERROR_ALREADY_EXISTS, start(self, "lib-bad"));
	EXPECT_EQ(ERROR_ALREADY_EXISTS, start(self, "LIB-Bad"));
	EXPECT_EQ(ERROR_ALREADY_EXISTS, start_w(self, u"lib-bad"));
	/* The caller's memory is unchanged, too. */
	EXPECT_EQ(0, memcmp(&before, &self->props, sizeof(before)));
}

/* B112 */
TEST_F(bad, session_guid_taken)
{
	ASSERT_EQ(0, QueryTraceA(self->session, NULL, &self->props.p));
	EXPECT_EQ(ERROR_ALREADY_EXISTS, start(self, "lib-other"));
}

/* B114 */
TEST_F(bad, name_too_long)
{
	static WCHAR wide[5000];
	char name[5000] = "";
	int i;

	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, ""));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start_w(self, u""));
	memset(name, 'n', ETW_NAME_MAX + 1);
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, name));
	memset(name, 'n', sizeof(name) - 1);
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, name));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, QueryTraceA(0, name, &self->props.p));
	/* 342 characters, which in UTF-8 are 1,026 bytes */
	for (i = 0; i < 342; i++)
		wide[i] = 0x65e5;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start_w(self, wide));
	for (i = 0; i < 4999; i++)
		wide[i] = 'n';
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start_w(self, wide));
}

TEST_F(bad, name_is_no_text)
{
	static const WCHAR lone[] = { 'a', 0xd800, 'b', 0 };

	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, "a\xff"));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, "a\xc0\xaf"));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start_w(self, lone));
}

/* B139 */
TEST_F(bad, session_65th)
{
	TRACEHANDLE handle;
	char name[32];
	int i;

	self->props.p.BufferSize = 4;
	for (i = 1; i < ETW_SESSIONS_MAX; i++) {
		snprintf(name, sizeof(name), "lib-%d", i);
		ASSERT_EQ(0, StartTraceA(&handle, name, &self->props.p));
		memset(&self->props.p.Wnode.Guid, 0, sizeof(GUID));
	}
	EXPECT_EQ(ERROR_NO_SYSTEM_RESOURCES, start(self, "lib-one-more"));
	EXPECT_EQ(ERROR_NO_SYSTEM_RESOURCES, start_w(self, u"lib-one-more"));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND,
		  QueryTraceA(0, "lib-one-more", &self->props.p));
	for (i = 1; i < ETW_SESSIONS_MAX; i++) {
		snprintf(name, sizeof(name), "lib-%d", i);
		ASSERT_EQ(0, StopTraceA(0, name, &self->props.p));
	}
}

/* B109, B110, B170: and nothing of it starts a session */
TEST_F(bad, properties)
{
	EVENT_TRACE_PROPERTIES *p = &self->props.p;

	p->Wnode.BufferSize = 0;
	EXPECT_EQ(ERROR_BAD_LENGTH, start(self, "lib-other"));
	p->Wnode.BufferSize = sizeof(*p) - 1;
	EXPECT_EQ(ERROR_BAD_LENGTH, start(self, "lib-other"));
	p->Wnode.BufferSize = sizeof(*p) + 9;
	EXPECT_EQ(ERROR_BAD_LENGTH, start(self, "lib-other"));
	p->Wnode.BufferSize = sizeof(self->props);
	p->LoggerNameOffset = HUGE;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, "lib-other"));
	p->LoggerNameOffset = 8;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, "lib-other"));
	p->LoggerNameOffset = sizeof(self->props);
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, "lib-other"));
	self->props = vl_props();
	p->LogFileMode = 0;
	EXPECT_EQ(ERROR_BAD_PATHNAME, start(self, "lib-other"));
	p->LogFileMode = EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_BUFFERING_MODE;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, "lib-other"));
	self->props = vl_props();
	p->Wnode.ClientContext = 4;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, "lib-other"));
	self->props = vl_props();
	p->BufferSize = 16384;
	p->MinimumBuffers = HUGE;
	EXPECT_EQ(ERROR_NO_SYSTEM_RESOURCES, start(self, "lib-other"));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, StartTraceA(NULL, "lib-other", p));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  StartTraceA(&(TRACEHANDLE){ 0 }, "lib-other", NULL));
}

/* B131 */
TEST_F(bad, control)
{
	struct vl_props *props = &self->props;
	EVENT_TRACE_PROPERTIES *list[65];
	ULONG count = 5;
	int i;

	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, QueryTraceA(0, "no such", &props->p));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, StopTraceA(0x1234567, NULL, &props->p));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, StopTraceW(0, NULL, &props->p));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, StopTraceW(self->session, NULL, NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  ControlTraceW(self->session, NULL, &props->p, 99));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  ControlTraceW(self->session, NULL, &props->p,
				EVENT_TRACE_CONTROL_INCREMENT_FILE));
	for (i = 0; i < 65; i++)
		list[i] = &props->p;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, QueryAllTracesW(list, 0, &count));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, QueryAllTracesW(list, 65, &count));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, QueryAllTracesA(list, HUGE, &count));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, QueryAllTracesA(NULL, 1, &count));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, QueryAllTracesA(list, 1, NULL));
	EXPECT_EQ(5, count);
	/* Without space for the name: an error, after everything else was filled in. */
	props->p.Wnode.BufferSize = sizeof(props->p) + 4;
	EXPECT_EQ(ERROR_MORE_DATA, QueryTraceW(self->session, NULL, &props->p));
	EXPECT_EQ(self->session, props->p.Wnode.HistoricalContext);
}

static TRACEHANDLE open_trace(const char *name, ULONG mode)
{
	EVENT_TRACE_LOGFILEA logfile = { .LoggerName = (char *)name,
					 .ProcessTraceMode = mode };

	SetLastError(0);
	return OpenTraceA(&logfile);
}

TEST_F(bad, consumer)
{
	ULONG mode = PROCESS_TRACE_MODE_REAL_TIME;
	TRACEHANDLE none = INVALID_PROCESSTRACE_HANDLE, handles[65] = { 0 };
	char name[ETW_NAME_MAX + 2] = "";

	EXPECT_EQ(none, open_trace("no such", mode));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, GetLastError());
	EXPECT_EQ(none, open_trace("lib-bad", 0));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, GetLastError());
	EXPECT_EQ(none, open_trace("", mode));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, GetLastError());
	EXPECT_EQ(none, open_trace(NULL, mode));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, GetLastError());
	memset(name, 'n', sizeof(name) - 1);
	EXPECT_EQ(none, open_trace(name, mode));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, GetLastError());
	EXPECT_EQ(none, OpenTraceW(NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, GetLastError());
	EXPECT_EQ(ERROR_BAD_LENGTH, ProcessTrace(handles, 0, NULL, NULL));
	EXPECT_EQ(ERROR_BAD_LENGTH, ProcessTrace(handles, 65, NULL, NULL));
	EXPECT_EQ(ERROR_BAD_LENGTH, ProcessTrace(handles, HUGE, NULL, NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, ProcessTrace(NULL, 1, NULL, NULL));
	EXPECT_EQ(ERROR_INVALID_HANDLE, ProcessTrace(handles, 1, NULL, NULL));
	EXPECT_EQ(ERROR_INVALID_HANDLE, CloseTrace(0));
	EXPECT_EQ(ERROR_INVALID_HANDLE, CloseTrace(none));
}

/* ------------------------------------------------------------ providers */

static ULONG enable_filter(FIXTURE_DATA(bad) *self, const void *ptr, ULONG size,
			   ULONG type, ULONG count)
{
	EVENT_FILTER_DESCRIPTOR filters[14] = {
		{ .Ptr = (uintptr_t)ptr, .Size = size, .Type = type } };
	ENABLE_TRACE_PARAMETERS params = {
		.Version = ENABLE_TRACE_PARAMETERS_VERSION_2,
		.EnableFilterDesc = filters, .FilterDescCount = count };
	GUID guid = vl_guid(1);

	return EnableTraceEx2(self->session, &guid, EVENT_CONTROL_CODE_ENABLE_PROVIDER,
			      5, 0, 0, 0, &params);
}

/* B19 */
TEST_F(bad, guid)
{
	GUID zero = { 0 }, guid = vl_guid(1);
	REGHANDLE reg = 77;

	EXPECT_EQ(ERROR_INVALID_PARAMETER, EventRegister(&zero, NULL, NULL, &reg));
	EXPECT_EQ(0, reg);
	EXPECT_EQ(ERROR_INVALID_PARAMETER, EventRegister(NULL, NULL, NULL, &reg));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, EventRegister(&guid, NULL, NULL, NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EnableTraceEx2(self->session, &zero, 1, 0, 0, 0, 0, NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EnableTraceEx2(self->session, NULL, 1, 0, 0, 0, 0, NULL));
}

/* B19 */
TEST_F(bad, enable)
{
	GUID guid = vl_guid(1);
	ULONG pids[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	ULONG type = EVENT_FILTER_TYPE_PID;

	EXPECT_EQ(ERROR_INVALID_PARAMETER, EnableTraceEx2(0, &guid, 1, 0, 0, 0, 0, NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EnableTraceEx2(self->session, &guid, 3, 0, 0, 0, 0, NULL));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND,
		  EnableTraceEx2(0x1234567, &guid, 1, 0, 0, 0, 0, NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, enable_filter(self, pids, 0, type, 1));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, enable_filter(self, pids, 6, type, 1));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, enable_filter(self, pids, 36, type, 1));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, enable_filter(self, pids, HUGE, type, 1));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, enable_filter(self, pids, 4, type, 14));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, enable_filter(self, pids, 4, type, HUGE));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, enable_filter(self, pids, 4, 0x12345, 1));
	EXPECT_EQ(ERROR_NOACCESS, enable_filter(self, (void *)0x10, 4, type, 1));
}

/* B20 */
TEST_F(bad, ninth_session)
{
	TRACEHANDLE s[9];
	char name[32];
	int i;

	for (i = 1; i < 9; i++) {
		snprintf(name, sizeof(name), "lib-%d", i);
		s[i] = vl_start(name);
		ASSERT_NE(0, s[i]);
		EXPECT_EQ(i < 8 ? 0 : ERROR_NO_SYSTEM_RESOURCES,
			  vl_enable(s[i], 1, 5, 1, 0));
	}
	/* One stops, and another can start. */
	EXPECT_EQ(0, vl_disable(s[3], 1));
	EXPECT_EQ(0, vl_enable(s[8], 1, 5, 1, 0));
	EXPECT_EQ(ERROR_NO_SYSTEM_RESOURCES, vl_enable(s[3], 1, 5, 1, 0));
	for (i = 1; i < 9; i++)
		ASSERT_EQ(0, vl_control(s[i], EVENT_TRACE_CONTROL_STOP));
}

/* --------------------------------------------------------------- events */

static ULONG put(FIXTURE_DATA(bad) *self, ULONG count)
{
	return EventWrite(self->reg, &self->desc, count, self->data);
}

/* B92 */
TEST_F(bad, event_over_64_kb)
{
	EventDataDescCreate(&self->data[0], self->big, 65536 - sizeof(EVENT_HEADER));
	EXPECT_EQ(ERROR_ARITHMETIC_OVERFLOW, put(self, 1));
	self->data[0].Size = HUGE;
	EXPECT_EQ(ERROR_ARITHMETIC_OVERFLOW, put(self, 1));
	/* Lengths whose sum is 0 in 32 bits */
	self->data[0].Size = 0x80000000;
	self->data[1] = self->data[0];
	EXPECT_EQ(ERROR_ARITHMETIC_OVERFLOW, put(self, 2));
	memset(self->big, 'x', 0x1fffe);
	EXPECT_EQ(ERROR_ARITHMETIC_OVERFLOW,
		  EventWriteString(self->reg, 1, 1, (WCHAR *)self->big));
	self->drops = 4;
	self->cause = ETW_DROP_EVENT_SIZE;
}

/* B93 */
TEST_F(bad, event_larger_than_the_buffer)
{
	EventDataDescCreate(&self->data[0], self->big, 4096);
	EXPECT_EQ(ERROR_MORE_DATA, put(self, 1));
	/* The buffer's own header has 72 bytes. */
	self->data[0].Size = 4096 - 72 - sizeof(EVENT_HEADER) + 1;
	EXPECT_EQ(ERROR_MORE_DATA, put(self, 1));
	self->data[0].Size = 65535 - sizeof(EVENT_HEADER);
	EXPECT_EQ(ERROR_MORE_DATA, put(self, 1));
	self->drops = 3;
	self->cause = ETW_DROP_BUFFER_SIZE;
}

/* B90, B101 */
TEST_F(bad, descriptors)
{
	EXPECT_EQ(ERROR_INVALID_PARAMETER, put(self, 129));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, put(self, HUGE));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, put(self, 0x10000001));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, EventWrite(self->reg, &self->desc, 1, NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, EventWrite(self->reg, NULL, 0, NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EventWriteEx(self->reg, &self->desc, 0, 0x80, NULL, NULL, 0, NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, EventWriteString(self->reg, 1, 1, NULL));
	EXPECT_EQ(ERROR_INVALID_HANDLE, EventWrite(self->reg + 1, &self->desc, 0, NULL));
	EXPECT_EQ(ERROR_INVALID_HANDLE, EventWrite(~0ULL, &self->desc, 0, NULL));
	EXPECT_EQ(ERROR_INVALID_HANDLE, EventUnregister(self->reg + (1 << 16)));
}

TEST_F(bad, fault)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, munmap(p + page, page));
	EventDataDescCreate(&self->data[0], (void *)0x10, 8);
	EXPECT_EQ(ERROR_NOACCESS, put(self, 1));
	EventDataDescCreate(&self->data[0], (void *)0xffff888000000000, 8);
	EXPECT_EQ(ERROR_NOACCESS, put(self, 1));
	EventDataDescCreate(&self->data[0], p + page - 3, 4);
	EXPECT_EQ(ERROR_NOACCESS, put(self, 1));
	EXPECT_EQ(ERROR_NOACCESS,
		  EventWrite(self->reg, &self->desc, 2, (EVENT_DATA_DESCRIPTOR *)0x10));
	self->drops = 4;
	self->cause = ETW_DROP_COPY_FAULT;
}

/* ----------------------------------------------------------- permission */

static int as_nobody(FIXTURE_DATA(bad) *self)
{
	GUID guid = vl_guid(1);
	ULONG count = 0;
	EVENT_TRACE_PROPERTIES *list[1] = { &self->props.p };
	REGHANDLE reg;

	if (setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
	    setresuid(65534, 65534, 65534))
		return 1;
	if (start(self, "lib-other") != ERROR_ACCESS_DENIED)
		return 2;
	if (StopTraceA(self->session, NULL, &self->props.p) != ERROR_ACCESS_DENIED)
		return 3;
	if (QueryAllTracesA(list, 1, &count) != ERROR_ACCESS_DENIED)
		return 4;
	if (EnableTraceEx2(self->session, &guid, 1, 0, 0, 0, 0, NULL) != ERROR_ACCESS_DENIED)
		return 5;
	if (open_trace("lib-bad", PROCESS_TRACE_MODE_REAL_TIME) !=
	    INVALID_PROCESSTRACE_HANDLE || GetLastError() != ERROR_ACCESS_DENIED)
		return 6;
	/* Every user may be a provider, even without a right to the device. */
	reg = vl_register(2);
	if (!reg || vl_write(reg, 1, 1, 1, 1) || EventUnregister(reg))
		return 7;
	return 0;
}

TEST_F(bad, not_permitted)
{
	pid_t pid = fork();

	if (!pid)
		_exit(as_nobody(self));
	EXPECT_EQ(0, vm_reap(pid) >> 8);
}

TEST_HARNESS_MAIN
