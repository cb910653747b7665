/* SPDX-License-Identifier: MIT */
/*
 * text.h - texts; without memory the command ends
 */
#ifndef ETW_CLI_TEXT_H
#define ETW_CLI_TEXT_H

#include <stddef.h>
#include <etw/format.h>
#include "base/json_writer.h"
#include "base/text.h"

/* End the command if an etw_text_ or etw_format_ function had no memory. */
void text_check(const struct etw_text *text);
/* The same, and the text; "" if it is empty */
const char *text_data(const struct etw_text *text);

#define GUID_TEXT_SIZE	(ETW_TEXT_GUID + 1)	/* without braces, NUL included */

const char *guid_text(const struct etw_guid *guid, char out[GUID_TEXT_SIZE]);

/* Print a JSON object whose last bracket is missing as a line, and empty the text. */
void json_print(struct etw_text *object);

/* Terminal columns of escaped text. */
size_t text_columns(const char *s);

#endif /* ETW_CLI_TEXT_H */
