// SPDX-License-Identifier: MIT
/* Threads that are cancelled in controllers' and consumers' functions */
#include "lib_fake.h"
#include "lib_feed.h"

#include <stdatomic.h>

#include <evntcons.h>
#include <evntrace.h>
#include "lib/tap.h"

static const GUID provider = { 0xA, 0, 0, { 1 } };
static TRACEHANDLE session, trace;

/*
 * AddressSanitizer's function for code that does not return: frames left by a
 * cancellation would count as in use, and the clean-up's frames are at the same place.
 */
void __asan_handle_no_return(void);

static unsigned int open_files(void)
{
	unsigned int n = 0;
	int fd;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Was the thread cancelled? If it does not end, the test hangs. */
static bool ends_cancelled(pthread_t thread)
{
	void *result = NULL;

	alarm(60);
	pthread_join(thread, &result);
	alarm(0);
	return result == PTHREAD_CANCELED;
}

static pthread_t start(void *(*run)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL))
		abort();
	return thread;
}

/* ---------------------------------------------------------------- controllers */

static ULONG results[6];
static int done;

/* Filters of every shape that allocates memory. */
static ULONG enable(void)
{
	EVENT_FILTER_EVENT_ID ids = { .FilterIn = TRUE, .Count = 1, .Events = { 7 } };
	ULONG pid = 1;
	WCHAR name[] = u"a;b";
	EVENT_FILTER_DESCRIPTOR f[] = {
		{ (uintptr_t)&pid, sizeof(pid), EVENT_FILTER_TYPE_PID },
		{ (uintptr_t)name, sizeof(name), EVENT_FILTER_TYPE_EXECUTABLE_NAME },
		{ (uintptr_t)&ids, 6, EVENT_FILTER_TYPE_EVENT_ID },
	};
	ENABLE_TRACE_PARAMETERS p = { .Version = ENABLE_TRACE_PARAMETERS_VERSION_2,
				      .EnableFilterDesc = f, .FilterDescCount = 3 };

	return EnableTraceEx2(session, &provider, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 4, 1, 0, 0,
			      &p);
}

/* A thread that is already cancelled, and ends after its calls. */
static void *controls(void *arg)
{
	static struct {
		EVENT_TRACE_PROPERTIES p;
		char text[4096];
	} b;
	PEVENT_TRACE_PROPERTIES all[1] = { &b.p };
	TRACEHANDLE handle;
	GUID guids[8];
	ULONG size;

	b.p.Wnode.BufferSize = sizeof(b);
	b.p.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
	b.p.LogFileMode = EVENT_TRACE_REAL_TIME_MODE;
	b.p.LoggerNameOffset = sizeof(b.p);
	pthread_cancel(pthread_self());
	results[done++] = enable();
	results[done++] = StartTraceA(&handle, "another", &b.p);
	results[done++] = ControlTraceA(handle, NULL, &b.p, EVENT_TRACE_CONTROL_STOP);
	results[done++] = QueryAllTracesA(all, 1, &size);
	results[done++] = EnumerateTraceGuidsEx(TraceGroupQueryList, NULL, 0, guids,
						sizeof(guids), &size);
	results[done++] = TraceSetInformation(session, TraceSetDisallowList, guids, sizeof(GUID));
	pthread_testcancel();
	done = 0;
	return arg;
}

static void test_controllers(void)
{
	unsigned int files = open_files(), i;

	ok(ends_cancelled(start(controls)) && done == 6, "cancelled after all six calls");
	for (i = 0; i < 6; i++)
		is(results[i], ERROR_SUCCESS, "which succeeded");
	is(open_files(), files, "no file is left open");
}

/* ------------------------------------------------------------------ consumers */

static atomic_int polling;
static int record_count, files_before;
static bool stay, close_within;

static int counting_poll(struct pollfd *fds, unsigned int count, int timeout_ms)
{
	atomic_fetch_add(&polling, 1);
	__asan_handle_no_return();
	return fake_ops.poll(fds, count, timeout_ms);
}

static VOID WINAPI on_record(PEVENT_RECORD r)
{
	if (!memcmp(&r->EventHeader.ProviderId, &EventTraceGuid, sizeof(GUID)))
		return;
	record_count++;
	if (stay)
		return;
	if (close_within)
		CloseTrace(trace);
	pthread_cancel(pthread_self());
	__asan_handle_no_return();
	pthread_testcancel();
	ok(false, "not cancelled");
}

/* Cancel this thread once, and go on. */
static VOID WINAPI on_busy(PEVENT_RECORD r)
{
	(void)r;
	if (!record_count++)
		pthread_cancel(pthread_self());
	__asan_handle_no_return();
}

/* Open a trace with three events, of a session that continues. */
static void prepare(PEVENT_RECORD_CALLBACK callback)
{
	EVENT_TRACE_LOGFILEA l = { .LoggerName = (char *)"session" };
	struct feed f;
	int i;

	l.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME | PROCESS_TRACE_MODE_EVENT_RECORD;
	l.EventRecordCallback = callback;
	record_count = 0;
	stay = close_within = false;
	atomic_store(&polling, 0);
	fake->buffer_count = fake->buffer_next = 0;
	fake->ended = false;
	fake->complete_through = 1 << 30;
	fake->complete_sequence = 1;
	files_before = open_files();
	trace = OpenTraceA(&l);
	feed_fake(&f, 1, 0);
	for (i = 1; i <= 3; i++)
		feed_event(&f, 1000 + i, i, NULL, "x", 1);
	feed_deliver();
}

/* The model itself has one end of a pipe open. */
static bool all_given_back(void)
{
	close(fake->consumer_wake);
	return open_files() == (unsigned int)files_before;
}

static void *processes(void *arg)
{
	ProcessTrace(&trace, 1, NULL, NULL);
	return arg;
}

static void wait_for_poll(void)
{
	while (!atomic_load(&polling))
		usleep(1000);
}

static void test_waiting(void)
{
	pthread_t thread;

	prepare(on_record);
	stay = true;
	thread = start(processes);
	wait_for_poll();
	pthread_cancel(thread);
	ok(ends_cancelled(thread), "cancelled while it waits for events");
	is(record_count, 3, "which it had delivered");
	is(CloseTrace(trace), ERROR_SUCCESS, "the trace is no longer being processed");
	ok(all_given_back(), "and nothing is left of it");
}

static void test_callback(void)
{
	prepare(on_record);
	ok(ends_cancelled(start(processes)), "cancelled in a callback");
	stay = true;
	fake->ended = true;
	is(ProcessTrace(&trace, 1, NULL, NULL), ERROR_SUCCESS, "the trace can be processed again");
	is(record_count, 3, "with the remaining events");
	is(CloseTrace(trace), ERROR_SUCCESS, "and closed");
	ok(all_given_back(), "and nothing is left of it");

	prepare(on_record);
	close_within = true;
	ok(ends_cancelled(start(processes)), "cancelled in a callback that has closed it");
	is(CloseTrace(trace), ERROR_INVALID_HANDLE, "the trace is closed");
	ok(all_given_back(), "and nothing is left of it");
}

static void test_busy(void)
{
	prepare(on_busy);
	ok(ends_cancelled(start(processes)), "cancelled while there are events");
	is(record_count, 1, "before the next one");
	is(CloseTrace(trace), ERROR_SUCCESS, "and closed");
	ok(all_given_back(), "and nothing is left of it");
}

static ULONG close_result;

static void *closes(void *arg)
{
	pthread_cancel(pthread_self());
	close_result = CloseTrace(trace);
	pthread_testcancel();
	return arg;
}

static void *opens(void *arg)
{
	EVENT_TRACE_LOGFILEA l = { .LoggerName = (char *)"session" };

	l.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME;
	pthread_cancel(pthread_self());
	trace = OpenTraceA(&l);
	pthread_testcancel();
	return arg;
}

static void test_closing(void)
{
	pthread_t thread;

	prepare(on_record);
	stay = true;
	thread = start(processes);
	wait_for_poll();
	ok(ends_cancelled(start(closes)), "cancelled in CloseTrace");
	is(close_result, ERROR_CTX_CLOSE_PENDING, "which is through");
	ok(!ends_cancelled(thread), "the processing thread ends");
	alarm(60);
	is(CloseTrace(trace), ERROR_INVALID_HANDLE, "the lock is free");
	alarm(0);
	ok(all_given_back(), "and nothing is left of it");

	files_before = open_files();
	trace = INVALID_PROCESSTRACE_HANDLE;
	ok(ends_cancelled(start(opens)), "cancelled in OpenTrace");
	ok(trace != INVALID_PROCESSTRACE_HANDLE, "which is through");
	ok(ends_cancelled(start(closes)) && !close_result, "and in closing it");
	ok(all_given_back(), "and nothing is left of it");
}

int main(void)
{
	struct etw_session s = { .buffer_kb = 4 };
	struct etw_kdev_ops ops;

	fake_init();
	ops = fake_ops;
	ops.poll = counting_poll;
	etw_kdev_ops = &ops;
	etw_kdev_name_session(&s, "session");
	fake_start(&s);
	session = s.handle;
	test_controllers();
	test_waiting();
	test_callback();
	test_busy();
	test_closing();
	return done_testing();
}
