/* SPDX-License-Identifier: MIT */
/*
 * expr.h - expressions that choose events
 *
 *	provider == "Sample-Block" && level <= 4 && (pid in (12, 13) || Number > 0x10)
 *
 * Words for what every event has (provider, event, id, version, channel, level, opcode,
 * task, keyword, pid, tid, cpu, time, activity, related, process), any other name is a field's
 * path.  An expression belongs to one thread at a time.  The whole language: etw(8),
 * EXPRESSIONS.
 */
#ifndef ETW_TDH_EXPR_EXPR_H
#define ETW_TDH_EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <etw/decode.h>

struct etw_expr;

/*
 * NULL: *error tells what is wrong and *column where, from 1; or no memory: *error is
 * NULL.  text need not stay.
 */
struct etw_expr *etw_expr_parse(const char *text, const char **error, size_t *column);
void etw_expr_free(struct etw_expr *expr);	/* NULL is fine */

/* Does it need names or fields, so that events have to be decoded? */
bool etw_expr_decodes(const struct etw_expr *expr);

/* What events do not tell; each may be NULL, and may return NULL: not known. */
struct etw_expr_ask {
	const char *(*provider)(void *context, const GUID *guid);	/* if no schema has it */
	const char *(*process)(void *context, const EVENT_RECORD *record);
	void *context;
};

/* ask: is copied.  Without one, the word "process" is of no event. */
void etw_expr_ask(struct etw_expr *expr, const struct etw_expr_ask *ask);
/* Does the word "process" occur?  Many can tell none: see etw_expr_ask(). */
bool etw_expr_asks_process(const struct etw_expr *expr);

/*
 * Does it hold?  decoded and decoder: from etw_decode() of this record, or NULL if the
 * expression does not decode; the decoder's fields are walked and rewound.  A field
 * that the event does not have makes the comparison false.
 */
bool etw_expr_match(struct etw_expr *expr, const EVENT_RECORD *record,
		    const struct etw_decoded *decoded, struct etw_decoder *decoder);

/* A part of an expression's text */
struct etw_expr_place {
	const char *what;	/* "field", or the word whose name it is: "keyword" */
	size_t at, len;
};

/*
 * The next field that was looked for in an event's fields, and that none had so far, then
 * names that were looked for and that none had: where it is.  *next: 0 at first.  false:
 * there is no more.  A place in an array counts as found if the array is there; what is
 * below an empty one is not known, and counts as found.
 */
bool etw_expr_missing(const struct etw_expr *expr, size_t *next, struct etw_expr_place *place);

#endif /* ETW_TDH_EXPR_EXPR_H */
