// SPDX-License-Identifier: MIT
/* OpenTrace, ProcessTrace, CloseTrace over the model of the device */
#include "lib_fake.h"
#include "lib_feed.h"

#include <evntcons.h>
#include <evntrace.h>
#include "lib/tap.h"
#include "lib/threads.h"

#define START	133000000000000000LL	/* the session's, at clock 1000 ns */

static const struct etw_guid related = { 0x4E1A, 0, 0, { 7 } };
static TRACEHANDLE session;

/* Data that callbacks received */
static EVENT_RECORD records[32];
static EVENT_HEADER_EXTENDED_DATA_ITEM item;
static GUID item_guid;
static char text[32][16];
static int record_count, buffer_count, stop_at, close_at;
static TRACEHANDLE trace;
static ULONG close_result;
static LONGLONG buffer_time;
static ULONG buffer_filled;
static EVENT_RECORD head;		/* the header's event */
static int head_count, head_at;		/* the number of events before it */
static char head_data[1024];

static VOID WINAPI on_record(PEVENT_RECORD r)
{
	int n;

	if (r->EventHeader.ProviderId.Data1 == 0x68fdd900) {
		head = *r;
		head_count++;
		head_at = record_count;
		memcpy(head_data, r->UserData, r->UserDataLength);
		return;
	}
	n = record_count++;
	records[n] = *r;
	memset(text[n], 0, sizeof(text[n]));
	if (r->UserDataLength && r->UserDataLength < sizeof(text[n]))
		memcpy(text[n], r->UserData, r->UserDataLength);
	if (r->ExtendedDataCount) {
		item = *r->ExtendedData;
		memcpy(&item_guid, (void *)(uintptr_t)item.DataPtr, sizeof(item_guid));
	}
	if (record_count == close_at)
		close_result = CloseTrace(trace);
}

static EVENT_TRACE classic;

static VOID WINAPI on_classic(PEVENT_TRACE event)
{
	if (event->Header.Guid.Data1 == 0x68fdd900) {
		head_count += event->Header.Class.Type == 0 &&
			      event->MofLength > sizeof(TRACE_LOGFILE_HEADER);
		return;
	}
	classic = *event;
	record_count++;
}

static ULONG WINAPI on_buffer_a(PEVENT_TRACE_LOGFILEA logfile)
{
	buffer_count++;
	buffer_time = logfile->CurrentTime;
	buffer_filled = logfile->Filled;
	if (strcmp(logfile->LoggerName, "session") || logfile->Context != &session)
		return FALSE;
	return buffer_count != stop_at;
}

static ULONG WINAPI on_buffer_w(PEVENT_TRACE_LOGFILEW logfile)
{
	buffer_count++;
	return !memcmp(logfile->LoggerName, u"session", 16) &&
	       (int)logfile->BuffersRead == buffer_count;
}

static EVENT_TRACE_LOGFILEA real_time(ULONG mode)
{
	EVENT_TRACE_LOGFILEA l = { .LoggerName = (char *)"session" };

	l.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME | mode;
	l.EventRecordCallback = on_record;
	l.BufferCallback = on_buffer_a;
	l.Context = &session;
	return l;
}

/* Start over, with a consumer that reads three events in two buffers. */
static void prepare(ULONG mode)
{
	EVENT_TRACE_LOGFILEA l = real_time(mode);
	struct feed f;

	record_count = buffer_count = stop_at = close_at = head_count = 0;
	pthread_mutex_lock(&fake->lock);
	fake->buffer_count = fake->buffer_next = 0;
	fake->ended = true;
	pthread_mutex_unlock(&fake->lock);
	trace = OpenTraceA(&l);
	feed_fake(&f, 300, 0);
	feed_event(&f, 1000 + 1000000, 1, &related, "one", 3);
	feed_event(&f, 1000 + 3000000, 3, NULL, "three", 5);
	feed_deliver();
	feed_fake(&f, 1, 1);
	feed_event(&f, 1000 + 2000000, 2, NULL, "two", 3);
	((struct etw_event_header *)(f.data + 72))->type = ETW_TYPE_EVENT32;
	feed_deliver();
}

/* B174, B176, B188, B197 */
static void test_open(void)
{
	EVENT_TRACE_LOGFILEA l = real_time(0);
	EVENT_TRACE_LOGFILEW w = { .LoggerName = (WCHAR[]){ u"session" } };
	TRACEHANDLE h;

#define REFUSED(code, what, ...)					\
	do {								\
		l = real_time(0);					\
		__VA_ARGS__;						\
		SetLastError(0);					\
		ok(OpenTraceA(&l) == INVALID_PROCESSTRACE_HANDLE &&	\
		   GetLastError() == code, what);			\
	} while (0)

	ok(OpenTraceA(NULL) == INVALID_PROCESSTRACE_HANDLE &&
	   GetLastError() == ERROR_INVALID_PARAMETER, "nothing to open");
	REFUSED(ERROR_INVALID_PARAMETER, "no name", l.LoggerName = NULL);
	REFUSED(ERROR_INVALID_PARAMETER, "two names", l.LogFileName = (char *)"x.etl");
	REFUSED(ERROR_INVALID_PARAMETER, "a session without REAL_TIME", l.ProcessTraceMode = 0);
	REFUSED(ERROR_INVALID_PARAMETER, "a file with REAL_TIME", l.LoggerName = NULL,
		l.LogFileName = (char *)"x.etl");
	REFUSED(ERROR_FILE_NOT_FOUND, "no such file", l.LoggerName = NULL,
		l.LogFileName = (char *)"/nonexistent/x.etl", l.ProcessTraceMode = 0);
	REFUSED(ERROR_WMI_INSTANCE_NOT_FOUND, "no such session", l.LoggerName = (char *)"no");
	REFUSED(ERROR_WMI_SERVER_UNAVAILABLE, "no module", fake->open_error = -ENOENT);
	REFUSED(ERROR_ACCESS_DENIED, "not allowed", fake->open_error = 0;
		fake->error[0x40] = -EPERM);
	ok(!l.LogfileHeader.PointerSize && !l.BufferSize, "the struct is untouched");

	l = real_time(0);
	h = OpenTraceA(&l);
	ok(h && h != INVALID_PROCESSTRACE_HANDLE, "open");
	ok(l.LogfileHeader.PointerSize == 8 && l.LogfileHeader.NumberOfProcessors > 0 &&
	   l.LogfileHeader.BufferSize == FAKE_BUFFER_SIZE &&
	   l.LogfileHeader.PerfFreq.QuadPart == 1000000000 &&
	   l.LogfileHeader.StartTime.QuadPart == START &&
	   l.LogfileHeader.BootTime.QuadPart > 0 && l.LogfileHeader.ReservedFlags == 1,
	   "its header");
	is(CloseTrace(h), ERROR_SUCCESS, "close");
	is(CloseTrace(h), ERROR_INVALID_HANDLE, "once");
	is(CloseTrace(0), ERROR_INVALID_HANDLE, "handle 0");
	is(CloseTrace(INVALID_PROCESSTRACE_HANDLE), ERROR_INVALID_HANDLE, "invalid handle");
	w.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME;
	h = OpenTraceW(&w);
	ok(h != INVALID_PROCESSTRACE_HANDLE && w.LogfileHeader.PointerSize == 8, "wide open");
	is(CloseTrace(h), ERROR_SUCCESS, "and close");
#undef REFUSED
}

/* B177, B178, B179 */
static void test_arguments(void)
{
	FILETIME early = { 1, 1 }, late = { 0, 2 };
	EVENT_TRACE_LOGFILEA l = real_time(0);
	TRACEHANDLE h[2] = { OpenTraceA(&l), OpenTraceA(&l) }, bad = 4711;

	is(ProcessTrace(h, 0, NULL, NULL), ERROR_BAD_LENGTH, "no handles");
	is(ProcessTrace(h, 65, NULL, NULL), ERROR_BAD_LENGTH, "65 handles");
	is(ProcessTrace(NULL, 1, NULL, NULL), ERROR_INVALID_PARAMETER, "NULL handles");
	is(ProcessTrace(h, 1, &late, &early), ERROR_INVALID_TIME, "end before start");
	is(ProcessTrace(&bad, 1, NULL, NULL), ERROR_INVALID_HANDLE, "bad handle");
	is(ProcessTrace(h, 2, NULL, NULL), ERROR_INVALID_PARAMETER, "two sessions");
	CloseTrace(h[0]);
	is(ProcessTrace(h, 1, NULL, NULL), ERROR_INVALID_HANDLE, "closed handle");
	is(ProcessTrace(h, 2, NULL, NULL), ERROR_INVALID_HANDLE, "one of two closed");
	CloseTrace(h[1]);
}

/* B173, B182: in real time, too */
static void test_head(void)
{
	TRACE_LOGFILE_HEADER h;

	prepare(PROCESS_TRACE_MODE_EVENT_RECORD);
	is(ProcessTrace(&trace, 1, NULL, NULL), ERROR_SUCCESS, "a session's header");
	ok(head_count == 1 && !head_at, "is its first event");
	ok(!head.EventHeader.EventDescriptor.Opcode && !head.EventHeader.EventDescriptor.Id &&
	   head.EventHeader.Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER &&
	   head.EventHeader.TimeStamp.QuadPart == START && head.UserContext == &session,
	   "of opcode 0, when the session was started");
	memcpy(&h, head_data, sizeof(h));
	ok(h.BufferSize == FAKE_BUFFER_SIZE && h.PointerSize == 8 &&
	   h.StartTime.QuadPart == START && h.PerfFreq.QuadPart == 1000000000 &&
	   h.ReservedFlags == 1 && !h.EndTime.QuadPart, "the structure");
	ok(head.UserDataLength == sizeof(h) + sizeof(u"session") + sizeof(u"") &&
	   !memcmp(head_data + sizeof(h), u"session\0", sizeof(u"session\0")),
	   "and both names; a session has one of them");
	is(buffer_count, 2, "it counts as no buffer");
	CloseTrace(trace);

	prepare(PROCESS_TRACE_MODE_EVENT_RECORD | PROCESS_TRACE_MODE_RAW_TIMESTAMP);
	stop_at = 1;
	ProcessTrace(&trace, 1, NULL, NULL);
	ProcessTrace(&trace, 1, NULL, NULL);
	ok(head_count == 1 && head.EventHeader.TimeStamp.QuadPart == 1000,
	   "once, also if processing resumes; raw time");
	CloseTrace(trace);
}

/* B171 */
static void test_records(void)
{
	const EVENT_RECORD *r = records;

	prepare(PROCESS_TRACE_MODE_EVENT_RECORD);
	is(ProcessTrace(&trace, 1, NULL, NULL), ERROR_SUCCESS, "process until the session ends");
	is(record_count, 3, "three events");
	ok(!strcmp(text[0], "one") && !strcmp(text[1], "two") && !strcmp(text[2], "three"),
	   "in time order, with their payload");
	is(r[0].EventHeader.TimeStamp.QuadPart, START + 10000, "time");
	is(r[0].EventHeader.Flags, EVENT_HEADER_FLAG_EXTENDED_INFO |
	   EVENT_HEADER_FLAG_NO_CPUTIME | EVENT_HEADER_FLAG_64_BIT_HEADER |
	   EVENT_HEADER_FLAG_PROCESSOR_INDEX, "flags");
	ok(r[1].EventHeader.Flags & EVENT_HEADER_FLAG_32_BIT_HEADER &&
	   !(r[1].EventHeader.Flags & EVENT_HEADER_FLAG_64_BIT_HEADER), "a 32-bit writer");
	is(GetEventProcessorIndex(&r[0]), 300, "CPU 300");
	is(r[1].BufferContext.LoggerId, 3, "session id");
	ok(r[0].ExtendedDataCount == 1 && item.ExtType == 1 && item.DataSize == 16 &&
	   !item.Linkage && !memcmp(&item_guid, &related, 16), "related activity");
	ok(!r[1].ExtendedDataCount && !r[1].ExtendedData, "no items elsewhere");
	ok(r[0].EventHeader.ProcessId == 10 && r[0].EventHeader.ThreadId == 11 &&
	   r[0].EventHeader.EventDescriptor.Id == 1 &&
	   !memcmp(&r[0].EventHeader.ProviderId, &feed_guid, 16) &&
	   r[0].UserContext == &session, "header and context");
	ok(buffer_count == 2 && buffer_time == START + 30000 && buffer_filled > 72,
	   "buffer callback after each buffer");
	is(ProcessTrace(&trace, 1, NULL, NULL), ERROR_WMI_INSTANCE_NOT_FOUND,
	   "the session has ended");
	is(CloseTrace(trace), ERROR_SUCCESS, "close");

	prepare(PROCESS_TRACE_MODE_EVENT_RECORD | PROCESS_TRACE_MODE_RAW_TIMESTAMP);
	ProcessTrace(&trace, 1, NULL, NULL);
	is(r[0].EventHeader.TimeStamp.QuadPart, 1001000, "raw time");
	CloseTrace(trace);
}

/* B179 */
static void test_bounds(void)
{
	FILETIME first = { (START + 20000) & 0xFFFFFFFF, (START + 20000) >> 32 };
	FILETIME last = { (START + 29999) & 0xFFFFFFFF, (START + 29999) >> 32 };

	prepare(PROCESS_TRACE_MODE_EVENT_RECORD);
	is(ProcessTrace(&trace, 1, &first, &first), ERROR_SUCCESS, "both bounds inclusive");
	ok(record_count == 1 && !strcmp(text[0], "two"), "one event");
	CloseTrace(trace);
	prepare(PROCESS_TRACE_MODE_EVENT_RECORD);
	ProcessTrace(&trace, 1, NULL, &last);
	is(record_count, 2, "only an end");
	CloseTrace(trace);
	prepare(PROCESS_TRACE_MODE_EVENT_RECORD);
	ProcessTrace(&trace, 1, &first, NULL);
	is(record_count, 2, "only a start");
	CloseTrace(trace);
}

/* B183, B185, B186, B187 */
static void test_ends(void)
{
	prepare(PROCESS_TRACE_MODE_EVENT_RECORD);
	stop_at = 1;
	is(ProcessTrace(&trace, 1, NULL, NULL), ERROR_CANCELLED, "buffer callback returns FALSE");
	is(record_count, 2, "after the first buffer that is done");
	is(ProcessTrace(&trace, 1, NULL, NULL), ERROR_SUCCESS, "processing can continue");
	is(record_count, 3, "with the remaining events");
	is(CloseTrace(trace), ERROR_SUCCESS, "close");

	prepare(PROCESS_TRACE_MODE_EVENT_RECORD);
	fake->ended = false;
	close_at = 1;
	fake->complete_through = 1 << 30;
	fake->complete_sequence = 2;
	is(ProcessTrace(&trace, 1, NULL, NULL), ERROR_SUCCESS, "closed from a callback");
	is(close_result, ERROR_CTX_CLOSE_PENDING, "CloseTrace reports that");
	is(record_count, 3, "the events read are delivered");
	is(CloseTrace(trace), ERROR_INVALID_HANDLE, "the handle is invalid");
	fake->complete_through = 0;
}

/* B175 */
static void test_classic(void)
{
	EVENT_TRACE_LOGFILEW w = { .LoggerName = (WCHAR[]){ u"session" } };

	prepare(0);
	CloseTrace(trace);
	w.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME;
	w.EventCallback = on_classic;
	w.BufferCallback = on_buffer_w;
	trace = OpenTraceW(&w);
	/* The events are in the first pipe; announce them again. */
	if (write(fake->consumer_wake, "xx", 2) != 2)
		abort();
	is(ProcessTrace(&trace, 1, NULL, NULL), ERROR_SUCCESS, "classic events");
	ok(record_count == 3 && buffer_count == 2 && head_count == 1, "all of them");
	ok(classic.Header.Size == 48 + 5 && classic.Header.Class.Type == 9 &&
	   classic.Header.Class.Level == 4 && classic.Header.Class.Version == 2 &&
	   classic.Header.ThreadId == 11 && classic.Header.ProcessId == 10 &&
	   classic.Header.TimeStamp.QuadPart == START + 30000 &&
	   !memcmp(&classic.Header.Guid, &feed_guid, 16) && classic.MofLength == 5 &&
	   classic.BufferContext.ProcessorIndex == 300, "with their members");
	CloseTrace(trace);
}

/* B192: before the next buffer's events */
static void test_loss(void)
{
	struct feed f;

	prepare(PROCESS_TRACE_MODE_EVENT_RECORD);
	feed_fake(&f, 1, 5);
	feed_header(&f)->flags |= ETW_BUFFER_EVENTS_LOST | ETW_BUFFER_BACKUP_LOST;
	feed_event(&f, 1000 + 4000000, 4, NULL, "four", 4);
	feed_deliver();
	is(ProcessTrace(&trace, 1, NULL, NULL), ERROR_SUCCESS, "events were lost");
	is(record_count, 7, "which events report");
	ok(records[3].EventHeader.ProviderId.Data1 == 0x6a399ae0 &&
	   records[4].EventHeader.ProviderId.Data1 == 0x6a399ae0 &&
	   records[5].EventHeader.ProviderId.Data1 == 0x6a399ae0 &&
	   records[3].EventHeader.EventDescriptor.Opcode == 34 &&
	   records[4].EventHeader.EventDescriptor.Opcode == 33 &&
	   records[5].EventHeader.EventDescriptor.Opcode == 32 &&
	   records[6].EventHeader.EventDescriptor.Id == 4, "before the next one");
	ok(!records[4].UserDataLength && records[4].UserContext == &session &&
	   records[4].EventHeader.TimeStamp.QuadPart == START + 40000 &&
	   GetEventProcessorIndex(&records[4]) == 1, "with its time, and nothing in them");
	CloseTrace(trace);
}

static void *close_thread(void *arg)
{
	(void)arg;
	main_sleeps();
	close_result = CloseTrace(trace);
	return NULL;
}

/* B185, B186 */
static void test_blocks(void)
{
	pthread_t thread;

	prepare(PROCESS_TRACE_MODE_EVENT_RECORD);
	fake->ended = false;
	pthread_create(&thread, NULL, close_thread, NULL);
	is(ProcessTrace(&trace, 1, NULL, NULL), ERROR_SUCCESS, "closed by another thread");
	pthread_join(thread, NULL);
	is(close_result, ERROR_CTX_CLOSE_PENDING, "CloseTrace reports that");
	is(record_count, 3, "nothing is withheld");
}

int main(void)
{
	struct etw_session s = { .buffer_kb = 4 };

	fake_init();
	etw_kdev_name_session(&s, "session");
	fake_start(&s);
	session = s.handle;
	test_open();
	test_arguments();
	test_head();
	test_records();
	test_bounds();
	test_ends();
	test_classic();
	test_loss();
	test_blocks();
	return done_testing();
}
