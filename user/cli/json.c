/* SPDX-License-Identifier: MIT */
/*
 * json.c - JSON output, one object per line
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "base/json_writer.h"
#include "cli/print/clock.h"
#include "json.h"
#include "text.h"

struct json {
	struct etw_text text;	/* without its last bracket */
	char end;
};

static struct json *begin(char first, char end)
{
	struct json *value = calloc(1, sizeof(*value));

	if (!value)
		cli_die("out of memory");
	value->end = end;
	text_add(&value->text, &first, 1);
	return value;
}

struct json *json_new(void)
{
	return begin('{', '}');
}

struct json *json_new_array(void)
{
	return begin('[', ']');
}

void json_free(struct json *value)
{
	etw_text_free(&value->text);
	free(value);
}

static void add(struct json *to, struct json *value)
{
	text_add(&to->text, value->text.data, value->text.len);
	text_add(&to->text, &value->end, 1);
	json_free(value);
}

void json_put(struct json *to, const char *key, struct json *value)
{
	json_writer_key(&to->text, key);
	add(to, value);
}

void json_append(struct json *array, struct json *value)
{
	json_writer_next(&array->text);
	add(array, value);
}

void json_append_word(struct json *array, const char *s)
{
	json_writer_next(&array->text);
	etw_text_json_string(&array->text, s, strlen(s));
	text_check(&array->text);
}

void json_string(struct json *to, const char *key, const char *s, size_t len)
{
	json_writer_string(&to->text, key, s, len);
	text_check(&to->text);
}

void json_word(struct json *to, const char *key, const char *s)
{
	json_writer_word(&to->text, key, s);
	text_check(&to->text);
}

void json_unsigned(struct json *to, const char *key, uint64_t value)
{
	json_writer_unsigned(&to->text, key, value);
	text_check(&to->text);
}

void json_number(struct json *to, const char *key, const char *number)
{
	json_writer_key(&to->text, key);
	text_puts(&to->text, number);
}

void json_mask(struct json *to, const char *key, uint64_t value)
{
	json_writer_mask(&to->text, key, value);
	text_check(&to->text);
}

void json_flag(struct json *to, const char *key, bool value)
{
	json_writer_flag(&to->text, key, value);
	text_check(&to->text);
}

void json_guid(struct json *to, const char *key, const struct etw_guid *guid)
{
	json_writer_guid(&to->text, key, guid);
	text_check(&to->text);
}

void json_time(struct json *to, const char *key, int64_t time)
{
	struct etw_text s = { 0 };

	clock_utc(&s, time);
	json_string(to, key, s.data, s.len);
	etw_text_free(&s);
}

void json_print(struct json *object)
{
	text_printf(&object->text, "%c\n", object->end);
	fwrite(object->text.data, 1, object->text.len, stdout);
	json_free(object);
}
