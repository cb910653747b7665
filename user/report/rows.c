/* SPDX-License-Identifier: MIT */
/*
 * rows.c - single events: a table of some, evenly spread over the trace, and the latest errors
 *
 * The table has all events until it is full; then it keeps every other one and takes every second
 * event, and so on. The errors are a ring.
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

static void free_row(struct report_row *row)
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
		free_row(&rows->rows[i]);
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

static void halve(struct report_rows *rows)
{
	unsigned int i;

	for (i = 0; i < rows->count; i++) {
		if (i % 2) {
			free_row(&rows->rows[i]);
			continue;
		}
		rows->rows[i / 2] = rows->rows[i];
		if (i)
			memset(&rows->rows[i], 0, sizeof(rows->rows[i]));
	}
	rows->count = (rows->count + 1) / 2;
	rows->stride *= 2;
}

int report_rows_sample(struct report *r, const struct report_place *place)
{
	struct report_rows *rows = &r->table;
	const uint64_t number = rows->seen++;

	if (number & (rows->stride - 1))
		return 0;
	if (rows->count == rows->max)
		halve(rows);
	if (number & (rows->stride - 1))
		return 0;
	return fill(r, &rows->rows[rows->count++], place);
}

int report_rows_error(struct report *r, const struct report_place *place)
{
	struct report_rows *rows = &r->errors;
	struct report_row *row = &rows->rows[rows->seen++ % rows->max];

	if (rows->count < rows->max)
		rows->count++;
	free_row(row);
	return fill(r, row, place);
}
