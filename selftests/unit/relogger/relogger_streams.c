// SPDX-License-Identifier: MIT
/* The relogger: several files, a running session */
#include "relog_call.h"

#include <pthread.h>

/* -------------------------------------------------------------------- streams */

static char second[80];
static WCHAR second16[128];

/* Another file: system time clock, times between those of the first */
static void make_second(void)
{
	struct etw_etl_info system = like;
	struct etw_etl_options options = { .like = &system };
	_Alignas(8) unsigned char record[256];
	struct etw_etl_writer *w;
	int i;

	system.header.ReservedFlags = ETW_CLOCK_SYSTEM;
	system.start_clock = MAKE_START;
	etw_etl_create(second, &options, &w);
	for (i = 0; i < 100; i++)
		etw_etl_write(w, 1, record, make_event(record, MAKE_START + 110 + i * 3, 2000, 4));
	etw_etl_finish(w, MAKE_START + 5, NULL);
}

static void test_streams(void)
{
	struct etw_etl_file *file;
	struct etw_event e;
	RELOGSTREAM_ID id;
	ITraceRelogger *r;
	int64_t last = INT64_MIN;
	int n = 0, of_second = 0, bad = 0;

	snprintf(second, sizeof(second), "%s/second.etl", dir);
	etw_utf8_to_utf16(second, strlen(second) + 1, second16, 128);
	make_second();
	new_call(NULL);
	r = new_relogger(in16);
	is(ITraceRelogger_AddLogfileTraceStream(r, second16, &id, &id), S_OK, "another file");
	is(id, 2, "the second stream");
	is(ITraceRelogger_ProcessTrace(r), S_OK, "two files with different clocks");
	ITraceRelogger_Release(r);
	ok(call.events == 600 && call.in_order && call.begun == 1, "by time");
	etw_etl_open(out_path, NULL, NULL, &file);
	etw_etl_next(file, &e);
	while (etw_etl_next(file, &e) == 1) {
		bad += e.time < last;
		last = e.time;
		if (e.record.header->desc.id == 2000)
			bad += e.time != MAKE_START + 110 + of_second++ * 3;
		n++;
	}
	etw_etl_close(file);
	ok(n == 600 && of_second == 100 && !bad, "and so is the output, with all times");
	unlink(second);
	unlink(out_path);
}

/* Relog two files; *back: the number of times a CPU of the output goes back in time. */
static unsigned int relog_two(WCHAR *other, unsigned int *back)
{
	int64_t last[CPUS] = { 0 };
	struct etw_etl_file *file;
	struct etw_event e;
	RELOGSTREAM_ID id;
	ITraceRelogger *r;
	unsigned int n = 0;

	new_call(NULL);
	r = new_relogger(in16);
	ITraceRelogger_AddLogfileTraceStream(r, other, &id, &id);
	is(ITraceRelogger_ProcessTrace(r), S_OK, "two files");
	ITraceRelogger_Release(r);
	*back = 0;
	if (etw_etl_open(out_path, NULL, NULL, &file))
		abort();
	etw_etl_next(file, &e);
	for (; etw_etl_next(file, &e) == 1; n++) {
		*back += e.record.header->timestamp < last[e.cpu % CPUS];
		last[e.cpu % CPUS] = e.record.header->timestamp;
	}
	etw_etl_close(file);
	return n;
}

/* Ticks of 1 ns, finer than a FILETIME */
static void test_same_clock(void)
{
	struct etw_etl_options options = { .like = &like, .buffer_size = BUFFER, .replace = true };
	_Alignas(8) unsigned char record[256];
	struct etw_etl_writer *w;
	unsigned int back, i;

	etw_etl_create(path, &options, &w);
	for (i = 0; i < 500; i++)
		etw_etl_write(w, i % CPUS, record, make_event(record, 12000 + i * 7, i, 4));
	etw_etl_finish(w, MAKE_START + 777777, NULL);
	is(relog_two(in16, &back), 1000, "a file beside itself: all events");
	is(back, 0, "at the ticks that they have");
	make_input(500);
	unlink(out_path);
}

/* The stack of an event, with a clock of 2 GHz; and a record that fills 64 KB */
static void test_other_clock(void)
{
	struct { uint16_t version; uint8_t type, mark; uint16_t size, hook; int64_t time[2]; }
		stack = { 2, ETW_ETL_PERFINFO64, 0xC0, 24, 0x1820, { 3001, 2003 } };
	static _Alignas(8) unsigned char record[ETW_RECORD_MAX + 1];
	struct etw_etl_info fast = like;
	struct etw_etl_options options = { .like = &fast, .buffer_size = 128 << 10 };
	struct etw_etl_file *file;
	struct etw_etl_writer *w;
	struct etw_event e;
	unsigned int back, found = 0;
	uint32_t size;

	fast.header.PerfFreq.QuadPart = 2000000000;
	unlink(second);
	is(etw_etl_create(second, &options, &w), 0, "a file of another clock");
	is(etw_etl_write(w, 1, &stack, sizeof(stack)), 0, "a stack");
	size = make_event(record, 9000, 3000, 65430);
	is(etw_etl_write(w, 2, record, size), 0, "and an event of 64 KB");
	etw_etl_finish(w, MAKE_START + 5, NULL);
	is(relog_two(second16, &back), 502, "all events, also the largest");
	etw_etl_open(out_path, NULL, NULL, &file);
	while (etw_etl_next(file, &e) == 1) {
		if ((e.record.header->type & 0xFF) != ETW_ETL_PERFINFO64)
			continue;
		memcpy(&stack, e.raw, sizeof(stack));
		found++;
	}
	etw_etl_close(file);
	/* 2,001 and 1,003 ticks of half a ns after the start */
	ok(found == 1 && stack.time[0] == 2000 && stack.time[1] == 1501, "both times: %d, %d",
	   (int)stack.time[0], (int)stack.time[1]);
	unlink(second);
	unlink(out_path);
}

/* Half a minute of a clock that is slow by 40 ppm, according to its buffers */
static void test_drift(void)
{
	struct etw_etl_options options = { .like = &like, .buffer_size = BUFFER };
	_Alignas(8) unsigned char record[256];
	struct etw_event in_event, out_event;
	struct etw_etl_file *in, *out;
	struct etw_etl_writer *w;
	int64_t off, worst = 0;
	RELOGSTREAM_ID id;
	ITraceRelogger *r;
	int i, events = 0;

	unlink(second);
	etw_etl_create(second, &options, &w);
	for (i = 0; i < 3000; i++) {
		int64_t ns = i * 10000019ll;

		etw_etl_pair(w, 1000 + ns, MAKE_START + ns / 100 + ns / 2500000);
		etw_etl_write(w, 0, record, make_event(record, 1000 + ns, 7, 4));
	}
	etw_etl_finish(w, MAKE_START + 300000000, NULL);
	new_call(NULL);
	r = new_relogger(NULL);
	ITraceRelogger_AddLogfileTraceStream(r, second16, &call, &id);
	is(ITraceRelogger_ProcessTrace(r), S_OK, "a file whose clock drifts");
	ITraceRelogger_Release(r);
	if (etw_etl_open(second, NULL, NULL, &in) || etw_etl_open(out_path, NULL, NULL, &out))
		abort();
	while (etw_etl_next(in, &in_event) == 1 && etw_etl_next(out, &out_event) == 1) {
		off = (out_event.time - in_event.time) * 100 + out_event.nanos - in_event.nanos;
		worst = off > worst ? off : -off > worst ? -off : worst;
		events++;
	}
	etw_etl_close(in);
	etw_etl_close(out);
	ok(events == 3001 && worst <= 100, "%d times, %lld ns off at most", events,
	   (long long)worst);
	unlink(second);
	unlink(out_path);
}

/* Hook 0 is a file header's, which the output already has. */
static HRESULT make_header(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record)
{
	EVENT_DESCRIPTOR none = { 0 };

	if (record->UserDataLength == 8)
		is(ITraceEvent_SetEventDescriptor(e, &none), E_INVALIDARG, "no second header");
	return ITraceRelogger_Inject(r, e);
}

static void test_header(void)
{
	const struct { uint16_t version; uint8_t type, mark; uint16_t size, hook; uint32_t id[2];
		int64_t time, cpu, data; } sys = { 2, ETW_ETL_SYSTEM64, 0xC0, 40, 0x0524, { 7, 8 },
		2000, 9, 1 };
	struct etw_etl_options options = { .like = &like };
	unsigned int ids[8];
	struct etw_etl_writer *w;
	ITraceRelogger *r;

	etw_etl_create(second, &options, &w);
	is(etw_etl_write(w, 1, &sys, sizeof(sys)), 0, "a record of the kernel logger");
	etw_etl_finish(w, MAKE_START + 5, NULL);
	new_call(make_header);
	r = new_relogger(second16);
	is(ITraceRelogger_ProcessTrace(r), S_OK, "made a header");
	ITraceRelogger_Release(r);
	is(read_output(ids, NULL), 1, "stays unchanged");
	unlink(second);
	unlink(out_path);
}

/* ---------------------------------------------------------------- a session */

static void *cancel_it(void *r)
{
	while (__atomic_load_n(&call.events, __ATOMIC_RELAXED) < 2)
		sched_yield();
	ITraceRelogger_Cancel((ITraceRelogger *)r);
	return NULL;
}

static void test_session(void)
{
	WCHAR name[] = { 's', 'e', 's', 's', 'i', 'o', 'n', 0 }, no[] = { 'n', 'o', 0 };
	struct etw_session s = { .buffer_kb = 4 };
	unsigned int ids[8];
	RELOGSTREAM_ID id;
	ITraceRelogger *r;
	pthread_t thread;
	struct feed f;

	etw_kdev_name_session(&s, "session");
	if (fake_start(&s))
		abort();
	new_call(NULL);
	r = new_relogger(NULL);
	is(ITraceRelogger_AddRealtimeTraceStream(r, no, &call, &id), (HRESULT)0x80071069,
	   "no such session");
	is(ITraceRelogger_AddRealtimeTraceStream(r, name, &call, &id), S_OK, "a session");
	is(ITraceRelogger_AddRealtimeTraceStream(r, name, &call, &id), (HRESULT)0x8007106E,
	   "not two");
	is(ITraceRelogger_AddLogfileTraceStream(r, in16, &call, &id), S_OK, "a file beside it");
	feed_fake(&f, 1, 0);
	feed_event(&f, 5000, 31, NULL, "a", 1);
	feed_event(&f, 6000, 32, NULL, "b", 1);
	feed_deliver();
	fake->complete_through = 6000;
	fake->complete_sequence = 1;
	pthread_create(&thread, NULL, cancel_it, r);
	is(ITraceRelogger_ProcessTrace(r), (HRESULT)0x800704C7, "until it is cancelled");
	pthread_join(thread, NULL);
	ok(call.begun == 1 && call.header_ok && call.ended == 1, "begins with a header");
	is(ITraceRelogger_Release(r), 0, "gone");
	ok(read_output(ids, NULL) == call.events && call.events >= 2, "%u events", call.events);
	unlink(out_path);
}

int main(void)
{
	fake_init();
	relog_set_up();
	test_streams();
	test_same_clock();
	test_other_clock();
	test_drift();
	test_header();
	test_session();
	relog_tear_down();
	return done_testing();
}
