/* SPDX-License-Identifier: MIT */
/*
 * tally.h - what etw top has counted: a bounded number of rows, over all time and by ticks
 *
 * A tick is an interval between two updates of the screen. Rows that no longer fit are given up,
 * the smallest first; sums over all events stay exact, so what is missing in the rows is known.
 */
#ifndef ETW_CLI_TOP_TALLY_H
#define ETW_CLI_TOP_TALLY_H

#include <stdbool.h>
#include <stdint.h>
#include "by.h"
#include "report/bounded.h"
#include "report/histogram.h"

#define TALLY_ROWS	1024
#define TALLY_TICKS	60	/* latest ones whose events are known */

/* Events of each tick; all zero: none */
struct tally_recent {
	uint64_t tick;			/* the latest one with a place */
	uint64_t events[TALLY_TICKS];	/* at tick % TALLY_TICKS */
};

struct tally_row {
	struct report_entry entry;	/* of the key */
	char *name;			/* not escaped; "": events without such a field */
	bool is_named;
	uint64_t lost;
	struct tally_recent recent;
	struct report_histogram times;	/* of operations, ns */
};

struct tally {
	struct report_bounded rows;
	uint64_t tick;			/* the present one */
	double seconds;			/* how long the tick before it was; 0: there was none */
	uint64_t events, bytes, operations, lost;	/* of all rows, and of those given up */
	struct tally_recent recent;
};

void tally_init(struct tally *tally);
void tally_free(struct tally *tally);
/* Forget all that was counted, but not the ticks. */
void tally_clear(struct tally *tally);

/* The present tick has ended, after so many seconds. */
void tally_tick(struct tally *tally, double seconds);

/* Ends the command without memory.  The row is valid until the next one is asked for. */
struct tally_row *tally_row(struct tally *tally, const struct by_row *of);
/* Count events of a row; tick: in which they came, no later than the present one */
void tally_count(struct tally *tally, struct tally_row *row, uint64_t tick, uint64_t events,
		 uint64_t bytes);
/* Count events that belong to no row and no tick. */
void tally_count_apart(struct tally *tally, uint64_t events, uint64_t bytes);
void tally_operation(struct tally *tally, struct tally_row *row, uint64_t ns);
void tally_lose(struct tally *tally, struct tally_row *row, uint64_t events);

/* Events a second in the tick before the present one; recent: a row's, or that of all */
double tally_rate(const struct tally *tally, const struct tally_recent *recent);
/* The last count of the ticks that have ended, oldest first */
void tally_series(const struct tally *tally, const struct tally_recent *recent, uint64_t *to,
		  unsigned int count);

#endif /* ETW_CLI_TOP_TALLY_H */
