// SPDX-License-Identifier: MIT
/* EnableTrace(), EnableTraceEx() and versions of parameters: what reaches the kernel */
#include "lib_fake.h"
#include <evntcons.h>
#include <evntprov.h>
#include <evntrace.h>

#include "lib/tap.h"

static const GUID mine = { 1, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } };
static const GUID source = { 3, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } };

static TRACEHANDLE session;

static bool start_session(void)
{
	struct {
		EVENT_TRACE_PROPERTIES p;
		char name[64];
	} b = { .p = { .Wnode.BufferSize = sizeof(b), .Wnode.Flags = WNODE_FLAG_TRACED_GUID,
		       .LogFileMode = EVENT_TRACE_REAL_TIME_MODE,
		       .LoggerNameOffset = sizeof(b.p) } };

	return !StartTraceA(&session, "session", &b.p);
}

/* B24, B32: neither function waits; without SourceId the callback gets zero */
static void test_enable_trace(void)
{
	struct etw_enable *e = &fake->enable;
	static const struct etw_guid none;

	is(EnableTrace(1, 0x80000001, 5, &mine, session), ERROR_SUCCESS, "EnableTrace");
	ok(e->session == session && e->control == ETW_CONTROL_ENABLE && e->level == 5 &&
	   e->any == 0x80000001 && !e->all && !e->property && !e->filter_count &&
	   !e->timeout_ms, "its arguments");
	ok(!memcmp(&e->source, &none, 16) && !memcmp(&e->provider, &mine, 16), "its GUIDs");
	is(EnableTrace(1, 0, 255, &mine, session), ERROR_SUCCESS, "level 255");
	is(EnableTrace(1, 0, 256, &mine, session), ERROR_INVALID_PARAMETER, "level 256");
	is(EnableTrace(1, 0, 0, NULL, session), ERROR_INVALID_PARAMETER, "no GUID");
	is(EnableTrace(1, 0, 0, &mine, 0), ERROR_INVALID_PARAMETER, "no session");
	is(EnableTrace(0, 1, 1, &mine, session), ERROR_SUCCESS, "EnableTrace, disable");
	is(e->control, ETW_CONTROL_DISABLE, "disables");
}

/* B17, B31: EnableTraceEx is one call of EnableTraceEx2 with one filter */
static void test_enable_trace_ex(void)
{
	EVENT_FILTER_EVENT_ID ids = { .FilterIn = TRUE, .Count = 1, .Events = { 7 } };
	EVENT_FILTER_DESCRIPTOR filter = { (uintptr_t)&ids, 6, EVENT_FILTER_TYPE_EVENT_ID };
	struct etw_enable *e = &fake->enable;

	is(EnableTraceEx(&mine, &source, session, 1, 3, 5, 1, EVENT_ENABLE_PROPERTY_SID, &filter),
	   ERROR_SUCCESS, "EnableTraceEx");
	ok(e->control == ETW_CONTROL_ENABLE && e->level == 3 && e->any == 5 && e->all == 1 &&
	   e->property == ETW_ENABLE_SID && !e->timeout_ms, "its arguments");
	ok(!memcmp(&e->source, &source, 16), "its SourceId");
	ok(e->filter_count == 1 && fake->filters[0].type == ETW_FILTER_EVENT_ID, "its filter");
	is(EnableTraceEx(&mine, NULL, session, 1, 0, 0, 0, 0, NULL), ERROR_SUCCESS, "again");
	ok(!e->filter_count && !e->property && !e->source.data1, "replaces all of it");
	is(EnableTraceEx(&mine, NULL, session, 1, 0, 0, 0, 0x1000, NULL),
	   ERROR_INVALID_PARAMETER, "unknown property");
	is(EnableTraceEx(&mine, NULL, session, 2, 0, 0, 0, 0, NULL), ERROR_INVALID_PARAMETER,
	   "IsEnabled 2");
	is(EnableTraceEx(NULL, NULL, session, 1, 0, 0, 0, 0, NULL), ERROR_INVALID_PARAMETER,
	   "no GUID");
	is(EnableTraceEx(&mine, NULL, 0, 1, 0, 0, 0, 0, NULL), ERROR_INVALID_PARAMETER,
	   "no session");
	is(EnableTraceEx(&mine, NULL, session, 0, 0, 0, 0, 0, NULL), ERROR_SUCCESS, "disable");
}

/* B18: version 1 of the parameters ends before the count; nothing after it is read */
static void test_versions(void)
{
	ENABLE_TRACE_PARAMETERS_V1 *v1 = malloc(sizeof(*v1));
	EVENT_FILTER_DESCRIPTOR none = { .Type = EVENT_FILTER_TYPE_NONE };

	if (!v1)
		abort();
	*v1 = (ENABLE_TRACE_PARAMETERS_V1){ .Version = 1, .EnableFilterDesc = &none };
	is(EnableTraceEx2(session, &mine, 1, 1, 0, 0, 0, (ENABLE_TRACE_PARAMETERS *)v1),
	   ERROR_SUCCESS, "version 1 in a block of its own size");
	is(fake->enable.filter_count, 1, "has its one filter");
	v1->EnableFilterDesc = NULL;
	is(EnableTraceEx2(session, &mine, 1, 1, 0, 0, 0, (ENABLE_TRACE_PARAMETERS *)v1),
	   ERROR_SUCCESS, "version 1 without");
	is(fake->enable.filter_count, 0, "has no filter: the earlier one is removed");
	free(v1);
}

int main(void)
{
	fake_init();
	ok(start_session(), "a session");
	test_enable_trace();
	test_enable_trace_ex();
	test_versions();
	return done_testing();
}
