/* SPDX-License-Identifier: MIT */
/*
 * text.c - a report for the terminal: what was lost comes first
 */
#include <string.h>
#include "convert/slices/slices.h"
#include "text_private.h"

#define LOSSES	10	/* that are listed */
#define NARROW	40	/* columns that a screen has at least */

static void put_amount(struct report_page *page, size_t count, const char *what, const char *behind)
{
	const bool hisses = what[strlen(what) - 1] == 's';

	etw_text_printf(&page->line, "%zu %s%s%s", count, what, count == 1 ? "" : hisses ? "es" : "s",
			behind);
}

static void put_summary(struct report_page *page)
{
	const struct report *r = page->report;
	const int64_t duration = r->scale.begun ? r->last - r->scale.start : 0;

	etw_text_printf(&page->line, "%llu event%s in ", (unsigned long long)r->events,
			r->events == 1 ? "" : "s");
	report_page_duration(page, 0, duration);
	etw_text_printf(&page->line, ", %llu bytes", (unsigned long long)r->bytes);
	if (duration > 0)
		etw_text_printf(&page->line, ", %.1f events/s",
				(double)r->events * 1e9 / (double)duration);
	report_page_line(page);
	put_amount(page, r->all_providers.count, "provider", ", ");
	put_amount(page, r->all_kinds.count, "kind", " of events, ");
	put_amount(page, r->all_processes.count, "process", ", ");
	put_amount(page, r->all_threads.count, "thread", "");
	report_page_line(page);
	if (!r->undecoded)
		return;
	etw_text_printf(&page->line, "%llu without a schema: see etw-manifest(1)",
			(unsigned long long)r->undecoded);
	report_page_line(page);
}

static void put_time(struct report_page *page, int64_t time)
{
	const struct report *r = page->report;
	int64_t ns;

	if (!time || !r->scale.begun) {
		etw_text_puts(&page->line, "?");
		return;
	}
	ns = slices_ns(time) - r->scale.start;
	etw_text_printf(&page->line, "%+.6f s", (double)ns / 1e9);
}

static void put_loss(struct report_page *page, const struct report_loss *loss)
{
	etw_text_puts(&page->line, "  ");
	if (loss->count == ETW_GAP_UNKNOWN)
		etw_text_puts(&page->line, "an unknown number of");
	else
		etw_text_unsigned(&page->line, loss->count, 1);
	etw_text_puts(&page->line, loss->buffers ? " buffers" : " events");
	if (loss->cpu >= 0)
		etw_text_printf(&page->line, " on CPU %d", loss->cpu);
	etw_text_puts(&page->line, ", ");
	put_time(page, loss->first);
	etw_text_puts(&page->line, " to ");
	put_time(page, loss->last);
	if (loss->provider) {
		etw_text_puts(&page->line, ", ");
		report_page_add(page, loss->provider);
	}
	report_page_line(page);
	etw_text_puts(&page->line, "    ");
	report_page_add(page, loss->cause);
	report_page_line(page);
}

static void put_losses(struct report_page *page)
{
	const struct report *r = page->report;
	const unsigned int count = r->loss_count < LOSSES ? r->loss_count : LOSSES;
	unsigned int i;

	if (r->complete) {
		etw_text_puts(&page->line, "Nothing was lost.");
		report_page_line(page);
		return;
	}
	if (page->screen->colour)
		etw_text_puts(page->to, "\033[31m");
	etw_text_printf(&page->line, "INCOMPLETE: %llu events and %llu buffers are known to be lost",
			(unsigned long long)r->lost_events, (unsigned long long)r->lost_buffers);
	report_page_line(page);
	if (page->screen->colour)
		etw_text_puts(page->to, "\033[0m");
	for (i = 0; i < count; i++)
		put_loss(page, &r->losses[i]);
	if (r->loss_count + r->losses_more > count) {
		etw_text_printf(&page->line, "  and %llu more: etw verify lists them",
				(unsigned long long)(r->loss_count + r->losses_more - count));
		report_page_line(page);
	}
}

static void put_rate(struct report_page *page)
{
	const struct report *r = page->report;

	if (!r->scale.begun)
		return;
	report_page_heading(page, "Events over time");
	report_page_spark(page, r->rate_events, r->scale.used, page->screen->width);
	report_page_line(page);
	if (!r->lost_events)
		return;
	report_page_heading(page, "Lost over time");
	report_page_spark(page, r->rate_lost, r->scale.used, page->screen->width);
	report_page_line(page);
}

int report_text(struct report *r, const struct report_about *about,
		const struct report_screen *screen, struct etw_text *to)
{
	struct report_screen own = *screen;
	struct report_page page = { .report = r, .screen = &own, .to = to };
	unsigned int i;

	if (own.width < NARROW)
		own.width = NARROW;
	etw_text_cut(to, 0);
	for (i = 0; i < r->file_count; i++) {
		report_page_add(&page, r->files[i].path);
		report_page_line(&page);
	}
	if (about->filter) {
		etw_text_puts(&page.line, "only: ");
		report_page_add(&page, about->filter);
		report_page_line(&page);
	}
	put_losses(&page);
	put_summary(&page);
	put_rate(&page);
	report_page_lists(&page);
	report_page_operations(&page);
	etw_text_free(&page.line);
	return to->error;
}
