/* SPDX-License-Identifier: MIT */
/*
 * text_chars.c - characters of untrusted strings
 *
 * Payload strings and names come from anybody who may register a provider. Escaped text
 * cannot move a terminal's cursor, change its state or reorder the output.
 */
#include "text.h"
#include "utf.h"

#define BAD_CHAR	0xFFFDU

/* Needs no escape in any style: ASCII without controls, " and \ */
static inline bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

typedef signed char bytes16 __attribute__((vector_size(16)));
typedef int16_t words8 __attribute__((vector_size(16)));

static inline bool is_zero(const void *vector)
{
	uint64_t half[2];

	memcpy(half, vector, sizeof(half));
	return !(half[0] | half[1]);
}

/* Are all bytes plain? Those from 0x80 on are negative. */
static inline bool is_plain16(bytes16 v)
{
	const bytes16 bad = (v < 0x20) | (v == 0x7F) | (v == '"') | (v == '\\');

	return is_zero(&bad);
}

/* Copy less than 16 bytes, in two parts that may overlap; false: not all are plain. */
static inline bool copy_short(char *to, const char *s, size_t len)
{
	const size_t part = len >= 8 ? 8 : 4;
	char parts[2][8];
	bytes16 v;

	if (len < 4)
		return false;
	if (part == 8) {
		memcpy(parts[0], s, 8);
		memcpy(parts[1], s + len - 8, 8);
	} else {
		memcpy(parts[0], s, 4);
		memcpy(parts[0] + 4, s + len - 4, 4);
		memcpy(parts[1], parts[0], 8);
	}
	memcpy(&v, parts, sizeof(v));
	if (!is_plain16(v))
		return false;
	if (part == 8) {
		memcpy(to, parts[0], 8);
		memcpy(to + len - 8, parts[1], 8);
	} else {
		memcpy(to, parts[0], 4);
		memcpy(to + len - 4, parts[0] + 4, 4);
	}
	return true;
}

/*
 * Copy the leading plain bytes; returns their number. If all are plain, the last part
 * overlaps the one before, so that no byte is tested alone.
 */
static inline __attribute__((always_inline))
size_t copy_plain(char *to, const char *s, size_t len)
{
	bytes16 v;
	size_t i = 0;

	if (len >= sizeof(v)) {
		for (; len - i >= sizeof(v); i += sizeof(v)) {
			memcpy(&v, s + i, sizeof(v));
			if (!is_plain16(v))
				break;
			memcpy(to + i, &v, sizeof(v));
		}
		memcpy(&v, s + len - sizeof(v), sizeof(v));
		if (len - i < sizeof(v) && is_plain16(v)) {
			memcpy(to + len - sizeof(v), &v, sizeof(v));
			return len;
		}
	} else if (copy_short(to, s, len)) {
		return len;
	}
	for (; i < len && is_plain((unsigned char)s[i]); i++)
		to[i] = s[i];
	return i;
}

char *etw_text_copy_plain(char *to, const char *s, size_t len)
{
	return copy_plain(to, s, len) == len ? to + len : NULL;
}

char *etw_text_copy_plain16(char *to, const void *s, size_t bytes)
{
	const unsigned char *p = s, *end = p + bytes;
	words8 v, bad;

	for (; end - p >= (ptrdiff_t)sizeof(v); p += sizeof(v)) {
		memcpy(&v, p, sizeof(v));
		bad = (v < 0x20) | (v >= 0x7F) | (v == '"') | (v == '\\');
		if (!is_zero(&bad))
			return NULL;
		for (unsigned int i = 0; i < sizeof(v); i += 2)
			*to++ = (char)p[i];
	}
	for (; p != end; p += 2) {
		if (p[1] || !is_plain(p[0]))
			return NULL;
		*to++ = (char)p[0];
	}
	return to;
}

size_t etw_text_plain(struct etw_text *text, const char *s, size_t len)
{
	char *to = etw_text_room(text, len);
	size_t n;

	if (!to)
		return 0;
	n = copy_plain(to, s, len);
	etw_text_end(text, to + n);
	return n;
}

bool etw_text_quote_plain(struct etw_text *text, const char *s, size_t len)
{
	char *to = etw_text_room(text, len + 2);

	if (!to || copy_plain(to + 1, s, len) != len)
		return false;
	to[0] = '"';
	to[len + 1] = '"';
	etw_text_end(text, to + len + 2);
	return true;
}

/* Decode one character; returns its bytes, 0 if s does not start with one. */
static unsigned int next_char(const char *s, size_t len, uint32_t *value)
{
	size_t n = 0;
	int32_t code = etw_utf8_take(s, len, &n);

	*value = (uint32_t)code;
	return code < 0 ? 0 : (unsigned int)n;
}

bool etw_text_is_unsafe(uint32_t v)
{
	return v < 0x20 || (v >= 0x7F && v < 0xA0) || v == 0x061C ||
	       (v >= 0x200B && v <= 0x200F) || (v >= 0x2028 && v <= 0x202E) ||
	       (v >= 0x2060 && v <= 0x206F) || v == 0xFEFF ||
	       (v >= 0xFFF9 && v <= 0xFFFB) || (v >= 0xE0000 && v <= 0xE007F);
}

static void escape_char(struct etw_text *text, uint32_t v)
{
	switch (v) {
	case '\n':
		etw_text_add(text, "\\n", 2);
		break;
	case '\r':
		etw_text_add(text, "\\r", 2);
		break;
	case '\t':
		etw_text_add(text, "\\t", 2);
		break;
	default:
		if (v < 0x100)
			etw_text_printf(text, "\\u%04x", v);
		else
			etw_text_printf(text, "\\u{%x}", v);
	}
}

bool etw_utf8_valid(const char *s, size_t len)
{
	uint64_t word;
	uint32_t v;
	unsigned int n;
	size_t i;

	for (i = 0; len - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, s + i, sizeof(word));
		if (word & 0x8080808080808080u)
			break;
	}
	for (; i < len; i += n) {
		n = (signed char)s[i] >= 0 ? 1 : next_char(s + i, len - i, &v);
		if (!n)
			return false;
	}
	return true;
}

void etw_text_utf8(struct etw_text *text, const char *s, size_t len)
{
	size_t i, n;
	uint32_t v;

	for (i = 0; i < len; i += n) {
		for (n = 0; i + n < len && (signed char)s[i + n] >= 0;)
			n++;
		if (!n)
			n = next_char(s + i, len - i, &v);
		if (n) {
			etw_text_add(text, s + i, n);
		} else {
			etw_text_add(text, "\xEF\xBF\xBD", 3);
			n = 1;
		}
	}
}

static void json_u(struct etw_text *text, uint32_t v)
{
	if (v < 0x10000)
		etw_text_printf(text, "\\u%04x", v);
	else
		etw_text_printf(text, "\\u%04x\\u%04x", 0xD800 + ((v - 0x10000) >> 10),
				0xDC00 + ((v - 0x10000) & 0x3FF));
}

/* Append one valid character in a style. */
static void put_styled(struct etw_text *text, uint32_t v, enum etw_text_style style)
{
	char *to;

	if (style != ETW_TEXT_RAW && etw_text_is_unsafe(v)) {
		if (style == ETW_TEXT_ESCAPED || v == '\n' || v == '\r' || v == '\t')
			escape_char(text, v);
		else
			json_u(text, v);
		return;
	}
	if (style != ETW_TEXT_RAW && (v == '"' || v == '\\'))
		etw_text_char(text, '\\');
	to = etw_text_room(text, 4);
	if (to)
		etw_text_end(text, to + etw_utf8_put(v, to));
}

/* Append the leading units that need no escape; returns their bytes. */
static size_t plain_run16(struct etw_text *text, const unsigned char *p, size_t bytes)
{
	char *to = etw_text_room(text, bytes / 2);
	size_t i;

	if (!to)
		return 0;
	for (i = 0; i + 1 < bytes && !p[i + 1] && is_plain(p[i]); i += 2)
		*to++ = (char)p[i];
	etw_text_end(text, to);
	return i;
}

void etw_text_string16(struct etw_text *text, const void *s, size_t bytes,
		       enum etw_text_style style)
{
	const unsigned char *p = s;
	size_t i = plain_run16(text, p, bytes);

	for (; i + 1 < bytes; i += 2) {
		uint32_t v = p[i] | (uint32_t)p[i + 1] << 8;
		uint32_t low;

		if (v >= 0xD800 && v < 0xDC00 && i + 3 < bytes) {
			low = p[i + 2] | (uint32_t)p[i + 3] << 8;
			if (low >= 0xDC00 && low < 0xE000) {
				v = 0x10000 + ((v - 0xD800) << 10) + low - 0xDC00;
				i += 2;
			}
		}
		put_styled(text, v >= 0xD800 && v < 0xE000 ? BAD_CHAR : v, style);
	}
}

void etw_text_utf16(struct etw_text *text, const void *s, size_t bytes)
{
	etw_text_string16(text, s, bytes, ETW_TEXT_RAW);
}

void etw_text_cp1252(struct etw_text *text, const void *s, size_t bytes,
		     enum etw_text_style style)
{
	static const uint16_t high[32] = {
		0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
		0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
		0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
		0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
	};
	const unsigned char *p = s;
	size_t i;

	for (i = 0; i < bytes; i++)
		put_styled(text, p[i] >= 0x80 && p[i] < 0xA0 ? high[p[i] - 0x80] : p[i], style);
}

/* quote: also escape quotes and backslashes. */
static void escape(struct etw_text *text, const char *s, size_t len, enum etw_text_style style,
		   bool quote)
{
	size_t n, i = etw_text_plain(text, s, len);
	uint32_t v;

	for (; i < len; i += n) {
		n = etw_text_plain(text, s + i, len - i);
		if (n)
			continue;
		n = next_char(s + i, len - i, &v);
		if (n && !quote && (v == '"' || v == '\\'))
			etw_text_char(text, (char)v);
		else if (n)
			put_styled(text, v, style);
		else if (style == ETW_TEXT_JSON)
			etw_text_add(text, "\xEF\xBF\xBD", 3);
		else
			etw_text_printf(text, "\\x%02x", (unsigned char)s[i]);
		n += !n;
	}
}

void etw_text_escape(struct etw_text *text, const char *s, size_t len)
{
	escape(text, s, len, ETW_TEXT_ESCAPED, true);
}

void etw_text_safe(struct etw_text *text, const char *s, size_t len)
{
	escape(text, s, len, ETW_TEXT_ESCAPED, false);
}

void etw_text_json_inside(struct etw_text *text, const char *s, size_t len)
{
	escape(text, s, len, ETW_TEXT_JSON, true);
}

void etw_text_json_string(struct etw_text *text, const char *s, size_t len)
{
	if (etw_text_quote_plain(text, s, len))
		return;
	etw_text_char(text, '"');
	etw_text_json_inside(text, s, len);
	etw_text_char(text, '"');
}
