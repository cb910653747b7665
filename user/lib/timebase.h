/* SPDX-License-Identifier: MIT */
/*
 * timebase.h - ticks of a session's clock as FILETIME
 *
 * A straight line through an anchor, steered in small steps toward what the
 * session's synchronisation points say, so that times neither drift nor ever
 * run backwards.  FILETIME counts 100 ns since 1601.
 */
#ifndef ETW_LIB_TIMEBASE_H
#define ETW_LIB_TIMEBASE_H

#include <stdint.h>

struct etw_timebase {
	int64_t clock;		/* anchor ... */
	int64_t time;		/* ... and the FILETIME there */
	uint64_t rate;		/* FILETIME units per tick, 16.48 fixed point */
	uint64_t nominal;	/* the same by the clock's stated frequency */
};

/* The same moment twice */
struct etw_time_pair {
	int64_t clock;
	int64_t time;
};

/* frequency: ticks per second, 0 counts as 1e7 */
void etw_timebase_init(struct etw_timebase *base, uint64_t frequency,
		       const struct etw_time_pair *at);

int64_t etw_timebase_convert(const struct etw_timebase *base, int64_t clock);

/*
 * Two true pairs are known, old and recent.  Times up to at have been handed
 * out and stay as they are; later ones approach the truth within a second.
 */
void etw_timebase_steer(struct etw_timebase *base, int64_t at,
			const struct etw_time_pair *old,
			const struct etw_time_pair *recent);

#endif /* ETW_LIB_TIMEBASE_H */
