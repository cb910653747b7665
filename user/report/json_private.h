/* SPDX-License-Identifier: MIT */
/*
 * json_private.h - between the files that write a report as JSON
 */
#ifndef ETW_REPORT_JSON_PRIVATE_H
#define ETW_REPORT_JSON_PRIVATE_H

#include "base/json_writer.h"
#include "report_private.h"

/* How many of each list are written */
#define REPORT_LIST_PROVIDERS	200
#define REPORT_LIST_KINDS	400
#define REPORT_LIST_PROCESSES	300
#define REPORT_LIST_CONTAINERS	200
#define REPORT_LIST_CPUS	1024
#define REPORT_LIST_FIELDS	200
#define REPORT_LIST_THREADS	100

#define REPORT_LIST_LOSERS	100

/* Whole, also what a double does not hold exactly */
void report_put_number(struct etw_text *to, const char *key, __int128 value);
/* A time as ns after the first event; may be negative, since events may be out of order. */
void report_put_time(const struct report *report, struct etw_text *to, const char *key, int64_t ns);
/* A name that was cut, or NULL */
void report_put_name(struct etw_text *to, const char *key, const char *name);
void report_put_buckets(struct etw_text *to, const char *key, const uint64_t *buckets,
			unsigned int count);
/* What a sorted table has beyond the first listed entries, and has given up */
void report_put_other(struct etw_text *to, const char *key, const struct report_bounded *bounded,
		      const struct report_distinct *all, unsigned int listed);
void report_put_row(const struct report *report, struct etw_text *to, const struct report_row *row);

/* json_lists.c: the tables, sorted */
void report_put_lists(struct report *report, struct etw_text *to);
void report_put_errors(struct report *report, struct etw_text *to);
void report_put_timeline(struct report *report, struct etw_text *to);

/* json_losses.c: complete or not, and from when on, as members of the object */
void report_put_verdict(const struct report *report, struct etw_text *to,
			const struct report_file *file);
void report_put_losses(struct report *report, struct etw_text *to);

/* json_operations.c */
void report_put_operations(struct report *report, struct etw_text *to);
void report_put_histogram(struct etw_text *to, const struct report_histogram *histogram);

/* json_diff.c; a: NULL if there is nothing to compare with */
void report_put_diff(struct report *a, struct report *b, struct etw_text *to);

/* json_stacks.c */
void report_put_stacks(const struct report *report, struct etw_text *to);
void report_put_stacks_diff(const struct report *a, const struct report *b, struct etw_text *to);

/* json_fields.c */
void report_put_fields(struct report *report, struct etw_text *to);

#endif /* ETW_REPORT_JSON_PRIVATE_H */
