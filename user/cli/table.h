/* SPDX-License-Identifier: MIT */
/*
 * table.h - aligned columns
 */
#ifndef ETW_CLI_TABLE_H
#define ETW_CLI_TABLE_H

#define TABLE_COLUMNS	12

/* All zero is an empty table. */
struct table {
	char **cells;
	unsigned int count;
};

/* Append a cell, row by row; table_text() makes text from outside printable. */
void table_cell(struct table *table, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A sentence, whose quotes stay as they are */
void table_message(struct table *table, const char *text);
void table_text(struct table *table, const char *text);
/*
 * Print a table, and empty it; an empty one prints nothing.  NULL ends the headings.  One that
 * starts with '>' aligns right; one that starts with '?' (before that) is left out, the last
 * first, where the terminal is too narrow.
 */
void table_print(struct table *table, const char *const *headings);
/*
 * Let all tables have only these columns, in this order: a list of headings, in lower case and
 * with dashes for blanks.  tables: the headings of the tables that the command prints, and a
 * NULL.  A table that has none of them is not printed.
 */
void table_choose(const char *option, const char *text, const char *const *const *tables);

#endif /* ETW_CLI_TABLE_H */
