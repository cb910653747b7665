/* SPDX-License-Identifier: MIT */
/*
 * rows.c - single events: a table of some, spread over the trace, and the latest errors
 *
 * The table has all events until it is full; then it keeps about every other one and takes about
 * every second event, and so on. A hash of an event's number chooses, since events follow each
 * other in patterns: every second one may be a stop. The first event of each kind has a place of
 * its own, so that rare ones are there. The errors are a ring.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "report_private.h"

int report_rows_init(struct report_rows *rows, unsigned int max)
{
	memset(rows, 0, sizeof(*rows));
	rows->rows = calloc(max, sizeof(*rows->rows));
	rows->max = max;
	rows->stride = 1;
	return rows->rows ? 0 : -ENOMEM;
}

void report_row_free(struct report_row *row)
{
	free(row->process);
	free(row->title);
	free(row->text);
	memset(row, 0, sizeof(*row));
}

void report_rows_free(struct report_rows *rows)
{
	unsigned int i;

	for (i = 0; i < rows->count; i++)
		report_row_free(&rows->rows[i]);
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

/* Cut where a character begins, with dots behind. */
static void shorten(struct etw_text *text)
{
	size_t len = REPORT_ROW_TEXT;

	if (text->error || text->len <= len)
		return;
	while (len && ((unsigned char)text->data[len] & 0xC0) == 0x80)
		len--;
	etw_text_cut(text, len);
	etw_text_puts(text, "...");
}

char *report_row_text(struct report *r, struct etw_decoder *decoder)
{
	struct etw_text *text = &r->scratch;

	etw_text_cut(text, 0);
	etw_decode_rewind(decoder);
	if (etw_format_fields(text, decoder, 0) == -ENOMEM)
		return NULL;
	shorten(text);
	return text->error ? NULL : strdup(text->len ? text->data : "");
}

static int fill(struct report *r, struct report_row *row, const struct report_place *place)
{
	const struct etw_event_header *header = place->event->event->record.header;

	row->number = r->events - 1;
	row->first = place->kind->entry.events == 1;
	row->ns = place->ns;
	row->pid = header->process_id;
	row->tid = header->thread_id;
	row->cpu = place->event->event->cpu;
	row->level = header->desc.level;
	row->text = report_row_text(r, place->event->decoder);
	row->title = strdup(place->kind->title);
	if (place->process->name)
		row->process = strdup(place->process->name);
	return row->text && row->title && (row->process || !place->process->name) ? 0 : -ENOMEM;
}

/* Bits that do not follow from each other; 0 of 0, so that the first event is always there */
static uint64_t mix(uint64_t number)
{
	number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
	number = (number ^ number >> 27) * 0x94D049BB133111EBu;
	return number ^ number >> 31;
}

static bool is_chosen(const struct report_rows *rows, uint64_t number)
{
	return !(mix(number) & (rows->stride - 1));
}

static int earlier_first(const void *x, const void *y)
{
	const struct report_row *a = x, *b = y;

	return (a->number > b->number) - (a->number < b->number);
}

/* What is given up may be a kind's first event. */
static void halve(struct report_rows *rows, struct report_rows *firsts)
{
	unsigned int i, count = 0;

	rows->stride *= 2;
	for (i = 0; i < rows->count; i++) {
		struct report_row *row = &rows->rows[i];

		if (is_chosen(rows, row->number))
			rows->rows[count++] = *row;
		else if (row->first && firsts->count < firsts->max)
			firsts->rows[firsts->count++] = *row;
		else
			report_row_free(row);
	}
	memset(rows->rows + count, 0, (rows->count - count) * sizeof(*rows->rows));
	rows->count = count;
	qsort(firsts->rows, firsts->count, sizeof(*firsts->rows), earlier_first);
}

int report_rows_sample(struct report *r, const struct report_place *place)
{
	struct report_rows *rows = &r->table, *firsts = &r->firsts;
	const uint64_t number = rows->seen++;

	while (is_chosen(rows, number) && rows->count == rows->max)
		halve(rows, firsts);
	if (is_chosen(rows, number))
		return fill(r, &rows->rows[rows->count++], place);
	if (place->kind->entry.events != 1 || firsts->count == firsts->max)
		return 0;
	return fill(r, &firsts->rows[firsts->count++], place);
}

/* Both are in the order in which events came. */
const struct report_row *report_rows_next(const struct report *r, struct report_rows_at *at)
{
	const struct report_row *row = at->table < r->table.count ? &r->table.rows[at->table] : NULL;
	const struct report_row *first = at->first < r->firsts.count ? &r->firsts.rows[at->first] :
					 NULL;

	if (first && (!row || first->number < row->number)) {
		at->first++;
		return first;
	}
	at->table += row != NULL;
	return row;
}

int report_rows_error(struct report *r, const struct report_place *place)
{
	struct report_rows *rows = &r->errors;
	struct report_row *row = &rows->rows[rows->seen++ % rows->max];

	if (rows->count < rows->max)
		rows->count++;
	report_row_free(row);
	return fill(r, row, place);
}
