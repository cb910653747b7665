/* SPDX-License-Identifier: MIT */
/*
 * diff.h - two reports side by side: which rows of their lists are the same, and what differs
 */
#ifndef ETW_REPORT_DIFF_H
#define ETW_REPORT_DIFF_H

#include "report_private.h"

enum report_diff_list {
	REPORT_DIFF_PROVIDERS,
	REPORT_DIFF_KINDS,
	REPORT_DIFF_ERRORS,	/* kinds of the levels 1 and 2 */
	REPORT_DIFF_PROCESSES,	/* by name: ids differ from trace to trace */
	REPORT_DIFF_CPUS,
	REPORT_DIFF_CONTAINERS,
	REPORT_DIFF_LEVELS,
	REPORT_DIFF_OPERATIONS,
	REPORT_DIFF_FIELDS,
	REPORT_DIFF_LISTS
};

struct report_diff_row {
	/*
	 * key: a name, a number (uint32_t), or of a field the event and the name, each with a NUL;
	 * events: how much the sides differ
	 */
	struct report_entry entry;
	/* The list's entry in A and in B, of a field struct report_field; NULL: none */
	const void *side[2];
	uint64_t events[2];	/* of operations those with start and stop */
};

/* Match a list of two reports, and sort it: what differs most comes first. 0 or -ENOMEM */
int report_diff_rows(struct report *const side[2], enum report_diff_list list,
		     struct report_bounded *rows);
/*
 * ns from when the trace has its events to its end, within what --since and --until say, whatever
 * else selects events; 0: not known
 */
int64_t report_diff_duration(const struct report *report);
/* Per second of that; -1: that has no duration */
double report_diff_rate(const struct report *report, uint64_t events);

#endif /* ETW_REPORT_DIFF_H */
