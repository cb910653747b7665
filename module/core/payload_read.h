/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * payload_read.h - read a payload, which consists of pieces
 *
 * Every byte is read through a cursor, which ends where the payload or the field does.
 * Most fields are within one piece and are read in place.
 */
#ifndef ETW_CORE_PAYLOAD_READ_H
#define ETW_CORE_PAYLOAD_READ_H

#include "core/record.h"

struct etw_cursor {
	const u8 *at;		/* in the current piece */
	u32 here;		/* bytes left there */
	u32 after;		/* bytes left in later ones */
	u32 pieces;		/* of these */
	bool typed;		/* skip those that have a type */
	const struct etw_data_descriptor *next;
};

/* A field's only element. */
struct etw_field {
	const u8 *flat;		/* its address; NULL: it is in several pieces */
	u32 bytes;
	struct etw_cursor at;	/* if it is in several pieces */
};

/* payload_read.c; false: the payload is too short. */
bool etw_cursor_refill(struct etw_cursor *c);
bool etw_cursor_skip(struct etw_cursor *c, u32 n);
bool etw_cursor_number(struct etw_cursor *c, u32 n, u64 *value);

static __always_inline u32 etw_cursor_left(const struct etw_cursor *c)
{
	return c->here + c->after;
}

/* Take a field of this many bytes. */
static __always_inline bool etw_field_take(struct etw_cursor *c, u32 bytes, struct etw_field *field)
{
	field->bytes = bytes;
	if (likely(c->here || etw_cursor_refill(c)) && likely(bytes <= c->here)) {
		field->flat = c->at;
		c->at += bytes;
		c->here -= bytes;
		return true;
	}
	field->flat = NULL;
	field->at = *c;
	return etw_cursor_skip(c, bytes);
}

/* A field of 1, 2, 4 or 8 bytes as a little-endian number. */
static __always_inline bool etw_field_number(const struct etw_field *field, u64 *value)
{
	struct etw_cursor c;
	u16 half;
	u32 word;

	if (unlikely(!field->flat)) {
		c = field->at;
		return etw_cursor_number(&c, field->bytes, value);
	}
	switch (field->bytes) {
	case 1:
		*value = *field->flat;
		return true;
	case 2:
		__builtin_memcpy(&half, field->flat, 2);
		*value = half;
		return true;
	case 4:
		__builtin_memcpy(&word, field->flat, 4);
		*value = word;
		return true;
	default:
		__builtin_memcpy(value, field->flat, 8);
		return true;
	}
}

#endif /* ETW_CORE_PAYLOAD_READ_H */
