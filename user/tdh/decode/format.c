/* SPDX-License-Identifier: MIT */
/*
 * format.c - fields as text: name=value name={a=1 b=2} name=[1, 2]; and as a JSON object
 *
 * Numbers in JSON: integers in full, floats with enough digits to read back; hexadecimal
 * ones, NTSTATUS and HRESULT: strings "0x..."; map values: strings, or the number if the
 * map has no name; NaN and infinities: strings; bytes: strings of hexadecimal digits.
 *
 * Sources for special values: Microsoft's pages "SID Components", "SYSTEMTIME structure",
 * "sockaddr" and "HRESULT"; RFC 5952 for IPv6.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>

#include "error_names.h"
#include "format.h"
#include "plain_fields.h"
#include "base/utf.h"

/* Address families with Windows' numbers, or Linux's if Windows has none */
#define FAMILY_UNIX	1
#define FAMILY_INET	2
#define FAMILY_INET6	23
#define FAMILY_INET6_LINUX	10

/* ------------------------------------------------------------- special values */

static unsigned int be16_at(const uint8_t *p)
{
	return p[0] << 8 | p[1];
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
	if (size >= 28 && etw_load(p + 24, 4)) {
		etw_text_char(text, '%');
		etw_text_unsigned(text, etw_load(p + 24, 4), 1);
	}
	etw_text_add(text, "]:", 2);
	etw_text_unsigned(text, be16_at(p + 2), 1);
}

/* A path, which a NUL may end, or an abstract name of Linux with a '@' for each NUL, as in ss(8) */
static void put_unix_name(struct etw_text *text, const char *name, size_t size)
{
	size_t len, at = 0;

	if (size && *name) {
		etw_text_escape(text, name, strnlen(name, size));
		return;
	}
	while (at < size) {
		len = strnlen(name + at, size - at);
		etw_text_escape(text, name + at, len);
		at += len;
		if (at < size)
			etw_text_char(text, '@');
		at++;
	}
}

/* JSON has the name as text shows it, escaped once more. */
static void put_unix(struct etw_text *text, const char *name, size_t size, enum etw_text_style style)
{
	struct etw_text escaped = { .data = NULL };

	etw_text_add(text, "unix:", 5);
	if (style != ETW_TEXT_JSON) {
		put_unix_name(text, name, size);
		return;
	}
	put_unix_name(&escaped, name, size);
	etw_text_json_inside(text, escaped.data, escaped.len);
	if (escaped.error)
		text->error = escaped.error;
	etw_text_free(&escaped);
}

static void put_sockaddr(struct etw_text *text, const uint8_t *p, size_t size,
			 enum etw_text_style style)
{
	unsigned int family = size >= 2 ? (unsigned int)etw_load(p, 2) : 0;

	if (family == FAMILY_INET && size >= 8) {
		put_ipv4(text, p + 4);
		etw_text_char(text, ':');
		etw_text_unsigned(text, be16_at(p + 2), 1);
	} else if ((family == FAMILY_INET6 || family == FAMILY_INET6_LINUX) && size >= 24) {
		put_sockaddr6(text, p, size);
	} else if (family == FAMILY_UNIX) {
		put_unix(text, (const char *)p + 2, size - 2, style);
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
		etw_text_unsigned(text, etw_load(p + i, 4), 1);
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
		etw_text_unsigned(text, etw_load(p + parts[i].at, 2), parts[i].digits);
	}
	if (out_type == TDH_OUTTYPE_DATETIME_UTC)
		etw_text_char(text, 'Z');
}

/* Values that are neither numbers nor strings, without quotes */
static void put_special(struct etw_text *text, const struct etw_field *field,
			enum etw_text_style style)
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
		put_sockaddr(text, p, field->size, style);
		break;
	default:
		etw_text_hex(text, p, field->size);
	}
}

/* -------------------------------------------------------------- strings and maps */

/* Bytes without a character of UTF-8 are a string in another code page. */
static bool is_utf8(const struct etw_field *field)
{
	return field->out_type == TDH_OUTTYPE_UTF8 || field->out_type == TDH_OUTTYPE_JSON ||
	       etw_utf8_valid(field->data, field->size) ||
	       etw_utf8_has_wide(field->data, field->size);
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

/* A string of either kind, in quotes unless raw */
static void put_string(struct etw_text *text, const struct etw_field *field,
		       enum etw_text_style style)
{
	const char *s = field->data;
	size_t n;

	if (style != ETW_TEXT_RAW) {
		if (field->value_kind == ETW_VALUE_STRING8 && etw_text_quote_plain(text, s, field->size))
			return;
		etw_text_char(text, '"');
	}
	if (field->value_kind == ETW_VALUE_STRING16) {
		etw_text_string16(text, s, field->size, style);
	} else {
		n = etw_text_plain(text, s, field->size);
		if (n < field->size && is_utf8(field))
			put_utf8(text, s + n, field->size - n, style);
		else if (n < field->size)
			etw_text_cp1252(text, s + n, field->size - n, style);
	}
	if (style != ETW_TEXT_RAW)
		etw_text_char(text, '"');
}

static void put_name(struct etw_text *text, const char *join, const char *name,
		     enum etw_text_style style)
{
	etw_text_puts(text, join);
	put_utf8(text, name, strlen(name), style);
}

/*
 * The names of those of several bits that are all set, in the order of the map, as Linux prints
 * them; manifests of Windows have none. Returns the other bits.
 */
static uint64_t put_groups(struct etw_text *text, const struct etw_field *field, uint64_t value,
			   enum etw_text_style style, const char **join)
{
	const struct etw_mf_map *map = field->map->map;
	const char *name;
	unsigned int i;

	for (i = 0; i < map->count; i++) {
		uint32_t group = map->entries[i].value;

		if (!(group & (group - 1)) || (value & group) != group)
			continue;
		name = etw_field_map_name(field->map, group);
		if (!name)
			continue;
		put_name(text, *join, name, style);
		*join = "|";
		value &= ~(uint64_t)group;
	}
	return value;
}

/* The names of the bits, joined; bits without a name as a number */
static void put_bits(struct etw_text *text, const struct etw_field *field, uint64_t value,
		     enum etw_text_style style)
{
	uint64_t bits, unknown = 0, bit;
	const char *name, *join = "";

	value = put_groups(text, field, value, style, &join);
	for (bits = value; bits; bits &= bits - 1) {
		bit = bits & (0 - bits);
		name = bit <= UINT32_MAX ? etw_field_map_name(field->map, (uint32_t)bit) : NULL;
		if (!name) {
			unknown |= bit;
			continue;
		}
		put_name(text, join, name, style);
		join = "|";
	}
	if (unknown) {
		etw_text_puts(text, join);
		etw_text_0x(text, unknown);
	}
}

/* Maps have values of 32 bits. */
static bool fits_value(const struct etw_field *field)
{
	if (field->size <= sizeof(uint32_t))
		return true;
	return field->value_kind == ETW_VALUE_SIGNED ? field->value.i == (int32_t)field->value.i :
						       field->value.u <= UINT32_MAX;
}

/* Wider fields may have values that fit, and bits that do. */
static bool fits_map(const struct etw_field *field)
{
	return etw_field_map_is_bits(field->map) || fits_value(field);
}

static bool is_mapped(const struct etw_field *field)
{
	switch (field->value_kind) {
	case ETW_VALUE_UNSIGNED:
	case ETW_VALUE_SIGNED:
	case ETW_VALUE_HEX:
	case ETW_VALUE_BOOLEAN:
	case ETW_VALUE_ERROR:
		return fits_map(field);
	default:
		return false;
	}
}

static void put_quote(struct etw_text *text, enum etw_text_style style)
{
	if (style == ETW_TEXT_JSON)
		etw_text_char(text, '"');
}

/* The name of the whole value; NULL: it has none, or is too large for one. */
static const char *whole_name(const struct etw_field *field)
{
	/* A bit map has the highest bit of 32 without a sign. */
	const bool fits = field->value.u <= UINT32_MAX || fits_value(field);

	return fits ? etw_field_map_name(field->map, (uint32_t)field->value.u) : NULL;
}

bool etw_field_is_named(const struct etw_field *field)
{
	return field->map && (!etw_field_map_is_sparse(field->map) ||
			      (is_mapped(field) && whole_name(field)));
}

/* A value's names from its map; false: it has none. */
static bool put_map(struct etw_text *text, const struct etw_field *field, enum etw_text_style style)
{
	uint64_t value = field->size < sizeof(value) ? (uint32_t)field->value.u : field->value.u;
	const char *name;

	if (!is_mapped(field))
		return false;
	name = whole_name(field);
	if (!name && (!value || !etw_field_map_is_bits(field->map)))
		return false;
	put_quote(text, style);
	if (name)
		put_utf8(text, name, strlen(name), style);
	else
		put_bits(text, field, value, style);
	put_quote(text, style);
	return true;
}

/* ----------------------------------------------------------------------- values */

static void put_0x(struct etw_text *text, uint64_t value, enum etw_text_style style)
{
	put_quote(text, style);
	etw_text_0x(text, value);
	put_quote(text, style);
}

static void put_float(struct etw_text *text, const struct etw_field *field,
		      enum etw_text_style style)
{
	if (isfinite(field->value.f))
		style = ETW_TEXT_RAW;
	put_quote(text, style);
	etw_text_float(text, field->value.f, field->value_kind == ETW_VALUE_FLOAT ? 9 : 17);
	put_quote(text, style);
}

static void put_error(struct etw_text *text, const struct etw_field *field,
		      enum etw_text_style style)
{
	uint32_t code = (uint32_t)field->value.u;
	const char *name = style == ETW_TEXT_JSON ? NULL : etw_error_name(field->out_type, code);

	if (field->out_type == TDH_OUTTYPE_NTSTATUS || field->out_type == TDH_OUTTYPE_HRESULT)
		put_0x(text, code, style);
	else
		etw_text_unsigned(text, code, 1);
	if (name) {
		etw_text_char(text, '(');
		etw_text_puts(text, name);
		etw_text_char(text, ')');
	}
}

static void put_value(struct etw_text *text, const struct etw_field *field,
		      enum etw_text_style style)
{
	if (field->map && put_map(text, field, style))
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
		put_0x(text, field->value.u, style);
		break;
	case ETW_VALUE_BOOLEAN:
		etw_text_puts(text, field->value.u ? "true" : "false");
		break;
	case ETW_VALUE_FLOAT:
	case ETW_VALUE_DOUBLE:
		put_float(text, field, style);
		break;
	case ETW_VALUE_STRING8:
	case ETW_VALUE_STRING16:
		put_string(text, field, style);
		break;
	case ETW_VALUE_ERROR:
		put_error(text, field, style);
		break;
	default:
		put_quote(text, style);
		put_special(text, field, style);
		put_quote(text, style);
	}
}

static enum etw_text_style style_of(ULONG flags)
{
	return flags & ETW_FORMAT_RAW ? ETW_TEXT_RAW : ETW_TEXT_ESCAPED;
}

void etw_format_value(struct etw_text *text, const struct etw_field *field, ULONG flags)
{
	put_value(text, field, style_of(flags));
}

/* ----------------------------------------------------------------------- fields */

struct formatter {
	struct etw_text *text;
	struct etw_decoder *decoder;
	enum etw_text_style style;
	bool all;		/* also fields of out-type NOPRINT */
	bool dim;		/* names between sequences that make them faint */
	size_t start;		/* of the event's text */
	/* The open structures and arrays, and whether each has a member yet */
	unsigned int depth;
	bool in_array[ETW_LEVELS + 1];
	bool begun[ETW_LEVELS + 1];
};

/* top: treat the top level as an array, since the caller prints the name. */
static void begin(struct formatter *f, struct etw_text *text, struct etw_decoder *decoder,
		  enum etw_text_style style, bool top)
{
	f->text = text;
	f->decoder = decoder;
	f->style = style;
	f->all = top || style == ETW_TEXT_JSON;
	f->dim = false;
	f->start = text->len;
	f->depth = 0;
	f->in_array[0] = top;
	f->begun[0] = false;
}

static inline void open_level(struct formatter *f, bool is_array)
{
	etw_text_char(f->text, is_array ? '[' : '{');
	f->depth++;
	f->in_array[f->depth] = is_array;
	f->begun[f->depth] = false;
}

static inline void close_level(struct formatter *f)
{
	etw_text_char(f->text, f->in_array[f->depth--] ? ']' : '}');
}

/* A label is a blank, unless it is the first of its level, and "name=". */
static __attribute__((noinline))
void add_dim(struct etw_text *text, const char *label, size_t len)
{
	const size_t blank = *label == ' ';

	etw_text_add(text, label, blank);
	etw_text_puts(text, "\033[2m");
	etw_text_add(text, label + blank, len - blank);
	etw_text_puts(text, "\033[22m");
}

/* The name of a member, or what is between an array's elements */
static inline __attribute__((always_inline))
void separate(struct formatter *f, const struct etw_field *field, const bool json)
{
	const struct etw_schema_plan *plan = f->decoder->plan;
	const struct etw_field_step *step = &plan->steps[field->position];
	const bool begun = f->begun[f->depth];

	f->begun[f->depth] = true;
	if (!json && f->dim && !f->in_array[f->depth])
		add_dim(f->text, plan->labels + step->label + !begun, step->label_len - !begun);
	else if (!f->in_array[f->depth])
		etw_text_add(f->text, plan->labels + step->label + (json ? step->label_len : 0) + !begun,
			     (json ? step->json_len : step->label_len) - !begun);
	else if (begun)
		etw_text_add(f->text, ", ", json ? 1 : 2);
}

/*
 * Format the decoder's next step; returns as etw_decode_next(), or -EMSGSIZE. Text marks
 * the place where the fields end too early.
 */
static inline __attribute__((always_inline))
int put_next(struct formatter *f, const bool json)
{
	struct etw_field field;
	int ret = etw_decode_next(f->decoder, &field);

	if (!ret)
		return 0;
	if (field.kind == ETW_FIELD_STRUCT_END || field.kind == ETW_FIELD_ARRAY_END) {
		close_level(f);
		return 1;
	}
	if (ret > 0 && !f->all && field.out_type == TDH_OUTTYPE_NOPRINT &&
	    field.kind == ETW_FIELD_VALUE && !f->in_array[f->depth])
		return 1;
	if (ret > 0 && f->text->len - f->start > ETW_FORMAT_MAX)
		ret = -EMSGSIZE;
	if (ret > 0 || !json)
		separate(f, &field, json);
	if (ret < 0 && !json)
		etw_text_puts(f->text, "<truncated>");
	if (ret < 0)
		return ret;
	if (field.kind == ETW_FIELD_VALUE)
		put_value(f->text, &field, f->style);
	else
		open_level(f, field.kind == ETW_FIELD_ARRAY_BEGIN);
	return 1;
}

int etw_format_next(struct etw_text *text, struct etw_decoder *decoder, ULONG flags)
{
	struct formatter f;
	int ret;

	begin(&f, text, decoder, style_of(flags), true);
	do
		ret = put_next(&f, false);
	while (ret == 1 && f.depth);
	while (f.depth)
		close_level(&f);
	return ret;
}

static void put_rest(const struct formatter *f, const char *name)
{
	size_t size;
	const void *rest = etw_decode_rest(f->decoder, &size);

	if (!size)
		return;
	if (f->begun[0])
		etw_text_char(f->text, ' ');
	etw_text_puts(f->text, name);
	etw_text_hex(f->text, rest, size);
}

int etw_format_fields(struct etw_text *text, struct etw_decoder *decoder, ULONG flags)
{
	struct formatter f;
	int ret = 0;

	begin(&f, text, decoder, style_of(flags), false);
	f.dim = flags & ETW_FORMAT_DIM;
	etw_decode_rewind(decoder);
	if (decoder->plan)
		do
			if (f.style == ETW_TEXT_ESCAPED && !f.dim)
				etw_format_plain_text(text, decoder, f.start, &f.begun[0]);
		while ((ret = put_next(&f, false)) > 0);
	while (f.depth)
		close_level(&f);
	put_rest(&f, decoder->plan ? "rest=" : "data=");
	return ret;
}

int etw_format_json(struct etw_text *text, struct etw_decoder *decoder)
{
	struct formatter f;
	int ret = 0;

	begin(&f, text, decoder, ETW_TEXT_JSON, false);
	etw_decode_rewind(decoder);
	etw_text_char(text, '{');
	if (decoder->plan)
		do
			etw_format_plain_json(text, decoder, f.start, &f.begun[0]);
		while ((ret = put_next(&f, true)) > 0);
	while (f.depth)
		close_level(&f);
	etw_text_char(text, '}');
	return ret;
}
