/* SPDX-License-Identifier: MIT */
/*
 * text.c - append to a text; without memory the command ends
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "cli.h"
#include "text.h"
#include "base/guid.h"

void text_check(const struct etw_text *text)
{
	if (text->error)
		cli_die("out of memory");
}

void text_add(struct etw_text *text, const char *s, size_t len)
{
	etw_text_add(text, s, len);
	text_check(text);
}

void text_puts(struct etw_text *text, const char *s)
{
	text_add(text, s, strlen(s));
}

void text_printf(struct etw_text *text, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	etw_text_vprintf(text, fmt, ap);
	va_end(ap);
	text_check(text);
}

void text_unsigned(struct etw_text *text, uint64_t value, unsigned int min_digits)
{
	etw_text_unsigned(text, value, min_digits);
	text_check(text);
}

void text_escape(struct etw_text *text, const char *s, size_t len)
{
	etw_text_escape(text, s, len);
	text_check(text);
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

void text_guid(struct etw_text *text, const struct etw_guid *guid)
{
	etw_text_guid(text, guid);
	text_check(text);
}

void json_print(struct etw_text *object)
{
	text_add(object, "}\n", 2);
	fwrite(object->data, 1, object->len, stdout);
	etw_text_free(object);
}

size_t text_columns(const char *s)
{
	size_t columns = 0;

	for (; *s; s++)
		columns += ((unsigned char)*s & 0xC0) != 0x80;
	return columns;
}
