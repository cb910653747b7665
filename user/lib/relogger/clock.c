/* SPDX-License-Identifier: MIT */
/*
 * clock.c - the clocks of a relogger's streams, and that of its output
 */
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

void etw_relog_map_clocks(struct etw_relogger *r)
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

int64_t etw_relog_ticks(struct etw_relogger *r, int64_t time)
{
	if (r->streams[0]->reader)
		return etw_etl_raw_time(r->writer, time);
	return etw_etl_ticks(&r->streams[0]->line, time, 99);
}
