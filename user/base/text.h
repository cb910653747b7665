/* SPDX-License-Identifier: MIT */
/*
 * text.h - append to a growing text; make untrusted bytes printable
 *
 * For struct etw_text of <etw/decode.h>. After an allocation fails, error stays -ENOMEM,
 * so callers check it once, at the end. One thread at a time for each text.
 */
#ifndef ETW_BASE_TEXT_H
#define ETW_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <etw/decode.h>
#include <etw/format.h>

#define ETW_TEXT_GUID	36	/* characters of a GUID without braces */
#define ETW_TEXT_DIGITS	20	/* of the largest number */
#define ETW_TEXT_0X	18	/* of the largest number in hexadecimal */

/* Room for len bytes and a NUL after the text, or NULL; does not change text->len. */
char *etw_text_grow(struct etw_text *text, size_t len);

static inline char *etw_text_room(struct etw_text *text, size_t len)
{
	if (__builtin_expect(!text->error && text->cap - text->len > len, 1))
		return text->data + text->len;
	return etw_text_grow(text, len);
}

/* The caller has written to etw_text_room()'s bytes up to end. */
static inline void etw_text_end(struct etw_text *text, char *end)
{
	text->len = (size_t)(end - text->data);
	*end = '\0';
}

/* memcpy() without a call for short texts, like most fields and names. */
static inline char *etw_text_copy(char *to, const char *s, size_t len)
{
	if (len > 32) {
		memcpy(to, s, len);
	} else if (len >= 16) {
		memcpy(to, s, 16);
		memcpy(to + len - 16, s + len - 16, 16);
	} else if (len >= 8) {
		memcpy(to, s, 8);
		memcpy(to + len - 8, s + len - 8, 8);
	} else if (len >= 4) {
		memcpy(to, s, 4);
		memcpy(to + len - 4, s + len - 4, 4);
	} else if (len) {
		to[0] = s[0];
		to[len / 2] = s[len / 2];
		to[len - 1] = s[len - 1];
	}
	return to + len;
}

static inline void etw_text_add(struct etw_text *text, const char *s, size_t len)
{
	char *to = etw_text_room(text, len);

	if (to)
		etw_text_end(text, etw_text_copy(to, s, len));
}

static inline void etw_text_char(struct etw_text *text, char c)
{
	char *to = etw_text_room(text, 1);

	if (to) {
		*to = c;
		etw_text_end(text, to + 1);
	}
}

static inline void etw_text_puts(struct etw_text *text, const char *s)
{
	etw_text_add(text, s, strlen(s));
}

/* Truncate to len bytes. */
void etw_text_cut(struct etw_text *text, size_t len);

void etw_text_printf(struct etw_text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void etw_text_vprintf(struct etw_text *text, const char *fmt, va_list args);
/* Like "%0*llu", "%lld", "0x%llx", but fast. */
void etw_text_unsigned(struct etw_text *text, uint64_t value, unsigned int min_digits);
void etw_text_signed(struct etw_text *text, int64_t value);
void etw_text_0x(struct etw_text *text, uint64_t value);
/*
 * The same at to, which has room for ETW_TEXT_DIGITS or ETW_TEXT_0X characters; return the
 * end, without a NUL.
 */
char *etw_text_digits(char *to, uint64_t value);
char *etw_text_digits_0x(char *to, uint64_t value);
/*
 * The shortest decimal number that reads back as the same float (digits: 9) or double
 * (17); "NaN", "Infinity", "-Infinity".
 */
void etw_text_float(struct etw_text *text, double value, int digits);

/* Two digits for each byte, lower case. */
void etw_text_hex(struct etw_text *text, const void *data, size_t len);
/* Lower case, without braces; guid: 16 bytes at any address. */
void etw_text_guid(struct etw_text *text, const void *guid);
/* 100 ns since 1601 as "2026-01-31T12:34:56.1234567Z" */
void etw_text_time(struct etw_text *text, uint64_t filetime);

#define ETW_TEXT_TIME	30	/* characters that a time takes at most */

/* The text of one second: many events happen in each. All zero at first. */
struct etw_text_second {
	uint64_t second;
	size_t len;
	char text[24];
};

/* The same for times that are mostly in the second of the time before */
void etw_text_time_near(struct etw_text *text, uint64_t filetime, struct etw_text_second *last);
/* The 7 digits of a second's fraction, in ticks of 100 ns; returns the end, without a NUL. */
char *etw_text_fraction(char *to, uint32_t ticks);

/* Is it a C0 or C1 control, a line separator, or a character that reorders or hides text? */
bool etw_text_is_unsafe(uint32_t code);

/*
 * Make UTF-8 printable: escape quotes and backslashes with a backslash, control characters
 * and characters that reorder text as \n, \u001b and so on, invalid bytes as \xNN.
 */
void etw_text_escape(struct etw_text *text, const char *s, size_t len);
/* The same, but quotes and backslashes stay. */
void etw_text_safe(struct etw_text *text, const char *s, size_t len);
/* Valid UTF-8: invalid bytes become U+FFFD. */
void etw_text_utf8(struct etw_text *text, const char *s, size_t len);
/* Little-endian UTF-16 at any address as UTF-8; lone surrogates become U+FFFD. */
void etw_text_utf16(struct etw_text *text, const void *s, size_t bytes);

enum etw_text_style {
	ETW_TEXT_RAW,
	ETW_TEXT_ESCAPED,	/* like etw_text_escape() */
	ETW_TEXT_JSON,		/* the inside of a JSON string */
};

/*
 * Append the leading characters of s that need no escape in any style (ASCII without
 * controls, quotes and backslashes); returns their number.
 */
size_t etw_text_plain(struct etw_text *text, const char *s, size_t len);
/* Append s in quotes if it consists of such characters; false: nothing was added. */
bool etw_text_quote_plain(struct etw_text *text, const char *s, size_t len);
/*
 * Copy a string to a place with room for it if it consists of such characters; returns the
 * end, or NULL: it does not, and the place has anything.
 */
char *etw_text_copy_plain(char *to, const char *s, size_t len);
/* The same for little-endian UTF-16 at any address, of an even number of bytes */
char *etw_text_copy_plain16(char *to, const void *s, size_t bytes);
/* UTF-16, in a style */
void etw_text_string16(struct etw_text *text, const void *s, size_t bytes,
		       enum etw_text_style style);
/* Windows-1252, in a style; its five unused bytes count as control characters. */
void etw_text_cp1252(struct etw_text *text, const void *s, size_t bytes,
		     enum etw_text_style style);
/* Is it valid UTF-8? */
bool etw_utf8_valid(const char *s, size_t len);

/* The inside of a JSON string; invalid UTF-8 becomes U+FFFD. */
void etw_text_json_inside(struct etw_text *text, const char *s, size_t len);
/* The same with quotes around it. */
void etw_text_json_string(struct etw_text *text, const char *s, size_t len);

#endif /* ETW_BASE_TEXT_H */
