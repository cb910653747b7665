// SPDX-License-Identifier: MIT
/* OpenTraceFromFile, OpenTraceFromRealTimeLogger: buffers, their references, queries */
#include "unit/etl/etl_make.h"

#include <pthread.h>

#include <evntcons.h>
#include <evntrace.h>
#include "lib/tap.h"
#include "lib/threads.h"

#define KEPT	4

static char order[1024];	/* ids of the events in order, H for a header's */
static int context, events, buffers, stop_at, keep_at, bad;
static LONGLONG times[16];
static PROCESSTRACE_HANDLE handle;
static const ETW_BUFFER_HEADER *volatile kept;
static unsigned char copy[MAKE_SIZE];
static ULONG sizes[16], kept_size;
static USHORT types[16];

static VOID WINAPI on_event(PEVENT_RECORD r)
{
	size_t at = strlen(order);

	bad += r->UserContext != &events;
	if (!memcmp(&r->EventHeader.ProviderId, &EventTraceGuid, sizeof(GUID)))
		snprintf(order + at, sizeof(order) - at, "H ");
	else
		snprintf(order + at, sizeof(order) - at, "%u ",
			 r->EventHeader.EventDescriptor.Id);
	times[events++ % 16] = r->EventHeader.TimeStamp.QuadPart;
}

static BOOL WINAPI on_buffer(const ETW_BUFFER_HEADER *b, ULONG size,
			     const ETW_BUFFER_CALLBACK_INFORMATION *info, void *ctx)
{
	const struct etw_buffer_header *h = (const void *)b;

	bad += ctx != &context || info->TraceHandle != handle || h->buffer_size != size ||
	       b->FilledBytes != h->offset || h->offset > size ||
	       h->flags & ETW_BUFFER_COMPRESSED ||
	       (int)info->BuffersRead != buffers + 1 || !info->LogfileHeader->PointerSize;
	sizes[buffers % 16] = size;
	types[buffers % 16] = h->type;
	buffers++;
	if (buffers == keep_at) {
		kept = b;
		kept_size = size;
		memcpy(copy, b, size);
		bad += ProcessTraceBufferIncrementReference(handle, b) != ERROR_SUCCESS;
		bad += ProcessTraceBufferIncrementReference(handle, b) != ERROR_SUCCESS;
		bad += ProcessTraceBufferIncrementReference(handle, (const void *)copy) !=
		       ERROR_INVALID_PARAMETER;
	}
	return buffers != stop_at;
}

static ETW_OPEN_TRACE_OPTIONS options(void)
{
	return (ETW_OPEN_TRACE_OPTIONS){
		.EventCallback = on_event, .EventCallbackContext = &events,
		.BufferCallback = on_buffer, .BufferCallbackContext = &context,
	};
}

static ULONG process(void)
{
	order[0] = '\0';
	events = buffers = bad = 0;
	return ProcessTrace(&handle, 1, NULL, NULL);
}

static const WCHAR *wide(const char *path)
{
	static WCHAR text[256];
	int i;

	for (i = 0; path[i]; i++)
		text[i] = path[i];
	text[i] = 0;
	return text;
}

static struct make one;

static void put(uint16_t cpu, uint64_t sequence, int a, int b)
{
	make_buffer(&one, cpu, sequence);
	feed_event(&one.feed, 1000 + a * 100, a, NULL, "abc", 3);
	feed_event(&one.feed, 1000 + b * 100, b, NULL, "abc", 3);
}

/* Store the buffer's contents in XPRESS format, without matches. */
static void pack(void)
{
	struct etw_buffer_header *h = feed_header(&one.feed);
	unsigned char from[MAKE_SIZE], *to = one.data + sizeof(*h);
	uint32_t len = h->offset - sizeof(*h), at, n;

	memcpy(from, to, len);
	for (at = 0; at < len; at += n) {
		n = len - at < 32 ? len - at : 32;
		memset(to, 0, 4);
		/* After the end the flags are matches, which are never decoded. */
		memcpy(to + 4, from + at, n);
		to += 4 + n;
	}
	h->buffer_size = (to - one.data + 7) & ~7u;
	h->flags |= ETW_BUFFER_COMPRESSED;
}

static void make_file(void)
{
	make_begin(&one, 1);
	put(0, 1, 10, 40);
	make_put(&one);
	put(1, 2, 20, 50);
	feed_header(&one.feed)->flags |= ETW_BUFFER_EVENTS_LOST;
	make_put(&one);
	put(0, 3, 60, 70);
	pack();
	make_put(&one);
	make_end(&one);
}

static void test_open(void)
{
	ETW_OPEN_TRACE_OPTIONS o = options();
	TRACE_LOGFILE_HEADER head;

#define REFUSED(call, code, what)					\
	do {								\
		SetLastError(0);					\
		ok((call) == INVALID_PROCESSTRACE_HANDLE && GetLastError() == (code), what); \
	} while (0)

	REFUSED(OpenTraceFromFile(NULL, &o, NULL), ERROR_INVALID_PARAMETER, "no name");
	REFUSED(OpenTraceFromFile(u"", &o, NULL), ERROR_INVALID_PARAMETER, "an empty name");
	REFUSED(OpenTraceFromFile(wide(one.path), NULL, NULL), ERROR_INVALID_PARAMETER,
		"no options");
	REFUSED(OpenTraceFromFile(u"/nonexistent", &o, NULL), ERROR_FILE_NOT_FOUND, "no file");
	REFUSED(OpenTraceFromRealTimeLogger(u"nobody", &o, NULL), ERROR_WMI_INSTANCE_NOT_FOUND,
		"no session");
	REFUSED(OpenTraceFromRealTimeLogger(NULL, &o, NULL), ERROR_INVALID_PARAMETER, "no name");
	REFUSED(OpenTraceFromRealTimeLoggerWithAllocationOptions(u"session", &o, 0, &o, NULL),
		ERROR_NOT_SUPPORTED, "a memory partition");
	REFUSED(OpenTraceFromBufferStream(&o, NULL, NULL), ERROR_INVALID_PARAMETER,
		"a stream without its header");
	o.ProcessTraceModes = (ETW_PROCESS_TRACE_MODES)3;
	REFUSED(OpenTraceFromFile(wide(one.path), &o, NULL), ERROR_INVALID_PARAMETER,
		"an unknown mode");
#undef REFUSED
	o = options();
	handle = OpenTraceFromFile(wide(one.path), &o, &head);
	ok(handle != INVALID_PROCESSTRACE_HANDLE && head.BuffersWritten == 4 &&
	   head.StartTime.QuadPart == MAKE_START, "a file, and its header");
	CloseTrace(handle);
}

static void test_file(void)
{
	ETW_OPEN_TRACE_OPTIONS o = options();

	handle = OpenTraceFromFile(wide(one.path), &o, NULL);
	is(process(), ERROR_SUCCESS, "process it");
	ok(!strcmp(order, "H 10 20 40 50 60 70 ") && times[1] == MAKE_START + 10, "its events: %s",
	   order);
	ok(buffers == 4 && types[0] == ETW_BUFFER_TYPE_HEADER && !types[1] && !bad,
	   "and its buffers, the header's first, all uncompressed");
	CloseTrace(handle);

	o.ProcessTraceModes = ETW_PROCESS_TRACE_MODE_RAW_TIMESTAMP;
	handle = OpenTraceFromFile(wide(one.path), &o, NULL);
	stop_at = 2;
	is(process(), ERROR_CANCELLED, "until the buffer callback returns FALSE");
	stop_at = 0;
	ok(buffers == 2 && times[1] == 2000 && !bad, "raw times");
	CloseTrace(handle);

	o = options();
	o.EventCallback = NULL;
	handle = OpenTraceFromFile(wide(one.path), &o, NULL);
	is(process(), ERROR_SUCCESS, "buffers only");
	ok(buffers == 4 && !events && !bad, "all of them, and no event");
	CloseTrace(handle);
}

static volatile int let_go;

static void *decrement(void *arg)
{
	/* ProcessTrace() waits for the release of the buffer. */
	until(kept);
	main_sleeps();
	let_go = 1;
	bad += memcmp(kept, copy, kept_size) != 0;
	bad += ProcessTraceBufferDecrementReference(kept) != ERROR_SUCCESS;
	bad += memcmp(kept, copy, kept_size) != 0;
	bad += ProcessTraceBufferDecrementReference(kept) != ERROR_SUCCESS;
	return arg;
}

static void test_keep(void)
{
	ETW_OPEN_TRACE_OPTIONS o = options();
	pthread_t thread;

	for (keep_at = 1; keep_at <= 4; keep_at++) {
		handle = OpenTraceFromFile(wide(one.path), &o, NULL);
		let_go = 0;
		kept = NULL;
		pthread_create(&thread, NULL, decrement, NULL);
		is(process(), ERROR_SUCCESS, "a buffer is kept");
		ok(let_go, "the trace does not end until it is released");
		pthread_join(thread, NULL);
		ok(!bad, "its bytes do not change meanwhile");
		is(ProcessTraceBufferDecrementReference(kept), ERROR_INVALID_PARAMETER,
		   "then it is released");
		is(ProcessTraceBufferIncrementReference(handle, kept), ERROR_INVALID_PARAMETER,
		   "and cannot be had again");
		CloseTrace(handle);
	}
	keep_at = 0;
	is(ProcessTraceBufferIncrementReference(handle, kept), ERROR_INVALID_HANDLE, "no trace");
	is(ProcessTraceBufferDecrementReference(NULL), ERROR_INVALID_PARAMETER, "no buffer");
}

/* B198: QueryTraceProcessingHandle */
static void test_query(void)
{
	ETW_OPEN_TRACE_OPTIONS o = options();
	struct { ULONG count, pad; LONGLONG times[8]; } drops;
	ETW_TRACE_PARTITION_INFORMATION part;
	TRACE_LOGFILE_HEADER head;
	ULONG len = 0;

	handle = OpenTraceFromFile(wide(one.path), &o, NULL);
	is(QueryTraceProcessingHandle(handle, EtwQueryLastDroppedTimes, NULL, 0, NULL, 0, &len),
	   ERROR_INSUFFICIENT_BUFFER, "how large is it?");
	is(len, 8 + 4 * 8, "a time for each processor");
	is(QueryTraceProcessingHandle(handle, EtwQueryLastDroppedTimes, NULL, 0, &drops,
				      sizeof(drops), &len), ERROR_SUCCESS, "nothing was read");
	ok(drops.count == 4 && !drops.times[0] && !drops.times[1], "so nothing was lost yet");
	process();
	is(QueryTraceProcessingHandle(handle, EtwQueryLastDroppedTimes, NULL, 0, &drops, len,
				      &len), ERROR_SUCCESS, "all was read");
	ok(drops.count == 4 && !drops.times[0] && drops.times[1] == 3000 && !drops.times[2],
	   "one CPU lost events before this one");
	is(QueryTraceProcessingHandle(handle, EtwQueryLogFileHeader, NULL, 0, &head, sizeof(head),
				      &len), ERROR_SUCCESS, "the header");
	ok(len == sizeof(head) && head.BuffersWritten == 4, "with the current values");
	memset(&part, 1, sizeof(part));
	is(QueryTraceProcessingHandle(handle, EtwQueryPartitionInformation, NULL, 0, &part,
				      sizeof(part), &len), ERROR_SUCCESS, "partition");
	ok(len == 48 && !part.PartitionType && !part.QpcOffsetFromRoot, "none");
	is(QueryTraceProcessingHandle(handle, EtwQueryPartitionInformationV2, NULL, 0, &part,
				      31, &len), ERROR_INSUFFICIENT_BUFFER, "too small");
	is(len, 32, "and the required size is returned");
	is(QueryTraceProcessingHandle(handle, EtwQueryLogFileHeader, NULL, 0, NULL, 4000, &len),
	   ERROR_INVALID_PARAMETER, "no room");
	is(QueryTraceProcessingHandle(handle, EtwQueryLastDroppedTimes, NULL, 0, NULL, 4000, &len),
	   ERROR_INVALID_PARAMETER, "no size for times either");
	is(QueryTraceProcessingHandle(handle, EtwQueryProcessHandleInfoMax, NULL, 0, &part,
				      sizeof(part), &len), ERROR_INVALID_PARAMETER, "no class");
	is(QueryTraceProcessingHandle(handle, EtwQueryLogFileHeader, NULL, 0, &head, sizeof(head),
				      NULL), ERROR_INVALID_PARAMETER, "no pointer for the size");
	CloseTrace(handle);
	is(QueryTraceProcessingHandle(handle, EtwQueryLogFileHeader, NULL, 0, &head, sizeof(head),
				      &len), ERROR_INVALID_HANDLE, "closed");
}

static void test_session(void)
{
	ETW_OPEN_TRACE_OPTIONS o = options();
	struct etw_session s = { .buffer_kb = 4 };
	TRACE_LOGFILE_HEADER head = { .PointerSize = 0 };
	struct feed f;

	etw_kdev_name_session(&s, "session");
	fake_start(&s);
	fake->ended = true;
	handle = OpenTraceFromRealTimeLoggerWithAllocationOptions(u"session", &o, 1 << 20, NULL,
								  &head);
	ok(handle != INVALID_PROCESSTRACE_HANDLE && head.BufferSize == FAKE_BUFFER_SIZE,
	   "a session");
	feed_fake(&f, 0, 0);
	feed_event(&f, 2000, 1, NULL, "one", 3);
	feed_deliver();
	feed_fake(&f, 1, 1);
	feed_event(&f, 3000, 2, NULL, "two", 3);
	feed_deliver();
	is(process(), ERROR_SUCCESS, "process it");
	ok(!strcmp(order, "H 1 2 "), "its events: %s", order);
	ok(types[0] == ETW_BUFFER_TYPE_HEADER && sizes[0] < 1024 && sizes[1] == FAKE_BUFFER_SIZE,
	   "its buffers, before them that of a header");
	ok(buffers == 3 && !bad, "which counts as one");
	CloseTrace(handle);
	handle = OpenTraceFromRealTimeLogger(u"session", &o, NULL);
	ok(handle != INVALID_PROCESSTRACE_HANDLE, "the shorter function");
	CloseTrace(handle);
}

int main(void)
{
	fake_init();
	make_file();
	test_open();
	test_file();
	test_keep();
	test_query();
	test_session();
	unlink(one.path);
	return done_testing();
}
