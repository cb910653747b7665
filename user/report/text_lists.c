/* SPDX-License-Identifier: MIT */
/*
 * text_lists.c - the largest of each table as lines
 */
#include <string.h>
#include "text_private.h"

#define LINES	10	/* of each list */
#define BAR	20	/* columns of a bar */

/*
 * name, number, share of all, bar; from: the byte of the line where the name begins. Bars are
 * shorter where there is less room.
 */
static void end_line_from(struct report_page *page, size_t from, uint64_t events)
{
	const unsigned int width = page->screen->width, bar = width >= 100 ? BAR : width / 8;
	const unsigned int end = width - bar - 9;
	const uint64_t all = page->report->events;
	unsigned int digits = 1;
	uint64_t left;

	for (left = events; left >= 10; left /= 10)
		digits++;
	report_page_fit(page, from, end - digits - 1 - (unsigned int)from);
	report_page_number(page, end, events);
	etw_text_printf(&page->line, " %5.1f%%  ", all ? 100.0 * (double)events / (double)all : 0.0);
	report_page_bar(page, events, all, bar);
	report_page_line(page);
}

static void end_line(struct report_page *page, uint64_t events)
{
	end_line_from(page, 0, events);
}

static void put_more(struct report_page *page, const struct report_bounded *b,
		     const struct report_distinct *all)
{
	uint64_t events = b->other.events;
	uint32_t i;

	if (b->other.missing) {
		etw_text_printf(&page->line, "(there are more than fit in memory: each may have up to %llu more)",
				(unsigned long long)b->other.missing);
		report_page_line(page);
	}
	if (all->count <= LINES)
		return;
	for (i = LINES; i < b->count; i++)
		events += b->entries[i]->events;
	etw_text_printf(&page->line, all->full ? "(at least %zu others)" : "(%zu others)",
			all->count - LINES);
	end_line(page, events);
}

static unsigned int lines(const struct report_bounded *b)
{
	return b->count < LINES ? b->count : LINES;
}

static void put_providers(struct report_page *page)
{
	struct report_bounded *b = &page->report->providers;
	struct etw_text *title = &page->report->scratch;
	unsigned int i;

	report_bounded_sort(b);
	report_page_heading(page, "Providers");
	for (i = 0; i < lines(b); i++) {
		etw_text_cut(title, 0);
		report_provider_title((const struct report_provider *)b->entries[i], title);
		report_page_add(page, title->len ? title->data : "");
		end_line(page, b->entries[i]->events);
	}
	put_more(page, b, &page->report->all_providers);
}

static void put_kinds(struct report_page *page)
{
	struct report_bounded *b = &page->report->kinds;
	unsigned int i;

	report_bounded_sort(b);
	report_page_heading(page, "Events");
	for (i = 0; i < lines(b); i++) {
		report_page_add(page, ((const struct report_kind *)b->entries[i])->title);
		end_line(page, b->entries[i]->events);
	}
	put_more(page, b, &page->report->all_kinds);
}

static void put_processes(struct report_page *page)
{
	struct report_bounded *b = &page->report->processes;
	unsigned int i;

	report_bounded_sort(b);
	report_page_heading(page, "Processes");
	for (i = 0; i < lines(b); i++) {
		const struct report_process *process = (const struct report_process *)b->entries[i];

		report_page_number(page, 10, process->pid);
		etw_text_puts(&page->line, "  ");
		report_page_add(page, process->name ? process->name : "-");
		end_line_from(page, 12, process->entry.events);
	}
	put_more(page, b, &page->report->all_processes);
}

static void put_containers(struct report_page *page)
{
	struct report_bounded *b = &page->report->containers;
	unsigned int i;

	if (!b->count)
		return;
	report_bounded_sort(b);
	report_page_heading(page, "Containers");
	for (i = 0; i < lines(b); i++) {
		etw_text_cut(&page->report->scratch, 0);
		etw_text_add(&page->report->scratch, b->entries[i]->key, b->entries[i]->key_len);
		report_page_add(page, page->report->scratch.len ? page->report->scratch.data : "");
		end_line(page, b->entries[i]->events);
	}
	put_more(page, b, &page->report->all_containers);
}

/* As many as the other lists have lines, in the order of their numbers; then all others */
static void put_cpus(struct report_page *page)
{
	const struct report *r = page->report;
	unsigned int i, count = 0, more = 0;
	uint64_t events = 0;

	report_page_heading(page, "CPUs");
	for (i = 0; i < r->cpu_count; i++) {
		if (!r->cpus[i].events && !r->cpus[i].lost)
			continue;
		if (count++ >= 2 * LINES) {
			events += r->cpus[i].events;
			more++;
			continue;
		}
		etw_text_printf(&page->line, "CPU %u", i);
		if (r->cpus[i].lost)
			etw_text_printf(&page->line, ", %llu lost",
					(unsigned long long)r->cpus[i].lost);
		end_line(page, r->cpus[i].events);
	}
	if (!more)
		return;
	etw_text_printf(&page->line, "(%u others)", more);
	end_line(page, events);
}

static void put_row(struct report_page *page, const struct report_row *row)
{
	size_t from;

	etw_text_printf(&page->line, "%+.6f s ",
			(double)(row->ns - page->report->scale.start) / 1e9);
	if (row->process) {
		report_page_add(page, row->process);
		etw_text_char(&page->line, '-');
	}
	etw_text_printf(&page->line, "%u ", row->pid);
	from = page->line.len;
	report_page_add(page, row->title);
	report_page_fit(page, from, page->screen->width > 60 ? page->screen->width / 2 : 30);
	if (row->text[0] && row->text[0] != ' ')
		etw_text_char(&page->line, ' ');
	report_page_add(page, row->text);
	report_page_line(page);
}

static void put_errors(struct report_page *page)
{
	const struct report *r = page->report;
	const struct report_rows *rows = &r->errors;
	unsigned int i, count = 0;

	if (!rows->count)
		return;
	report_page_heading(page, "Errors");
	for (i = 0; i < r->kinds.count && count < LINES; i++) {
		const struct report_kind *kind = (const struct report_kind *)r->kinds.entries[i];

		if (kind->level != 1 && kind->level != 2)
			continue;
		report_page_add(page, kind->title);
		end_line(page, kind->entry.events);
		count++;
	}
	i = rows->count > LINES ? rows->count - LINES : 0;
	for (; i < rows->count; i++)
		put_row(page, &rows->rows[(rows->seen - rows->count + i) % rows->max]);
}

void report_page_lists(struct report_page *page)
{
	if (!page->report->events)
		return;
	put_providers(page);
	put_kinds(page);
	put_processes(page);
	put_cpus(page);
	put_containers(page);
	put_errors(page);
}
