/* SPDX-License-Identifier: MIT */
/*
 * table.c - aligned columns
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "screen.h"
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

/* The columns that table_choose() was given, and a NULL; NULL: all */
static char **chosen;

/* A heading without its marks */
static const char *plain(const char *heading, bool *optional, bool *right)
{
	*optional = *heading == '?';
	heading += *optional;
	*right = *heading == '>';
	return heading + *right;
}

static bool is_column(const char *heading, const char *word)
{
	bool optional, right;

	heading = plain(heading, &optional, &right);
	for (heading += strspn(heading, " "); *heading && *word; heading++, word++)
		if ((*heading == ' ' ? '-' : tolower((unsigned char)*heading)) !=
		    tolower((unsigned char)*word))
			return false;
	return *heading == *word;
}

/* The index of the column that is called so; -1: there is none. */
static int column_of(const char *const *headings, const char *word)
{
	int i;

	for (i = 0; headings[i]; i++)
		if (is_column(headings[i], word))
			return i;
	return -1;
}

void table_choose(const char *option, const char *text, const char *const *const *tables)
{
	char **words = cli_list(option, text, ",");
	unsigned int i, k;

	for (i = 0; words[i]; i++) {
		for (k = 0; tables[k] && column_of(tables[k], words[i]) < 0; k++)
			;
		if (!tables[k])
			cli_usage("%s: there is no column %s", option, cli_quote(words[i]));
		if (i == TABLE_COLUMNS)
			cli_usage("%s: more than %d columns", option, TABLE_COLUMNS);
	}
	free(chosen);
	chosen = words;
}

/* The columns to print, and the width of each */
struct columns {
	unsigned int list[TABLE_COLUMNS], count;
	size_t width[TABLE_COLUMNS];	/* of all */
	bool right[TABLE_COLUMNS], optional[TABLE_COLUMNS];
};

static void leave_out(struct columns *c, unsigned int at)
{
	c->count--;
	memmove(c->list + at, c->list + at + 1, (c->count - at) * sizeof(*c->list));
}

static size_t total(const struct columns *c)
{
	size_t sum = c->count ? 2 * (c->count - 1) : 0;
	unsigned int i;

	for (i = 0; i < c->count; i++)
		sum += c->width[c->list[i]];
	return sum;
}

static void fit(struct columns *c, unsigned int width)
{
	unsigned int i = c->count;

	while (width && i-- && total(c) > width)
		if (c->optional[c->list[i]])
			leave_out(c, i);
}

static void choose(struct columns *c, unsigned int count, const char *const *headings)
{
	unsigned int i;
	int column;

	if (!chosen) {
		for (; c->count < count; c->count++)
			c->list[c->count] = c->count;
		fit(c, screen_width());
		return;
	}
	for (i = 0; chosen[i]; i++) {
		column = column_of(headings, chosen[i]);
		if (column >= 0)
			c->list[c->count++] = (unsigned int)column;
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

/* cells: of one row, or the headings */
static void print_row(const struct columns *c, const char *const *cells, bool headings)
{
	bool optional, right;
	unsigned int i, k;

	for (i = 0; i < c->count; i++) {
		k = c->list[i];
		print_cell(headings ? plain(cells[k], &optional, &right) : cells[k], c->width[k],
			   c->right[k], i + 1 == c->count);
	}
}

void table_print(struct table *table, const char *const *headings)
{
	struct columns c = { .count = 0 };
	unsigned int count, i;
	size_t n;

	for (count = 0; headings[count]; count++)
		c.width[count] = text_columns(plain(headings[count], &c.optional[count],
						    &c.right[count]));
	for (i = 0; i < table->count; i++) {
		n = text_columns(table->cells[i]);
		if (n > c.width[i % count])
			c.width[i % count] = n;
	}
	choose(&c, count, headings);
	if (table->count && c.count)
		print_row(&c, headings, true);
	for (i = 0; c.count && i < table->count; i += count)
		print_row(&c, (const char *const *)table->cells + i, false);
	for (i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
	*table = (struct table){ .cells = NULL };
}
