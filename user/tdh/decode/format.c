/* SPDX-License-Identifier: MIT */
/*
 * format.c - fields as text: name=value name={a=1 b=2} name=[1, 2]
 */
#include <errno.h>

#include "format.h"

/* Bytes are a string of another code page where they are no UTF-8. */
static bool is_utf8(const struct etw_field *field)
{
	return field->out_type == TDH_OUTTYPE_UTF8 || field->out_type == TDH_OUTTYPE_JSON ||
	       etw_utf8_valid(field->data, field->size);
}

static void put_utf8(struct etw_text *text, const char *s, size_t len,
		     enum etw_text_style style)
{
	switch (style) {
	case ETW_TEXT_RAW:
		etw_text_utf8(text, s, len);
		break;
	case ETW_TEXT_ESCAPED:
		etw_text_escape(text, s, len);
		break;
	case ETW_TEXT_JSON:
		etw_text_json_inside(text, s, len);
	}
}

void etw_format_string(struct etw_text *text, const struct etw_field *field,
		       enum etw_text_style style)
{
	const char *s = field->data;
	size_t n;

	if (field->value_kind == ETW_VALUE_STRING16) {
		etw_text_string16(text, field->data, field->size, style);
		return;
	}
	n = etw_text_plain(text, field->data, field->size);
	if (n == field->size)
		return;
	if (is_utf8(field))
		put_utf8(text, s + n, field->size - n, style);
	else
		etw_text_cp1252(text, s + n, field->size - n, style);
}

/* The names of its bits, joined; what has none as a number */
static void put_bits(struct etw_text *text, const struct etw_field *field, uint32_t value,
		     enum etw_text_style style)
{
	uint32_t bits, unknown = 0, bit;
	const char *name, *join = "";

	for (bits = value; bits; bits &= bits - 1) {
		bit = bits & (0 - bits);
		name = etw_field_map_name(field->map, bit);
		if (!name) {
			unknown |= bit;
			continue;
		}
		etw_text_puts(text, join);
		put_utf8(text, name, strlen(name), style);
		join = "|";
	}
	if (unknown) {
		etw_text_puts(text, join);
		etw_text_0x(text, unknown);
	}
}

static bool is_mapped(const struct etw_field *field)
{
	switch (field->value_kind) {
	case ETW_VALUE_UNSIGNED:
	case ETW_VALUE_SIGNED:
	case ETW_VALUE_HEX:
	case ETW_VALUE_BOOLEAN:
	case ETW_VALUE_ERROR:
		return field->size <= sizeof(uint32_t);
	default:
		return false;
	}
}

bool etw_format_map(struct etw_text *text, const struct etw_field *field,
		    enum etw_text_style style)
{
	uint32_t value = (uint32_t)field->value.u;
	const char *name;

	if (!field->map || !is_mapped(field))
		return false;
	name = etw_field_map_name(field->map, value);
	if (name) {
		put_utf8(text, name, strlen(name), style);
		return true;
	}
	if (!value || !etw_field_map_is_bits(field->map))
		return false;
	put_bits(text, field, value, style);
	return true;
}

static void put_error(struct etw_text *text, const struct etw_field *field)
{
	uint32_t code = (uint32_t)field->value.u;
	const char *name = etw_error_name(field->out_type, code);

	if (field->out_type == TDH_OUTTYPE_NTSTATUS || field->out_type == TDH_OUTTYPE_HRESULT)
		etw_text_0x(text, code);
	else
		etw_text_unsigned(text, code, 1);
	if (name) {
		etw_text_char(text, '(');
		etw_text_puts(text, name);
		etw_text_char(text, ')');
	}
}

static void put_string(struct etw_text *text, const struct etw_field *field, ULONG flags)
{
	if (flags & ETW_FORMAT_RAW) {
		etw_format_string(text, field, ETW_TEXT_RAW);
		return;
	}
	if (field->value_kind == ETW_VALUE_STRING8 &&
	    etw_text_quote_plain(text, field->data, field->size))
		return;
	etw_text_char(text, '"');
	etw_format_string(text, field, ETW_TEXT_ESCAPED);
	etw_text_char(text, '"');
}

void etw_format_value(struct etw_text *text, const struct etw_field *field, ULONG flags)
{
	if (field->map && etw_format_map(text, field, flags & ETW_FORMAT_RAW ? ETW_TEXT_RAW :
					 ETW_TEXT_ESCAPED))
		return;
	switch (field->value_kind) {
	case ETW_VALUE_UNSIGNED:
	case ETW_VALUE_PORT:
		etw_text_unsigned(text, field->value.u, 1);
		break;
	case ETW_VALUE_SIGNED:
		etw_text_signed(text, field->value.i);
		break;
	case ETW_VALUE_HEX:
		etw_text_0x(text, field->value.u);
		break;
	case ETW_VALUE_BOOLEAN:
		etw_text_puts(text, field->value.u ? "true" : "false");
		break;
	case ETW_VALUE_FLOAT:
		etw_text_float(text, field->value.f, 9);
		break;
	case ETW_VALUE_DOUBLE:
		etw_text_float(text, field->value.f, 17);
		break;
	case ETW_VALUE_STRING8:
	case ETW_VALUE_STRING16:
		put_string(text, field, flags);
		break;
	case ETW_VALUE_ERROR:
		put_error(text, field);
		break;
	default:
		etw_format_special(text, field);
	}
}

/* What is open, and whether something is in it already */
struct nesting {
	unsigned int depth;
	bool in_array[ETW_LEVELS + 1];
	bool begun[ETW_LEVELS + 1];
};

static inline void separate(struct etw_text *text, struct nesting *n, const struct etw_schema_plan *plan,
		     const struct etw_field *field)
{
	const struct etw_field_step *step = &plan->steps[field->position];
	bool begun = n->begun[n->depth];

	n->begun[n->depth] = true;
	if (!n->in_array[n->depth])
		etw_text_add(text, plan->labels + step->label + !begun, step->label_len - !begun);
	else if (begun)
		etw_text_add(text, ", ", 2);
}

static void open_one(struct etw_text *text, struct nesting *n, bool is_array)
{
	etw_text_char(text, is_array ? '[' : '{');
	n->depth++;
	n->in_array[n->depth] = is_array;
	n->begun[n->depth] = false;
}

static void close_one(struct etw_text *text, struct nesting *n)
{
	etw_text_char(text, n->in_array[n->depth--] ? ']' : '}');
}

static inline void put_item(struct etw_text *text, struct nesting *n, const struct etw_field *field,
		     ULONG flags)
{
	switch (field->kind) {
	case ETW_FIELD_VALUE:
		etw_format_value(text, field, flags);
		break;
	case ETW_FIELD_STRUCT_BEGIN:
	case ETW_FIELD_ARRAY_BEGIN:
		open_one(text, n, field->kind == ETW_FIELD_ARRAY_BEGIN);
		break;
	case ETW_FIELD_STRUCT_END:
	case ETW_FIELD_ARRAY_END:
		close_one(text, n);
	}
}

static bool is_end(const struct etw_field *field)
{
	return field->kind == ETW_FIELD_STRUCT_END || field->kind == ETW_FIELD_ARRAY_END;
}

/* Here the fields end too early. */
static void put_mark(struct etw_text *text, struct nesting *n, const char *mark)
{
	etw_text_puts(text, mark);
	while (n->depth)
		close_one(text, n);
}

int etw_format_next(struct etw_text *text, struct etw_decoder *decoder, ULONG flags)
{
	struct nesting n;
	size_t start = text->len;
	struct etw_field field;
	int ret;

	n.depth = 0;
	n.begun[0] = false;
	/* The name is the caller's, so the top level is as an array. */
	n.in_array[0] = true;
	do {
		ret = etw_decode_next(decoder, &field);
		if (!ret)
			return 0;
		if (!is_end(&field))
			separate(text, &n, decoder->plan, &field);
		if (ret > 0 && text->len - start > ETW_FORMAT_MAX)
			ret = -EMSGSIZE;
		if (ret < 0) {
			put_mark(text, &n, "<truncated>");
			return ret;
		}
		put_item(text, &n, &field, flags);
	} while (n.depth);
	return 1;
}

static void put_rest(struct etw_text *text, const struct etw_decoder *decoder, const char *name,
		     bool begun)
{
	const void *rest;
	size_t size;

	rest = etw_decode_rest(decoder, &size);
	if (!size)
		return;
	if (begun)
		etw_text_char(text, ' ');
	etw_text_puts(text, name);
	etw_text_hex(text, rest, size);
}

int etw_format_fields(struct etw_text *text, struct etw_decoder *decoder, ULONG flags)
{
	struct nesting n;
	size_t start = text->len;
	struct etw_field field;
	int ret;

	n.depth = 0;
	n.begun[0] = n.in_array[0] = false;
	etw_decode_rewind(decoder);
	if (!decoder->plan) {
		put_rest(text, decoder, "data=", false);
		return 0;
	}
	for (;;) {
		ret = etw_decode_next(decoder, &field);
		if (!ret)
			break;
		if (field.out_type == TDH_OUTTYPE_NOPRINT && !n.in_array[n.depth] && ret > 0 &&
		    field.kind == ETW_FIELD_VALUE)
			continue;
		if (!is_end(&field))
			separate(text, &n, decoder->plan, &field);
		if (ret > 0 && text->len - start > ETW_FORMAT_MAX)
			ret = -EMSGSIZE;
		if (ret < 0) {
			put_mark(text, &n, "<truncated>");
			break;
		}
		if (field.kind == ETW_FIELD_VALUE)
			etw_format_value(text, &field, flags);
		else
			put_item(text, &n, &field, flags);
	}
	put_rest(text, decoder, "rest=", n.begun[0]);
	return ret;
}
