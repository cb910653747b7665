// SPDX-License-Identifier: MIT
/*
 * field.c - the tests of fields: one walk over an event's fields runs all of them
 *
 * A path can lead to several values: fields of one name, or the elements of an array if it
 * has no index.  The test holds if it holds for one of them.
 */
#include <string.h>
#include <time.h>
#include <etw/format.h>

#include "private.h"

/* The path of the current field */
struct path {
	struct etw_path_part part[ETW_LEVELS];
	unsigned int count;
};

/* Names mostly differ in their first character. */
static inline bool is_same(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}

/* Is the path the beginning of the test's path? */
static bool has_names(const struct etw_expr *expr, const struct etw_expr_test *test,
		      const struct path *path)
{
	const struct etw_path_part *part = &expr->parts[test->part];
	unsigned int i;

	for (i = 0; i < path->count; i++)
		if (part[i].name && !is_same(part[i].name, path->part[i].name))
			return false;
	return true;
}

static bool leads_to(const struct etw_expr *expr, struct etw_expr_test *test,
		     const struct path *path, const struct etw_field *field)
{
	const struct etw_path_part *part = &expr->parts[test->part];
	unsigned int i;

	if (test->anywhere)
		return true;
	if (test->parts != path->count) {
		if (field->kind == ETW_FIELD_ARRAY_BEGIN && !field->count && !test->found &&
		    test->parts > path->count)
			test->found = has_names(expr, test, path);
		return false;
	}
	if (!has_names(expr, test, path))
		return false;
	test->found = true;
	for (i = 0; i < path->count; i++, part++)
		if (part->indexed && (!path->part[i].indexed || path->part[i].index != part->index))
			return false;
	return true;
}

static void set_number(struct etw_expr_value *value, const struct etw_field *field)
{
	value->has_number = true;
	value->number.kind = ETW_EXPR_U64;
	switch (field->value_kind) {
	case ETW_VALUE_SIGNED:
		value->number.i = field->value.i;
		if (field->value.i < 0)
			value->number.kind = ETW_EXPR_NEGATIVE;
		break;
	case ETW_VALUE_FLOAT:
	case ETW_VALUE_DOUBLE:
		value->number.f = field->value.f;
		value->number.kind = ETW_EXPR_FLOAT;
		break;
	default:
		value->number.u = field->value.u;
	}
}

/* A SYSTEMTIME as FILETIME; -1: it is invalid. */
static int64_t system_time(const void *data)
{
	uint16_t t[8];	/* year, month, day of week, day, hour, minute, second, ms */
	struct tm tm;

	memcpy(t, data, sizeof(t));
	if (t[0] < 1601 || t[0] > 30827 || t[1] < 1 || t[1] > 12 || t[3] < 1 || t[3] > 31 || t[4] > 23 ||
	    t[5] > 59 || t[6] > 59 || t[7] > 999)
		return -1;
	tm = (struct tm){
		.tm_year = t[0] - 1900, .tm_mon = t[1] - 1, .tm_mday = t[3],
		.tm_hour = t[4], .tm_min = t[5], .tm_sec = t[6],
	};
	return timegm(&tm) * 10000000LL + t[7] * 10000LL + ETW_UNIX_EPOCH_100NS;
}

void etw_expr_take_value(struct etw_expr_value *value, const struct etw_field *field)
{
	memset(value, 0, sizeof(*value));
	value->field = field;
	switch (field->value_kind) {
	case ETW_VALUE_UNSIGNED:
	case ETW_VALUE_SIGNED:
	case ETW_VALUE_HEX:
	case ETW_VALUE_BOOLEAN:
	case ETW_VALUE_FLOAT:
	case ETW_VALUE_DOUBLE:
	case ETW_VALUE_PORT:
	case ETW_VALUE_ERROR:
		set_number(value, field);
		break;
	case ETW_VALUE_TIME:
		set_number(value, field);
		value->time = (int64_t)field->value.u;
		value->has_time = value->time >= 0;
		break;
	case ETW_VALUE_SYSTEMTIME:
		value->time = system_time(field->data);
		value->has_time = value->time >= 0;
		break;
	case ETW_VALUE_GUID:
		value->guid = field->data;
		break;
	case ETW_VALUE_NONE:
		value->field = NULL;
		break;
	default:
		break;
	}
}

/* Run the tests whose path leads here; returns how many of them newly hold. */
static unsigned int try_field(struct etw_expr *expr, const struct path *path,
			      const struct etw_field *field)
{
	struct etw_expr_value value;
	bool taken = false;
	unsigned int more = 0;
	uint32_t i;

	for (i = 0; i < expr->test_count; i++) {
		struct etw_expr_test *test = &expr->tests[i];

		if (test->word || test->holds || (test->duration && expr->operation) ||
		    !leads_to(expr, test, path, field))
			continue;
		if (field->kind != ETW_FIELD_VALUE) {
			test->holds = test->op == ETW_EXPR_EXISTS;
		} else {
			/* A mask changes the number, a regular expression's text is another. */
			if (!taken || test->masked || test->op == ETW_EXPR_REGEX)
				etw_expr_take_value(&value, field);
			test->holds = etw_expr_value_passes(expr, test, &value);
			test->tried = true;
			test->compared |= expr->compared;
			taken = !test->masked && test->op != ETW_EXPR_REGEX;
		}
		more += test->holds;
	}
	return more;
}

/* Returns how many tests of "duration" hold. */
static unsigned int try_duration(struct etw_expr *expr)
{
	unsigned int hold = 0;
	uint32_t i;

	for (i = 0; i < expr->test_count; i++) {
		struct etw_expr_test *test = &expr->tests[i];
		struct etw_expr_value value = {
			.has_number = true,
			.number = { .kind = ETW_EXPR_U64, .u = expr->operation->ns },
		};

		if (!test->duration)
			continue;
		test->holds = etw_expr_value_passes(expr, test, &value);
		test->found = test->tried = true;
		test->compared |= expr->compared;
		hold += test->holds;
	}
	return hold;
}

static inline void find_path(struct path *path, const struct etw_decoder *decoder,
			     const struct etw_field *field)
{
	/* Most fields are alone at the top level. */
	if (!field->depth && field->kind == ETW_FIELD_VALUE) {
		path->part[0] = (struct etw_path_part){ .name = field->name };
		path->count = 1;
	} else {
		path->count = etw_field_path(decoder, field, path->part);
	}
}

/* Returns how many tests newly hold; enough: that is all there are. */
static unsigned int walk(struct etw_expr *expr, struct etw_decoder *decoder, unsigned int enough)
{
	struct etw_field field;
	unsigned int hold = 0;
	struct path path;

	etw_decode_rewind(decoder);
	while (hold < enough && etw_decode_next(decoder, &field) == 1) {
		if (field.kind == ETW_FIELD_STRUCT_END || field.kind == ETW_FIELD_ARRAY_END)
			continue;
		find_path(&path, decoder, &field);
		hold += try_field(expr, &path, &field);
	}
	etw_decode_rewind(decoder);
	return hold;
}

void etw_expr_walk(struct etw_expr *expr, struct etw_decoder *decoder)
{
	const struct etw_expr_operation *operation = expr->operation;
	unsigned int hold = operation ? try_duration(expr) : 0;
	uint32_t i;

	for (i = 0; i < expr->test_count; i++)
		if (!operation || !expr->tests[i].duration)
			expr->tests[i].holds = false;
	hold += walk(expr, decoder, expr->field_tests - hold);
	if (operation && operation->decoder)
		walk(expr, operation->decoder, expr->field_tests - hold);
}
