/* SPDX-License-Identifier: MIT */
/*
 * text_diff.c - two reports side by side, as lines for a terminal
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "diff.h"
#include "text_private.h"

#define LINES	10	/* of each list */
#define NUMBER	12	/* columns of a number ... */
#define CHANGE	9	/* ... and of a change */

/* What the columns of a line hold */
struct values {
	double side[2];
	bool there[2];
	bool is_time;
	bool unknown;	/* one that is there has no number */
};

/* +12.5%, x3.4, more or less than 0, new, gone, = */
static void add_change(struct etw_text *to, const struct values *v)
{
	const double a = v->side[0], b = v->side[1];

	if (v->unknown)
		etw_text_puts(to, "-");
	else if (!v->there[0] || !v->there[1])
		etw_text_puts(to, v->there[1] ? "new" : v->there[0] ? "gone" : "-");
	else if (a == b)
		etw_text_puts(to, "=");
	else if (a > 0 && b > 2 * a)
		etw_text_printf(to, "x%.1f", b / a);
	else if (a)
		etw_text_printf(to, "%+.1f%%", 100 * (b - a) / fabs(a));
	else
		etw_text_puts(to, b > 0 ? "more" : "less");
}

static void put_text(struct report_page *page, unsigned int end, const char *text)
{
	const unsigned int len = (unsigned int)strlen(text);

	report_page_column(page, end > len ? end - len : 1);
	etw_text_puts(&page->line, text);
}

static void put_value(struct report_page *page, unsigned int end, const struct values *v,
		      unsigned int side)
{
	struct etw_text text = { .data = NULL };

	if (v->there[side] && v->is_time) {
		report_page_duration(page, end, (__int128)v->side[side]);
		return;
	}
	if (v->there[side])
		etw_text_printf(&text, fabs(v->side[side]) < 1e9 ? "%.1f" : "%.3g", v->side[side]);
	put_text(page, end, text.len ? text.data : "-");
	etw_text_free(&text);
}

/* The line has its name already. */
static void end_line(struct report_page *page, const struct values *v)
{
	const unsigned int width = page->screen->width;
	struct etw_text change = { .data = NULL };

	report_page_fit(page, 0, width - 2 * NUMBER - CHANGE - 1);
	put_value(page, width - NUMBER - CHANGE, v, 0);
	put_value(page, width - CHANGE, v, 1);
	add_change(&change, v);
	put_text(page, width, change.len ? change.data : "");
	etw_text_free(&change);
	report_page_line(page);
}

static void put_heading(struct report_page *page, const char *title, const char *unit)
{
	const unsigned int width = page->screen->width;

	report_page_heading(page, title);
	etw_text_puts(&page->line, unit);
	put_text(page, width - NUMBER - CHANGE, "A");
	put_text(page, width - CHANGE, "B");
	put_text(page, width, "change");
	report_page_line(page);
}

static void put_name(struct report_page *page, enum report_diff_list list,
		     const struct report_diff_row *row)
{
	const void *any = row->side[1] ? row->side[1] : row->side[0];
	struct etw_text *name = &page->report->scratch;
	const struct report_operation *operation = any;
	const char *key = row->entry.key;

	etw_text_cut(name, 0);
	switch (list) {
	case REPORT_DIFF_PROVIDERS:
		report_provider_title(any, name);
		break;
	case REPORT_DIFF_KINDS:
	case REPORT_DIFF_ERRORS:
		etw_text_puts(name, ((const struct report_kind *)any)->title);
		break;
	case REPORT_DIFF_OPERATIONS:
		etw_text_printf(name, "%s/%s", operation->provider, operation->name);
		break;
	case REPORT_DIFF_FIELDS:
		etw_text_printf(name, "%s: %s", key, key + strlen(key) + 1);
		break;
	default:
		etw_text_add(name, key, strnlen(key, row->entry.key_len));
		break;
	}
	report_page_add(page, name->len ? name->data : "");
}

static void put_rates(struct report_page *page, struct report *const side[2],
		      const struct report_diff_row *row)
{
	struct values v = { .is_time = false };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		v.side[i] = report_diff_rate(side[i], row->events[i]);
		v.there[i] = row->side[i] && v.side[i] >= 0;
		v.unknown |= row->side[i] && v.side[i] < 0;
	}
	end_line(page, &v);
}

/* Its percentiles on lines below its name */
static void put_times(struct report_page *page, const struct report_diff_row *row)
{
	static const struct {
		const char *name;
		uint64_t part, whole;
	} ranks[] = { { "  p50", 50, 100 }, { "  p99", 99, 100 }, { "  most", 1, 1 } };
	struct values v = { .is_time = true };
	unsigned int i, side;

	report_page_line(page);
	for (i = 0; i < sizeof(ranks) / sizeof(*ranks); i++) {
		for (side = 0; side < 2; side++) {
			const struct report_operation *o = row->side[side];

			v.there[side] = o && o->times.count;
			if (v.there[side])
				v.side[side] = (double)(ranks[i].part == ranks[i].whole ? o->times.greatest :
					report_histogram_rank(&o->times, ranks[i].part, ranks[i].whole));
		}
		etw_text_puts(&page->line, ranks[i].name);
		end_line(page, &v);
	}
}

static void put_mean(struct report_page *page, const struct report_diff_row *row)
{
	struct values v = { .is_time = false };
	unsigned int side;

	for (side = 0; side < 2; side++) {
		const struct report_field *field = row->side[side];

		v.there[side] = field;
		if (field)
			v.side[side] = (double)field->values.sum / (double)field->values.count;
	}
	end_line(page, &v);
}

static int put_list(struct report_page *page, struct report *const side[2],
		    enum report_diff_list list, const char *title, const char *unit)
{
	struct report_bounded rows;
	int err = report_diff_rows(side, list, &rows);
	uint32_t i;

	if (rows.count)
		put_heading(page, title, unit);
	for (i = 0; i < rows.count && i < LINES && !err; i++) {
		const struct report_diff_row *row = (const struct report_diff_row *)rows.entries[i];

		put_name(page, list, row);
		if (list == REPORT_DIFF_OPERATIONS)
			put_times(page, row);
		else if (list == REPORT_DIFF_FIELDS)
			put_mean(page, row);
		else
			put_rates(page, side, row);
	}
	if (rows.count > LINES) {
		etw_text_printf(&page->line, "(%u others, which differ less)", rows.count - LINES);
		report_page_line(page);
	}
	report_bounded_free(&rows);
	return err;
}

static void put_side(struct report_page *page, const struct report *r, const char *letter)
{
	unsigned int i;

	for (i = 0; i < r->file_count; i++) {
		etw_text_printf(&page->line, "%s: ", letter);
		report_page_add(page, r->files[i].path);
		if (r->part) {
			report_page_add(page, ", ");
			report_page_add(page, r->part);
		}
		report_page_line(page);
	}
	etw_text_printf(&page->line, "   %llu events in ", (unsigned long long)r->events);
	report_page_duration(page, 0, report_diff_duration(r));
	etw_text_printf(&page->line, ", %llu errors", (unsigned long long)(r->levels[1] + r->levels[2]));
	report_page_line(page);
	if (r->complete)
		return;
	etw_text_printf(&page->line, "   INCOMPLETE: %llu events and %llu buffers are known to be lost",
			(unsigned long long)r->lost_events, (unsigned long long)r->lost_buffers);
	report_page_line(page);
}

int report_text_diff(struct report *a, struct report *b, const struct report_about *about,
		     const struct report_screen *screen, struct etw_text *to)
{
	static const struct {
		enum report_diff_list list;
		const char *title, *unit;
	} lists[] = {
		{ REPORT_DIFF_PROVIDERS, "Providers", "events/s" },
		{ REPORT_DIFF_KINDS, "Events", "events/s" },
		{ REPORT_DIFF_ERRORS, "Errors", "events/s" },
		{ REPORT_DIFF_PROCESSES, "Processes by name", "events/s" },
		{ REPORT_DIFF_CONTAINERS, "Containers", "events/s" },
		{ REPORT_DIFF_OPERATIONS, "Operations", "" },
		{ REPORT_DIFF_FIELDS, "Fields", "mean" },
	};
	struct report_screen own = *screen;
	struct report_page page = { .report = b, .screen = &own, .to = to };
	struct report *const side[2] = { a, b };
	const char *const *option;
	unsigned int i;
	int err = 0;

	if (own.width < REPORT_NARROW + NUMBER)
		own.width = REPORT_NARROW + NUMBER;
	etw_text_cut(to, 0);
	put_side(&page, a, "A");
	put_side(&page, b, "B");
	for (option = about->selection; option && *option; option++) {
		etw_text_puts(&page.line, "only: ");
		report_page_add(&page, *option);
		report_page_line(&page);
	}
	for (i = 0; i < sizeof(lists) / sizeof(*lists) && !err; i++)
		err = put_list(&page, side, lists[i].list, lists[i].title, lists[i].unit);
	if (!err)
		err = report_page_stacks_diff(&page, a, b);
	etw_text_free(&page.line);
	return err ? err : to->error;
}
