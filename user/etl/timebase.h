/* SPDX-License-Identifier: MIT */
/*
 * timebase.h - ticks of a session's clock as FILETIME
 *
 * A straight line through an anchor, steered in small steps towards the session's
 * synchronisation points, so that times neither drift nor run backwards. FILETIME counts
 * 100 ns since 1601.
 */
#ifndef ETW_ETL_TIMEBASE_H
#define ETW_ETL_TIMEBASE_H

#include <stdint.h>

/*
 * FILETIME units per tick, with 64 fractional bits: enough that whole units convert
 * exactly for years, and equally for every user of the same line.
 */
__extension__ typedef __int128 etw_time_rate;

struct etw_timebase {
	int64_t clock;		/* anchor ... */
	int64_t time;		/* ... and the FILETIME there */
	uint64_t part;		/* its fraction */
	int64_t until;		/* the rate applies up to this clock; corrects the error */
	etw_time_rate rate;
	etw_time_rate after;	/* the rate from there on */
	etw_time_rate nominal;	/* the rate according to the clock's stated frequency */
};

/* The same moment in both clocks */
struct etw_time_pair {
	int64_t clock;
	int64_t time;
};

/* frequency: ticks per second, 0 counts as 1e7 */
void etw_timebase_init(struct etw_timebase *base, uint64_t frequency,
		       const struct etw_time_pair *at);

/*
 * A line through a pair, with the rate between two other pairs, of which the second is
 * later.
 */
void etw_timebase_through(struct etw_timebase *base, const struct etw_time_pair *at,
			  const struct etw_time_pair *a, const struct etw_time_pair *b);

int64_t etw_timebase_convert(const struct etw_timebase *base, int64_t clock);

/* The same, and *nanos is the remainder of 100 ns: 0 to 99 ns. */
int64_t etw_timebase_exact(const struct etw_timebase *base, int64_t clock, uint8_t *nanos);

/*
 * Steer by two exact pairs, old and recent. Times up to at have been handed out and do
 * not change; later times approach the exact time within a second.
 */
void etw_timebase_steer(struct etw_timebase *base, int64_t at,
			const struct etw_time_pair *old,
			const struct etw_time_pair *recent);

#endif /* ETW_ETL_TIMEBASE_H */
