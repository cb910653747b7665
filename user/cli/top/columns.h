/* SPDX-License-Identifier: MIT */
/*
 * columns.h - the figures of a row of etw top, and rows in an order
 */
#ifndef ETW_CLI_TOP_COLUMNS_H
#define ETW_CLI_TOP_COLUMNS_H

#include "report/text_page.h"
#include "tally.h"

enum column {
	COLUMN_RATE, COLUMN_EVENTS, COLUMN_LOST, COLUMN_BYTES, COLUMN_OPERATIONS, COLUMN_P50,
	COLUMN_P90, COLUMN_P99, COLUMN_P999, COLUMN_MAX, COLUMN_NAME, COLUMNS
};

/* The word for --sort; the heading; ends with one without a name */
struct column_name {
	const char *name, *heading;
	unsigned int width;	/* with a blank before it */
};

extern const struct column_name column_names[COLUMNS + 1];

struct figures {
	double rate;		/* events a second, in the latest tick */
	uint64_t events, bytes, operations, lost;
	const struct report_histogram *times;	/* NULL: of several rows */
};

void figures_of_row(const struct tally *tally, const struct tally_row *row, struct figures *to);
void figures_of_all(const struct tally *tally, struct figures *to);
/* What remains of figures of all rows without a row's */
void figures_take(struct figures *from, const struct figures *row);

/* In nanoseconds; 0: there were no operations */
__int128 figures_percentile(const struct figures *figures, enum column column);

/* Put a figure into the page's line, with its end at this column; nothing if there is none. */
void column_put(struct report_page *page, unsigned int end, enum column column,
		const struct figures *figures);
void column_put_count(struct report_page *page, unsigned int end, uint64_t count);
/* A number of bytes in a short form; 0: behind what is there */
void column_put_bytes(struct report_page *page, unsigned int end, uint64_t bytes);

/* All rows, largest or by name first; reverse: last.  list has room for TALLY_ROWS. */
unsigned int columns_sort(const struct tally *tally, enum column by, bool reverse,
			  struct tally_row **list);

#endif /* ETW_CLI_TOP_COLUMNS_H */
