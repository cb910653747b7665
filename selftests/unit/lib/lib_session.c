// SPDX-License-Identifier: MIT
/* Sessions: accepted properties, error codes, returned fields */
#include "lib_fake.h"
#include <evntcons.h>
#include <evntrace.h>

#include "lib/tap.h"

struct block {
	EVENT_TRACE_PROPERTIES p;
	char text[4096];
};

static struct block b;

/* A valid block for a real-time session. */
static EVENT_TRACE_PROPERTIES *fresh(void)
{
	memset(&b, 0, sizeof(b));
	b.p.Wnode.BufferSize = sizeof(b);
	b.p.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
	b.p.LogFileMode = EVENT_TRACE_REAL_TIME_MODE;
	b.p.LoggerNameOffset = sizeof(b.p);
	return &b.p;
}

/* StartTraceA with the changes of the statements; nothing reaches the device. */
#define REFUSED(code, name, what, ...)					\
	do {								\
		EVENT_TRACE_PROPERTIES *p = fresh();			\
		uint32_t before = fake->ioctls;				\
		TRACEHANDLE h = 99;					\
		struct block copy;					\
									\
		(void)p;						\
		__VA_ARGS__;						\
		copy = b;						\
		is(StartTraceA(&h, name, &b.p), code, what);		\
		ok(!h && fake->ioctls == before && !memcmp(&copy, &b, sizeof(b)), \
		   "%s: nothing done", what);				\
	} while (0)

/* B109 to B111, B114, B170: and nothing reaches the device */
static void test_start_refused(void)
{
	static char name_1025[1026];
	EVENT_TRACE_PROPERTIES_V2 *v2 = (void *)&b;
	TRACEHANDLE handle;

	memset(name_1025, 'x', 1025);
	is(StartTraceA(NULL, "s", fresh()), ERROR_INVALID_PARAMETER, "no room for the handle");
	is(StartTraceA(&handle, "s", NULL), ERROR_INVALID_PARAMETER, "no properties");
	REFUSED(ERROR_INVALID_PARAMETER, NULL, "no name", );
	REFUSED(ERROR_INVALID_PARAMETER, "", "empty name", );
	REFUSED(ERROR_INVALID_PARAMETER, name_1025, "long name", );
	REFUSED(ERROR_INVALID_PARAMETER, "\xFF", "name that is not UTF-8", );
	REFUSED(ERROR_BAD_LENGTH, "s", "block of 0 bytes", p->Wnode.BufferSize = 0);
	REFUSED(ERROR_BAD_LENGTH, "s", "block of 119 bytes", p->Wnode.BufferSize = 119);
	REFUSED(ERROR_BAD_LENGTH, "s", "V2 in 143 bytes", p->Wnode.BufferSize = 143,
		p->Wnode.Flags |= WNODE_FLAG_VERSIONED_PROPERTIES);
	REFUSED(ERROR_BAD_LENGTH, "session", "no room for the name",
		p->Wnode.BufferSize = sizeof(*p) + 7);
	REFUSED(ERROR_BAD_LENGTH, "session", "file name in the way",
		p->LogFileNameOffset = p->LoggerNameOffset + 7);
	REFUSED(ERROR_INVALID_PARAMETER, "s", "no WNODE_FLAG_TRACED_GUID", p->Wnode.Flags = 0);
	REFUSED(ERROR_INVALID_PARAMETER, "s", "name offset 0", p->LoggerNameOffset = 0);
	REFUSED(ERROR_INVALID_PARAMETER, "s", "name in the struct", p->LoggerNameOffset = 119);
	REFUSED(ERROR_INVALID_PARAMETER, "s", "name beyond the block",
		p->LoggerNameOffset = sizeof(b));
	REFUSED(ERROR_INVALID_PARAMETER, "s", "name far beyond the block",
		p->LoggerNameOffset = 0xFFFFFFFF);
	REFUSED(ERROR_INVALID_PARAMETER, "s", "file name in the struct",
		p->LogFileNameOffset = 8);
	REFUSED(ERROR_INVALID_PARAMETER, "s", "file name beyond the block",
		p->LogFileNameOffset = sizeof(b));
	REFUSED(ERROR_INVALID_PARAMETER, "s", "clock 4", p->Wnode.ClientContext = 4);
	REFUSED(ERROR_INVALID_PARAMETER, "s", "V2 of version 3",
		p->Wnode.Flags |= WNODE_FLAG_VERSIONED_PROPERTIES, v2->V2Control = 3,
		p->LoggerNameOffset = sizeof(*v2));
	REFUSED(ERROR_INVALID_PARAMETER, "s", "V2 with a filter",
		p->Wnode.Flags |= WNODE_FLAG_VERSIONED_PROPERTIES, v2->V2Control = 2,
		v2->FilterDescCount = 1, p->LoggerNameOffset = sizeof(*v2));
	REFUSED(ERROR_NOT_SUPPORTED, "s", "V2 with an option",
		p->Wnode.Flags |= WNODE_FLAG_VERSIONED_PROPERTIES, v2->V2Control = 2,
		v2->V2Options = 2, p->LoggerNameOffset = sizeof(*v2));
	REFUSED(ERROR_INVALID_PARAMETER, "s", "the system's GUID by another name",
		p->Wnode.Guid = SystemTraceControlGuid);
	REFUSED(ERROR_INVALID_PARAMETER, "s", "EnableFlags without a system session",
		p->EnableFlags = EVENT_TRACE_FLAG_REGISTRY);
	REFUSED(ERROR_NOT_SUPPORTED, "nt kernel LOGGER", "flags elsewhere",
		p->EnableFlags = EVENT_TRACE_FLAG_EXTENSION);
}

static void test_modes(void)
{
	static const struct {
		ULONG mode, code;
	} modes[] = {
		{ 0, ERROR_BAD_PATHNAME },
		{ EVENT_TRACE_INDEPENDENT_SESSION_MODE, ERROR_BAD_PATHNAME },
		{ EVENT_TRACE_FILE_MODE_SEQUENTIAL, ERROR_BAD_PATHNAME },
		{ EVENT_TRACE_FILE_MODE_SEQUENTIAL | EVENT_TRACE_REAL_TIME_MODE,
		  ERROR_BAD_PATHNAME },
		{ EVENT_TRACE_FILE_MODE_CIRCULAR, ERROR_INVALID_PARAMETER },
		{ EVENT_TRACE_FILE_MODE_SEQUENTIAL | EVENT_TRACE_FILE_MODE_CIRCULAR,
		  ERROR_INVALID_PARAMETER },
		{ EVENT_TRACE_FILE_MODE_APPEND | EVENT_TRACE_REAL_TIME_MODE,
		  ERROR_INVALID_PARAMETER },
		{ EVENT_TRACE_BUFFERING_MODE | EVENT_TRACE_REAL_TIME_MODE,
		  ERROR_INVALID_PARAMETER },
		{ EVENT_TRACE_PRIVATE_LOGGER_MODE | EVENT_TRACE_REAL_TIME_MODE,
		  ERROR_INVALID_PARAMETER },
		{ EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_USE_GLOBAL_SEQUENCE |
		  EVENT_TRACE_USE_LOCAL_SEQUENCE, ERROR_INVALID_PARAMETER },
		{ EVENT_TRACE_REAL_TIME_MODE | 0x00080000, ERROR_INVALID_PARAMETER },
		{ EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_NONSTOPPABLE_MODE,
		  ERROR_INVALID_PARAMETER },
		{ EVENT_TRACE_SYSTEM_LOGGER_MODE, ERROR_BAD_PATHNAME },
		{ EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_COMPRESSED_MODE, ERROR_NOT_SUPPORTED },
	};
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		REFUSED(modes[i].code, "s", "mode", p->LogFileMode = modes[i].mode);
	REFUSED(ERROR_BAD_PATHNAME, "s", "a log file nowhere", p->LogFileMode = 0,
		p->LogFileNameOffset = 2000, strcpy((char *)p + 2000, "/nowhere/x.etl"));
	REFUSED(ERROR_BAD_PATHNAME, "s", "snapshots nowhere",
		p->LogFileMode = EVENT_TRACE_BUFFERING_MODE,
		p->LogFileNameOffset = 2000, strcpy((char *)p + 2000, "/nowhere/x.etl"));
}

/* B112, B115 */
static void test_start(void)
{
	EVENT_TRACE_PROPERTIES *p = fresh();
	TRACEHANDLE handle = 0, other = 1;

	p->BufferSize = 64;
	p->FlushTimer = 3;
	p->Wnode.ClientContext = 2;
	p->LogFileNameOffset = 2000;	/* an empty name: no file */
	p->LogFileMode |= EVENT_TRACE_USE_PAGED_MEMORY;
	is(StartTraceA(&handle, "Session", p), ERROR_SUCCESS, "start");
	ok(handle && p->Wnode.HistoricalContext == handle, "handle in both places");
	ok(!strcmp(b.text, "Session"), "name at its offset");
	is(p->BufferSize, 64, "BufferSize");
	is(p->MinimumBuffers, 4, "MinimumBuffers as used");
	is(p->MaximumBuffers, 4, "MaximumBuffers as used");
	is(p->FlushTimer, 3, "FlushTimer in seconds");
	is(fake->sessions[0].s.flush_ms, 3000, "and in milliseconds for the kernel");
	is(p->Wnode.Guid.Data1, 4711, "the GUID that was made");
	is(fake->sessions[0].s.mode, EVENT_TRACE_REAL_TIME_MODE, "mode for the kernel");
	is(StartTraceA(&other, "sESSION", fresh()), ERROR_ALREADY_EXISTS, "name taken");
	is(other, 0, "no handle then");

	p = fresh();
	p->LogFileMode |= EVENT_TRACE_USE_MS_FLUSH_TIMER;
	p->FlushTimer = 1500;
	is(StartTraceW(&other, u"\u00e4\u20ac\U0001F600", p), ERROR_SUCCESS, "wide start");
	is(fake->sessions[1].s.flush_ms, 1500, "FlushTimer in milliseconds");
	ok(!memcmp(b.text, u"\u00e4\u20ac\U0001F600", 10), "wide name at its offset");
	is(fake->sessions[1].name_len, 9, "the name as UTF-8");
	is(StopTraceW(other, NULL, fresh()), ERROR_SUCCESS, "stop it");
	p = fresh();
	p->LogFileMode |= EVENT_TRACE_USE_MS_FLUSH_TIMER;
	p->FlushTimer = 999;
	is(StartTraceA(&other, "short", p), ERROR_SUCCESS, "less than a second");
	is(fake->sessions[1].s.flush_ms, 999, "is kept");
	is(StopTraceW(other, NULL, fresh()), ERROR_SUCCESS, "stop it, too");
	is(StartTraceW(&other, (const WCHAR[]){ 0xD800, 0 }, fresh()),
	   ERROR_INVALID_PARAMETER, "lone surrogate in a name");
	p = fresh();
	p->FlushTimer = 0xFFFFFFFF;
	is(StartTraceA(&other, "long", p), ERROR_SUCCESS, "a flush in 136 years");
	is(fake->sessions[1].s.flush_ms, UINT32_MAX, "is as late as can be");
	is(StopTraceA(0, "LONG", fresh()), ERROR_SUCCESS, "stop by name in other case");
}

/* B130, B131, B133, B138 */
static void test_control(void)
{
	EVENT_TRACE_PROPERTIES *p = fresh();
	TRACEHANDLE handle = fake->sessions[0].s.handle;

	is(ControlTraceA(handle, NULL, p, EVENT_TRACE_CONTROL_QUERY), ERROR_SUCCESS, "query");
	ok(!strcmp(b.text, "Session"), "name");
	ok(p->EventsLost == 5 && p->BuffersWritten == 3 && p->RealTimeBuffersLost == 7 &&
	   p->NumberOfBuffers == 4 && p->FreeBuffers == 3, "counters");
	is(p->LogFileMode, EVENT_TRACE_REAL_TIME_MODE, "mode");
	is(p->Wnode.ClientContext, 2, "clock");
	is(p->Wnode.HistoricalContext, handle, "handle");
	p = fresh();
	p->Wnode.Flags = 0;
	is(QueryTraceW(12345, u"session", p), ERROR_SUCCESS, "the name wins over the handle");
	ok(!memcmp(b.text, u"Session", 16), "wide name");
	p = fresh();
	p->LoggerNameOffset = 0;
	is(QueryTraceA(handle, NULL, p), ERROR_SUCCESS, "query without names");

	p = fresh();
	p->Wnode.BufferSize = sizeof(*p) + 3;
	is(QueryTraceA(handle, NULL, p), ERROR_MORE_DATA, "no room for the name");
	is(p->EventsLost, 5, "but the rest is filled");
	p = fresh();
	p->Wnode.BufferSize = 119;
	is(QueryTraceA(handle, NULL, p), ERROR_BAD_LENGTH, "short block");
	p = fresh();
	p->LoggerNameOffset = 5;
	is(QueryTraceA(handle, NULL, p), ERROR_INVALID_PARAMETER, "bad offset");
	is(QueryTraceA(0, NULL, fresh()), ERROR_INVALID_PARAMETER, "neither handle nor name");
	is(QueryTraceA(0, "", fresh()), ERROR_INVALID_PARAMETER, "empty name, no handle");
	is(QueryTraceA(handle, NULL, NULL), ERROR_INVALID_PARAMETER, "no properties");
	is(QueryTraceA(777, NULL, fresh()), ERROR_WMI_INSTANCE_NOT_FOUND, "no such handle");
	is(QueryTraceA(0, "no", fresh()), ERROR_WMI_INSTANCE_NOT_FOUND, "no such name");
	is(ControlTraceA(handle, NULL, fresh(), 6), ERROR_INVALID_PARAMETER, "bad code");
	is(ControlTraceA(handle, NULL, fresh(), EVENT_TRACE_CONTROL_INCREMENT_FILE),
	   ERROR_INVALID_PARAMETER, "increment file");
	is(ControlTraceA(handle, NULL, fresh(), EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME),
	   ERROR_INVALID_PARAMETER, "convert to real time");
	is(ControlTraceA(0, "no", fresh(), EVENT_TRACE_CONTROL_INCREMENT_FILE),
	   ERROR_WMI_INSTANCE_NOT_FOUND, "increment file of no session");

	p = fresh();
	p->MaximumBuffers = 40;
	p->BufferSize = 1024;
	is(UpdateTraceA(handle, NULL, p), ERROR_SUCCESS, "update");
	ok(p->MaximumBuffers == 40 && p->BufferSize == 64 && p->FlushTimer == 3,
	   "only the given values change");
	p = fresh();
	p->LogFileNameOffset = 2000;
	strcpy((char *)p + 2000, "x.etl");
	is(UpdateTraceA(handle, NULL, p), ERROR_INVALID_PARAMETER, "update to a file");
	is(FlushTraceA(handle, NULL, fresh()), ERROR_SUCCESS, "flush");
	is(fake->flushes, 1, "the kernel flushes");
	fake->error[0x03] = -ESHUTDOWN;
	is(QueryTraceA(handle, NULL, fresh()), ERROR_ACTIVE_CONNECTIONS, "stopping");
	fake->error[0x03] = -EPERM;
	is(QueryTraceA(handle, NULL, fresh()), ERROR_ACCESS_DENIED, "not allowed");
}

/* B160: the right to control a session does not include the right to query it. */
static void test_rights(void)
{
	TRACEHANDLE handle = fake->sessions[0].s.handle;
	EVENT_TRACE_PROPERTIES *p;

	fake->error[0x03] = -EPERM;
	p = fresh();
	p->FlushTimer = 9;
	is(UpdateTraceA(handle, NULL, p), ERROR_SUCCESS, "update without the right to query");
	is(p->FlushTimer, 9, "has changed");
	is(p->MaximumBuffers, 40, "other values are as passed");
	is(ControlTraceA(handle, NULL, fresh(), EVENT_TRACE_CONTROL_INCREMENT_FILE),
	   ERROR_INVALID_PARAMETER, "increment file without that right");
	ok(fake->error[0x03], "no query was made");
	fake->error[0x03] = 0;
	fake->error[0x04] = -EPERM;
	is(UpdateTraceA(handle, NULL, fresh()), ERROR_ACCESS_DENIED, "no right to control");
	fake->error[0x04] = -EPERM;
	is(ControlTraceA(handle, NULL, fresh(), EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME),
	   ERROR_ACCESS_DENIED, "nor for the codes of files");
}

static bool filter_is(unsigned int i, uint32_t type, const void *data, uint32_t len)
{
	return fake->filters[i].type == type && fake->filters[i].len == len &&
	       !memcmp(fake->filters[i].data, data, len);
}

/* Names go to the kernel as UTF-8 without their NUL, other filters unchanged. */
static void test_filter_types(TRACEHANDLE h, const GUID *g)
{
	EVENT_FILTER_EVENT_ID ids = { .FilterIn = TRUE, .Count = 1, .Events = { 7 } };
	EVENT_FILTER_LEVEL_KW level = { .Level = 3, .FilterIn = TRUE };
	static const WCHAR lone[] = { 0xD800, 0 };
	EVENT_FILTER_DESCRIPTOR f[13] = {
		{ (uintptr_t)u"\u00fc;b", 8, EVENT_FILTER_TYPE_EXECUTABLE_NAME },
		{ (uintptr_t)u"/c", 4, EVENT_FILTER_TYPE_CONTAINER },
		{ (uintptr_t)&ids, 6, EVENT_FILTER_TYPE_EVENT_ID },
		{ (uintptr_t)&ids, 6, EVENT_FILTER_TYPE_STACKWALK },
		{ (uintptr_t)&level, sizeof(level), EVENT_FILTER_TYPE_STACKWALK_LEVEL_KW },
		{ 0, 0, EVENT_FILTER_TYPE_NONE },
	};
	ENABLE_TRACE_PARAMETERS p = { .Version = 2, .EnableFilterDesc = f, .FilterDescCount = 6 };
	static WCHAR longest[513];
	int i;

#define ENABLE EnableTraceEx2(h, g, 1, 4, 1, 2, 0, &p)
	is(ENABLE, ERROR_SUCCESS, "filters of six types");
	is(fake->enable.filter_count, 6, "all of them");
	ok(filter_is(0, ETW_FILTER_EXECUTABLE_NAME, "\xc3\xbc;b", 4) &&
	   filter_is(1, ETW_FILTER_CONTAINER, "/c", 2), "names");
	ok(filter_is(2, ETW_FILTER_EVENT_ID, &ids, 6) && filter_is(3, ETW_FILTER_STACKWALK, &ids, 6) &&
	   filter_is(4, ETW_FILTER_STACKWALK_LEVEL_KW, &level, sizeof(level)), "the others");
	p.FilterDescCount = 1;
	for (i = 0; i < 512; i++)
		longest[i] = 'n';
	f[0].Ptr = (uintptr_t)longest;
	f[0].Size = 1024;
	is(ENABLE, ERROR_SUCCESS, "512 characters");
	is(fake->filters[0].len, 512, "are 512 bytes");
	f[0].Size = 1026;
	is(ENABLE, ERROR_INVALID_PARAMETER, "one more");
	f[0].Size = 7;
	is(ENABLE, ERROR_INVALID_PARAMETER, "half a character");
	f[0].Ptr = (uintptr_t)lone;
	f[0].Size = 4;
	is(ENABLE, ERROR_INVALID_PARAMETER, "half a surrogate pair");
	f[0].Ptr = (uintptr_t)u"";
	f[0].Size = 2;
	is(ENABLE, ERROR_INVALID_PARAMETER, "an empty name");
	f[0] = (EVENT_FILTER_DESCRIPTOR){ (uintptr_t)&ids, 3, EVENT_FILTER_TYPE_EVENT_ID };
	is(ENABLE, ERROR_INVALID_PARAMETER, "not even the head of a list of ids");
	f[0] = (EVENT_FILTER_DESCRIPTOR){ (uintptr_t)&level, 23,
					  EVENT_FILTER_TYPE_STACKWALK_LEVEL_KW };
	is(ENABLE, ERROR_INVALID_PARAMETER, "a level cut off");
	f[0] = (EVENT_FILTER_DESCRIPTOR){ (uintptr_t)&ids, 4, EVENT_FILTER_TYPE_SYSTEM_FLAGS };
	is(ENABLE, ERROR_INVALID_PARAMETER, "the reserved type");
#undef ENABLE
}

/* Filters of event names go to the kernel unchanged. */
static void test_names(TRACEHANDLE h, const GUID *g, ENABLE_TRACE_PARAMETERS *p,
		       EVENT_FILTER_DESCRIPTOR *f)
{
	struct { EVENT_FILTER_EVENT_NAME head; char more[4]; } name = {
		{ .MatchAnyKeyword = 6, .Level = 3, .FilterIn = TRUE, .NameCount = 1 }, "" };

#define NAMES	EnableTraceEx2(h, g, 1, 4, 1, 2, 0, p)
	memcpy(name.head.Names, "Evt", 4);
	f[0] = (EVENT_FILTER_DESCRIPTOR){ (uintptr_t)&name, 24, EVENT_FILTER_TYPE_EVENT_NAME };
	is(NAMES, ERROR_SUCCESS, "event names");
	ok(filter_is(0, EVENT_FILTER_TYPE_EVENT_NAME, &name, 24), "as they are");
	f[0].Type = EVENT_FILTER_TYPE_STACKWALK_NAME;
	is(NAMES, ERROR_SUCCESS, "event names for stacks");
	f[0].Size = 19;
	is(NAMES, ERROR_INVALID_PARAMETER, "shorter than their head");
	f[0].Size = 4097;
	is(NAMES, ERROR_INVALID_PARAMETER, "over 4096 bytes");
#undef NAMES
}

static void test_filters(TRACEHANDLE h, const GUID *g)
{
	ULONG pids[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	EVENT_FILTER_DESCRIPTOR f[14] = {
		{ (uintptr_t)pids, 8, EVENT_FILTER_TYPE_PID },
	};
	ENABLE_TRACE_PARAMETERS p = {
		.Version = 2, .EnableFilterDesc = f, .FilterDescCount = 1,
	};

#define ENABLE EnableTraceEx2(h, g, 1, 4, 1, 2, 0, &p)
	is(ENABLE, ERROR_SUCCESS, "PID filter");
	ok(fake->enable.filter_count == 1 && filter_is(0, EVENT_FILTER_TYPE_PID, pids, 8),
	   "reaches the kernel");
	f[0].Size = 32;
	is(ENABLE, ERROR_SUCCESS, "8 PIDs");
	f[0].Size = 36;
	is(ENABLE, ERROR_INVALID_PARAMETER, "9 PIDs");
	f[0].Size = 6;
	is(ENABLE, ERROR_INVALID_PARAMETER, "one and a half PIDs");
	f[0].Size = 0;
	is(ENABLE, ERROR_INVALID_PARAMETER, "no PID");
	f[0] = (EVENT_FILTER_DESCRIPTOR){ 0, 4, EVENT_FILTER_TYPE_PID };
	is(ENABLE, ERROR_INVALID_PARAMETER, "NULL PIDs");
	f[0] = (EVENT_FILTER_DESCRIPTOR){ (uintptr_t)pids, 4, EVENT_FILTER_TYPE_PID };
	f[1] = f[0];
	p.FilterDescCount = 2;
	is(ENABLE, ERROR_INVALID_PARAMETER, "the same type twice");
	f[1].Type = EVENT_FILTER_TYPE_EVENT_NAME;
	f[1].Size = 4097;
	is(ENABLE, ERROR_INVALID_PARAMETER, "the second one too large");
	f[1] = (EVENT_FILTER_DESCRIPTOR){ (uintptr_t)pids, 4, 0x80000003 };
	is(ENABLE, ERROR_INVALID_PARAMETER, "unknown type");
	p.FilterDescCount = 14;
	is(ENABLE, ERROR_INVALID_PARAMETER, "14 filters");
	p.FilterDescCount = 1;
	p.EnableFilterDesc = NULL;
	is(ENABLE, ERROR_INVALID_PARAMETER, "NULL filters");
	p.Version = 1;
	is(ENABLE, ERROR_SUCCESS, "version 1 without a filter");
	is(fake->enable.filter_count, 0, "has no count");
	p.EnableFilterDesc = f;
	is(ENABLE, ERROR_SUCCESS, "version 1 with a filter");
	is(fake->enable.filter_count, 1, "has one");
	test_names(h, g, &p, f);
#undef ENABLE
}

/* B19, B20, B24: the codes */
static void test_enable(void)
{
	static const GUID g = { 1, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } };
	ENABLE_TRACE_PARAMETERS p = { .Version = 2, .SourceId = g };
	TRACEHANDLE h = fake->sessions[0].s.handle;

	is(EnableTraceEx2(h, &g, 1, 200, 5, 1, 250, NULL), ERROR_SUCCESS, "enable");
	ok(fake->enable.session == h && fake->enable.level == 200 && fake->enable.any == 5 &&
	   fake->enable.all == 1 && fake->enable.timeout_ms == 250 &&
	   !memcmp(&fake->enable.provider, &g, 16), "all of it reaches the kernel");
	is(EnableTraceEx2(0, &g, 1, 0, 0, 0, 0, NULL), ERROR_INVALID_PARAMETER, "handle 0");
	is(EnableTraceEx2(h, NULL, 1, 0, 0, 0, 0, NULL), ERROR_INVALID_PARAMETER, "no GUID");
	is(EnableTraceEx2(h, &g, 3, 0, 0, 0, 0, NULL), ERROR_INVALID_PARAMETER, "bad code");
	is(EnableTraceEx2(777, &g, 1, 0, 0, 0, 0, NULL), ERROR_WMI_INSTANCE_NOT_FOUND,
	   "no such session");
	p.EnableProperty = EVENT_ENABLE_PROPERTY_IGNORE_KEYWORD_0;
	is(EnableTraceEx2(h, &g, 1, 0, 0, 0, 0, &p), ERROR_SUCCESS, "ignore keyword 0");
	ok(fake->enable.property == ETW_ENABLE_IGNORE_KEYWORD_0 &&
	   !memcmp(&fake->enable.source, &g, 16), "property and source");
	p.EnableProperty = EVENT_ENABLE_PROPERTY_STACK_TRACE | EVENT_ENABLE_PROPERTY_SID;
	is(EnableTraceEx2(h, &g, 1, 0, 0, 0, 0, &p), ERROR_SUCCESS, "items");
	is(fake->enable.property, ETW_ENABLE_STACK_TRACE | ETW_ENABLE_SID, "are asked for");
	p.EnableProperty = EVENT_ENABLE_PROPERTY_PROVIDER_GROUP;
	is(EnableTraceEx2(h, &g, 1, 0, 0, 0, 0, &p), ERROR_SUCCESS, "a group");
	is(fake->enable.property, ETW_ENABLE_PROVIDER_GROUP, "is one");
	p.EnableProperty |= EVENT_ENABLE_PROPERTY_SID;
	is(EnableTraceEx2(h, &g, 0, 0, 0, 0, 0, &p), ERROR_SUCCESS, "disabling one");
	is(fake->enable.property, ETW_ENABLE_PROVIDER_GROUP, "reports a group");
	p.EnableProperty = 0x1000;
	is(EnableTraceEx2(h, &g, 1, 0, 0, 0, 0, &p), ERROR_INVALID_PARAMETER, "property 0x1000");
	p.EnableProperty = 0;
	p.ControlFlags = 1;
	is(EnableTraceEx2(h, &g, 1, 0, 0, 0, 0, &p), ERROR_INVALID_PARAMETER, "ControlFlags");
	p.ControlFlags = 0;
	p.Version = 3;
	is(EnableTraceEx2(h, &g, 1, 0, 0, 0, 0, &p), ERROR_INVALID_PARAMETER, "version 3");
	fake->error[0x10] = -ENOSPC;
	is(EnableTraceEx2(h, &g, 1, 0, 0, 0, 0, NULL), ERROR_NO_SYSTEM_RESOURCES, "ninth session");
	fake->error[0x10] = -ETIMEDOUT;
	is(EnableTraceEx2(h, &g, 1, 0, 0, 0, 10, NULL), ERROR_TIMEOUT, "slow callback");
	fake->error[0x10] = -EFAULT;
	is(EnableTraceEx2(h, &g, 1, 0, 0, 0, 0, NULL), ERROR_NOACCESS, "unreadable filter");
	fake->error[0x10] = -ENOMEM;
	is(EnableTraceEx2(h, &g, 1, 0, 0, 0, 0, NULL), ERROR_NOT_ENOUGH_MEMORY, "no memory");
	fake->error[0x10] = -EINTR;
	is(EnableTraceEx2(h, &g, 1, 0, 0, 0, 10000, NULL), ERROR_SUCCESS,
	   "a signal does not end it");
	is(fake->enable.control, ETW_CONTROL_WAIT, "nor enable twice");
	ok(fake->enable.timeout_ms && fake->enable.timeout_ms <= 10000,
	   "for the time that is left");
	test_filter_types(h, &g);
	test_filters(h, &g);
	is(EnableTraceEx2(h, &g, 0, 0, 0, 0, 0, &(ENABLE_TRACE_PARAMETERS){ .Version = 2 }),
	   ERROR_SUCCESS, "disable");
}

static void test_no_device(void)
{
	TRACEHANDLE handle;
	ULONG count;
	EVENT_TRACE_PROPERTIES *array[1] = { fresh() };
	static const GUID g = { .Data1 = 1 };

	fake->open_error = -ENOENT;
	is(StartTraceA(&handle, "s", fresh()), ERROR_WMI_SERVER_UNAVAILABLE, "start, no module");
	is(QueryTraceA(1, NULL, fresh()), ERROR_WMI_SERVER_UNAVAILABLE, "query, no module");
	is(QueryAllTracesA(array, 1, &count), ERROR_WMI_SERVER_UNAVAILABLE,
	   "query all, no module");
	is(EnableTraceEx2(1, &g, 1, 0, 0, 0, 0, NULL), ERROR_WMI_SERVER_UNAVAILABLE,
	   "enable, no module");
	fake->open_error = -EACCES;
	is(StartTraceA(&handle, "s", fresh()), ERROR_ACCESS_DENIED, "device not allowed");
}

int main(void)
{
	fake_init();
	test_start_refused();
	test_modes();
	test_start();
	test_control();
	test_rights();
	test_enable();
	test_no_device();
	return done_testing();
}
