/* SPDX-License-Identifier: MIT */
/*
 * json_diff.c - two reports side by side, as JSON
 */
#include <errno.h>
#include <string.h>
#include "diff.h"
#include "json_private.h"

#define LIST	100	/* rows of a list that are written */

static const char *const names[REPORT_DIFF_LISTS] = {
	[REPORT_DIFF_PROVIDERS] = "providers", [REPORT_DIFF_KINDS] = "events",
	[REPORT_DIFF_ERRORS] = "errors", [REPORT_DIFF_PROCESSES] = "processes",
	[REPORT_DIFF_CPUS] = "cpus", [REPORT_DIFF_CONTAINERS] = "containers",
	[REPORT_DIFF_LEVELS] = "levels", [REPORT_DIFF_OPERATIONS] = "operations",
	[REPORT_DIFF_FIELDS] = "fields",
};

static void put_rate(const struct report *r, struct etw_text *to, uint64_t events)
{
	const double rate = report_diff_rate(r, events);

	if (rate < 0)
		json_writer_word(to, "per_second", NULL);
	else
		json_writer_double(to, "per_second", 3, rate);
}

static void put_total(const struct report *r, struct etw_text *to, const char *key)
{
	struct etw_text title = { .data = NULL };
	unsigned int i;

	for (i = 0; i < r->file_count; i++)
		etw_text_printf(&title, "%s%s", i ? ", " : "", r->files[i].path);
	if (r->part)
		etw_text_printf(&title, ", %s", r->part);
	json_writer_open(to, key, '{');
	report_put_name(to, "title", title.data);
	report_put_number(to, "events", r->events);
	report_put_number(to, "duration_ns", report_diff_duration(r));
	put_rate(r, to, r->events);
	report_put_number(to, "errors", (__int128)r->levels[1] + r->levels[2]);
	report_put_number(to, "lost_events", r->lost_events);
	report_put_number(to, "lost_buffers", r->lost_buffers);
	json_writer_flag(to, "complete", r->complete);
	json_writer_close(to, '}');
	if (title.error)
		to->error = title.error;
	etw_text_free(&title);
}

static void put_operation(const struct report *r, struct etw_text *to,
			  const struct report_operation *o)
{
	const struct report_histogram *h = &o->times;

	report_put_number(to, "count", h->count);
	put_rate(r, to, h->count);
	report_put_number(to, "sum_ns", h->sum);
	json_writer_double(to, "mean_ns", 3, h->count ? (double)h->sum / (double)h->count : 0);
	report_put_number(to, "p50_ns", report_histogram_rank(h, 50, 100));
	report_put_number(to, "p99_ns", report_histogram_rank(h, 99, 100));
	report_put_number(to, "max_ns", h->greatest);
	if (o->has_status)
		report_put_number(to, "failed", o->failed);
	else
		json_writer_word(to, "failed", NULL);
}

static void put_field(struct etw_text *to, const struct report_field *field)
{
	const struct report_histogram *h = &field->values;

	report_put_number(to, "count", h->count);
	report_put_number(to, "min", h->least);
	json_writer_double(to, "mean", 3, (double)h->sum / (double)h->count);
	report_put_number(to, "p50", report_histogram_rank(h, 50, 100));
	report_put_number(to, "p99", report_histogram_rank(h, 99, 100));
	report_put_number(to, "max", h->greatest);
}

static void put_side(const struct report *r, struct etw_text *to, enum report_diff_list list,
		     const struct report_diff_row *row, unsigned int side)
{
	const char *key = side ? "b" : "a";

	if (!row->side[side]) {
		json_writer_word(to, key, NULL);
		return;
	}
	json_writer_open(to, key, '{');
	if (list == REPORT_DIFF_OPERATIONS) {
		put_operation(r, to, row->side[side]);
	} else if (list == REPORT_DIFF_FIELDS) {
		put_field(to, row->side[side]);
	} else {
		report_put_number(to, "events", row->events[side]);
		put_rate(r, to, row->events[side]);
	}
	json_writer_close(to, '}');
}

static void put_names(struct etw_text *to, enum report_diff_list list,
		      const struct report_diff_row *row)
{
	const void *any = row->side[1] ? row->side[1] : row->side[0];
	const struct report_provider *provider = any;
	const struct report_operation *operation = any;
	const struct report_kind *kind = any;
	const char *key = row->entry.key;
	uint32_t number = 0;

	if (row->entry.key_len == sizeof(number))
		memcpy(&number, key, sizeof(number));
	switch (list) {
	case REPORT_DIFF_PROVIDERS:
		report_put_name(to, "name", provider->name);
		json_writer_guid(to, "guid", &provider->guid);
		break;
	case REPORT_DIFF_KINDS:
	case REPORT_DIFF_ERRORS:
		report_put_name(to, "key", kind->title);
		report_put_number(to, "level", kind->level);
		break;
	case REPORT_DIFF_PROCESSES:
		report_put_name(to, "name", key);
		break;
	case REPORT_DIFF_CONTAINERS:
		json_writer_string(to, "name", key, row->entry.key_len);
		break;
	case REPORT_DIFF_CPUS:
		report_put_number(to, "cpu", number);
		break;
	case REPORT_DIFF_LEVELS:
		report_put_number(to, "level", number);
		break;
	case REPORT_DIFF_OPERATIONS:
		report_put_name(to, "name", operation->name);
		report_put_name(to, "provider", operation->provider);
		break;
	case REPORT_DIFF_FIELDS:
		report_put_name(to, "event", key);
		report_put_name(to, "field", key + strlen(key) + 1);
		break;
	case REPORT_DIFF_LISTS:
		break;
	}
}

static void put_list(struct report *const side[2], struct etw_text *to, enum report_diff_list list)
{
	struct report_bounded rows;
	char other[32];
	uint32_t i;

	if (report_diff_rows(side, list, &rows))
		to->error = -ENOMEM;
	json_writer_open(to, names[list], '[');
	for (i = 0; i < rows.count && i < LIST; i++) {
		const struct report_diff_row *row = (const struct report_diff_row *)rows.entries[i];

		json_writer_open(to, NULL, '{');
		put_names(to, list, row);
		put_side(side[0], to, list, row, 0);
		put_side(side[1], to, list, row, 1);
		json_writer_close(to, '}');
	}
	json_writer_close(to, ']');
	snprintf(other, sizeof(other), "%s_other", names[list]);
	json_writer_open(to, other, '{');
	report_put_number(to, "count", rows.count > LIST ? rows.count - LIST : 0);
	json_writer_close(to, '}');
	report_bounded_free(&rows);
}

void report_put_diff(struct report *a, struct report *b, struct etw_text *to)
{
	struct report *const side[2] = { a, b };
	unsigned int list;

	if (!a) {
		json_writer_word(to, "diff", NULL);
		return;
	}
	json_writer_open(to, "diff", '{');
	put_total(a, to, "a");
	put_total(b, to, "b");
	for (list = 0; list < REPORT_DIFF_LISTS; list++)
		put_list(side, to, list);
	report_put_stacks_diff(a, b, to);
	json_writer_close(to, '}');
}
