/* SPDX-License-Identifier: MIT */
/*
 * json_writer.h - JSON written straight into a text, for what comes often
 *
 * Objects are written member by member; a comma goes before each but the first
 * after { or [.  Keys are literals that need no escapes.  See json.h for the rest.
 */
#ifndef ETW_CONVERT_JSONTEXT_H
#define ETW_CONVERT_JSONTEXT_H

#include "text.h"

void json_writer_next(struct etw_text *to);	/* the comma, where one is due */
void json_writer_key(struct etw_text *to, const char *key);
void json_writer_string(struct etw_text *to, const char *key, const char *s, size_t len);
/* NULL is null. */
void json_writer_word(struct etw_text *to, const char *key, const char *s);
void json_writer_unsigned(struct etw_text *to, const char *key, uint64_t value);
void json_writer_flag(struct etw_text *to, const char *key, bool value);
/* "0x..." as a string: JSON numbers lose the top bits of a 64-bit mask. */
void json_writer_mask(struct etw_text *to, const char *key, uint64_t value);
void json_writer_guid(struct etw_text *to, const char *key, const struct etw_guid *guid);

#endif /* ETW_CONVERT_JSONTEXT_H */
