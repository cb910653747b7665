/* SPDX-License-Identifier: MIT */
/*
 * blob.c - filter data that only the provider understands, as --data gives them:
 * ID:HEX or ID.VERSION:HEX, two digits a byte
 */
#include <string.h>
#include "blob.h"
#include "cli/cli.h"
#include "scan.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void blob_parse(struct blob *blob, const char *option, const char *text)
{
	uint32_t id, version = 0, len = 0;
	struct scan s;

	if (blob->header.size)
		cli_usage("%s: given twice", option);
	scan_begin(&s, text);
	if (!scan_number(&s, UINT16_MAX, &id) ||
	    (scan_token(&s, ".") && !scan_number(&s, UINT8_MAX, &version)) ||
	    !scan_token(&s, ":"))
		cli_usage("%s: %s is not ID:HEX or ID.VERSION:HEX", option, cli_quote(text));
	for (; s.at[0]; s.at += 2) {
		if (digit(s.at[0]) < 0 || digit(s.at[1]) < 0)
			cli_usage("%s: column %zu: two hexadecimal digits make a byte", option,
				  (size_t)(s.at - text) + 1);
		if (len == sizeof(blob->data))
			cli_usage("%s: more than %zu bytes", option, sizeof(blob->data));
		blob->data[len++] = (uint8_t)(digit(s.at[0]) << 4 | digit(s.at[1]));
	}
	blob->header.id = (uint16_t)id;
	blob->header.version = (uint8_t)version;
	blob->header.size = sizeof(blob->header) + len;
}

/* blob has to stay until the request was made. */
struct etw_filter blob_filter(const struct blob *blob)
{
	return (struct etw_filter){ .ptr = (uintptr_t)blob, .len = blob->header.size,
				    .type = ETW_FILTER_SCHEMATIZED };
}
