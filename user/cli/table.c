/* SPDX-License-Identifier: MIT */
/*
 * table.c - aligned columns
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "table.h"
#include "text.h"

void table_cell(struct table *table, const char *fmt, ...)
{
	va_list ap;
	int n;

	table->cells = cli_grow(table->cells, table->count, sizeof(*table->cells));
	va_start(ap, fmt);
	n = vasprintf(&table->cells[table->count++], fmt, ap);
	va_end(ap);
	if (n < 0)
		cli_die("out of memory");
}

void table_text(struct table *table, const char *text)
{
	struct etw_text t = { 0 };

	etw_text_escape(&t, text, strlen(text));
	table_cell(table, "%s", text_data(&t));
	etw_text_free(&t);
}

void table_message(struct table *table, const char *text)
{
	struct etw_text t = { 0 };

	etw_text_safe(&t, text, strlen(text));
	table_cell(table, "%s", text_data(&t));
	etw_text_free(&t);
}

static void print_cell(const char *s, size_t width, bool right, bool last)
{
	int pad = (int)(width - text_columns(s));

	if (right)
		printf("%*s%s", pad, "", s);
	else
		printf("%s%*s", s, last ? 0 : pad, "");
	fputs(last ? "\n" : "  ", stdout);
}

void table_print(struct table *table, const char *const *headings)
{
	size_t width[TABLE_COLUMNS], n;
	unsigned int columns, i, c;
	const char *heading;

	for (columns = 0; headings[columns]; columns++)
		width[columns] = text_columns(headings[columns]) - (*headings[columns] == '>');
	for (i = 0; i < table->count; i++) {
		n = text_columns(table->cells[i]);
		if (n > width[i % columns])
			width[i % columns] = n;
	}
	for (i = 0; table->count && i < columns; i++) {
		heading = headings[i] + (*headings[i] == '>');
		print_cell(heading, width[i], heading != headings[i], i + 1 == columns);
	}
	for (i = 0; i < table->count; i++) {
		c = i % columns;
		print_cell(table->cells[i], width[c], *headings[c] == '>', c + 1 == columns);
		free(table->cells[i]);
	}
	free(table->cells);
	*table = (struct table){ .cells = NULL };
}
