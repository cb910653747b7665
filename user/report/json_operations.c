/* SPDX-License-Identifier: MIT */
/*
 * json_operations.c - the operations of a report as JSON
 */
#include "json_private.h"

#define LIST	100	/* operations that are written */
#define PER	8	/* bins of a histogram for a power of two */

static void put_bin(void *context, const struct report_bin *bin)
{
	struct etw_text *to = context;

	json_writer_open(to, NULL, '[');
	report_put_number(to, NULL, bin->low);
	report_put_number(to, NULL, bin->high);
	report_put_number(to, NULL, bin->count);
	json_writer_close(to, ']');
}

void report_put_histogram(struct etw_text *to, const struct report_histogram *histogram)
{
	const bool small = histogram->greatest < REPORT_EXACT && histogram->least > -REPORT_EXACT;

	json_writer_open(to, "histogram", '[');
	report_histogram_bins(histogram, small ? REPORT_EXACT : PER, put_bin, to);
	json_writer_close(to, ']');
}

static void put_times(struct etw_text *to, const struct report_histogram *h)
{
	report_put_number(to, "sum_ns", h->sum);
	json_writer_double(to, "mean_ns", 3, h->count ? (double)h->sum / (double)h->count : 0);
	report_put_number(to, "min_ns", h->least);
	report_put_number(to, "p50_ns", report_histogram_rank(h, 50, 100));
	report_put_number(to, "p90_ns", report_histogram_rank(h, 90, 100));
	report_put_number(to, "p99_ns", report_histogram_rank(h, 99, 100));
	report_put_number(to, "p999_ns", report_histogram_rank(h, 999, 1000));
	report_put_number(to, "max_ns", h->greatest);
	report_put_histogram(to, h);
}

static void put_slow(const struct report *r, struct etw_text *to, const struct report_slow *slow)
{
	unsigned int i;

	json_writer_open(to, NULL, '{');
	report_put_time(r, to, "start_ns", slow->start);
	report_put_number(to, "duration_ns", slow->ns);
	report_put_number(to, "pid", slow->pid);
	report_put_number(to, "tid", slow->tid);
	report_put_number(to, "cpu", slow->cpu);
	report_put_name(to, "process", slow->process);
	report_put_name(to, "fields", slow->fields);
	json_writer_open(to, "context", '[');
	for (i = 0; i < slow->context_count; i++)
		report_put_row(r, to, &slow->context[i]);
	json_writer_close(to, ']');
	report_put_number(to, "skipped", slow->skipped);
	report_put_number(to, "skipped_at", slow->skipped_at);
	json_writer_close(to, '}');
}

/* What most of them were paired by */
void report_add_pairing(const struct report *r, const struct report_operation *o,
			struct etw_text *to)
{
	static const char *const names[] = {
		[REPORT_BY_ACTIVITY] = "activity", [REPORT_BY_THREAD] = "thread",
		[REPORT_BY_PAYLOAD] = "payload",
	};
	unsigned int i, most = 0;

	if (r->by) {
		if (strcmp(r->by, "activity") && strcmp(r->by, "thread"))
			etw_text_puts(to, "field ");
		etw_text_puts(to, r->by);
		return;
	}
	for (i = 1; i < REPORT_PAIRINGS; i++)
		if (o->paired[i] > o->paired[most])
			most = i;
	etw_text_puts(to, names[most]);
}

static void put_operation(struct report *r, struct etw_text *to, const struct report_operation *o)
{
	unsigned int i;

	json_writer_open(to, NULL, '{');
	report_put_name(to, "name", o->name);
	report_put_name(to, "provider", o->provider);
	etw_text_cut(&r->scratch, 0);
	report_add_pairing(r, o, &r->scratch);
	report_put_name(to, "paired_by", o->times.count ? r->scratch.data : NULL);
	report_put_number(to, "count", o->times.count);
	/* A name whose earlier events were given up may have fewer starts than pairs. */
	report_put_number(to, "unpaired_starts",
			  o->starts > o->times.count ? o->starts - o->times.count : 0);
	report_put_number(to, "unpaired_stops", o->stops > o->stopped ? o->stops - o->stopped : 0);
	if (o->has_status)
		report_put_number(to, "failed", o->failed);
	else
		json_writer_word(to, "failed", NULL);
	put_times(to, &o->times);
	json_writer_open(to, "slowest", '[');
	for (i = 0; i < o->slow_count; i++)
		put_slow(r, to, &o->slow[i]);
	json_writer_close(to, ']');
	json_writer_close(to, '}');
}

void report_put_operations(struct report *r, struct etw_text *to)
{
	struct report_operation *list[REPORT_OPERATIONS];
	const unsigned int count = report_operations_list(r, list);
	size_t others = r->all_operations.count - report_operations_empty(r);
	uint64_t events = r->operations.other.events, bytes = r->operations.other.bytes;
	unsigned int i;

	json_writer_open(to, "operations", '[');
	for (i = 0; i < count; i++) {
		if (i < LIST) {
			put_operation(r, to, list[i]);
			others--;
			continue;
		}
		events += list[i]->entry.events;
		bytes += list[i]->entry.bytes;
	}
	json_writer_close(to, ']');
	json_writer_open(to, "operations_other", '{');
	report_put_number(to, "count", others);
	report_put_number(to, "events", events);
	report_put_number(to, "bytes", bytes);
	report_put_number(to, "missing_at_most", r->operations.other.missing);
	json_writer_close(to, '}');
}
