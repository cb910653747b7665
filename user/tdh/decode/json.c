/* SPDX-License-Identifier: MIT */
/*
 * json.c - format fields as one JSON object
 *
 * Numbers: integers in full, floats with enough digits to read back; hexadecimal ones,
 * NTSTATUS and HRESULT: strings "0x..."; map values: strings, or the number if the map
 * has no name; NaN and infinities: strings; bytes: strings of hexadecimal digits.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "format.h"

static void put_quoted(struct etw_text *text, const struct etw_field *field)
{
	etw_text_char(text, '"');
	etw_format_special(text, field);
	etw_text_char(text, '"');
}

static void put_0x(struct etw_text *text, uint64_t value)
{
	etw_text_char(text, '"');
	etw_text_0x(text, value);
	etw_text_char(text, '"');
}

static void put_float(struct etw_text *text, const struct etw_field *field)
{
	int digits = field->value_kind == ETW_VALUE_FLOAT ? 9 : 17;

	if (isfinite(field->value.f)) {
		etw_text_float(text, field->value.f, digits);
		return;
	}
	etw_text_char(text, '"');
	etw_text_float(text, field->value.f, digits);
	etw_text_char(text, '"');
}

static void put_string(struct etw_text *text, const struct etw_field *field)
{
	if (field->value_kind == ETW_VALUE_STRING8 &&
	    etw_text_quote_plain(text, field->data, field->size))
		return;
	etw_text_char(text, '"');
	etw_format_string(text, field, ETW_TEXT_JSON);
	etw_text_char(text, '"');
}

/* unix: addresses contain a path, which the text formatter escapes. */
static void put_sockaddr(struct etw_text *text, struct etw_decoder *decoder,
			 const struct etw_field *field)
{
	struct etw_text *scratch = etw_scratch(decoder);

	etw_format_special(scratch, field);
	etw_text_json_string(text, scratch->data ? scratch->data : "", scratch->len);
	if (scratch->error)
		text->error = scratch->error;
}

static bool put_map(struct etw_text *text, const struct etw_field *field)
{
	size_t start = text->len;

	etw_text_char(text, '"');
	if (etw_format_map(text, field, ETW_TEXT_JSON)) {
		etw_text_char(text, '"');
		return true;
	}
	etw_text_cut(text, start);
	return false;
}

static void put_value(struct etw_text *text, struct etw_decoder *decoder,
		      const struct etw_field *field)
{
	if (field->map && put_map(text, field))
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
		put_0x(text, field->value.u);
		break;
	case ETW_VALUE_BOOLEAN:
		etw_text_puts(text, field->value.u ? "true" : "false");
		break;
	case ETW_VALUE_FLOAT:
	case ETW_VALUE_DOUBLE:
		put_float(text, field);
		break;
	case ETW_VALUE_STRING8:
	case ETW_VALUE_STRING16:
		put_string(text, field);
		break;
	case ETW_VALUE_ERROR:
		if (field->out_type == TDH_OUTTYPE_NTSTATUS ||
		    field->out_type == TDH_OUTTYPE_HRESULT)
			put_0x(text, field->value.u);
		else
			etw_text_unsigned(text, field->value.u, 1);
		break;
	case ETW_VALUE_SOCKADDR:
		put_sockaddr(text, decoder, field);
		break;
	default:
		put_quoted(text, field);
	}
}

static void separate(struct etw_text *text, struct etw_nesting *n, const struct etw_schema_plan *plan,
		     const struct etw_field *field)
{
	const struct etw_field_step *step = &plan->steps[field->position];
	bool begun = n->begun[n->depth];

	n->begun[n->depth] = true;
	if (!n->in_array[n->depth])
		etw_text_add(text, plan->labels + step->label + step->label_len + !begun,
			     step->json_len - !begun);
	else if (begun)
		etw_text_char(text, ',');
}

static void put_item(struct etw_text *text, struct etw_decoder *decoder, struct etw_nesting *n,
		     const struct etw_field *field)
{
	if (field->kind == ETW_FIELD_STRUCT_END || field->kind == ETW_FIELD_ARRAY_END) {
		etw_nesting_close(text, n);
		return;
	}
	separate(text, n, decoder->plan, field);
	if (field->kind == ETW_FIELD_VALUE)
		put_value(text, decoder, field);
	else
		etw_nesting_open(text, n, field->kind == ETW_FIELD_ARRAY_BEGIN);
}

int etw_format_json(struct etw_text *text, struct etw_decoder *decoder)
{
	struct etw_nesting n;
	size_t start = text->len;
	struct etw_field field;
	int ret = 0;

	n.depth = 0;
	n.begun[0] = n.in_array[0] = false;
	etw_decode_rewind(decoder);
	etw_text_char(text, '{');
	while (decoder->plan && (ret = etw_decode_next(decoder, &field)) > 0) {
		if (text->len - start > ETW_FORMAT_MAX) {
			ret = -EMSGSIZE;
			break;
		}
		put_item(text, decoder, &n, &field);
	}
	while (n.depth)
		etw_nesting_close(text, &n);
	etw_text_char(text, '}');
	return ret;
}
