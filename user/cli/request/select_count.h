/* SPDX-License-Identifier: MIT */
/*
 * select_count.h - why no event was selected
 */
#ifndef ETW_CLI_REQUEST_SELECT_COUNT_H
#define ETW_CLI_REQUEST_SELECT_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* In the order in which they are made */
enum select_test {
	SELECT_SINCE,
	SELECT_UNTIL,
	SELECT_LEVEL,
	SELECT_KEYWORD,
	SELECT_PID,
	SELECT_ID,
	SELECT_PROVIDER,
	SELECT_FILTER,
	SELECT_TESTS,		/* the event has passed all */
};

struct select_count {
	bool operations;	/* that is what was looked at */
	uint64_t looked;	/* without those about the trace, such as a file's header */
	uint64_t matched;	/* with those */
	int64_t first, last;	/* FILETIMEs, if some were looked at */
	uint64_t left_out[SELECT_TESTS];	/* by the first test that failed */
};

void select_count_looked(struct select_count *count, int64_t time);

/*
 * A line on stderr: nothing matched.  options: of each test, NULL: not given; provider: the only
 * one that was asked for, or NULL; from when to when the trace is, FILETIMEs.
 */
void select_count_report(const struct select_count *count, const char *const options[SELECT_TESTS],
			 const char *provider, int64_t start, int64_t end);

#endif /* ETW_CLI_REQUEST_SELECT_COUNT_H */
