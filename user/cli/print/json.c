/* SPDX-License-Identifier: MIT */
/*
 * json.c - one event as a line of JSON
 *
 * The shape is described in etw-dump(1): document new members there.
 */
#include <string.h>
#include "cli/cli.h"
#include "digits.h"
#include "event.h"
#include "convert/items.h"
#include "base/json_writer.h"

/*
 * What every event has: constants and numbers, behind what is there.  to has room for
 * them; where it goes on.
 */
#define LITERAL(to, s)	((char *)memcpy(to, s, sizeof(s) - 1) + sizeof(s) - 1)

#define NUMBERS_MAX	256	/* bytes of what put_numbers() writes */

static void put_numbers(struct event_printer *printer, struct etw_text *to)
{
	const struct etw_event_header *header = event_header(printer);
	const struct etw_event_descriptor *desc = &header->desc;
	char *at = etw_text_room(to, NUMBERS_MAX);

	if (!at)
		return;
	at = digits_put(LITERAL(at, ",\"id\":"), desc->id);
	at = digits_put(LITERAL(at, ",\"version\":"), desc->version);
	at = digits_put(LITERAL(at, ",\"channel\":"), desc->channel);
	at = digits_put(LITERAL(at, ",\"level\":"), desc->level);
	at = digits_put(LITERAL(at, ",\"opcode\":"), desc->opcode);
	at = digits_put(LITERAL(at, ",\"task\":"), desc->task);
	at = digits_put(LITERAL(at, ",\"pid\":"), header->process_id);
	at = digits_put(LITERAL(at, ",\"tid\":"), header->thread_id);
	at = digits_put(LITERAL(at, ",\"cpu\":"), printer->event->cpu);
	at = LITERAL(at, ",\"keyword\":\"");
	etw_text_end(to, at);
	etw_text_0x(to, desc->keyword);
	etw_text_char(to, '"');
}

#define ADD(to, s)	etw_text_add(to, s, sizeof(s) - 1)

/* Where it is known. */
static void put_name(struct etw_text *to, const char *key, const char *name)
{
	if (name && *name)
		json_writer_word(to, key, name);
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

/* What the numbers of the descriptor are called. */
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

	/* Our own words need no look at what is in them. */
	if (level) {
		ADD(to, ",\"level_name\":\"");
		etw_text_puts(to, level);
		etw_text_char(to, '"');
	} else {
		put_name(to, "level_name", decoded->level);
	}
	put_name(to, "channel_name", decoded->channel);
	/* What 0 is called says nothing. */
	put_name(to, "task_name", desc->task ? decoded->task : NULL);
	put_name(to, "opcode_name", decoded->opcode);
	put_keywords(printer, to);
	put_name(to, "attributes", decoded->attributes);
	if (decoded->tags)
		json_writer_mask(to, "tags", decoded->tags);
	source = printer->known ? sources[decoded->source] : NULL;
	ADD(to, ",\"schema\":");
	etw_text_puts(to, source ? source : "null");
}

static void put_bytes(struct etw_text *to, const char *key, const void *data, size_t len)
{
	json_writer_key(to, key);
	etw_text_char(to, '"');
	etw_text_hex(to, data, len);
	etw_text_char(to, '"');
}

static void put_message(struct event_printer *printer, struct etw_text *to)
{
	struct etw_text *message = &printer->scratch;

	message->len = 0;
	if (etw_format_message(message, printer->decoder))
		json_writer_string(to, "message", message->data, message->len);
}

static void put_event(struct event_printer *printer, struct etw_text *to)
{
	const char *opcode, *name = event_name(printer, &opcode);
	struct etw_text *both = &printer->scratch;

	ADD(to, ",\"event\":");
	if (!name || printer->hex) {
		ADD(to, "null");
	} else if (!opcode) {
		etw_text_json_string(to, name, strlen(name));
	} else {
		both->len = 0;
		etw_text_puts(both, name);
		etw_text_char(both, '/');
		etw_text_puts(both, opcode);
		etw_text_json_string(to, both->data, both->len);
	}
}

static void put_payload(struct event_printer *printer, struct etw_text *to)
{
	const struct etw_record_view *record = &printer->event->record;
	const void *rest;
	size_t left;
	int err;

	put_event(printer, to);
	if (!printer->known) {
		put_bytes(to, "data", record->data, record->data_len);
		return;
	}
	ADD(to, ",\"fields\":");
	err = etw_format_json(to, printer->decoder);
	if (err)
		json_writer_flag(to, "truncated", true);
	rest = etw_decode_rest(printer->decoder, &left);
	if (left)
		put_bytes(to, "rest", rest, left);
	put_message(printer, to);
}

static void put_source(struct event_printer *printer, struct etw_text *to)
{
	const struct etw_event_header *header = event_header(printer);

	static const struct etw_guid none;
	const char *process = event_process(printer);

	put_name(to, "process_name", process);
	put_name(to, "thread_name", event_thread_own(printer, process));
	if (memcmp(&header->activity, &none, sizeof(none)))
		json_writer_guid(to, "activity", &header->activity);
	if (printer->event->record.ext_len)
		items_json(to, &printer->event->record, true);
}

void event_print_json(struct event_printer *printer, const struct etw_event *event)
{
	const struct etw_event_header *header = event->record.header;
	struct etw_text *to = &printer->out;

	event_begin(printer, event);
	ADD(to, "{\"time\":\"");
	etw_text_time(to, (uint64_t)event->time);
	ADD(to, "\",\"timestamp\":");
	etw_text_signed(to, header->timestamp);
	ADD(to, ",\"provider\":\"");
	etw_text_guid(to, &header->provider);
	etw_text_char(to, '"');
	json_writer_word(to, "provider_name", event_provider(printer));
	put_numbers(printer, to);
	put_source(printer, to);
	put_names(printer, to);
	put_payload(printer, to);
	etw_text_char(to, '}');
	event_end(printer);
}
