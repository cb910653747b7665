/* SPDX-License-Identifier: MIT */
/*
 * text.h - append to a text; without memory the command ends
 */
#ifndef ETW_CLI_TEXT_H
#define ETW_CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <etw/format.h>
#include "base/json_writer.h"
#include "base/text.h"

/* As the functions of user/base/text.h with etw_ before their names. */
void text_add(struct etw_text *text, const char *s, size_t len);
void text_puts(struct etw_text *text, const char *s);
void text_printf(struct etw_text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void text_unsigned(struct etw_text *text, uint64_t value, unsigned int min_digits);
void text_escape(struct etw_text *text, const char *s, size_t len);
void text_guid(struct etw_text *text, const struct etw_guid *guid);

/* End the command if an etw_text_ or etw_format_ function had no memory. */
void text_check(const struct etw_text *text);

#define GUID_TEXT_SIZE	(ETW_TEXT_GUID + 1)	/* without braces, NUL included */

const char *guid_text(const struct etw_guid *guid, char out[GUID_TEXT_SIZE]);

/* Print a JSON object whose last bracket is missing as a line, and empty the text. */
void json_print(struct etw_text *object);

/* Terminal columns of escaped text. */
size_t text_columns(const char *s);

#endif /* ETW_CLI_TEXT_H */
