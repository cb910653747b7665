/* SPDX-License-Identifier: MIT */
/*
 * flame_view.c - the stacks of etw top as lines: a flame graph that lies on its side
 *
 * Each line is a function, below its caller. Its bar has its share of the events, and begins where
 * its caller's does, behind those of its callers' other callees. A function that is the only one
 * its caller calls is not indented, so that long chains leave room for names.
 */
#include <inttypes.h>
#include <string.h>
#include "cli/text.h"
#include "flame_view.h"

#define SHARE_LEAST	200	/* a 200th of the events is worth a line */
#define NAME_LEAST	16	/* columns of a name behind its branches */
#define WIDTH_SELF	50	/* columns of a screen that has room for these, too: */
#define WIDTH_BAR	60
#define WIDTH_EVENTS	72
#define BAR_PART	4	/* of the screen */

struct flame_drawing {
	struct drawing *drawing;
	const struct report_stacks *stacks;
	unsigned int total, self, events;	/* where these columns end; 0: there is no room */
	unsigned int bar, bar_width;		/* where it begins */
	unsigned int name;			/* likewise */
	unsigned int line;			/* number of the next one */
};

static void lay_out(struct flame_drawing *f, unsigned int width)
{
	unsigned int at = f->total = 7;

	if (width >= WIDTH_SELF)
		f->self = at += 7;
	if (width >= WIDTH_EVENTS)
		f->events = at += 9;
	if (width >= WIDTH_BAR) {
		f->bar = at + 1;
		f->bar_width = width / BAR_PART;
		at = f->bar + f->bar_width;
	}
	f->name = at + 1;	/* with a blank before it */
}

/* The column that sorts is marked. */
static void put_heading(const struct flame_drawing *f, unsigned int end, const char *heading,
			enum flame_sort sort)
{
	const struct view *v = f->drawing->view;
	struct etw_text text = { .data = NULL };

	if (!end)
		return;
	etw_text_printf(&text, "%s%s", sort != v->flame_sort ? "" : v->flame_reverse ? "<" : ">",
			heading);
	text_check(&text);
	report_page_right(&f->drawing->page, end, &text);
	etw_text_free(&text);
}

static void put_headings(const struct flame_drawing *f)
{
	struct drawing *d = f->drawing;
	const struct view *v = d->view;

	put_heading(f, f->total, "TOTAL", FLAME_TOTAL);
	put_heading(f, f->self, "SELF", FLAME_SELF);
	put_heading(f, f->events, "EVENTS", FLAME_SORTS);
	if (f->bar) {
		report_page_column(&d->page, f->bar);
		etw_text_puts(&d->page.line, "FLAME");
	}
	report_page_column(&d->page, f->name);
	if (v->flame_sort == FLAME_NAME)
		etw_text_puts(&d->page.line, v->flame_reverse ? "<" : ">");
	report_page_add(&d->page, by_heading(&v->counting->by));
	etw_text_puts(&d->page.line, " AND FUNCTIONS");
	drawing_finish(d, VIEW_HEADING);
}

static void put_share(const struct flame_drawing *f, unsigned int end, uint64_t events)
{
	struct etw_text text = { .data = NULL };

	if (!end)
		return;
	etw_text_printf(&text, "%.1f%%", 100.0 * (double)events / (double)f->stacks->events[0]);
	text_check(&text);
	report_page_right(&f->drawing->page, end, &text);
	etw_text_free(&text);
}

static void put_bar(const struct flame_drawing *f, const struct flame_line *line)
{
	const uint64_t all = f->stacks->events[0], before = line->before;
	struct report_page *page = &f->drawing->page;
	const unsigned int from = (unsigned int)((unsigned __int128)before * f->bar_width / all);

	if (!f->bar)
		return;
	report_page_column(page, f->bar + from);
	report_page_bar(page, line->node->total[0], all, f->bar_width);
}

/* Two columns for each branch that the function is in, and how many columns that are */
static unsigned int put_branches(struct report_page *page, const struct flame_line *line,
				 unsigned int room)
{
	static const char *const pieces[2][4] = {
		{ "  ", "| ", "|-", "`-" }, { "  ", "│ ", "├─", "└─" },
	};
	const unsigned int fit = room > NAME_LEAST ? (room - NAME_LEAST) / 2 : 0;
	unsigned int i, piece;

	for (i = 0; i < line->depth && i < fit && i < FLAME_BRANCHES; i++) {
		piece = line->more[i];
		if (line->forks && i == line->depth - 1)
			piece = line->last ? 3 : 2;
		etw_text_puts(&page->line, pieces[page->screen->utf8][piece]);
	}
	return 2 * i;
}

static void put_line(void *context, const struct flame_line *line)
{
	struct flame_drawing *f = context;
	struct drawing *d = f->drawing;
	const struct view *v = d->view;
	const unsigned int number = f->line++;
	unsigned int room = v->screen.width > f->name ? v->screen.width - f->name : 0;
	size_t from;

	if (number < v->first || number - v->first >= v->page)
		return;
	put_share(f, f->total, line->node->total[0]);
	put_share(f, f->self, line->node->self[0]);
	if (f->events)
		column_put_count(&d->page, f->events, line->node->total[0]);
	put_bar(f, line);
	/* What of a small bar is beyond the others is cut. */
	report_page_column(&d->page, f->name);
	room -= put_branches(&d->page, line, room);
	from = d->page.line.len;
	report_page_add(&d->page, line->name);
	report_page_fit(&d->page, from, room);
	drawing_finish(d, line->depth ? VIEW_PLAIN : VIEW_TITLE);
}

/* What the lines do not have */
static void put_rest(const struct flame_drawing *f, unsigned int lines)
{
	const struct report_stacks *s = f->stacks;
	struct etw_text *line = &f->drawing->page.line;

	etw_text_printf(line, "%" PRIu64 " of %" PRIu64 " events have a stack", s->events[0],
			f->drawing->view->counting->flame.events);
	if (s->cut)
		etw_text_printf(line, ", %" PRIu64 " cut off", s->cut);
	if (s->count > lines)
		etw_text_printf(line, "; %u branches below 0.5%%", s->count - lines);
	if (s->gone_nodes)
		etw_text_printf(line, "; %" PRIu64 " given up", s->gone_nodes);
	drawing_finish(f->drawing, VIEW_FAINT);
}

void flame_view_put(struct drawing *d)
{
	struct view *v = d->view;
	const struct counting *c = v->counting;
	struct flame_drawing f = { .drawing = d, .stacks = &c->flame.stacks };
	const struct flame_order order = {
		.sort = v->flame_sort, .reverse = v->flame_reverse,
		.least = (f.stacks->events[0] + SHARE_LEAST - 1) / SHARE_LEAST,
	};
	const unsigned int room = drawing_lines_left(d);

	lay_out(&f, v->screen.width);
	put_headings(&f);
	v->rows = flame_each(&c->flame, &order, NULL, NULL);
	v->page = room > 2 ? room - 2 : 0;
	if (v->page >= v->rows || v->first > v->rows - v->page)
		v->first = v->rows > v->page ? v->rows - v->page : 0;
	if (v->rows && v->page)
		flame_each(&c->flame, &order, put_line, &f);
	if (f.stacks->events[0])
		put_rest(&f, v->rows);
	else if (c->tally.events)
		drawing_put(d, VIEW_FAINT, "No event had a stack yet: etw enable --stack adds them.");
	else
		drawing_put_nothing(d);
}
