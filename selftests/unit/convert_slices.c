// SPDX-License-Identifier: MIT
/* Starts and stops become slices: which, where, and that none is lost */
#include "convert_test.h"

#include "convert/seen.h"
#include "convert/slicepriv.h"
#include "tdh/text.h"

#define NS0	((MAKE_START - ETW_UNIX_EPOCH_100NS) * 100)

struct got {
	struct slice slice;
	bool instant, stop;
	uint32_t start_id, stop_id;
	int64_t time;
};

static struct got got[20000];
static size_t got_count;
static struct slices_count counts;
static size_t limit;
static struct slices *slices;

/* The body of an event is its id. */
static int describe(struct convert *c, const struct convert_event *e, enum slice_part part,
		    const char *name, struct etw_text *to)
{
	uint32_t id = e->record->EventHeader.EventDescriptor.Id;

	(void)c;
	(void)part;
	(void)name;
	etw_text_add(to, (const char *)&id, sizeof(id));
	return 0;
}

static uint32_t id_of(const struct slice_body *body)
{
	uint32_t id = 0;

	if (body->len != sizeof(id))
		abort();
	memcpy(&id, body->data, sizeof(id));
	return id;
}

static int on_slice(struct convert *c, const struct slice *slice)
{
	struct got *g = &got[got_count++];

	(void)c;
	memset(g, 0, sizeof(*g));
	g->slice = *slice;
	g->start_id = id_of(&slice->start);
	g->stop = slice->stop;
	if (slice->stop)
		g->stop_id = id_of(slice->stop);
	return 0;
}

static int on_instant(struct convert *c, const struct slice_track *track, int64_t time,
		      const struct slice_body *body)
{
	struct got *g = &got[got_count++];

	(void)c;
	memset(g, 0, sizeof(*g));
	g->instant = true;
	g->slice.track = *track;
	g->start_id = id_of(body);
	g->time = time;
	return 0;
}

static int on_name(struct convert *c, uint32_t pid, uint32_t tid, bool thread, const char *name)
{
	(void)c;
	(void)pid;
	(void)tid;
	(void)thread;
	(void)name;
	return 0;
}

static const struct slice_sink sink = { describe, on_slice, on_instant, on_name };

/* An event without a schema: id is what describe() makes of it. */
static void event(int64_t time, uint32_t tid, uint8_t opcode, uint16_t task, uint32_t activity,
		  uint16_t id)
{
	static struct etw_decoder *decoder;
	struct etw_rt_event rt = { .time = time };
	EVENT_RECORD record;
	struct convert_event e = { .event = &rt, .record = &record };

	memset(&record, 0, sizeof(record));
	record.EventHeader.ProcessId = 1;
	record.EventHeader.ThreadId = tid;
	record.EventHeader.EventDescriptor.Opcode = opcode;
	record.EventHeader.EventDescriptor.Task = task;
	record.EventHeader.EventDescriptor.Id = id;
	record.EventHeader.ActivityId.Data1 = activity;
	if (!decoder)
		decoder = etw_decoder_new();
	e.decoder = decoder;
	etw_decode(decoder, &record, &e.decoded);
	if (slices_event(slices, &e))
		abort();
	if (got_count > sizeof(got) / sizeof(got[0]) - 100)
		abort();
}

static struct convert convert;

static void begin(void)
{
	got_count = 0;
	slices = slices_new(&convert, &sink, limit);
}

static void end(void)
{
	is(slices_end(slices), 0, "it ends well");
	slices_count(slices, &counts);
	slices_tell(slices);
	slices_free(slices);
}

#define T(n)	(MAKE_START + (n))
#define NS(n)	(NS0 + 100 * (n))

/* A slice from a to b, in 100 ns, by the events of these ids */
static void check(size_t i, enum slice_place place, int64_t from, int64_t to, uint32_t start,
		  uint32_t stop, const char *name)
{
	const struct got *g = &got[i];

	if (!ok(i < got_count && !g->instant && g->slice.track.place == place &&
		g->slice.begin / 100 == NS(from) / 100 && g->slice.end / 100 == NS(to) / 100 &&
		g->start_id == start && g->stop_id == stop, "%s", name))
		printf("# place %d, %lld to %lld, events %u and %u\n", g->slice.track.place,
		       (long long)(g->slice.begin - NS0) / 100,
		       (long long)(g->slice.end - NS0) / 100, g->start_id, g->stop_id);
}

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
	check(0, SLICE_THREAD, 50, 50, 1, 2, "time that goes back ends no slice before it began");
	check(2, SLICE_THREAD, 70, 80, 1, 2, "an event of the far future moves no other");
	is(slices_ns(0), 0, "times before 1970 are 1970");
	ok(slices_ns(INT64_MAX) > 0 && slices_ns(INT64_MIN) == 0, "and none overflows");
}

static void test_limits(void)
{
	uint16_t i;

	limit = 3;
	begin();
	for (i = 1; i <= 5; i++)
		event(T(i), 7, 1, i, 0, i);
	event(T(6), 7, 2, 1, 0, 6);
	end();
	limit = 0;
	is(counts.evicted, 2, "the oldest give way");
	check(0, SLICE_ALONE, 1, 4, 1, 0, "as unfinished, by itself");
	check(1, SLICE_ALONE, 2, 5, 2, 0, "one after the other");
	ok(got[2].instant && got[2].start_id == 6, "its stop finds none");
	check(3, SLICE_THREAD, 5, 6, 5, 0, "what is open at the end: the innermost first");
	check(5, SLICE_THREAD, 3, 6, 3, 0, "up to the last event");
	is(counts.unfinished, 5, "all are counted");
	ok(strstr(convert.notes, "2 activities were given up: more than 3 were open\n"),
	   "and told");
}

/* More threads than are kept, and starts of one kind that nothing stops. */
static void test_many(void)
{
	uint32_t i;

	begin();
	for (i = 0; i < 300000; i++) {
		event(T(i), i, 1, 1, 0, 1);
		event(T(i), i, 2, 1, 0, 2);
		got_count = 0;
	}
	for (i = 0; i < 200000; i++) {
		event(T(300000), 5, 1, 1, 0, 1);
		got_count = 0;
	}
	is(slices->open.count, SLICES_OPEN_MAX, "starts that wait are bounded");
	ok(slices->open.thread_count <= 2 * SLICES_OPEN_MAX, "and threads");
	slices_count(slices, &counts);
	is(counts.slices, 300000 + 200000 - SLICES_OPEN_MAX, "none is lost");
	slices_free(slices);
}

static void test_seen(void)
{
	struct seen set = { .count = 0 };
	uint32_t i, wrong_count = 0;

	for (i = 0; i < 3 * SEEN_MAX / 2; i++) {
		wrong_count += seen_put(&set, seen_number(1, i, 7)) != 1;
		wrong_count += seen_put(&set, seen_number(1, i, 7)) != 0;
	}
	is(wrong_count, 0, "numbers are new once");
	ok(set.count == SEEN_MAX / 2 && set.room <= 4 * SEEN_MAX, "a full set begins again");
	seen_free(&set);
}

/* ------------------------------------------------- anything, against the rules */

static uint32_t seed = 1;

static uint32_t next(uint32_t n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

/* Slices of one thread either nest, or do not touch. */
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
			/* What was handed over later is around, or behind. */
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
	is(wrong, 0, "slices on a thread nest, whatever comes");
	is(twice, 0, "every event is shown once");
}

int main(void)
{
	test_pairs();
	test_ties();
	test_limits();
	test_many();
	test_seen();
	test_anything();
	return done_testing();
}
