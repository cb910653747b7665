/* SPDX-License-Identifier: MIT */
/*
 * layout.c - the fields of an event, as --fields gives them
 *
 *	id=7 version=1: u32 Size, u16 Port, str16 File, u8 Count, bin[Count] Data
 *
 * Between brackets stands a number, the name of an earlier field, or * for the
 * rest of the event: how long a string or bin is, of others how many there are.
 */
#include <stdint.h>
#include <string.h>
#include "layout.h"

static const struct type {
	const char *name;
	uint16_t in_type;
	uint16_t rest;		/* with [*]; 0: there is no such thing */
	bool has_length;	/* brackets tell its length, not a number of them */
} types[] = {
	{ "i8", TDH_INTYPE_INT8, 0, false },
	{ "u8", TDH_INTYPE_UINT8, 0, false },
	{ "i16", TDH_INTYPE_INT16, 0, false },
	{ "u16", TDH_INTYPE_UINT16, 0, false },
	{ "i32", TDH_INTYPE_INT32, 0, false },
	{ "u32", TDH_INTYPE_UINT32, 0, false },
	{ "i64", TDH_INTYPE_INT64, 0, false },
	{ "u64", TDH_INTYPE_UINT64, 0, false },
	{ "f32", TDH_INTYPE_FLOAT, 0, false },
	{ "f64", TDH_INTYPE_DOUBLE, 0, false },
	{ "bool", TDH_INTYPE_BOOLEAN, 0, false },
	{ "ptr", TDH_INTYPE_POINTER, 0, false },
	{ "guid", TDH_INTYPE_GUID, 0, false },
	{ "time", TDH_INTYPE_FILETIME, 0, false },
	{ "systime", TDH_INTYPE_SYSTEMTIME, 0, false },
	{ "sid", TDH_INTYPE_SID, 0, false },
	{ "str", TDH_INTYPE_ANSISTRING, TDH_INTYPE_NONNULLTERMINATEDANSISTRING, true },
	{ "str16", TDH_INTYPE_UNICODESTRING, TDH_INTYPE_NONNULLTERMINATEDSTRING, true },
	{ "cstr", TDH_INTYPE_MANIFEST_COUNTEDANSISTRING, 0, false },
	{ "cstr16", TDH_INTYPE_MANIFEST_COUNTEDSTRING, 0, false },
	{ "bin", TDH_INTYPE_BINARY, TDH_INTYPE_NONNULLTERMINATEDANSISTRING, true },
	{ "cbin", TDH_INTYPE_MANIFEST_COUNTEDBINARY, 0, false },
};

static const struct type *find_type(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i].name) == len && !memcmp(types[i].name, name, len))
			return &types[i];
	return NULL;
}

int layout_find(const struct layout *layout, const char *name, size_t len)
{
	int i;

	for (i = 0; i < layout->event.count; i++)
		if (strlen(layout->fields[i].name) == len &&
		    !memcmp(layout->fields[i].name, name, len))
			return i;
	return -1;
}

static bool parse_brackets(struct scan *s, const struct layout *layout,
			   const struct type *type, struct etw_payload_field *field)
{
	size_t column = scan_column(s), len;
	uint32_t number = 0;
	const char *name;
	int other = -1;

	if (scan_token(s, "*")) {
		if (!type->rest)
			return scan_fail(s, column, "only str, str16 and bin take the rest");
		field->in_type = type->rest;
		return scan_token(s, "]") || scan_fail(s, scan_column(s), "] is missing");
	}
	if (!scan_number(s, UINT16_MAX, &number)) {
		len = scan_name(s, &name);
		if (!len)
			return scan_fail(s, column, "a number to %u, a field or * is missing",
					 UINT16_MAX);
		other = layout_find(layout, name, len);
		if (other < 0)
			return scan_fail(s, column, "no field %.*s comes before", (int)len, name);
	} else if (!number) {
		return scan_fail(s, column, "0 is no length");
	}
	if (type->has_length) {
		field->length = (uint16_t)number;
		field->length_field = (int16_t)other;
	} else {
		field->count = other < 0 ? (uint16_t)number : 1;
		field->count_field = (int16_t)other;
	}
	return scan_token(s, "]") || scan_fail(s, scan_column(s), "] is missing");
}

static bool parse_name(struct scan *s, struct layout *layout, struct etw_payload_field *field)
{
	size_t column = scan_column(s), len;
	const char *name;

	len = scan_name(s, &name);
	if (!len)
		return scan_fail(s, column, "the name of a field is missing");
	if (layout_find(layout, name, len) >= 0)
		return scan_fail(s, column, "a second field %.*s", (int)len, name);
	if (layout->names_len + len + 1 > sizeof(layout->names))
		return scan_fail(s, column, "more than %d bytes of names", LAYOUT_NAMES);
	field->name = layout->names + layout->names_len;
	memcpy(layout->names + layout->names_len, name, len);
	layout->names_len += len;
	layout->names[layout->names_len++] = '\0';
	return true;
}

static bool parse_field(struct scan *s, struct layout *layout)
{
	struct etw_payload_field *field = &layout->fields[layout->event.count];
	size_t column = scan_column(s), len;
	const struct type *type;
	const char *name;

	if (layout->event.count == LAYOUT_FIELDS)
		return scan_fail(s, column, "more than %d fields", LAYOUT_FIELDS);
	len = scan_name(s, &name);
	type = find_type(name, len);
	if (!type)
		return scan_fail(s, column, len ? "%.*s is no type" : "a type is missing",
				 (int)len, name);
	*field = (struct etw_payload_field){ .in_type = type->in_type, .count = 1,
					     .count_field = -1, .length_field = -1 };
	if (scan_token(s, "[")) {
		if (!parse_brackets(s, layout, type, field))
			return false;
	} else if (type->in_type == TDH_INTYPE_BINARY) {
		return scan_fail(s, scan_column(s), "bin needs its length: bin[...]");
	}
	if (!parse_name(s, layout, field))
		return false;
	layout->event.count++;
	return true;
}

static bool parse_event(struct scan *s, struct layout *layout)
{
	uint32_t id = 0, version = 0;

	if (!scan_word(s, "id") || !scan_token(s, "="))
		return scan_fail(s, scan_column(s), "id=NUMBER is missing");
	if (!scan_number(s, UINT16_MAX, &id))
		return scan_fail(s, scan_column(s), "an id from 0 to %u is missing", UINT16_MAX);
	if (scan_word(s, "version")) {
		if (!scan_token(s, "=") || !scan_number(s, UINT8_MAX, &version))
			return scan_fail(s, scan_column(s), "a version from 0 to %u is missing",
					 UINT8_MAX);
	}
	if (!scan_token(s, ":"))
		return scan_fail(s, scan_column(s), ": is missing");
	layout->event.id = (uint16_t)id;
	layout->event.version = (uint8_t)version;
	return true;
}

bool layout_parse(struct scan *s, struct layout *layout)
{
	memset(layout, 0, sizeof(*layout));
	layout->what = "--fields";
	layout->event.fields = layout->fields;
	if (!parse_event(s, layout))
		return false;
	do {
		if (!parse_field(s, layout))
			return false;
	} while (scan_token(s, ","));
	return scan_end(s) || scan_fail(s, scan_column(s), ", or the end is missing");
}
