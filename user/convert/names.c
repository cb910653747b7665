/* SPDX-License-Identifier: MIT */
/*
 * names.c - the name of an event, and one of its fields by name
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "names.h"
#include "base/text.h"
#include "tdh/decode/decoder.h"

static void add_string(struct etw_text *to, const char *s, enum convert_string how)
{
	if (how == CONVERT_RAW)
		etw_text_puts(to, s);
	else
		etw_text_escape(to, s, strlen(s));
}

void convert_add_name(const struct etw_decoded *decoded, enum convert_string how,
		      struct etw_text *to)
{
	const EVENT_HEADER *header = &decoded->record->EventHeader;
	const char *opcode, *name = etw_decoded_name(decoded, &opcode);

	if (name) {
		add_string(to, name, how);
		if (opcode) {
			etw_text_char(to, '/');
			add_string(to, opcode, how);
		}
		return;
	}
	if (header->Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER)
		etw_text_printf(to, "type(%u)", header->EventDescriptor.Opcode);
	else if (header->Flags & EVENT_HEADER_FLAG_TRACE_MESSAGE)
		etw_text_printf(to, "message(%u)", header->EventDescriptor.Id);
	else
		etw_text_printf(to, "event(%u)", header->EventDescriptor.Id);
}

void convert_add_provider(const struct convert_event *e, struct etw_text *to)
{
	if (e->decoded->provider && *e->decoded->provider)
		etw_text_puts(to, e->decoded->provider);
	else
		etw_text_guid(to, &e->record->EventHeader.ProviderId);
}

const GUID *convert_related(const EVENT_RECORD *record)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item = record->ExtendedData;
	unsigned int i;

	for (i = 0; i < record->ExtendedDataCount; i++)
		if (item[i].ExtType == EVENT_HEADER_EXT_TYPE_RELATED_ACTIVITYID &&
		    item[i].DataSize >= sizeof(GUID))
			return (const GUID *)(uintptr_t)item[i].DataPtr;
	return NULL;
}

/* ---------------------------------------------------------------------- fields */

static bool is_end(enum etw_field_kind kind)
{
	return kind == ETW_FIELD_STRUCT_END || kind == ETW_FIELD_ARRAY_END;
}

static bool is_begin(enum etw_field_kind kind)
{
	return kind == ETW_FIELD_STRUCT_BEGIN || kind == ETW_FIELD_ARRAY_BEGIN;
}

/* Append a value; a string loses its quotes, but stays escaped. */
static void add_value(struct etw_text *to, const struct etw_field *field, enum convert_string how)
{
	size_t before = to->len;

	if (how == CONVERT_RAW) {
		etw_format_value(to, field, ETW_FORMAT_RAW);
		return;
	}
	etw_format_value(to, field, 0);
	if (to->error || to->len < before + 2 || to->data[before] != '"' ||
	    to->data[to->len - 1] != '"')
		return;
	memmove(to->data + before, to->data + before + 1, to->len - before - 2);
	etw_text_cut(to, to->len - 2);
}

/* The structures and arrays around the current field */
struct nest {
	unsigned int depth;
	uint64_t structs;	/* bit 0: the innermost is a structure, not an array */
};

static void enter(struct nest *nest, const struct etw_field *field, struct etw_text *to)
{
	bool is_struct = field->kind == ETW_FIELD_STRUCT_BEGIN;

	nest->depth++;
	nest->structs = nest->structs << 1 | is_struct;
	etw_text_char(to, is_struct ? '{' : '[');
}

static void leave(struct nest *nest, struct etw_text *to)
{
	etw_text_char(to, nest->structs & 1 ? '}' : ']');
	nest->depth--;
	nest->structs >>= 1;
}

/* Append all of a structure or an array. */
static void add_inner(struct etw_decoder *decoder, const struct etw_field *outer,
		      struct etw_text *to)
{
	struct nest nest = { 0, 0 };
	struct etw_field field;

	enter(&nest, outer, to);
	while (nest.depth && etw_decode_next(decoder, &field) == 1) {
		if (is_end(field.kind)) {
			leave(&nest, to);
			continue;
		}
		if (to->len && to->data[to->len - 1] != '{' && to->data[to->len - 1] != '[')
			etw_text_puts(to, nest.structs & 1 ? " " : ", ");
		if (nest.structs & 1) {
			etw_text_escape(to, field.name, strlen(field.name));
			etw_text_char(to, '=');
		}
		if (is_begin(field.kind))
			enter(&nest, &field, to);
		else
			etw_format_value(to, &field, 0);
	}
	/* The event may end too early. */
	while (nest.depth)
		leave(&nest, to);
}

static bool is_named(const struct etw_field *field, const char *name, size_t len)
{
	return strlen(field->name) == len && !memcmp(field->name, name, len);
}

bool convert_add_field(struct etw_decoder *decoder, const char *name, size_t len,
		       enum convert_string how, struct etw_text *to)
{
	struct etw_field field;
	unsigned int depth = 0;

	etw_decode_rewind(decoder);
	while (etw_decode_next(decoder, &field) == 1) {
		size_t own = strlen(field.name);

		/* The structure has ended without such a member. */
		if (field.depth < depth)
			return false;
		if (field.depth > depth || is_end(field.kind))
			continue;
		if (is_named(&field, name, len)) {
			if (is_begin(field.kind))
				add_inner(decoder, &field, to);
			else
				add_value(to, &field, how);
			return true;
		}
		if (field.kind == ETW_FIELD_STRUCT_BEGIN && own < len && name[own] == '.' &&
		    is_named(&field, name, own)) {
			name += own + 1;
			len -= own + 1;
			depth++;
		}
	}
	return false;
}
