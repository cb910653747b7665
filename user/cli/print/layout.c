/* SPDX-License-Identifier: MIT */
/*
 * layout.c - one event as a line of aligned columns, fitted to a terminal
 *
 *	12:34:56.1234567 dd-4711     Sample-Block Request/Start info bytes=4096 op="read"
 *
 * A column is as wide as its widest value so far, up to a limit: nothing is known about the
 * events to come, and one long name should not push everything to the right. On a terminal
 * the day and the time zone stand in a line of their own where they change, and a line that is
 * too wide goes on in the next one, between two fields.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "clock.h"
#include "event.h"

#define WIDE		110	/* columns of a terminal that has all columns ... */
#define USUAL		80	/* ... and of one that lacks the CPU */
#define INDENT		8	/* of what continues a line */
#define DAY		10	/* characters of a date */
#define DECIMALS_NARROW	4	/* of a second's seven are left out */

enum column { COLUMN_TIME, COLUMN_CPU, COLUMN_PROCESS, COLUMN_PROVIDER, COLUMN_EVENT, COLUMN_LEVEL,
	      COLUMN_FIELDS, COLUMN_ITEMS, COLUMNS };

struct event_layout {
	unsigned int width;	/* of the terminal; 0: none, so the line is not fitted */
	unsigned int count;
	enum column list[COLUMNS];
	unsigned int widest[COLUMNS];
	char day[DAY + 8];	/* of the last event and its zone */
	struct etw_text folded;
};

/* Is it "2026-01-31 12:34:56.1234567+01:00", or as UTC with a T and a Z? */
static bool has_date(const char *time, size_t len)
{
	return len > DAY + 17 && time[4] == '-' && time[DAY + 3] == ':';
}

/* The time, on a terminal without the day and the zone */
static void add_time(struct event_printer *printer, struct etw_text *to)
{
	const size_t at = to->len, most = printer->layout->width < USUAL ? 16 - DECIMALS_NARROW : 16;

	event_add_time(printer, to);
	text_check(to);
	if (!printer->layout->width || !has_date(to->data + at, to->len - at))
		return;
	memmove(to->data + at, to->data + at + DAY + 1, most);
	etw_text_cut(to, at + most);
}

static void add_cpu(struct event_printer *printer, struct etw_text *to)
{
	etw_text_unsigned(to, printer->event->cpu, 3);
}

/* Add what begins with a blank, without it: the column before it ends with one. */
static void add_without_blank(struct event_printer *printer, struct etw_text *to,
			      void (*add)(struct event_printer *printer, struct etw_text *to))
{
	const size_t before = to->len;

	add(printer, to);
	if (to->len > before) {
		memmove(to->data + before, to->data + before + 1, to->len - before - 1);
		etw_text_cut(to, to->len - 1);
	}
}

static void add_fields(struct event_printer *printer, struct etw_text *to)
{
	add_without_blank(printer, to, event_add_body);
}

static void add_items(struct event_printer *printer, struct etw_text *to)
{
	add_without_blank(printer, to, event_add_items);
}

static const struct {
	const char *name;
	void (*add)(struct event_printer *printer, struct etw_text *to);
	unsigned int most;	/* columns that it may take for alignment ... */
	unsigned int usual;	/* ... and takes from the first line on, on a terminal */
} columns[COLUMNS + 1] = {
	[COLUMN_TIME] = { "time", add_time, CLOCK_LOCAL_COLUMNS, 0 },
	[COLUMN_CPU] = { "cpu", add_cpu, 4, 3 },
	[COLUMN_PROCESS] = { "process", event_add_source, 24, 14 },
	[COLUMN_PROVIDER] = { "provider", event_add_provider, 24, 12 },
	[COLUMN_EVENT] = { "event", event_add_name, 28, 16 },
	[COLUMN_LEVEL] = { "level", event_add_level, 8, 7 },
	[COLUMN_FIELDS] = { "fields", add_fields, 0, 0 },
	[COLUMN_ITEMS] = { "items", add_items, 0, 0 },
};

static void choose(struct event_layout *layout, const char *text)
{
	char **words = cli_list("--columns", text, ",");
	unsigned int i;

	for (i = 0; words[i]; i++) {
		if (i == COLUMNS)
			cli_usage("--columns: more than %d columns", COLUMNS);
		layout->list[layout->count++] = (enum column)cli_choice("--columns", words[i], columns,
									sizeof(*columns));
	}
	free(words);
}

static void choose_by_width(struct event_layout *layout)
{
	unsigned int i;

	for (i = 0; i < COLUMNS; i++)
		if ((i != COLUMN_CPU || layout->width >= WIDE) &&
		    ((i != COLUMN_PROVIDER && i != COLUMN_LEVEL) || layout->width >= USUAL))
			layout->list[layout->count++] = (enum column)i;
}

struct event_layout *event_layout_new(unsigned int width, const char *text)
{
	struct event_layout *layout = cli_calloc(1, sizeof(*layout));
	unsigned int i;

	layout->width = width;
	if (text)
		choose(layout, text);
	else
		choose_by_width(layout);
	for (i = 0; i < COLUMNS && width >= USUAL; i++)
		layout->widest[i] = columns[i].usual;
	return layout;
}

void event_layout_free(struct event_layout *layout)
{
	if (layout)
		etw_text_free(&layout->folded);
	free(layout);
}

/* ----------------------------------------------------------------------- time */

/* A line with the day and the zone of the event's time, if they have changed. */
static void put_day(struct event_printer *printer)
{
	struct event_layout *layout = printer->layout;
	struct etw_text *to = &printer->out;
	const size_t at = to->len;
	char day[sizeof(layout->day)];

	event_add_time(printer, to);
	text_check(to);
	strcpy(day, layout->day);
	if (has_date(to->data + at, to->len - at)) {
		memcpy(day, to->data + at, DAY);
		strcpy(day + DAY, printer->time == EVENT_TIME_UTC ? " UTC" : "");
		if (printer->time == EVENT_TIME_LOCAL)
			snprintf(day + DAY, sizeof(day) - DAY, " %.6s", to->data + at + DAY + 17);
	}
	etw_text_cut(to, at);
	if (!strcmp(day, layout->day))
		return;
	strcpy(layout->day, day);
	event_paint(printer, EVENT_FAINT);
	etw_text_puts(to, day);
	event_paint(printer, EVENT_PLAIN);
	etw_text_char(to, '\n');
}

/* ---------------------------------------------------------------------- columns */

static const char *colour_of(const struct event_printer *printer, enum column column)
{
	const uint8_t level = event_header(printer)->desc.level;

	switch (column) {
	case COLUMN_TIME:
		return EVENT_FAINT;
	case COLUMN_PROVIDER:
		return EVENT_CYAN;
	case COLUMN_EVENT:
		return EVENT_BOLD;
	case COLUMN_LEVEL:
		return event_level_colour(level);
	case COLUMN_FIELDS:
		return event_value_colour(level);
	default:
		return "";
	}
}

/* Columns of a text with sequences that set colours, which begin with ESC and end with m */
static size_t width_of(const char *s, size_t len)
{
	size_t columns = 0, i;

	for (i = 0; i < len; i++) {
		if (s[i] == '\033')
			while (i + 1 < len && s[i] != 'm')
				i++;
		else
			columns += ((unsigned char)s[i] & 0xC0) != 0x80;
	}
	return columns;
}

static void put_column(struct event_printer *printer, enum column column, bool last)
{
	struct event_layout *layout = printer->layout;
	const char *colour = colour_of(printer, column);
	struct etw_text *to = &printer->out;
	size_t at = to->len, columns_used;

	event_paint(printer, colour);
	columns[column].add(printer, to);
	text_check(to);
	columns_used = width_of(to->data + at, to->len - at);
	if (*colour)
		event_paint(printer, EVENT_PLAIN);
	if (last)
		return;
	if (columns_used > layout->widest[column])
		layout->widest[column] = (unsigned int)(columns_used < columns[column].most ?
							columns_used : columns[column].most);
	do
		etw_text_char(to, ' ');
	while (columns_used++ < layout->widest[column]);
}

/* ------------------------------------------------------------------------- fold */

/* The end of the word at s: up to a blank that is neither in a string nor in brackets. */
static size_t word_end(const char *s, size_t len)
{
	bool quoted = false;
	size_t i, depth = 0;
	char before = '\0';	/* as the eye sees it */

	for (i = 0; i < len; i++) {
		if (s[i] == '\033') {
			while (i + 1 < len && s[i] != 'm')
				i++;
			continue;
		}
		if (quoted && s[i] == '\\') {
			i++;
		} else if (s[i] == '"') {
			quoted = !quoted;
		} else if (!quoted && strchr("[{", s[i]) && (depth || before == '=')) {
			depth++;	/* a value; names may have brackets of any kind */
		} else if (!quoted && depth && strchr("]}", s[i])) {
			depth--;
		} else if (!quoted && !depth && s[i] == ' ') {
			break;
		}
		before = s[i];
	}
	return i < len ? i : len;
}

/* Remove the blanks at the end of a text, but not before `from`. */
static void cut_blanks(struct etw_text *text, size_t from)
{
	while (text->len > from && text->data[text->len - 1] == ' ')
		etw_text_cut(text, text->len - 1);
}

/* Continue in further lines what is too wide for the terminal, from fields on. */
static void fold(struct event_layout *layout, struct etw_text *to, size_t start, size_t fields)
{
	size_t used = width_of(to->data + start, fields - start), at = fields, len, wide;
	struct etw_text *folded = &layout->folded;

	if (used + width_of(to->data + fields, to->len - fields) <= layout->width)
		return;
	if (used > layout->width) {
		at = fields = start;
		used = 0;
	}
	folded->len = 0;
	while (at < to->len) {
		len = word_end(to->data + at, to->len - at);
		wide = width_of(to->data + at, len);
		if (wide && used + wide > layout->width && used > INDENT) {
			cut_blanks(folded, 0);
			while (!folded->len && fields > start && to->data[fields - 1] == ' ')
				fields--;
			etw_text_add(folded, "\n        ", 1 + INDENT);
			used = INDENT;
		}
		etw_text_add(folded, to->data + at, len);
		used += wide + 1;
		at += len;
		if (at < to->len)
			etw_text_char(folded, ' ');
		at++;
	}
	text_check(folded);
	etw_text_cut(to, fields);
	etw_text_add(to, folded->data, folded->len);
}

static bool has_time(const struct event_layout *layout)
{
	unsigned int i = 0;

	while (i < layout->count && layout->list[i] != COLUMN_TIME)
		i++;
	return i < layout->count;
}

void event_print_layout(struct event_printer *printer, const struct etw_event *event)
{
	struct event_layout *layout = printer->layout;
	struct etw_text *to = &printer->out;
	size_t start, fields = 0;
	unsigned int i;

	event_begin(printer, event);
	if (layout->width && has_time(layout))
		put_day(printer);
	start = to->len;
	event_add_place(printer, to);
	for (i = 0; i < layout->count; i++) {
		if (!columns[layout->list[i]].most && !fields)
			fields = to->len;
		put_column(printer, layout->list[i], i + 1 == layout->count);
	}
	text_check(to);
	cut_blanks(to, start);
	if (layout->width && fields && fields < to->len)
		fold(layout, to, start, fields);
	if (printer->symbols)
		event_add_stacks(printer, to);
	event_end(printer);
}

/* ------------------------------------------------------------------- log files */

/* EventTraceGuid, whose event 0 is the header */
static const struct etw_guid trace_guid = ETW_GUID(0x68fdd900, 0x4a3e, 0x11d1, 0x84, 0xf4, 0x00, 0x00,
						   0xf8, 0x04, 0x64, 0xe3);

bool event_is_file_header(const struct etw_event *event)
{
	const struct etw_event_header *header = event->record.header;

	return guid_equal(&header->provider, &trace_guid) && !header->desc.opcode;
}

void event_print_file(struct event_printer *printer, const struct etw_event *event,
		      const char *path, struct etw_etl_file *file)
{
	const TRACE_LOGFILE_HEADER *header = &etw_etl_info(file)->header;
	const char *name = strrchr(path, '/');
	struct etw_text *to = &printer->out;
	const size_t start = to->len;

	event_begin(printer, event);
	name = name && name[1] ? name + 1 : path;
	event_paint(printer, EVENT_FAINT);
	etw_text_escape(to, name, strlen(name));
	etw_text_printf(to, ": %u CPU%s, %u buffer%s of %u KB, ", header->NumberOfProcessors,
			cli_s(header->NumberOfProcessors), header->BuffersWritten,
			cli_s(header->BuffersWritten), header->BufferSize / 1024);
	clock_seconds(to, (int64_t)((uint64_t)etw_etl_end_time(file) -
				    (uint64_t)header->StartTime.QuadPart));
	etw_text_cut(to, to->len - DECIMALS_NARROW);
	etw_text_puts(to, etw_etl_cut_off(file) ? " s, not closed" : " s");
	if (header->EventsLost)
		etw_text_printf(to, ", %u event%s lost", header->EventsLost,
				cli_s(header->EventsLost));
	/* Of several files the machines are known, but not which is whose. */
	if (printer->machines.count == 1 && !printer->undescribed) {
		etw_text_puts(to, "; ");
		machine_summary(to, printer->machines.list);
	}
	event_paint(printer, EVENT_PLAIN);
	fold(printer->layout, to, start, start);
	event_end(printer);
}
