/* SPDX-License-Identifier: MIT */
/*
 * json_fields.c - the numeric fields of a report as JSON
 */
#include "json_private.h"

static void put_mean(struct etw_text *to, const char *key, double mean)
{
	json_writer_double(to, key, 3, mean);
}

/* The mean of each bucket, or null */
static void put_over_time(struct report *r, struct etw_text *to, struct report_field *field)
{
	const unsigned int used = report_series_used(&r->scale, REPORT_SERIES);
	unsigned int i;

	report_sums_update(r, field);
	report_series_update(&field->series_counts, &r->scale, field->counts, REPORT_SERIES);
	json_writer_open(to, "over_time", '[');
	for (i = 0; i < used; i++) {
		if (!field->counts[i])
			json_writer_word(to, NULL, NULL);
		else
			put_mean(to, NULL, (double)field->sums[i] / (double)field->counts[i]);
	}
	json_writer_close(to, ']');
}

static void put_field(struct report *r, struct etw_text *to, const struct report_kind *kind,
		      struct report_field *field)
{
	const struct report_histogram *h = &field->values;

	json_writer_open(to, NULL, '{');
	report_put_name(to, "event", kind->title);
	report_put_name(to, "field", field->name);
	json_writer_word(to, "unit", NULL);
	report_put_number(to, "count", h->count);
	report_put_number(to, "missed", field->missed);
	report_put_number(to, "min", h->least);
	report_put_number(to, "max", h->greatest);
	report_put_number(to, "sum", h->sum);
	put_mean(to, "mean", (double)h->sum / (double)h->count);
	report_put_number(to, "p50", report_histogram_rank(h, 50, 100));
	report_put_number(to, "p90", report_histogram_rank(h, 90, 100));
	report_put_number(to, "p99", report_histogram_rank(h, 99, 100));
	report_put_histogram(to, h);
	put_over_time(r, to, field);
	json_writer_close(to, '}');
}

/* After report_put_lists(), which sorts the kinds: fields of the most frequent ones come first. */
void report_put_fields(struct report *r, struct etw_text *to)
{
	unsigned int i, j, count = 0, more = 0;

	json_writer_open(to, "fields", '[');
	for (i = 0; i < r->kinds.count; i++) {
		const struct report_kind *kind = (const struct report_kind *)r->kinds.entries[i];

		for (j = 0; j < kind->field_count; j++) {
			if (!kind->fields[j]->values.count)
				continue;
			if (count++ < REPORT_LIST_FIELDS)
				put_field(r, to, kind, kind->fields[j]);
			else
				more++;
		}
		more += kind->fields_left_out;
	}
	json_writer_close(to, ']');
	report_put_number(to, "fields_more", more);
}
