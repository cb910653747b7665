/* SPDX-License-Identifier: MIT */
/*
 * select.h - which events of a trace are wanted: the options that dump, merge, split
 * and convert share
 */
#ifndef ETW_CLI_SELECT_H
#define ETW_CLI_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <etw/decode.h>
#include "inputs.h"
#include "etl/event.h"
#include "tdh/expr/expr.h"

struct select;

/* Values that cli_next() returns for them */
enum {
	SELECT_OPT = 0x1000,
	SELECT_OPT_PROVIDER = SELECT_OPT,
	SELECT_OPT_ID,
	SELECT_OPT_LEVEL,
	SELECT_OPT_KEYWORD,
	SELECT_OPT_PID,
	SELECT_OPT_SINCE,
	SELECT_OPT_UNTIL,
	SELECT_OPT_FILTER,
	SELECT_OPT_END,
};

/* In a command's table of options */
#define SELECT_OPTIONS								\
	{ "provider", SELECT_OPT_PROVIDER, "PROVIDER", "only of this one; may be repeated" }, \
	{ "id", SELECT_OPT_ID, "IDS", "only these, like 1,5-9; may be repeated" }, \
	{ "level", SELECT_OPT_LEVEL, "LEVEL", "only up to this level" },	\
	{ "keyword", SELECT_OPT_KEYWORD, "MASK", "only with one of these keywords" }, \
	{ "pid", SELECT_OPT_PID, "PIDS", "only of these processes; may be repeated" }, \
	{ "since", SELECT_OPT_SINCE, "TIME", "only from then on: see etw(8), TIMES" }, \
	{ "until", SELECT_OPT_UNTIL, "TIME", "only up to then" },		\
	{ "filter", SELECT_OPT_FILTER, "EXPRESSION", "only if it holds: see etw(8), EXPRESSIONS" }

/*
 * Take an option; *select is made by the first one.  False: it is none of these.  Wrong
 * values end the command as cli_usage() does.
 */
bool select_option(struct select **select, int option, const char *value);

/*
 * All options are read, manifests are loaded; start: FILETIME that relative times count
 * from.  Names that events do not tell come from ask, which is copied, or NULL; without
 * its process, an expression with that word ends the command.  NULL select is fine, here
 * and below: it selects everything.
 */
void select_ready(struct select *select, int64_t start, const struct etw_expr_ask *ask);

/*
 * Is it wanted?  Decodes it only if that is needed and what can be told without it does
 * not decide; and each piece of a schema, so that later events can be: it is to be asked of
 * all of them.
 */
bool select_event(struct select *select, const struct etw_event *event);
/* The same without decoding: false: it is not wanted.  All, if !select_decodes(). */
bool select_may(const struct select *select, const struct etw_event *event);

/* Must wanted events be decoded before select_wants() can tell? */
bool select_decodes(const struct select *select);

/* Is it wanted?  decoded, decoder: of etw_decode(), or NULL if !select_decodes(). */
bool select_wants(struct select *select, const EVENT_RECORD *record,
		  const struct etw_decoded *decoded, struct etw_decoder *decoder);

/* It is later than --until: of a session, so is all that comes. */
bool select_is_over(const struct select *select, int64_t time);
/* Files need not be read beyond that; see inputs_until(). */
void select_bound(const struct select *select, struct inputs *inputs);

/* The end: a line on stderr for each --provider that no event was of, and each field of a
 * --filter that no event had. */
void select_tell(const struct select *select);
void select_free(struct select *select);

#endif /* ETW_CLI_SELECT_H */
