/* SPDX-License-Identifier: MIT */
/* proto_read.h - reads Protocol Buffers encoding, strictly */
#ifndef ETW_UNIT_PROTO_READ_H
#define ETW_UNIT_PROTO_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *at, *end;
};

struct proto {
	unsigned int field, wire;
	uint64_t value;		/* for wire types 0, 1 and 5 */
	struct bytes in;	/* for wire type 2 */
};

/* Set by any error in any message. */
static bool proto_wrong;

static uint64_t read_varint(struct bytes *from)
{
	uint64_t value = 0;
	unsigned int shift;

	for (shift = 0; shift < 70 && from->at < from->end; shift += 7) {
		value |= shift < 64 ? (uint64_t)(*from->at & 0x7f) << shift : 0;
		if (!(*from->at++ & 0x80))
			return value;
	}
	proto_wrong = true;
	from->at = from->end;
	return 0;
}

static uint64_t read_fixed(struct bytes *from, size_t len)
{
	uint64_t value = 0;

	if ((size_t)(from->end - from->at) < len) {
		proto_wrong = true;
		from->at = from->end;
		return 0;
	}
	memcpy(&value, from->at, len);
	from->at += len;
	return value;
}

/* The next field of a message; false: no more fields. */
__attribute__((__unused__))
static bool proto_next(struct bytes *from, struct proto *to)
{
	uint64_t tag;

	if (from->at >= from->end)
		return false;
	tag = read_varint(from);
	memset(to, 0, sizeof(*to));
	to->field = (unsigned int)(tag >> 3);
	to->wire = tag & 7;
	proto_wrong |= !to->field;
	switch (to->wire) {
	case 0:
		to->value = read_varint(from);
		break;
	case 1:
		to->value = read_fixed(from, 8);
		break;
	case 5:
		to->value = read_fixed(from, 4);
		break;
	case 2:
		to->value = read_varint(from);
		if (to->value > (uint64_t)(from->end - from->at)) {
			proto_wrong = true;
			to->value = 0;
		}
		to->in.at = from->at;
		to->in.end = from->at += to->value;
		break;
	default:
		proto_wrong = true;
		from->at = from->end;
	}
	return !proto_wrong;
}

/* The n-th field of that number, from 0; false: not present. */
__attribute__((__unused__))
static bool proto_find(struct bytes from, unsigned int field, unsigned int n, struct proto *to)
{
	while (proto_next(&from, to))
		if (to->field == field && !n--)
			return true;
	memset(to, 0, sizeof(*to));
	return false;
}

__attribute__((__unused__))
static bool proto_is(const struct proto *field, const char *text)
{
	return field->wire == 2 && (size_t)(field->in.end - field->in.at) == strlen(text) &&
	       !memcmp(field->in.at, text, strlen(text));
}

#endif /* ETW_UNIT_PROTO_READ_H */
