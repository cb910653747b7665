// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * payload_run.c - run a payload program that etw_payload_load() has accepted
 *
 * The payload lies in pieces.  A place in it is a cursor; every byte is read
 * through one, which ends where the payload does.
 */
#include "core/payload.h"

struct cursor {
	const u8 *at;		/* in the current piece */
	u32 here;		/* bytes left there */
	u32 left;		/* bytes left of the payload */
	const struct etw_data_descriptor *next;
	u32 pieces;		/* after the current one */
};

struct run {
	struct cursor at;
	u64 reg[ETW_PAYLOAD_REGISTERS];
	u32 pointer;		/* bytes of one */
};

/* A field's only element. */
struct field {
	struct cursor at;
	u32 bytes;
};

static void start(struct cursor *c, const struct etw_record_source *source)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < source->count; i++)
		sum += READ_ONCE(source->data[i].size);
	c->at = NULL;
	c->here = 0;
	c->left = sum > ETW_RECORD_MAX ? ETW_RECORD_MAX : sum;
	c->next = source->data;
	c->pieces = source->count;
}

/* Go to the next piece that is not empty; false: there is none. */
static bool refill(struct cursor *c)
{
	while (!c->here) {
		if (!c->left || !c->pieces) {
			c->left = 0;
			return false;
		}
		c->here = READ_ONCE(c->next->size);
		c->at = (const u8 *)(unsigned long)READ_ONCE(c->next->ptr);
		if (c->here > c->left)
			c->here = c->left;
		c->next++;
		c->pieces--;
	}
	return true;
}

static __always_inline bool next_byte(struct cursor *c, u8 *byte)
{
	if (unlikely(!c->here) && !refill(c))
		return false;
	*byte = *c->at++;
	c->here--;
	c->left--;
	return true;
}

/* false: the payload is too short. */
static bool skip(struct cursor *c, u32 n)
{
	u32 part;

	if (n > c->left)
		return false;
	while (n) {
		if (!refill(c))
			return false;
		part = n < c->here ? n : c->here;
		c->at += part;
		c->here -= part;
		c->left -= part;
		n -= part;
	}
	return true;
}

/* A little-endian number of n bytes, at most 8. */
static bool number(struct cursor *c, u32 n, u64 *value)
{
	u32 i;
	u8 byte;

	*value = 0;
	for (i = 0; i < n; i++) {
		if (!next_byte(c, &byte))
			return false;
		*value |= (u64)byte << 8 * i;
	}
	return true;
}

/* --------------------------------------------------------------------- steps */

/* To behind a NUL of so many bytes; the field is what is before it. */
static bool skip_string(struct cursor *c, u32 width, struct field *field)
{
	u64 unit;

	field->at = *c;
	if (!c->left)
		return false;
	while (number(c, width, &unit) && unit)
		;
	/* Without a NUL all that is left was text. */
	field->bytes = field->at.left - c->left;
	return true;
}

static bool skip_counted(struct cursor *c, u32 width, bool big, struct field *field)
{
	u64 bytes;

	if (!number(c, width, &bytes))
		return false;
	if (big)
		bytes = (bytes & 0xff) << 8 | bytes >> 8;
	field->at = *c;
	field->bytes = bytes;
	return skip(c, bytes);
}

/* Revision, number of sub-authorities, 6 bytes of authority. */
static bool skip_sid(struct cursor *c)
{
	u64 head;

	return number(c, 2, &head) && skip(c, 6 + 4 * (head >> 8));
}

/* One element of a kind that has no length of its own. */
static bool skip_element(struct run *run, const struct etw_payload_step *step,
			 struct field *field)
{
	switch (step->kind) {
	case ETW_PAYLOAD_STRING8:
		return skip_string(&run->at, 1, field);
	case ETW_PAYLOAD_STRING16:
		return skip_string(&run->at, 2, field);
	case ETW_PAYLOAD_COUNTED:
		return skip_counted(&run->at, 2, false, field);
	case ETW_PAYLOAD_COUNTED_BE:
		return skip_counted(&run->at, 2, true, field);
	case ETW_PAYLOAD_COUNTED32:
		return skip_counted(&run->at, 4, false, field);
	case ETW_PAYLOAD_SID:
		return skip_sid(&run->at);
	default: /* REST */
		field->at = run->at;
		field->bytes = run->at.left;
		return skip(&run->at, run->at.left);
	}
}

/* count elements of so many bytes each. */
static bool skip_fixed(struct cursor *c, u64 count, u64 bytes, struct field *field)
{
	field->at = *c;
	/* A product that does not fit is a payload that is too short. */
	if (bytes && count > c->left / bytes)
		return false;
	field->bytes = bytes;
	return skip(c, count * bytes);
}

/* false: the payload ends before the field does. */
static bool step_over(struct run *run, const struct etw_payload_step *step,
		      struct field *field)
{
	u64 count = step->count, length = step->length;

	if (step->flags & ETW_PAYLOAD_COUNT_FIELD)
		count = run->reg[step->count];
	if (step->kind == ETW_PAYLOAD_POINTER)
		return skip_fixed(&run->at, count, run->pointer, field);
	if (step->kind == ETW_PAYLOAD_FIXED) {
		if (step->flags & ETW_PAYLOAD_LENGTH_FIELD)
			length = run->reg[step->length];
		if (length > ETW_RECORD_MAX)
			return false;
		if (step->flags & ETW_PAYLOAD_UNITS)
			length *= 2;
		return skip_fixed(&run->at, count, length, field);
	}
	/* Each element takes a byte at least, or is one too many. */
	for (; count; count--)
		if (!skip_element(run, step, field))
			return false;
	return true;
}

/* --------------------------------------------------------------------- tests */

/* Without its sign; the lowest number has no negative of its own type. */
static u64 size_of(s64 value)
{
	return value < 0 ? -(u64)value : (u64)value;
}

static bool signed_holds(const struct etw_payload_test *test, s64 value)
{
	const s64 low = test->value[0], high = test->value[1];

	switch (test->op) {
	case ETW_PAYLOAD_LE:
		return value <= low;
	case ETW_PAYLOAD_GT:
		return value > low;
	case ETW_PAYLOAD_LT:
		return value < low;
	case ETW_PAYLOAD_GE:
		return value >= low;
	case ETW_PAYLOAD_BETWEEN:
		return value >= low && value <= high;
	case ETW_PAYLOAD_NOTBETWEEN:
		return value < low || value > high;
	default: /* MODULO */
		return !(size_of(value) % size_of(low));
	}
}

static bool unsigned_holds(const struct etw_payload_test *test, u64 value)
{
	const u64 low = test->value[0], high = test->value[1];

	switch (test->op) {
	case ETW_PAYLOAD_LE:
		return value <= low;
	case ETW_PAYLOAD_GT:
		return value > low;
	case ETW_PAYLOAD_LT:
		return value < low;
	case ETW_PAYLOAD_GE:
		return value >= low;
	case ETW_PAYLOAD_BETWEEN:
		return value >= low && value <= high;
	case ETW_PAYLOAD_NOTBETWEEN:
		return value < low || value > high;
	default: /* MODULO */
		return !(value % low);
	}
}

static bool number_holds(const struct etw_payload_test *test, const struct field *field)
{
	struct cursor c = field->at;
	u32 unused = 64 - 8 * field->bytes;
	u64 value;

	if (!number(&c, field->bytes, &value))
		return false;
	if (test->type == ETW_PAYLOAD_SIGNED)
		value = (u64)((s64)(value << unused) >> unused);
	if (test->op == ETW_PAYLOAD_EQ)
		return value == test->value[0];
	if (test->op == ETW_PAYLOAD_NE)
		return value != test->value[0];
	return test->type == ETW_PAYLOAD_SIGNED ? signed_holds(test, value) :
						  unsigned_holds(test, value);
}

static bool guid_holds(const struct etw_payload_test *test, const struct field *field)
{
	struct cursor c = field->at;
	u64 low, high;

	if (!number(&c, 8, &low) || !number(&c, 8, &high))
		return false;
	return (low == test->value[0] && high == test->value[1]) ==
	       (test->op == ETW_PAYLOAD_IS);
}

/* The next unit of a text, ASCII letters in lower case; 0: it ends here. */
static __always_inline u32 next_unit(struct cursor *c, u32 *bytes, bool wide)
{
	u32 unit;
	u8 byte;

	if (*bytes < 1u + wide || !next_byte(c, &byte))
		return 0;
	unit = byte;
	if (wide) {
		if (!next_byte(c, &byte))
			return 0;
		unit |= (u32)byte << 8;
	}
	*bytes -= 1u + wide;
	return unit - 'A' < 26 ? unit + ('a' - 'A') : unit;
}

static __always_inline u32 wanted_unit(const u8 *text, u32 i, bool wide)
{
	return wide ? ((const u16 *)text)[i] : text[i];
}

static __always_inline bool contains(const u8 *text, u32 length, const struct field *field,
				     bool wide)
{
	const u8 *border = text + (wide ? 2 * length : length);
	struct cursor c = field->at;
	u32 bytes = field->bytes, unit, n = 0;

	while ((unit = next_unit(&c, &bytes, wide))) {
		while (n && wanted_unit(text, n, wide) != unit)
			n = border[n - 1];
		if (wanted_unit(text, n, wide) == unit && ++n == length)
			return true;
	}
	return false;
}

static __always_inline bool is(const u8 *text, u32 length, const struct field *field, bool wide)
{
	struct cursor c = field->at;
	u32 bytes = field->bytes, i;

	for (i = 0; i < length; i++)
		if (next_unit(&c, &bytes, wide) != wanted_unit(text, i, wide))
			return false;
	return !next_unit(&c, &bytes, wide);
}

static bool text_holds(const u8 *program, const struct etw_payload_test *test,
		       const struct field *field)
{
	const u8 *text = program + test->value[0];
	bool wide = test->type == ETW_PAYLOAD_TEXT16;

	switch (test->op) {
	case ETW_PAYLOAD_CONTAINS:
	case ETW_PAYLOAD_DOESNTCONTAIN:
		return (wide ? contains(text, test->length, field, true) :
			       contains(text, test->length, field, false)) ==
		       (test->op == ETW_PAYLOAD_CONTAINS);
	default:
		return (wide ? is(text, test->length, field, true) :
			       is(text, test->length, field, false)) ==
		       (test->op == ETW_PAYLOAD_IS);
	}
}

static bool holds(const u8 *program, const struct etw_payload_test *test,
		  const struct field *field)
{
	switch (test->type) {
	case ETW_PAYLOAD_UNSIGNED:
	case ETW_PAYLOAD_SIGNED:
		return number_holds(test, field);
	case ETW_PAYLOAD_GUID:
		return guid_holds(test, field);
	default:
		return text_holds(program, test, field);
	}
}

/* ------------------------------------------------------------------- programs */

static const struct etw_payload_event *find(const u8 *program,
					    const struct etw_event_descriptor *desc)
{
	const struct etw_payload_header *head = (const void *)program;
	const struct etw_payload_event *events = (const void *)(head + 1);
	u32 low = 0, high = head->events, middle, want, key;

	want = (u32)desc->id << 8 | desc->version;
	while (low < high) {
		middle = (low + high) / 2;
		key = (u32)events[middle].id << 8 | events[middle].version;
		if (key == want)
			return &events[middle];
		if (key < want)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void save(struct run *run, const struct etw_payload_step *step,
		 const struct field *field)
{
	struct cursor c = field->at;

	number(&c, step->length, &run->reg[step->save - 1]);
}

/* The groups that hold. */
static u32 walk(const u8 *program, const struct etw_payload_event *event, struct run *run)
{
	const struct etw_payload_step *steps = (const void *)(program + event->at), *step = steps;
	const struct etw_payload_test *test = (const void *)(steps + event->steps);
	const struct etw_payload_test *end = test + event->tests;
	u32 good = (event->all | event->any) & ~event->ors;
	const u32 musts = event->all & ~event->ors;
	struct field field = { .bytes = 0 };
	bool there = true, hit;

	while (test < end) {
		/* Once the payload has ended no field is there. */
		there = there && step_over(run, step, &field);
		if (there && step->save)
			save(run, step, &field);
		for (; test < end && test->step == step - steps; test++) {
			hit = there && holds(program, test, &field);
			if (hit && event->ors >> test->group & 1)
				good |= 1u << test->group;
			if (!hit && !(event->ors >> test->group & 1))
				good &= ~(1u << test->group);
		}
		if (musts & ~good)
			break;	/* nothing can make up for that */
		step++;
	}
	return good;
}

bool etw_payload_pass(const void *program, const struct etw_record_source *source)
{
	const struct etw_payload_event *event;
	struct run run;
	u32 good;

	if (source->desc->channel == ETW_CHANNEL_TRACELOGGING)
		return true;
	event = find(program, source->desc);
	if (!event)
		return true;
	start(&run.at, source);
	run.pointer = source->type == ETW_TYPE_EVENT32 ? 4 : 8;
	good = walk(program, event, &run);
	return (good & event->all) == event->all && (!event->any || good & event->any);
}
