// SPDX-License-Identifier: MIT
/* Queries of providers and of the system; the older enable functions */
#include "lib_fake.h"
#include <sys/wait.h>
#include <evntcons.h>
#include <evntprov.h>
#include <evntrace.h>

#include "lib/tap.h"

static const GUID mine = { 1, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } };
static const GUID early = { 2, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } };
static const GUID source = { 3, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } };
static const GUID nobody = { 4, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } };

static TRACEHANDLE session;

static bool start_session(ULONG mode)
{
	struct {
		EVENT_TRACE_PROPERTIES p;
		char name[64];
	} b = { .p = { .Wnode.BufferSize = sizeof(b), .Wnode.Flags = WNODE_FLAG_TRACED_GUID,
		       .LogFileMode = mode, .LoggerNameOffset = sizeof(b.p) } };

	return !StartTraceA(&session, "looking", &b.p);
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

static void test_guid_list(void)
{
	GUID guids[8];
	ULONG len = 99;

	is(EnumerateTraceGuidsEx(TraceGuidQueryList, NULL, 0, NULL, 0, &len),
	   ERROR_INSUFFICIENT_BUFFER, "no room for the list");
	is(len, 2 * sizeof(GUID), "returns the required size");
	memset(guids, 0, sizeof(guids));
	is(EnumerateTraceGuidsEx(TraceGuidQueryList, NULL, 0, guids, 2 * sizeof(GUID) - 1, &len),
	   ERROR_INSUFFICIENT_BUFFER, "one byte too few");
	is(guids[0].Data1, 0, "writes nothing");
	is(EnumerateTraceGuidsEx(TraceGuidQueryList, NULL, 0, guids, sizeof(guids), &len),
	   ERROR_SUCCESS, "the list");
	ok(len == 2 * sizeof(GUID) && !memcmp(&guids[0], &mine, 16) &&
	   !memcmp(&guids[1], &early, 16), "registered and enabled ones");
	is(EnumerateTraceGuidsEx(TraceGuidQueryList, guids, 16, guids, sizeof(guids), &len),
	   ERROR_INVALID_PARAMETER, "wants no input");
}

/* B150: instances are registrations, or one entry that is only enabled */
static void test_guid_info(void)
{
	struct {
		TRACE_GUID_INFO head;
		TRACE_PROVIDER_INSTANCE_INFO a;
		TRACE_ENABLE_INFO a_by;
		TRACE_PROVIDER_INSTANCE_INFO b;
		TRACE_ENABLE_INFO b_by;
	} info;
	ULONG len = 99, one = sizeof(info.a) + sizeof(info.a_by);
	GUID guid = nobody;

	is(EnumerateTraceGuidsEx(TraceGuidQueryInfo, &guid, 16, &info, sizeof(info), &len),
	   ERROR_WMI_GUID_NOT_FOUND, "unknown GUID");
	is(len, 99, "leaves the length alone");
	guid = early;
	is(EnumerateTraceGuidsEx(TraceGuidQueryInfo, &guid, 16, &info, sizeof(info), &len),
	   ERROR_SUCCESS, "enabled only");
	ok(len == sizeof(info.head) + one && info.head.InstanceCount == 1 &&
	   info.a.NextOffset == 0 && info.a.EnableCount == 1 && info.a.Pid == 0 &&
	   info.a.Flags == TRACE_PROVIDER_FLAG_PRE_ENABLE, "one instance, PRE_ENABLE");
	ok(info.a_by.IsEnabled && info.a_by.Level == 4 && info.a_by.LoggerId == 1 &&
	   info.a_by.MatchAnyKeyword == 6 && info.a_by.MatchAllKeyword == 2 &&
	   info.a_by.EnableProperty == EVENT_ENABLE_PROPERTY_TS_ID, "as it was enabled");
	guid = mine;
	is(EnumerateTraceGuidsEx(TraceGuidQueryInfo, &guid, 16, &info, sizeof(info) - 1, &len),
	   ERROR_INSUFFICIENT_BUFFER, "one byte too few for two registrations");
	is(len, sizeof(info), "returns the required size");
	is(EnumerateTraceGuidsEx(TraceGuidQueryInfo, &guid, 16, &info, len, &len),
	   ERROR_SUCCESS, "two registrations");
	ok(info.head.InstanceCount == 2 && info.a.NextOffset == one && !info.b.NextOffset,
	   "one after the other");
	ok(info.a.Pid == (ULONG)getpid() && info.b.Pid == info.a.Pid && !info.a.Flags &&
	   info.a.EnableCount == 1 && info.b_by.LoggerId == 1, "of this process, both enabled");
	is(EnumerateTraceGuidsEx(TraceGuidQueryInfo, &guid, 15, &info, sizeof(info), &len),
	   ERROR_INVALID_PARAMETER, "half a GUID");
	is(EnumerateTraceGuidsEx(TraceGuidQueryInfo, NULL, 0, &info, sizeof(info), &len),
	   ERROR_INVALID_PARAMETER, "no GUID");
}

/* B151: another process by its id; the calling process needs no rights */
static void test_guid_process(void)
{
	GUID guids[4];
	ULONG len = 99, pid = getpid();
	int status;

	fake->error[0x23] = -EPERM;
	is(EnumerateTraceGuidsEx(TraceGuidQueryProcess, NULL, 0, guids, sizeof(guids), &len),
	   ERROR_SUCCESS, "of the calling process");
	ok(len == 16 && !memcmp(guids, &mine, 16), "each GUID once");
	is(EnumerateTraceGuidsEx(TraceGuidQueryProcess, &pid, 4, guids, sizeof(guids), &len),
	   ERROR_SUCCESS, "by its id");
	is(len, 16, "the same");
	if (!fork()) {
		bool good;

		fake->error[0x23] = 0;
		good = !EnumerateTraceGuidsEx(TraceGuidQueryProcess, &pid, 4, guids,
					      sizeof(guids), &len) &&
		       len == 16 && !memcmp(guids, &mine, 16);
		_exit(good ? 0 : 1);
	}
	ok(wait(&status) > 0 && !status, "of another process");
	pid = 1;
	is(EnumerateTraceGuidsEx(TraceGuidQueryProcess, &pid, 4, guids, sizeof(guids), &len),
	   ERROR_SUCCESS, "of a process that registered nothing");
	is(len, 0, "nothing");
	fake->error[0x23] = -EPERM;
	is(EnumerateTraceGuidsEx(TraceGuidQueryProcess, &pid, 4, guids, sizeof(guids), &len),
	   ERROR_ACCESS_DENIED, "of another one, without the right");
	pid = 0;
	is(EnumerateTraceGuidsEx(TraceGuidQueryProcess, &pid, 4, guids, sizeof(guids), &len),
	   ERROR_INVALID_PARAMETER, "process 0");
	is(EnumerateTraceGuidsEx(TraceGuidQueryProcess, guids, 8, guids, sizeof(guids), &len),
	   ERROR_INVALID_PARAMETER, "8 bytes of process id");
}

static void test_guids(void)
{
	TRACE_GUID_PROPERTIES p[2], *array[2] = { &p[0], &p[1] };
	ULONG count = 99, len;
	GUID guid;

	is(EnumerateTraceGuids(NULL, 1, &count), ERROR_INVALID_PARAMETER, "no array");
	is(EnumerateTraceGuids(array, 0, &count), ERROR_INVALID_PARAMETER, "no entry");
	is(EnumerateTraceGuids(array, 1, NULL), ERROR_INVALID_PARAMETER, "no count");
	is(count, 99, "nothing written");
	is(EnumerateTraceGuids(array, 1, &count), ERROR_MORE_DATA, "one of two");
	is(count, 2, "returns the number");
	is(EnumerateTraceGuids(array, 2, &count), ERROR_SUCCESS, "both");
	ok(!memcmp(&p[0].Guid, &mine, 16) && p[0].IsEnable && p[0].LoggerId == 1 &&
	   p[0].EnableLevel == 1 && !memcmp(&p[1].Guid, &early, 16) &&
	   p[1].EnableFlags == 6 && p[1].EnableLevel == 4, "as they were enabled");
	array[1] = NULL;
	is(EnumerateTraceGuids(array, 2, &count), ERROR_INVALID_PARAMETER, "NULL entry");
	is(EnumerateTraceGuidsEx(TraceVersionInfo, NULL, 0, &guid, 16, &len),
	   ERROR_INVALID_PARAMETER, "a class that is not to be enumerated");
	is(EnumerateTraceGuidsEx((TRACE_QUERY_INFO_CLASS)99, NULL, 0, NULL, 0, &len),
	   ERROR_INVALID_PARAMETER, "unknown class");
	is(EnumerateTraceGuidsEx(TraceGuidQueryList, NULL, 0, NULL, 16, &len),
	   ERROR_INVALID_PARAMETER, "NULL of 16 bytes");
	is(EnumerateTraceGuidsEx(TraceGuidQueryList, NULL, 0, &guid, 16, NULL),
	   ERROR_INVALID_PARAMETER, "no room for the length");
}

/* B139: the limit of sessions can be asked for */
static void test_information(void)
{
	TRACE_VERSION_INFO version = { 0, 99 };
	ULONG value = 0, len = 0, i;

	is(TraceQueryInformation(0, TraceVersionInfo, &version, sizeof(version), &len),
	   ERROR_SUCCESS, "version");
	ok(version.EtwTraceProcessingVersion && !version.Reserved && len == 8, "is reported");
	is(TraceQueryInformation(0, TraceVersionInfo, &version, 7, &len), ERROR_BAD_LENGTH,
	   "7 bytes for it");
	is(len, 8, "of 8");
	is(TraceQueryInformation(0, TraceMaxLoggersQuery, &value, 4, NULL), ERROR_SUCCESS,
	   "limit of sessions");
	is(value, FAKE_SESSIONS, "is the kernel's");
	is(TraceQueryInformation(0, TraceMaxLoggersQuery, NULL, 4, &len),
	   ERROR_INVALID_PARAMETER, "no room");
	is(TraceQueryInformation(0, TraceMaxLoggersQuery, NULL, 0, &len), ERROR_BAD_LENGTH,
	   "no buffer of size 0");
	is(TraceQueryInformation(session, TraceStreamCount, &value, 4, &len), ERROR_SUCCESS,
	   "streams");
	is(value, sysconf(_SC_NPROCESSORS_CONF), "one for each CPU");
	is(TraceQueryInformation(0, TraceStreamCount, &value, 4, &len),
	   ERROR_INVALID_PARAMETER, "of no session");
	is(TraceQueryInformation(777, TraceStreamCount, &value, 4, &len),
	   ERROR_WMI_INSTANCE_NOT_FOUND, "of one that is not there");
	fake->sessions[0].s.mode |= EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING;
	is(TraceQueryInformation(session, TraceStreamCount, &value, 4, &len), ERROR_SUCCESS,
	   "streams of a session whose CPUs share a buffer");
	is(value, 1, "one");
	is(TraceSetInformation(session, TraceVersionInfo, &version, 8), ERROR_NOT_SUPPORTED,
	   "setting the version");
	is(TraceSetInformation(session, MaxTraceSetInfoClass, &version, 8),
	   ERROR_INVALID_PARAMETER, "a class beyond the last");
	for (i = TraceStackTracingInfo; i <= TracePmcCounterListInfo; i++)
		if (TraceQueryInformation(session, (TRACE_INFO_CLASS)i, &value, 4, &len) !=
		    ERROR_NOT_SUPPORTED)
			break;
	is(i, TracePmcCounterListInfo + 1, "classes of the NT kernel's own events");
	fake->open_error = -ENOENT;
	is(TraceQueryInformation(0, TraceMaxLoggersQuery, &value, 4, &len),
	   ERROR_WMI_SERVER_UNAVAILABLE, "no module");
	fake->open_error = 0;
}

/* Classes 16 and 17 */
static void test_periodic(void)
{
	struct {
		TRACE_PERIODIC_CAPTURE_STATE_INFO info;
		GUID guids[2];
	} in = { { 5, 2, 0 }, { mine, early } }, out;
	ULONG len = 99;

	is(TraceSetInformation(session, TracePeriodicCaptureStateListInfo, &in, sizeof(in)),
	   ERROR_SUCCESS, "two providers every 5 s");
	ok(fake->capture.count == 2 && fake->capture.period_s == 5 &&
	   !memcmp(fake->captured, in.guids, 32), "reach the kernel");
	is(TraceQueryInformation(session, TracePeriodicCaptureStateInfo, &out, sizeof(out) - 1,
				 &len), ERROR_BAD_LENGTH, "one byte too few");
	is(len, sizeof(out), "returns the required size");
	is(TraceQueryInformation(session, TracePeriodicCaptureStateInfo, &out, sizeof(out), &len),
	   ERROR_SUCCESS, "the current setting");
	ok(!memcmp(&in, &out, sizeof(in)), "equals the new one");
	is(TraceSetInformation(session, TracePeriodicCaptureStateListInfo, &in, sizeof(in) - 1),
	   ERROR_BAD_LENGTH, "a GUID cut off");
	is(TraceSetInformation(session, TracePeriodicCaptureStateListInfo, &in, 7),
	   ERROR_BAD_LENGTH, "a head cut off");
	in.info.CaptureStateFrequencyInSeconds = 0;
	is(TraceSetInformation(session, TracePeriodicCaptureStateListInfo, &in, sizeof(in)),
	   ERROR_INVALID_PARAMETER, "all the time");
	is(TraceSetInformation(0, TracePeriodicCaptureStateListInfo, &in, sizeof(in)),
	   ERROR_INVALID_PARAMETER, "no session");
	is(TraceSetInformation(777, TracePeriodicCaptureStateListInfo, NULL, 0),
	   ERROR_WMI_INSTANCE_NOT_FOUND, "no such session");
	is(fake->capture.count, 2, "nothing has changed");
	is(TraceSetInformation(session, TracePeriodicCaptureStateListInfo, NULL, 0), ERROR_SUCCESS,
	   "nothing");
	is(fake->capture.count, 0, "ends it");
	is(TraceQueryInformation(session, TracePeriodicCaptureStateListInfo, &out, sizeof(out),
				 &len), ERROR_NOT_SUPPORTED, "the class to set is not asked");
}

/* B150: classes 12 and 13, as 0 and 1, of groups and their members */
static void test_groups(void)
{
	struct {
		TRACE_GUID_INFO head;
		TRACE_PROVIDER_INSTANCE_INFO member;
		TRACE_ENABLE_INFO by;
	} info;
	GUID guids[2], guid = mine;
	ULONG len = 99;

	fake->guid_count = 2;
	memcpy(&fake->guids[0], &mine, 16);
	memcpy(&fake->guids[1], &early, 16);
	is(EnumerateTraceGuidsEx(TraceGroupQueryList, NULL, 0, guids, 31, &len),
	   ERROR_INSUFFICIENT_BUFFER, "one byte too few for two groups");
	is(len, 32, "returns the required size");
	is(EnumerateTraceGuidsEx(TraceGroupQueryList, NULL, 0, guids, 32, &len), ERROR_SUCCESS,
	   "two groups");
	ok(len == 32 && !memcmp(&guids[1], &early, 16), "which");
	is(EnumerateTraceGuidsEx(TraceGroupQueryList, guids, 16, guids, 32, &len),
	   ERROR_INVALID_PARAMETER, "wants no input");
	fake->member_count = 1;
	fake->members[0].reg = (struct etw_provider_reg){ .pid = 4711, .sessions = 1 << 2 };
	fake->enables[0] = (struct etw_provider_enable){ .logger_id = 3, .level = 4 };
	fake->enables[1] = (struct etw_provider_enable){ .logger_id = 5, .level = 5 };
	is(EnumerateTraceGuidsEx(TraceGroupQueryInfo, &guid, 16, &info, sizeof(info), &len),
	   ERROR_SUCCESS, "a group");
	ok(len == sizeof(info) && info.head.InstanceCount == 1 && info.member.Pid == 4711 &&
	   info.member.EnableCount == 1 && info.by.LoggerId == 3 && info.by.Level == 4,
	   "its member, which one of two sessions left out");
	is(EnumerateTraceGuidsEx(TraceGroupQueryInfo, &guid, 15, &info, sizeof(info), &len),
	   ERROR_INVALID_PARAMETER, "half a GUID");
	guid = nobody;
	is(EnumerateTraceGuidsEx(TraceGroupQueryInfo, &guid, 16, &info, sizeof(info), &len),
	   ERROR_WMI_GUID_NOT_FOUND, "no such group");
	fake->error[0x26] = -EPERM;
	is(EnumerateTraceGuidsEx(TraceGroupQueryList, NULL, 0, guids, 32, &len),
	   ERROR_ACCESS_DENIED, "without the right");
}

/* B85: classes 10 and 14 */
static void test_disallowed(void)
{
	GUID in[2] = { mine, early }, out[2];
	ULONG len = 99;

	is(TraceSetInformation(session, TraceSetDisallowList, in, sizeof(in)), ERROR_SUCCESS,
	   "two providers");
	ok(fake->guid_count == 2 && fake->guid_session == session, "reach the kernel");
	is(TraceQueryInformation(session, TraceDisallowListQuery, out, 31, &len),
	   ERROR_BAD_LENGTH, "one byte too few");
	is(len, 32, "returns the required size");
	is(TraceQueryInformation(session, TraceDisallowListQuery, out, 32, &len), ERROR_SUCCESS,
	   "the current setting");
	ok(len == 32 && !memcmp(in, out, 32), "equals the new one");
	is(TraceSetInformation(session, TraceSetDisallowList, in, 31), ERROR_BAD_LENGTH,
	   "a GUID cut off");
	is(TraceSetInformation(session, TraceSetDisallowList, NULL, 16), ERROR_INVALID_PARAMETER,
	   "no list");
	is(TraceSetInformation(0, TraceSetDisallowList, in, 32), ERROR_INVALID_PARAMETER,
	   "no session");
	is(fake->guid_count, 2, "nothing has changed");
	is(TraceSetInformation(session, TraceSetDisallowList, NULL, 0), ERROR_SUCCESS, "nothing");
	is(TraceQueryInformation(session, TraceDisallowListQuery, NULL, 0, &len), ERROR_SUCCESS,
	   "is left out");
	is(len, 0, "any more");
	is(TraceQueryInformation(session, TraceSetDisallowList, out, 32, &len),
	   ERROR_NOT_SUPPORTED, "the class to set is not asked");
	is(TraceSetInformation(session, TraceDisallowListQuery, in, 32), ERROR_NOT_SUPPORTED,
	   "nor the other class set");
}

int main(void)
{
	ENABLE_TRACE_PARAMETERS p = { .Version = 2,
				      .EnableProperty = EVENT_ENABLE_PROPERTY_TS_ID };
	REGHANDLE a, b = 0;

	fake_init();
	ok(start_session(EVENT_TRACE_REAL_TIME_MODE), "a session");
	test_enable_trace();
	test_enable_trace_ex();
	test_versions();
	ok(!EventRegister(&mine, NULL, NULL, &a) && !EventRegister(&mine, NULL, NULL, &b),
	   "two registrations of one GUID");
	is(EnableTraceEx2(session, &early, 1, 4, 6, 2, 0, &p), ERROR_SUCCESS, "enable another");
	test_guid_list();
	test_guid_info();
	test_guid_process();
	test_guids();
	test_information();
	test_periodic();
	test_groups();
	test_disallowed();
	EventUnregister(a);
	EventUnregister(b);
	return done_testing();
}
