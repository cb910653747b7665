/* SPDX-License-Identifier: MIT */
/*
 * time.h - the times of a log file's events
 *
 * Files from Windows hold one pair of the session's clock and the time, that of the
 * start, and the clock's frequency; all times are derived from these. Our files also
 * have a pair in each buffer, since no known frequency is accurate enough for days.
 *
 * A reader of a whole file learns the pairs first; the time between two pairs is then a
 * straight line. A reader of a stream steers by each pair as it arrives, like the
 * reader of a session (timebase.h). Both ways, no later tick has an earlier time, and
 * steps of the wall clock are removed: times continue as if the clock had not been set.
 */
#ifndef ETW_ETL_TIME_H
#define ETW_ETL_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include <etw/format.h>
#include "info.h"
#include "timebase.h"

#define ETW_ETL_FAR	2	/* minimum seconds between pairs in use */
#define ETW_ETL_PAIRS	1024	/* kept per file, however many it has */

struct etw_etl_time {
	struct etw_timebase base;	/* of the stretch from low to high */
	int64_t low, high;
	struct etw_time_pair pairs[ETW_ETL_PAIRS];	/* the first is the start's */
	unsigned int count;
	int64_t gap;			/* minimum ticks between kept pairs */
	uint64_t frequency;
	int64_t step;			/* total steps of the wall clock since the start */
	bool is_time;			/* ticks are FILETIME */
	bool has_pairs;
};

void etw_etl_time_init(struct etw_etl_time *t, const struct etw_etl_info *info);

/* Learn the pair of a buffer of the file; in any order. */
void etw_etl_time_learn(struct etw_etl_time *t, const struct etw_buffer_header *header);
/* Learn the pairs of another file with the same clock; between init and ready. */
void etw_etl_time_join(struct etw_etl_time *t, const struct etw_etl_time *other);
/* Call after all pairs are learnt. */
void etw_etl_time_ready(struct etw_etl_time *t);

/*
 * For a stream, where no pairs are learnt: an event of this buffer comes next. Times up
 * to last (raw) have been handed out, and no later event will be earlier.
 */
void etw_etl_time_steer(struct etw_etl_time *t, const struct etw_buffer_header *header,
			int64_t last);

/* FILETIME of a raw time, and the additional nanoseconds, 0 to 99. */
int64_t etw_etl_time(struct etw_etl_time *t, int64_t clock, uint8_t *nanos);

/*
 * The pairs around a raw time. If only the header's pair precedes it, from has
 * INT64_MIN and time 0; if no pair follows it, to has INT64_MAX and 0.
 */
void etw_etl_time_stretch(const struct etw_etl_time *t, int64_t clock,
			  struct etw_time_pair *from, struct etw_time_pair *to);

#endif /* ETW_ETL_TIME_H */
