/* SPDX-License-Identifier: MIT */
/*
 * counting.h - events counted into the rows of etw top, by a key and a filter that may change
 *
 * Start and stop events are paired whatever the filter and the key are. An operation belongs to the
 * row of its start; a filter that needs a duration selects operations, which are then counted in
 * place of events.
 *
 * With a history, a change of key or filter counts the events in it anew; else it is for the
 * events that follow. Stacks are counted from when they are first asked for, which needs a history.
 */
#ifndef ETW_CLI_TOP_COUNTING_H
#define ETW_CLI_TOP_COUNTING_H

#include "by.h"
#include "cli/input/operations.h"
#include "flame.h"
#include "history.h"
#include "lib/consumer/event_record.h"
#include "tally.h"
#include "tdh/expr/expr.h"

#define COUNTING_HISTORY	(16u << 20)	/* bytes */
#define COUNTING_STARTS		(16u << 20)	/* bytes of starts that wait for their stops */

struct counting {
	struct tally tally;
	struct by by;
	int64_t since;			/* FILETIME of the first event in the tally; 0: none */
	bool frozen;			/* do not count into rows */
	uint64_t skipped, skipped_bytes;	/* of events while it is, or was */
	/* Its own */
	struct processes processes;
	struct names *names;
	struct etw_decoder *decoder, *start_decoder;
	struct etw_event_items items, start_items;
	struct operations *live, *again;	/* again: NULL without a history */
	struct history history;
	struct etw_expr *filter;	/* NULL: all events */
	struct by_row row;
	struct flame flame;
	bool only_stacks;		/* take the stacks of events that were counted before */
};

/*
 * fd: the device; pairing: as for operations_new(); symbols: for the names in stacks, or NULL, which
 * is without a history, too
 */
void counting_open(struct counting *counting, int fd, const char *pairing,
		   const struct symbols_request *symbols);
void counting_close(struct counting *counting);

/* Do not hide the events of Etw-Process, or of Etw-Image: they are what is asked for. */
void counting_show_processes(struct counting *counting);
void counting_show_images(struct counting *counting);

/*
 * Select events by an expression, "" or NULL: all.  false: *error says what is wrong, *column
 * where, and the filter is the one before.
 */
bool counting_filter(struct counting *counting, const char *text, const char **error,
		     size_t *column);
/* Count anew after a change of by or of the filter. */
void counting_again(struct counting *counting);
/* Count from now on, from nothing. */
void counting_clear(struct counting *counting);

/* Count stacks from now on, and those in the history. */
void counting_stacks(struct counting *counting);

/* So many seconds have passed since the last call, or the begin. */
void counting_tick(struct counting *counting, double seconds);
/* Take an event of the session, of any kind. */
void counting_event(struct counting *counting, const struct etw_event *event);

#endif /* ETW_CLI_TOP_COUNTING_H */
