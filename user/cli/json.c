/* SPDX-License-Identifier: MIT */
/*
 * json.c - JSON output, one object per line, on top of json-c
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli.h"
#include "cli/print/clock.h"
#include "json.h"
#include "text.h"

#define ADD_FLAGS	(JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_KEY_IS_CONSTANT)
#define PRINT_FLAGS	(JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

static struct json_object *need(struct json_object *value)
{
	if (!value)
		cli_die("out of memory");
	return value;
}

struct json_object *json_new(void)
{
	return need(json_object_new_object());
}

struct json_object *json_new_array(void)
{
	return need(json_object_new_array());
}

void json_put(struct json_object *to, const char *key, struct json_object *value)
{
	if (json_object_object_add_ex(to, key, need(value), ADD_FLAGS))
		cli_die("out of memory");
}

void json_append(struct json_object *array, struct json_object *value)
{
	if (json_object_array_add(array, need(value)))
		cli_die("out of memory");
}

/* Bytes from outside: what is no UTF-8 becomes U+FFFD. */
void json_string(struct json_object *to, const char *key, const char *s,
		 size_t len)
{
	static struct etw_text valid;

	valid.len = 0;
	text_utf8(&valid, s, len);
	json_put(to, key, json_object_new_string_len(valid.len ? valid.data : "",
						     (int)valid.len));
}

/* A string of our own, or NULL for null. */
void json_word(struct json_object *to, const char *key, const char *s)
{
	if (s)
		json_put(to, key, json_object_new_string(s));
	else if (json_object_object_add_ex(to, key, NULL, ADD_FLAGS))
		cli_die("out of memory");
}

void json_unsigned(struct json_object *to, const char *key, uint64_t value)
{
	json_put(to, key, json_object_new_uint64(value));
}

void json_signed(struct json_object *to, const char *key, int64_t value)
{
	json_put(to, key, json_object_new_int64(value));
}

/* "0x..." as a string: JSON numbers lose the top bits of a 64-bit mask. */
void json_mask(struct json_object *to, const char *key, uint64_t value)
{
	char s[20];

	snprintf(s, sizeof(s), "0x%" PRIx64, value);
	json_word(to, key, s);
}

void json_flag(struct json_object *to, const char *key, bool value)
{
	json_put(to, key, json_object_new_boolean(value));
}

void json_guid(struct json_object *to, const char *key,
	       const struct etw_guid *guid)
{
	char s[GUID_TEXT_SIZE];

	json_word(to, key, guid_text(guid, s));
}

/* 100 ns since 1601 as "2026-01-31T12:34:56.1234567Z". */
void json_time(struct json_object *to, const char *key, int64_t time)
{
	struct etw_text s = { 0 };

	clock_utc(&s, time);
	json_word(to, key, s.data);
	text_free(&s);
}

/* Print an object and a newline, and free it. */
void json_print(struct json_object *object)
{
	static struct etw_text line;
	size_t len;
	const char *s = json_object_to_json_string_length(object, PRINT_FLAGS,
							  &len);

	if (!s)
		cli_die("out of memory");
	line.len = 0;
	text_json(&line, s, len);
	text_add(&line, "\n", 1);
	fwrite(line.data, 1, line.len, stdout);
	json_object_put(object);
}
