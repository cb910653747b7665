// SPDX-License-Identifier: MIT
/* Events of private sessions: every way to write them, filters, callbacks, losses */
#include "lib_private.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#include <TraceLoggingProvider.h>

TRACELOGGING_DEFINE_PROVIDER(tl_provider, "Private.Test", (0xC1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0));

static const GUID guid_tl = { 0xC1, 2, 3, { 4 } };
static const GUID guid_classic = { 0xD1, 2, 3, { 4 } };
static const GUID guid_class = { 0xD2, 2, 3, { 4 } };

static REGHANDLE prov;

/* The records of a file, in order */
struct seen {
	unsigned int count;
	EVENT_HEADER header[32];
	USHORT items[32];		/* bit: an item of that type */
	USHORT len[32];
	UCHAR data[32][64];
};

static void keep(const EVENT_RECORD *r, void *arg)
{
	struct seen *s = arg;
	unsigned int i = s->count, k;

	if (i == 32)
		return;
	s->count++;
	s->header[i] = r->EventHeader;
	s->len[i] = r->UserDataLength;
	s->items[i] = 0;
	for (k = 0; k < r->ExtendedDataCount; k++)
		s->items[i] |= 1u << r->ExtendedData[k].ExtType;
	memcpy(s->data[i], r->UserData, r->UserDataLength < 64 ? r->UserDataLength : 64);
}

static struct seen *seen(const char *file)
{
	static struct seen s;

	memset(&s, 0, sizeof(s));
	read_file(in_dir(file), keep, &s, NULL);
	is(verify(in_dir(file)), 0, "etw verify");
	return &s;
}

/* All functions of manifest providers */
static void test_functions(void)
{
	GUID activity = { .Data1 = 0xAC }, related = { .Data1 = 0x4E };
	TRACEHANDLE h = start("functions", &guid_a, 0, "functions.etl");
	EVENT_DATA_DESCRIPTOR data[3];
	struct seen *s;

	enable(h, &guid_a, 0, 0);
	EventDataDescCreate(&data[0], "ab", 2);
	EventDataDescCreate(&data[1], NULL, 0);
	EventDataDescCreate(&data[2], "cde", 3);
	is(EventWrite(prov, &event, 3, data), ERROR_SUCCESS, "EventWrite");
	is(EventWriteTransfer(prov, &event, &activity, &related, 1, data), ERROR_SUCCESS,
	   "EventWriteTransfer");
	EventActivityIdControl(EVENT_ACTIVITY_CTRL_SET_ID, &related);
	is(EventWrite(prov, &event, 0, NULL), ERROR_SUCCESS, "with the thread's activity");
	EventActivityIdControl(EVENT_ACTIVITY_CTRL_SET_ID, &(GUID){ 0 });
	is(EventWriteString(prov, 3, 0x10, u"h\u00e9!"), ERROR_SUCCESS, "EventWriteString");
	is(EventWriteEx(prov, &event, ~0ull, 0, NULL, NULL, 1, data), ERROR_SUCCESS,
	   "EventWriteEx: no private session has a bit to exclude it by");
	is(stop(h), ERROR_SUCCESS, "stop");
	s = seen("functions.etl");
	is(s->count, 5, "all are there");
	ok(s->len[0] == 5 && !memcmp(s->data[0], "abcde", 5), "the pieces of the first");
	ok(!memcmp(&s->header[0].EventDescriptor, &event, sizeof(event)), "its descriptor");
	is(s->items[0], 0, "without items");
	ok(s->header[1].ActivityId.Data1 == 0xAC && s->items[1] == 1 << 1, "both activities");
	is(s->header[2].ActivityId.Data1, 0x4E, "the thread's activity");
	ok(s->len[3] == 8 && !memcmp(s->data[3], u"h\u00e9!", 8) &&
	   s->header[3].Flags & EVENT_HEADER_FLAG_STRING_ONLY, "the string with its NUL");
}

static void test_tracelogging(void)
{
	TRACEHANDLE h;
	struct seen *s;

	is(TraceLoggingRegister(tl_provider), ERROR_SUCCESS, "a TraceLogging provider");
	h = start("tl", &guid_tl, 0, "tl.etl");
	TraceLoggingWrite(tl_provider, "Early", TraceLoggingLevel(4), TraceLoggingUInt32(1, "number"));
	enable(h, &guid_tl, 4, 0);
	ok(TraceLoggingProviderEnabled(tl_provider, 4, 0), "it is enabled");
	ok(!TraceLoggingProviderEnabled(tl_provider, 5, 0), "up to a level");
	TraceLoggingWrite(tl_provider, "Hello", TraceLoggingLevel(4), TraceLoggingUInt32(0x11223344, "number"));
	TraceLoggingWrite(tl_provider, "No", TraceLoggingLevel(5), TraceLoggingUInt32(2, "number"));
	is(stop(h), ERROR_SUCCESS, "stop");
	TraceLoggingWrite(tl_provider, "Late", TraceLoggingLevel(4), TraceLoggingUInt32(3, "number"));
	s = seen("tl.etl");
	is(s->count, 1, "the event that is wanted");
	is(s->items[0], 1 << 11 | 1 << 12, "with its schema and traits");
	ok(s->len[0] == 4 && !memcmp(s->data[0], "\x44\x33\x22\x11", 4), "and its payload");
	TraceLoggingUnregister(tl_provider);
}

static struct {
	uint64_t handle;
	int calls, enabled;
	UCHAR level;
	ULONG flags;
} classic;

static ULONG WMIAPI on_request(WMIDPREQUESTCODE code, PVOID context, ULONG *size, PVOID buffer)
{
	(void)size;
	(void)context;
	classic.calls++;
	classic.enabled = code == WMI_ENABLE_EVENTS;
	classic.handle = GetTraceLoggerHandle(buffer);
	classic.level = GetTraceEnableLevel(classic.handle);
	classic.flags = GetTraceEnableFlags(classic.handle);
	return ERROR_SUCCESS;
}

static void test_classic(void)
{
	TRACE_GUID_REGISTRATION class = { &guid_class, NULL };
	struct { EVENT_TRACE_HEADER h; char data[8]; } e = { .h = { .Size = sizeof(e) } };
	struct { EVENT_TRACE_HEADER h; MOF_FIELD field[2]; } mof = { .h = { .Size = sizeof(mof) } };
	TRACEHANDLE reg, h;
	struct seen *s;

	is(RegisterTraceGuidsA(on_request, NULL, &guid_classic, 1, &class, NULL, NULL, &reg),
	   ERROR_SUCCESS, "a classic provider");
	h = start("classic", &guid_classic, 0, "classic.etl");
	is(EnableTraceEx2(h, &guid_classic, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 3, 0x55, 0, INFINITE,
			  NULL), ERROR_SUCCESS, "enable");
	ok(classic.enabled && classic.level == 3 && classic.flags == 0x55, "its callback");
	e.h.Guid = guid_class;
	e.h.Class.Type = 9;
	e.h.Flags = WNODE_FLAG_TRACED_GUID;
	memcpy(e.data, "payload", 8);
	is(TraceEvent(classic.handle, &e.h), ERROR_SUCCESS, "TraceEvent");
	mof.h.Guid = guid_class;
	mof.h.Flags = WNODE_FLAG_TRACED_GUID | WNODE_FLAG_USE_MOF_PTR;
	mof.field[0] = (MOF_FIELD){ .DataPtr = (uintptr_t)"abc", .Length = 3 };
	mof.field[1] = (MOF_FIELD){ .DataPtr = (uintptr_t)"defg", .Length = 4 };
	is(TraceEvent(classic.handle, &mof.h), ERROR_SUCCESS, "with pieces");
	is(TraceMessage(classic.handle, TRACE_MESSAGE_GUID | TRACE_MESSAGE_SYSTEMINFO |
			TRACE_MESSAGE_SEQUENCE, &guid_class, 5, "xy", (size_t)2, "z", (size_t)1, NULL),
	   ERROR_SUCCESS, "TraceMessage");
	is(EnableTraceEx2(h, &guid_classic, EVENT_CONTROL_CODE_DISABLE_PROVIDER, 0, 0, 0, INFINITE,
			  NULL), ERROR_SUCCESS, "disable");
	ok(!classic.enabled && classic.calls == 2, "its callback");
	is(TraceEvent(classic.handle, &e.h), ERROR_INVALID_HANDLE, "no more events");
	is(stop(h), ERROR_SUCCESS, "stop");
	s = seen("classic.etl");
	is(s->count, 3, "all are there");
	ok(s->len[0] == 8 && !memcmp(s->data[0], "payload", 8) &&
	   s->header[0].EventDescriptor.Opcode == 9 &&
	   !memcmp(&s->header[0].ProviderId, &guid_class, sizeof(GUID)), "the event");
	ok(s->len[1] == 7 && !memcmp(s->data[1], "abcdefg", 7), "the pieces");
	ok(s->header[2].Flags & EVENT_HEADER_FLAG_TRACE_MESSAGE, "the message");
	is(UnregisterTraceGuids(reg), ERROR_SUCCESS, "unregister");
}

static void write_ids(unsigned int from, unsigned int to)
{
	EVENT_DESCRIPTOR e = event;
	EVENT_DATA_DESCRIPTOR data;

	for (e.Id = from; e.Id < to; e.Id++) {
		EventDataDescCreate(&data, &e.Id, sizeof(e.Id));
		is(EventWrite(prov, &e, 1, &data), ERROR_SUCCESS, "write");
	}
}

static ULONG enable_filtered(TRACEHANDLE h, ULONG type, void *data, ULONG size, ULONG property)
{
	EVENT_FILTER_DESCRIPTOR filter = { (uintptr_t)data, size, type };
	ENABLE_TRACE_PARAMETERS params = {
		.Version = ENABLE_TRACE_PARAMETERS_VERSION_2,
		.EnableProperty = property,
		.EnableFilterDesc = type ? &filter : NULL,
		.FilterDescCount = type ? 1 : 0,
	};

	return EnableTraceEx2(h, &guid_a, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 0, 0, 0, 0, &params);
}

/* B10, B17, B65, B87 */
static void test_filters(void)
{
	struct { EVENT_FILTER_EVENT_ID f; USHORT more[3]; } ids = {
		.f = { .FilterIn = TRUE, .Count = 2, .Events = { 2 } }, .more = { 4 },
	};
	TRACEHANDLE h = start("filter", &guid_a, 0, "filter.etl"), all;
	EVENT_DESCRIPTOR zero = { .Id = 9 };
	ULONG pid = getpid();
	struct seen *s;

	all = start("all", &guid_a, 0, "all.etl");
	enable(all, &guid_a, 0, 0);
	is(enable_filtered(h, EVENT_FILTER_TYPE_EVENT_ID, &ids, sizeof(ids), 0), ERROR_SUCCESS,
	   "by event id");
	write_ids(1, 6);
	is(enable_filtered(h, EVENT_FILTER_TYPE_PID, &pid, sizeof(pid), 0), ERROR_INVALID_PARAMETER,
	   "no filter by process");
	is(enable_filtered(h, 0, NULL, 0, EVENT_ENABLE_PROPERTY_PROVIDER_GROUP),
	   ERROR_INVALID_PARAMETER, "no groups");
	is(enable_filtered(h, 0, NULL, 0, EVENT_ENABLE_PROPERTY_SID), ERROR_NOT_SUPPORTED,
	   "no items yet");
	write_ids(4, 5);
	is(enable_filtered(h, 0, NULL, 0, EVENT_ENABLE_PROPERTY_IGNORE_KEYWORD_0 |
			   EVENT_ENABLE_PROPERTY_EXCLUDE_INPRIVATE), ERROR_SUCCESS,
	   "enabling again removes the filter");
	write_ids(11, 13);
	is(EventWrite(prov, &zero, 0, NULL), ERROR_SUCCESS, "keyword 0");
	is(EventWriteEx(prov, &event, 0, EVENT_WRITE_FLAG_INPRIVATE, NULL, NULL, 0, NULL),
	   ERROR_SUCCESS, "private");
	is(stop(h), ERROR_SUCCESS, "stop");
	is(stop(all), ERROR_SUCCESS, "stop the other one");
	s = seen("filter.etl");
	is(s->count, 5, "what passed");
	ok(s->header[0].EventDescriptor.Id == 2 && s->header[1].EventDescriptor.Id == 4 &&
	   s->header[2].EventDescriptor.Id == 4 && s->header[3].EventDescriptor.Id == 11 &&
	   s->header[4].EventDescriptor.Id == 12, "is what was wanted");
	is(seen("all.etl")->count, 10, "the other session has all");
}

static struct {
	_Atomic int calls;
	ULONG control;
	UCHAR level;
	ULONGLONG any, all;
	GUID source;
	ULONG filter;
	pthread_t thread;
} last;

static VOID NTAPI on_enable(LPCGUID source, ULONG control, UCHAR level, ULONGLONG any,
			    ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	EVENT_DATA_DESCRIPTOR data;

	last.control = control;
	last.level = level;
	last.any = any;
	last.all = all;
	last.source = *source;
	last.filter = filter ? filter->Size : 0;
	last.thread = pthread_self();
	EventDataDescCreate(&data, &control, sizeof(control));
	if (context && control == EVENT_CONTROL_CODE_CAPTURE_STATE)
		EventWrite(*(REGHANDLE *)context, &event, 1, &data);
	last.calls++;
}

static ULONG change(TRACEHANDLE h, ULONG code, UCHAR level, ULONGLONG any, const GUID *source)
{
	struct { EVENT_FILTER_HEADER h; char data[8]; } schema = { .h = { .Size = sizeof(schema) } };
	EVENT_FILTER_DESCRIPTOR filter = { (uintptr_t)&schema, sizeof(schema),
					   EVENT_FILTER_TYPE_SCHEMATIZED };
	ENABLE_TRACE_PARAMETERS params = {
		.Version = ENABLE_TRACE_PARAMETERS_VERSION_2, .SourceId = *source,
		.EnableFilterDesc = &filter, .FilterDescCount = 1,
	};

	return EnableTraceEx2(h, &guid_b, code, level, any, 0, INFINITE, &params);
}

/* B15, B27 to B32, B36: without a device the callbacks run as well */
static void test_callbacks(void)
{
	TRACEHANDLE h = start("one", &guid_a, 0, "one.etl"), h2;
	GUID source = { .Data1 = 0x50 };
	REGHANDLE reg;

	h2 = start("two", &guid_a, 0, "two.etl");
	is(enable(h, &guid_b, 2, 1), ERROR_SUCCESS, "enable before it registers");
	is(EventRegister(&guid_b, on_enable, &reg, &reg), ERROR_SUCCESS, "register");
	is(last.calls, 1, "the callback has run");
	ok(last.control == 1 && last.level == 2 && last.any == 1 && !last.source.Data1,
	   "with what was enabled");
	ok(!pthread_equal(last.thread, pthread_self()), "on another thread");
	is(change(h2, 1, 4, 2, &source), ERROR_SUCCESS, "another session");
	ok(last.calls == 2 && last.level == 4 && last.any == 3 && last.source.Data1 == 0x50,
	   "the callback gets what both want");
	is(last.filter, 32, "and the filter data");
	is(change(h2, 2, 0, 0, &source), ERROR_SUCCESS, "capture state");
	ok(last.calls == 3 && last.control == EVENT_CONTROL_CODE_CAPTURE_STATE, "asks");
	is(change(h2, 0, 0, 0, &source), ERROR_SUCCESS, "one disables");
	ok(last.calls == 4 && last.control == 1 && last.level == 2, "it is still enabled");
	is(change(h2, 0, 0, 0, &source), ERROR_SUCCESS, "again");
	is(last.calls, 4, "changes nothing");
	is(change(h2, 7, 0, 0, &source), ERROR_INVALID_PARAMETER, "unknown code");
	is(stop(h), ERROR_SUCCESS, "stop");
	while (last.calls < 5)
		usleep(1000);
	ok(last.control == 0 && !last.source.Data1, "the callback sees the end");
	is(EventUnregister(reg), ERROR_SUCCESS, "unregister");
	is(stop(h2), ERROR_SUCCESS, "stop");
	is(seen("one.etl")->count, 0, "the answer had the wrong keyword for one");
	is(seen("two.etl")->count, 0, "and for two");
}

/* ------------------------------------------------------- threads and signals */

#define THREADS	4
#define EACH	20000

static _Atomic unsigned long written, refused, in_handler;

static void *writer(void *arg)
{
	EVENT_DATA_DESCRIPTOR data[2];
	int i;

	for (i = 0; i < EACH; i++) {
		EventDataDescCreate(&data[0], arg, sizeof(int));
		EventDataDescCreate(&data[1], &i, sizeof(i));
		if (EventWrite(prov, &event, 2, data))
			refused++;
		else
			written++;
	}
	return NULL;
}

struct order {
	int next[THREADS];
	unsigned long bad, handler;
};

static void check_order(const EVENT_RECORD *r, void *arg)
{
	struct order *o = arg;
	int v[2];

	if (r->UserDataLength != sizeof(v)) {
		o->handler++;
		return;
	}
	memcpy(v, r->UserData, sizeof(v));
	o->bad += v[1] < o->next[v[0]];
	o->next[v[0]] = v[1] + 1;
}

static void on_alarm(int number)
{
	(void)number;
	if (EventWrite(prov, &event, 0, NULL))
		refused++;
	else
		in_handler++;
}

/* Handlers write while their thread writes. What is not refused is in the file, once, in order. */
static void test_threads(ULONG mode)
{
	struct itimerval timer = { { 0, 50 }, { 0, 50 } }, none = { { 0, 0 }, { 0, 0 } };
	TRACEHANDLE h = start("threads", &guid_a, mode, "threads.etl");
	static int number[THREADS];
	struct order o = { { 0 }, 0, 0 };
	pthread_t thread[THREADS];
	struct reading r;
	struct block *b;
	ULONG ret;
	int i;

	written = refused = in_handler = 0;
	enable(h, &guid_a, 0, 0);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (i = 0; i < THREADS; i++) {
		number[i] = i;
		pthread_create(&thread[i], NULL, writer, &number[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	while (!in_handler)
		usleep(100);
	setitimer(ITIMER_REAL, &none, NULL);
	b = control(h, EVENT_TRACE_CONTROL_STOP, &ret);
	is(ret, ERROR_SUCCESS, "stop");
	is(b->p.EventsLost, refused, "exactly the events that were refused are lost");
	is(read_file(in_dir("threads.etl"), check_order, &o, &r), written + in_handler,
	   "exactly the others are in the file");
	is(o.handler, in_handler, "those of the handler too");
	is(o.bad, 0, "each thread's events are in order");
	is(r.disorder, 0, "and all by time");
	is(verify(in_dir("threads.etl")), refused ? 3 : 0, "etw verify agrees");
	ok(refused || !r.lost, "no losses are recorded that were none");
}

/* Sessions come and go while threads write. */
static void test_churn(void)
{
	static int number[THREADS];
	pthread_t thread[THREADS];
	int i, bad = 0;

	written = refused = 0;
	for (i = 0; i < THREADS; i++) {
		number[i] = i;
		pthread_create(&thread[i], NULL, writer, &number[i]);
	}
	for (i = 0; i < 40; i++) {
		ULONG mode = i % 2 ? 0 : EVENT_TRACE_BUFFERING_MODE;
		TRACEHANDLE h = start("churn", &guid_a, mode, mode ? NULL : "churn.etl");
		struct reading r;

		enable(h, &guid_a, 0, 0);
		usleep(i % 5 * 300);
		bad += stop(h) != ERROR_SUCCESS;
		if (!mode)
			bad += read_file(in_dir("churn.etl"), NULL, NULL, &r) < 0 || r.disorder;
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	is(bad, 0, "forty sessions while four threads write");
}

/* Too large for a buffer, too large at all, no buffer free: refused, counted, recorded. */
static void test_losses(void)
{
	static char big[70000];
	struct block *b = block_of(&guid_a, PRIVATE, "losses.etl");
	EVENT_DATA_DESCRIPTOR data;
	struct reading r;
	TRACEHANDLE h;
	ULONG ret;

	b->p.BufferSize = 8;
	is(StartTraceA(&h, "losses", &b->p), ERROR_SUCCESS, "small buffers");
	enable(h, &guid_a, 0, 0);
	EventDataDescCreate(&data, big, 10000);
	is(EventWrite(prov, &event, 1, &data), ERROR_MORE_DATA, "larger than a buffer");
	EventDataDescCreate(&data, big, 66000);
	is(EventWrite(prov, &event, 1, &data), ERROR_ARITHMETIC_OVERFLOW, "over 64 KB");
	EventDataDescCreate(&data, big, 8000);
	is(EventWrite(prov, &event, 1, &data), ERROR_SUCCESS, "one that just fits");
	b = control(h, EVENT_TRACE_CONTROL_QUERY, &ret);
	is(b->p.EventsLost, 2, "two are lost");
	b = control(h, EVENT_TRACE_CONTROL_STOP, &ret);
	is(b->p.EventsLost, 2, "and stay so");
	is(read_file(in_dir("losses.etl"), NULL, NULL, &r), 1, "the event is in the file");
	is(r.lost, 2, "with two records of losses");
	is(verify(in_dir("losses.etl")), 3, "etw verify tells");
}

/* -------------------------------------------------- a writer that never ends */

static sigjmp_buf away;

static void on_fault(int number)
{
	(void)number;
	siglongjmp(away, 1);
}

/* Flushes do not wait again for the writer that has left, of whom the first one had to learn. */
static void flush_quickly(TRACEHANDLE h, ULONG mode)
{
	struct timespec from, to;
	int i, bad = 0;
	ULONG ret;

	control(h, EVENT_TRACE_CONTROL_FLUSH, &ret);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < 10; i++) {
		struct block *b = block_of(NULL, 0, mode ? "stuck_snapshot.etl" : "");

		if (!mode)
			b->file[0] = '\0';
		EventWrite(prov, &event, 0, NULL);
		bad += ControlTraceA(h, NULL, &b->p, EVENT_TRACE_CONTROL_FLUSH) != ERROR_SUCCESS;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	is(bad, 0, "ten flushes");
	/* Ten seconds if each waits; no more than two if one does so before it knows. */
	ok(to.tv_sec - from.tv_sec < 8, "wait once at most");
}

/*
 * A payload that cannot be read is the program's own fault; it leaves a slot that nobody fills.
 * The session goes on and ends all the same, and what lay in that buffer is counted.
 */
static void test_stuck(ULONG mode, const char *file)
{
	TRACEHANDLE h = start("stuck", &guid_a, mode, mode ? NULL : file);
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EVENT_DATA_DESCRIPTOR data;
	struct block *b;
	ULONG ret;
	int64_t n;
	int i;

	enable(h, &guid_a, 0, 0);
	signal(SIGSEGV, on_fault);
	for (i = 0; i < 200; i++)
		EventWrite(prov, &event, 0, NULL);
	EventDataDescCreate(&data, page, 8);
	if (!sigsetjmp(away, 1)) {
		EventWrite(prov, &event, 1, &data);
		ok(0, "it can be read");
	}
	signal(SIGSEGV, SIG_DFL);
	for (i = 0; i < 200; i++)
		EventWrite(prov, &event, 0, NULL);
	flush_quickly(h, mode);
	b = control(h, EVENT_TRACE_CONTROL_STOP, &ret);
	is(ret, ERROR_SUCCESS, "a session with a writer that never ends stops");
	munmap(page, 4096);
	if (!mode) {
		ok(b->p.EventsLost > 0 && b->p.EventsLost < 100, "one buffer is lost");
		n = read_file(in_dir(file), NULL, NULL, NULL);
		is(n + b->p.EventsLost, 411, "all others are in the file");
		is(verify(in_dir(file)), 3, "etw verify tells");
	}
	h = start("next", &guid_a, 0, "next.etl");
	enable(h, &guid_a, 0, 0);
	is(EventWrite(prov, &event, 0, NULL), ERROR_SUCCESS, "the next session");
	is(stop(h), ERROR_SUCCESS, "works");
	is(read_file(in_dir("next.etl"), NULL, NULL, NULL), 1, "and has its event");
}

int main(void)
{
	dir_make();
	is(EventRegister(&guid_a, NULL, NULL, &prov), ERROR_SUCCESS, "register");
	test_functions();
	test_tracelogging();
	test_classic();
	test_filters();
	test_callbacks();
	test_threads(0);
	test_threads(EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING);
	test_churn();
	test_losses();
	test_stuck(0, "stuck.etl");
	test_stuck(EVENT_TRACE_BUFFERING_MODE, NULL);
	is(EventUnregister(prov), ERROR_SUCCESS, "unregister");
	dir_remove();
	return done_testing();
}
