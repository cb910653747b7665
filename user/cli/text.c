/* SPDX-License-Identifier: MIT */
/*
 * text.c - a growing line of text, and making foreign bytes printable
 *
 * Payload strings and names come from anybody who may register a provider.
 * Nothing of them reaches a terminal that could move its cursor, change its
 * state or reorder what is shown.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "text.h"
#include "lib/guid.h"

#define TEXT_FIRST	256
#define BAD_CHAR	0xFFFDU

static void reserve(struct text *text, size_t len)
{
	size_t cap = text->cap ? text->cap : TEXT_FIRST;

	if (text->cap - text->len > len)
		return;
	while (cap - text->len <= len)
		cap *= 2;
	text->data = realloc(text->data, cap);
	if (!text->data)
		cli_die("out of memory");
	text->cap = cap;
}

void text_add(struct text *text, const char *s, size_t len)
{
	reserve(text, len);
	memcpy(text->data + text->len, s, len);
	text->len += len;
	text->data[text->len] = '\0';
}

void text_puts(struct text *text, const char *s)
{
	text_add(text, s, strlen(s));
}

void text_printf(struct text *text, const char *fmt, ...)
{
	va_list ap;
	size_t room;
	int n;

	reserve(text, TEXT_FIRST);
	for (;;) {
		room = text->cap - text->len;
		va_start(ap, fmt);
		n = vsnprintf(text->data + text->len, room, fmt, ap);
		va_end(ap);
		if (n < 0)
			return;
		if ((size_t)n < room)
			break;
		reserve(text, (size_t)n);
	}
	text->len += (size_t)n;
}

/* As "%0*llu", for the numbers of every event. */
void text_unsigned(struct text *text, uint64_t value, unsigned int min_digits)
{
	char digits[32];
	char *p = digits + sizeof(digits);

	if (min_digits > sizeof(digits))
		min_digits = sizeof(digits);
	do {
		*--p = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while ((size_t)(digits + sizeof(digits) - p) < min_digits)
		*--p = '0';
	text_add(text, p, (size_t)(digits + sizeof(digits) - p));
}

/* Length of the sequence that a UTF-8 lead byte starts, and its own bits. */
static unsigned int lead(unsigned char c, uint32_t *bits, uint32_t *least)
{
	if (c < 0x80) {
		*bits = c;
		*least = 0;
		return 1;
	}
	if ((c & 0xE0) == 0xC0) {
		*bits = c & 0x1F;
		*least = 0x80;
		return 2;
	}
	if ((c & 0xF0) == 0xE0) {
		*bits = c & 0x0F;
		*least = 0x800;
		return 3;
	}
	if ((c & 0xF8) == 0xF0) {
		*bits = c & 0x07;
		*least = 0x10000;
		return 4;
	}
	return 0;
}

/* Decode one character; returns its bytes, 0 if s does not start with one. */
static unsigned int next_char(const char *s, size_t len, uint32_t *value)
{
	uint32_t least = 0, v = 0;
	unsigned int n = lead((unsigned char)*s, &v, &least);
	unsigned int i;

	if (!n || n > len)
		return 0;
	for (i = 1; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if ((c & 0xC0) != 0x80)
			return 0;
		v = v << 6 | (c & 0x3F);
	}
	if (v < least || v > 0x10FFFF || (v >= 0xD800 && v <= 0xDFFF))
		return 0;
	*value = v;
	return n;
}

static void put_char(struct text *text, uint32_t v)
{
	char s[4];
	size_t n = 0;

	if (v < 0x80) {
		s[n++] = (char)v;
	} else if (v < 0x800) {
		s[n++] = (char)(0xC0 | v >> 6);
		s[n++] = (char)(0x80 | (v & 0x3F));
	} else if (v < 0x10000) {
		s[n++] = (char)(0xE0 | v >> 12);
		s[n++] = (char)(0x80 | (v >> 6 & 0x3F));
		s[n++] = (char)(0x80 | (v & 0x3F));
	} else {
		s[n++] = (char)(0xF0 | v >> 18);
		s[n++] = (char)(0x80 | (v >> 12 & 0x3F));
		s[n++] = (char)(0x80 | (v >> 6 & 0x3F));
		s[n++] = (char)(0x80 | (v & 0x3F));
	}
	text_add(text, s, n);
}

/* C0 and C1 controls, line separators, and what reorders or hides text. */
static bool is_unsafe(uint32_t v)
{
	return v < 0x20 || (v >= 0x7F && v < 0xA0) || v == 0x061C ||
	       (v >= 0x200B && v <= 0x200F) || (v >= 0x2028 && v <= 0x202E) ||
	       (v >= 0x2060 && v <= 0x206F) || v == 0xFEFF ||
	       (v >= 0xFFF9 && v <= 0xFFFB) || (v >= 0xE0000 && v <= 0xE007F);
}

static void escape_char(struct text *text, uint32_t v)
{
	switch (v) {
	case '\n':
		text_puts(text, "\\n");
		break;
	case '\r':
		text_puts(text, "\\r");
		break;
	case '\t':
		text_puts(text, "\\t");
		break;
	default:
		if (v < 0x100)
			text_printf(text, "\\u%04x", v);
		else
			text_printf(text, "\\u{%x}", v);
	}
}

/*
 * Append UTF-8 made printable: quotes and backslashes get a backslash, control
 * characters become \n, \u001b and the like, bytes that are no UTF-8 \xNN.
 */
void text_escape(struct text *text, const char *s, size_t len)
{
	uint32_t v;
	unsigned int n;
	size_t i;

	for (i = 0; i < len; i += n) {
		n = next_char(s + i, len - i, &v);
		if (!n) {
			text_printf(text, "\\x%02x", (unsigned char)s[i]);
			n = 1;
		} else if (is_unsafe(v)) {
			escape_char(text, v);
		} else {
			if (v == '"' || v == '\\')
				text_add(text, "\\", 1);
			text_add(text, s + i, n);
		}
	}
}

/* Append valid UTF-8: a byte that is none becomes U+FFFD. */
void text_utf8(struct text *text, const char *s, size_t len)
{
	uint32_t v;
	unsigned int n;
	size_t i;

	for (i = 0; i < len; i += n) {
		n = next_char(s + i, len - i, &v);
		if (n) {
			text_add(text, s + i, n);
		} else {
			put_char(text, BAD_CHAR);
			n = 1;
		}
	}
}

/* Append little-endian UTF-16 of any alignment as UTF-8. */
void text_utf16(struct text *text, const void *s, size_t bytes)
{
	const unsigned char *p = s;
	size_t i;

	for (i = 0; i + 1 < bytes; i += 2) {
		uint32_t v = p[i] | (uint32_t)p[i + 1] << 8;
		uint32_t low;

		if (v >= 0xD800 && v < 0xDC00 && i + 3 < bytes) {
			low = p[i + 2] | (uint32_t)p[i + 3] << 8;
			if (low >= 0xDC00 && low < 0xE000) {
				v = 0x10000 + ((v - 0xD800) << 10) + low - 0xDC00;
				i += 2;
			}
		}
		put_char(text, v >= 0xD800 && v < 0xE000 ? BAD_CHAR : v);
	}
}

void text_hex(struct text *text, const void *data, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *p = data;
	size_t i;

	reserve(text, 2 * len);
	for (i = 0; i < len; i++) {
		text->data[text->len++] = digits[p[i] >> 4];
		text->data[text->len++] = digits[p[i] & 15];
	}
	text->data[text->len] = '\0';
}

/*
 * Append serialised JSON, with what is_unsafe() and may stand in a JSON string
 * as \uNNNN.  The serialiser has dealt with quotes and C0 controls already.
 */
void text_json(struct text *text, const char *s, size_t len)
{
	uint32_t v;
	unsigned int n;
	size_t i;

	for (i = 0; i < len; i += n) {
		n = next_char(s + i, len - i, &v);
		if (n && is_unsafe(v) && v < 0x10000) {
			text_printf(text, "\\u%04x", v);
		} else if (n && is_unsafe(v)) {
			text_printf(text, "\\u%04x\\u%04x",
				    0xD800 + ((v - 0x10000) >> 10),
				    0xDC00 + ((v - 0x10000) & 0x3FF));
		} else {
			n = n ? n : 1;
			text_add(text, s + i, n);
		}
	}
}

/* A GUID in lower case, without braces.  Returns out. */
const char *guid_text(const struct etw_guid *guid, char out[GUID_TEXT_SIZE])
{
	char braced[ETW_GUID_TEXT];

	etw_guid_format(guid, braced);
	memcpy(out, braced + 1, GUID_TEXT_SIZE - 1);
	out[GUID_TEXT_SIZE - 1] = '\0';
	return out;
}

void text_guid(struct text *text, const struct etw_guid *guid)
{
	char s[GUID_TEXT_SIZE];

	text_puts(text, guid_text(guid, s));
}

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){ 0 };
}

size_t text_columns(const char *s)
{
	size_t columns = 0;

	for (; *s; s++)
		columns += ((unsigned char)*s & 0xC0) != 0x80;
	return columns;
}
