/* SPDX-License-Identifier: MIT */
/*
 * payload_emit.c - join payload filters and write the program
 */
#include <stdlib.h>
#include <string.h>

#include "core/payload.h"
#include "payload_emit.h"

static bool searches(const struct etw_payload_test *test)
{
	return test->op == ETW_PAYLOAD_CONTAINS || test->op == ETW_PAYLOAD_DOESNTCONTAIN;
}

static uint32_t text_bytes(const struct etw_payload_test *test)
{
	switch (test->type) {
	case ETW_PAYLOAD_TEXT8:
		return test->length;
	case ETW_PAYLOAD_TEXT16:
		return 2 * test->length;
	default:
		return 0;
	}
}

/* Includes padding and what the kernel needs for a search. */
static uint32_t text_room(const struct etw_payload_test *test)
{
	return ALIGN(text_bytes(test) + (searches(test) ? test->length : 0), 8u);
}

void etw_payload_insert(struct etw_payload_build *event, const struct etw_payload_test *test,
			const void *text)
{
	struct etw_payload_part *part = &event->tests[event->test_count++];

	for (; part > event->tests && part[-1].test.step > test->step; part--)
		*part = part[-1];
	part->test = *test;
	part->text = text;
}

/* ---------------------------------------------------------------------- write */

static uint32_t steps_size(const struct etw_payload_build *event)
{
	return event->step_count * sizeof(struct etw_payload_step) +
	       event->test_count * sizeof(struct etw_payload_test);
}

static uint32_t program_size(const struct etw_payload_build *events, unsigned int count,
			     uint32_t *texts)
{
	uint32_t size = sizeof(struct etw_payload_header) +
			count * sizeof(struct etw_payload_event);
	unsigned int i, j;

	for (i = 0; i < count; i++)
		size += steps_size(&events[i]);
	*texts = size;
	for (i = 0; i < count; i++)
		for (j = 0; j < events[i].test_count; j++)
			size += text_room(&events[i].tests[j].test);
	return size;
}

/* Write the steps, tests and texts of one event, from at and *text on. */
static void write_event(uint8_t *program, const struct etw_payload_build *event, uint32_t at,
			uint32_t *text)
{
	const struct etw_payload_part *part = event->tests;
	struct etw_payload_test test;
	unsigned int i;

	memcpy(program + at, event->steps, event->step_count * sizeof(event->steps[0]));
	at += event->step_count * sizeof(event->steps[0]);
	for (i = 0; i < event->test_count; i++, part++) {
		test = part->test;
		if (test.type == ETW_PAYLOAD_TEXT8 || test.type == ETW_PAYLOAD_TEXT16)
			test.value[0] = *text;
		if (text_bytes(&test))
			memcpy(program + *text, part->text, text_bytes(&test));
		*text += text_room(&test);
		memcpy(program + at, &test, sizeof(test));
		at += sizeof(test);
	}
}

ULONG etw_payload_emit(const struct etw_payload_build *events, unsigned int count,
		       void **program, ULONG *size)
{
	struct etw_payload_header head = { .format = ETW_PAYLOAD_FORMAT, .events = count };
	uint32_t text, at = sizeof(head) + count * sizeof(struct etw_payload_event);
	unsigned int i;
	uint8_t *to;

	head.size = program_size(events, count, &text);
	if (head.size > ETW_PAYLOAD_SIZE_MAX)
		return ERROR_INSUFFICIENT_BUFFER;
	to = calloc(1, head.size);
	if (!to)
		return ERROR_NOT_ENOUGH_MEMORY;
	memcpy(to, &head, sizeof(head));
	for (i = 0; i < count; i++) {
		const struct etw_payload_event event = {
			.id = events[i].id, .version = events[i].version,
			.steps = events[i].step_count, .tests = events[i].test_count,
			.ors = events[i].ors, .all = events[i].all, .any = events[i].any,
			.at = at,
		};

		memcpy(to + sizeof(head) + i * sizeof(event), &event, sizeof(event));
		write_event(to, &events[i], at, &text);
		at += steps_size(&events[i]);
	}
	*program = to;
	*size = head.size;
	return ERROR_SUCCESS;
}

/* ----------------------------------------------------------------------- join */

/* Check a filter made by etw_payload_create(): one event, one group. */
static bool filter_ok(const void *filter)
{
	const struct etw_payload_header *head = filter;
	const struct etw_payload_event *event = (const void *)(head + 1);
	uint64_t copy[ETW_PAYLOAD_SIZE_MAX / 8];

	if (!filter || (uintptr_t)filter % 8 || head->size > sizeof(copy))
		return false;
	memcpy(copy, filter, head->size);
	return !etw_payload_load(copy, head->size) && head->events == 1 && event->all == 1 &&
	       !event->any;
}

static const struct etw_payload_event *event_of(const void *filter)
{
	return (const void *)((const struct etw_payload_header *)filter + 1);
}

/* The shorter list of steps may stop early, but the common steps must be equal. */
static bool join_steps(struct etw_payload_build *to, const struct etw_payload_event *event,
		       const struct etw_payload_step *steps)
{
	unsigned int both = event->steps < to->step_count ? event->steps : to->step_count;

	if (memcmp(to->steps, steps, both * sizeof(*steps)))
		return false;
	if (event->steps > to->step_count) {
		memcpy(to->steps, steps, event->steps * sizeof(*steps));
		to->step_count = event->steps;
	}
	return true;
}

static bool join(struct etw_payload_build *to, const void *filter, bool must)
{
	const struct etw_payload_event *event = event_of(filter);
	const struct etw_payload_step *steps;
	struct etw_payload_test test;
	const uint8_t *tests;
	unsigned int i;

	if (to->groups == ETW_PAYLOAD_GROUPS || to->test_count + event->tests > ETW_PAYLOAD_TESTS)
		return false;
	steps = (const void *)((const uint8_t *)filter + event->at);
	if (!join_steps(to, event, steps))
		return false;
	tests = (const uint8_t *)(steps + event->steps);
	for (i = 0; i < event->tests; i++) {
		memcpy(&test, tests + i * sizeof(test), sizeof(test));
		test.group = to->groups;
		etw_payload_insert(to, &test, text_bytes(&test) ?
				   (const uint8_t *)filter + test.value[0] : NULL);
	}
	*(must ? &to->all : &to->any) |= 1u << to->groups;
	to->ors |= event->ors << to->groups;
	to->groups++;
	return true;
}

/* Find the event, or insert it at its sorted position. */
static struct etw_payload_build *place(struct etw_payload_build *events, unsigned int *count,
				       const struct etw_payload_event *event)
{
	const uint32_t key = (uint32_t)event->id << 8 | event->version;
	unsigned int i;

	for (i = 0; i < *count; i++) {
		uint32_t have = (uint32_t)events[i].id << 8 | events[i].version;

		if (have == key)
			return &events[i];
		if (have > key)
			break;
	}
	memmove(&events[i + 1], &events[i], (*count - i) * sizeof(*events));
	memset(&events[i], 0, sizeof(*events));
	events[i].id = event->id;
	events[i].version = event->version;
	(*count)++;
	return &events[i];
}

static bool is_plain(const struct etw_payload_step *step)
{
	return step->kind == ETW_PAYLOAD_FIXED && !step->flags && !step->save &&
	       step->count == 1;
}

/* Combine consecutive untested fields into one step. */
static void shorten(struct etw_payload_build *event)
{
	bool tested[ETW_PAYLOAD_STEPS] = { false };
	uint8_t becomes[ETW_PAYLOAD_STEPS];
	struct etw_payload_step *last = NULL;
	unsigned int i, n = 0;

	for (i = 0; i < event->test_count; i++)
		tested[event->tests[i].test.step] = true;
	for (i = 0; i < event->step_count; i++) {
		struct etw_payload_step *step = &event->steps[i];
		bool plain = is_plain(step) && !tested[i];

		if (plain && last && last->length + step->length <= UINT16_MAX) {
			last->length += step->length;
			continue;
		}
		event->steps[n] = *step;
		last = plain ? &event->steps[n] : NULL;
		becomes[i] = n++;
	}
	event->step_count = n;
	for (i = 0; i < event->test_count; i++)
		event->tests[i].test.step = becomes[event->tests[i].test.step];
}

ULONG etw_payload_aggregate(const void *const *filters, const BOOLEAN *all,
			    unsigned int count, void **filter, ULONG *size)
{
	struct etw_payload_build *events;
	ULONG ret = ERROR_INVALID_PARAMETER;
	unsigned int i, n = 0;

	if (!filters || !count || !filter || !size)
		return ret;
	for (i = 0; i < count; i++)
		if (!filter_ok(filters[i]))
			return ret;
	/* No program can hold more events. */
	if (count > ETW_PAYLOAD_SIZE_MAX / sizeof(struct etw_payload_event))
		return ERROR_INSUFFICIENT_BUFFER;
	events = calloc(count, sizeof(*events));
	if (!events)
		return ERROR_NOT_ENOUGH_MEMORY;
	for (i = 0; i < count; i++)
		if (!join(place(events, &n, event_of(filters[i])), filters[i], all && all[i]))
			goto out;
	for (i = 0; i < n; i++)
		shorten(&events[i]);
	ret = etw_payload_emit(events, n, filter, size);
out:
	free(events);
	return ret;
}
