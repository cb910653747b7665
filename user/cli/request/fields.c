/* SPDX-License-Identifier: MIT */
/*
 * fields.c - an event that the option --fields describes
 *
 *	id=7 version=1: u32 Size, u16 Port, str16 File, u8 Count, bin[Count] Data
 *
 * Brackets hold a number, the name of an earlier field, or * for the rest of the
 * payload: the length of a string or bin, or how many elements another type has.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "fields.h"
#include "tdh/decode/decoder.h"

static const struct type {
	const char *name;
	uint16_t in_type;
	uint16_t rest;		/* with [*]; 0: not allowed */
	bool has_length;	/* brackets hold a length, not a count */
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

/* ---------------------------------------------------------------------- words */

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Where the next word begins, counted from 1. */
static size_t scan_column(struct scan *s)
{
	while (*s->at == ' ' || *s->at == '\t' || *s->at == '\n')
		s->at++;
	return s->at - s->text + 1;
}

static bool scan_end(struct scan *s)
{
	scan_column(s);
	return !*s->at;
}

/* Take these characters if they come next. */
static bool scan_token(struct scan *s, const char *token)
{
	scan_column(s);
	if (strncmp(s->at, token, strlen(token)))
		return false;
	s->at += strlen(token);
	return true;
}

/* A name at the next place, of so many bytes, 0: there is none; it is taken. */
static size_t scan_name(struct scan *s, const char **name)
{
	size_t len = 0;

	scan_column(s);
	if (is_name_start(*s->at))
		while (is_name_start(s->at[len]) || is_digit(s->at[len]))
			len++;
	*name = s->at;
	s->at += len;
	return len;
}

/* Take this word if it comes next, as a whole. */
static bool scan_word(struct scan *s, const char *word)
{
	const char *name, *before = s->at;
	size_t len = scan_name(s, &name);

	if (len == strlen(word) && !memcmp(name, word, len))
		return true;
	s->at = before;
	return false;
}

/* Take a decimal number if one comes next, at most max. */
static bool scan_number(struct scan *s, uint32_t max, uint32_t *value)
{
	uint64_t number = 0;
	const char *at;

	scan_column(s);
	for (at = s->at; is_digit(*at) && number <= max; at++)
		number = number * 10 + (*at - '0');
	if (at == s->at || number > max)
		return false;
	s->at = at;
	*value = (uint32_t)number;
	return true;
}

/* Say what is wrong, the first time.  false. */
__attribute__((format(printf, 3, 4)))
static bool scan_fail(struct scan *s, size_t column, const char *fmt, ...)
{
	va_list ap;

	if (s->column)
		return false;
	s->column = column;
	va_start(ap, fmt);
	vsnprintf(s->error, sizeof(s->error), fmt, ap);
	va_end(ap);
	return false;
}

/* --------------------------------------------------------------------- fields */

static const struct type *find_type(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i].name) == len && !memcmp(types[i].name, name, len))
			return &types[i];
	return NULL;
}

/* The index of a field that was parsed already; -1: there is none. */
static int find_field(const struct fields *fields, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < fields->template.count; i++)
		if (strlen(fields->fields[i].name) == len &&
		    !memcmp(fields->fields[i].name, name, len))
			return (int)i;
	return -1;
}

static bool parse_brackets(struct scan *s, const struct fields *fields,
			   const struct type *type, struct etw_mf_field *field)
{
	size_t column = scan_column(s), len;
	uint32_t number = 0;
	const char *name;
	int other = -1;

	if (scan_token(s, "*")) {
		if (!type->rest)
			return scan_fail(s, column, "only str, str16 and bin can take the rest");
		field->in_type = type->rest;
		return scan_token(s, "]") || scan_fail(s, scan_column(s), "] is missing");
	}
	if (!scan_number(s, UINT16_MAX, &number)) {
		len = scan_name(s, &name);
		if (!len)
			return scan_fail(s, column, "a number to %u, a field or * is missing",
					 UINT16_MAX);
		other = find_field(fields, name, len);
		if (other < 0)
			return scan_fail(s, column, "no field %.*s comes before", (int)len, name);
		number = (uint32_t)other;
	} else if (!number) {
		return scan_fail(s, column, "0 is not a length");
	}
	if (type->has_length) {
		field->length = (uint16_t)number;
		field->flags |= other < 0 ? ETW_MF_LENGTH_FIXED : ETW_MF_LENGTH_FIELD;
	} else {
		field->count = (uint16_t)number;
		if (other >= 0)
			field->flags |= ETW_MF_COUNT_FIELD;
	}
	return scan_token(s, "]") || scan_fail(s, scan_column(s), "] is missing");
}

static bool parse_name(struct scan *s, struct fields *fields, struct etw_mf_field *field)
{
	size_t column = scan_column(s), len;
	const char *name;

	len = scan_name(s, &name);
	if (!len)
		return scan_fail(s, column, "the name of a field is missing");
	if (find_field(fields, name, len) >= 0)
		return scan_fail(s, column, "a second field %.*s", (int)len, name);
	if (fields->names_len + len + 1 > sizeof(fields->names))
		return scan_fail(s, column, "more than %d bytes of names", FIELDS_NAMES);
	field->name = fields->names + fields->names_len;
	memcpy(fields->names + fields->names_len, name, len);
	fields->names_len += len;
	fields->names[fields->names_len++] = '\0';
	return true;
}

static bool parse_field(struct scan *s, struct fields *fields)
{
	size_t column = scan_column(s), len;
	struct etw_mf_field *field;
	const struct type *type;
	const char *name;

	if (fields->template.count == FIELDS_MAX)
		return scan_fail(s, column, "more than %d fields", FIELDS_MAX);
	field = &fields->fields[fields->template.count];
	len = scan_name(s, &name);
	type = find_type(name, len);
	if (!type)
		return scan_fail(s, column, len ? "%.*s is not a type" : "a type is missing",
				 (int)len, name);
	*field = (struct etw_mf_field){ .in_type = type->in_type, .count = 1 };
	if (scan_token(s, "[")) {
		if (!parse_brackets(s, fields, type, field))
			return false;
	} else if (type->in_type == TDH_INTYPE_BINARY) {
		return scan_fail(s, scan_column(s), "bin needs its length: bin[...]");
	}
	field->out_type = etw_out_type_default(field->in_type);
	if (!parse_name(s, fields, field))
		return false;
	fields->template.count++;
	fields->template.top++;
	return true;
}

static bool parse_event(struct scan *s, struct fields *fields)
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
	fields->event.desc.Id = (uint16_t)id;
	fields->event.desc.Version = (uint8_t)version;
	return true;
}

bool fields_parse(const char *text, struct fields *fields, struct scan *s)
{
	*s = (struct scan){ .text = text, .at = text };
	memset(fields, 0, sizeof(*fields));
	fields->event.template = &fields->template;
	fields->template.fields = fields->fields;
	if (!parse_event(s, fields))
		return false;
	do {
		if (!parse_field(s, fields))
			return false;
	} while (scan_token(s, ","));
	return scan_end(s) || scan_fail(s, scan_column(s), ", or the end is missing");
}
