/* SPDX-License-Identifier: MIT */
/*
 * json.c - one event as a line of JSON
 *
 * The shape is described in etw-dump(1): document new members there.
 */
#include <string.h>
#include "cli/cli.h"
#include "event.h"
#include "operation.h"
#include "prepared.h"
#include "base/event_mode.h"
#include "base/guid.h"
#include "convert/items.h"
#include "convert/names.h"
#include "base/json_writer.h"
#include "tdh/decode/decoder.h"

/* Parts of a line that events of one kind share */
enum { JSON_IDENTITY, JSON_MODE, JSON_ITEMS, JSON_NAMES };

#define ADD(to, s)	etw_text_add(to, s, sizeof(s) - 1)

/* Only if it is known */
static void put_name(struct etw_text *to, const char *key, const char *name)
{
	if (name && *name)
		json_writer_word(to, key, name);
}

static void put_identity(struct event_printer *printer, struct etw_text *to)
{
	const struct etw_event_header *header = event_header(printer);
	const struct etw_event_descriptor *desc = &header->desc;

	ADD(to, ",\"provider\":\"");
	etw_text_guid(to, &header->provider);
	etw_text_char(to, '"');
	json_writer_word(to, "provider_name", event_provider(printer));
	json_writer_unsigned(to, "id", desc->id);
	json_writer_unsigned(to, "version", desc->version);
	json_writer_unsigned(to, "channel", desc->channel);
	json_writer_unsigned(to, "level", desc->level);
	json_writer_unsigned(to, "opcode", desc->opcode);
	json_writer_unsigned(to, "task", desc->task);
}

/* A member with a number; key: a literal with comma and colon */
#define PUT(at, key, number)	etw_text_digits((char *)memcpy(at, key, sizeof(key) - 1) + \
						sizeof(key) - 1, number)

static void put_place(struct event_printer *printer, struct etw_text *to)
{
	const struct etw_event_header *header = event_header(printer);
	char *at = etw_text_room(to, 3 * (sizeof(",\"pid\":") + ETW_TEXT_DIGITS));

	if (!at)
		return;
	at = PUT(at, ",\"pid\":", header->process_id);
	at = PUT(at, ",\"tid\":", header->thread_id);
	at = PUT(at, ",\"cpu\":", printer->event->cpu);
	etw_text_end(to, at);
}

static void put_mode(struct event_printer *printer, struct etw_text *to)
{
	const struct etw_event_header *header = event_header(printer);

	put_name(to, "mode", etw_event_mode(header->flags));
	json_writer_mask(to, "keyword", header->desc.keyword);
}

static void put_keywords(struct event_printer *printer, struct etw_text *to)
{
	const char *name = etw_decode_keyword(printer->decoder, 0);
	unsigned int i;

	if (!name)
		return;
	json_writer_key(to, "keyword_names");
	etw_text_char(to, '[');
	for (i = 0; name; name = etw_decode_keyword(printer->decoder, ++i)) {
		json_writer_next(to);
		etw_text_json_string(to, name, strlen(name));
	}
	etw_text_char(to, ']');
}

static void put_event(struct event_printer *printer, struct etw_text *to)
{
	const char *opcode;

	printer->scratch.len = 0;
	if (printer->hex || !etw_decoded_name(printer->decoded, &opcode)) {
		json_writer_word(to, "event", NULL);
		return;
	}
	if (printer->operation)
		etw_text_puts(&printer->scratch, etw_decoded_name(printer->decoded, &opcode));
	else
		convert_add_name(printer->decoded, CONVERT_RAW, &printer->scratch);
	json_writer_string(to, "event", printer->scratch.data, printer->scratch.len);
}

/* Names of the descriptor's numbers, and the event's */
static void put_names(struct event_printer *printer, struct etw_text *to)
{
	static const char *const sources[] = {
		[ETW_DECODE_MANIFEST] = "\"manifest\"",
		[ETW_DECODE_CLASSIC] = "\"classic\"",
		[ETW_DECODE_TRACELOGGING] = "\"tracelogging\"",
		[ETW_DECODE_STRING] = "\"string\"",
		[ETW_DECODE_NONE] = NULL,
	};
	const struct etw_event_descriptor *desc = &event_header(printer)->desc;
	const struct etw_decoded *decoded = printer->decoded;
	const char *level = level_name(desc->level), *source;

	/* Our own words need no escapes. */
	if (level) {
		ADD(to, ",\"level_name\":\"");
		etw_text_puts(to, level);
		etw_text_char(to, '"');
	} else {
		put_name(to, "level_name", decoded->level);
	}
	put_name(to, "channel_name", decoded->channel);
	/* The name of task 0 says nothing. */
	put_name(to, "task_name", desc->task ? decoded->task : NULL);
	put_name(to, "opcode_name", decoded->opcode);
	put_keywords(printer, to);
	put_name(to, "attributes", decoded->attributes);
	if (decoded->tags)
		json_writer_mask(to, "tags", decoded->tags);
	source = printer->known ? sources[decoded->source] : NULL;
	ADD(to, ",\"schema\":");
	etw_text_puts(to, source ? source : "null");
	put_event(printer, to);
}

static void put_message(struct event_printer *printer, struct etw_text *to)
{
	struct etw_text *message = &printer->scratch;

	message->len = 0;
	if (etw_format_message(message, printer->decoder))
		json_writer_string(to, "message", message->data, message->len);
}

static void put_payload(struct event_printer *printer, struct etw_text *to)
{
	const struct etw_record_view *record = &printer->event->record;
	const void *rest;
	size_t left;
	int err;

	if (!printer->known) {
		json_writer_hex(to, "data", record->data, record->data_len);
		return;
	}
	ADD(to, ",\"fields\":");
	err = etw_format_json(to, printer->decoder);
	if (err)
		json_writer_flag(to, "truncated", true);
	rest = etw_decode_rest(printer->decoder, &left);
	if (left)
		json_writer_hex(to, "rest", rest, left);
	put_message(printer, to);
}

static void put_source(struct event_printer *printer, struct etw_text *to)
{
	const struct etw_event_header *header = event_header(printer);
	struct etw_process process = { .name = NULL };

	if (event_find_process(printer, &process)) {
		put_name(to, "process_name", process.name);
		put_name(to, "process_path", process.path);
	}
	put_name(to, "thread_name", event_thread_own(printer, process.name));
	if (!etw_guid_is_zero(&header->activity))
		json_writer_guid(to, "activity", &header->activity);
	if (!printer->event->record.ext_len)
		return;
	if (event_has_own_items(printer))
		items_json(to, &printer->event->record,
			   ITEMS_SCHEMA | (printer->symbols ? ITEMS_NO_STACK : 0));
	else
		event_put_part(printer, JSON_ITEMS);
	if (printer->symbols)
		event_put_stacks(printer, to);
}

static void put_shared_items(struct event_printer *printer, struct etw_text *to)
{
	items_json(to, &printer->event->record, ITEMS_SCHEMA | ITEMS_SHARED);
}

static void put_around(struct event_printer *printer, struct etw_text *to)
{
	json_writer_open(to, "around", '{');
	json_writer_unsigned(to, "operation", printer->around);
	if (printer->place != EVENT_BESIDE)
		json_writer_word(to, "is", printer->place == EVENT_STARTS ? "start" : "stop");
	json_writer_close(to, '}');
}

static event_part_fn *const json_parts[ETW_PREPARED] = {
	[JSON_IDENTITY] = put_identity, [JSON_MODE] = put_mode, [JSON_ITEMS] = put_shared_items,
	[JSON_NAMES] = put_names,
};

void event_print_json(struct event_printer *printer, const struct etw_event *event)
{
	const struct etw_event_header *header = event->record.header;
	struct etw_text *to = &printer->out;

	event_begin(printer, event);
	event_prepare(printer, json_parts);
	ADD(to, "{\"time\":\"");
	etw_text_time_near(to, (uint64_t)event->time, &printer->second);
	ADD(to, "\",\"timestamp\":");
	etw_text_signed(to, header->timestamp);
	event_put_part(printer, JSON_IDENTITY);
	put_place(printer, to);
	event_put_part(printer, JSON_MODE);
	put_source(printer, to);
	event_put_part(printer, JSON_NAMES);
	put_payload(printer, to);
	if (printer->is_loss)
		event_put_loss(printer, to);
	if (printer->operation)
		operation_put(printer, to);
	if (printer->around)
		put_around(printer, to);
	etw_text_char(to, '}');
	event_end(printer);
}
