/* SPDX-License-Identifier: MIT */
/*
 * text.h - a growing line of text: user/base/text.h, but no memory is the end
 */
#ifndef ETW_CLI_TEXT_H
#define ETW_CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <etw/format.h>
#include "base/text.h"

/* Each as its etw_text_ namesake. */
void text_add(struct etw_text *text, const char *s, size_t len);
void text_puts(struct etw_text *text, const char *s);
void text_printf(struct etw_text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void text_unsigned(struct etw_text *text, uint64_t value, unsigned int min_digits);
void text_escape(struct etw_text *text, const char *s, size_t len);
void text_utf8(struct etw_text *text, const char *s, size_t len);
void text_guid(struct etw_text *text, const struct etw_guid *guid);
void text_free(struct etw_text *text);

/* For those who append with etw_text_ and etw_format_ functions: die of an error. */
void text_check(const struct etw_text *text);

#define GUID_TEXT_SIZE	(ETW_TEXT_GUID + 1)	/* without braces, NUL included */

const char *guid_text(const struct etw_guid *guid, char out[GUID_TEXT_SIZE]);

/* Terminal columns of escaped text. */
size_t text_columns(const char *s);

#endif /* ETW_CLI_TEXT_H */
