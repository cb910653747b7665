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
 * Print a table, and empty it; an empty one prints nothing.  NULL ends the headings; one
 * that starts with '>' aligns right.
 */
void table_print(struct table *table, const char *const *headings);

#endif /* ETW_CLI_TABLE_H */
