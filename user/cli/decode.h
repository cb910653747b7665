/* SPDX-License-Identifier: MIT */
/*
 * decode.h - names and values out of an event
 */
#ifndef ETW_CLI_DECODE_H
#define ETW_CLI_DECODE_H

#include <stdbool.h>
#include "builtin.h"
#include "text.h"
#include "lib/rtreader.h"

#define DECODED_FIELDS	16

enum value_kind {
	VALUE_UNSIGNED,
	VALUE_SIGNED,
	VALUE_HEX,
	VALUE_WORD,
	VALUE_STRING,
	VALUE_GUID,
};

struct value {
	const char *name;
	enum value_kind kind;
	union {
		uint64_t u;
		int64_t i;
		const char *word;
		struct {	/* bytes of decoded.strings, not NUL-terminated */
			size_t at;
			size_t len;
		} string;
		struct etw_guid guid;
	};
};

/* One event, decoded.  Reuse it for the next one: it keeps its memory. */
struct decoded {
	const char *event;	/* name, or NULL if not known */
	unsigned int count;
	struct value values[DECODED_FIELDS];
	const uint8_t *rest;	/* payload that no field covers */
	size_t rest_len;
	struct text strings;	/* may hold any bytes */
};

void decode_event(const struct etw_record_view *record, bool raw,
		  struct decoded *out);

#endif /* ETW_CLI_DECODE_H */
