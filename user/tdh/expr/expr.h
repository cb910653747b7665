/* SPDX-License-Identifier: MIT */
/*
 * expr.h - expressions that select events
 *
 *	provider == "Sample-Block" && level <= 4 && (pid in (12, 13) || Number > 0x10)
 *
 * The words provider, event, id, version, channel, level, opcode, task, keyword, pid, tid,
 * cpu, time, activity, related, process, process_path and process_parent name what every
 * event has; any other name is the path of a field.  Only one thread may use an expression at
 * a time.
 * etw-filter(7) describes the language.
 */
#ifndef ETW_TDH_EXPR_EXPR_H
#define ETW_TDH_EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <etw/decode.h>
#include "tdh/process/process_table.h"

struct etw_expr;

/*
 * NULL: *error says what is wrong and *column where, counted from 1; out of memory:
 * *error is NULL.  The expression keeps no reference to text.
 */
struct etw_expr *etw_expr_parse(const char *text, const char **error, size_t *column);
void etw_expr_free(struct etw_expr *expr);	/* NULL is fine */

/* Does the expression use names or fields, so that the caller has to decode events? */
bool etw_expr_decodes(const struct etw_expr *expr);

/* Names that an event does not hold.  A callback may be NULL, or return NULL: unknown. */
struct etw_expr_ask {
	const char *(*provider)(void *context, const GUID *guid);	/* if no schema has it */
	/* The process that wrote it, or its parent.  false: unknown. */
	bool (*process)(void *context, const EVENT_RECORD *record, bool parent,
			struct etw_process *process);
	void *context;
};

/* Copies ask.  Without it no event matches a test of "process" and the words that begin so. */
void etw_expr_ask(struct etw_expr *expr, const struct etw_expr_ask *ask);
/* Does the expression use one of these words, which need etw_expr_ask()? */
bool etw_expr_asks_process(const struct etw_expr *expr);
/* One of these words that was tested, and that no event had a value for; or NULL */
const char *etw_expr_unanswered(const struct etw_expr *expr);

/*
 * Does the expression hold for the record?  decoded and decoder come from etw_decode() of
 * this record, or are NULL if etw_expr_decodes() is false; the decoder is rewound.  A
 * test of a field that the event does not have fails.
 */
bool etw_expr_match(struct etw_expr *expr, const EVENT_RECORD *record,
		    const struct etw_decoded *decoded, struct etw_decoder *decoder);

/* A start event and its stop event, matched as one */
struct etw_expr_operation {
	uint64_t ns;			/* its duration */
	struct etw_decoder *decoder;	/* of the stop event, if etw_expr_decodes() */
};

/*
 * The same for an operation: the record is its start event.  The field "duration" is that of
 * the operation, any other may be of either event.
 */
bool etw_expr_match_operation(struct etw_expr *expr, const EVENT_RECORD *record,
			      const struct etw_decoded *decoded, struct etw_decoder *decoder,
			      const struct etw_expr_operation *operation);

/* Does it compare "duration" with a time, which only an operation has? */
bool etw_expr_needs_operation(const struct etw_expr *expr);

/* A part of an expression's text */
struct etw_expr_place {
	const char *what;	/* "field", the word whose name it is ("keyword"), or NULL: a test */
	size_t at, len;
	bool in_some;		/* it was looked for only in events that other tests let pass */
};

/*
 * Iterates over the fields, then the names, that the expression tested and no event had; then
 * over the tests of fields that could compare no event's value.
 * *next is 0 at first; false: there are no more.  An element counts as found if its array
 * exists, and so does everything below an empty array.
 */
bool etw_expr_missing(const struct etw_expr *expr, size_t *next, struct etw_expr_place *place);

#endif /* ETW_TDH_EXPR_EXPR_H */
