/* SPDX-License-Identifier: MIT */
/*
 * table.c - aligned columns
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* vasprintf */
#endif
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli.h"
#include "table.h"
#include "text.h"

/* Append a cell, row by row.  Text from outside must be escaped already. */
void table_cell(struct table *table, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (table->count == table->cap) {
		table->cap = table->cap ? 2 * table->cap : 64;
		table->cells = realloc(table->cells,
				       table->cap * sizeof(*table->cells));
		if (!table->cells)
			cli_die("out of memory");
	}
	va_start(ap, fmt);
	n = vasprintf(&table->cells[table->count], fmt, ap);
	va_end(ap);
	if (n < 0)
		cli_die("out of memory");
	table->count++;
}

static unsigned int columns_of(const struct table *table)
{
	unsigned int n = 0;

	while (n < TABLE_COLUMNS && table->headings[n])
		n++;
	return n;
}

static const char *heading(const struct table *table, unsigned int column)
{
	const char *s = table->headings[column];

	return s + (*s == '>');
}

static void measure(const struct table *table, unsigned int columns,
		    size_t width[])
{
	unsigned int i;

	for (i = 0; i < columns; i++)
		width[i] = text_columns(heading(table, i));
	for (i = 0; i < table->count; i++) {
		size_t n = text_columns(table->cells[i]);

		if (n > width[i % columns])
			width[i % columns] = n;
	}
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

void table_print(const struct table *table)
{
	size_t width[TABLE_COLUMNS];
	unsigned int columns = columns_of(table);
	unsigned int i;

	measure(table, columns, width);
	for (i = 0; i < columns; i++)
		print_cell(heading(table, i), width[i],
			   table->headings[i][0] == '>', i + 1 == columns);
	for (i = 0; i < table->count; i++) {
		unsigned int c = i % columns;

		print_cell(table->cells[i], width[c],
			   table->headings[c][0] == '>', c + 1 == columns);
	}
}

void table_free(struct table *table)
{
	unsigned int i;

	for (i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
	table->cells = NULL;
	table->count = 0;
	table->cap = 0;
}
