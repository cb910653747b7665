// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * payload_read.c - read a payload where it is not within one piece
 *
 * The list of pieces may change meanwhile: each length is read once, and no more bytes of
 * the piece are read than that.
 */
#include "core/payload_read.h"

#define PROBE_STEP	4096U	/* the size of a page, or a part of it */

/* A driver's piece may not be readable: try each page of it, so that the tests need not. */
static __always_inline bool readable(const u8 *at, u32 n)
{
	u32 i, step;

	if (likely(n && ((unsigned long)at ^ ((unsigned long)at + n - 1)) < PROBE_STEP)) {
		u8 value;

		ETW_MOVE(u8, &value, at, fault);
		(void)value;
		return true;
	}
	for (i = 0; i < n; i += step) {
		u8 value;

		ETW_MOVE(u8, &value, at + i, fault);
		(void)value;
		step = PROBE_STEP - ((unsigned long)(at + i) & (PROBE_STEP - 1));
	}
	return true;
fault:
	return false;
}

/*
 * Go to the next piece that is not empty; false: there is none, or it cannot be read.  Without a
 * canary: no array here could overflow, and filters call this for each piece.
 */
__no_stack_protector bool etw_cursor_refill(struct etw_cursor *c)
{
	while (!c->here) {
		if (!c->after || !c->pieces) {
			c->after = 0;
			return false;
		}
		if (!c->typed || !(u8)READ_ONCE(c->next->reserved)) {
			c->here = READ_ONCE(c->next->size);
			c->at = (const u8 *)(unsigned long)READ_ONCE(c->next->ptr);
			if (c->here > c->after)
				c->here = c->after;
			if (unlikely(!readable(c->at, c->here))) {
				c->here = 0;
				c->after = 0;
				return false;
			}
		}
		c->after -= c->here;
		c->next++;
		c->pieces--;
	}
	return true;
}

/* false: the payload is too short. */
bool etw_cursor_skip(struct etw_cursor *c, u32 n)
{
	u32 part;

	if (n > etw_cursor_left(c))
		return false;
	while (n) {
		if (!c->here && !etw_cursor_refill(c))
			return false;
		part = n < c->here ? n : c->here;
		c->at += part;
		c->here -= part;
		n -= part;
	}
	return true;
}

/* A little-endian number of n bytes, at most 8. */
bool etw_cursor_number(struct etw_cursor *c, u32 n, u64 *value)
{
	u32 i;

	*value = 0;
	for (i = 0; i < n; i++) {
		if (!c->here && !etw_cursor_refill(c))
			return false;
		*value |= (u64)*c->at++ << 8 * i;
		c->here--;
	}
	return true;
}
