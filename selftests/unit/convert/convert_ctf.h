/* SPDX-License-Identifier: MIT */
/*
 * convert_ctf.h - babeltrace2's expected output for a converted event
 *
 * Derived from the decoder's walk, independently of the code under test.
 */
#ifndef ETW_CONVERT_CTF_TEST_H
#define ETW_CONVERT_CTF_TEST_H

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <etw/decode.h>
#include "convert/names.h"
#include "etl/file.h"
#include "base/text.h"

#define FILETIME_1970	116444736000000000LL

/* A string as babeltrace2 quotes it */
__attribute__((__unused__))
static void want_string(struct etw_text *to, const char *s, size_t len)
{
	size_t i;

	etw_text_char(to, '"');
	for (i = 0; i < len; i++) {
		if (!s[i])
			etw_text_puts(to, "\xE2\x90\x80");
		else if (s[i] == '\n')
			etw_text_puts(to, "\\n");
		else if (s[i] == '\r')
			etw_text_puts(to, "\\r");
		else if (s[i] == '\t')
			etw_text_puts(to, "\\t");
		else if (s[i] == '"' || s[i] == '\'' || s[i] == '?' || s[i] == '\\')
			etw_text_printf(to, "\\%c", s[i]);
		else
			etw_text_char(to, s[i]);
	}
	etw_text_char(to, '"');
}

static void want_bytes(struct etw_text *to, const char *name, const uint8_t *data, size_t size)
{
	size_t i;

	etw_text_printf(to, "_%s_length = %zu, %s = [", name, size, name);
	for (i = 0; i < size; i++)
		etw_text_printf(to, "%s [%zu] = 0x%X", i ? "," : "", i, data[i]);
	etw_text_puts(to, " ]");
}

static void want_enum(struct etw_text *to, const char *label, const struct etw_field *field)
{
	etw_text_puts(to, "( ");
	if (label)
		want_string(to, label, strlen(label));
	else
		etw_text_puts(to, "<unknown>");
	if (field->value_kind == ETW_VALUE_SIGNED)
		etw_text_printf(to, " : container = %" PRId64 " )", (int64_t)field->value.i);
	else
		etw_text_printf(to, field->value_kind == ETW_VALUE_HEX ?
				" : container = 0x%" PRIX64 " )" : " : container = %" PRIu64 " )",
				(uint64_t)field->value.u);
}

static void want_value(struct etw_text *to, const struct etw_field *field)
{
	struct etw_text text = { .data = NULL };

	if (field->map && field->value_kind < ETW_VALUE_BOOLEAN) {
		want_enum(to, etw_field_map_name(field->map, (ULONG)field->value.u), field);
		return;
	}
	switch (field->value_kind) {
	case ETW_VALUE_UNSIGNED:
	case ETW_VALUE_PORT:
		etw_text_printf(to, "%" PRIu64, (uint64_t)field->value.u);
		break;
	case ETW_VALUE_SIGNED:
		etw_text_printf(to, "%" PRId64, (int64_t)field->value.i);
		break;
	case ETW_VALUE_HEX:
		etw_text_printf(to, "0x%" PRIX64, (uint64_t)field->value.u);
		break;
	case ETW_VALUE_BOOLEAN:
		want_enum(to, field->value.u ? "true" : "false", field);
		break;
	case ETW_VALUE_ERROR:
		etw_text_printf(to, field->out_type == TDH_OUTTYPE_NTSTATUS ||
				field->out_type == TDH_OUTTYPE_HRESULT ? "0x%" PRIX64 : "%" PRIu64,
				(uint64_t)field->value.u);
		break;
	case ETW_VALUE_FLOAT:
	case ETW_VALUE_DOUBLE:
		etw_text_printf(to, "%g", field->value.f);
		break;
	default:
		etw_format_value(&text, field, ETW_FORMAT_RAW);
		want_string(to, text.len ? text.data : "", text.len);
		etw_text_free(&text);
	}
}

/* Top-level names so far, each with a blank */
static struct etw_text want_names;

/* A name as a TSDL identifier; a duplicate at the top level gets "_2". */
static const char *want_name(const struct etw_field *field)
{
	static char name[512], blank[514];
	const char *s;
	size_t n = 0;

	for (s = field->name; *s && n < sizeof(name) - 8; s++) {
		if ((*s >= '0' && *s <= '9') || (*s >= 'A' && *s <= 'Z') ||
		    (*s >= 'a' && *s <= 'z') || *s == '_')
			name[n++] = *s;
		else
			n += (size_t)sprintf(name + n, "_x%02X", (unsigned char)*s);
	}
	strcpy(name + n, n ? "" : "unnamed");
	snprintf(blank, sizeof(blank), " %s ", name);
	if (!field->depth && strstr(want_names.data, blank)) {
		strcat(name, "_2");
		snprintf(blank, sizeof(blank), " %s ", name);
	}
	if (!field->depth)
		etw_text_puts(&want_names, blank);
	return name;
}

/* Write the separator, and a member's name or an element's index. */
static void want_label(struct etw_text *to, const struct etw_field *field, bool in_array)
{
	char last = to->len > 1 ? to->data[to->len - 2] : 0;
	const char *name;

	if (!(to->len && to->data[to->len - 1] == ' ' && (last == '{' || last == '[')))
		etw_text_puts(to, ", ");
	if (in_array)
		etw_text_printf(to, "[%u] = ", field->index);
	else if (field->kind == ETW_FIELD_ARRAY_BEGIN && (name = want_name(field)))
		etw_text_printf(to, "_%s_length = %u, %s = ", name, field->count, name);
	else if (field->kind == ETW_FIELD_VALUE && (field->value_kind == ETW_VALUE_BINARY ||
						    field->value_kind == ETW_VALUE_NONE))
		return;
	else
		etw_text_printf(to, "%s = ", want_name(field));
}

static void want_field(struct etw_text *to, const struct etw_field *field, bool *in_array)
{
	bool binary = field->value_kind == ETW_VALUE_BINARY || field->value_kind == ETW_VALUE_NONE;

	switch (field->kind) {
	case ETW_FIELD_STRUCT_END:
	case ETW_FIELD_ARRAY_END:
		if (to->data[to->len - 1] != ' ')
			etw_text_char(to, ' ');
		etw_text_char(to, field->kind == ETW_FIELD_STRUCT_END ? '}' : ']');
		return;
	case ETW_FIELD_STRUCT_BEGIN:
	case ETW_FIELD_ARRAY_BEGIN:
		want_label(to, field, in_array[field->depth]);
		etw_text_puts(to, field->kind == ETW_FIELD_STRUCT_BEGIN ? "{ " : "[ ");
		in_array[field->depth + 1] = field->kind == ETW_FIELD_ARRAY_BEGIN;
		return;
	default:
		want_label(to, field, in_array[field->depth]);
		if (!binary) {
			want_value(to, field);
		} else if (in_array[field->depth]) {
			etw_text_puts(to, "{ ");
			want_bytes(to, "data", field->data, field->size);
			etw_text_puts(to, " }");
		} else {
			want_bytes(to, want_name(field), field->data, field->size);
		}
	}
}

/* "{ a = 1, ... }" of the complete fields; *truncated: some are missing. */
static void want_fields(struct etw_text *to, struct etw_decoder *decoder,
			const EVENT_RECORD *record, bool known, bool *truncated)
{
	size_t whole, end = 0, left;
	bool in_array[64] = { false };
	struct etw_field field;
	int ret = 0;

	etw_text_puts(to, "{ ");
	etw_text_cut(&want_names, 0);
	etw_text_char(&want_names, ' ');
	whole = to->len;
	while (known && (ret = etw_decode_next(decoder, &field)) == 1) {
		want_field(to, &field, in_array);
		if (!field.depth && field.kind != ETW_FIELD_STRUCT_BEGIN &&
		    field.kind != ETW_FIELD_ARRAY_BEGIN) {
			whole = to->len;
			end = field.offset + field.length;
		}
	}
	*truncated = ret < 0;
	etw_text_cut(to, whole);
	left = record->UserDataLength - end;
	if (left) {
		if (end)
			etw_text_puts(to, ", ");
		want_bytes(to, end ? "rest" : "data", (const uint8_t *)record->UserData + end, left);
	}
	etw_text_puts(to, to->data[to->len - 1] == ' ' ? "}" : " }");
}

/* The stack, after all fields */
static void want_stack(struct etw_text *to, const EVENT_RECORD *record)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item = NULL;
	size_t i, size = 8, count;

	for (i = 0; i < record->ExtendedDataCount && !item; i++)
		if (record->ExtendedData[i].ExtType == EVENT_HEADER_EXT_TYPE_STACK_TRACE32 ||
		    record->ExtendedData[i].ExtType == EVENT_HEADER_EXT_TYPE_STACK_TRACE64)
			item = &record->ExtendedData[i];
	if (!item || item->DataSize < 8)
		return;
	if (item->ExtType == EVENT_HEADER_EXT_TYPE_STACK_TRACE32)
		size = 4;
	count = (item->DataSize - 8u) / size;
	/* "{ }" or "{ a = 1 }" */
	etw_text_cut(to, to->len - 1);
	if (to->data[to->len - 2] != '{') {
		etw_text_cut(to, to->len - 1);
		etw_text_puts(to, ", ");
	}
	etw_text_printf(to, "_callstack_length = %zu, callstack = [", count);
	for (i = 0; i < count; i++) {
		uint64_t address = 0;

		memcpy(&address, (const char *)(uintptr_t)item->DataPtr + 8 + i * size, size);
		etw_text_printf(to, "%s [%zu] = 0x%" PRIX64, i ? "," : "", i, address);
	}
	etw_text_puts(to, " ] }");
}

/* The line without its provider's enumeration and without its class context */
__attribute__((__unused__))
static void want_line(struct etw_text *to, const struct etw_event *event,
		      const EVENT_RECORD *record, const struct etw_decoded *decoded,
		      struct etw_decoder *decoder, bool known)
{
	const EVENT_HEADER *h = &record->EventHeader;
	const EVENT_DESCRIPTOR *d = &h->EventDescriptor;
	int64_t time = event->time - FILETIME_1970;
	struct etw_text name = { .data = NULL };
	bool truncated;

	etw_text_printf(to, "[%" PRId64 ".%07" PRId64 "%02u] ", time / 10000000,
			time % 10000000, event->nanos);
	if (decoded->provider && *decoded->provider)
		etw_text_puts(to, decoded->provider);
	else
		etw_text_guid(to, &h->ProviderId);
	etw_text_char(to, ':');
	convert_add_name(decoded, CONVERT_RAW, &name);
	etw_text_safe(to, name.data, name.len);
	etw_text_free(&name);
	etw_text_printf(to, ": { cpu_id = %u }, { id = %u, version = %u, channel = %u, level = %u, "
			"opcode = %u, task = %u, keyword = 0x%" PRIX64 ", pid = %u, tid = %u }, ",
			event->cpu, d->Id, d->Version, d->Channel, d->Level, d->Opcode, d->Task,
			(uint64_t)d->Keyword, h->ProcessId, h->ThreadId);
	want_fields(to, decoder, record, known, &truncated);
	want_stack(to, record);
}

/* Remove the same parts from babeltrace2's line. */
__attribute__((__unused__))
static void trim_line(char *line)
{
	char *at = strstr(line, "{ provider = ( "), *end;

	line[strcspn(line, "\n")] = '\0';
	end = at ? strstr(at, " ), id = ") : NULL;
	if (!end)
		return;
	memmove(at + 2, end + 4, strlen(end + 4) + 1);
	/* Three closing braces on: the context of the class, if a fourth follows. */
	at = strstr(at, ", tid = ");
	at = at ? strstr(at, " }, { ") : NULL;
	end = at ? strstr(at + 4, " }, { ") : NULL;
	/* A class context has no structures, and its first member is one of these. */
	if (end && (!strncmp(at + 6, "activity = ", 11) || !strncmp(at + 6, "time = ", 7) ||
		    !strncmp(at + 6, "truncated = ", 12) || !strncmp(at + 6, "related_", 8) ||
		    !strncmp(at + 6, "process_", 8) || !strncmp(at + 6, "sid = ", 6) ||
		    !strncmp(at + 6, "event_key", 9)))
		memmove(at, end, strlen(end) + 1);
}

#endif /* ETW_CONVERT_CTF_TEST_H */
