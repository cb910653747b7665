/* SPDX-License-Identifier: MIT */
/*
 * json_writer.h - JSON written straight into a text
 *
 * Objects are written member by member; a comma goes before each but the first
 * after { or [.  Keys are literals that need no escapes; a member of an array has the key
 * NULL.
 */
#ifndef ETW_BASE_JSON_WRITER_H
#define ETW_BASE_JSON_WRITER_H

#include "text.h"

void json_writer_next(struct etw_text *to);	/* a comma, unless it is the first */
void json_writer_key(struct etw_text *to, const char *key);
void json_writer_string(struct etw_text *to, const char *key, const char *s, size_t len);
/* A NULL string becomes null. */
void json_writer_word(struct etw_text *to, const char *key, const char *s);
void json_writer_unsigned(struct etw_text *to, const char *key, uint64_t value);
void json_writer_flag(struct etw_text *to, const char *key, bool value);
/* "0x..." as a string: JSON numbers lose the top bits of a 64-bit mask. */
void json_writer_mask(struct etw_text *to, const char *key, uint64_t value);
void json_writer_guid(struct etw_text *to, const char *key, const struct etw_guid *guid);
/* Bytes as a string of hexadecimal digits */
void json_writer_hex(struct etw_text *to, const char *key, const void *data, size_t len);
/* 100 ns since 1601 as "2026-01-31T12:34:56.1234567Z" */
void json_writer_time(struct etw_text *to, const char *key, uint64_t time);
void json_writer_double(struct etw_text *to, const char *key, int decimals, double value);
/* Begin an object with { or an array with [; end it with the closing bracket. */
void json_writer_open(struct etw_text *to, const char *key, char bracket);
void json_writer_close(struct etw_text *to, char bracket);

#endif /* ETW_BASE_JSON_WRITER_H */
