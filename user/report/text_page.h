/* SPDX-License-Identifier: MIT */
/*
 * text_page.h - lines for a terminal: columns, numbers, bars
 *
 * No line is wider than the screen, and nothing in text from a trace moves the cursor or changes
 * colours.
 */
#ifndef ETW_REPORT_TEXT_PAGE_H
#define ETW_REPORT_TEXT_PAGE_H

#include "base/text.h"
#include "report.h"

/* Without to->error or line.error there was memory for all of it. */
struct report_page {
	struct report *report;		/* what the page is about; NULL: something else */
	const struct report_screen *screen;
	struct etw_text *to;
	struct etw_text line;		/* of the page, before it is cut to the width */
};

/* End the line: add as much of it as the screen has columns for. */
void report_page_line(struct report_page *page);
/* An empty line and a heading */
void report_page_heading(struct report_page *page, const char *title);
/* Text from the trace, escaped */
void report_page_add(struct report_page *page, const char *text);
/* Put dots into the middle of what the line has from this byte on, if it takes more columns. */
void report_page_fit(struct report_page *page, size_t from, unsigned int columns);
/* Blanks up to this column of the line; what is beyond is cut */
void report_page_column(struct report_page *page, unsigned int column);
/* ASCII text with its end at this column; 0: behind what is there */
void report_page_right(struct report_page *page, unsigned int column, const struct etw_text *text);
/* A number, with its end at this column */
void report_page_number(struct report_page *page, unsigned int column, uint64_t number);
/* 850 ns, 12.30 us, 100.2 ms, 2.00 s; with its end at this column; 0: behind what is there */
void report_page_duration(struct report_page *page, unsigned int column, __int128 ns);
/* A bar of up to width columns for part of whole */
void report_page_bar(struct report_page *page, uint64_t part, uint64_t whole, unsigned int width);
/* A column for each bucket, or for several if there are more than width */
void report_page_spark(struct report_page *page, const uint64_t *buckets, unsigned int count,
		       unsigned int width);

#endif /* ETW_REPORT_TEXT_PAGE_H */
