// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * payload_run.c - run a payload program that etw_payload_load() has accepted
 *
 * Steps go from field to field, and tests examine the fields.
 */
#include "core/payload.h"
#include "core/payload_read.h"

/* See write/described.h; each member is written before it is read. */
#if __has_attribute(__uninitialized__)
#define UNINITIALIZED	__attribute__((__uninitialized__))
#else
#define UNINITIALIZED
#endif

struct run {
	struct etw_cursor at;
	u32 pointer;		/* bytes of one */
	u32 elements;		/* of arrays that may still be examined */
	bool open;		/* there are more, so the result is unknown */
	u64 reg[ETW_PAYLOAD_REGISTERS];
};

/* --------------------------------------------------------------------- steps */

/* Go behind a NUL of this many bytes; the field is what precedes it. */
static bool take_string(struct etw_cursor *c, u32 width, struct etw_field *field)
{
	u64 unit;
	u32 i;

	if (!c->here && !etw_cursor_refill(c))
		return false;
	field->flat = c->at;
	for (i = 0; i + width <= c->here; i += width) {
		if (c->at[i] || (width == 2 && c->at[i + 1]))
			continue;
		field->bytes = i;
		c->at += i + width;
		c->here -= i + width;
		return true;
	}
	field->flat = NULL;
	field->at = *c;
	while (etw_cursor_number(c, width, &unit) && unit)
		;
	/* Without a NUL the rest of the payload is text. */
	field->bytes = etw_cursor_left(&field->at) - etw_cursor_left(c);
	return true;
}

static bool take_counted(struct etw_cursor *c, u32 width, bool big, struct etw_field *field)
{
	u64 bytes;

	if (!etw_cursor_number(c, width, &bytes))
		return false;
	if (big)
		bytes = (bytes & 0xff) << 8 | bytes >> 8;
	return etw_field_take(c, bytes, field);
}

/* Revision, number of sub-authorities, 6 bytes of authority. */
static bool skip_sid(struct etw_cursor *c)
{
	u64 head;

	return etw_cursor_number(c, 2, &head) && etw_cursor_skip(c, 6 + 4 * (head >> 8));
}

/* One element of a kind without an explicit length. */
static noinline bool take_element(struct run *run, const struct etw_payload_step *step,
				  struct etw_field *field)
{
	switch (step->kind) {
	case ETW_PAYLOAD_STRING8:
		return take_string(&run->at, 1, field);
	case ETW_PAYLOAD_STRING16:
		return take_string(&run->at, 2, field);
	case ETW_PAYLOAD_COUNTED:
		return take_counted(&run->at, 2, false, field);
	case ETW_PAYLOAD_COUNTED_BE:
		return take_counted(&run->at, 2, true, field);
	case ETW_PAYLOAD_COUNTED32:
		return take_counted(&run->at, 4, false, field);
	case ETW_PAYLOAD_SID:
		return skip_sid(&run->at);
	default: /* REST */
		return etw_field_take(&run->at, etw_cursor_left(&run->at), field);
	}
}

/* All elements; false: the payload ends before the field does. */
static noinline bool take_many(struct run *run, const struct etw_payload_step *step,
			       struct etw_field *field)
{
	u64 count = step->count, length = step->length;

	if (step->flags & ETW_PAYLOAD_COUNT_FIELD)
		count = run->reg[step->count];
	if (step->kind != ETW_PAYLOAD_FIXED && step->kind != ETW_PAYLOAD_POINTER) {
		/* Each element takes at least one byte, or there are too many. */
		for (; count; count--) {
			if (!run->elements--) {
				run->open = true;
				return false;
			}
			if (!take_element(run, step, field))
				return false;
		}
		return true;
	}
	if (step->flags & ETW_PAYLOAD_LENGTH_FIELD)
		length = run->reg[step->length];
	if (step->flags & ETW_PAYLOAD_UNITS && length <= ETW_RECORD_MAX)
		length *= 2;
	if (step->kind == ETW_PAYLOAD_POINTER)
		length = run->pointer;
	/* If the product overflows, the payload is too short. */
	if (length && count > etw_cursor_left(&run->at) / length)
		return false;
	return etw_field_take(&run->at, count * length, field);
}

static __always_inline bool step_over(struct run *run, const struct etw_payload_step *step,
				      struct etw_field *field)
{
	if (likely(step->kind == ETW_PAYLOAD_FIXED && step->count == 1 && !step->flags))
		return etw_field_take(&run->at, step->length, field);
	return take_many(run, step, field);
}

/* --------------------------------------------------------------------- tests */

/* The absolute value; the lowest number has no negative in its own type. */
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

static __always_inline bool number_holds(const struct etw_payload_test *test, const struct etw_field *field)
{
	u32 unused = 64 - 8 * field->bytes;
	u64 value;

	if (!etw_field_number(field, &value))
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

/* The cursor for reading a text; it ends with the field. */
static __always_inline void text_of(const struct etw_field *field, struct etw_cursor *c)
{
	if (likely(field->flat)) {
		c->at = field->flat;
		c->here = field->bytes;
		c->after = 0;
		return;
	}
	*c = field->at;
	if (c->here > field->bytes)
		c->here = field->bytes;
	c->after = field->bytes - c->here;
}

static bool guid_holds(const struct etw_payload_test *test, const struct etw_field *field)
{
	u64 low, high;
	struct etw_cursor c;

	text_of(field, &c);
	if (!etw_cursor_number(&c, 8, &low) || !etw_cursor_number(&c, 8, &high))
		return false;
	return (low == test->value[0] && high == test->value[1]) ==
	       (test->op == ETW_PAYLOAD_IS);
}

static noinline u32 slow_unit(struct etw_cursor *c, u32 width)
{
	u64 unit;

	return etw_cursor_number(c, width, &unit) ? unit : 0;
}

/*
 * The next unit of a text, with ASCII letters in lower case; 0: the text ends.  Until the
 * piece ends, the caller keeps its position and length in registers.
 */
static __always_inline u32 next_unit(struct etw_cursor *c, const u8 **at, u32 *here, bool wide)
{
	u32 unit;
	u16 half;

	if (unlikely(*here <= wide)) {
		c->at = *at;
		c->here = *here;
		unit = slow_unit(c, 1 + wide);
		*at = c->at;
		*here = c->here;
	} else if (wide) {
		__builtin_memcpy(&half, *at, 2);
		unit = half;
		*at += 2;
		*here -= 2;
	} else {
		unit = *(*at)++;
		(*here)--;
	}
	return unit - 'A' < 26 ? unit + ('a' - 'A') : unit;
}

static __always_inline u32 wanted_unit(const u8 *text, u32 i, bool wide)
{
	return wide ? ((const u16 *)text)[i] : text[i];
}

enum found { ABSENT, FOUND, OPEN };

/* *n units of the text match what precedes unit; add unit.  false: none match any more. */
static __always_inline bool extend_match(const u8 *text, const u8 *border, u32 *n, u32 unit,
					 bool wide)
{
	while (wanted_unit(text, *n, wide) != unit) {
		if (!*n)
			return false;
		*n = border[*n - 1];
	}
	++*n;
	return true;
}

/* OPEN: not found, and the end of the text was not reached either. */
static __always_inline enum found search(const u8 *text, u32 length,
					 const struct etw_field *field, bool wide)
{
	const u8 *border = text + (wide ? 2 * length : length), *at;
	bool cut = field->bytes > ETW_PAYLOAD_SEARCH_MAX;
	u32 here, unit, n = 0;
	struct etw_cursor c;

	text_of(field, &c);
	if (unlikely(cut)) {
		c.here = c.here < ETW_PAYLOAD_SEARCH_MAX ? c.here : ETW_PAYLOAD_SEARCH_MAX;
		c.after = ETW_PAYLOAD_SEARCH_MAX - c.here;
	}
	at = c.at;
	here = c.here;
	while ((unit = next_unit(&c, &at, &here, wide)))
		if (extend_match(text, border, &n, unit, wide) && n == length)
			return FOUND;
	return cut && !here && !c.after ? OPEN : ABSENT;
}

static __always_inline bool is(const u8 *text, u32 length, const struct etw_field *field, bool wide)
{
	struct etw_cursor c;
	const u8 *at;
	u32 here, i;

	text_of(field, &c);
	at = c.at;
	here = c.here;
	for (i = 0; i < length; i++)
		if (next_unit(&c, &at, &here, wide) != wanted_unit(text, i, wide))
			return false;
	return !next_unit(&c, &at, &here, wide);
}

static noinline bool text_holds(const u8 *program, const struct etw_payload_test *test,
		       const struct etw_field *field)
{
	const u8 *text = program + test->value[0];
	bool wide = test->type == ETW_PAYLOAD_TEXT16;
	enum found found;

	switch (test->op) {
	case ETW_PAYLOAD_CONTAINS:
	case ETW_PAYLOAD_DOESNTCONTAIN:
		found = wide ? search(text, test->length, field, true) :
			       search(text, test->length, field, false);
		return found == OPEN ||
		       found == (test->op == ETW_PAYLOAD_CONTAINS ? FOUND : ABSENT);
	default:
		return (wide ? is(text, test->length, field, true) :
			       is(text, test->length, field, false)) ==
		       (test->op == ETW_PAYLOAD_IS);
	}
}

static __always_inline bool holds(const u8 *program, const struct etw_payload_test *test,
		  const struct etw_field *field)
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
		 const struct etw_field *field)
{
	etw_field_number(field, &run->reg[step->save - 1]);
}

/* The groups that are true. */
static u32 walk(const u8 *program, const struct etw_payload_event *event, struct run *run)
{
	const struct etw_payload_step *step = (const void *)(program + event->at);
	const struct etw_payload_test *test = (const void *)(step + event->steps);
	const struct etw_payload_test *end = test + event->tests;
	u32 good = (event->all | event->any) & ~event->ors;
	const u32 musts = event->all & ~event->ors;
	struct etw_field field UNINITIALIZED;
	bool there = true, hit;
	u32 i;

	for (i = 0; test < end; i++, step++) {
		/* Once the payload has ended no field is there. */
		there = there && step_over(run, step, &field);
		if (there && step->save)
			save(run, step, &field);
		for (; test < end && test->step == i; test++) {
			hit = there && holds(program, test, &field);
			if (hit && event->ors >> test->group & 1)
				good |= 1u << test->group;
			if (!hit && !(event->ors >> test->group & 1))
				good &= ~(1u << test->group);
		}
		if (musts & ~good)
			break;	/* nothing can make up for that */
	}
	return good;
}

bool etw_payload_pass(const void *program, const struct etw_record_source *source, bool typed)
{
	const struct etw_payload_event *event;
	struct run run UNINITIALIZED;
	u32 good;

	event = find(program, source->desc);
	if (!event)
		return true;
	run.at = (struct etw_cursor){
		.after = source->size - ETW_EVENT_HEADER_SIZE -
			 (source->related ? ETW_RELATED_ITEM_SIZE : 0),
		.pieces = source->count,
		.typed = typed,
		.next = source->data,
	};
	run.elements = ETW_PAYLOAD_ELEMENTS_MAX;
	run.open = false;
	run.pointer = source->type == ETW_TYPE_EVENT32 ? 4 : 8;
	good = walk(program, event, &run);
	if (unlikely(run.open))
		return true;
	return (good & event->all) == event->all && (!event->any || good & event->any);
}
