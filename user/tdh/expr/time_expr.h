/* SPDX-License-Identifier: MIT */
/*
 * time_expr.h - times as people write them; etw-filter(7) describes them
 */
#ifndef ETW_TDH_EXPR_TIME_EXPR_H
#define ETW_TDH_EXPR_TIME_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum etw_time_expr_kind {
	ETW_TIME_EXPR_TIME,		/* value: FILETIME, 100 ns since 1601 in UTC */
	ETW_TIME_EXPR_SINCE,		/* value: 100 ns since the trace began */
	ETW_TIME_EXPR_BEFORE_END,	/* value: 100 ns before the trace ended */
	ETW_TIME_EXPR_OF_DAY,	/* value: 100 ns since midnight, local, of the day it began */
};

struct etw_time_expr {
	enum etw_time_expr_kind kind;
	int64_t value;
};

/*
 * Read len characters, all of them: a date with or without a time of day ("2026-01-31",
 * "2026-01-31T12:34:56.1234567Z", a blank for the T, no Z: local, or +01:00), "@" and
 * seconds since 1970, a time of day ("12:34", "12:34:56.5"), or "+" and a number of
 * seconds or of ns, us, ms, s, m, h ("+1.5", "+20ms"), the + not needed with a unit, or
 * the same with "-", which counts back from the end.
 * false: the text is no time.
 */
bool etw_time_expr_parse(const char *text, size_t len, struct etw_time_expr *when);

/* The ns of a unit: ns, us, ms, s, m, h; 0: it is none. */
int64_t etw_time_expr_unit(const char *name, size_t len);

/* As FILETIME; start, end: when the trace began and ended. */
int64_t etw_time_expr_at(const struct etw_time_expr *when, int64_t start, int64_t end);

#endif /* ETW_TDH_EXPR_TIME_EXPR_H */
