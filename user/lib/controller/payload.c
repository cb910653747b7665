/* SPDX-License-Identifier: MIT */
/*
 * payload.c - build payload filters from fields and predicates, and join them
 *
 * Each field becomes a step, so that filters for the same event have the same steps and
 * can be joined.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/guid.h"
#include "base/utf.h"
#include "core/payload.h"
#include "payload.h"

/* A test; its text, if any, is owned elsewhere. */
struct part {
	struct etw_payload_test test;
	const void *text;
};

struct build {
	uint16_t id;
	uint8_t version;
	uint8_t ors, all, any;	/* groups, as in etw_payload_event */
	unsigned int groups;
	unsigned int step_count, test_count;
	struct etw_payload_step steps[ETW_PAYLOAD_STEPS];
	struct part tests[ETW_PAYLOAD_TESTS];	/* ascending by step */
};

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

/* Insert a test at its step's position; the caller ensures that there is room. */
static void insert_test(struct build *event, const struct etw_payload_test *test, const void *text)
{
	struct part *part = &event->tests[event->test_count++];

	for (; part > event->tests && part[-1].test.step > test->step; part--)
		*part = part[-1];
	part->test = *test;
	part->text = text;
}

/* How to skip a field of this type, and which tests it supports. */
static const struct in_type {
	uint16_t in_type;
	uint8_t kind;		/* ETW_PAYLOAD_*; for strings without a length */
	uint8_t size;		/* of FIXED; of one character of a string */
	int8_t test;		/* ETW_PAYLOAD_*; -1: not testable */
} in_types[] = {
	{ TDH_INTYPE_UNICODESTRING, ETW_PAYLOAD_STRING16, 2, ETW_PAYLOAD_TEXT16 },
	{ TDH_INTYPE_ANSISTRING, ETW_PAYLOAD_STRING8, 1, ETW_PAYLOAD_TEXT8 },
	{ TDH_INTYPE_INT8, ETW_PAYLOAD_FIXED, 1, ETW_PAYLOAD_SIGNED },
	{ TDH_INTYPE_UINT8, ETW_PAYLOAD_FIXED, 1, ETW_PAYLOAD_UNSIGNED },
	{ TDH_INTYPE_INT16, ETW_PAYLOAD_FIXED, 2, ETW_PAYLOAD_SIGNED },
	{ TDH_INTYPE_UINT16, ETW_PAYLOAD_FIXED, 2, ETW_PAYLOAD_UNSIGNED },
	{ TDH_INTYPE_INT32, ETW_PAYLOAD_FIXED, 4, ETW_PAYLOAD_SIGNED },
	{ TDH_INTYPE_UINT32, ETW_PAYLOAD_FIXED, 4, ETW_PAYLOAD_UNSIGNED },
	{ TDH_INTYPE_INT64, ETW_PAYLOAD_FIXED, 8, ETW_PAYLOAD_SIGNED },
	{ TDH_INTYPE_UINT64, ETW_PAYLOAD_FIXED, 8, ETW_PAYLOAD_UNSIGNED },
	{ TDH_INTYPE_FLOAT, ETW_PAYLOAD_FIXED, 4, -1 },
	{ TDH_INTYPE_DOUBLE, ETW_PAYLOAD_FIXED, 8, -1 },
	{ TDH_INTYPE_BOOLEAN, ETW_PAYLOAD_FIXED, 4, ETW_PAYLOAD_UNSIGNED },
	{ TDH_INTYPE_BINARY, 0, 1, -1 },
	{ TDH_INTYPE_GUID, ETW_PAYLOAD_FIXED, 16, ETW_PAYLOAD_GUID },
	{ TDH_INTYPE_POINTER, ETW_PAYLOAD_POINTER, 0, -1 },
	{ TDH_INTYPE_FILETIME, ETW_PAYLOAD_FIXED, 8, ETW_PAYLOAD_UNSIGNED },
	{ TDH_INTYPE_SYSTEMTIME, ETW_PAYLOAD_FIXED, 16, -1 },
	{ TDH_INTYPE_SID, ETW_PAYLOAD_SID, 0, -1 },
	{ TDH_INTYPE_HEXINT32, ETW_PAYLOAD_FIXED, 4, ETW_PAYLOAD_UNSIGNED },
	{ TDH_INTYPE_HEXINT64, ETW_PAYLOAD_FIXED, 8, ETW_PAYLOAD_UNSIGNED },
	{ TDH_INTYPE_MANIFEST_COUNTEDSTRING, ETW_PAYLOAD_COUNTED, 0, ETW_PAYLOAD_TEXT16 },
	{ TDH_INTYPE_MANIFEST_COUNTEDANSISTRING, ETW_PAYLOAD_COUNTED, 0, ETW_PAYLOAD_TEXT8 },
	{ TDH_INTYPE_MANIFEST_COUNTEDBINARY, ETW_PAYLOAD_COUNTED, 0, -1 },
	{ TDH_INTYPE_COUNTEDSTRING, ETW_PAYLOAD_COUNTED, 0, ETW_PAYLOAD_TEXT16 },
	{ TDH_INTYPE_COUNTEDANSISTRING, ETW_PAYLOAD_COUNTED, 0, ETW_PAYLOAD_TEXT8 },
	{ TDH_INTYPE_REVERSEDCOUNTEDSTRING, ETW_PAYLOAD_COUNTED_BE, 0, ETW_PAYLOAD_TEXT16 },
	{ TDH_INTYPE_REVERSEDCOUNTEDANSISTRING, ETW_PAYLOAD_COUNTED_BE, 0, ETW_PAYLOAD_TEXT8 },
	{ TDH_INTYPE_NONNULLTERMINATEDSTRING, ETW_PAYLOAD_REST, 0, ETW_PAYLOAD_TEXT16 },
	{ TDH_INTYPE_NONNULLTERMINATEDANSISTRING, ETW_PAYLOAD_REST, 0, ETW_PAYLOAD_TEXT8 },
	{ TDH_INTYPE_UNICODECHAR, ETW_PAYLOAD_FIXED, 2, -1 },
	{ TDH_INTYPE_ANSICHAR, ETW_PAYLOAD_FIXED, 1, -1 },
	{ TDH_INTYPE_SIZET, ETW_PAYLOAD_POINTER, 0, -1 },
	{ TDH_INTYPE_HEXDUMP, ETW_PAYLOAD_COUNTED32, 0, -1 },
};

static const struct in_type *find_type(uint16_t in_type)
{
	size_t i;

	for (i = 0; i < sizeof(in_types) / sizeof(in_types[0]); i++)
		if (in_types[i].in_type == in_type)
			return &in_types[i];
	return NULL;
}

static bool has_length(const struct in_type *type)
{
	return type->kind == ETW_PAYLOAD_STRING8 || type->kind == ETW_PAYLOAD_STRING16 ||
	       !type->kind;
}

/* ----------------------------------------------------------------- the steps */

/* Does a later field need the value of this one? */
static bool is_needed(const struct etw_payload_layout *layout, unsigned int field)
{
	unsigned int i;

	for (i = field + 1; i < layout->count; i++)
		if (layout->fields[i].count_field == (int)field ||
		    layout->fields[i].length_field == (int)field)
			return true;
	return false;
}

/* The register that holds an earlier field's value; false: it has none. */
static bool take_register(const struct build *event, int field, uint16_t *number)
{
	if ((unsigned int)field >= event->step_count || !event->steps[field].save)
		return false;
	*number = event->steps[field].save - 1;
	return true;
}

static bool fill_step(const struct build *event, const struct etw_payload_field *field,
		      struct etw_payload_step *step)
{
	const struct in_type *type = find_type(field->in_type);

	if (!type)
		return false;
	step->kind = type->kind;
	step->count = field->count;
	step->length = type->kind == ETW_PAYLOAD_FIXED ? type->size : 0;
	if (field->length_field >= 0 || field->length) {
		if (!has_length(type))
			return false;
		step->kind = ETW_PAYLOAD_FIXED;
		step->flags = type->size == 2 ? ETW_PAYLOAD_UNITS : 0;
		step->length = field->length;
	}
	if (!step->kind)
		return false;
	if (field->length_field >= 0) {
		step->flags |= ETW_PAYLOAD_LENGTH_FIELD;
		if (!take_register(event, field->length_field, &step->length))
			return false;
	}
	if (field->count_field >= 0) {
		step->flags |= ETW_PAYLOAD_COUNT_FIELD;
		if (!take_register(event, field->count_field, &step->count))
			return false;
	}
	return step->kind != ETW_PAYLOAD_REST || (!step->flags && step->count == 1);
}

/* Make steps for the leading fields that can be skipped. */
static void make_steps(struct build *event, const struct etw_payload_layout *layout)
{
	unsigned int i, registers = 0;

	for (i = 0; i < layout->count && i < ETW_PAYLOAD_STEPS; i++) {
		struct etw_payload_step *step = &event->steps[i];

		memset(step, 0, sizeof(*step));
		if (!fill_step(event, &layout->fields[i], step))
			return;
		event->step_count++;
		/* Save numbers only; a field that needs any other value cannot be skipped. */
		if (step->kind == ETW_PAYLOAD_FIXED && !step->flags && step->count == 1 &&
		    (step->length == 1 || step->length == 2 || step->length == 4 ||
		     step->length == 8) &&
		    is_needed(layout, i) && registers < ETW_PAYLOAD_REGISTERS)
			step->save = ++registers;
	}
}

/* ---------------------------------------------------------------- the values */

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* Parse len characters as a number of size bytes; false: not a number. */
static bool parse_number(const char *text, size_t len, unsigned int size, bool is_signed,
			 __u64 *value)
{
	bool negative, minus_ok = is_signed;
	char copy[32], *end;
	uint64_t most;

	while (len && is_space(*text))
		text++, len--;
	while (len && is_space(text[len - 1]))
		len--;
	negative = len && *text == '-';
	if (negative)
		text++, len--;
	if (!len || len >= sizeof(copy) || (negative && !minus_ok) ||
	    *text < '0' || *text > '9')
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	errno = 0;
	*value = strtoull(copy, &end, len > 2 && copy[0] == '0' && (copy[1] | 32) == 'x' ? 16 : 10);
	if (errno || *end)
		return false;
	most = UINT64_MAX >> (64 - 8 * size + is_signed);
	if (*value > most + negative)
		return false;
	if (negative)
		*value = -*value;
	return true;
}

static bool parse_numbers(const struct in_type *type, const char *text,
			  struct etw_payload_test *test)
{
	const bool is_signed = type->test == ETW_PAYLOAD_SIGNED;
	const char *comma;

	if (type->in_type == TDH_INTYPE_BOOLEAN && (!strcmp(text, "true") || !strcmp(text, "false"))) {
		test->value[0] = *text == 't';
		return test->op == ETW_PAYLOAD_EQ || test->op == ETW_PAYLOAD_NE;
	}
	if (test->op != ETW_PAYLOAD_BETWEEN && test->op != ETW_PAYLOAD_NOTBETWEEN)
		return parse_number(text, strlen(text), type->size, is_signed, &test->value[0]) &&
		       (test->op != ETW_PAYLOAD_MODULO || test->value[0]);
	comma = strchr(text, ',');
	if (!comma ||
	    !parse_number(text, comma - text, type->size, is_signed, &test->value[0]) ||
	    !parse_number(comma + 1, strlen(comma + 1), type->size, is_signed, &test->value[1]))
		return false;
	return is_signed ? (int64_t)test->value[0] <= (int64_t)test->value[1] :
			   test->value[0] <= test->value[1];
}

static bool op_ok(uint16_t op, int8_t type)
{
	const bool same = op == ETW_PAYLOAD_IS || op == ETW_PAYLOAD_ISNOT;

	switch (type) {
	case ETW_PAYLOAD_UNSIGNED:
	case ETW_PAYLOAD_SIGNED:
		return op <= ETW_PAYLOAD_MODULO;
	case ETW_PAYLOAD_GUID:
		return same;
	case ETW_PAYLOAD_TEXT8:
	case ETW_PAYLOAD_TEXT16:
		return same || op == ETW_PAYLOAD_CONTAINS || op == ETW_PAYLOAD_DOESNTCONTAIN;
	default:
		return false;
	}
}

static bool parse_text(int8_t type, const char *text, WCHAR *wide,
		       struct etw_payload_test *test)
{
	ssize_t len = strlen(text);

	if (type == ETW_PAYLOAD_TEXT16)
		len = etw_utf8_to_utf16(text, len, wide, ETW_PAYLOAD_TEXT_MAX);
	if (len < 0 || len > ETW_PAYLOAD_TEXT_MAX)
		return false;
	test->length = len;
	return len || test->op == ETW_PAYLOAD_IS || test->op == ETW_PAYLOAD_ISNOT;
}

/* Build the predicate's test of a field; false: the predicate is invalid. */
static bool make_test(const struct etw_payload_field *field,
		      const struct etw_payload_predicate *predicate, WCHAR *wide,
		      struct etw_payload_test *test)
{
	const struct in_type *type = find_type(field->in_type);
	struct etw_guid guid;

	if (!type || type->test < 0 || field->count_field >= 0 || field->count != 1 ||
	    !predicate->value || !op_ok(predicate->op, type->test))
		return false;
	test->op = predicate->op;
	test->type = type->test;
	switch (type->test) {
	case ETW_PAYLOAD_GUID:
		if (predicate->value[0] != '{' || etw_guid_parse(predicate->value, &guid))
			return false;
		memcpy(test->value, &guid, sizeof(guid));
		return true;
	case ETW_PAYLOAD_TEXT8:
	case ETW_PAYLOAD_TEXT16:
		return parse_text(type->test, predicate->value, wide, test);
	default:
		return parse_numbers(type, predicate->value, test);
	}
}

/* ---------------------------------------------------------------------- write */

static uint32_t steps_size(const struct build *event)
{
	return event->step_count * sizeof(struct etw_payload_step) +
	       event->test_count * sizeof(struct etw_payload_test);
}

static uint32_t program_size(const struct build *events, unsigned int count, uint32_t *texts)
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
static void write_event(uint8_t *program, const struct build *event, uint32_t at,
			uint32_t *text)
{
	const struct part *part = event->tests;
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

/*
 * Write the program for events, ascending by id and version. ERROR_INSUFFICIENT_BUFFER,
 * ERROR_NOT_ENOUGH_MEMORY.
 */
static ULONG emit(const struct build *events, unsigned int count, void **program, ULONG *size)
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

/* ---------------------------------------------------------------------- whole */

static int find_field(const struct etw_payload_layout *layout, const char *name)
{
	int i;

	for (i = 0; i < layout->count; i++)
		if (layout->fields[i].name && !strcmp(layout->fields[i].name, name))
			return i;
	return -1;
}

static ULONG add_predicate(struct build *event, const struct etw_payload_layout *layout,
			   const struct etw_payload_predicate *predicate, WCHAR *wide)
{
	struct etw_payload_test test = { 0 };
	int field;

	field = predicate->field ? find_field(layout, predicate->field) : -1;
	if (field < 0)
		return ERROR_NOT_FOUND;
	if (!make_test(&layout->fields[field], predicate, wide, &test))
		return ERROR_INVALID_PARAMETER;
	if ((unsigned int)field >= event->step_count)
		return ERROR_NOT_SUPPORTED;
	test.step = field;
	insert_test(event, &test, test.type == ETW_PAYLOAD_TEXT16 ?
		    (const void *)wide : predicate->value);
	return ERROR_SUCCESS;
}

ULONG etw_payload_create(const struct etw_payload_layout *layout, bool any,
			 const struct etw_payload_predicate *predicates, unsigned int count,
			 void **filter, unsigned int *wrong)
{
	struct build event = {
		.id = layout->id, .version = layout->version,
		.all = 1, .ors = any, .groups = 1,
	};
	WCHAR texts[ETW_PAYLOAD_PREDICATES][ETW_PAYLOAD_TEXT_MAX];
	unsigned int i, unused;
	ULONG size, ret;

	if (!wrong)
		wrong = &unused;
	*wrong = 0;
	if (!count || count > ETW_PAYLOAD_PREDICATES || !predicates || !filter)
		return ERROR_INVALID_PARAMETER;
	make_steps(&event, layout);
	for (i = 0; i < count; i++) {
		*wrong = i;
		ret = add_predicate(&event, layout, &predicates[i], texts[i]);
		if (ret)
			return ret;
	}
	/* Steps after the last tested field are not needed. */
	event.step_count = event.tests[count - 1].test.step + 1;
	return emit(&event, 1, filter, &size);
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
static bool join_steps(struct build *to, const struct etw_payload_event *event,
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

static bool join(struct build *to, const void *filter, bool must)
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
		insert_test(to, &test, text_bytes(&test) ?
			    (const uint8_t *)filter + test.value[0] : NULL);
	}
	*(must ? &to->all : &to->any) |= 1u << to->groups;
	to->ors |= event->ors << to->groups;
	to->groups++;
	return true;
}

/* Find the event, or insert it at its sorted position. */
static struct build *place(struct build *events, unsigned int *count,
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
static void shorten(struct build *event)
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

ULONG etw_payload_aggregate(const void *const *filters, const BOOLEAN *all, unsigned int count,
			    void **filter, ULONG *size)
{
	struct build *events;
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
	ret = emit(events, n, filter, size);
out:
	free(events);
	return ret;
}
