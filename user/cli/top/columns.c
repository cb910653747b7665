/* SPDX-License-Identifier: MIT */
/*
 * columns.c - the figures of a row of etw top, and rows in an order
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli/text.h"
#include "columns.h"

const struct column_name column_names[COLUMNS + 1] = {
	[COLUMN_RATE] = { "rate", "EVENTS/S", 10 },
	[COLUMN_EVENTS] = { "events", "EVENTS", 10 },
	[COLUMN_LOST] = { "lost", "LOST", 9 },
	[COLUMN_BYTES] = { "bytes", "BYTES", 9 },
	[COLUMN_OPERATIONS] = { "operations", "OPS", 9 },
	[COLUMN_P50] = { "p50", "P50", 10 },
	[COLUMN_P90] = { "p90", "P90", 10 },
	[COLUMN_P99] = { "p99", "P99", 10 },
	[COLUMN_P999] = { "p99.9", "P99.9", 10 },
	[COLUMN_MAX] = { "max", "MAX", 10 },
	[COLUMN_NAME] = { "name", NULL, 0 },
};

void figures_of_row(const struct tally *t, const struct tally_row *row, struct figures *to)
{
	*to = (struct figures){
		.rate = tally_rate(t, &row->recent), .events = row->entry.events,
		.bytes = row->entry.bytes, .operations = row->times.count, .lost = row->lost,
		.times = &row->times,
	};
}

void figures_of_all(const struct tally *t, struct figures *to)
{
	*to = (struct figures){
		.rate = tally_rate(t, &t->recent), .events = t->events, .bytes = t->bytes,
		.operations = t->operations, .lost = t->lost,
	};
}

void figures_take(struct figures *from, const struct figures *row)
{
	/* Sums of fractions are not exact. */
	from->rate = from->rate - row->rate < 0.05 ? 0 : from->rate - row->rate;
	from->events -= row->events;
	from->bytes -= row->bytes;
	from->operations -= row->operations;
	from->lost -= row->lost;
}

__int128 figures_percentile(const struct figures *f, enum column column)
{
	static const struct {
		uint64_t part, whole;
	} ranks[COLUMNS] = {
		[COLUMN_P50] = { 50, 100 }, [COLUMN_P90] = { 90, 100 }, [COLUMN_P99] = { 99, 100 },
		[COLUMN_P999] = { 999, 1000 },
	};

	if (!f->times || !f->times->count)
		return 0;
	if (column == COLUMN_MAX)
		return f->times->greatest;
	return report_histogram_rank(f->times, ranks[column].part, ranks[column].whole);
}

/* In at most 7 columns: plain below limit, else with a letter for a power of unit */
static void add_short(struct etw_text *to, double value, double limit, double unit)
{
	static const char letters[] = "kMGTPE";
	unsigned int i = 0;

	if (value < limit) {
		etw_text_printf(to, "%.0f", value);
		return;
	}
	for (value /= unit; value >= unit && letters[i + 1]; i++)
		value /= unit;
	etw_text_printf(to, "%.1f%c", value, letters[i]);
}

static void put_text(struct report_page *page, unsigned int end, struct etw_text *text)
{
	if (text->error)
		page->line.error = text->error;
	else
		report_page_right(page, end, text);
	etw_text_free(text);
}

static void put_short(struct report_page *page, unsigned int end, double value, double limit,
		      double unit)
{
	struct etw_text text = { .data = NULL };

	add_short(&text, value, limit, unit);
	put_text(page, end, &text);
}

void column_put_bytes(struct report_page *page, unsigned int end, uint64_t bytes)
{
	put_short(page, end, (double)bytes, 10000, 1024);
}

void column_put_count(struct report_page *page, unsigned int end, uint64_t count)
{
	put_short(page, end, (double)count, 1e8, 1000);
}

static void put_rate(struct report_page *page, unsigned int end, double rate)
{
	struct etw_text text = { .data = NULL };

	if (rate < 9999.95)
		etw_text_printf(&text, "%.1f", rate);
	else
		add_short(&text, rate, 1e7, 1000);
	put_text(page, end, &text);
}

void column_put(struct report_page *page, unsigned int end, enum column column,
		const struct figures *f)
{
	switch (column) {
	case COLUMN_RATE:
		put_rate(page, end, f->rate);
		break;
	case COLUMN_EVENTS:
		column_put_count(page, end, f->events);
		break;
	case COLUMN_LOST:
		if (f->lost)
			put_short(page, end, (double)f->lost, 1e7, 1000);
		break;
	case COLUMN_BYTES:
		column_put_bytes(page, end, f->bytes);
		break;
	case COLUMN_OPERATIONS:
		if (f->operations)
			put_short(page, end, (double)f->operations, 1e7, 1000);
		break;
	default:
		if (f->times && f->times->count)
			report_page_duration(page, end, figures_percentile(f, column));
	}
}

/* ------------------------------------------------------------------------ sorting */

struct place {
	double value;
	uint64_t events;	/* decide if the values are equal; 0: the names do */
	struct tally_row *row;
};

static double value_of(const struct tally *t, const struct tally_row *row, enum column by)
{
	struct figures f;

	figures_of_row(t, row, &f);
	switch (by) {
	case COLUMN_RATE:
		return f.rate;
	case COLUMN_EVENTS:
		return (double)f.events;
	case COLUMN_LOST:
		return (double)f.lost;
	case COLUMN_BYTES:
		return (double)f.bytes;
	case COLUMN_OPERATIONS:
		return (double)f.operations;
	case COLUMN_NAME:
		return 0;
	default:
		return (double)figures_percentile(&f, by);
	}
}

/* In the end by name, so that rows do not change places for nothing */
static int larger_first(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	if (a->events != b->events)
		return a->events > b->events ? -1 : 1;
	return strverscmp(a->row->name, b->row->name);
}

unsigned int columns_sort(const struct tally *t, enum column by, bool reverse,
			  struct tally_row **list)
{
	static struct place places[TALLY_ROWS];
	const unsigned int count = t->rows.count;
	unsigned int i;

	for (i = 0; i < count; i++) {
		places[i].row = (struct tally_row *)t->rows.entries[i];
		places[i].value = value_of(t, places[i].row, by);
		places[i].events = by == COLUMN_NAME ? 0 : places[i].row->entry.events;
	}
	if (count)
		qsort(places, count, sizeof(*places), larger_first);
	for (i = 0; i < count; i++)
		list[i] = places[reverse ? count - 1 - i : i].row;
	return count;
}
