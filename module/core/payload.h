/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * payload.h - payload filters: check a program once, run it for each event
 *
 * The program is that of abi_filter.h.  Only checked programs run, so running one
 * needs no memory, cannot fail, and takes time in proportion to the payload, once for the
 * walk and once for each test, at most ETW_PAYLOAD_TESTS: see etw_payload_weight().  It reads
 * the pieces of a payload in place.
 */
#ifndef ETW_CORE_PAYLOAD_H
#define ETW_CORE_PAYLOAD_H

#include "core/record.h"
#include <etw/abi_filter.h>

/*
 * Check a program of len bytes, 8-byte aligned, and prepare it in place, once.  0 or
 * -EINVAL.
 */
int etw_payload_load(void *program, u32 len);

/*
 * A program that makes a single test, of a number at a constant place of one event, in short:
 * the test holds if the number is within a range, or outside it.
 */
struct etw_payload_quick {
	u16 id;
	u8 version;
	u8 bytes;		/* of the number */
	bool within;
	u32 at;			/* bytes of payload before it */
	u32 shift;		/* makes the number's highest bit the word's highest, ... */
	u64 flip;		/* ... and with this bit inverted, order signed as unsigned */
	u64 low, span;		/* the range, of numbers so shifted: low to low + span */
};

/* Shorten a checked program; false: that program has to be run. */
bool etw_payload_shorten(const void *program, struct etw_payload_quick *quick);

/* What a test says of an event that it may not be able to decide. */
enum etw_payload_answer { ETW_PAYLOAD_FAILS, ETW_PAYLOAD_HOLDS, ETW_PAYLOAD_RUN };

/*
 * As etw_payload_pass() with the program that was shortened, but for descriptors without
 * types, which need not have been measured; RUN: it has to be run, because the number is not
 * within one piece that can be read.
 */
static __always_inline enum etw_payload_answer
etw_payload_try(const struct etw_payload_quick *quick, const struct etw_event_descriptor *desc,
		const struct etw_data_descriptor *data, u32 count)
{
	const struct etw_data_descriptor *end = data + count;
	u32 at = quick->at, size;
	u64 value = 0;
	const u8 *from;

	if (desc->id != quick->id || desc->version != quick->version)
		return ETW_PAYLOAD_HOLDS;
	for (;; data++) {
		if (unlikely(data == end))
			return ETW_PAYLOAD_RUN;
		size = READ_ONCE(data->size);
		if (at < size)
			break;
		at -= size;
	}
	from = (const u8 *)(unsigned long)READ_ONCE(data->ptr) + at;
	if (unlikely(quick->bytes > size - at || !etw_may_read((unsigned long)from)))
		return ETW_PAYLOAD_RUN;
	if (quick->bytes == 4)
		ETW_MOVE(u32, &value, from, fault);
	else if (quick->bytes == 8)
		ETW_MOVE(u64, &value, from, fault);
	else if (quick->bytes == 2)
		ETW_MOVE(u16, &value, from, fault);
	else
		ETW_MOVE(u8, &value, from, fault);
	value = (value << quick->shift ^ quick->flip) - quick->low;
	return (value <= quick->span) == quick->within ? ETW_PAYLOAD_HOLDS : ETW_PAYLOAD_FAILS;
fault:
	return ETW_PAYLOAD_RUN;
}

/* How often a checked program examines a payload, up to ETW_PAYLOAD_SEARCH_MAX, at most. */
u32 etw_payload_weight(const void *program);

/*
 * Does an event pass?  source was measured, without other items.  typed: data descriptors
 * with a type are no payload.  The payload may change meanwhile, and even the list of its
 * pieces may: no byte beyond a piece is read.  Any context.
 */
bool etw_payload_pass(const void *program, const struct etw_record_source *source, bool typed);

#endif /* ETW_CORE_PAYLOAD_H */
