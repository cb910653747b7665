/* SPDX-License-Identifier: MIT */
/*
 * payload.c - build one event's payload filter from its fields and predicates
 *
 * Each field becomes a step, so that filters for the same event have the same steps and
 * can be joined.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/guid.h"
#include "payload_emit.h"
#include "base/utf.h"

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
static bool take_register(const struct etw_payload_build *event, int field, uint16_t *number)
{
	if ((unsigned int)field >= event->step_count || !event->steps[field].save)
		return false;
	*number = event->steps[field].save - 1;
	return true;
}

static bool fill_step(const struct etw_payload_build *event,
		      const struct etw_payload_field *field, struct etw_payload_step *step)
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
static void make_steps(struct etw_payload_build *event, const struct etw_payload_layout *layout)
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

/* Memory for a filter's texts. */
struct texts {
	WCHAR wide[ETW_PAYLOAD_PREDICATES][ETW_PAYLOAD_TEXT_MAX];
};

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

/* ---------------------------------------------------------------------- whole */

static int find_field(const struct etw_payload_layout *layout, const char *name)
{
	int i;

	for (i = 0; i < layout->count; i++)
		if (layout->fields[i].name && !strcmp(layout->fields[i].name, name))
			return i;
	return -1;
}

static ULONG add_predicate(struct etw_payload_build *event,
			   const struct etw_payload_layout *layout,
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
	etw_payload_insert(event, &test, test.type == ETW_PAYLOAD_TEXT16 ?
			   (const void *)wide : predicate->value);
	return ERROR_SUCCESS;
}

ULONG etw_payload_create(const struct etw_payload_layout *layout, bool any,
			 const struct etw_payload_predicate *predicates,
			 unsigned int count, void **filter, unsigned int *wrong)
{
	struct etw_payload_build event = {
		.id = layout->id, .version = layout->version,
		.all = 1, .ors = any, .groups = 1,
	};
	struct texts texts;
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
		ret = add_predicate(&event, layout, &predicates[i], texts.wide[i]);
		if (ret)
			return ret;
	}
	/* Steps after the last tested field are not needed. */
	event.step_count = event.tests[count - 1].test.step + 1;
	return etw_payload_emit(&event, 1, filter, &size);
}
