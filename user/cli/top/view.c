/* SPDX-License-Identifier: MIT */
/*
 * view.c - the screen of etw top as lines
 *
 * Losses come first. Then the title, the filter, and the rows, below which one line has all that
 * they do not show, so that the sum of a column is what was counted.
 */
#include <inttypes.h>
#include <string.h>
#include "cli/print/clock.h"
#include "cli/text.h"
#include "flame_view.h"
#include "view.h"

#define NAME_LEAST	20	/* columns of a name, and a blank ... */
#define NAME_NARROW	10	/* ... on a screen with room for little else */
#define SPARK_LEAST	9	/* columns for the ticks, and a blank before them */
#define WANTED_FIRST	2	/* figures that come before more of the name, and the ticks */
#define FILETIME_SECOND	10000000

/* In the order in which they get a place on a narrow screen */
static const enum column wanted[] = {
	COLUMN_RATE, COLUMN_EVENTS, COLUMN_LOST, COLUMN_BYTES, COLUMN_P50, COLUMN_P99, COLUMN_MAX,
	COLUMN_P90, COLUMN_P999, COLUMN_OPERATIONS,
};

/* ------------------------------------------------------------------------ columns */

static bool has_values(const struct drawing *d, enum column column)
{
	const struct tally *t = &d->view->counting->tally;

	if (column == COLUMN_LOST)
		return t->lost;
	return column < COLUMN_OPERATIONS || t->operations;
}

/* Of all that no row shows; hidden: rows without a line */
static void name_others(const struct drawing *d, unsigned int hidden, struct etw_text *to)
{
	const uint64_t given_up = d->view->counting->tally.rows.other.count;

	etw_text_puts(to, "(others");
	if (hidden)
		etw_text_printf(to, ": %u more", hidden);
	if (given_up)
		etw_text_printf(to, "%s %" PRIu64 " given up", hidden ? "," : ":", given_up);
	etw_text_puts(to, ")");
}

static unsigned int longest_name(const struct drawing *d)
{
	struct etw_text text = { .data = NULL };
	unsigned int longest, i;

	name_others(d, d->count, &text);
	longest = (unsigned int)strlen(text_data(&text));
	for (i = 0; i < d->count; i++) {
		etw_text_cut(&text, 0);
		etw_text_safe(&text, d->rows[i]->name, strlen(d->rows[i]->name));
		if (text_columns(text_data(&text)) > longest)
			longest = (unsigned int)text_columns(text_data(&text));
	}
	etw_text_free(&text);
	return longest;
}

/* Choose the columns, and give each its place. */
static void lay_out(struct drawing *d)
{
	const unsigned int width = d->view->height ? d->view->screen.width : UINT32_MAX;
	const unsigned int longest = longest_name(d) + 1;
	bool is_in[COLUMNS] = { false };
	unsigned int sum = 0, beside, each, at, i;

	for (i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		each = column_names[wanted[i]].width;
		beside = i < WANTED_FIRST ? NAME_NARROW : NAME_LEAST + SPARK_LEAST;
		if (!has_values(d, wanted[i]) || sum + each + beside > width)
			continue;
		is_in[wanted[i]] = true;
		sum += each;
	}
	at = width > sum + NAME_NARROW ? width - sum : NAME_NARROW;	/* for name and ticks */
	d->name = longest < NAME_LEAST ? NAME_LEAST : longest;
	if (at < NAME_LEAST + SPARK_LEAST)
		d->name = at;
	else if (d->name > at - SPARK_LEAST)
		d->name = at - SPARK_LEAST;
	d->spark = d->view->height && at > d->name ? at - d->name - 1 : 0;
	if (d->spark > TALLY_TICKS)
		d->spark = TALLY_TICKS;
	at = d->name;
	for (i = 0; i < COLUMNS; i++) {
		at += is_in[i] ? column_names[i].width : 0;
		d->ends[i] = is_in[i] ? at : 0;
		d->view->shown[i] = is_in[i] || i == COLUMN_NAME;
	}
	if (!d->view->height)
		d->view->screen.width = at;
}

/* The column that sorts is marked, unless nobody can change that. */
static const char *mark(const struct view *v, enum column column)
{
	if (column != v->sort || !v->height)
		return "";
	return v->reverse ? "<" : ">";
}

static void put_headings(struct drawing *d)
{
	const struct view *v = d->view;
	struct etw_text text = { .data = NULL };
	unsigned int i;

	etw_text_puts(&d->page.line, mark(v, COLUMN_NAME));
	report_page_add(&d->page, by_heading(&v->counting->by));
	report_page_fit(&d->page, 0, d->name - 1);
	for (i = 0; i < COLUMNS; i++) {
		if (!d->ends[i])
			continue;
		etw_text_cut(&text, 0);
		etw_text_printf(&text, "%s%s", mark(v, (enum column)i), column_names[i].heading);
		text_check(&text);
		report_page_right(&d->page, d->ends[i], &text);
	}
	etw_text_free(&text);
	drawing_finish(d, VIEW_HEADING);
}

static void put_figures(struct drawing *d, const char *name, const struct figures *f)
{
	unsigned int i;

	report_page_add(&d->page, name);
	report_page_fit(&d->page, 0, d->name - 1);
	for (i = 0; i < COLUMNS; i++)
		if (d->ends[i])
			column_put(&d->page, d->ends[i], (enum column)i, f);
}

static void put_row(struct drawing *d, const struct tally_row *row, struct figures *f)
{
	const struct tally *t = &d->view->counting->tally;
	uint64_t series[TALLY_TICKS];
	unsigned int end = d->name, i;

	figures_of_row(t, row, f);
	put_figures(d, *row->name ? row->name : BY_NO_NAME, f);
	if (d->spark) {
		for (i = 0; i < COLUMNS; i++)
			if (d->ends[i])
				end = d->ends[i];
		report_page_column(&d->page, end + 1);
		tally_series(t, &row->recent, series, d->spark);
		report_page_spark(&d->page, series, d->spark, d->spark);
	}
	drawing_finish(d, VIEW_PLAIN);
}

/* All that is in none of the rows above */
static void put_others(struct drawing *d, const struct figures *others, unsigned int hidden)
{
	struct etw_text name = { .data = NULL };

	name_others(d, hidden, &name);
	put_figures(d, name.len < d->name ? text_data(&name) : "(others)", others);
	etw_text_free(&name);
	drawing_finish(d, VIEW_FAINT);
}

static void put_rows(struct drawing *d)
{
	struct view *v = d->view;
	const struct tally *t = &v->counting->tally;
	struct figures others, one;
	unsigned int room, i;

	lay_out(d);
	put_headings(d);
	room = drawing_lines_left(d);
	v->page = !v->height ? v->limit : room > 1 ? room - 1 : 0;
	if (v->page >= d->count || v->first > d->count - v->page)
		v->first = d->count > v->page ? d->count - v->page : 0;
	figures_of_all(t, &others);
	for (i = v->first; i < d->count && i - v->first < v->page; i++) {
		put_row(d, d->rows[i], &one);
		figures_take(&others, &one);
	}
	if (others.events || i - v->first < d->count || t->rows.other.count)
		put_others(d, &others, d->count - (i - v->first));
	if (!t->events && !d->count && v->height)
		drawing_put_nothing(d);
}

/* --------------------------------------------------------------------------- head */

static void put_losses(struct drawing *d)
{
	struct etw_text text = { .data = NULL };

	if (!losses_any(d->view->losses))
		return;
	losses_line(d->view->losses, &text);
	drawing_put(d, VIEW_LOSS, text_data(&text));
	etw_text_free(&text);
}

static void put_title(struct drawing *d)
{
	const struct view *v = d->view;
	const struct counting *c = v->counting;
	struct etw_text *line = &d->page.line;
	struct figures all;
	size_t at;

	figures_of_all(&c->tally, &all);
	report_page_add(&d->page, v->session);
	report_page_fit(&d->page, 0, 24);
	at = line->len;
	etw_text_puts(line, v->flame ? "  stacks by " : "  by ");
	report_page_add(&d->page, by_name(&c->by));
	report_page_fit(&d->page, at, 20);
	if (v->ended)
		etw_text_puts(line, "  ENDED");
	if (c->frozen || c->skipped)
		etw_text_printf(line, "  %s%" PRIu64 " passed over", c->frozen ? "FROZEN, " : "",
				c->skipped);
	etw_text_puts(line, "  ");
	column_put(&d->page, 0, COLUMN_RATE, &all);
	etw_text_puts(line, "/s  ");
	column_put(&d->page, 0, COLUMN_EVENTS, &all);
	etw_text_puts(line, all.events == 1 ? " event, " : " events, ");
	column_put_bytes(&d->page, 0, all.bytes);
	if (c->since)
		etw_text_printf(line, " in %" PRId64 " s",
				(clock_now() - c->since) / FILETIME_SECOND);
	if (!v->height) {
		etw_text_puts(line, "  ");
		clock_local(line, clock_now());
	}
	drawing_finish(d, VIEW_TITLE);
}

static void put_prompt(struct drawing *d)
{
	struct view *v = d->view;

	v->prompt_line = d->number;
	if (v->prompt == VIEW_FIELD || v->prompt == VIEW_FILTER) {
		etw_text_puts(&d->page.line, v->prompt == VIEW_FIELD ? "by field: " : "filter: ");
		report_page_add(&d->page, v->typed);
		report_page_fit(&d->page, 0, v->screen.width - 1);
		drawing_finish(d, VIEW_TITLE);
	} else if (*v->filter) {
		etw_text_puts(&d->page.line, "filter: ");
		drawing_put(d, VIEW_TITLE, v->filter);
	}
	if (!v->prompt || !v->error)
		return;
	if (v->error_column)
		etw_text_printf(&d->page.line, "column %zu: ", v->error_column);
	drawing_put(d, VIEW_ERROR, v->error);
}

/* --------------------------------------------------------------------------- keys */

static void put_help(struct drawing *d)
{
	static const char *const lines[] = {
		"space        freeze; what comes meanwhile is only counted",
		"/            filter as you type: see etw-filter(7); Esc: as it was",
		"b B          rows by the next, the previous: provider, event, process, ...",
		"f            rows by a field: type its name",
		"t            stacks of the events as a tree, and back",
		"> <          sort by the next, the previous column; siblings in the tree",
		"r            reverse the order",
		"z            count from zero",
		"arrows, PgUp, PgDn, Home, End   scroll",
		"q, Ctrl-C    quit",
		"",
		"EVENTS/S are of the last interval, the others since the count began.  P50 to",
		"MAX are times from a start event to its stop.  (others) are all events that no",
		"row above shows.  Other rows, or another filter, count the latest events again.",
		"",
		"Any key goes back.",
	};
	unsigned int i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines) && drawing_lines_left(d); i++)
		drawing_put(d, VIEW_PLAIN, lines[i]);
}

static void put_keys(struct drawing *d)
{
	const struct view *v = d->view;

	while (d->number + 1 < v->height)
		drawing_put(d, VIEW_PLAIN, "");
	switch (v->prompt) {
	case VIEW_FILTER:
		drawing_put(d, VIEW_FAINT, "Enter keep  Esc as it was  Ctrl-U erase");
		break;
	case VIEW_FIELD:
		drawing_put(d, VIEW_FAINT, "Enter rows by this field  Esc as it was  Ctrl-U erase");
		break;
	default:
		drawing_put(d, VIEW_FAINT, v->flame ?
			    "q quit  / filter  b by  f field  t table  > sort  space freeze  z zero  h help" :
			    "q quit  / filter  b by  f field  t stacks  > sort  space freeze  z zero  h help");
	}
}

void view_draw(struct view *v)
{
	struct drawing d = { .view = v };

	d.page.screen = &v->screen;
	d.page.to = &d.out;
	if (!v->height)
		v->screen.width = UINT32_MAX;
	d.count = columns_sort(&v->counting->tally, v->sort, v->reverse, d.rows);
	v->rows = d.count;
	put_losses(&d);
	put_title(&d);
	put_prompt(&d);
	if (v->help && v->height)
		put_help(&d);
	else if (v->flame)
		flame_view_put(&d);
	else
		put_rows(&d);
	if (v->height)
		put_keys(&d);
	etw_text_free(&d.page.line);
	etw_text_free(&d.out);
}
