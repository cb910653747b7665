/* SPDX-License-Identifier: MIT */
/*
 * clock.h - convert records of one log file to the clock of another
 *
 * Internal to the library and the tools beside it; not installed.
 */
#ifndef ETW_ETL_CLOCK_H
#define ETW_ETL_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "info.h"
#include "time.h"

/* The clock as described in a file's header */
struct etw_etl_clock {
	int64_t clock;		/* ticks ... */
	int64_t time;		/* ... and FILETIME at the same moment, the start */
	int64_t boot;		/* FILETIME; 0: unknown */
	uint64_t frequency;	/* ticks per second, not 0 */
	uint32_t kind;		/* ETW_CLOCK_* */
};

void etw_etl_clock_of(const struct etw_etl_info *info, struct etw_etl_clock *clock);

/*
 * Are these the same clock, on the same machine without a reboot in between? Compares
 * kind, frequency and boot time, and the start times, which may differ by as much as
 * clocks drift (200 ppm). Ticks of the same clock need no conversion.
 */
bool etw_etl_clock_same(const struct etw_etl_clock *a, const struct etw_etl_clock *b);

/*
 * The latest tick of a clock that is not after a time; nanos: to add to time, 0 to 99.
 * Returns the next tick if only that one converts to the same FILETIME, so that whole
 * units are preserved.
 */
int64_t etw_etl_ticks(struct etw_etl_time *clock, int64_t time, uint8_t nanos);

/*
 * Converts one file's ticks to those of another file's clock, less an offset: through
 * the time of the tick according to both files, including drift. The conversion keeps
 * the order of ticks.
 */
struct etw_etl_shift {
	bool same;			/* the same clock: only the offset applies */
	struct etw_etl_time *from, *to;
	int64_t offset;
};

int64_t etw_etl_shift(const struct etw_etl_shift *shift, int64_t ticks);

/*
 * The offsets of a record's times, at most ETW_ETL_TIMES; returns their number. The
 * first is the record's own. In the kernel logger's records of stacks, DPCs and ISRs,
 * the others are the time of another event or of the start. 0: the record has no time,
 * such as a message without one or an ERROR. Does not trust the record.
 */
#define ETW_ETL_TIMES	2
unsigned int etw_etl_times(const void *record, size_t size, uint32_t at[ETW_ETL_TIMES]);

/* Convert all times of the record in place. */
void etw_etl_restamp(void *record, size_t size, const struct etw_etl_shift *shift);

#endif /* ETW_ETL_CLOCK_H */
