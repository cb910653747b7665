/* SPDX-License-Identifier: MIT */
/*
 * select.h - select events of a trace: the options that dump, merge, split and convert
 * share
 */
#ifndef ETW_CLI_REQUEST_SELECT_H
#define ETW_CLI_REQUEST_SELECT_H

#include <stdbool.h>
#include <stdint.h>
#include <etw/decode.h>
#include "cli/input/inputs.h"
#include "etl/event.h"
#include "etl/loss.h"
#include "tdh/expr/expr.h"

struct operation;
struct select;

/* Values that cli_next() returns for them */
enum {
	SELECT_OPT_PROVIDER = 'p',
	SELECT_OPT = 0x1000,
	SELECT_OPT_ID = SELECT_OPT,
	SELECT_OPT_LEVEL,
	SELECT_OPT_KEYWORD,
	SELECT_OPT_PID,
	SELECT_OPT_SINCE,
	SELECT_OPT_UNTIL,
	SELECT_OPT_LAST,
	SELECT_OPT_FILTER,
	SELECT_OPT_SHOW,	/* --filter where that name has another meaning: not in the table */
	SELECT_OPT_END,
};

/* In a command's table of options: the common ones, and the others */
#define SELECT_OPTIONS								\
	{ "provider", SELECT_OPT_PROVIDER, "PROVIDER", "only events of this one; may be repeated", NULL }, \
	{ "filter", SELECT_OPT_FILTER, "EXPRESSION", "only if it is true: see etw-filter(7)", NULL }, \
	{ "since", SELECT_OPT_SINCE, "TIME", "only events from then on: 3:00, +10s, -5s", NULL }, \
	{ "until", SELECT_OPT_UNTIL, "TIME", "only events up to this time", NULL }, \
	{ "last", SELECT_OPT_LAST, "TIME", "only events of so long before the end: 5s", NULL }

#define SELECT_MORE_OPTIONS							\
	{ "id", SELECT_OPT_ID, "LIST", "only events with these ids or names: 1,5-9,Start", NULL }, \
	{ "level", SELECT_OPT_LEVEL, "LEVEL", "up to this level, name or number", NULL },	\
	{ "keyword", SELECT_OPT_KEYWORD, "LIST", "with one of these keywords: Read,0x10", NULL }, \
	{ "pid", SELECT_OPT_PID, "PIDS", "only events of these processes: 12,100-200", NULL }

/*
 * Take an option; the first one allocates *select.  False: the option is not one of
 * SELECT_OPTIONS.  A wrong value ends the command as cli_usage() does.
 */
bool select_option(struct select **select, int option, const char *value);
/* The same for an option that has both times; "": there is no such one. The texts must stay. */
void select_between(struct select **select, const char *option, const char *since,
		    const char *until);

/*
 * Refuse an expression about what there is not, names of processes or durations of operations:
 * that ends the command as cli_usage() does.  Here and below a NULL select selects everything.
 */
void select_check(const struct select *select, bool processes, bool operations);

/*
 * Call this once all options are read and manifests loaded.  Relative times count from
 * start, or back from end, FILETIMEs.  ask, which is copied, supplies names that events do not
 * hold, or is NULL.
 */
void select_ready(struct select *select, int64_t start, int64_t end,
		  const struct etw_expr_ask *ask);

/*
 * Is the event selected?  Decodes it only if its header does not decide.  Call it for every
 * event: it also decodes each piece of a schema, which later events need.
 */
bool select_event(struct select *select, const struct etw_event *event);
/* Is an operation selected?  The options are about its start, fields about both. */
bool select_operation(struct select *select, const struct operation *operation);
/*
 * The same as select_event() without decoding; false: not selected.  Final if !select_decodes().
 * Call either for an event, and select_wants() after this one.
 */
bool select_may(struct select *select, const struct etw_event *event);

/*
 * Is a loss within --since and --until, at least in part?  No other option hides a loss: what
 * is missing may be what they select.
 */
bool select_loss(struct select *select, const struct etw_loss *loss);
/* Events of this provider were taken without being selected. */
void select_saw(struct select *select, const struct etw_guid *guid);

/* Does a --provider name this one? */
bool select_names_guid(const struct select *select, const struct etw_guid *guid);

/* Does select_wants() need decoded events? */
bool select_decodes(const struct select *select);

/* Is it selected?  decoded, decoder: from etw_decode(), or NULL if !select_decodes(). */
bool select_wants(struct select *select, const EVENT_RECORD *record,
		  const struct etw_decoded *decoded, struct etw_decoder *decoder);

/* The time of --since or --last; INT64_MIN: none */
int64_t select_since(const struct select *select);
/* The time of --until; INT64_MAX: none */
int64_t select_until(const struct select *select);
/* Is the time later than --until?  Then all further events of a session are, too. */
bool select_is_over(const struct select *select, int64_t time);
/* Stop reading files at --until; see inputs_until(). */
void select_bound(const struct select *select, struct inputs *inputs);

/*
 * At the end: a line on stderr if nothing was selected, and one for each --provider without an
 * event, for each field of a --filter that no event had, and for each other name that none had.
 * operations: that is what was selected.
 */
void select_report(const struct select *select, bool operations);
/* Was there an event to select? */
bool select_has_looked(const struct select *select);
void select_free(struct select *select);

#endif /* ETW_CLI_REQUEST_SELECT_H */
