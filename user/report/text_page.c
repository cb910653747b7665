/* SPDX-License-Identifier: MIT */
/*
 * text_page.c - lines for a terminal: columns, numbers, bars
 *
 * No line is wider than the screen. Text from the trace is escaped (base/text.h), so that nothing
 * in it moves the cursor or changes colours; where the screen has only ASCII, other characters are
 * question marks.
 */
#include <string.h>
#include "base/utf.h"
#include "text_private.h"

#define LEVELS	8

/* Columns of a line of escaped text; no character is counted wider than one. */
static unsigned int columns_of(const struct etw_text *line)
{
	unsigned int columns = 0;
	size_t i;

	for (i = 0; i < line->len; i++)
		columns += ((unsigned char)line->data[i] & 0xC0) != 0x80;
	return columns;
}

void report_page_line(struct report_page *page)
{
	const struct etw_text *line = &page->line;
	unsigned int columns = 0;
	size_t i, end = line->len;

	while (end && line->data[end - 1] == ' ')
		end--;
	for (i = 0; i < end; i++) {
		columns += ((unsigned char)line->data[i] & 0xC0) != 0x80;
		if (columns > page->screen->width)
			break;
	}
	if (line->len)
		etw_text_add(page->to, line->data, i);
	etw_text_char(page->to, '\n');
	if (line->error)
		page->to->error = line->error;
	page->line.len = 0;
}

void report_page_heading(struct report_page *page, const char *title)
{
	etw_text_char(page->to, '\n');
	if (page->screen->colour)
		etw_text_puts(page->to, "\033[1m");
	etw_text_puts(page->to, title);
	if (page->screen->colour)
		etw_text_puts(page->to, "\033[0m");
	etw_text_char(page->to, '\n');
}

void report_page_add(struct report_page *page, const char *text)
{
	const size_t before = page->line.len;
	size_t i, end;

	etw_text_safe(&page->line, text, strlen(text));
	if (page->screen->utf8 || page->line.error)
		return;
	for (i = end = before; i < page->line.len; i++) {
		if (((unsigned char)page->line.data[i] & 0xC0) == 0x80)
			continue;
		page->line.data[end++] = page->line.data[i] & 0x80 ? '?' : page->line.data[i];
	}
	if (end < page->line.len)
		etw_text_cut(&page->line, end);
}

void report_page_column(struct report_page *page, unsigned int column)
{
	unsigned int at = columns_of(&page->line);

	if (at > column - 1) {
		/* Cut what is too long, but leave a blank behind. */
		while (page->line.len && columns_of(&page->line) > column - 1)
			etw_text_cut(&page->line, page->line.len - 1);
		while (page->line.len && ((unsigned char)page->line.data[page->line.len - 1] & 0x80) &&
		       !etw_utf8_valid(page->line.data, page->line.len))
			etw_text_cut(&page->line, page->line.len - 1);
		at = columns_of(&page->line);
	}
	for (; at < column; at++)
		etw_text_char(&page->line, ' ');
}

static void add_right(struct report_page *page, unsigned int column, const struct etw_text *text)
{
	const unsigned int width = (unsigned int)text->len;

	if (column)
		report_page_column(page, column > width ? column - width : 1);
	if (text->len)
		etw_text_add(&page->line, text->data, text->len);
}

void report_page_number(struct report_page *page, unsigned int column, uint64_t number)
{
	struct etw_text text = { .data = NULL };

	etw_text_unsigned(&text, number, 1);
	add_right(page, column, &text);
	etw_text_free(&text);
}

void report_page_duration(struct report_page *page, unsigned int column, __int128 ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	struct etw_text text = { .data = NULL };
	const uint64_t value = ns < 0 ? 0 : (uint64_t)ns;
	unsigned int i = 0;

	if (value < 1000) {
		etw_text_printf(&text, "%u ns", (unsigned int)value);
	} else {
		while (i < 2 && value >= 1000 * units[i].ns)
			i++;
		etw_text_printf(&text, "%.*f %s", value >= 100 * units[i].ns ? 1 : 2,
				(double)value / (double)units[i].ns, units[i].name);
	}
	add_right(page, column, &text);
	etw_text_free(&text);
}

/* Eighths of a column, from 0: a block from the left */
static void add_block(struct report_page *page, unsigned int eighths)
{
	static const char *const blocks[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };

	etw_text_puts(&page->line, blocks[eighths]);
}

void report_page_bar(struct report_page *page, uint64_t part, uint64_t whole, unsigned int width)
{
	uint64_t eighths = whole ? (uint64_t)((unsigned __int128)part * width * LEVELS / whole) : 0;

	if (part && !eighths)
		eighths = 1;
	if (!page->screen->utf8) {
		for (eighths = (eighths + LEVELS - 1) / LEVELS; eighths; eighths--)
			etw_text_char(&page->line, '#');
		return;
	}
	for (; eighths >= LEVELS; eighths -= LEVELS)
		add_block(page, LEVELS);
	add_block(page, (unsigned int)eighths);
}

static uint64_t sum(const uint64_t *buckets, unsigned int from, unsigned int to, unsigned int count)
{
	uint64_t all = 0;

	for (; from < to && from < count; from++)
		all += buckets[from];
	return all;
}

void report_page_spark(struct report_page *page, const uint64_t *buckets, unsigned int count,
		       unsigned int width)
{
	static const char *const blocks[] = {
		" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
	};
	static const char ascii[] = " .:-=+*%#";
	const unsigned int each = (count + width - 1) / width;
	uint64_t most = 1, value;
	unsigned int i, level;

	for (i = 0; i < count; i += each)
		if (sum(buckets, i, i + each, count) > most)
			most = sum(buckets, i, i + each, count);
	for (i = 0; i < count; i += each) {
		value = sum(buckets, i, i + each, count);
		level = (unsigned int)((unsigned __int128)value * LEVELS / most);
		if (value && !level)
			level = 1;
		if (page->screen->utf8)
			etw_text_puts(&page->line, blocks[level]);
		else
			etw_text_char(&page->line, ascii[level]);
	}
}
