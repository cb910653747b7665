// SPDX-License-Identifier: MIT
/* OpenTraceFromBufferStream: buffers delivered by one ProcessTrace are processed by another */
#include "unit/etl/etl_make.h"

#include <pthread.h>

#include <evntcons.h>
#include <evntrace.h>
#include "lib/tap.h"

#define BUFFERS	16

/* Buffers that the first reader's BufferCallback received */
static struct {
	_Alignas(8) unsigned char data[MAKE_SIZE];
	ULONG size;
	int done;		/* how often the stream released it */
} all[BUFFERS];

static char order[1024];
static LONGLONG times[32];
static int count, events, close_at, stop_at, context, wrong;
static PROCESSTRACE_HANDLE stream;
static ULONG close_result;
static pthread_t processor;

static VOID WINAPI on_event(PEVENT_RECORD r)
{
	size_t at = strlen(order);

	if (!memcmp(&r->EventHeader.ProviderId, &EventTraceGuid, sizeof(GUID)))
		snprintf(order + at, sizeof(order) - at, "H ");
	else if (!r->EventHeader.EventDescriptor.Id)
		snprintf(order + at, sizeof(order) - at, "!%u ",
			 r->EventHeader.EventDescriptor.Opcode);
	else
		snprintf(order + at, sizeof(order) - at, "%u ",
			 r->EventHeader.EventDescriptor.Id);
	times[events++ % 32] = r->EventHeader.TimeStamp.QuadPart;
	if (events == close_at)
		close_result = CloseTrace(stream);
}

static BOOL WINAPI take(const ETW_BUFFER_HEADER *b, ULONG size,
			const ETW_BUFFER_CALLBACK_INFORMATION *info, void *ctx)
{
	(void)info;
	(void)ctx;
	if (count == BUFFERS || size > MAKE_SIZE)
		abort();
	memcpy(all[count].data, b, size);
	all[count++].size = size;
	return TRUE;
}

static BOOL WINAPI pass(const ETW_BUFFER_HEADER *b, ULONG size,
			const ETW_BUFFER_CALLBACK_INFORMATION *info, void *ctx)
{
	(void)b;
	(void)ctx;
	/* The buffer belongs to the caller; after closing there is no trace to keep it for. */
	wrong += size < 72 || !ProcessTraceBufferIncrementReference(stream, b);
	return (int)info->BuffersRead != stop_at;
}

static VOID WINAPI on_done(const ETW_BUFFER_HEADER *b, void *ctx)
{
	int i;

	wrong += ctx != &context || (processor && !pthread_equal(processor, pthread_self()));
	for (i = 0; i < BUFFERS; i++)
		if ((const void *)all[i].data == b) {
			all[i].done++;
			return;
		}
	wrong++;
}

static struct make one;

static void put(uint16_t cpu, uint64_t sequence, int time, int a, int b)
{
	make_buffer(&one, cpu, sequence);
	feed_header(&one.feed)->timestamp = 1000 + time * 100;
	feed_event(&one.feed, 1000 + a * 100, a, NULL, "abc", 3);
	feed_event(&one.feed, 1000 + b * 100, b, NULL, "abc", 3);
	make_put(&one);
}

/* Process a file, and keep its buffers in the order of arrival. */
static void collect(void)
{
	ETW_OPEN_TRACE_OPTIONS o = { .EventCallback = on_event, .BufferCallback = take };
	WCHAR path[64];
	PROCESSTRACE_HANDLE h;
	int i;

	make_begin(&one, 1);
	put(0, 1, 45, 10, 40);
	put(1, 2, 55, 20, 50);
	put(2, 3, 90, 5, 85);
	put(0, 4, 75, 60, 70);
	put(1, 5, 110, 65, 100);
	make_end(&one);
	for (i = 0; one.path[i]; i++)
		path[i] = one.path[i];
	path[i] = 0;
	h = OpenTraceFromFile(path, &o, NULL);
	is(ProcessTrace(&h, 1, NULL, NULL), ERROR_SUCCESS, "a file is processed");
	CloseTrace(h);
	unlink(one.path);
	is(count, 6, "six buffers");
}

static void begin(void)
{
	ETW_OPEN_TRACE_OPTIONS o = { .EventCallback = on_event, .BufferCallback = pass };
	int i;

	order[0] = '\0';
	events = close_at = stop_at = wrong = 0;
	for (i = 0; i < BUFFERS; i++)
		all[i].done = 0;
	processor = pthread_self();
	stream = OpenTraceFromBufferStream(&o, on_done, &context);
}

static ULONG add(int i)
{
	return ProcessTraceAddBufferToBufferStream(stream, (const void *)all[i].data, all[i].size);
}

static int add_all(void)
{
	int i, bad = 0;

	for (i = 0; i < count; i++)
		bad += add(i) != ERROR_SUCCESS;
	return bad;
}

static bool each_done(int n)
{
	int i;

	for (i = 0; i < count; i++)
		if (all[i].done != (i < n))
			return false;
	return true;
}

static void test_pass_on(void)
{
	TRACE_LOGFILE_HEADER head;
	ULONG len;

	begin();
	is(add_all(), 0, "all buffers are added");
	close_at = 11;
	is(ProcessTrace(&stream, 1, NULL, NULL), ERROR_SUCCESS, "and processed");
	is(close_result, ERROR_CTX_CLOSE_PENDING, "the last event closes the stream");
	ok(!strcmp(order, "H 5 10 20 40 50 60 65 70 85 100 "), "by time: %s", order);
	ok(times[0] == MAKE_START && times[2] == MAKE_START + 10, "with their times");
	ok(each_done(count) && !wrong, "each buffer is done with once, on this thread");
	is(CloseTrace(stream), ERROR_INVALID_HANDLE, "the stream is closed");

	begin();
	add_all();
	stop_at = 2;
	is(ProcessTrace(&stream, 1, NULL, NULL), ERROR_CANCELLED, "a callback returns FALSE");
	is(QueryTraceProcessingHandle(stream, EtwQueryLogFileHeader, NULL, 0, &head, sizeof(head),
				      &len), ERROR_SUCCESS, "the header is known");
	ok(head.BuffersWritten == 6 && head.PointerSize == 8, "from the first buffer");
	is(CloseTrace(stream), ERROR_SUCCESS, "it is closed before the rest was processed");
	ok(each_done(count) && !wrong, "which is released nevertheless");
}

static void *adds(void *arg)
{
	int i;

	for (i = 0; i < count; i++) {
		usleep(2000);
		wrong += add(i) != ERROR_SUCCESS;
	}
	close_result = CloseTrace(stream);
	return arg;
}

static void test_threads(void)
{
	pthread_t thread;

	begin();
	pthread_create(&thread, NULL, adds, NULL);
	is(ProcessTrace(&stream, 1, NULL, NULL), ERROR_SUCCESS, "added by another thread");
	pthread_join(thread, NULL);
	is(events, 11, "that ends the stream after them");
	ok(each_done(count) && !wrong, "nothing is left");
}

static volatile int stop_adding;

static void *hammers(void *arg)
{
	unsigned int n = 0;

	while (!stop_adding)
		n += add(1) == ERROR_INVALID_HANDLE;
	(void)n;
	return arg;
}

/* Two threads add buffers while the stream is opened and closed: no use after free. */
static void test_race(void)
{
	pthread_t threads[2];
	int i;

	begin();
	stop_adding = 0;
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, hammers, NULL);
	for (i = 0; i < 300; i++) {
		CloseTrace(stream);
		begin();
		processor = 0;
		add(0);
	}
	stop_adding = 1;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	is(CloseTrace(stream), ERROR_SUCCESS, "added to and closed at once");
}

/* A stream that receives nothing more: it delivers the events it holds. */
static void test_quiet(void)
{
	begin();
	is(add(0), ERROR_SUCCESS, "the header");
	is(add(2), ERROR_SUCCESS, "and one buffer of one CPU of four");
	close_at = 3;
	is(ProcessTrace(&stream, 1, NULL, NULL), ERROR_SUCCESS, "it does not wait forever");
	is(events, 3, "for earlier events");
}

/* B199 */
static void test_order(void)
{
	begin();
	is(add(1), ERROR_INVALID_PARAMETER, "the header's has to be the first");
	is(add(0), ERROR_SUCCESS, "it is first");
	is(add(0), ERROR_INVALID_PARAMETER, "and the only one of its kind");
	/* 1 and 3 are of CPU 0, 2 and 5 of CPU 1. */
	is(add(3), ERROR_SUCCESS, "a buffer");
	is(add(3), ERROR_INVALID_TIME, "once");
	is(add(1), ERROR_INVALID_TIME, "an earlier one of that CPU");
	is(add(2), ERROR_SUCCESS, "an earlier one of another CPU");
	is(add(5), ERROR_SUCCESS, "that CPU's next one");
	CloseTrace(stream);
	ok(all[0].done == 1 && all[3].done == 1 && all[2].done == 1 && all[5].done == 1 &&
	   !all[1].done, "a refused buffer is not released");
	is(add(4), ERROR_INVALID_HANDLE, "closed");
}

static void test_bad(void)
{
	_Alignas(8) unsigned char bytes[MAKE_SIZE];
	struct etw_buffer_header *h = (void *)bytes;
	TRACEHANDLE two[2];
	int i, bad = 0;

	begin();
#define ADD(size) ProcessTraceAddBufferToBufferStream(stream, (const void *)bytes, size)
	is(ProcessTraceAddBufferToBufferStream(stream, NULL, 100), ERROR_INVALID_PARAMETER, "NULL");
	memcpy(bytes, all[0].data, all[0].size);
	is(ADD(71), ERROR_INVALID_PARAMETER, "no room for a header");
	is(ADD(h->offset - 1), ERROR_INVALID_PARAMETER, "no room for the used bytes");
	bytes[72 + 3] = 0;
	is(ADD(all[0].size), ERROR_INVALID_PARAMETER, "a header without a record");
	/* All kinds of garbage after a valid header: processing accepted buffers ends. */
	add(0);
	srand(1);
	for (i = 0; i < 3000; i++) {
		int k;

		memcpy(bytes, all[1].data, all[1].size);
		h->sequence = 1 + i;
		for (k = 0; k < 4; k++)
			/*
			 * Do not change the time and the number: with a late one no
			 * buffer could follow.
			 */
			bytes[0x20 + rand() % (all[1].size - 0x20)] = rand();
		bad += ADD(all[1].size) == ERROR_INVALID_HANDLE;
	}
	is(bad, 0, "garbage");
#undef ADD
	close_at = 1;
	wrong = 0;
	two[0] = stream;
	two[1] = stream;
	is(ProcessTrace(two, 2, NULL, NULL), ERROR_INVALID_PARAMETER,
	   "a stream must be the only handle");
	processor = 0;
	is(ProcessTrace(&stream, 1, NULL, NULL), ERROR_SUCCESS, "it is processed");
	ok(events > 1000, "%d events of it", events);
}

/* A loss recorded in a buffer is reported as in real time. */
static void test_loss(void)
{
	begin();
	((struct etw_buffer_header *)all[2].data)->flags |= ETW_BUFFER_EVENTS_LOST;
	add_all();
	((struct etw_buffer_header *)all[2].data)->flags &= ~ETW_BUFFER_EVENTS_LOST;
	close_at = 1;
	ProcessTrace(&stream, 1, NULL, NULL);
	ok(strstr(order, " !32 ") != NULL, "lost events: %s", order);
}

int main(void)
{
	collect();
	test_pass_on();
	test_threads();
	test_race();
	test_quiet();
	test_order();
	test_bad();
	test_loss();
	return done_testing();
}
