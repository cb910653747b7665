// SPDX-License-Identifier: MIT
/*
 * lib_system - system sessions as the device sees them: modes, GUIDs, EnableFlags, group masks,
 * intervals. That the events come is tested in the virtual machine, by vm/system/kernel_logger.
 */
#include "lib_fake.h"
#include <evntcons.h>
#include <evntrace.h>

#include "lib/tap.h"

/* Flags that Linux has nothing for, so that no trace event is looked for */
#define REGISTRY	EVENT_TRACE_FLAG_REGISTRY
#define ALPC		EVENT_TRACE_FLAG_ALPC
#define PROCESS		EVENT_TRACE_FLAG_PROCESS

static struct {
	EVENT_TRACE_PROPERTIES p;
	char text[256];
} b;

static EVENT_TRACE_PROPERTIES *fresh(ULONG flags)
{
	memset(&b, 0, sizeof(b));
	b.p.Wnode.BufferSize = sizeof(b);
	b.p.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
	b.p.LogFileMode = EVENT_TRACE_REAL_TIME_MODE;
	b.p.LoggerNameOffset = sizeof(b.p);
	b.p.EnableFlags = flags;
	return &b.p;
}

static const struct etw_guid process_guid = ETW_PROCESS_GUID;

static bool has_process(void)
{
	const struct fake_provider *p = fake_provider(&process_guid, false);

	return p && p->entry.enabled;
}

/* B139, B140 */
static TRACEHANDLE test_start(void)
{
	EVENT_TRACE_PROPERTIES *p = fresh(REGISTRY | ALPC);
	TRACEHANDLE handle = 0, other = 0;

	is(StartTraceA(&handle, "nt kernel LOGGER", p), ERROR_SUCCESS, "the NT Kernel Logger");
	is(fake->sessions[0].s.mode, EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_SYSTEM_LOGGER_MODE,
	   "a system session");
	ok(!memcmp(&p->Wnode.Guid, &SystemTraceControlGuid, sizeof(GUID)), "its GUID");
	is(p->EnableFlags, REGISTRY | ALPC, "EnableFlags are returned");
	is(fake->sessions[0].system.enable[0], REGISTRY | ALPC, "and remembered");
	is(QueryTraceA(handle, NULL, fresh(0)), ERROR_SUCCESS, "query");
	is(b.p.EnableFlags, REGISTRY | ALPC, "has them");
	is(b.p.LogFileMode, EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_SYSTEM_LOGGER_MODE, "the mode");
	p = fresh(REGISTRY);
	p->LogFileMode |= EVENT_TRACE_SYSTEM_LOGGER_MODE;
	is(StartTraceW(&other, u"mine", p), ERROR_SUCCESS, "another system session");
	is(p->Wnode.Guid.Data1, 4711, "its GUID is its own");
	is(StopTraceA(other, NULL, fresh(0)), ERROR_SUCCESS, "stop it");
	is(StartTraceA(&other, "plain", fresh(0)), ERROR_SUCCESS, "a session");
	is(UpdateTraceA(other, NULL, fresh(REGISTRY)), ERROR_INVALID_PARAMETER, "has no EnableFlags");
	is(UpdateTraceA(other, NULL, fresh(0)), ERROR_SUCCESS, "but can be updated");
	is(StopTraceA(other, NULL, fresh(0)), ERROR_SUCCESS, "stop that");
	return handle;
}

/* The session is stopped again if it cannot have what it was started for. */
static void test_failure(void)
{
	TRACEHANDLE handle = 0;
	EVENT_TRACE_PROPERTIES *p = fresh(PROCESS);

	p->LogFileMode |= EVENT_TRACE_SYSTEM_LOGGER_MODE;
	fake->error[0x10] = -ENOSPC;
	is(StartTraceA(&handle, "full", p), ERROR_NO_SYSTEM_RESOURCES, "eight have it already");
	is(handle, 0, "no handle");
	is(QueryTraceA(0, "full", fresh(0)), ERROR_WMI_INSTANCE_NOT_FOUND, "no session");
	p = fresh(0);
	p->LogFileMode |= EVENT_TRACE_SYSTEM_LOGGER_MODE;
	fake->error[0x09] = -ENOTTY;
	is(StartTraceA(&handle, "old", p), ERROR_NOT_SUPPORTED, "a module that knows no such session");
	is(QueryTraceA(0, "old", fresh(0)), ERROR_WMI_INSTANCE_NOT_FOUND, "no session");
}

/* B134 */
static void test_update(TRACEHANDLE handle)
{
	EVENT_TRACE_PROPERTIES *p = fresh(PROCESS);

	is(UpdateTraceA(handle, NULL, p), ERROR_SUCCESS, "update");
	is(p->EnableFlags, PROCESS, "the new flags");
	ok(has_process(), "are enabled");
	is(fake->enable.control, ETW_CONTROL_CAPTURE, "and the processes that run asked for");
	is(fake->enable.any, ETW_PROCESS_KEYWORD, "only processes");
	p = fresh(PROCESS | REGISTRY);
	memset(&fake->enable, 0, sizeof(fake->enable));
	is(UpdateTraceA(handle, NULL, p), ERROR_SUCCESS, "one more");
	ok(!fake->enable.session, "what was enabled is left alone");
	fake->error[0x04] = -ESHUTDOWN;
	is(UpdateTraceA(handle, NULL, fresh(0)), ERROR_ACTIVE_CONNECTIONS, "it is being stopped");
	is(fake->sessions[0].system.enable[0], PROCESS | REGISTRY, "the flags are as they were");
	is(UpdateTraceA(handle, NULL, fresh(EVENT_TRACE_FLAG_EXTENSION)), ERROR_NOT_SUPPORTED,
	   "flags elsewhere");
	is(UpdateTraceA(handle, NULL, fresh(0)), ERROR_SUCCESS, "no flags");
	ok(!has_process(), "disable all");
	/* The right to control is enough. */
	fake->error[0x03] = -EPERM;
	is(UpdateTraceA(handle, NULL, fresh(PROCESS)), ERROR_SUCCESS, "without the right to query");
	ok(fake->error[0x03], "no query was made");
	fake->error[0x03] = 0;
}

static void test_information(TRACEHANDLE handle)
{
	ULONG mask[8] = { PROCESS, 1, 2, 3, 4, 5, 6, 7 }, got[8] = { 0 }, len = 0;
	TRACE_PROFILE_INTERVAL interval = { .Interval = 50000 };

	is(TraceSetInformation(handle, TraceSystemTraceEnableFlagsInfo, mask, sizeof(mask)),
	   ERROR_SUCCESS, "a group mask");
	is(TraceQueryInformation(handle, TraceSystemTraceEnableFlagsInfo, got, sizeof(got), &len),
	   ERROR_SUCCESS, "query it");
	ok(len == sizeof(mask) && !memcmp(mask, got, sizeof(mask)), "the same");
	is(UpdateTraceA(handle, NULL, fresh(REGISTRY)), ERROR_SUCCESS, "EnableFlags");
	mask[0] = REGISTRY;
	ok(!memcmp(mask, fake->sessions[0].system.enable, sizeof(mask)), "are its first word");
	is(TraceSetInformation(handle, TraceSystemTraceEnableFlagsInfo, mask, 31), ERROR_BAD_LENGTH,
	   "too short");
	is(TraceQueryInformation(handle, TraceSystemTraceEnableFlagsInfo, got, 4, &len),
	   ERROR_BAD_LENGTH, "no room");
	is(TraceSetInformation(handle, TraceSampledProfileIntervalInfo, &interval, sizeof(interval)),
	   ERROR_SUCCESS, "an interval");
	interval.Interval = 0;
	is(TraceQueryInformation(handle, TraceSampledProfileIntervalInfo, &interval,
				 sizeof(interval), &len), ERROR_SUCCESS, "query that");
	is(interval.Interval, 50000, "the same, too");
	is(TraceQueryInformation(0, TraceSampledProfileIntervalInfo, &interval, sizeof(interval),
				 &len), ERROR_SUCCESS, "that of other sessions");
	is(interval.Interval, 10000, "is 1 ms");
	interval.Interval = 0;
	is(TraceSetInformation(0, TraceSampledProfileIntervalInfo, &interval, sizeof(interval)),
	   ERROR_INVALID_PARAMETER, "none");
}

/* B61 */
static void test_rundown(TRACEHANDLE handle)
{
	ULONG64 target = handle;
	EVENT_FILTER_DESCRIPTOR filter = { (uintptr_t)&target, 8, EVENT_FILTER_TYPE_TRACEHANDLE };
	ENABLE_TRACE_PARAMETERS params = { .Version = 2, .EnableFilterDesc = &filter,
					   .FilterDescCount = 1 };
	TRACEHANDLE plain = 0;

	is(StartTraceA(&plain, "plain", fresh(0)), ERROR_SUCCESS, "a session");
	is(UpdateTraceA(handle, NULL, fresh(PROCESS)), ERROR_SUCCESS, "processes");
	memset(&fake->enable, 0, sizeof(fake->enable));
	is(EnableTraceEx2(plain, &SystemTraceControlGuid, EVENT_CONTROL_CODE_CAPTURE_STATE, 0, 0, 0,
			  0, &params), ERROR_SUCCESS, "a rundown for another session");
	ok(fake->enable.session == handle && fake->enable.control == ETW_CONTROL_CAPTURE &&
	   !memcmp(&fake->enable.provider, &process_guid, sizeof(process_guid)), "goes there");
	is(EnableTraceEx2(plain, &SystemTraceControlGuid, EVENT_CONTROL_CODE_CAPTURE_STATE, 0, 0, 0,
			  0, NULL), ERROR_INVALID_PARAMETER, "for one that is none of the system's");
	is(UpdateTraceA(handle, NULL, fresh(0)), ERROR_SUCCESS, "no processes");
	memset(&fake->enable, 0, sizeof(fake->enable));
	is(EnableTraceEx2(handle, &SystemTraceControlGuid, EVENT_CONTROL_CODE_CAPTURE_STATE, 0, 0, 0,
			  0, NULL), ERROR_SUCCESS, "a rundown");
	ok(!fake->enable.session, "of nothing");
}

int main(void)
{
	TRACEHANDLE handle;

	fake_init();
	handle = test_start();
	test_failure();
	test_update(handle);
	test_information(handle);
	test_rundown(handle);
	return done_testing();
}
