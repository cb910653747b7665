/* SPDX-License-Identifier: MIT */
/*
 * event_json.c - one event as a line of JSON
 */
#include <string.h>
#include "cli.h"
#include "event.h"
#include "items.h"
#include "json.h"
#include "lib/guid.h"

static void put_value(struct json_object *to, const struct value *value,
		      const struct decoded *decoded)
{
	switch (value->kind) {
	case VALUE_UNSIGNED:
		json_unsigned(to, value->name, value->u);
		break;
	case VALUE_SIGNED:
		json_signed(to, value->name, value->i);
		break;
	case VALUE_HEX:
		json_mask(to, value->name, value->u);
		break;
	case VALUE_WORD:
		json_word(to, value->name, value->word);
		break;
	case VALUE_GUID:
		json_guid(to, value->name, &value->guid);
		break;
	case VALUE_STRING:
		json_string(to, value->name,
			    decoded->strings.data + value->string.at,
			    value->string.len);
		break;
	}
}

static void put_hex(struct json_object *to, const char *key,
		    const struct decoded *decoded, struct text *scratch)
{
	scratch->len = 0;
	text_hex(scratch, decoded->rest, decoded->rest_len);
	json_word(to, key, scratch->data);
}

static void put_payload(struct json_object *to, struct event_printer *printer)
{
	const struct decoded *decoded = &printer->decoded;
	struct json_object *fields;
	unsigned int i;

	if (!decoded->event) {
		put_hex(to, "data", decoded, &printer->line);
		return;
	}
	fields = json_new();
	for (i = 0; i < decoded->count; i++)
		put_value(fields, &decoded->values[i], decoded);
	json_put(to, "fields", fields);
	if (decoded->rest_len)
		put_hex(to, "rest", decoded, &printer->line);
}

static void put_descriptor(struct json_object *to,
			   const struct etw_event_descriptor *desc)
{
	json_unsigned(to, "id", desc->id);
	json_unsigned(to, "version", desc->version);
	json_unsigned(to, "channel", desc->channel);
	json_unsigned(to, "level", desc->level);
	json_unsigned(to, "opcode", desc->opcode);
	json_unsigned(to, "task", desc->task);
	json_mask(to, "keyword", desc->keyword);
}

void event_print_json(struct event_printer *printer,
		      const struct etw_rt_event *event)
{
	const struct etw_event_header *header = event->record.header;
	const char *name = names_get(printer->names, &header->provider);
	struct json_object *o = json_new();

	decode_event(&event->record, printer->raw, &printer->decoded);
	json_time(o, "time", event->time);
	json_signed(o, "timestamp", header->timestamp);
	json_guid(o, "provider", &header->provider);
	if (name)
		json_string(o, "provider_name", name, strlen(name));
	else
		json_word(o, "provider_name", NULL);
	put_descriptor(o, &header->desc);
	json_unsigned(o, "pid", header->process_id);
	json_unsigned(o, "tid", header->thread_id);
	json_unsigned(o, "cpu", event->cpu);
	if (!etw_guid_is_zero(&header->activity))
		json_guid(o, "activity", &header->activity);
	items_json(o, &event->record);
	json_word(o, "event", printer->decoded.event);
	put_payload(o, printer);
	json_print(o);
}
