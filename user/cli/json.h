/* SPDX-License-Identifier: MIT */
/*
 * json.h - JSON output, one object per line, on top of json-c
 *
 * Keys must be string literals: they are not copied, nor tested for doubles.
 */
#ifndef ETW_CLI_JSON_H
#define ETW_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <json-c/json.h>
#include <etw/format.h>

struct json_object *json_new(void);
struct json_object *json_new_array(void);
void json_put(struct json_object *to, const char *key, struct json_object *value);
void json_append(struct json_object *array, struct json_object *value);
void json_string(struct json_object *to, const char *key, const char *s,
		 size_t len);
void json_word(struct json_object *to, const char *key, const char *s);
void json_unsigned(struct json_object *to, const char *key, uint64_t value);
void json_signed(struct json_object *to, const char *key, int64_t value);
void json_mask(struct json_object *to, const char *key, uint64_t value);
void json_flag(struct json_object *to, const char *key, bool value);
void json_guid(struct json_object *to, const char *key,
	       const struct etw_guid *guid);
void json_time(struct json_object *to, const char *key, int64_t time);
void json_print(struct json_object *object);

#endif /* ETW_CLI_JSON_H */
