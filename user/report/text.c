/* SPDX-License-Identifier: MIT */
/*
 * text.c - a report for the terminal: what was lost comes first
 */
#include <string.h>
#include "convert/slices/slices.h"
#include "text_private.h"

#define LOSSES	10	/* that are listed */

static void put_amount(struct report_page *page, uint64_t count, const char *what,
		       const char *behind)
{
	const bool hisses = what[strlen(what) - 1] == 's';

	etw_text_printf(&page->line, "%llu %s%s%s", (unsigned long long)count, what, count == 1 ? "" : hisses ? "es" : "s",
			behind);
}

/* 2026-01-31 12:34:56.123456 UTC */
static void put_date(struct report_page *page, int64_t filetime)
{
	const size_t before = page->line.len;
	char *at;

	etw_text_time(&page->line, filetime > 0 ? (uint64_t)filetime : 0);
	if (page->line.error)
		return;
	at = strchr(page->line.data + before, 'T');
	if (at)
		*at = ' ';
	/* The last digit is that of 100 ns, and the Z */
	etw_text_cut(&page->line, page->line.len - 2);
	etw_text_puts(&page->line, " UTC");
}

static int64_t filetime_of(int64_t ns)
{
	return ns / 100 + ETW_UNIX_EPOCH_100NS;
}

static void put_period(struct report_page *page)
{
	const struct report *r = page->report;

	if (!r->scale.begun)
		return;
	put_date(page, filetime_of(r->scale.start));
	etw_text_puts(&page->line, " to ");
	put_date(page, filetime_of(r->last));
	report_page_line(page);
}

static void put_levels(struct report_page *page)
{
	const struct report *r = page->report;

	put_amount(page, r->levels[1], "critical event", ", ");
	put_amount(page, r->levels[2], "error", ", ");
	put_amount(page, r->levels[3], "warning", "");
	report_page_line(page);
}

static void put_summary(struct report_page *page)
{
	const struct report *r = page->report;
	const int64_t duration = r->scale.begun ? r->last - r->scale.start : 0;

	put_period(page);
	etw_text_printf(&page->line, "%llu event%s in ", (unsigned long long)r->events,
			r->events == 1 ? "" : "s");
	report_page_duration(page, 0, duration);
	etw_text_printf(&page->line, ", %llu bytes", (unsigned long long)r->bytes);
	if (duration > 0)
		etw_text_printf(&page->line, ", %.1f events/s",
				(double)r->events * 1e9 / (double)duration);
	report_page_line(page);
	put_levels(page);
	if (r->all_providers.full || r->all_kinds.full || r->all_processes.full || r->all_threads.full)
		etw_text_puts(&page->line, "at least ");
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
		etw_text_puts(&page->line, loss->buffers ? "an unknown number of buffers" :
			      "an unknown number of events");
	else
		put_amount(page, loss->count, loss->buffers ? "buffer" : "event",
			   loss->missing ? "" : " wrong, none missing");
	if (loss->cpu >= 0)
		etw_text_printf(&page->line, " on CPU %d", loss->cpu);
	if (loss->placed) {
		etw_text_puts(&page->line, ", ");
		put_time(page, loss->first);
		etw_text_puts(&page->line, " to ");
		put_time(page, loss->last);
	} else {
		etw_text_puts(&page->line, ", at an unknown time");
	}
	report_page_line(page);
	if (loss->provider) {
		etw_text_puts(&page->line, "    of ");
		report_page_add(page, loss->provider);
		report_page_line(page);
	}
	etw_text_puts(&page->line, "    ");
	report_page_add(page, loss->cause);
	report_page_line(page);
}

/* Nothing is missing, or nothing but what is older. */
static void put_complete(struct report_page *page)
{
	const struct report *r = page->report;

	etw_text_puts(&page->line, "Nothing was lost");
	if (r->has_since) {
		etw_text_puts(&page->line, " since ");
		if (r->since_time)
			put_date(page, r->since_time);
		else
			etw_text_puts(&page->line, "an unknown time");
	}
	etw_text_char(&page->line, '.');
	report_page_line(page);
	if (!r->has_since)
		return;
	etw_text_printf(&page->line, "  Before: %s", report_since_reason(r->overwritten));
	report_page_line(page);
}

static void put_lost(struct report_page *page)
{
	const struct report *r = page->report;

	if (page->screen->colour)
		etw_text_puts(page->to, "\033[31m");
	etw_text_printf(&page->line, "INCOMPLETE: %llu events and %llu buffers are known to be lost",
			(unsigned long long)r->lost_events, (unsigned long long)r->lost_buffers);
	report_page_line(page);
	if (page->screen->colour)
		etw_text_puts(page->to, "\033[0m");
	etw_text_puts(&page->line, "  at least ");
	put_amount(page, r->lost_least, "event", "");
	if (r->lost_most != ETW_GAP_UNKNOWN)
		etw_text_printf(&page->line, ", at most %llu", (unsigned long long)r->lost_most);
	etw_text_puts(&page->line, r->lost_least == 1 ? " is missing" : " are missing");
	report_page_line(page);
	if (!r->has_since)
		return;
	etw_text_printf(&page->line, "  besides, %s", report_since_reason(r->overwritten));
	report_page_line(page);
}

/* Worth a line each only if there are more losses than are listed */
static void put_causes(struct report_page *page)
{
	const struct report *r = page->report;
	unsigned int i;

	for (i = 0; i < r->loss_cause_count && i < LOSSES; i++) {
		const struct report_loss_cause *cause = &r->loss_causes[i];

		etw_text_puts(&page->line, "  ");
		put_amount(page, cause->losses, "time", ": ");
		report_page_add(page, cause->cause);
		report_page_line(page);
		if (!cause->events && !cause->buffers)
			continue;
		etw_text_puts(&page->line, cause->unknown ? "    at least " : "    ");
		put_amount(page, cause->events, "event", ", ");
		put_amount(page, cause->buffers, "buffer", "");
		report_page_line(page);
	}
}

static void put_losses(struct report_page *page)
{
	struct report *r = page->report;
	unsigned int i, count;

	if (r->complete) {
		put_complete(page);
		return;
	}
	report_losses_sort(r);
	count = r->loss_count < LOSSES ? r->loss_count : LOSSES;
	put_lost(page);
	if (r->loss_count + r->losses_more > count)
		put_causes(page);
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
	if (r->lost_events > r->unplaced_events) {
		report_page_heading(page, "Lost events over time");
		report_page_spark(page, r->rate_lost, r->scale.used, page->screen->width);
		report_page_line(page);
	}
	if (r->lost_buffers > r->unplaced_buffers) {
		report_page_heading(page, "Lost buffers over time");
		report_page_spark(page, r->rate_lost_buffers, r->scale.used, page->screen->width);
		report_page_line(page);
	}
}

static void put_file(struct report_page *page, const struct report_file *file)
{
	report_page_add(page, file->path);
	report_page_line(page);
	if (!file->host && !file->kernel)
		return;
	etw_text_puts(&page->line, "  recorded on ");
	report_page_add(page, file->host ? file->host : "a machine without a name");
	if (file->kernel) {
		etw_text_puts(&page->line, ", Linux ");
		report_page_add(page, file->kernel);
	}
	report_page_line(page);
}

int report_text(struct report *r, const struct report_about *about,
		const struct report_screen *screen, struct etw_text *to)
{
	struct report_screen own = *screen;
	struct report_page page = { .report = r, .screen = &own, .to = to };
	const char *const *option;
	unsigned int i;
	int err;

	if (own.width < REPORT_NARROW)
		own.width = REPORT_NARROW;
	etw_text_cut(to, 0);
	for (i = 0; i < r->file_count; i++)
		put_file(&page, &r->files[i]);
	if (r->mixed) {
		etw_text_puts(&page.line, "These are of several machines or boots: processes, threads and");
		report_page_line(&page);
		etw_text_puts(&page.line, "CPUs with the same numbers are counted as one.");
		report_page_line(&page);
	}
	for (option = about->selection; option && *option; option++) {
		etw_text_puts(&page.line, "only: ");
		report_page_add(&page, *option);
		report_page_line(&page);
	}
	put_losses(&page);
	put_summary(&page);
	put_rate(&page);
	report_page_lists(&page);
	report_page_operations(&page);
	err = report_page_stacks(&page);
	etw_text_free(&page.line);
	return err ? err : to->error;
}
