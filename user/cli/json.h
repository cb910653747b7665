/* SPDX-License-Identifier: MIT */
/*
 * json.h - JSON output, one object per line, on top of base/json_writer.h
 *
 * An object or array is text that grows member by member.  json_put() and json_append() copy
 * a value that is complete, and free it.  Keys are literals that need no escapes.
 */
#ifndef ETW_CLI_JSON_H
#define ETW_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <etw/format.h>

struct json;

struct json *json_new(void);
struct json *json_new_array(void);
void json_free(struct json *value);
void json_put(struct json *to, const char *key, struct json *value);
void json_append(struct json *array, struct json *value);
void json_append_word(struct json *array, const char *s);
/* Bytes from outside: what is not UTF-8 becomes U+FFFD. */
void json_string(struct json *to, const char *key, const char *s, size_t len);
/* NULL is null. */
void json_word(struct json *to, const char *key, const char *s);
void json_unsigned(struct json *to, const char *key, uint64_t value);
/* A number that is formatted already */
void json_number(struct json *to, const char *key, const char *number);
/* "0x..." as a string: JSON numbers lose the top bits of a 64-bit mask. */
void json_mask(struct json *to, const char *key, uint64_t value);
void json_flag(struct json *to, const char *key, bool value);
void json_guid(struct json *to, const char *key, const struct etw_guid *guid);
/* 100 ns since 1601 as "2026-01-31T12:34:56.1234567Z" */
void json_time(struct json *to, const char *key, int64_t time);
/* Print an object and a newline, and free it. */
void json_print(struct json *object);

#endif /* ETW_CLI_JSON_H */
