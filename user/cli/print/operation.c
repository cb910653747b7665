/* SPDX-License-Identifier: MIT */
/*
 * operation.c - what an operation adds to its start event, as text and as JSON
 */
#include <stdlib.h>
#include <string.h>
#include "base/json_writer.h"
#include "cli/cli.h"
#include "convert/names.h"
#include "operation.h"
#include "tdh/decode/decoder.h"

#define NAMES_STEP	64	/* names that a list grows by */

void operation_add_duration(const struct event_printer *printer, struct etw_text *to)
{
	static const struct {
		const char *name;
		uint64_t thousandth;	/* ns */
	} units[] = { { "us", 1 }, { "ms", 1000 }, { "s", 1000000 } };
	const uint64_t ns = printer->operation->ns;
	size_t i = 0;

	if (ns < 1000) {
		etw_text_unsigned(to, ns, 1);
		etw_text_puts(to, "ns");
		return;
	}
	while (i < 2 && ns / units[i].thousandth >= 1000000)
		i++;
	etw_text_unsigned(to, ns / units[i].thousandth / 1000, 1);
	etw_text_char(to, '.');
	etw_text_unsigned(to, ns / units[i].thousandth % 1000, 3);
	etw_text_puts(to, units[i].name);
}

/* A field of the top level as dump prints its value; false: there is none. */
static bool add_named_value(struct etw_decoder *decoder, const char *name, struct etw_text *to)
{
	struct etw_field field;

	etw_decode_rewind(decoder);
	while (etw_decode_next(decoder, &field) == 1) {
		if (field.depth || strcmp(field.name, name))
			continue;
		if (field.kind != ETW_FIELD_VALUE)
			return convert_add_field(decoder, name, strlen(name), CONVERT_ESCAPED, to);
		etw_format_value(to, &field, 0);
		return true;
	}
	return false;
}

/* The names of all fields of the top level; free() the list. */
static size_t list_names(struct etw_decoder *decoder, const char ***names)
{
	struct etw_field field;
	size_t count = 0;

	*names = NULL;
	etw_decode_rewind(decoder);
	while (etw_decode_next(decoder, &field) == 1) {
		if (field.depth || field.kind == ETW_FIELD_STRUCT_END ||
		    field.kind == ETW_FIELD_ARRAY_END)
			continue;
		if (!(count % NAMES_STEP))
			*names = cli_grow(*names, count + NAMES_STEP - 1, sizeof(**names));
		(*names)[count++] = field.name;
	}
	return count;
}

void operation_add_fields(struct event_printer *printer, struct etw_text *to)
{
	const struct operation *operation = printer->operation;
	struct etw_text *own = &printer->scratch;
	const char **names = NULL;
	size_t count, i, before, begin;

	count = operation->known ? list_names(operation->decoder, &names) : 0;
	for (i = 0; i < count; i++) {
		etw_text_cut(own, 0);
		if (printer->known)
			add_named_value(printer->decoder, names[i], own);
		before = to->len;
		etw_text_char(to, ' ');
		etw_text_escape(to, names[i], strlen(names[i]));
		etw_text_char(to, '=');
		begin = to->len;
		add_named_value(operation->decoder, names[i], to);
		if (!to->error && !own->error && own->len && to->len - begin == own->len &&
		    !memcmp(to->data + begin, own->data, own->len))
			etw_text_cut(to, before);
	}
	free(names);
	if (printer->known)
		etw_decode_rewind(printer->decoder);
}

bool operation_add_field(struct event_printer *printer, const char *name, size_t len,
			 struct etw_text *to)
{
	const struct operation *operation = printer->operation;

	return operation->known &&
	       convert_add_field(operation->decoder, name, len, CONVERT_ESCAPED, to);
}

static void put_stop(struct event_printer *printer, struct etw_text *to)
{
	const struct operation *operation = printer->operation;
	const struct etw_event_header *header = operation->stop->record.header;
	const struct etw_record_view *record = &operation->stop->record;
	const char *opcode;

	json_writer_time(to, "time", (uint64_t)operation->stop->time);
	if (etw_decoded_name(operation->decoded, &opcode)) {
		printer->scratch.len = 0;
		convert_add_name(operation->decoded, CONVERT_RAW, &printer->scratch);
		json_writer_string(to, "event", printer->scratch.data, printer->scratch.len);
	} else {
		json_writer_word(to, "event", NULL);
	}
	json_writer_unsigned(to, "pid", header->process_id);
	json_writer_unsigned(to, "tid", header->thread_id);
	json_writer_unsigned(to, "cpu", operation->stop->cpu);
	if (!operation->known) {
		json_writer_hex(to, "data", record->data, record->data_len);
		return;
	}
	json_writer_key(to, "fields");
	etw_decode_rewind(operation->decoder);
	if (etw_format_json(to, operation->decoder))
		json_writer_flag(to, "truncated", true);
}

void operation_put(struct event_printer *printer, struct etw_text *to)
{
	json_writer_unsigned(to, "duration_ns", printer->operation->ns);
	json_writer_open(to, "stop", '{');
	put_stop(printer, to);
	json_writer_close(to, '}');
}
