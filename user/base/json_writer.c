/* SPDX-License-Identifier: MIT */
/*
 * json_writer.c - JSON written straight into a text
 */
#include <string.h>
#include "json_writer.h"

static bool needs_comma(const struct etw_text *to)
{
	return to->len && to->data[to->len - 1] != '{' && to->data[to->len - 1] != '[';
}

void json_writer_next(struct etw_text *to)
{
	if (needs_comma(to))
		etw_text_char(to, ',');
}

void json_writer_key(struct etw_text *to, const char *key)
{
	size_t len;
	char *at;

	if (!key) {
		json_writer_next(to);
		return;
	}
	len = strlen(key);
	at = etw_text_room(to, len + 4);
	if (!at)
		return;
	if (needs_comma(to))
		*at++ = ',';
	*at++ = '"';
	at = etw_text_copy(at, key, len);
	memcpy(at, "\":", 2);
	etw_text_end(to, at + 2);
}

void json_writer_string(struct etw_text *to, const char *key, const char *s, size_t len)
{
	json_writer_key(to, key);
	etw_text_json_string(to, s, len);
}

void json_writer_word(struct etw_text *to, const char *key, const char *s)
{
	json_writer_key(to, key);
	if (s)
		etw_text_json_string(to, s, strlen(s));
	else
		etw_text_add(to, "null", 4);
}

void json_writer_unsigned(struct etw_text *to, const char *key, uint64_t value)
{
	json_writer_key(to, key);
	etw_text_unsigned(to, value, 1);
}

void json_writer_flag(struct etw_text *to, const char *key, bool value)
{
	json_writer_key(to, key);
	etw_text_puts(to, value ? "true" : "false");
}

void json_writer_mask(struct etw_text *to, const char *key, uint64_t value)
{
	json_writer_key(to, key);
	etw_text_char(to, '"');
	etw_text_0x(to, value);
	etw_text_char(to, '"');
}

void json_writer_hex(struct etw_text *to, const char *key, const void *data, size_t len)
{
	json_writer_key(to, key);
	etw_text_char(to, '"');
	etw_text_hex(to, data, len);
	etw_text_char(to, '"');
}

void json_writer_guid(struct etw_text *to, const char *key, const struct etw_guid *guid)
{
	json_writer_key(to, key);
	etw_text_char(to, '"');
	etw_text_guid(to, guid);
	etw_text_char(to, '"');
}

void json_writer_time(struct etw_text *to, const char *key, uint64_t time)
{
	json_writer_key(to, key);
	etw_text_char(to, '"');
	etw_text_time(to, time);
	etw_text_char(to, '"');
}

void json_writer_double(struct etw_text *to, const char *key, int decimals, double value)
{
	json_writer_key(to, key);
	etw_text_printf(to, "%.*f", decimals, value);
}

void json_writer_open(struct etw_text *to, const char *key, char bracket)
{
	json_writer_key(to, key);
	etw_text_char(to, bracket);
}

void json_writer_close(struct etw_text *to, char bracket)
{
	etw_text_char(to, bracket);
}
