/* SPDX-License-Identifier: MIT */
/*
 * proto.h - append messages in the encoding of Protocol Buffers
 *
 * The length of a nested message always takes four bytes, which proto_end() fills in, so no
 * nested message may be larger than PROTO_MAX.
 *
 * Source: "Encoding" in the documentation of Protocol Buffers.
 */
#ifndef ETW_CONVERT_PROTO_H
#define ETW_CONVERT_PROTO_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <etw/decode.h>
#include "base/text.h"

#define PROTO_MAX	((1u << 28) - 1)

enum proto_wire { PROTO_WIRE_VARINT = 0, PROTO_WIRE_64 = 1, PROTO_WIRE_LEN = 2 };

#define PROTO_VARINT_MAX	10	/* bytes */
#define PROTO_LENGTH		4	/* of a nested message's length */

static inline char *proto_varint(char *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (char)(value | 0x80);
	*at++ = (char)value;
	return at;
}

static inline char *proto_tag(char *at, unsigned int field, enum proto_wire wire)
{
	return proto_varint(at, (uint64_t)field << 3 | wire);
}

static inline void proto_uint(struct etw_text *to, unsigned int field, uint64_t value)
{
	char *at = etw_text_room(to, 2 * PROTO_VARINT_MAX);

	if (at)
		etw_text_end(to, proto_varint(proto_tag(at, field, PROTO_WIRE_VARINT), value));
}

void proto_int(struct etw_text *to, unsigned int field, int64_t value);
void proto_fixed64(struct etw_text *to, unsigned int field, uint64_t value);
void proto_double(struct etw_text *to, unsigned int field, double value);
void proto_bytes(struct etw_text *to, unsigned int field, const void *data, size_t len);
/* Append a string as valid UTF-8: other bytes become U+FFFD. */
void proto_string(struct etw_text *to, unsigned int field, const char *s, size_t len);

/* Returns what proto_end() needs. */
static inline size_t proto_begin(struct etw_text *to, unsigned int field)
{
	char *at = etw_text_room(to, PROTO_VARINT_MAX + PROTO_LENGTH);

	if (!at)
		return to->len;
	at = proto_tag(at, field, PROTO_WIRE_LEN);
	memset(at, 0, PROTO_LENGTH);
	etw_text_end(to, at + PROTO_LENGTH);
	return to->len;
}

static inline void proto_end(struct etw_text *to, size_t begun)
{
	size_t len = to->len - begun;
	uint32_t bytes;

	if (to->error)
		return;
	if (len > PROTO_MAX) {
		to->error = -EMSGSIZE;
		return;
	}
	/* Seven bits in each byte, with the mark that another one follows in the first three */
	bytes = (uint32_t)((len & 0x7f) | (len & 0x3f80) << 1 | (len & 0x1fc000) << 2 |
			   (len & 0xfe00000) << 3) | 0x808080;
	memcpy(to->data + begun - PROTO_LENGTH, &bytes, PROTO_LENGTH);
}

#endif /* ETW_CONVERT_PROTO_H */
