// SPDX-License-Identifier: MIT
/*
 * time.c - the times of a log file's events
 */
#include <stdlib.h>
#include <string.h>

#include "time.h"

#define SECOND		10000000	/* in FILETIME units */
#define STEP_MIN	(SECOND / 10)	/* smaller differences are drift */

__extension__ typedef __int128 wide;

void etw_etl_time_init(struct etw_etl_time *t, const struct etw_etl_info *info)
{
	uint64_t frequency = etw_etl_frequency(info);

	memset(t, 0, sizeof(*t));
	t->pairs[0].clock = info->start_clock;
	t->pairs[0].time = info->header.StartTime.QuadPart;
	t->count = 1;
	t->frequency = frequency;
	t->gap = frequency > INT64_MAX / ETW_ETL_FAR ? INT64_MAX : (int64_t)(ETW_ETL_FAR * frequency);
	t->is_time = info->header.ReservedFlags == ETW_CLOCK_SYSTEM;
	/* Windows stores its build number here, and other data in place of the pairs. */
	t->has_pairs = !info->header.ProviderVersion && !t->is_time;
	t->low = INT64_MIN;
	t->high = INT64_MAX;
	etw_timebase_init(&t->base, frequency, &t->pairs[0]);
}

static bool has_pair(const struct etw_etl_time *t, const struct etw_buffer_header *header)
{
	return t->has_pairs && header->ref_time > 0 && header->ref_clock > 0;
}

/*
 * Remove the steps of the wall clock between two pairs: the deviation from the clock's
 * frequency. Up to a tenth may be drift of an emulated clock. False: the later pair is
 * invalid.
 */
static bool leave_out_step(struct etw_etl_time *t, const struct etw_time_pair *old,
			   struct etw_time_pair *next)
{
	wide want = ((wide)next->clock - old->clock) * SECOND / t->frequency;
	wide off = (wide)next->time - t->step - old->time - want;
	wide slack = want / 10 + STEP_MIN;
	wide step = off <= slack && off >= -slack ? 0 : off;
	wide time = (wide)next->time - t->step - step;
	int64_t sum;

	if (time <= old->time || time > INT64_MAX)
		return false;
	/* The clock cannot have been set by more than the range of times. */
	if (step > INT64_MAX / 4 || step < INT64_MIN / 4 ||
	    __builtin_add_overflow(t->step, (int64_t)step, &sum))
		return false;
	t->step = sum;
	next->time = (int64_t)time;
	return true;
}

/* ---------------------------------------------------------------- of a file */

/* Drop every second pair, but keep the start. */
static void thin(struct etw_etl_time *t)
{
	unsigned int i, left = 1;

	for (i = 2; i < t->count; i += 2)
		t->pairs[left++] = t->pairs[i];
	t->count = left;
	t->gap = t->gap > INT64_MAX / 2 ? INT64_MAX : 2 * t->gap;
}

static void learn(struct etw_etl_time *t, const struct etw_time_pair *pair)
{
	wide apart = (wide)pair->clock - t->pairs[t->count - 1].clock;

	if (apart < t->gap && apart > -t->gap)
		return;
	if (t->count == ETW_ETL_PAIRS)
		thin(t);
	t->pairs[t->count++] = *pair;
}

void etw_etl_time_learn(struct etw_etl_time *t, const struct etw_buffer_header *header)
{
	const struct etw_time_pair pair = { header->ref_clock, header->ref_time };

	if (has_pair(t, header))
		learn(t, &pair);
}

/* A file without pairs adds nothing: its header's start may be imprecise. */
void etw_etl_time_join(struct etw_etl_time *t, const struct etw_etl_time *other)
{
	unsigned int i;

	if (!t->has_pairs || other->count < 2)
		return;
	for (i = 0; i < other->count; i++)
		learn(t, &other->pairs[i]);
}

static int compare(const void *a, const void *b)
{
	int64_t x = ((const struct etw_time_pair *)a)->clock;
	int64_t y = ((const struct etw_time_pair *)b)->clock;

	return (x > y) - (x < y);
}

/*
 * Does a pair agree with the line? Its time is a whole unit, and its writer may have
 * copied it from a line itself. Such a pair adds no information, but its rounding would
 * look like drift.
 */
static bool says_line(const struct etw_etl_time *t, const struct etw_time_pair *pair)
{
	wide off = (wide)etw_timebase_convert(&t->base, pair->clock) - pair->time;

	return off >= -1 && off <= 1;
}

static bool all_say_line(const struct etw_etl_time *t)
{
	unsigned int i;

	for (i = 1; i < t->count; i++)
		if (!says_line(t, &t->pairs[i]))
			return false;
	return true;
}

void etw_etl_time_ready(struct etw_etl_time *t)
{
	unsigned int i, left = 1;

	qsort(t->pairs + 1, t->count - 1, sizeof(t->pairs[0]), compare);
	for (i = 1; i < t->count; i++) {
		struct etw_time_pair next = t->pairs[i];
		const struct etw_time_pair *old = &t->pairs[left - 1];

		if ((wide)next.clock - old->clock < (wide)t->frequency * ETW_ETL_FAR ||
		    !leave_out_step(t, old, &next))
			continue;
		t->pairs[left++] = next;
	}
	t->count = left;
	if (all_say_line(t))
		t->count = 1;
	/* Find the stretch on first use. */
	if (t->count > 1)
		t->low = t->high = INT64_MAX;
}

/* The last pair not after a time, or the first */
static unsigned int find_low(const struct etw_etl_time *t, int64_t clock)
{
	unsigned int low = 0, high = t->count - 1;

	while (low < high) {
		unsigned int mid = (low + high + 1) / 2;

		if (t->pairs[mid].clock <= clock)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

/*
 * Lay the line through the pairs around a time; after the last pair, continue the last
 * stretch.
 */
static void find_stretch(struct etw_etl_time *t, int64_t clock)
{
	unsigned int low = find_low(t, clock), slope;

	t->low = low ? t->pairs[low].clock : INT64_MIN;
	t->high = low + 1 < t->count ? t->pairs[low + 1].clock : INT64_MAX;
	slope = low + 1 < t->count ? low : low - 1;
	etw_timebase_through(&t->base, &t->pairs[low], &t->pairs[slope], &t->pairs[slope + 1]);
}

int64_t etw_etl_time(struct etw_etl_time *t, int64_t clock, uint8_t *nanos)
{
	*nanos = 0;
	if (t->is_time)
		return clock;
	if ((clock < t->low || clock >= t->high) && t->count > 1)
		find_stretch(t, clock);
	return etw_timebase_exact(&t->base, clock, nanos);
}

void etw_etl_time_stretch(const struct etw_etl_time *t, int64_t clock,
			  struct etw_time_pair *from, struct etw_time_pair *to)
{
	unsigned int low = find_low(t, clock);

	*from = low ? t->pairs[low] : (struct etw_time_pair){ .clock = INT64_MIN };
	*to = low + 1 < t->count ? t->pairs[low + 1] : (struct etw_time_pair){ .clock = INT64_MAX };
}

/* -------------------------------------------------------------- of a stream */

void etw_etl_time_steer(struct etw_etl_time *t, const struct etw_buffer_header *header,
			int64_t last)
{
	struct etw_time_pair next = { header->ref_clock, header->ref_time };

	if (!has_pair(t, header) || (wide)next.clock - t->pairs[0].clock < t->gap ||
	    !leave_out_step(t, &t->pairs[0], &next))
		return;
	/* No later event is earlier than last, though it may be earlier than a pair. */
	if (!says_line(t, &next))
		etw_timebase_steer(&t->base, last, &t->pairs[0], &next);
	t->pairs[0] = next;
}
