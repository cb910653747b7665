/* SPDX-License-Identifier: MIT */
/*
 * text_page.c - lines for a terminal: columns, numbers, bars
 *
 * Text from the trace is escaped (base/text.h); where the screen has only ASCII, other characters
 * are question marks.
 */
#include <string.h>
#include <wchar.h>
#include "base/utf.h"
#include "text_page.h"

#define LEVELS	8
#define DOTS	"..."

/* Take a character of a line: how many columns a terminal gives it, by the locale. */
static unsigned int take_column(const struct etw_text *line, size_t *at)
{
	const size_t before = *at;
	int32_t code = etw_utf8_take(line->data, line->len, at);
	int columns;

	if (code < 0)
		*at = before + 1;
	if (code < 0x80)
		return 1;
	columns = wcwidth((wchar_t)code);
	return columns < 0 ? 1 : (unsigned int)columns;
}

static unsigned int columns_of(const struct etw_text *line, size_t from)
{
	unsigned int columns = 0;

	while (from < line->len)
		columns += take_column(line, &from);
	return columns;
}

/* The bytes from there on that take at most so many columns, marks that take none included */
static size_t bytes_of(const struct etw_text *line, size_t from, unsigned int columns)
{
	size_t end = from, next = from;
	unsigned int used = 0;

	while (end < line->len) {
		used += take_column(line, &next);
		if (used > columns)
			break;
		end = next;
	}
	return end - from;
}

void report_page_line(struct report_page *page)
{
	struct etw_text *line = &page->line;

	while (line->len && line->data[line->len - 1] == ' ')
		line->len--;
	if (line->len)
		etw_text_add(page->to, line->data, bytes_of(line, 0, page->screen->width));
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

void report_page_fit(struct report_page *page, size_t from, unsigned int columns)
{
	struct etw_text *line = &page->line, end = { .data = NULL };
	unsigned int all = columns_of(line, from), left;
	size_t at = from;

	if (line->error || all <= columns)
		return;
	/* What tells names apart is at their end, mostly. */
	left = columns > sizeof(DOTS) ? columns - (unsigned int)sizeof(DOTS) + 1 : 0;
	for (all -= left - left / 3; all && at < line->len;) {
		const unsigned int width = take_column(line, &at);

		all -= width < all ? width : all;
	}
	etw_text_add(&end, line->data + at, line->len - at);
	etw_text_cut(line, from + bytes_of(line, from, left / 3));
	etw_text_puts(line, DOTS);
	if (end.len)
		etw_text_add(line, end.data, end.len);
	if (end.error)
		line->error = end.error;
	etw_text_free(&end);
}

void report_page_column(struct report_page *page, unsigned int column)
{
	unsigned int at = columns_of(&page->line, 0);

	if (at > column - 1) {
		/* Cut what is too long, but leave a blank behind. */
		etw_text_cut(&page->line, bytes_of(&page->line, 0, column - 1));
		at = columns_of(&page->line, 0);
	}
	for (; at < column; at++)
		etw_text_char(&page->line, ' ');
}

void report_page_right(struct report_page *page, unsigned int column, const struct etw_text *text)
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
	report_page_right(page, column, &text);
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
	report_page_right(page, column, &text);
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
