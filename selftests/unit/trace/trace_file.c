// SPDX-License-Identifier: MIT
/* OpenTrace, ProcessTrace, CloseTrace of log files */
#include "unit/etl/etl_make.h"

#include <evntcons.h>
#include <evntrace.h>
#include "lib/tap.h"

static char order[1024];	/* ids of the events in order, H for a header's */
static int buffers, close_at, stop_at, records;
static TRACEHANDLE closes;
static ULONG close_result;
static EVENT_RECORD last;
static unsigned char last_data[16];
static LONGLONG times[64];
static ULONG buffers_read, filled, written;
static int context;

static VOID WINAPI on_record(PEVENT_RECORD r)
{
	size_t at = strlen(order);

	if (r->EventHeader.ProviderId.Data1 == 0x68fdd900)
		snprintf(order + at, sizeof(order) - at, "H ");
	else
		snprintf(order + at, sizeof(order) - at, "%u ",
			 r->EventHeader.EventDescriptor.Id);
	times[records % 64] = r->EventHeader.TimeStamp.QuadPart;
	last = *r;
	memcpy(last_data, r->UserData, r->UserDataLength < 16 ? r->UserDataLength : 16);
	if (++records == close_at)
		close_result = CloseTrace(closes);
}

static VOID WINAPI on_classic(PEVENT_TRACE e)
{
	size_t at = strlen(order);

	snprintf(order + at, sizeof(order) - at, "%u/%u ", e->Header.Class.Type,
		 (unsigned int)e->MofLength);
}

static ULONG WINAPI on_buffer(PEVENT_TRACE_LOGFILEA l)
{
	buffers_read = l->BuffersRead;
	filled = l->Filled;
	written = l->LogfileHeader.BuffersWritten;
	return ++buffers != stop_at && l->Context == &context && l->LogFileName;
}

static EVENT_TRACE_LOGFILEA log_file(const char *path)
{
	EVENT_TRACE_LOGFILEA l = { .LogFileName = (char *)path };

	l.ProcessTraceMode = PROCESS_TRACE_MODE_EVENT_RECORD;
	l.EventRecordCallback = on_record;
	l.BufferCallback = on_buffer;
	l.Context = &context;
	return l;
}

static TRACEHANDLE open_file(const char *path)
{
	EVENT_TRACE_LOGFILEA l = log_file(path);

	return OpenTraceA(&l);
}

static ULONG process(TRACEHANDLE *handles, ULONG count, LPFILETIME first, LPFILETIME end)
{
	order[0] = '\0';
	buffers = records = 0;
	return ProcessTrace(handles, count, first, end);
}

static void put(struct make *m, uint16_t cpu, uint64_t sequence, int a, int b)
{
	make_buffer(m, cpu, sequence);
	feed_event(&m->feed, 1000 + a * 100, a, NULL, "abc", 3);
	feed_event(&m->feed, 1000 + b * 100, b, NULL, "abc", 3);
	make_put(m);
}

static struct make one, two;

static void make_files(void)
{
	make_begin(&one, 1);
	put(&one, 0, 1, 10, 40);
	put(&one, 1, 2, 20, 50);
	make_end(&one);
	two.head.logger = "NT Kernel Logger";
	two.head.logger_len = 16;
	make_begin(&two, 1);
	two.head.logger = "NT Kernel Logger";
	two.head.logger_len = 16;
	put(&two, 0, 1, 20, 30);
	make_end(&two);
}

/* B174, B197: the header is available before processing */
static void test_open(void)
{
	EVENT_TRACE_LOGFILEA l = log_file(one.path);
	EVENT_TRACE_LOGFILEW w = { .ProcessTraceMode = 0 };
	WCHAR wide[64];
	TRACEHANDLE h;
	int i;

	h = OpenTraceA(&l);
	ok(h != INVALID_PROCESSTRACE_HANDLE && l.LogfileHeader.PointerSize == 8 &&
	   l.LogfileHeader.NumberOfProcessors == 4 && l.LogfileHeader.BuffersWritten == 3 &&
	   l.LogfileHeader.StartTime.QuadPart == MAKE_START &&
	   l.LogfileHeader.PerfFreq.QuadPart == 1000000000 && l.BufferSize == MAKE_SIZE &&
	   !l.IsKernelTrace && !l.LogfileHeader.LoggerName, "opening returns the header");
	is(CloseTrace(h), ERROR_SUCCESS, "close without processing");
	is(CloseTrace(h), ERROR_INVALID_HANDLE, "once");

	for (i = 0; one.path[i]; i++)
		wide[i] = one.path[i];
	wide[i] = 0;
	w.LogFileName = wide;
	h = OpenTraceW(&w);
	ok(h != INVALID_PROCESSTRACE_HANDLE && w.LogfileHeader.BuffersWritten == 3, "wide");
	CloseTrace(h);

#define REFUSED(path, code, what)					\
	do {								\
		EVENT_TRACE_LOGFILEA bad = log_file(path);		\
									\
		SetLastError(0);					\
		ok(OpenTraceA(&bad) == INVALID_PROCESSTRACE_HANDLE &&	\
		   GetLastError() == code && !bad.BufferSize, what);	\
	} while (0)

	REFUSED("/nonexistent.etl", ERROR_FILE_NOT_FOUND, "no such file");
	REFUSED("/", ERROR_BAD_PATHNAME, "a directory");
	REFUSED("/dev/null/x", ERROR_BAD_PATHNAME, "no directory");
	REFUSED("/proc/self/cmdline", ERROR_FILE_CORRUPT, "no log file");
#undef REFUSED
	l = log_file(two.path);
	h = OpenTraceA(&l);
	ok(l.IsKernelTrace == 1, "the kernel logger's");
	CloseTrace(h);
}

/* B173, B182, B183, B185, B193, B194: one file, to its end */
static void test_one(void)
{
	TRACEHANDLE h = open_file(one.path);

	is(process(&h, 1, NULL, NULL), ERROR_SUCCESS, "one file");
	ok(!strcmp(order, "H 10 20 40 50 "), "the header's event, then the others by time: %s",
	   order);
	ok(times[0] == MAKE_START && times[1] == MAKE_START + 10, "times");
	ok(buffers == 3 && buffers_read == 3 && filled > 72 && written == 3, "buffer callbacks");
	ok(last.UserContext == &context && last.UserDataLength == 3 &&
	   GetEventProcessorIndex(&last) == 1 && last.BufferContext.LoggerId == 3, "a record");
	is(process(&h, 1, NULL, NULL), ERROR_SUCCESS, "once more");
	ok(!order[0], "there is nothing left");
	CloseTrace(h);
}

/* B180: ordered by time; with equal times the first handle's event comes first */
static void test_two(void)
{
	TRACEHANDLE h[2] = { open_file(two.path), open_file(one.path) };

	is(process(h, 2, NULL, NULL), ERROR_SUCCESS, "two files");
	ok(!strcmp(order, "H H 10 20 20 30 40 50 "), "merged: %s", order);
	is(buffers, 5, "buffers of both");
	CloseTrace(h[0]);
	CloseTrace(h[1]);
}

/* B181: events with equal times, or written after the clock was set back, are all delivered */
static void test_back(void)
{
	static struct make m;
	TRACEHANDLE h;

	make_begin(&m, 1);
	put(&m, 0, 1, 50, 40);
	put(&m, 1, 2, 40, 60);
	put(&m, 0, 3, 30, 60);
	make_end(&m);
	h = open_file(m.path);
	is(process(&h, 1, NULL, NULL), ERROR_SUCCESS, "the clock was set back");
	ok(!strcmp(order, "H 40 50 40 30 60 60 "), "each event comes once: %s", order);
	CloseTrace(h);
	unlink(m.path);
}

/* B195 */
static void test_packed(void)
{
	static struct make m;
	unsigned char bytes[] = { 7, 0x78, 0x56, 0x34, 0x12, 0xBC, 0x9A };
	struct { UCHAR a; ULONG b; USHORT c; } __attribute__((__packed__)) got;
	TRACEHANDLE h;

	make_begin(&m, 1);
	make_buffer(&m, 0, 1);
	feed_event(&m.feed, 1500, 1, NULL, bytes, sizeof(bytes));
	make_put(&m);
	make_end(&m);
	h = open_file(m.path);
	process(&h, 1, NULL, NULL);
	is(last.UserDataLength, 7, "three values, 7 bytes");
	memcpy(&got, last_data, sizeof(got));
	ok(got.a == 7 && got.b == 0x12345678 && got.c == 0x9ABC, "no gap between them");
	CloseTrace(h);
	unlink(m.path);
}

/* B177 */
static void test_arguments(void)
{
	TRACEHANDLE h[3] = { open_file(one.path), 4711, 0 };

	is(process(h, 2, NULL, NULL), ERROR_INVALID_HANDLE, "one handle is bad");
	h[1] = h[0];
	is(process(h, 2, NULL, NULL), ERROR_BUSY, "the same one twice");
	ok(!order[0], "nothing was processed");
	is(process(h, 1, NULL, NULL), ERROR_SUCCESS, "and nothing is left open");
	CloseTrace(h[0]);
}

/* B178 */
static void test_mix(void)
{
	EVENT_TRACE_LOGFILEA l = { .LoggerName = (char *)"session" };
	struct etw_session s = { .buffer_kb = 4 };
	TRACEHANDLE h[2];

	fake_init();
	etw_kdev_name_session(&s, "session");
	fake_start(&s);
	l.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME;
	h[0] = open_file(one.path);
	h[1] = OpenTraceA(&l);
	is(process(h, 2, NULL, NULL), ERROR_INVALID_PARAMETER, "a file and a session");
	CloseTrace(h[0]);
	CloseTrace(h[1]);
}

static FILETIME at(int t)
{
	uint64_t v = MAKE_START + t;

	return (FILETIME){ v & 0xFFFFFFFF, v >> 32 };
}

/* B179: bounds are inclusive */
static void test_bounds(void)
{
	TRACEHANDLE h = open_file(one.path);
	FILETIME first = at(20), end = at(40);

	is(process(&h, 1, &first, &end), ERROR_SUCCESS, "within bounds");
	ok(!strcmp(order, "20 40 "), "only those: %s", order);
	is(buffers, 3, "all buffers");
	CloseTrace(h);
}

/* B183, B186, B187 */
static void test_ends(void)
{
	TRACEHANDLE h[2] = { open_file(one.path), open_file(two.path) };

	stop_at = 3;
	is(process(h, 2, NULL, NULL), ERROR_CANCELLED, "the buffer callback returns FALSE");
	stop_at = 0;
	is(process(h, 2, NULL, NULL), ERROR_SUCCESS, "the remaining events can be processed");
	CloseTrace(h[0]);
	CloseTrace(h[1]);

	h[0] = open_file(one.path);
	h[1] = open_file(two.path);
	close_at = 3;
	closes = h[0];
	is(process(h, 2, NULL, NULL), ERROR_SUCCESS, "one of two closed in a callback");
	is(close_result, ERROR_CTX_CLOSE_PENDING, "CloseTrace reports that");
	ok(!strcmp(order, "H H 10 20 30 "), "the other one goes on: %s", order);
	is(CloseTrace(h[0]), ERROR_INVALID_HANDLE, "its handle is invalid");
	is(CloseTrace(h[1]), ERROR_SUCCESS, "the other is not");
	close_at = 0;
}

/* B175: without EVENT_RECORD, EVENT_TRACE */
static void test_classic(void)
{
	EVENT_TRACE_LOGFILEA l = log_file(one.path);
	TRACEHANDLE h;

	l.ProcessTraceMode = 0;
	l.EventCallback = on_classic;
	h = OpenTraceA(&l);
	is(process(&h, 1, NULL, NULL), ERROR_SUCCESS, "classic callback");
	ok(!strncmp(order, "0/", 2) && strstr(order, " 9/3 9/3 9/3 9/3 "), "gets all: %s", order);
	CloseTrace(h);
}

static int of_class;
static UCHAR class_type;

static VOID WINAPI on_class(PEVENT_TRACE e)
{
	of_class++;
	class_type = e->Header.Class.Type;
	if (e->MofLength == 5)
		RemoveTraceCallback(&e->Header.Guid);
}

static VOID WINAPI on_other(PEVENT_TRACE e)
{
	(void)e;
	of_class += 100;
}

static void test_class(void)
{
	struct etw_classic c = { .type = ETW_TYPE_FULL64, .event_type = 7, .data = "abcd",
				 .len = 4, .guid = { 0xC1A55, 0, 0, { 0 } } };
	static const GUID class = { 0xC1A55, 0, 0, { 0 } }, modern = { 0xFEED, 0, 0, { 1 } };
	EVENT_TRACE_LOGFILEA l;
	static struct make m;
	TRACEHANDLE h;

	make_begin(&m, 1);
	make_buffer(&m, 0, 1);
	feed_classic(&m.feed, &c, 2000, 0);
	feed_event(&m.feed, 2500, 1, NULL, "abc", 3);
	c.len = 5;
	feed_classic(&m.feed, &c, 3000, 0);
	feed_classic(&m.feed, &c, 4000, 0);
	make_put(&m);
	make_end(&m);
	is(SetTraceCallback(NULL, on_class), ERROR_INVALID_PARAMETER, "no class");
	is(SetTraceCallback(&class, NULL), ERROR_INVALID_PARAMETER, "no callback");
	is(RemoveTraceCallback(&class), ERROR_WMI_GUID_NOT_FOUND, "no callback is set");
	is(RemoveTraceCallback(NULL), ERROR_INVALID_PARAMETER, "no class to remove");
	is(SetTraceCallback(&class, on_other), ERROR_SUCCESS, "one is set");
	is(SetTraceCallback(&class, on_class), ERROR_SUCCESS, "another one in its place");
	SetTraceCallback(&modern, on_other);
	l = log_file(m.path);
	l.ProcessTraceMode = 0;
	l.EventCallback = on_classic;
	h = OpenTraceA(&l);
	is(process(&h, 1, NULL, NULL), ERROR_SUCCESS, "a trace of classic events");
	is(of_class, 2, "those of the class, until it is removed, and no others");
	ok(class_type == 7 && !strncmp(order, "0/", 2) && strstr(order, " 7/4 9/3 7/5 7/5 "),
	   "the other callback gets all: %s", order);
	is(RemoveTraceCallback(&class), ERROR_WMI_GUID_NOT_FOUND, "it is removed");
	is(RemoveTraceCallback(&modern), ERROR_SUCCESS, "the last one");
	CloseTrace(h);
	unlink(m.path);
}

static void test_raw(void)
{
	EVENT_TRACE_LOGFILEA l = log_file(one.path);
	TRACEHANDLE h;

	l.ProcessTraceMode |= PROCESS_TRACE_MODE_RAW_TIMESTAMP;
	h = OpenTraceA(&l);
	process(&h, 1, NULL, NULL);
	ok(times[0] == 1000 && times[1] == 2000, "raw time stamps");
	CloseTrace(h);
}

/* B196: a truncated file is read as far as it goes */
static void test_cut(void)
{
	TRACEHANDLE h;

	if (truncate(one.path, 2 * MAKE_SIZE + 500))
		abort();
	h = open_file(one.path);
	is(process(&h, 1, NULL, NULL), ERROR_SUCCESS, "a file that was cut off");
	ok(!strcmp(order, "H 10 40 "), "the remaining events: %s", order);
	CloseTrace(h);
}

int main(void)
{
	make_files();
	test_open();
	test_one();
	test_two();
	test_back();
	test_packed();
	test_arguments();
	test_bounds();
	test_ends();
	test_classic();
	test_class();
	test_raw();
	test_mix();
	test_cut();
	unlink(one.path);
	unlink(two.path);
	return done_testing();
}
