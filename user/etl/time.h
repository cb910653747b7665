/* SPDX-License-Identifier: MIT */
/*
 * time.h - the times of a log file's events
 *
 * Windows' files tell one pair of the session's clock and the time, that of the start,
 * and the clock's frequency; all else follows from these.  Ours have a pair in each
 * buffer besides, since no frequency is known so well that it would hold for days.
 *
 * Who has the whole file learns the pairs first; the time between two of them is then a
 * straight line.  Who reads a stream steers by each pair as it comes, as the reader of a
 * session does (timebase.h).  Either way no later tick has an earlier time, and steps of
 * the wall clock are left out: times go on as if it had not been set.
 */
#ifndef ETW_ETL_TIME_H
#define ETW_ETL_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include <etw/format.h>
#include "info.h"
#include "timebase.h"

#define ETW_ETL_FAR	2	/* seconds between pairs that are used, at least */
#define ETW_ETL_PAIRS	1024	/* that are kept of a file, however many it has */

struct etw_etl_time {
	struct etw_timebase base;	/* of the stretch from low up to high */
	int64_t low, high;
	struct etw_time_pair pairs[ETW_ETL_PAIRS];	/* the first is that of the start */
	unsigned int count;
	int64_t gap;			/* ticks between those that are kept, at least */
	uint64_t frequency;
	int64_t step;			/* how far the wall clock was set since the start */
	bool is_time;			/* ticks are FILETIME */
	bool has_pairs;
};

void etw_etl_time_init(struct etw_etl_time *t, const struct etw_etl_info *info);

/* A buffer of the file, in any order. */
void etw_etl_time_learn(struct etw_etl_time *t, const struct etw_buffer_header *header);
/* All that another file of the same clock has told; between init and ready. */
void etw_etl_time_join(struct etw_etl_time *t, const struct etw_etl_time *other);
/* All were learnt. */
void etw_etl_time_ready(struct etw_etl_time *t);

/*
 * Of a stream, where nothing is learnt: an event of this buffer comes next; times up to
 * last (raw) were handed out, and none after it will be earlier.
 */
void etw_etl_time_steer(struct etw_etl_time *t, const struct etw_buffer_header *header,
			int64_t last);

/* FILETIME of a raw time, and the nanoseconds behind it, 0 to 99. */
int64_t etw_etl_time(struct etw_etl_time *t, int64_t clock, uint8_t *nanos);

/*
 * The pairs around a raw time.  None before it but the header's: from has INT64_MIN and
 * time 0; none behind it: to has INT64_MAX and 0.
 */
void etw_etl_time_stretch(const struct etw_etl_time *t, int64_t clock,
			  struct etw_time_pair *from, struct etw_time_pair *to);

#endif /* ETW_ETL_TIME_H */
