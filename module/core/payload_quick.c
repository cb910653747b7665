// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * payload_quick.c - payload programs that test one number, without walking the payload
 *
 * Every comparison of numbers but MODULO asks whether the number is within a range, or
 * outside it: EQ is within [v, v], LE within [minimum, v], LT within [minimum, v - 1]; NE, GT and
 * GE are outside of these.
 */
#include "core/payload.h"

/* The place of a step's field, if all fields up to it have a constant length. */
static bool place_of(const struct etw_payload_step *steps, u32 step, u32 *at)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i <= step; i++) {
		if (steps[i].kind != ETW_PAYLOAD_FIXED || steps[i].flags)
			return false;
		if (i < step)
			sum += (u64)steps[i].length * steps[i].count;
	}
	*at = sum;
	return sum <= ETW_RECORD_MAX;
}

/* The number as in an event, shifted; false: no field of that length has this value. */
static bool shifted(const struct etw_payload_quick *quick, bool is_signed, u64 value, u64 *to)
{
	*to = value << quick->shift;
	if ((is_signed ? (u64)((s64)*to >> quick->shift) : *to >> quick->shift) != value)
		return false;
	*to ^= quick->flip;
	return true;
}

static bool range_of(struct etw_payload_quick *quick, const struct etw_payload_test *test)
{
	const bool is_signed = test->type == ETW_PAYLOAD_SIGNED;
	const u64 unit = 1ull << quick->shift;
	u64 low, high;

	if (!shifted(quick, is_signed, test->value[0], &low) ||
	    !shifted(quick, is_signed, test->value[1], &high))
		return false;
	switch (test->op) {
	case ETW_PAYLOAD_EQ:
	case ETW_PAYLOAD_NE:
		high = low;
		break;
	case ETW_PAYLOAD_LE:
	case ETW_PAYLOAD_GT:
		high = low;
		low = 0;
		break;
	case ETW_PAYLOAD_LT:
	case ETW_PAYLOAD_GE:
		if (!low)
			return false;
		high = low - unit;
		low = 0;
		break;
	case ETW_PAYLOAD_BETWEEN:
	case ETW_PAYLOAD_NOTBETWEEN:
		break;
	default:
		return false;
	}
	quick->low = low;
	quick->span = high - low;
	quick->within = test->op == ETW_PAYLOAD_EQ || test->op == ETW_PAYLOAD_LE ||
			test->op == ETW_PAYLOAD_LT || test->op == ETW_PAYLOAD_BETWEEN;
	return true;
}

bool etw_payload_shorten(const void *program, struct etw_payload_quick *quick)
{
	const struct etw_payload_header *head = program;
	const struct etw_payload_event *event = (const void *)(head + 1);
	const struct etw_payload_step *steps = (const void *)((const u8 *)program + event->at);
	const struct etw_payload_test *test = (const void *)(steps + event->steps);

	*quick = (struct etw_payload_quick){ .id = event->id, .version = event->version };
	if (head->events != 1 || event->tests != 1 || !place_of(steps, test->step, &quick->at) ||
	    (test->type != ETW_PAYLOAD_UNSIGNED && test->type != ETW_PAYLOAD_SIGNED))
		return false;
	quick->bytes = steps[test->step].length;
	quick->shift = 64 - 8 * quick->bytes;
	quick->flip = test->type == ETW_PAYLOAD_SIGNED ? 1ull << 63 : 0;
	return range_of(quick, test);
}
