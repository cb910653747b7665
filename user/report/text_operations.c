/* SPDX-License-Identifier: MIT */
/*
 * text_operations.c - how long operations took, as lines
 */
#include <string.h>
#include "text_private.h"

#define LINES	10	/* operations that are shown */
#define WIDTH	11	/* columns of a duration */

static void put_unpaired(struct report_page *page, const struct report_operation *o)
{
	const char *comma = "  ";

	if (o->starts > o->times.count) {
		etw_text_printf(&page->line, "%s%llu without an end", comma,
				(unsigned long long)(o->starts - o->times.count));
		comma = ", ";
	}
	if (o->stops > o->stopped) {
		etw_text_printf(&page->line, "%s%llu without a start", comma,
				(unsigned long long)(o->stops - o->stopped));
		comma = ", ";
	}
	if (o->failed)
		etw_text_printf(&page->line, "%s%llu failed", comma, (unsigned long long)o->failed);
	if (page->line.len)
		report_page_line(page);
}

static void put_name(struct report_page *page, const struct report_operation *o)
{
	struct etw_text *by = &page->report->scratch;

	report_page_add(page, o->provider);
	etw_text_char(&page->line, '/');
	report_page_add(page, o->name);
	report_page_fit(page, 0, page->screen->width - 23);
	etw_text_printf(&page->line, ": %llu", (unsigned long long)o->times.count);
	report_page_line(page);
	etw_text_puts(&page->line, "  ");
	if (o->times.count) {
		report_page_duration(page, 0, o->times.sum);
		etw_text_cut(by, 0);
		report_add_pairing(page->report, o, by);
		etw_text_puts(&page->line, " in all, by ");
		report_page_add(page, by->len ? by->data : "");
	} else {
		etw_text_puts(&page->line, "none had a start and an end");
	}
	report_page_line(page);
	put_unpaired(page, o);
}

static void put_percentiles(struct report_page *page, const struct report_histogram *h)
{
	static const char *const names[] = { "least", "p50", "p90", "p99", "p99.9", "most" };
	const __int128 values[] = {
		h->least, report_histogram_rank(h, 50, 100), report_histogram_rank(h, 90, 100),
		report_histogram_rank(h, 99, 100), report_histogram_rank(h, 999, 1000), h->greatest,
	};
	unsigned int i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		report_page_column(page, (i + 1) * WIDTH - (unsigned int)strlen(names[i]));
		etw_text_puts(&page->line, names[i]);
	}
	report_page_line(page);
	for (i = 0; i < sizeof(values) / sizeof(*values); i++)
		report_page_duration(page, (i + 1) * WIDTH, values[i]);
	report_page_line(page);
}

struct bins {
	struct report_page *page;
	uint64_t most;
};

static void find_most(void *context, const struct report_bin *bin)
{
	struct bins *bins = context;

	if (bin->count > bins->most)
		bins->most = bin->count;
}

static void put_bin(void *context, const struct report_bin *bin)
{
	struct bins *bins = context;
	struct report_page *page = bins->page;
	const unsigned int left = 3 * WIDTH + 2;

	report_page_duration(page, WIDTH, bin->low);
	report_page_number(page, 2 * WIDTH, bin->count);
	etw_text_char(&page->line, ' ');
	report_page_bar(page, bin->count, bins->most,
			page->screen->width > left ? page->screen->width - left : 1);
	report_page_line(page);
}

void report_page_operations(struct report_page *page)
{
	struct report_operation *list[REPORT_OPERATIONS];
	const unsigned int count = report_operations_list(page->report, list);
	const size_t all = page->report->all_operations.count - report_operations_empty(page->report);
	struct bins bins = { .page = page };
	uint32_t i;

	if (!count)
		return;
	report_page_heading(page, "Operations, by their time in all");
	for (i = 0; i < count && i < LINES; i++) {
		const struct report_operation *o = list[i];

		put_name(page, o);
		if (!o->times.count)
			continue;
		put_percentiles(page, &o->times);
		bins.most = 0;
		report_histogram_bins(&o->times, 1, find_most, &bins);
		report_histogram_bins(&o->times, 1, put_bin, &bins);
	}
	if (all > LINES) {
		etw_text_printf(&page->line, "(%zu others)", all - LINES);
		report_page_line(page);
	}
}
