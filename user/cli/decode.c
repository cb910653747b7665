/* SPDX-License-Identifier: MIT */
/*
 * decode.c - names and values out of an event
 *
 * The payload is foreign bytes: no read goes beyond its end, and an event
 * whose payload is too short for its fields counts as not known.
 */
#include <string.h>
#include "cli.h"
#include "decode.h"

/* What is left of the payload. */
struct cursor {
	const uint8_t *p;
	size_t left;
};

static const void *take(struct cursor *c, size_t len)
{
	const uint8_t *p = c->p;

	if (c->left < len)
		return NULL;
	c->p += len;
	c->left -= len;
	return p;
}

static bool take_number(struct cursor *c, size_t size, uint64_t *value)
{
	const uint8_t *p = take(c, size);

	if (!p)
		return false;
	*value = 0;
	memcpy(value, p, size);
	return true;
}

static size_t number_size(enum field_type type)
{
	switch (type) {
	case FIELD_U8:
		return 1;
	case FIELD_U16:
		return 2;
	case FIELD_U64:
	case FIELD_X64:
		return 8;
	default:
		return 4;
	}
}

static bool decode_number(const struct field *field, struct cursor *c,
			  struct value *value)
{
	const struct field_word *word = field->words;
	uint64_t v;

	if (!take_number(c, number_size(field->type), &v))
		return false;
	for (; word && word->word; word++) {
		if (word->value == v) {
			value->kind = VALUE_WORD;
			value->word = word->word;
			return true;
		}
	}
	if (field->type == FIELD_I32) {
		value->kind = VALUE_SIGNED;
		value->i = (int32_t)v;
		return true;
	}
	value->kind = field->type == FIELD_X32 || field->type == FIELD_X64 ?
		VALUE_HEX : VALUE_UNSIGNED;
	value->u = v;
	return true;
}

/* A string runs to its NUL, or to the end of the payload if it has none. */
static void decode_string8(struct cursor *c, struct value *value,
			   struct text *strings)
{
	size_t len = strnlen((const char *)c->p, c->left);

	value->kind = VALUE_STRING;
	value->string.at = strings->len;
	value->string.len = len;
	text_add(strings, (const char *)c->p, len);
	take(c, len < c->left ? len + 1 : len);
}

static void decode_string16(struct cursor *c, struct value *value,
			    struct text *strings)
{
	size_t len = 0;

	while (len + 1 < c->left && (c->p[len] || c->p[len + 1]))
		len += 2;
	value->kind = VALUE_STRING;
	value->string.at = strings->len;
	text_utf16(strings, c->p, len);
	value->string.len = strings->len - value->string.at;
	take(c, len + 1 < c->left ? len + 2 : c->left);
}

static bool decode_field(const struct field *field, struct cursor *c,
			 struct value *value, struct text *strings)
{
	const void *p;

	value->name = field->name;
	switch (field->type) {
	case FIELD_STRING8:
		decode_string8(c, value, strings);
		return true;
	case FIELD_STRING16:
		decode_string16(c, value, strings);
		return true;
	case FIELD_GUID:
		p = take(c, sizeof(value->guid));
		if (!p)
			return false;
		value->kind = VALUE_GUID;
		memcpy(&value->guid, p, sizeof(value->guid));
		return true;
	default:
		return decode_number(field, c, value);
	}
}

static const struct field *fields_of(const struct etw_record_view *record,
				     struct decoded *out)
{
	static const struct field string_only[] = {
		{ "message", FIELD_STRING16, NULL },
		{ NULL, 0, NULL }
	};
	const struct builtin_provider *provider;
	const struct builtin_event *known;

	if (record->header->flags & ETW_EVENT_STRING_ONLY) {
		out->event = "String";
		return string_only;
	}
	provider = builtin_by_guid(&record->header->provider);
	if (!provider)
		return NULL;
	known = builtin_event(provider, &record->header->desc);
	if (!known)
		return NULL;
	out->event = known->name;
	return known->fields;
}

/**
 * decode_event() - find an event's names and take its payload apart
 * @record: the event
 * @raw: leave it all in out->rest
 * @out: all zero at first; valid until it is used again, and while the
 *	event's payload is
 */
void decode_event(const struct etw_record_view *record, bool raw,
		  struct decoded *out)
{
	struct cursor c = { record->data, record->data_len };
	const struct field *field = NULL;

	out->event = NULL;
	out->count = 0;
	out->strings.len = 0;
	if (!raw)
		field = fields_of(record, out);
	for (; field && field->name && out->count < DECODED_FIELDS; field++) {
		if (!decode_field(field, &c, &out->values[out->count],
				  &out->strings)) {
			out->event = NULL;
			out->count = 0;
			c = (struct cursor){ record->data, record->data_len };
			break;
		}
		out->count++;
	}
	out->rest = c.p;
	out->rest_len = c.left;
}
