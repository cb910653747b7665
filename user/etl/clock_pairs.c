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
static void thin(struct etw_etl_told *told, unsigned int left)
{
	unsigned int i;

	for (i = 1; i < left; i++)
		told->list[i] = told->list[i * (told->count - 1) / (left - 1)];
	told->count = left;
}

/*
 * Readers ignore pairs less than two seconds apart: the latest pair waits until the
 * previous one is that old.
 */
static bool is_close(const struct etw_etl_writer *w, int64_t clock)
{
	const struct etw_etl_told *told = &w->told;
	const struct etw_time_pair *old = told->count > 1 ? &told->list[told->count - 2] :
					  &told->written;

	return told->count && old->time &&
	       (wide)clock - old->clock < (wide)ETW_ETL_FAR * etw_etl_frequency(&w->info);
}

void etw_etl_pair(struct etw_etl_writer *writer, int64_t clock, int64_t time)
{
	struct etw_etl_told *told = &writer->told;
	const struct etw_time_pair *last = told->count ? &told->list[told->count - 1] :
					   &told->written;

	writer->base.clock = clock;
	writer->base.time = time;
	told->any = true;
	if (last->time && clock <= last->clock)
		return;
	if (is_close(writer, clock))
		told->count--;
	else if (told->count == ETW_ETL_TOLD)
		thin(told, ETW_ETL_TOLD / 2);
	told->list[told->count++] = (struct etw_time_pair){ clock, time };
}

void etw_etl_pair_put(struct etw_etl_writer *w, const struct etw_etl_lane *lane,
		      struct etw_buffer_header *header)
{
	struct etw_etl_told *told = &w->told;
	const struct etw_time_pair *pair = &told->written;

	header->ref_clock = lane->ref;
	if (w->info.header.ReservedFlags == ETW_CLOCK_SYSTEM) {
		header->ref_time = lane->ref;
		return;
	}
	if (!told->any) {
		header->ref_time = etw_timebase_convert(&w->base, lane->ref);
		return;
	}
	/* A record without a time takes the buffer's. */
	if (lane->timeless)
		return;
	if (lane->ends) {
		pair = &told->end;
	} else if (told->count && told->list[0].clock <= lane->ref) {
		told->written = told->list[0];
		memmove(told->list, told->list + 1, --told->count * sizeof(told->list[0]));
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
	if (!w->told.count || !best)
		return;
	w->told.end = w->told.list[--w->told.count];
	best->ends = true;
}

void etw_etl_pair_again(struct etw_etl_writer *w, const struct etw_etl_time *line)
{
	if (line->count < 2)
		return;
	w->told.any = true;
	w->told.written = line->pairs[line->count - 1];
}

/* -------------------------------------------------------------- a whole line */

/* Add a pair of the line, if it is valid, in the file's ticks. */
static void tell(struct etw_etl_writer *w, const struct etw_time_pair *pair)
{
	int64_t clock;

	if (pair->time && !__builtin_sub_overflow(pair->clock, w->told.offset, &clock))
		etw_etl_pair(w, clock, pair->time);
}

/* Add both ends of a stretch that has records, even if the next record is far after its end. */
void etw_etl_follow(struct etw_etl_writer *writer, struct etw_etl_time *line, int64_t offset,
		    int64_t clock)
{
	struct etw_etl_told *told = &writer->told;

	if (__builtin_add_overflow(clock, offset, &clock))
		return;
	if (told->line && clock >= told->from.clock && clock < told->to.clock) {
		if (clock > told->last)
			told->last = clock;
		return;
	}
	if (told->line && clock >= told->to.clock)
		tell(writer, &told->to);
	if (!told->line || clock > told->last)
		told->last = clock;
	told->line = line;
	told->offset = offset;
	/* Before the first pair, times derived from the header would be wrong. */
	told->any |= line->count > 1;
	etw_etl_time_stretch(line, clock, &told->from, &told->to);
	tell(writer, &told->from);
}

/* After the last pair, the last record's time is enough for the end. */
void etw_etl_follow_end(struct etw_etl_writer *w)
{
	struct etw_etl_told *told = &w->told;
	struct etw_time_pair end = { .clock = told->last };
	uint8_t nanos;

	if (!told->line)
		return;
	etw_etl_time_stretch(told->line, told->last, &told->from, &told->to);
	if (!told->to.time && told->from.time &&
	    (wide)end.clock - told->from.clock >= (wide)ETW_ETL_FAR * told->line->frequency) {
		end.time = etw_etl_time(told->line, end.clock, &nanos);
		tell(w, &end);
	}
	tell(w, &told->to);
}
