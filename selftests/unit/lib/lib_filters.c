// SPDX-License-Identifier: MIT
/* The limits of EnableTraceEx2's filters: refused filters do not reach the device */
#include "lib_fake.h"

#include <evntcons.h>
#include <evntrace.h>
#include "lib/tap.h"

static const GUID provider = { 0xA, 0, 0, { 1 } };
static TRACEHANDLE session;
static union {
	EVENT_FILTER_HEADER header;
	EVENT_FILTER_EVENT_ID ids;
	uint64_t handle;
	ULONG pids[16];
	WCHAR names[2048];
	unsigned char bytes[8192];
} data;

/* Call EnableTraceEx2 with count filters; if refused, nothing reached the device. */
static ULONG control(ULONG code, EVENT_FILTER_DESCRIPTOR *filters, ULONG count)
{
	ENABLE_TRACE_PARAMETERS p = { .Version = ENABLE_TRACE_PARAMETERS_VERSION_2,
				      .EnableFilterDesc = filters, .FilterDescCount = count };
	uint32_t before = fake->ioctls;
	ULONG ret = EnableTraceEx2(session, &provider, code, 4, 1, 0, 0, &p);

	if (ret && fake->ioctls != before)
		ok(false, "refused by the device, not the library");
	return ret;
}

static ULONG one(ULONG type, ULONG size)
{
	EVENT_FILTER_DESCRIPTOR f = { (uintptr_t)&data, size, type };

	return control(EVENT_CONTROL_CODE_ENABLE_PROVIDER, &f, 1);
}

/* B42: at most one filter of each type. */
static void test_twice(void)
{
	EVENT_FILTER_DESCRIPTOR f[2] = { { (uintptr_t)&data, 4, EVENT_FILTER_TYPE_PID },
					 { 0, 0, EVENT_FILTER_TYPE_NONE } };

	data.pids[0] = 1;
	is(control(1, f, 2), ERROR_SUCCESS, "B42: two types");
	f[1] = f[0];
	is(control(1, f, 2), ERROR_INVALID_PARAMETER, "B42: a type twice");
}

/* B43: at most 13 filters. */
static void test_count(void)
{
	/* All existing types. */
	static const ULONG types[14] = {
		EVENT_FILTER_TYPE_NONE, EVENT_FILTER_TYPE_PID, EVENT_FILTER_TYPE_EXECUTABLE_NAME,
		EVENT_FILTER_TYPE_PACKAGE_ID, EVENT_FILTER_TYPE_PACKAGE_APP_ID,
		EVENT_FILTER_TYPE_CONTAINER, EVENT_FILTER_TYPE_SCHEMATIZED,
		EVENT_FILTER_TYPE_PAYLOAD, EVENT_FILTER_TYPE_STACKWALK_LEVEL_KW,
		EVENT_FILTER_TYPE_TRACEHANDLE, EVENT_FILTER_TYPE_EVENT_ID,
		EVENT_FILTER_TYPE_STACKWALK, EVENT_FILTER_TYPE_EVENT_NAME,
		EVENT_FILTER_TYPE_STACKWALK_NAME,
	};
	EVENT_FILTER_DESCRIPTOR f[14];
	int i;

	memset(&data, 0, sizeof(data));
	for (i = 0; i < 14; i++)
		f[i] = (EVENT_FILTER_DESCRIPTOR){
			(uintptr_t)&data, types[i] == EVENT_FILTER_TYPE_TRACEHANDLE ? 8 : 24,
			types[i] };
	data.header.Size = 24;
	data.bytes[0] = 'x';
	is(control(1, f + 6, 3), ERROR_SUCCESS, "B43: some filters");
	is(control(1, f, 13), ERROR_SUCCESS, "B43: 13 filters");
	is(control(1, f + 1, 13), ERROR_SUCCESS, "B43: these, too");
	is(control(1, f, 14), ERROR_INVALID_PARAMETER, "B43: 14 filters");
	is(control(1, f, 0xFFFFFFFF), ERROR_INVALID_PARAMETER, "B43: a great many");
	is(control(1, NULL, 1), ERROR_INVALID_PARAMETER, "B43: one that is not there");
}

/* B44: 1024 bytes for most types, 4096 for payloads. */
static void test_sizes(void)
{
	static const ULONG names[] = { EVENT_FILTER_TYPE_EXECUTABLE_NAME,
		EVENT_FILTER_TYPE_PACKAGE_ID, EVENT_FILTER_TYPE_PACKAGE_APP_ID,
		EVENT_FILTER_TYPE_CONTAINER };
	int i;

	for (i = 0; i < 2048; i++)
		data.names[i] = 'n';
	for (i = 0; i < 4; i++) {
		is(one(names[i], 1024), ERROR_SUCCESS, "B44: 1024 bytes of names");
		is(one(names[i], 1026), ERROR_INVALID_PARAMETER, "B44: 1026");
	}
	is(one(EVENT_FILTER_TYPE_PAYLOAD, 4096), ERROR_SUCCESS, "B44: payload, 4096 bytes");
	is(one(EVENT_FILTER_TYPE_PAYLOAD, 4097), ERROR_INVALID_PARAMETER, "B44: 4097");
	is(one(EVENT_FILTER_TYPE_PAYLOAD, 0), ERROR_INVALID_PARAMETER, "B44: empty");
	memset(&data, 0, sizeof(data));
	data.header.Size = 1024;
	is(one(EVENT_FILTER_TYPE_SCHEMATIZED, 1024), ERROR_SUCCESS, "B44: schematized, 1024 bytes");
	data.header.Size = 1025;
	is(one(EVENT_FILTER_TYPE_SCHEMATIZED, 1025), ERROR_INVALID_PARAMETER, "B44: 1025");
}

/* B45: up to 8 PIDs, no partial ones. */
static void test_pids(void)
{
	is(one(EVENT_FILTER_TYPE_PID, 32), ERROR_SUCCESS, "B45: 8 PIDs");
	is(one(EVENT_FILTER_TYPE_PID, 36), ERROR_INVALID_PARAMETER, "B45: 9");
	is(one(EVENT_FILTER_TYPE_PID, 30), ERROR_INVALID_PARAMETER, "B45: 7 and a half");
	is(one(EVENT_FILTER_TYPE_PID, 0), ERROR_INVALID_PARAMETER, "B45: none");
}

/*
 * The kernel checks lists and headers within filters, so that a bad pointer is an error
 * and does not crash the program.
 */
static void test_heads(void)
{
	memset(&data, 0xA5, sizeof(data));
	data.ids.Count = 64;
	is(one(EVENT_FILTER_TYPE_EVENT_ID, 4 + 128), ERROR_SUCCESS, "B46: 64 ids");
	is(one(EVENT_FILTER_TYPE_EVENT_ID, 1024), ERROR_SUCCESS, "B46: in more bytes than needed");
	is(one(EVENT_FILTER_TYPE_EVENT_ID, 3), ERROR_INVALID_PARAMETER, "B46: not even the count");
	is(one(EVENT_FILTER_TYPE_STACKWALK, 3), ERROR_INVALID_PARAMETER,
	   "B46: not even the count of stack ids");
	data.header = (EVENT_FILTER_HEADER){ .Id = 7, .Version = 1, .Size = 100 };
	is(one(EVENT_FILTER_TYPE_SCHEMATIZED, 100), ERROR_SUCCESS, "B62: a schematized filter");
	ok(fake->enable.filter_count == 1 && fake->filters[0].type == ETW_FILTER_SCHEMATIZED &&
	   fake->filters[0].len == 100 && !memcmp(fake->filters[0].data, &data, 100),
	   "B62: is passed on unchanged");
	is(one(EVENT_FILTER_TYPE_SCHEMATIZED, 23), ERROR_INVALID_PARAMETER, "B62: half a header");
}

/* B61 and types without a user. */
static void test_others(void)
{
	EVENT_FILTER_DESCRIPTOR f = { (uintptr_t)&data, 8, EVENT_FILTER_TYPE_TRACEHANDLE };

	data.handle = session;
	is(control(EVENT_CONTROL_CODE_CAPTURE_STATE, &f, 1), ERROR_SUCCESS,
	   "B61: the handle of a session");
	ok(fake->filters[0].type == ETW_FILTER_TRACEHANDLE &&
	   !memcmp(fake->filters[0].data, &session, 8), "B61: is passed on");
	f.Size = 7;
	is(control(EVENT_CONTROL_CODE_CAPTURE_STATE, &f, 1), ERROR_INVALID_PARAMETER,
	   "B61: 7 bytes");
	f.Size = 16;
	is(control(EVENT_CONTROL_CODE_CAPTURE_STATE, &f, 1), ERROR_INVALID_PARAMETER,
	   "B61: two handles");
	is(one(EVENT_FILTER_TYPE_SYSTEM_FLAGS, 4), ERROR_INVALID_PARAMETER, "SYSTEM_FLAGS");
	is(one(0x80010000, 4), ERROR_INVALID_PARAMETER, "a type that does not exist");
	is(one(EVENT_FILTER_TYPE_NONE, 0), ERROR_SUCCESS, "NONE");
}

int main(void)
{
	struct {
		EVENT_TRACE_PROPERTIES p;
		char name[64];
	} b = { .p.Wnode = { .BufferSize = sizeof(b), .Flags = WNODE_FLAG_TRACED_GUID },
		.p.LogFileMode = EVENT_TRACE_REAL_TIME_MODE,
		.p.LoggerNameOffset = sizeof(b.p) };

	fake_init();
	is(StartTraceA(&session, "filters", &b.p), ERROR_SUCCESS, "a session");
	test_twice();
	test_count();
	test_sizes();
	test_pids();
	test_heads();
	test_others();
	return done_testing();
}
