// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * payload.c - check a payload program, so that running it needs no checks
 *
 * Every offset must be the one that follows from the parts before it.  So nothing
 * overlaps, and preparing a text changes no other part.
 */
#include "core/payload.h"

#define STEP_FLAGS	(ETW_PAYLOAD_COUNT_FIELD | ETW_PAYLOAD_LENGTH_FIELD | ETW_PAYLOAD_UNITS)

static bool is_text(const struct etw_payload_test *test)
{
	return test->type == ETW_PAYLOAD_TEXT8 || test->type == ETW_PAYLOAD_TEXT16;
}

static bool searches(const struct etw_payload_test *test)
{
	return test->op == ETW_PAYLOAD_CONTAINS || test->op == ETW_PAYLOAD_DOESNTCONTAIN;
}

/* A single number of 1, 2, 4 or 8 bytes. */
static bool is_number(const struct etw_payload_step *step)
{
	return step->kind == ETW_PAYLOAD_FIXED && !step->flags && step->count == 1 &&
	       (step->length == 1 || step->length == 2 || step->length == 4 ||
		step->length == 8);
}

/* known: the registers that earlier steps have filled. */
static bool step_ok(const struct etw_payload_step *step, u32 *known)
{
	const bool fixed = step->kind == ETW_PAYLOAD_FIXED;

	if (step->kind < ETW_PAYLOAD_FIXED || step->kind > ETW_PAYLOAD_POINTER ||
	    step->flags & ~STEP_FLAGS || step->reserved)
		return false;
	if (!fixed && (step->length || step->flags & ~ETW_PAYLOAD_COUNT_FIELD))
		return false;
	if (step->kind == ETW_PAYLOAD_REST && (step->flags || step->count != 1))
		return false;
	if (step->flags & ETW_PAYLOAD_COUNT_FIELD &&
	    (step->count >= ETW_PAYLOAD_REGISTERS || !(*known >> step->count & 1)))
		return false;
	if (step->flags & ETW_PAYLOAD_LENGTH_FIELD &&
	    (step->length >= ETW_PAYLOAD_REGISTERS || !(*known >> step->length & 1)))
		return false;
	if (step->save) {
		if (step->save > ETW_PAYLOAD_REGISTERS || !is_number(step))
			return false;
		*known |= 1u << (step->save - 1);
	}
	return true;
}

static bool op_ok(const struct etw_payload_test *test)
{
	const bool same = test->op == ETW_PAYLOAD_IS || test->op == ETW_PAYLOAD_ISNOT;

	switch (test->type) {
	case ETW_PAYLOAD_UNSIGNED:
	case ETW_PAYLOAD_SIGNED:
		return test->op <= ETW_PAYLOAD_MODULO;
	case ETW_PAYLOAD_GUID:
		return same;
	default:
		return same || searches(test);
	}
}

/* Can the field be tested as the type that the test names? */
static bool type_ok(const struct etw_payload_test *test, const struct etw_payload_step *step)
{
	if (step->flags & ETW_PAYLOAD_COUNT_FIELD || step->count != 1)
		return false;
	switch (test->type) {
	case ETW_PAYLOAD_UNSIGNED:
	case ETW_PAYLOAD_SIGNED:
		return is_number(step);
	case ETW_PAYLOAD_GUID:
		return step->kind == ETW_PAYLOAD_FIXED && !step->flags && step->length == 16;
	case ETW_PAYLOAD_TEXT8:
		return step->kind != ETW_PAYLOAD_STRING16 && step->kind < ETW_PAYLOAD_SID;
	case ETW_PAYLOAD_TEXT16:
		return step->kind != ETW_PAYLOAD_STRING8 && step->kind < ETW_PAYLOAD_SID;
	default:
		return false;
	}
}

static bool value_ok(const struct etw_payload_test *test)
{
	if (is_text(test))
		return test->length <= ETW_PAYLOAD_TEXT_MAX && !test->value[1] &&
		       (test->length || !searches(test));
	if (test->length)
		return false;
	if (test->type == ETW_PAYLOAD_GUID)
		return true;
	switch (test->op) {
	case ETW_PAYLOAD_BETWEEN:
	case ETW_PAYLOAD_NOTBETWEEN:
		return test->type == ETW_PAYLOAD_SIGNED ?
		       (s64)test->value[0] <= (s64)test->value[1] :
		       test->value[0] <= test->value[1];
	case ETW_PAYLOAD_MODULO:
		return test->value[0] && !test->value[1];
	default:
		return !test->value[1];
	}
}

static bool groups_ok(const struct etw_payload_event *event,
		      const struct etw_payload_test *tests)
{
	u8 used = 0, count[ETW_PAYLOAD_GROUPS] = { 0 };
	u32 i;

	for (i = 0; i < event->tests; i++) {
		if (tests[i].group >= ETW_PAYLOAD_GROUPS ||
		    ++count[tests[i].group] > ETW_PAYLOAD_PREDICATES)
			return false;
		used |= 1u << tests[i].group;
	}
	return !(event->all & event->any) && (event->all | event->any) == used &&
	       !(event->ors & ~used);
}

static bool event_ok(const u8 *program, const struct etw_payload_event *event)
{
	const struct etw_payload_step *steps = (const void *)(program + event->at);
	const struct etw_payload_test *tests = (const void *)(steps + event->steps);
	u32 i, known = 0;

	for (i = 0; i < event->steps; i++)
		if (!step_ok(&steps[i], &known))
			return false;
	for (i = 0; i < event->tests; i++) {
		if (tests[i].step >= event->steps || (i && tests[i].step < tests[i - 1].step))
			return false;
		if (!op_ok(&tests[i]) || !type_ok(&tests[i], &steps[tests[i].step]) ||
		    !value_ok(&tests[i]))
			return false;
	}
	return groups_ok(event, tests);
}

static u32 key(const struct etw_payload_event *event)
{
	return (u32)event->id << 8 | event->version;
}

/* The events' steps and tests; *end: where they end. */
static bool events_ok(const u8 *program, const struct etw_payload_header *head, u32 *end)
{
	const struct etw_payload_event *event = (const void *)(head + 1);
	u32 at, i;

	at = sizeof(*head) + head->events * (u32)sizeof(*event);
	if (at > head->size)
		return false;
	for (i = 0; i < head->events; i++, event++) {
		if (event->at != at || event->reserved || !event->steps || !event->tests ||
		    event->tests > ETW_PAYLOAD_TESTS || (i && key(event) <= key(event - 1)))
			return false;
		at += event->steps * (u32)sizeof(struct etw_payload_step) +
		      event->tests * (u32)sizeof(struct etw_payload_test);
		if (at > head->size || !event_ok(program, event))
			return false;
	}
	*end = at;
	return true;
}

/* ------------------------------------------------------------------- texts */

static u32 fold(u32 unit)
{
	return unit - 'A' < 26 ? unit + ('a' - 'A') : unit;
}

static u32 unit_of(const u8 *text, const struct etw_payload_test *test, u32 i)
{
	return test->type == ETW_PAYLOAD_TEXT16 ? ((const u16 *)text)[i] : text[i];
}

/*
 * Where a search goes on after a mismatch, after Knuth, Morris and Pratt: border[i] is the
 * length of the longest proper prefix of the text's first i + 1 units that is also their
 * suffix.
 */
static void make_borders(const u8 *text, const struct etw_payload_test *test, u8 *border)
{
	u32 i, n = 0;

	border[0] = 0;
	for (i = 1; i < test->length; i++) {
		while (n && unit_of(text, test, i) != unit_of(text, test, n))
			n = border[n - 1];
		if (unit_of(text, test, i) == unit_of(text, test, n))
			n++;
		border[i] = n;
	}
}

static bool text_ok(u8 *program, const struct etw_payload_test *test, u32 size, u32 *at)
{
	u32 width = test->type == ETW_PAYLOAD_TEXT16 ? 2 : 1;
	u32 bytes = test->length * width, whole, i;
	u8 *text = program + *at;

	whole = ALIGN(bytes + (searches(test) ? test->length : 0), 8u);
	if (test->value[0] != *at || whole > size - *at)
		return false;
	for (i = bytes; i < whole; i++)
		if (text[i])
			return false;
	for (i = 0; i < test->length; i++) {
		if (!unit_of(text, test, i))
			return false;	/* no text has a NUL within */
		if (width == 2)
			((u16 *)text)[i] = fold(((u16 *)text)[i]);
		else
			text[i] = fold(text[i]);
	}
	if (searches(test))
		make_borders(text, test, text + bytes);
	*at += whole;
	return true;
}

static bool texts_ok(u8 *program, const struct etw_payload_header *head, u32 at)
{
	const struct etw_payload_event *event = (const void *)(head + 1);
	const struct etw_payload_test *tests;
	u32 i, j;

	for (i = 0; i < head->events; i++, event++) {
		tests = (const void *)(program + event->at +
				       event->steps * sizeof(struct etw_payload_step));
		for (j = 0; j < event->tests; j++)
			if (is_text(&tests[j]) && !text_ok(program, &tests[j], head->size, &at))
				return false;
	}
	return at == head->size;
}

int etw_payload_load(void *program, u32 len)
{
	const struct etw_payload_header *head = program;
	u32 end;

	if (len < sizeof(*head) || len > ETW_PAYLOAD_SIZE_MAX || head->size != len ||
	    head->format != ETW_PAYLOAD_FORMAT || !head->events)
		return -EINVAL;
	if (!events_ok(program, head, &end) || !texts_ok(program, head, end))
		return -EINVAL;
	return 0;
}

/* Arrays whose elements have no fixed size have to be walked element by element. */
static bool has_arrays(const struct etw_payload_step *step, u32 count)
{
	for (; count; count--, step++)
		if (step->kind != ETW_PAYLOAD_FIXED && step->kind != ETW_PAYLOAD_POINTER &&
		    (step->count != 1 || step->flags & ETW_PAYLOAD_COUNT_FIELD))
			return true;
	return false;
}

u32 etw_payload_weight(const void *program)
{
	const struct etw_payload_header *head = program;
	const struct etw_payload_event *event = (const void *)(head + 1);
	const struct etw_payload_step *steps;
	const struct etw_payload_test *tests;
	u32 i, j, weight, most = 0;

	for (i = 0; i < head->events; i++, event++) {
		steps = (const void *)((const u8 *)program + event->at);
		tests = (const void *)(steps + event->steps);
		weight = has_arrays(steps, event->steps) ? ETW_PAYLOAD_ARRAYS : 0;
		for (j = 0; j < event->tests; j++)
			weight += is_text(&tests[j]);
		if (weight > most)
			most = weight;
	}
	return most;
}
