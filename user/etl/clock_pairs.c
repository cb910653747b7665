/* SPDX-License-Identifier: MIT */
/*
 * clock_pairs.c - the pairs of clock and time in a log file's buffers
 *
 * Store clock pairs unmodified; recomputing one would round it again, and use a less
 * accurate rate. A buffer has room for one pair, which must not be later than its
 * records, since readers rely on that. If there are more pairs than buffers, some are
 * left out, evenly.
 */
#include <string.h>

#include "write_private.h"

__extension__ typedef __int128 wide;

/* Reduce the waiting pairs to left, keeping the oldest and the latest. */
static void thin(struct etw_etl_pairs *pairs, unsigned int left)
{
	unsigned int i;

	for (i = 1; i < left; i++)
		pairs->list[i] = pairs->list[i * (pairs->count - 1) / (left - 1)];
	pairs->count = left;
}

/*
 * Readers ignore pairs less than two seconds apart: the latest pair waits until the
 * previous one is that old.
 */
static bool is_close(const struct etw_etl_writer *w, int64_t clock)
{
	const struct etw_etl_pairs *pairs = &w->pairs;
	const struct etw_time_pair *old = pairs->count > 1 ? &pairs->list[pairs->count - 2] :
					  &pairs->written;

	return pairs->count && old->time &&
	       (wide)clock - old->clock < (wide)ETW_ETL_FAR * etw_etl_frequency(&w->info);
}

void etw_etl_pair(struct etw_etl_writer *writer, int64_t clock, int64_t time)
{
	struct etw_etl_pairs *pairs = &writer->pairs;
	const struct etw_time_pair *last = pairs->count ? &pairs->list[pairs->count - 1] :
					   &pairs->written;

	writer->base.clock = clock;
	writer->base.time = time;
	pairs->any = true;
	if (last->time && clock <= last->clock)
		return;
	if (is_close(writer, clock))
		pairs->count--;
	else if (pairs->count == ETW_ETL_WAITING)
		thin(pairs, ETW_ETL_WAITING / 2);
	pairs->list[pairs->count++] = (struct etw_time_pair){ clock, time };
}

void etw_etl_pair_put(struct etw_etl_writer *w, const struct etw_etl_lane *lane,
		      struct etw_buffer_header *header)
{
	struct etw_etl_pairs *pairs = &w->pairs;
	const struct etw_time_pair *pair = &pairs->written;

	header->ref_clock = lane->ref;
	if (w->info.header.ReservedFlags == ETW_CLOCK_SYSTEM) {
		header->ref_time = lane->ref;
		return;
	}
	if (!pairs->any) {
		header->ref_time = etw_timebase_convert(&w->base, lane->ref);
		return;
	}
	/* A record without a time takes the buffer's. */
	if (lane->timeless)
		return;
	if (lane->ends) {
		pair = &pairs->end;
	} else if (pairs->count && pairs->list[0].clock <= lane->ref) {
		pairs->written = pairs->list[0];
		memmove(pairs->list, pairs->list + 1, --pairs->count * sizeof(pairs->list[0]));
	}
	/* 0: there is none. */
	if (!pair->time || (pair->clock > lane->ref && !lane->ends))
		return;
	header->ref_clock = pair->clock;
	header->ref_time = pair->time;
}

/* A trace of few events may have only the pair at its start otherwise. */
void etw_etl_pair_last(struct etw_etl_writer *w)
{
	struct etw_etl_lane *lane, *best = NULL;
	unsigned int cpu;

	for (cpu = 0; cpu < w->lane_count; cpu++) {
		lane = &w->lanes[cpu];
		if (lane->data && lane->used > ETW_BUFFER_HEADER_SIZE && !lane->timeless &&
		    (!best || lane->ref > best->ref))
			best = lane;
	}
	if (!w->pairs.count || !best)
		return;
	w->pairs.end = w->pairs.list[--w->pairs.count];
	best->ends = true;
}

void etw_etl_pair_again(struct etw_etl_writer *w, const struct etw_etl_time *line)
{
	if (line->count < 2)
		return;
	w->pairs.any = true;
	w->pairs.written = line->pairs[line->count - 1];
}

/* -------------------------------------------------------------- a whole line */

/* Add a pair of the line, if it is valid, in the file's ticks. */
static void add_pair(struct etw_etl_writer *w, const struct etw_time_pair *pair)
{
	int64_t clock;

	if (pair->time && !__builtin_sub_overflow(pair->clock, w->pairs.offset, &clock))
		etw_etl_pair(w, clock, pair->time);
}

/* Add both ends of a stretch that has records, even if the next record is far after its end. */
void etw_etl_follow(struct etw_etl_writer *writer, struct etw_etl_time *line, int64_t offset,
		    int64_t clock)
{
	struct etw_etl_pairs *pairs = &writer->pairs;

	if (__builtin_add_overflow(clock, offset, &clock))
		return;
	if (pairs->line && clock >= pairs->from.clock && clock < pairs->to.clock) {
		if (clock > pairs->last)
			pairs->last = clock;
		return;
	}
	if (pairs->line && clock >= pairs->to.clock)
		add_pair(writer, &pairs->to);
	if (!pairs->line || clock > pairs->last)
		pairs->last = clock;
	pairs->line = line;
	pairs->offset = offset;
	/* Before the first pair, times derived from the header would be wrong. */
	pairs->any |= line->count > 1;
	etw_etl_time_stretch(line, clock, &pairs->from, &pairs->to);
	add_pair(writer, &pairs->from);
}

/* After the last pair, the last record's time is enough for the end. */
void etw_etl_follow_end(struct etw_etl_writer *w)
{
	struct etw_etl_pairs *pairs = &w->pairs;
	struct etw_time_pair end = { .clock = pairs->last };
	uint8_t nanos;

	if (!pairs->line)
		return;
	etw_etl_time_stretch(pairs->line, pairs->last, &pairs->from, &pairs->to);
	if (!pairs->to.time && pairs->from.time &&
	    (wide)end.clock - pairs->from.clock >= (wide)ETW_ETL_FAR * pairs->line->frequency) {
		end.time = etw_etl_time(pairs->line, end.clock, &nanos);
		add_pair(w, &end);
	}
	add_pair(w, &pairs->to);
}
