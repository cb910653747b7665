/* SPDX-License-Identifier: MIT */
/*
 * diff.c - match the lists of two reports
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "diff.h"

#define LEVELS	256

#define UNIT	100		/* ns of a FILETIME */

int64_t report_diff_duration(const struct report *r)
{
	int64_t from = r->begin, to = r->end, ns;

	if (r->has_since && r->since_time > from)
		from = r->since_time;
	if (r->since > from)
		from = r->since;
	if (r->until < to)
		to = r->until;
	if (from > 0 && to > from && !__builtin_mul_overflow(to - from, UNIT, &ns))
		return ns;
	/* What the files say of their time is no range. */
	return r->scale.begun ? r->last - r->scale.start : 0;
}

double report_diff_rate(const struct report *r, uint64_t events)
{
	const int64_t duration = report_diff_duration(r);

	return duration > 0 ? (double)events * 1e9 / (double)duration : -1;
}

struct match {
	struct report_bounded *rows;
	unsigned int side;
};

static int take(const struct match *match, const void *key, size_t len, const void *what,
		uint64_t events)
{
	struct report_diff_row *row;
	struct report_entry *entry;

	if (report_bounded_get(match->rows, key, len, &entry) < 0)
		return -ENOMEM;
	row = (struct report_diff_row *)entry;
	/* Of several of one name the first, which is the largest */
	if (!row->side[match->side])
		row->side[match->side] = what;
	row->events[match->side] += events;
	return 0;
}

static int take_entries(const struct match *match, const struct report_bounded *b)
{
	uint32_t i;
	int err = 0;

	for (i = 0; i < b->count && !err; i++)
		err = take(match, b->entries[i]->key, b->entries[i]->key_len, b->entries[i],
			   b->entries[i]->events);
	return err;
}

static int take_errors(const struct match *match, struct report *r)
{
	uint32_t i;
	int err = 0;

	report_bounded_sort(&r->kinds);
	for (i = 0; i < r->kinds.count && !err; i++) {
		const struct report_kind *kind = (const struct report_kind *)r->kinds.entries[i];

		if (kind->level == 1 || kind->level == 2)
			err = take(match, kind->entry.key, kind->entry.key_len, kind,
				   kind->entry.events);
	}
	return err;
}

static int take_processes(const struct match *match, struct report *r)
{
	uint32_t i;
	int err = 0;

	report_bounded_sort(&r->processes);
	for (i = 0; i < r->processes.count && !err; i++) {
		const struct report_process *p = (const struct report_process *)r->processes.entries[i];
		const char *name = p->name ? p->name : "-";

		err = take(match, name, strlen(name) + 1, p, p->entry.events);
	}
	return err;
}

static int take_cpus(const struct match *match, const struct report *r)
{
	uint32_t i;
	int err = 0;

	for (i = 0; i < r->cpu_count && !err; i++)
		if (r->cpus[i].events)
			err = take(match, &i, sizeof(i), &r->cpus[i], r->cpus[i].events);
	return err;
}

static int take_levels(const struct match *match, const struct report *r)
{
	uint32_t i;
	int err = 0;

	for (i = 0; i < LEVELS && !err; i++)
		if (r->levels[i])
			err = take(match, &i, sizeof(i), &r->levels[i], r->levels[i]);
	return err;
}

static int take_operations(const struct match *match, struct report *r)
{
	struct report_operation *list[REPORT_OPERATIONS];
	const unsigned int count = report_operations_list(r, list);
	unsigned int i;
	int err = 0;

	for (i = 0; i < count && !err; i++)
		err = take(match, list[i]->entry.key, list[i]->entry.key_len, list[i],
			   list[i]->times.count);
	return err;
}

static int take_fields(const struct match *match, struct report *r)
{
	struct etw_text key = { .data = NULL };
	uint32_t i, j;
	int err = 0;

	report_bounded_sort(&r->kinds);
	for (i = 0; i < r->kinds.count; i++) {
		const struct report_kind *kind = (const struct report_kind *)r->kinds.entries[i];

		for (j = 0; j < kind->field_count && !err; j++) {
			etw_text_cut(&key, 0);
			etw_text_add(&key, kind->title, strlen(kind->title) + 1);
			etw_text_add(&key, kind->fields[j]->name, strlen(kind->fields[j]->name) + 1);
			err = key.error ? -ENOMEM :
			      take(match, key.data, key.len, kind->fields[j],
				   kind->fields[j]->values.count);
		}
	}
	etw_text_free(&key);
	return err;
}

static int take_side(const struct match *match, struct report *r, enum report_diff_list list)
{
	switch (list) {
	case REPORT_DIFF_PROVIDERS:
		return take_entries(match, &r->providers);
	case REPORT_DIFF_KINDS:
		return take_entries(match, &r->kinds);
	case REPORT_DIFF_ERRORS:
		return take_errors(match, r);
	case REPORT_DIFF_PROCESSES:
		return take_processes(match, r);
	case REPORT_DIFF_CPUS:
		return take_cpus(match, r);
	case REPORT_DIFF_CONTAINERS:
		return take_entries(match, &r->containers);
	case REPORT_DIFF_LEVELS:
		return take_levels(match, r);
	case REPORT_DIFF_OPERATIONS:
		return take_operations(match, r);
	case REPORT_DIFF_FIELDS:
		return take_fields(match, r);
	case REPORT_DIFF_LISTS:
		break;
	}
	return 0;
}

/* What is compared per ns of its trace: the times of operations, or the number of events */
static double size_of(const struct report_diff_row *row, unsigned int side,
		      enum report_diff_list list)
{
	const struct report_operation *operation = row->side[side];

	if (!row->side[side])
		return 0;
	return list == REPORT_DIFF_OPERATIONS ? (double)operation->times.sum :
						(double)row->events[side];
}

/* By time, if both traces have one: shares of it or rates, else what there is as a whole */
static double size_change(struct report *const side[2], const struct report_diff_row *row,
			  enum report_diff_list list)
{
	const double a = (double)report_diff_duration(side[0]);
	const double b = (double)report_diff_duration(side[1]);
	const double unit = list == REPORT_DIFF_OPERATIONS ? 1 : 1e9;

	if (a <= 0 || b <= 0)
		return fabs(size_of(row, 1, list) - size_of(row, 0, list));
	return fabs(size_of(row, 1, list) / b - size_of(row, 0, list) / a) * unit;
}

/* Means of different units: by their ratio */
static double field_change(const struct report_diff_row *row)
{
	const struct report_field *a = row->side[0], *b = row->side[1];
	double before, after;

	if (!a || !b)
		return 1e6;
	before = (double)a->values.sum / (double)a->values.count;
	after = (double)b->values.sum / (double)b->values.count;
	return fabs(after - before) / fmax(fmin(fabs(before), fabs(after)), 1);
}

int report_diff_rows(struct report *const side[2], enum report_diff_list list,
		     struct report_bounded *rows)
{
	struct match match = { .rows = rows };
	uint32_t i;
	int err = 0;

	/* Room for all of both, so that none is given up */
	report_bounded_init(rows, 2 * REPORT_KINDS + 2 * REPORT_FIELDS + LEVELS,
			    sizeof(struct report_diff_row), NULL);
	for (match.side = 0; match.side < 2 && !err; match.side++)
		err = take_side(&match, side[match.side], list);
	for (i = 0; i < rows->count; i++) {
		const struct report_diff_row *row = (struct report_diff_row *)rows->entries[i];
		const double change = list == REPORT_DIFF_FIELDS ? field_change(row) :
				      size_change(side, row, list);

		/* A number to sort by, in steps of a millionth */
		rows->entries[i]->events = (uint64_t)fmin(change * 1e6, 1e18);
	}
	report_bounded_sort(rows);
	return err;
}
