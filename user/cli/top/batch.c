/* SPDX-License-Identifier: MIT */
/*
 * batch.c - etw top for a pipe or a file
 */
#include <stdio.h>
#include "batch.h"
#include "cli/print/clock.h"
#include "cli/text.h"

static void print_line(void *context, unsigned int number, enum view_style style, const char *text)
{
	(void)context;
	(void)number;
	(void)style;
	puts(text);
}

void batch_text(struct view *v)
{
	v->line = print_line;
	view_draw(v);
	puts("");
}

static void put_times(struct etw_text *to, const struct figures *f)
{
	static const struct {
		const char *key;
		enum column column;
	} times[] = {
		{ "p50_ns", COLUMN_P50 }, { "p90_ns", COLUMN_P90 }, { "p99_ns", COLUMN_P99 },
		{ "p999_ns", COLUMN_P999 }, { "max_ns", COLUMN_MAX },
	};
	size_t i;

	if (!f->times || !f->times->count)
		return;
	for (i = 0; i < sizeof(times) / sizeof(*times); i++)
		json_writer_unsigned(to, times[i].key,
				     (uint64_t)figures_percentile(f, times[i].column));
}

static void put_figures(struct etw_text *to, const struct figures *f)
{
	json_writer_unsigned(to, "events", f->events);
	json_writer_double(to, "events_per_second", 1, f->rate);
	json_writer_unsigned(to, "bytes", f->bytes);
	json_writer_unsigned(to, "operations", f->operations);
	put_times(to, f);
}

static void put_rows(struct view *v, struct etw_text *to)
{
	static struct tally_row *rows[TALLY_ROWS];
	const struct tally *t = &v->counting->tally;
	struct figures others, one;
	unsigned int i;

	v->rows = columns_sort(t, v->sort, v->reverse, rows);
	figures_of_all(t, &others);
	json_writer_open(to, "rows", '[');
	for (i = 0; i < v->rows && i < v->limit; i++) {
		json_writer_open(to, NULL, '{');
		/* An event without the field */
		json_writer_word(to, "key", *rows[i]->name ? rows[i]->name : NULL);
		figures_of_row(t, rows[i], &one);
		put_figures(to, &one);
		json_writer_unsigned(to, "lost_events", one.lost);
		json_writer_close(to, '}');
		figures_take(&others, &one);
	}
	json_writer_close(to, ']');
	json_writer_open(to, "others", '{');
	json_writer_unsigned(to, "rows", v->rows - i);
	json_writer_unsigned(to, "given_up", t->rows.other.count);
	put_figures(to, &others);
	json_writer_unsigned(to, "lost_events", others.lost);
	json_writer_close(to, '}');
}

void batch_json(struct view *v)
{
	const struct counting *c = v->counting;
	struct etw_text line = { .data = NULL };
	struct figures all;

	figures_of_all(&c->tally, &all);
	json_writer_open(&line, NULL, '{');
	json_writer_word(&line, "session", v->session);
	json_writer_time(&line, "time", (uint64_t)clock_now());
	json_writer_double(&line, "seconds", 3, c->tally.seconds);
	json_writer_word(&line, "by", by_name(&c->by));
	json_writer_word(&line, "filter", *v->filter ? v->filter : NULL);
	losses_json(v->losses, &line);
	put_figures(&line, &all);
	put_rows(v, &line);
	json_print(&line);
}
