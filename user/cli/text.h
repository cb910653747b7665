/* SPDX-License-Identifier: MIT */
/*
 * text.h - a growing line of text, and making foreign bytes printable
 */
#ifndef ETW_CLI_TEXT_H
#define ETW_CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <etw/format.h>

/* All zero is an empty one; data is NUL-terminated once something was added. */
struct text {
	char *data;
	size_t len;
	size_t cap;
};

void text_add(struct text *text, const char *s, size_t len);
void text_puts(struct text *text, const char *s);
void text_printf(struct text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void text_unsigned(struct text *text, uint64_t value, unsigned int min_digits);
void text_escape(struct text *text, const char *s, size_t len);
void text_utf8(struct text *text, const char *s, size_t len);
void text_utf16(struct text *text, const void *s, size_t bytes);
void text_hex(struct text *text, const void *data, size_t len);
void text_json(struct text *text, const char *s, size_t len);
void text_guid(struct text *text, const struct etw_guid *guid);
void text_free(struct text *text);

#define GUID_TEXT_SIZE	37	/* without braces, NUL included */

const char *guid_text(const struct etw_guid *guid, char out[GUID_TEXT_SIZE]);

/* Terminal columns of escaped text. */
size_t text_columns(const char *s);

#endif /* ETW_CLI_TEXT_H */
