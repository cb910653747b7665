// SPDX-License-Identifier: MIT
/* Reading: time base, merging of CPUs, the real-time reader, bad buffers */
#include "lib_fake.h"
#include "lib_feed.h"
#include "etl/merge.h"
#include "lib/consumer/session_reader.h"
#include "etl/timebase.h"
#include "lib/tap.h"
#include "lib/threads.h"

/* Nanoseconds within a unit: exact, and in order with any correction. */
static void test_nanos(const struct etw_time_pair *start)
{
	struct etw_time_pair now = { 0, 0 };
	struct etw_timebase base;
	int64_t last = INT64_MIN, t, clock;
	uint8_t nanos;
	int bad = 0;

	etw_timebase_init(&base, 1000000000, start);
	for (clock = 0; clock < 100000; clock++) {
		t = etw_timebase_exact(&base, start->clock + clock, &nanos) - start->time;
		bad += t * 100 + nanos != clock;
	}
	is(bad, 0, "ticks of a nanosecond are nanoseconds");
	etw_timebase_init(&base, 2999999999, start);
	for (clock = 0, bad = 0; clock < 3000000; clock++) {
		t = etw_timebase_exact(&base, start->clock + clock * 1001, &nanos) - start->time;
		bad += t * 100 + nanos < last || nanos > 99;
		last = t * 100 + nanos;
		now.clock = start->clock + clock * 1001;
		now.time = start->time + clock * 10 / 3 + clock % 5;
		if (clock % 1000 == 999)
			etw_timebase_steer(&base, now.clock, start, &now);
	}
	is(bad, 0, "never backwards by a nanosecond");
	etw_timebase_init(&base, 1, start);
	t = etw_timebase_exact(&base, INT64_MAX, &nanos);
	ok(t == INT64_MAX && !nanos, "nor beyond the end");
	/* 152 Hz and less: the rate does not fit its field, and must not wrap */
	for (clock = 1, bad = 0; clock < 153; clock++) {
		etw_timebase_init(&base, clock, start);
		bad += etw_timebase_convert(&base, start->clock + 1) - start->time < 65359;
	}
	is(bad, 0, "a very slow clock is no fast one");
	/* Between two pairs of a 1 GHz clock, and long after them */
	now = (struct etw_time_pair){ start->clock + 2000000000, start->time + 20000000 };
	etw_timebase_through(&base, start, start, &now);
	for (clock = 0, bad = 0; clock < 1000000; clock++) {
		t = etw_timebase_exact(&base, start->clock + clock * 1234700, &nanos) - start->time;
		bad += t * 100 + nanos != clock * 1234700;
	}
	is(bad, 0, "whole units by two pairs are whole units");
}

static void test_timebase(void)
{
	struct etw_time_pair start = { 1000, 133000000000000000 }, now;
	struct etw_timebase base;
	int64_t last = INT64_MIN, t, clock, worst = 0;
	int bad = 0;

	etw_timebase_init(&base, 1000000000, &start);
	is(etw_timebase_convert(&base, 1000), start.time, "the anchor");
	is(etw_timebase_convert(&base, 1000 + 1000000000), start.time + 10000000, "a second");
	is(etw_timebase_convert(&base, 950), start.time - 1, "before the anchor");
	etw_timebase_init(&base, 10000000, &start);
	is(etw_timebase_convert(&base, 1234567), start.time + 1233567, "units of 100 ns");
	etw_timebase_init(&base, 0, &start);
	is(etw_timebase_convert(&base, 1001), start.time + 1, "no frequency");

	test_nanos(&start);
	/* A clock with a stated 3 GHz that runs 40 ppm fast, for an hour. */
	etw_timebase_init(&base, 3000000000, &start);
	for (clock = 0; clock < 3600LL * 10; clock++) {
		int64_t ticks = clock * 300012000;	/* 0.1 s */

		t = etw_timebase_convert(&base, start.clock + ticks);
		bad += t < last;
		last = t;
		if (clock > 50 && llabs(t - (start.time + clock * 1000000)) > worst)
			worst = llabs(t - (start.time + clock * 1000000));
		now.clock = start.clock + ticks;
		now.time = start.time + clock * 1000000 + (clock % 3) - 1;
		if (clock % 10 == 9)
			etw_timebase_steer(&base, now.clock, &start, &now);
	}
	is(bad, 0, "never backwards");
	ok(worst < 500, "within 50 us of the truth: %lld", (long long)worst);

	/* Clock pairs that make no sense must not break the order. */
	last = INT64_MIN;
	for (clock = 1, bad = 0; clock < 1000; clock++) {
		now.clock = clock * 3000000 + (clock % 7) * 100000000;
		now.time = start.time + clock * 10000 - (clock % 5) * 30000000;
		etw_timebase_steer(&base, clock * 3000000, &start, &now);
		t = etw_timebase_convert(&base, clock * 3000000 + 1);
		bad += t < last;
		last = t;
	}
	is(bad, 0, "never backwards with nonsense");
}

static struct etw_block *new_block(struct feed *f, uint16_t cpu, uint64_t sequence)
{
	struct etw_block *block = calloc(1, sizeof(*block) + FAKE_BUFFER_SIZE);

	block->size = FAKE_BUFFER_SIZE;
	feed_start(f, block->data, FAKE_BUFFER_SIZE, cpu, sequence);
	return block;
}

static int add(struct etw_merge *merge, struct etw_block *block)
{
	if (etw_buffer_check(block->data, block->size, &block->header))
		return -EINVAL;
	return etw_merge_add(merge, block);
}

/* Any number of CPUs, any fill of buffers, equal times: the result is sorted. */
static void test_merge_random(void)
{
	uint64_t times[40] = { 0 }, last_id[40] = { 0 };
	struct etw_merge merge = { 0 };
	struct etw_block *block;
	int round, n, in = 0, out = 0, bad = 0;
	int64_t last = 0, first;

	srandom(1);
	for (round = 0; round < 300; round++) {
		uint16_t cpu = random() % 40;
		struct feed f;

		block = new_block(&f, cpu * 7, round);
		for (n = random() % 20; n >= 0; n--) {
			times[cpu] += random() % 3;
			feed_event(&f, times[cpu], ++last_id[cpu], NULL, "xyz", random() % 4);
			in++;
		}
		bad += add(&merge, block) != 1;
	}
	memset(last_id, 0, sizeof(last_id));
	while (etw_merge_first(&merge, &first)) {
		struct etw_event event = { .buffer_done = false };

		etw_merge_take(&merge, &event);
		bad += event.record.header->timestamp < last ||
		       event.record.header->timestamp != first;
		bad += event.record.header->desc.id != ++last_id[event.cpu / 7];
		last = event.record.header->timestamp;
		out++;
		if (event.buffer_done)
			free(etw_block_of(event.buffer));
	}
	ok(in == out && !bad, "%d events of 40 CPUs, each once and in order", out);
	is(merge.bytes, 0, "nothing is held");
	etw_merge_free(&merge);
}

static void test_merge_bad(void)
{
	struct etw_merge merge = { 0 };
	struct etw_event event = { .buffer_done = false };
	struct etw_event_header *second;
	struct etw_block *block;
	struct feed f;

	block = new_block(&f, 0, 0);
	is(add(&merge, block), 0, "an empty buffer is not kept");
	feed_header(&f)->offset = 80;
	is(add(&merge, block), 0, "nor is one with half a record");
	is(merge.corrupt, 1, "which is counted");
	feed_header(&f)->offset = FAKE_BUFFER_SIZE + 8;
	is(add(&merge, block), -EINVAL, "offset beyond the buffer");
	feed_header(&f)->offset = 71;
	is(add(&merge, block), -EINVAL, "offset within the header");
	feed_header(&f)->offset = 72;
	feed_header(&f)->buffer_size = 2 * FAKE_BUFFER_SIZE;
	is(add(&merge, block), -EINVAL, "larger than the bytes read");
	free(block);

	block = new_block(&f, 0, 0);
	feed_event(&f, 10, 1, NULL, "abc", 3);
	second = (void *)(f.data + feed_header(&f)->offset);
	feed_event(&f, 11, 2, NULL, "abc", 3);
	second->size = 60000;
	is(add(&merge, block), 1, "a buffer that is good in front");
	etw_merge_take(&merge, &event);
	ok(event.buffer_done && event.record.header->desc.id == 1, "gives its good records");
	is(merge.corrupt, 2, "and is counted");
	free(block);
	block = new_block(&f, 1, 0);
	feed_event(&f, 10, 1, NULL, "abc", 3);
	is(add(&merge, block), 1, "a buffer that is not consumed");
	etw_merge_free(&merge);
}

/* ------------------------------------------------------------ the reader */

static void complete(uint64_t through, uint64_t sequence)
{
	pthread_mutex_lock(&fake->lock);
	fake->complete_through = through;
	fake->complete_sequence = sequence;
	pthread_mutex_unlock(&fake->lock);
}

static void new_session(void)
{
	struct etw_session s = { .buffer_kb = 4 };

	etw_kdev_name_session(&s, "session");
	pthread_mutex_lock(&fake->lock);
	memset(fake->sessions, 0, sizeof(fake->sessions));
	fake->buffer_count = fake->buffer_next = 0;
	fake->ended = false;
	fake->complete_through = fake->complete_sequence = 0;
	if (fake_start(&s))
		abort();
	pthread_mutex_unlock(&fake->lock);
}

static struct etw_source source;
static struct etw_reader *reader;
static struct etw_event event;

/* The id of the next event; below 0: the result of etw_source_next(). */
static int next(int timeout_ms)
{
	int ret = etw_source_next(&source, &event, timeout_ms);

	return ret == 1 ? event.record.header->desc.id : ret - 1000;
}

#define END	(0 - 1000)
#define NONE	(-EAGAIN - 1000)

static int open_reader(const char *session)
{
	int ret = etw_source_open_session(&source, session);

	reader = etw_source_session(&source);
	return ret;
}

static void test_order(void)
{
	struct feed f;

	new_session();
	is(open_reader("session"), 0, "open");
	is(etw_session_info(reader)->buffer_size, FAKE_BUFFER_SIZE, "its buffer size");
	ok(!strcmp(etw_session_info(reader)->name, "session"), "its name");
	is(next(0), NONE, "nothing yet");
	is(next(30), NONE, "nor within 30 ms");

	feed_fake(&f, 0, 5);
	feed_event(&f, 2000, 1, NULL, "a", 1);
	feed_event(&f, 4000, 3, NULL, "b", 1);
	feed_deliver();
	is(next(0), NONE, "held: another CPU may have an earlier one");
	feed_fake(&f, 1, 6);
	feed_event(&f, 3000, 2, NULL, "c", 1);
	feed_event(&f, 9000, 4, NULL, "d", 1);
	feed_deliver();
	complete(5000, 7);
	is(next(1000), 1, "safe now: the first");
	ok(event.time == 133000000000000000 + 10 && !event.buffer_done && event.cpu == 0,
	   "with its time and CPU");
	is(next(1000), 2, "the one of the other CPU");
	is(event.cpu, 1, "is of the other CPU");
	is(next(1000), 3, "and the third");
	ok(event.buffer_done, "the last of its buffer");
	is(next(0), NONE, "the fourth is later than the complete range");
	complete(9000, 7);
	is(next(1000), 4, "until that is complete, too");

	/* "Complete" has no effect before the buffers it covers were read. */
	complete(20000, 9);
	feed_fake(&f, 0, 7);
	feed_event(&f, 19000, 6, NULL, "", 0);
	feed_deliver();
	feed_fake(&f, 1, 8);
	feed_event(&f, 18000, 5, NULL, "", 0);
	feed_deliver();
	is(next(1000), 5, "both were read first");
	is(next(1000), 6, "in time order");
	fake->ended = true;
	feed_fake(&f, 1, 9);
	feed_event(&f, 30000, 7, NULL, "", 0);
	feed_deliver();
	is(next(-1), 7, "the rest when the session ends");
	is(next(-1), END, "and then the end");
	is(next(-1), END, "for good");
	etw_source_close(&source);
}

static void test_loss(void)
{
	struct etw_reader_count count;
	struct feed f;

	new_session();
	open_reader("session");
	feed_fake(&f, 0, 3);
	feed_event(&f, 1, 1, NULL, "", 0);
	feed_deliver();
	feed_fake(&f, 0, 6);
	feed_header(&f)->flags |= ETW_BUFFER_EVENTS_LOST;
	feed_event(&f, 2, 2, NULL, "", 0);
	feed_event(&f, 3, 3, NULL, "", 0);
	feed_deliver();
	/* A bad header or a bad record does not stop the rest. */
	feed_fake(&f, 0, 7);
	feed_header(&f)->offset = 70000;
	feed_deliver();
	feed_fake(&f, 0, 8);
	feed_event(&f, 4, 4, NULL, "", 0);
	((struct etw_event_header *)(f.data + 72))->type = 0x1234;
	feed_deliver();
	feed_fake(&f, 0, 9);
	feed_event(&f, 5, 5, NULL, "", 0);
	feed_deliver();
	fake->ended = true;
	is(next(-1), 1, "first");
	ok(!event.lost_buffers && !event.lost_events, "nothing lost before it");
	is(next(-1), 2, "second");
	ok(event.lost_buffers == 2 && event.lost_events, "two buffers and events lost before");
	is(next(-1), 3, "third");
	ok(!event.lost_buffers && !event.lost_events, "reported once");
	is(next(-1), 5, "bad buffers are passed over");
	is(event.lost_buffers, 1, "the one with the bad header is missing");
	is(next(-1), END, "end");
	etw_reader_counts(reader, &count);
	ok(count.events == 4 && count.buffers == 4 && count.lost_buffers == 3 &&
	   count.lost_marks == 1 && count.corrupt == 2 && !count.disorder, "counts");
	etw_source_close(&source);
}

static void *wake_thread(void *arg)
{
	main_sleeps();
	etw_source_stop(arg);
	return NULL;
}

static void test_wake(void)
{
	pthread_t thread;
	struct feed f;

	new_session();
	open_reader("session");
	pthread_create(&thread, NULL, wake_thread, &source);
	is(next(-1), END, "woken while waiting");
	pthread_join(thread, NULL);
	is(next(-1), END, "for good");
	etw_source_close(&source);

	open_reader("session");
	feed_fake(&f, 0, 0);
	feed_event(&f, 1, 1, NULL, "", 0);
	feed_deliver();
	etw_source_stop(&source);
	is(next(-1), 1, "waiting events are delivered");
	is(next(-1), END, "then it ends");
	etw_source_close(&source);
}

static void test_errors(void)
{
	char name[ETW_NAME_MAX + 2];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	is(open_reader("nobody"), -ENOENT, "no such session");
	is(open_reader(""), -EINVAL, "no name");
	is(open_reader(name), -EINVAL, "long name");
	fake->error[0x40] = -ESHUTDOWN;
	is(open_reader("session"), -ENOENT, "it is stopping");
	fake->open_error = -ENOENT;
	is(open_reader("session"), -ENODEV, "no module");
	fake->open_error = 0;
	etw_source_close(&source);
}

int main(void)
{
	fake_init();
	test_timebase();
	test_merge_random();
	test_merge_bad();
	test_order();
	test_loss();
	test_wake();
	test_errors();
	return done_testing();
}
