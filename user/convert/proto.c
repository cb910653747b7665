/* SPDX-License-Identifier: MIT */
/*
 * proto.c - append messages in the encoding of Protocol Buffers
 */
#include <string.h>
#include "proto.h"
#include "base/text.h"

void proto_int(struct etw_text *to, unsigned int field, int64_t value)
{
	proto_uint(to, field, (uint64_t)value);
}

void proto_fixed64(struct etw_text *to, unsigned int field, uint64_t value)
{
	char *at = etw_text_room(to, PROTO_VARINT_MAX + sizeof(value));

	if (!at)
		return;
	at = proto_tag(at, field, PROTO_WIRE_64);
	memcpy(at, &value, sizeof(value));
	etw_text_end(to, at + sizeof(value));
}

void proto_double(struct etw_text *to, unsigned int field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	proto_fixed64(to, field, bits);
}

void proto_bytes(struct etw_text *to, unsigned int field, const void *data, size_t len)
{
	char *at = etw_text_room(to, 2 * PROTO_VARINT_MAX + len);

	if (!at)
		return;
	at = proto_varint(proto_tag(at, field, PROTO_WIRE_LEN), len);
	etw_text_end(to, etw_text_copy(at, data, len));
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
