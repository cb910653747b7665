/* SPDX-License-Identifier: MIT */
/*
 * event_text.c - one event as a line of text
 *
 *	time [cpu] pid/tid provider event level name=value... item=value...
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli.h"
#include "clock.h"
#include "event.h"
#include "items.h"
#include "lib/guid.h"

static void add_value(struct text *line, const struct value *value,
		      const struct decoded *decoded)
{
	switch (value->kind) {
	case VALUE_UNSIGNED:
		text_unsigned(line, value->u, 1);
		break;
	case VALUE_SIGNED:
		text_printf(line, "%" PRId64, value->i);
		break;
	case VALUE_HEX:
		text_printf(line, "0x%" PRIx64, value->u);
		break;
	case VALUE_WORD:
		text_puts(line, value->word);
		break;
	case VALUE_GUID:
		text_guid(line, &value->guid);
		break;
	case VALUE_STRING:
		text_add(line, "\"", 1);
		text_escape(line, decoded->strings.data + value->string.at,
			    value->string.len);
		text_add(line, "\"", 1);
		break;
	}
}

static void add_payload(struct text *line, const struct decoded *decoded)
{
	unsigned int i;

	for (i = 0; i < decoded->count; i++) {
		text_add(line, " ", 1);
		text_puts(line, decoded->values[i].name);
		text_add(line, "=", 1);
		add_value(line, &decoded->values[i], decoded);
	}
	if (decoded->rest_len) {
		text_puts(line, decoded->count ? " rest=" : " data=");
		text_hex(line, decoded->rest, decoded->rest_len);
	}
}

static void add_source(struct text *line, const struct etw_rt_event *event)
{
	const struct etw_event_header *header = event->record.header;

	text_add(line, " [", 2);
	text_unsigned(line, event->cpu, 3);
	text_add(line, "] ", 2);
	text_unsigned(line, header->process_id, 1);
	text_add(line, "/", 1);
	text_unsigned(line, header->thread_id, 1);
	text_add(line, " ", 1);
}

static void add_names(struct text *line, struct event_printer *printer,
		      const struct etw_event_header *header)
{
	const char *provider = names_get(printer->names, &header->provider);
	const char *level = level_name(header->desc.level);

	if (provider)
		text_escape(line, provider, strlen(provider));
	else
		text_guid(line, &header->provider);
	text_add(line, " ", 1);
	if (printer->decoded.event)
		text_puts(line, printer->decoded.event);
	else if (header->flags & ETW_EVENT_CLASSIC_HEADER)
		text_printf(line, "type(%u)", header->desc.opcode);
	else if (header->flags & ETW_EVENT_TRACE_MESSAGE)
		text_printf(line, "message(%u)", header->desc.id);
	else
		text_printf(line, "event(%u)", header->desc.id);
	text_add(line, " ", 1);
	if (level)
		text_puts(line, level);
	else
		text_unsigned(line, header->desc.level, 1);
}

static void add_items(struct text *line, const struct etw_record_view *record)
{
	if (!etw_guid_is_zero(&record->header->activity)) {
		text_puts(line, " activity=");
		text_guid(line, &record->header->activity);
	}
	items_text(line, record);
}

void event_print_text(struct event_printer *printer,
		      const struct etw_rt_event *event)
{
	const struct etw_event_header *header = event->record.header;
	struct text *line = &printer->line;

	line->len = 0;
	decode_event(&event->record, printer->raw, &printer->decoded);
	if (printer->raw)
		text_unsigned(line, (uint64_t)header->timestamp, 1);
	else
		clock_local(line, event->time);
	add_source(line, event);
	add_names(line, printer, header);
	add_payload(line, &printer->decoded);
	add_items(line, &event->record);
	text_add(line, "\n", 1);
	fwrite(line->data, 1, line->len, stdout);
}
