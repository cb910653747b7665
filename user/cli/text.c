/* SPDX-License-Identifier: MIT */
/*
 * text.c - texts; without memory the command ends
 */
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

const char *text_data(const struct etw_text *text)
{
	text_check(text);
	return text->len ? text->data : "";
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

void json_print(struct etw_text *object)
{
	etw_text_add(object, "}\n", 2);
	text_check(object);
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
