/* SPDX-License-Identifier: MIT */
/*
 * table.h - aligned columns
 */
#ifndef ETW_CLI_TABLE_H
#define ETW_CLI_TABLE_H

#define TABLE_COLUMNS	12

/* All zero is an empty table.  A heading that starts with '>' aligns right. */
struct table {
	const char *const *headings;	/* NULL ends them */
	char **cells;
	unsigned int count;
	unsigned int cap;
};

void table_cell(struct table *table, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void table_print(const struct table *table);
void table_free(struct table *table);

#endif /* ETW_CLI_TABLE_H */
