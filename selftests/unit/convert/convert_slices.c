// SPDX-License-Identifier: MIT
/* Starts and stops become slices: which ones, on which tracks, none lost */
#include "convert_slices.h"

static void test_pairs(void)
{
	begin();
	event(T(10), 7, 1, 1, 0, 1);
	event(T(20), 7, 1, 2, 0, 2);
	event(T(25), 7, 0, 9, 0, 3);
	event(T(30), 7, 2, 2, 0, 4);
	event(T(40), 7, 2, 1, 0, 5);
	end();
	ok(got_count == 3 && got[0].instant && got[0].time == NS(25), "an instant within");
	check(1, SLICE_THREAD, 20, 30, 2, 4, "the inner one, by its task");
	check(2, SLICE_THREAD, 10, 40, 1, 5, "the outer one");
	is(counts.slices, 2, "two slices");

	begin();
	event(T(10), 7, 1, 1, 0xA, 1);
	event(T(11), 7, 1, 1, 0xB, 2);
	event(T(20), 8, 2, 1, 0xA, 3);
	event(T(30), 7, 2, 1, 0xB, 4);
	event(T(31), 8, 2, 1, 0xB, 5);
	end();
	check(0, SLICE_ALONE, 10, 20, 1, 3, "ends on another thread: by itself");
	check(1, SLICE_THREAD, 11, 30, 2, 4, "another activity of the same task");
	ok(got[2].instant && counts.stops == 1, "a stop without a start is an instant");

	begin();
	event(T(10), 7, 1, 1, 0xA, 1);
	event(T(11), 7, 1, 1, 0xB, 2);
	event(T(20), 7, 2, 1, 0xA, 3);
	event(T(30), 7, 2, 1, 0xB, 4);
	end();
	check(0, SLICE_ALONE, 10, 20, 1, 3, "one that overlaps is by itself");
	check(1, SLICE_THREAD, 11, 30, 2, 4, "the other one is not");
	ok(got[0].slice.activity && got[0].slice.activity != got[1].slice.activity,
	   "activities have numbers of their own");
}

/* An event of a disk request, with its position and its result */
static void request(int64_t time, uint32_t tid, uint8_t opcode, uint32_t activity, uint64_t sector,
		    uint16_t id)
{
	const uint64_t said[3] = { 0xfd00000008, sector, 0 };

	payload = said;
	payload_len = opcode == 1 ? 16 : 24;
	event(T(time), tid, opcode, 1, activity, id);
	payload_len = 0;
}

static void call(int64_t time, uint32_t tid, uint8_t opcode, uint64_t value, uint16_t id)
{
	payload = &value;
	payload_len = sizeof(value);
	event(T(time), tid, opcode, 1, 0, id);
	payload_len = 0;
}

/* Tracepoints and probes: what a call returns may be the argument of another thread's. */
static void test_calls(void)
{
	channel = ETW_CHANNEL_TRACELOGGING;
	begin();
	call(10, 7, 1, 250, 1);
	call(11, 8, 1, 1000, 2);
	call(20, 8, 2, 250, 3);
	call(30, 7, 2, 100, 4);
	end();
	channel = 0;
	check(0, SLICE_THREAD, 11, 20, 2, 3, "a call that returns what another one was given");
	check(1, SLICE_THREAD, 10, 30, 1, 4, "the other call");
}

struct disk_request {
	uint32_t dev;
	uint64_t sector;
	uint32_t sectors, more;
} __attribute__((__packed__));

/* As block_rq_issue and block_rq_complete have them: what they share, and one field more each */
static void traced(int64_t time, uint32_t tid, uint8_t opcode, struct disk_request r, uint16_t id)
{
	/* Size, tags, name; names with types: UINT32, UINT64 */
	static const char issue[] = "\x22\0\0e\0dev\0\x8" "sector\0\xa" "sectors\0\x8" "bytes\0\x8";
	static const char completed[] = "\x22\0\0e\0dev\0\x8" "sector\0\xa" "sectors\0\x8" "error\0\x8";

	schema = opcode == 1 ? issue : completed;
	schema_len = sizeof(issue) - 1;
	payload = &r;
	payload_len = sizeof(r);
	event(T(time), tid, opcode, 1, 0, id);
	payload_len = schema_len = 0;
}

/* As raw_syscalls:sys_enter and sys_exit have it, which share only the number of the call */
static void system_call(int64_t time, uint32_t tid, uint8_t opcode, int64_t number, uint16_t id)
{
	/* Names with types: INT64, UINT64[6] */
	static const char entered[] = "\x11\0\0e\0id\0\x9" "args\0\x2a\6\0";
	static const char left[] = "\xe\0\0e\0id\0\x9" "ret\0\x9";
	const int64_t said[7] = { number, tid };

	schema = opcode == 1 ? entered : left;
	schema_len = opcode == 1 ? sizeof(entered) - 1 : sizeof(left) - 1;
	payload = said;
	payload_len = opcode == 1 ? sizeof(said) : 2 * sizeof(said[0]);
	event(T(time), tid, opcode, 1, 0, id);
	payload_len = schema_len = 0;
}

/* A new process leaves the call that made it, which only its parent entered. */
static void test_system_calls(void)
{
	channel = ETW_CHANNEL_TRACELOGGING;
	begin();
	system_call(10, 7, 1, 58, 1);
	system_call(20, 8, 2, 58, 2);
	system_call(21, 8, 1, 59, 3);
	system_call(22, 9, 1, 58, 4);
	system_call(30, 8, 2, 59, 5);
	system_call(40, 7, 2, 58, 6);
	system_call(41, 7, 2, 58, 7);
	system_call(50, 9, 2, 58, 8);
	end();
	channel = 0;
	ok(got[0].instant && got[0].start_id == 2, "a call that another thread has entered");
	check(1, SLICE_THREAD, 21, 30, 3, 5, "one of the new thread's own");
	check(2, SLICE_THREAD, 10, 40, 1, 6, "the call that made the thread");
	ok(got[3].instant && counts.stops == 2, "a second return ends no other thread's call");
	check(4, SLICE_THREAD, 22, 50, 4, 8, "the other thread's call");
}

/* A request ends in whatever was interrupted, which may wait for a request of its own. */
static void test_disks(void)
{
	channel = ETW_CHANNEL_TRACELOGGING;
	begin();
	traced(10, 7, 1, (struct disk_request){ 1, 100, 8, 4096 }, 1);
	traced(11, 8, 1, (struct disk_request){ 2, 100, 8, 4096 }, 2);
	traced(12, 9, 1, (struct disk_request){ 1, 100, 16, 8192 }, 3);
	traced(20, 8, 2, (struct disk_request){ 1, 100, 8, 0 }, 4);
	traced(21, 8, 2, (struct disk_request){ 1, 100, 16, 0 }, 5);
	traced(22, 7, 2, (struct disk_request){ 2, 100, 8, 0 }, 6);
	traced(30, 7, 1, (struct disk_request){ 1, 200, 8, 4096 }, 7);
	traced(31, 7, 2, (struct disk_request){ 1, 300, 8, 0 }, 8);
	traced(32, 7, 2, (struct disk_request){ 1, 200, 4, 0 }, 9);
	end();
	channel = 0;
	check(0, SLICE_ALONE, 10, 20, 1, 4, "a request that ends in a thread with one on another disk");
	check(1, SLICE_ALONE, 12, 21, 3, 5, "one of the same sector, with another length");
	check(2, SLICE_ALONE, 11, 22, 2, 6, "the one on the other disk");
	ok(got[3].instant && counts.stops == 1, "what the thread did not begin ends nothing");
	check(4, SLICE_THREAD, 30, 32, 7, 9, "a part of a thread's own request ends it");
}

/* Operations that begin on one thread and end on another, in an interrupt */
static void test_moves(void)
{
	begin();
	request(10, 7, 1, 0, 100, 1);
	request(11, 7, 1, 0, 200, 2);
	request(12, 8, 1, 0, 300, 3);
	request(20, 9, 2, 0, 100, 4);
	request(21, 8, 2, 0, 200, 5);
	request(22, 7, 2, 0, 300, 6);
	end();
	is(got_count, 3, "three requests, no instant");
	check(0, SLICE_ALONE, 10, 20, 1, 4, "completed on a thread without requests");
	check(1, SLICE_ALONE, 11, 21, 2, 5, "on one that waits for another");
	check(2, SLICE_ALONE, 12, 22, 3, 6, "and on the waiting thread");
	ok(got[0].slice.track.tid == 7 && got[0].slice.track.number != got[1].slice.track.number &&
	   !counts.unfinished && !counts.stops, "each by itself, where it began");

	/*
	 * A field with the same value in all requests identifies none; with very many
	 * requests, not all are compared.
	 */
	begin();
	request(10, 7, 1, 0, 100, 1);
	for (uint32_t i = 0; i < 100; i++)
		request(11 + i, 1000 + i, 1, 0, 100, (uint16_t)(100 + i));
	request(200, 7, 2, 0, 100, 2);
	end();
	check(0, SLICE_THREAD, 10, 200, 1, 2, "a thread's own one of very many");

	begin();
	request(10, 7, 1, 0xA, 100, 1);
	request(11, 7, 1, 0xB, 100, 2);
	request(20, 8, 2, 0xA, 999, 3);
	request(21, 8, 2, 0xC, 100, 4);
	request(22, 8, 2, 0, 100, 5);
	end();
	check(0, SLICE_ALONE, 10, 20, 1, 3,
	      "an activity id identifies the request, whatever its fields");
	ok(got[1].instant && counts.stops == 1, "another activity is another request");
	check(2, SLICE_ALONE, 11, 22, 2, 5, "one that forgot its activity");

	begin();
	request(10, 7, 1, 0, 100, 1);
	request(11, 8, 1, 0, 100, 2);
	request(20, 7, 2, 0, 100, 3);
	event(T(21), 8, 2, 1, 0, 4);
	end();
	check(0, SLICE_THREAD, 10, 20, 1, 3, "of equal requests, the thread's");
	check(1, SLICE_THREAD, 11, 21, 2, 4, "without a word: the thread's");

	begin();
	payload = "\0\0\0\0\0\0\0\0\1";
	payload_len = 9;
	event(T(10), 7, 1, 1, 0, 1);
	event(T(20), 8, 2, 1, 0, 2);
	payload_len = 0;
	end();
	ok(got[0].instant, "zeros say nothing");
}

static void test_ties(void)
{
	int i;

	begin();
	for (i = 0; i < 3; i++) {
		event(T(10), 7, 1, 1, 0, 1);
		event(T(10), 7, 1, 2, 0, 2);
		event(T(10), 7, 2, 2, 0, 3);
		event(T(10), 7, 2, 1, 0, 4);
	}
	end();
	for (i = 0; i < 3; i++) {
		const struct slice *in = &got[2 * i].slice, *out = &got[2 * i + 1].slice;

		ok(out->begin < in->begin && in->begin <= in->end && in->end <= out->end,
		   "nested at the same time");
		ok(!i || got[2 * i - 1].slice.end <= out->begin, "and one after the other");
	}
	begin();
	event(T(50), 7, 1, 1, 0, 1);
	event(T(40), 7, 2, 1, 0, 2);
	event(INT64_MAX, 7, 1, 1, 0, 1);
	event(T(60), 7, 2, 1, 0, 2);
	event(T(70), 7, 1, 1, 0, 1);
	event(T(80), 7, 2, 1, 0, 2);
	end();
	check(0, SLICE_THREAD, 50, 50, 1, 2,
	      "a time that goes back does not end a slice before its begin");
	check(2, SLICE_THREAD, 70, 80, 1, 2, "an event of the far future moves no other");
	is(slices_ns(0), 0, "times before 1970 are 1970");
	ok(slices_ns(INT64_MAX) > 0 && slices_ns(INT64_MIN) == 0, "and no time overflows");
}

/* ------------------------------------------------- random events, checked against the rules */

static uint32_t seed = 1;

static uint32_t next(uint32_t n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

/* Slices of one thread either nest or do not overlap. */
static size_t crossings(void)
{
	size_t i, j, n = 0;

	for (i = 0; i < got_count; i++) {
		const struct slice *a = &got[i].slice, *b;

		if (got[i].instant || a->track.place != SLICE_THREAD)
			continue;
		n += a->end < a->begin;
		for (j = i + 1; j < got_count; j++) {
			b = &got[j].slice;
			if (got[j].instant || b->track.place != SLICE_THREAD ||
			    b->track.tid != a->track.tid)
				continue;
			/* A slice delivered later encloses the earlier one or comes after it. */
			n += !(b->begin >= a->end || (b->begin < a->begin && b->end >= a->end));
		}
	}
	return n;
}

static void test_anything(void)
{
	static uint8_t seen[3000];
	size_t i, round, wrong = 0, twice = 0;

	for (round = 0; round < 20; round++) {
		int64_t time = 0;

		limit = round & 1 ? 20 : 0;
		memset(seen, 0, sizeof(seen));
		got_count = 0;
		slices = slices_new(&convert, &sink, limit);
		for (i = 0; i < 2000; i++) {
			time += next(3) ? 0 : next(round < 10 ? 4 : 400);
			event(T(time), 1 + next(4), (uint8_t)next(3), (uint16_t)next(3),
			      next(4), (uint16_t)(i + 1));
		}
		if (slices_end(slices))
			abort();
		slices_free(slices);
		wrong += crossings();
		for (i = 0; i < got_count; i++) {
			seen[got[i].start_id]++;
			if (!got[i].instant && got[i].stop)
				seen[got[i].stop_id]++;
		}
		for (i = 1; i <= 2000; i++)
			twice += seen[i] != 1;
	}
	limit = 0;
	is(wrong, 0, "slices on a thread nest for any events");
	is(twice, 0, "every event is shown once");
}

int main(void)
{
	test_pairs();
	test_calls();
	test_system_calls();
	test_disks();
	test_moves();
	test_ties();
	test_anything();
	return done_testing();
}
