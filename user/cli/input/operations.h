/* SPDX-License-Identifier: MIT */
/*
 * operations.h - operations: a start event and the stop event that ends it
 *
 * They are paired as the time lines of etw convert are, by open_starts.h, so memory is bounded
 * in the same way: beyond its limits the oldest start is given up, and counted.
 */
#ifndef ETW_CLI_OPERATIONS_H
#define ETW_CLI_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <etw/decode.h>
#include "convert/convert.h"
#include "etl/event.h"

/* Valid until the next event is taken */
struct operation {
	struct etw_event start;		/* a copy */
	const struct etw_event *stop;
	uint64_t ns;			/* from one to the other */
	uint64_t mark;			/* of the start, see operations_decoded() */
	/* Of the stop event */
	struct etw_decoder *decoder;
	const struct etw_decoded *decoded;
	bool known;			/* it has a schema */
};

struct operations;

/*
 * by: "activity", "thread" or the name of a field, which start and stop have in common; NULL:
 * what they have, in this order: the activity, the begin of the payload, the thread.
 */
struct operations *operations_new(const char *by);
void operations_free(struct operations *operations);	/* NULL is fine */
/* Starts that wait take at most so many bytes, all that is kept for each included. */
void operations_hold(struct operations *operations, size_t bytes);

/* Take an event, of any kind. true: it ends *operation. */
bool operations_event(struct operations *operations, const struct etw_event *event,
		      struct operation *operation);

/*
 * As operations_event(), of an event that is decoded already and is no piece of a schema. If it
 * starts an operation, mark comes with that; without it marks are 0.
 */
bool operations_decoded(struct operations *operations, const struct convert_event *event,
			uint64_t mark, struct operation *operation);

/*
 * Keep the operation if it is one of the max longest; the same max each time.  Returns its rank,
 * 0: the longest; max: it is none of them.
 */
unsigned int operations_keep(struct operations *operations, const struct operation *operation,
			     unsigned int max);
/* The kept one of this rank, 0: the longest. false: there are not so many. */
bool operations_longest(struct operations *operations, unsigned int rank,
			struct operation *operation);

/* Forget the starts that wait, but not the schemas that events need. */
void operations_forget(struct operations *operations);
/* The same after the last event: operations_report() counts them. */
void operations_end(struct operations *operations);

/* Was there a start or a stop?  Also true of NULL. */
bool operations_any(const struct operations *operations);
/* At the end: a line on stderr if there was none, and for each kind that has remained alone. */
void operations_report(const struct operations *operations);

#endif /* ETW_CLI_OPERATIONS_H */
