/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * etl_agree.h - a log file obeys every rule, and two readers of it agree
 *
 * The readers are the library's (etl/file.h) and the independent one of etl/read.h: the same
 * records of each CPU, in the same order, with the same times and bytes; and the library's are in
 * the order of time as a whole if each CPU's are.  For tests: all records are kept in memory.
 */
#ifndef ETW_SELFTEST_ETL_AGREE_H
#define ETW_SELFTEST_ETL_AGREE_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "etl/rules.h"
#include "etl/file.h"

struct etl_agree {
	uint64_t records;	/* that the independent reader found */
	char why[512];		/* the first thing that is wrong; "" */
};

struct agree_record {
	uint16_t cpu;
	bool timed;		/* its type has a time whose place in the format is known */
	bool used;
	int64_t key;		/* of its buffer among those of its CPU */
	uint64_t n;		/* its place in the file */
	int64_t time;
	uint32_t size;
	char sum[13];
};

struct agree_list {
	struct agree_record *r;
	size_t n, cap;
};

__attribute__((format(printf, 2, 3), unused))
static void agree_say(struct etl_agree *a, const char *format, ...)
{
	va_list args;

	if (*a->why)
		return;
	va_start(args, format);
	vsnprintf(a->why, sizeof(a->why), format, args);
	va_end(args);
}

static inline void agree_rule(void *context, enum rule rule, uint64_t offset, const char *text)
{
	agree_say(context, "rule %d at %" PRIu64 ": %s: %s", (int)rule, offset, rule_text(rule),
		  text);
}

static inline void agree_keep(struct agree_list *list, const struct etl_buf *b,
			      const struct etl_rec *r, bool circular)
{
	struct agree_record *k;

	if (list->n == list->cap) {
		list->cap = list->cap ? 2 * list->cap : 256;
		list->r = realloc(list->r, list->cap * sizeof(*list->r));
		if (!list->r)
			abort();
	}
	k = &list->r[list->n];
	*k = (struct agree_record){
		.cpu = b->cpu, .n = list->n, .time = r->time, .size = r->size,
		.timed = r->type != REC_ERROR && r->type != REC_MESSAGE,
		/* A circular file's buffers lie in no order of time. */
		.key = circular ? b->seq : 0,
	};
	sha1_text(r->raw, r->size, k->sum);
	list->n++;
}

static inline int agree_order(const void *x, const void *y)
{
	const struct agree_record *a = x, *b = y;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->n < b->n ? -1 : a->n > b->n;
}

/* The walk: false when the file cannot be read to its end. */
static inline bool agree_walk(const char *path, bool open, struct agree_list *list,
			      struct etl_agree *a)
{
	bool circular = false;
	struct etl_file e;
	struct etl_buf b;
	struct etl_rec r;
	uint32_t pos;
	int rc;

	if (etl_open(&e, path)) {
		agree_say(a, "%s cannot be opened", path);
		return false;
	}
	while ((rc = etl_buffer(&e, &b)) == 1) {
		for (pos = BUF_HEAD; etl_record(&b, &pos, &r) == 1;) {
			struct etl_head head;

			if (!b.index && etl_is_system(r.type) && !r.hook && !etl_head(&r, &head))
				circular = head.mode & MODE_CIRCULAR;
			agree_keep(list, &b, &r, circular);
		}
	}
	etl_close(&e);
	if (rc && !(open && rc > -ETL_FILL_SMALL))
		agree_say(a, "the walk ends: %s", etl_fault_text(rc));
	if (list->n)
		qsort(list->r, list->n, sizeof(*list->r), agree_order);
	return true;
}

/* The first record of a CPU that the library has not yet handed out; NULL: none. */
static inline struct agree_record *agree_next(struct agree_list *list, size_t *next, uint16_t cpu)
{
	struct agree_record *r;

	while (next[cpu] < list->n) {
		r = &list->r[next[cpu]++];
		if (r->cpu == cpu)
			return r;
		if (r->cpu > cpu)
			break;
	}
	return NULL;
}

static inline void agree_event(struct etl_agree *a, struct agree_list *list, size_t *next,
			       const struct etw_event *event)
{
	struct agree_record *r = agree_next(list, next, event->cpu);
	char sum[13];

	if (!r) {
		agree_say(a, "CPU %u: the library has more records", event->cpu);
		return;
	}
	r->used = true;
	sha1_text(event->raw, event->raw_size, sum);
	if (event->raw_size != r->size || strcmp(sum, r->sum) ||
	    (r->timed && event->record.header->timestamp != r->time))
		agree_say(a, "record %" PRIu64 " of CPU %u: %u bytes %s at %" PRId64
			  ", and the library has %u %s at %" PRId64, r->n, r->cpu, r->size, r->sum,
			  r->time, event->raw_size, sum, (int64_t)event->record.header->timestamp);
}

/* The places where each CPU's records begin; may be freed. */
static inline size_t *agree_begins(const struct agree_list *list, bool *sorted)
{
	size_t *next = calloc(65536, sizeof(*next));

	if (!next)
		abort();
	*sorted = true;
	for (size_t i = list->n; i--;) {
		next[list->r[i].cpu] = i;
		if (i + 1 < list->n && list->r[i].cpu == list->r[i + 1].cpu &&
		    list->r[i].time > list->r[i + 1].time)
			*sorted = false;
	}
	return next;
}

static inline void agree_read(const char *path, bool open, struct agree_list *list,
			      struct etl_agree *a)
{
	struct etw_etl_file *file;
	struct etw_etl_count count;
	struct etw_event event;
	int64_t time = INT64_MIN;
	bool sorted;
	size_t *next = agree_begins(list, &sorted);
	int err = etw_etl_open(path, NULL, NULL, &file);

	if (err) {
		agree_say(a, "the library does not open it: error %d", err);
		free(next);
		return;
	}
	while ((err = etw_etl_next(file, &event)) == 1) {
		agree_event(a, list, next, &event);
		if (sorted && event.time < time)
			agree_say(a, "the library goes back in time at %" PRId64, event.time);
		time = event.time;
	}
	etw_etl_counts(file, &count);
	etw_etl_close(file);
	free(next);
	if (err)
		agree_say(a, "the library ends with error %d", err);
	/* The last buffer of a file that is open may be incomplete. */
	if (count.events != list->n || count.corrupt > open)
		agree_say(a, "%zu records, and the library has %" PRIu64 " and %" PRIu64
			  " corrupt buffers", list->n, count.events, count.corrupt);
	for (size_t i = 0; i < list->n; i++)
		if (!list->r[i].used)
			agree_say(a, "record %" PRIu64 " of CPU %u is not in the library's",
				  list->r[i].n, list->r[i].cpu);
}

/* options: of check_file().  True: no rule is violated; else a->why describes the first. */
__attribute__((unused))
static bool etl_agree(const char *path, unsigned int options, struct etl_agree *a)
{
	struct agree_list list = { 0 };

	memset(a, 0, sizeof(*a));
	if (check_file(path, options, agree_rule, a, NULL) < 0)
		agree_say(a, "%s cannot be read", path);
	else if (agree_walk(path, options & CHECK_OPEN, &list, a))
		agree_read(path, options & CHECK_OPEN, &list, a);
	a->records = list.n;
	free(list.r);
	return !*a->why;
}

#endif /* ETW_SELFTEST_ETL_AGREE_H */
