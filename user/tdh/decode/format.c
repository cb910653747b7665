/* SPDX-License-Identifier: MIT */
/*
 * format.c - fields as text: name=value name={a=1 b=2} name=[1, 2]
 *
 * Sources for special values: Microsoft's pages "SID Components", "SYSTEMTIME structure",
 * "sockaddr" and "HRESULT"; RFC 5952 for IPv6.
 */
#include <arpa/inet.h>
#include <errno.h>

#include "format.h"

/* Address families with Windows' numbers, or Linux's if Windows has none */
#define FAMILY_UNIX	1
#define FAMILY_INET	2
#define FAMILY_INET6	23
#define FAMILY_INET6_LINUX	10

/* ------------------------------------------------------------- special values */

static unsigned int u16_at(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

static unsigned int be16_at(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static uint32_t u32_at(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static void put_ipv4(struct etw_text *text, const uint8_t *p)
{
	int i;

	for (i = 0; i < 4; i++) {
		if (i)
			etw_text_char(text, '.');
		etw_text_unsigned(text, p[i], 1);
	}
}

static void put_ipv6(struct etw_text *text, const uint8_t *p)
{
	char s[INET6_ADDRSTRLEN];

	if (inet_ntop(AF_INET6, p, s, sizeof(s)))
		etw_text_puts(text, s);
}

/* family, then port, flow, address, scope */
static void put_sockaddr6(struct etw_text *text, const uint8_t *p, size_t size)
{
	etw_text_char(text, '[');
	put_ipv6(text, p + 8);
	if (size >= 28 && u32_at(p + 24)) {
		etw_text_char(text, '%');
		etw_text_unsigned(text, u32_at(p + 24), 1);
	}
	etw_text_add(text, "]:", 2);
	etw_text_unsigned(text, be16_at(p + 2), 1);
}

static void put_sockaddr(struct etw_text *text, const uint8_t *p, size_t size)
{
	unsigned int family = size >= 2 ? u16_at(p) : 0;

	if (family == FAMILY_INET && size >= 8) {
		put_ipv4(text, p + 4);
		etw_text_char(text, ':');
		etw_text_unsigned(text, be16_at(p + 2), 1);
	} else if ((family == FAMILY_INET6 || family == FAMILY_INET6_LINUX) && size >= 24) {
		put_sockaddr6(text, p, size);
	} else if (family == FAMILY_UNIX) {
		etw_text_add(text, "unix:", 5);
		etw_text_escape(text, (const char *)p + 2,
				strnlen((const char *)p + 2, size - 2));
	} else {
		etw_text_hex(text, p, size);
	}
}

static void put_sid(struct etw_text *text, const uint8_t *p, size_t size)
{
	uint64_t authority = 0;
	size_t i;

	for (i = 2; i < 8; i++)
		authority = authority << 8 | p[i];
	etw_text_add(text, "S-", 2);
	etw_text_unsigned(text, p[0], 1);
	etw_text_char(text, '-');
	if (authority >> 32)
		etw_text_0x(text, authority);
	else
		etw_text_unsigned(text, authority, 1);
	for (i = 8; i + 4 <= size; i += 4) {
		etw_text_char(text, '-');
		etw_text_unsigned(text, u32_at(p + i), 1);
	}
}

/* Year, month, day of the week, day, hour, minute, second, millisecond */
static void put_systemtime(struct etw_text *text, const uint8_t *p, uint16_t out_type)
{
	static const struct {
		uint8_t at, digits;
		char before;
	} parts[] = {
		{ 0, 4, 0 }, { 2, 2, '-' }, { 6, 2, '-' }, { 8, 2, 'T' }, { 10, 2, ':' },
		{ 12, 2, ':' }, { 14, 3, '.' },
	};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].before)
			etw_text_char(text, parts[i].before);
		etw_text_unsigned(text, u16_at(p + parts[i].at), parts[i].digits);
	}
	if (out_type == TDH_OUTTYPE_DATETIME_UTC)
		etw_text_char(text, 'Z');
}

void etw_format_special(struct etw_text *text, const struct etw_field *field)
{
	const uint8_t *p = field->data;

	switch (field->value_kind) {
	case ETW_VALUE_GUID:
		etw_text_guid(text, p);
		break;
	case ETW_VALUE_TIME:
		etw_text_time(text, field->value.u);
		break;
	case ETW_VALUE_SYSTEMTIME:
		put_systemtime(text, p, field->out_type);
		break;
	case ETW_VALUE_SID:
		put_sid(text, p, field->size);
		break;
	case ETW_VALUE_IPV4:
		put_ipv4(text, p);
		break;
	case ETW_VALUE_IPV6:
		put_ipv6(text, p);
		break;
	case ETW_VALUE_SOCKADDR:
		put_sockaddr(text, p, field->size);
		break;
	default:
		etw_text_hex(text, p, field->size);
	}
}

/* Bytes that are not UTF-8 are a string in another code page. */
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

/* The names of the bits, joined; bits without a name as a number */
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

static inline void separate(struct etw_text *text, struct etw_nesting *n, const struct etw_schema_plan *plan,
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

static inline void put_item(struct etw_text *text, struct etw_nesting *n, const struct etw_field *field,
		     ULONG flags)
{
	switch (field->kind) {
	case ETW_FIELD_VALUE:
		etw_format_value(text, field, flags);
		break;
	case ETW_FIELD_STRUCT_BEGIN:
	case ETW_FIELD_ARRAY_BEGIN:
		etw_nesting_open(text, n, field->kind == ETW_FIELD_ARRAY_BEGIN);
		break;
	case ETW_FIELD_STRUCT_END:
	case ETW_FIELD_ARRAY_END:
		etw_nesting_close(text, n);
	}
}

static bool is_end(const struct etw_field *field)
{
	return field->kind == ETW_FIELD_STRUCT_END || field->kind == ETW_FIELD_ARRAY_END;
}

/* Mark the place where the fields end too early. */
static void put_mark(struct etw_text *text, struct etw_nesting *n, const char *mark)
{
	etw_text_puts(text, mark);
	while (n->depth)
		etw_nesting_close(text, n);
}

int etw_format_next(struct etw_text *text, struct etw_decoder *decoder, ULONG flags)
{
	struct etw_nesting n;
	size_t start = text->len;
	struct etw_field field;
	int ret;

	n.depth = 0;
	n.begun[0] = false;
	/* The caller prints the name, so treat the top level as an array. */
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
	struct etw_nesting n;
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
