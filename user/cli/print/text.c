/* SPDX-License-Identifier: MIT */
/*
 * text.c - one event as a line of text
 *
 *	time [cpu] process-pid/tid provider event level name=value... item=value...
 */
#include <string.h>
#include "cli/cli.h"
#include "clock.h"
#include "event.h"
#include "operation.h"
#include "prepared.h"
#include "convert/items.h"
#include "convert/names.h"
#include "base/guid.h"
#include "tdh/decode/decoder.h"

/* Parts of a line that events of one kind share */
enum { TEXT_NAMES, TEXT_ITEMS };

/* No text of an event may reach a terminal unescaped: see etw_text_escape(). */
static void add_foreign(struct etw_text *to, const char *s)
{
	etw_text_escape(to, s, strlen(s));
}

/* Any time is possible, so avoid signed overflow. */
static int64_t between(int64_t from, int64_t to)
{
	return (int64_t)((uint64_t)to - (uint64_t)from);
}

void event_add_time(struct event_printer *printer, struct etw_text *to)
{
	int64_t time = printer->event->time;

	switch (printer->time) {
	case EVENT_TIME_LOCAL:
		clock_local(to, time);
		break;
	case EVENT_TIME_UTC:
		etw_text_time_near(to, (uint64_t)time, &printer->second);
		break;
	case EVENT_TIME_RELATIVE:
		clock_seconds(to, between(printer->first, time));
		break;
	case EVENT_TIME_DELTA:
		clock_seconds(to, between(printer->before, time));
		break;
	case EVENT_TIME_RAW:
		etw_text_unsigned(to, (uint64_t)event_header(printer)->timestamp, 1);
		break;
	}
}

void event_add_provider(struct event_printer *printer, struct etw_text *to)
{
	const char *name = event_provider(printer);

	if (name)
		add_foreign(to, name);
	else
		etw_text_guid(to, &event_header(printer)->provider);
}

void event_add_name(struct event_printer *printer, struct etw_text *to)
{
	const char *name, *opcode;

	name = printer->operation ? etw_decoded_name(printer->decoded, &opcode) : NULL;
	if (name)
		add_foreign(to, name);
	else
		convert_add_name(printer->decoded, CONVERT_ESCAPED, to);
}

void event_add_level(struct event_printer *printer, struct etw_text *to)
{
	const uint8_t level = event_header(printer)->desc.level;
	const char *name = level_name(level);

	if (name)
		etw_text_puts(to, name);
	else if (event_level(printer))
		add_foreign(to, event_level(printer));
	else
		etw_text_unsigned(to, level, 1);
}

/* A blank and the fields, or the bytes of an event without a schema */
void event_add_payload(struct event_printer *printer, struct etw_text *to)
{
	const struct etw_record_view *record = &printer->event->record;
	size_t before = to->len;

	etw_text_char(to, ' ');
	if (!printer->hex) {
		etw_format_fields(to, printer->decoder, printer->colour ? ETW_FORMAT_DIM : 0);
	} else if (record->data_len) {
		etw_text_puts(to, "data=");
		etw_text_hex(to, record->data, record->data_len);
	}
	if (to->len == before + 1)
		etw_text_cut(to, before);
}

/* false: it has no message, and nothing was added. */
bool event_add_message(struct event_printer *printer, struct etw_text *to)
{
	struct etw_text *message = &printer->scratch;

	if (printer->is_loss) {
		event_add_loss(printer, to);
		return true;
	}
	message->len = 0;
	if (printer->hex || !etw_format_message(message, printer->decoder))
		return false;
	etw_text_safe(to, message->data, message->len);
	return true;
}

static void add_said(struct event_printer *printer, struct etw_text *to)
{
	if (!printer->message && !printer->is_loss) {
		event_add_payload(printer, to);
		return;
	}
	etw_text_char(to, ' ');
	if (!event_add_message(printer, to)) {
		etw_text_cut(to, to->len - 1);
		event_add_payload(printer, to);
	}
}

void event_add_body(struct event_printer *printer, struct etw_text *to)
{
	if (printer->operation) {
		etw_text_char(to, ' ');
		operation_add_duration(printer, to);
	}
	add_said(printer, to);
	if (printer->operation)
		operation_add_fields(printer, to);
}

/* A schema in the event itself is not shown: the fields are. */
static unsigned int item_flags(const struct event_printer *printer)
{
	return (printer->decoded->source != ETW_DECODE_TRACELOGGING ? ITEMS_SCHEMA : 0) |
	       (printer->symbols ? ITEMS_NO_STACK : 0);
}

void event_add_items(struct event_printer *printer, struct etw_text *to)
{
	const struct etw_event_header *header = event_header(printer);

	if (!etw_guid_is_zero(&header->activity)) {
		etw_text_puts(to, " activity=");
		etw_text_guid(to, &header->activity);
	}
	if (!printer->event->record.ext_len)
		return;
	if (event_has_own_items(printer))
		items_text(to, &printer->event->record, item_flags(printer));
	else
		event_put_part(printer, TEXT_ITEMS);
}

/* ---------------------------------------------------------------------- line */

/* NAME-ID, or the id alone; and a character after it, unless that is NUL */
static void add_id(struct etw_text *to, const char *name, uint32_t id, char after)
{
	char *at;

	if (name) {
		add_foreign(to, name);
		etw_text_char(to, '-');
	}
	at = etw_text_room(to, ETW_TEXT_DIGITS + 1);
	if (!at)
		return;
	at = etw_text_digits(at, id);
	*at = after;
	etw_text_end(to, at + (after != '\0'));
}

void event_add_source(struct event_printer *printer, struct etw_text *to)
{
	const struct etw_event_header *header = event_header(printer);
	const char *process = event_process(printer);

	add_id(to, process, header->process_id, '/');
	add_id(to, event_thread_own(printer, process), header->thread_id, '\0');
}

static void add_origin(struct event_printer *printer)
{
	const unsigned int cpu = printer->event->cpu;
	struct etw_text *to = &printer->out;
	char *at = etw_text_room(to, 3 + ETW_TEXT_DIGITS + 2);

	if (!at)
		return;
	memcpy(at, " [00", 4);
	at = etw_text_digits(at + 2 + (cpu < 100) + (cpu < 10), cpu);
	memcpy(at, "] ", 2);
	etw_text_end(to, at + 2);
	event_add_source(printer, to);
	etw_text_char(to, ' ');
}

const char *event_value_colour(uint8_t level)
{
	switch (level) {
	case 1:
	case 2:
		return EVENT_RED;
	case 3:
		return EVENT_YELLOW;
	default:
		return "";
	}
}

const char *event_level_colour(uint8_t level)
{
	return level == 5 ? EVENT_FAINT : event_value_colour(level);
}

static void add_names(struct event_printer *printer, struct etw_text *to)
{
	event_paint(printer, EVENT_CYAN);
	event_add_provider(printer, to);
	event_paint(printer, EVENT_PLAIN);
	etw_text_char(to, ' ');
	event_paint(printer, EVENT_BOLD);
	event_add_name(printer, to);
	event_paint(printer, EVENT_PLAIN);
	etw_text_char(to, ' ');
	event_paint(printer, event_level_colour(event_header(printer)->desc.level));
	event_add_level(printer, to);
	event_paint(printer, EVENT_PLAIN);
}

static void add_shared_items(struct event_printer *printer, struct etw_text *to)
{
	items_text(to, &printer->event->record, item_flags(printer) | ITEMS_SHARED);
}

static event_part_fn *const text_parts[] = {
	[TEXT_NAMES] = add_names, [TEXT_ITEMS] = add_shared_items, NULL
};

void event_add_place(struct event_printer *printer, struct etw_text *to)
{
	static const char *const places[] = {
		[EVENT_BESIDE] = "  ", [EVENT_STARTS] = "> ", [EVENT_STOPS] = "< ",
	};

	if (printer->around)
		etw_text_puts(to, places[printer->place]);
}

void event_print_text(struct event_printer *printer, const struct etw_event *event)
{
	struct etw_text *to = &printer->out;
	const char *colour;

	event_begin(printer, event);
	event_prepare(printer, text_parts);
	event_add_place(printer, to);
	event_paint(printer, EVENT_FAINT);
	event_add_time(printer, to);
	event_paint(printer, EVENT_PLAIN);
	add_origin(printer);
	event_put_part(printer, TEXT_NAMES);
	colour = event_value_colour(event_header(printer)->desc.level);
	event_paint(printer, colour);
	event_add_body(printer, to);
	if (*colour)
		event_paint(printer, EVENT_PLAIN);
	event_add_items(printer, to);
	if (printer->symbols)
		event_add_stacks(printer, to);
	event_end(printer);
}
