// SPDX-License-Identifier: MIT
/* cli_report_parts - the histograms, bounded tables and time scales of etw report */
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "report/bounded.c"
#include "report/distinct.c"
#undef FIRST
#include "report/histogram.c"
#include "report/scale.c"

#define KEYS	1000
#define ROOM	100

struct counted {
	struct report_entry entry;
};

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The lowest value of a number's bin, from its bits alone */
static __int128 floor_of(int64_t value)
{
	uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
	unsigned int shift = 0;

	while (magnitude >> shift >= 256)
		shift++;
	if (value < 0)
		return -(__int128)((((magnitude >> shift) + 1) << shift) - 1);
	return (__int128)(magnitude >> shift << shift);
}

static void add_up(void *context, const struct report_bin *bin)
{
	*(uint64_t *)context += bin->low <= bin->high ? bin->count : 1u << 30;
}

static __int128 larger(__int128 a, __int128 b)
{
	return a > b ? a : b;
}

static void take_exact(void *context, const struct report_bin *bin)
{
	*(uint64_t *)context += bin->low == bin->high ? bin->count : 0;
}

/* The least value is not at the begin of its bin; and numbers with bins of their own */
static void test_histogram_edges(void)
{
	struct report_histogram h = { 0 };
	uint64_t exact = 0;
	int i;

	is(report_histogram_add(&h, 1001), 0, "a number within a bin");
	ok(report_histogram_rank(&h, 50, 100) == 1001, "no percentile is below the least");
	report_histogram_free(&h);
	for (i = -255; i < REPORT_EXACT; i++)
		if (report_histogram_add(&h, i))
			abort();
	report_histogram_bins(&h, REPORT_EXACT, take_exact, &exact);
	is((int)exact, 511, "small numbers have bins of their own");
	report_histogram_free(&h);
}

static void test_histogram(void)
{
	static int64_t values[10000];
	static const unsigned int parts[] = { 1, 500, 900, 990, 999, 1000 };
	struct report_histogram h = { 0 };
	const unsigned int count = sizeof(values) / sizeof(*values);
	unsigned int i, wrong = 0, per;
	__int128 sum = 0;
	uint64_t all;

	for (i = 0; i < count; i++) {
		values[i] = (int64_t)((uint64_t)rand() << 32 ^ (uint64_t)rand()) >> (rand() % 64);
		if (report_histogram_add(&h, values[i]))
			abort();
		sum += values[i];
	}
	qsort(values, count, sizeof(*values), by_value);
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		wrong += report_histogram_rank(&h, parts[i], 1000) !=
			 larger(floor_of(values[(count * parts[i] + 999) / 1000 - 1]), values[0]);
	is(wrong, 0, "percentiles of numbers of all sizes and both signs");
	ok(h.count == count && h.sum == sum && h.least == values[0] &&
	   h.greatest == values[count - 1], "count, sum and range are exact");
	for (per = 1, wrong = 0; per <= 8; per *= 2) {
		all = 0;
		report_histogram_bins(&h, per, add_up, &all);
		wrong += all != count;
	}
	is(wrong, 0, "bins have all elements");
	report_histogram_free(&h);
	is(report_histogram_add(&h, UINT64_MAX), 0, "the largest number");
	ok(report_histogram_rank(&h, 1, 2) == UINT64_MAX, "is its own percentile");
	report_histogram_free(&h);
	is((int)report_histogram_rank(&h, 1, 2), 0, "an empty one");
}

static void test_bounded(void)
{
	struct report_bounded b;
	struct report_entry *entry;
	uint64_t events = 0, added = 0, own = 0;
	uint32_t i, key, round;

	report_bounded_init(&b, ROOM, sizeof(struct counted), NULL);
	for (round = 0; round < 50; round++) {
		for (i = 0; i < KEYS; i++) {
			key = i % 3 ? i : 7;
			if (report_bounded_get(&b, &key, sizeof(key), &entry) < 0)
				abort();
			entry->events++;
			own += key == 7;
			added++;
		}
	}
	report_bounded_sort(&b);
	for (i = 0; i < b.count; i++)
		events += b.entries[i]->events;
	ok(b.count <= ROOM, "no more entries than there is room for");
	ok(events + b.other.events == added, "no event is lost");
	ok(!memcmp(b.entries[0]->key, &(uint32_t){ 7 }, 4), "the largest is first");
	ok(b.entries[0]->events <= own && b.entries[0]->events + b.other.missing >= own,
	   "and counts at most so many too few as is said");
	report_bounded_free(&b);
}

static void test_distinct(void)
{
	struct report_distinct d = { .slots = NULL };
	uint32_t i;

	for (i = 0; i < 2 * KEYS; i++)
		report_distinct_add(&d, &(uint32_t){ i % KEYS }, sizeof(i));
	ok(d.count == KEYS && !d.full, "different keys are counted once");
	for (i = 0; i <= REPORT_DISTINCT_MAX; i++)
		report_distinct_add(&d, &i, sizeof(i));
	ok(d.count == REPORT_DISTINCT_MAX && d.full, "up to a limit, which is told");
	report_distinct_free(&d);
}

static void test_scale(void)
{
	struct report_scale scale = { .begun = false };
	struct report_series series = { 0 };
	uint64_t buckets[60] = { 0 }, sum = 0;
	unsigned int i, bucket, wrong = 0;

	for (i = 0; i < 100000; i++) {
		bucket = report_scale_bucket(&scale, 1000 + (int64_t)i * 12345);
		report_series_update(&series, &scale, buckets, 60);
		buckets[bucket / 10]++;
	}
	for (i = 0; i < 60; i++)
		sum += buckets[i];
	is(sum, 100000, "a series has all events");
	for (i = 0; i < 100000; i++)
		buckets[((uint64_t)i * 12345 >> scale.shift) / 10]--;
	for (i = 0; i < 60; i++)
		wrong += buckets[i] != 0;
	is(wrong, 0, "each in its bucket");
	is(report_scale_bucket(&scale, -5), 0, "what was before the start is in the first one");
	ok(scale.used > REPORT_BUCKETS / 2 && scale.used <= REPORT_BUCKETS, "as fine as possible");
}

int main(void)
{
	test_histogram();
	test_histogram_edges();
	test_bounded();
	test_distinct();
	test_scale();
	return done_testing();
}
