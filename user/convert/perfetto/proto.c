/* SPDX-License-Identifier: MIT */
/*
 * proto.c - append messages in the encoding of Protocol Buffers
 */
#include <errno.h>
#include <string.h>
#include "proto.h"
#include "base/text.h"

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_LEN = 2 };

#define LENGTH_BYTES	4

static void varint(struct etw_text *to, uint64_t value)
{
	char *at = etw_text_room(to, 10);

	if (!at)
		return;
	for (; value >= 0x80; value >>= 7)
		*at++ = (char)(value | 0x80);
	*at++ = (char)value;
	etw_text_end(to, at);
}

static void tag(struct etw_text *to, unsigned int field, enum wire wire)
{
	varint(to, (uint64_t)field << 3 | wire);
}

void proto_uint(struct etw_text *to, unsigned int field, uint64_t value)
{
	tag(to, field, WIRE_VARINT);
	varint(to, value);
}

void proto_int(struct etw_text *to, unsigned int field, int64_t value)
{
	proto_uint(to, field, (uint64_t)value);
}

void proto_fixed64(struct etw_text *to, unsigned int field, uint64_t value)
{
	tag(to, field, WIRE_64);
	etw_text_add(to, (const char *)&value, sizeof(value));
}

void proto_double(struct etw_text *to, unsigned int field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	proto_fixed64(to, field, bits);
}

void proto_bytes(struct etw_text *to, unsigned int field, const void *data, size_t len)
{
	tag(to, field, WIRE_LEN);
	varint(to, len);
	if (len)
		etw_text_add(to, data, len);
}

void proto_string(struct etw_text *to, unsigned int field, const char *s, size_t len)
{
	size_t begun;

	if (etw_utf8_valid(s, len)) {
		proto_bytes(to, field, s, len);
		return;
	}
	begun = proto_begin(to, field);
	etw_text_utf8(to, s, len);
	proto_end(to, begun);
}

size_t proto_begin(struct etw_text *to, unsigned int field)
{
	tag(to, field, WIRE_LEN);
	etw_text_add(to, "\x80\x80\x80", LENGTH_BYTES);
	return to->len;
}

void proto_end(struct etw_text *to, size_t begun)
{
	size_t len = to->len - begun;
	char *at;
	int i;

	if (to->error)
		return;
	if (len > PROTO_MAX) {
		to->error = -EMSGSIZE;
		return;
	}
	at = to->data + begun - LENGTH_BYTES;
	for (i = 0; i < LENGTH_BYTES; i++, len >>= 7)
		at[i] = (char)((len & 0x7f) | (i < LENGTH_BYTES - 1 ? 0x80 : 0));
}
