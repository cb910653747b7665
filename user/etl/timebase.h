/* SPDX-License-Identifier: MIT */
/*
 * timebase.h - ticks of a session's clock as FILETIME
 *
 * A straight line through an anchor, steered in small steps toward what the
 * session's synchronisation points say, so that times neither drift nor ever
 * run backwards.  FILETIME counts 100 ns since 1601.
 */
#ifndef ETW_ETL_TIMEBASE_H
#define ETW_ETL_TIMEBASE_H

#include <stdint.h>

/*
 * FILETIME units per tick, 64 bits of them behind the point: so many that whole units
 * come out as such for years, and the same whoever reckons from the same line.
 */
__extension__ typedef __int128 etw_time_rate;

struct etw_timebase {
	int64_t clock;		/* anchor ... */
	int64_t time;		/* ... and the FILETIME there */
	uint64_t part;		/* behind its point */
	int64_t until;		/* the rate is up to this clock, where what was off is made up for */
	etw_time_rate rate;
	etw_time_rate after;	/* from there on */
	etw_time_rate nominal;	/* the same by the clock's stated frequency */
};

/* The same moment twice */
struct etw_time_pair {
	int64_t clock;
	int64_t time;
};

/* frequency: ticks per second, 0 counts as 1e7 */
void etw_timebase_init(struct etw_timebase *base, uint64_t frequency,
		       const struct etw_time_pair *at);

/* Straight on from a pair, as fast as between two others, of which the second is later. */
void etw_timebase_through(struct etw_timebase *base, const struct etw_time_pair *at,
			  const struct etw_time_pair *a, const struct etw_time_pair *b);

int64_t etw_timebase_convert(const struct etw_timebase *base, int64_t clock);

/* The same, and in *nanos what is behind the point of 100 ns: 0 to 99 ns. */
int64_t etw_timebase_exact(const struct etw_timebase *base, int64_t clock, uint8_t *nanos);

/*
 * Two true pairs are known, old and recent.  Times up to at have been handed
 * out and stay as they are; later ones approach the truth within a second.
 */
void etw_timebase_steer(struct etw_timebase *base, int64_t at,
			const struct etw_time_pair *old,
			const struct etw_time_pair *recent);

#endif /* ETW_ETL_TIMEBASE_H */
