/* SPDX-License-Identifier: MIT */
/*
 * write.c - write the relogger's events in the clock of its output
 *
 * The output has the first stream's clock. Records of a stream with the same clock are
 * written unchanged. For other files, all times are converted with both files' clock
 * lines. For a session with another clock, and for events whose time was set, the
 * FILETIME is converted to a tick.
 */
#include <string.h>

#include "relogger_private.h"

/* The first stream with the same clock as stream i; it holds the line of both. */
static unsigned int line_of(const struct etw_relogger *r, unsigned int i)
{
	unsigned int j;

	for (j = 0; j < i; j++)
		if (!r->streams[j]->reader &&
		    etw_etl_clock_same(&r->streams[i]->clock, &r->streams[j]->clock))
			break;
	return j;
}

void etw_relog_clocks(struct etw_relogger *r)
{
	struct etw_etl_info session;
	struct etw_relog_stream *first;
	unsigned int i;

	for (i = 0; i < r->count; i++) {
		struct etw_relog_stream *s = r->streams[i];

		if (s->reader) {
			etw_etl_info_session(&session, etw_session_info(s->reader));
			etw_etl_clock_of(&session, &s->clock);
		} else {
			etw_etl_clock_of(etw_etl_info(s->file), &s->clock);
			etw_etl_time_init(&s->line, etw_etl_info(s->file));
		}
		s->shift = (struct etw_etl_shift){
			.same = !i || etw_etl_clock_same(&s->clock, &r->streams[0]->clock),
			.from = &r->streams[line_of(r, i)]->line,
			.to = &r->streams[0]->line,
		};
	}
	/* Fit each clock's line to the clock pairs of all files with that clock. */
	for (i = 0; i < r->count; i++) {
		first = r->streams[line_of(r, i)];
		if (!r->streams[i]->reader)
			etw_etl_time_join(&first->line, etw_etl_times_of(r->streams[i]->file));
	}
	for (i = 0; i < r->count; i++)
		if (!r->streams[i]->reader)
			etw_etl_time_ready(&r->streams[i]->line);
}

/* Give the writer the output's clock pair: from its line, or the buffer's own pair. */
static void tell_pair(struct etw_relogger *r, const struct etw_relog_event *e, int64_t ticks)
{
	struct etw_relog_stream *first = r->streams[0];
	const struct etw_buffer_header *b = &e->buffer;

	if (first->reader) {
		if (!e->stream && b->type == ETW_BUFFER_TYPE_GENERIC && b->ref_time > 0 &&
		    b->ref_clock > 0)
			etw_etl_pair(r->writer, b->ref_clock, b->ref_time);
		return;
	}
	etw_etl_follow(r->writer, &first->line, 0, ticks);
}

/* The tick of a FILETIME; converts back to the same FILETIME if any tick does. */
static int64_t ticks_of(struct etw_relogger *r, int64_t time)
{
	if (r->streams[0]->reader)
		return etw_etl_raw_time(r->writer, time);
	return etw_etl_ticks(&r->streams[0]->line, time, 99);
}

int etw_relog_write(struct etw_relogger *r, const struct etw_relog_event *e)
{
	const struct etw_relog_stream *s = r->streams[e->stream];
	bool by_lines = !s->reader && !r->streams[0]->reader, has_time;
	uint32_t at[ETW_ETL_TIMES];
	int64_t ticks = 0;

	has_time = etw_etl_times(e->raw, e->size, at) > 0;
	if (!e->moved && s->shift.same) {
		memcpy(&ticks, e->raw + (has_time ? at[0] : 0), sizeof(ticks));
		if (has_time)
			tell_pair(r, e, ticks);
		return etw_etl_write(r->writer, e->buffer.processor, e->raw, e->size);
	}
	memcpy(r->scratch, e->raw, e->size);
	if (by_lines)
		etw_etl_restamp(r->scratch, e->size, &s->shift);
	if (has_time && (e->moved || !by_lines)) {
		ticks = ticks_of(r, e->time);
		memcpy(r->scratch + at[0], &ticks, sizeof(ticks));
	} else if (has_time) {
		memcpy(&ticks, r->scratch + at[0], sizeof(ticks));
		tell_pair(r, e, ticks);
	}
	return etw_etl_write(r->writer, e->buffer.processor, r->scratch, e->size);
}
