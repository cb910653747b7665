// SPDX-License-Identifier: MIT
/* Classic providers: callbacks and their arguments, and records that reach the kernel */
#include "lib_fake.h"
#include <poll.h>
#include <sys/wait.h>
#include <evntprov.h>
#include <evntrace.h>

#include "lib/tap.h"

static const GUID control = { 1, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } };
static const GUID class_a = { 2, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } };
static const GUID class_b = { 3, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } };

static struct {
	_Atomic int count;
	WMIDPREQUESTCODE code;
	TRACEHANDLE logger;
	void *context;
	bool node_good;
} last_call;

static ULONG on_control(WMIDPREQUESTCODE code, PVOID context, ULONG *size, PVOID buffer)
{
	const WNODE_HEADER *node = buffer;

	last_call.code = code;
	last_call.context = context;
	last_call.logger = GetTraceLoggerHandle(buffer);
	last_call.node_good = *size == sizeof(*node) && node->BufferSize == sizeof(*node) &&
			      !memcmp(&node->Guid, &control, sizeof(control)) &&
			      node->Flags & WNODE_FLAG_TRACED_GUID;
	last_call.count++;
	return ERROR_SUCCESS;
}

static void wait_told(int count)
{
	while (last_call.count < count)
		poll(NULL, 0, 1);
}

static TRACEHANDLE start_session(const char *name)
{
	struct {
		EVENT_TRACE_PROPERTIES p;
		char name[64];
	} b = { .p = { .Wnode.BufferSize = sizeof(b), .Wnode.Flags = WNODE_FLAG_TRACED_GUID,
		       .LogFileMode = EVENT_TRACE_REAL_TIME_MODE,
		       .LoggerNameOffset = sizeof(b.p) } };
	TRACEHANDLE handle = 0;

	StartTraceA(&handle, name, &b.p);
	return handle;
}

static void test_refused(void)
{
	TRACE_GUID_REGISTRATION no_class = { .Guid = NULL };
	TRACEHANDLE handle = 99;
	GUID zero = { 0 };

	is(RegisterTraceGuidsA(NULL, NULL, &control, 0, NULL, NULL, NULL, &handle),
	   ERROR_INVALID_PARAMETER, "no callback");
	is(handle, 0, "no handle then");
	is(RegisterTraceGuidsW(on_control, NULL, NULL, 0, NULL, NULL, NULL, &handle),
	   ERROR_INVALID_PARAMETER, "no GUID");
	is(RegisterTraceGuidsA(on_control, NULL, &zero, 0, NULL, NULL, NULL, &handle),
	   ERROR_INVALID_PARAMETER, "GUID of zeros");
	is(RegisterTraceGuidsA(on_control, NULL, &control, 0, NULL, NULL, NULL, NULL),
	   ERROR_INVALID_PARAMETER, "no room for the handle");
	is(RegisterTraceGuidsA(on_control, NULL, &control, 1, NULL, NULL, NULL, &handle),
	   ERROR_INVALID_PARAMETER, "a class that is NULL");
	is(RegisterTraceGuidsA(on_control, NULL, &control, 1, &no_class, NULL, NULL, &handle),
	   ERROR_INVALID_PARAMETER, "a class without a GUID");
	is(UnregisterTraceGuids(0), ERROR_INVALID_HANDLE, "unregister nothing");
	is(fake->registers, 0, "nothing reached the device");
	is(TraceEvent(0, NULL), ERROR_INVALID_PARAMETER, "no event");
	is(GetTraceLoggerHandle(NULL), (TRACEHANDLE)-1, "an invalid buffer");
	is(GetLastError(), ERROR_INVALID_PARAMETER, "sets the last error");
	is(GetTraceEnableLevel(0), 0, "level of no session");
	is(GetLastError(), ERROR_INVALID_HANDLE, "sets the last error");
}

/* ------------------------------------------------- callbacks before the registration returns */

static struct {
	TRACE_GUID_REGISTRATION class;
	TRACEHANDLE handle;
	_Atomic int calls, signals;
	HANDLE seen_class;
	TRACEHANDLE seen_handle;
	ULONG instance;
} early;

static ULONG on_early(WMIDPREQUESTCODE code, PVOID context, ULONG *size, PVOID buffer)
{
	EVENT_INSTANCE_INFO info;

	(void)code, (void)context, (void)size, (void)buffer;
	early.seen_class = early.class.RegHandle;
	early.seen_handle = early.handle;
	early.instance = CreateTraceInstanceId(early.class.RegHandle, &info);
	early.calls++;
	return ERROR_SUCCESS;
}

/* Arrives when RegisterTraceGuids() has released its lock, and lets the callback run. */
static void on_signal(int signal)
{
	(void)signal;
	early.signals++;
	while (!early.calls)
		poll(NULL, 0, 1);
}

static struct etw_kdev_ops early_ops;

static int early_ioctl(int fd, unsigned int command, void *arg)
{
	if ((command & 0xFF) == 0x20)
		raise(SIGUSR1);		/* blocked for now */
	return fake_ops.ioctl(fd, command, arg);
}

/* B27: the callback comes before the registering function returns. */
static void test_early(TRACEHANDLE session)
{
	struct sigaction action = { .sa_handler = on_signal };

	is(EnableTraceEx2(session, &class_b, 1, 3, 5, 0, 0, NULL), ERROR_SUCCESS, "enable");
	early.class.Guid = &class_a;
	early.instance = ERROR_INVALID_PARAMETER;
	sigaction(SIGUSR1, &action, NULL);
	early_ops = fake_ops;
	early_ops.ioctl = early_ioctl;
	etw_kdev_ops = &early_ops;
	alarm(30);
	is(RegisterTraceGuidsW(on_early, NULL, &class_b, 1, &early.class, NULL, NULL,
			       &early.handle), ERROR_SUCCESS, "register");
	alarm(0);
	etw_kdev_ops = &fake_ops;
	ok(early.signals && early.calls, "called before that returned");
	ok(early.seen_class && early.seen_class == early.class.RegHandle && !early.instance,
	   "with its classes there");
	ok(early.seen_handle && early.seen_handle == early.handle, "and its handle");
	is(UnregisterTraceGuids(early.handle), ERROR_SUCCESS, "unregister");
	early.class.RegHandle = &early;
	fake->error[0x20] = -EPERM;
	is(RegisterTraceGuidsW(on_early, NULL, &class_b, 1, &early.class, NULL, NULL,
			       &early.handle), ERROR_ACCESS_DENIED, "refused");
	ok(early.class.RegHandle == &early && !early.handle,
	   "the class is unchanged, and no handle is set");
	EnableTraceEx2(session, &class_b, 0, 0, 0, 0, 0, NULL);
}

/* B8, B21: flags are the low half; a second session takes the provider over */
static void test_control(TRACEHANDLE one, TRACEHANDLE other)
{
	is(EnableTraceEx2(one, &control, 1, 3, 0xA00000005ULL, 7, 0, NULL), ERROR_SUCCESS,
	   "enable");
	wait_told(1);
	is(last_call.code, WMI_ENABLE_EVENTS, "the callback runs");
	ok(last_call.node_good && last_call.context == &last_call,
	   "with a WNODE_HEADER and its context");
	is(GetTraceEnableLevel(last_call.logger), 3, "level");
	is(GetTraceEnableFlags(last_call.logger), 5, "flags are the low half of MatchAnyKeyword");
	is(EnableTrace(1, 0, 0, &control, other), ERROR_SUCCESS, "enable by another session");
	wait_told(2);
	is(last_call.code, WMI_ENABLE_EVENTS, "the callback runs");
	is(GetTraceEnableLevel(last_call.logger), 0, "level 0 stays 0");
	is(GetTraceEnableFlags(last_call.logger), 0, "flags 0 stay 0");
}

static void test_event(TRACEHANDLE h)
{
	struct {
		EVENT_TRACE_HEADER h;
		char data[100];
	} e = { .h = { .Size = sizeof(e.h) + 5, .Class = { .Type = 7, .Level = 4, .Version = 258 },
		       .Guid = class_a, .Flags = WNODE_FLAG_TRACED_GUID }, .data = "hello" };
	struct etw_classic_write *w = &fake->classic.record;
	MOF_FIELD fields[17];
	int i;

	is(TraceEvent(h, &e.h), ERROR_SUCCESS, "event");
	ok(w->kind == ETW_CLASSIC_EVENT && w->type == 7 && w->level == 4 && w->version == 258 &&
	   !memcmp(&w->guid, &class_a, 16) && !w->options && !w->instance, "its header");
	ok(fake->classic.len == 5 && !memcmp(fake->classic.data, "hello", 5), "its payload");
	e.h.Flags |= WNODE_FLAG_USE_GUID_PTR;
	e.h.GuidPtr = (uintptr_t)&class_b;
	e.h.Size = sizeof(e.h);
	is(TraceEvent(h, &e.h), ERROR_SUCCESS, "event with a pointer to its GUID");
	ok(!memcmp(&w->guid, &class_b, 16) && !fake->classic.len, "has that GUID, and no payload");
	for (i = 0; i < 17; i++)
		fields[i] = (MOF_FIELD){ (uintptr_t)"abcdefghijklmnopq" + i, 1, 0 };
	memset(&e, 0, sizeof(e));
	e.h = (EVENT_TRACE_HEADER){ .Size = sizeof(e.h) + 3 * 16, .Guid = class_a,
				    .Flags = WNODE_FLAG_TRACED_GUID | WNODE_FLAG_USE_MOF_PTR };
	memcpy(e.data, fields, 3 * 16);
	is(TraceEvent(h, &e.h), ERROR_SUCCESS, "event in pieces");
	ok(fake->classic.len == 3 && !memcmp(fake->classic.data, "abc", 3), "one after the other");
	e.h.Size++;
	is(TraceEvent(h, &e.h), ERROR_INVALID_PARAMETER, "a piece cut off");
	e.h.Size = sizeof(e.h) + 17 * 16;
	is(TraceEvent(h, &e.h), ERROR_INVALID_PARAMETER, "17 pieces");
	e.h.Size = 47;
	is(TraceEvent(h, &e.h), ERROR_INVALID_PARAMETER, "shorter than its header");
	e.h.Size = sizeof(e.h);
	e.h.Flags = 0;
	is(TraceEvent(h, &e.h), ERROR_INVALID_FLAG_NUMBER, "no WNODE_FLAG_TRACED_GUID");
	e.h.Flags = WNODE_FLAG_TRACED_GUID | 1;
	is(TraceEvent(h, &e.h), ERROR_INVALID_FLAG_NUMBER, "unknown flag");
	e.h.Flags = WNODE_FLAG_TRACED_GUID;
	is(TraceEvent(h + 5, &e.h), ERROR_INVALID_HANDLE, "another session");
	is(TraceEvent((TRACEHANDLE)-1, &e.h), ERROR_INVALID_HANDLE, "handle -1");
	is(TraceEvent(0, &e.h), ERROR_INVALID_HANDLE, "handle 0");
	fake->error[0x31] = -ENOBUFS;
	is(TraceEvent(h, &e.h), ERROR_NOT_ENOUGH_MEMORY, "no free buffer");
	fake->error[0x31] = -EMSGSIZE;
	is(TraceEvent(h, &e.h), ERROR_MORE_DATA, "larger than a buffer");
	fake->error[0x31] = -EOVERFLOW;
	is(TraceEvent(h, &e.h), ERROR_MORE_DATA, "over 64 KB");
	fake->error[0x31] = -ENOENT;
	is(TraceEvent(h, &e.h), ERROR_INVALID_HANDLE, "the session has gone");
}

static void test_instance(TRACEHANDLE h, const TRACE_GUID_REGISTRATION *classes)
{
	EVENT_INSTANCE_HEADER e = { .Size = sizeof(e), .Class = { .Type = 9 },
				    .Flags = WNODE_FLAG_TRACED_GUID };
	struct etw_classic_write *w = &fake->classic.record;
	EVENT_INSTANCE_INFO a = { 0 }, b = { 0 };

	is(CreateTraceInstanceId(NULL, &a), ERROR_INVALID_PARAMETER, "id of no class");
	is(CreateTraceInstanceId(&a, &a), ERROR_INVALID_PARAMETER, "id of an invalid class");
	is(CreateTraceInstanceId(classes[0].RegHandle, NULL), ERROR_INVALID_PARAMETER,
	   "no room for the id");
	is(CreateTraceInstanceId(classes[0].RegHandle, &a), ERROR_SUCCESS, "an id");
	is(a.InstanceId, 1, "the first is 1");
	is(CreateTraceInstanceId(classes[0].RegHandle, &a), ERROR_SUCCESS, "another");
	is(a.InstanceId, 2, "is 2");
	is(CreateTraceInstanceId(classes[1].RegHandle, &b), ERROR_SUCCESS, "of the other class");
	is(b.InstanceId, 1, "counts for itself");
	is(TraceEventInstance(h, &e, &a, &b), ERROR_SUCCESS, "event of an instance");
	ok(w->kind == ETW_CLASSIC_INSTANCE && w->type == 9 && w->instance == 2 && w->parent == 1 &&
	   !memcmp(&w->guid, &class_a, 16) && !memcmp(&w->parent_guid, &class_b, 16),
	   "both ids and classes");
	is(TraceEventInstance(h, &e, &a, NULL), ERROR_SUCCESS, "without a parent");
	ok(!w->parent && !w->parent_guid.data1, "has no parent");
	is(TraceEventInstance(h, &e, NULL, NULL), ERROR_INVALID_PARAMETER, "no instance");
	a.RegHandle = &b;
	is(TraceEventInstance(h, &e, &a, NULL), ERROR_INVALID_PARAMETER, "no class has it");
}

static void test_message(TRACEHANDLE h)
{
	struct etw_classic_write *w = &fake->classic.record;
	static char bytes[200];
	int number = 42;

	is(TraceMessage(h, TRACE_MESSAGE_GUID | TRACE_MESSAGE_SEQUENCE, &class_b, 17, &number,
			sizeof(number), "text", (size_t)5, NULL), ERROR_SUCCESS, "message");
	ok(w->kind == ETW_CLASSIC_MESSAGE && w->number == 17 &&
	   w->options == (ETW_MESSAGE_GUID | ETW_MESSAGE_SEQUENCE) &&
	   !memcmp(&w->guid, &class_b, 16), "its head");
	ok(fake->classic.len == 9 && !memcmp(fake->classic.data, &number, 4) &&
	   !memcmp(fake->classic.data + 4, "text", 5), "its arguments");
	is(TraceMessage(h, 0, NULL, 18, NULL), ERROR_SUCCESS, "message of nothing");
	is(fake->classic.len, 0, "is empty");
	memset(bytes, 'x', sizeof(bytes));
#define P1	bytes, (size_t)1
#define P8	P1, P1, P1, P1, P1, P1, P1, P1
#define P64	P8, P8, P8, P8, P8, P8, P8, P8
	is(TraceMessage(h, 0, NULL, 19, P64, P64, P1, NULL), ERROR_SUCCESS, "129 arguments");
	ok(fake->classic.len == 129 && w->data_count == 1 &&
	   !memcmp(fake->classic.data, bytes, 129), "are joined");
	is(TraceMessage(h, 0, NULL, 19, P64, P64, bytes, (size_t)1 << 40, NULL), ERROR_MORE_DATA,
	   "a terabyte in 129 arguments");
	is(TraceMessage(h, 0x40, NULL, 1, NULL), ERROR_INVALID_PARAMETER, "unknown flag");
	is(TraceMessage(h, TRACE_MESSAGE_GUID | TRACE_MESSAGE_COMPONENTID, &class_a, 1, NULL),
	   ERROR_INVALID_PARAMETER, "two GUIDs");
	is(TraceMessage(h, TRACE_MESSAGE_GUID, NULL, 1, NULL), ERROR_INVALID_PARAMETER, "no GUID");
	is(TraceMessage(h + 1, 0, NULL, 1, NULL), ERROR_INVALID_HANDLE, "another session");
}

/* A child writes through a registration of its own. */
static void test_fork(TRACEHANDLE h)
{
	uint32_t registers = fake->registers;
	int status;

	if (!fork())
		_exit(TraceMessage(h, 0, NULL, 77, NULL));
	ok(wait(&status) > 0 && !status, "a child writes");
	ok(fake->classic.record.number == 77 && fake->registers == registers + 1,
	   "after it registered again");
}

int main(void)
{
	TRACE_GUID_REGISTRATION classes[2] = { { .Guid = &class_a }, { .Guid = &class_b } };
	TRACEHANDLE reg, one, other, before;
	EVENT_DESCRIPTOR desc = { .Id = 1 };

	fake_init();
	test_refused();
	one = start_session("one");
	other = start_session("other");
	is(RegisterTraceGuidsW(on_control, &last_call, &control, 2, classes, NULL, NULL, &reg),
	   ERROR_SUCCESS, "register");
	ok(reg && classes[0].RegHandle && classes[1].RegHandle &&
	   classes[0].RegHandle != classes[1].RegHandle, "handles");
	is(TraceMessage(1, 0, NULL, 1, NULL), ERROR_INVALID_HANDLE, "no session listens");
	test_control(one, other);
	before = last_call.logger;
	test_event(last_call.logger);
	test_instance(last_call.logger, classes);
	test_message(last_call.logger);
	test_fork(last_call.logger);
	is(EventUnregister(reg), ERROR_INVALID_HANDLE, "it is not a modern registration");
	is(EventWrite(reg, &desc, 0, NULL), ERROR_INVALID_HANDLE, "and writes no modern events");
	is(EnableTrace(0, 0, 0, &control, other), ERROR_SUCCESS, "disable");
	wait_told(3);
	is(last_call.code, WMI_DISABLE_EVENTS, "the callback runs");
	is(last_call.logger, before, "of the session that it was");
	is(TraceMessage(before, 0, NULL, 1, NULL), ERROR_INVALID_HANDLE, "the session is disabled");
	is(UnregisterTraceGuids(reg), ERROR_SUCCESS, "unregister");
	is(UnregisterTraceGuids(reg), ERROR_INVALID_HANDLE, "unregister again");
	is(CreateTraceInstanceId(classes[0].RegHandle, &(EVENT_INSTANCE_INFO){ 0 }),
	   ERROR_INVALID_PARAMETER, "the classes are unregistered");
	is(EnableTrace(1, 9, 2, &control, one), ERROR_SUCCESS, "enable without a registration");
	is(RegisterTraceGuidsA(on_control, &last_call, &control, 0, NULL, NULL, NULL, &reg),
	   ERROR_SUCCESS, "register when it is enabled");
	wait_told(4);
	ok(last_call.code == WMI_ENABLE_EVENTS && GetTraceEnableFlags(last_call.logger) == 9,
	   "the callback runs immediately");
	is(UnregisterTraceGuids(reg), ERROR_SUCCESS, "unregister");
	test_early(one);
	return done_testing();
}
