/* SPDX-License-Identifier: MIT */
/*
 * clock.h - records of one log file in the clock of another
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

/* What a file's header tells of its clock */
struct etw_etl_clock {
	int64_t clock;		/* ticks ... */
	int64_t time;		/* ... and FILETIME at the same moment, the start */
	int64_t boot;		/* FILETIME; 0: not known */
	uint64_t frequency;	/* ticks per second, not 0 */
	uint32_t kind;		/* ETW_CLOCK_* */
};

void etw_etl_clock_of(const struct etw_etl_info *info, struct etw_etl_clock *clock);

/*
 * Are they one and the same clock, of one machine that was not booted meanwhile?  Told
 * by kind, frequency and boot time, and by the start times, which may be as far apart as
 * clocks drift (200 ppm): then ticks of one need not be converted to be ticks of the other.
 */
bool etw_etl_clock_same(const struct etw_etl_clock *a, const struct etw_etl_clock *b);

/*
 * The latest tick of a clock that is not after a time; nanos: behind it, 0 to 99.  The
 * next one if only that has the same FILETIME: whole units stay what they are.
 */
int64_t etw_etl_ticks(struct etw_etl_time *clock, int64_t time, uint8_t nanos);

/*
 * From one file's ticks to those of another's clock, less an offset: by the time at which
 * they were, as both files tell it, drift included.  Later ticks become no earlier ones.
 */
struct etw_etl_shift {
	bool same;			/* one clock: only the offset */
	struct etw_etl_time *from, *to;
	int64_t offset;
};

int64_t etw_etl_shift(const struct etw_etl_shift *shift, int64_t ticks);

/*
 * Where the times of a record lie, offsets from its begin, at most ETW_ETL_TIMES; how
 * many.  The first is its own; the others, in the kernel logger's records of stacks, DPCs
 * and ISRs, tell of another event and of their begin.  0: it has none, as a message
 * without time or an ERROR.  Trusts nothing in it.
 */
#define ETW_ETL_TIMES	2
unsigned int etw_etl_times(const void *record, size_t size, uint32_t at[ETW_ETL_TIMES]);

/* Convert all of them, in place. */
void etw_etl_restamp(void *record, size_t size, const struct etw_etl_shift *shift);

#endif /* ETW_ETL_CLOCK_H */
