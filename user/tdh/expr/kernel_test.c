// SPDX-License-Identifier: MIT
/*
 * kernel_test.c - one test of a field as predicates of a payload program
 *
 * A test becomes a predicate only if the kernel gives it the meaning that value.c gives
 * it.  The decoder's own step says what kind of value the field has.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel_private.h"

enum class { NO_CLASS, NUMBER, TEXT, ID };

/* The field that is tested, and what the kernel sees in it */
struct target {
	struct etw_kernel_compiler *c;
	const struct etw_expr_test *test;
	const struct etw_mf_field *field;
	int index;		/* in the layout */
	enum class class;
	enum etw_value_kind kind;
	unsigned int size;	/* NUMBER: bytes */
};

/* ---------------------------------------------------------------- find the field */

enum where { ABSENT, VALUE, STRUCTURE, IN_ARRAY };

static bool is_array(const struct etw_mf_field *field)
{
	return field->flags & (ETW_MF_COUNT_FIELD | ETW_MF_COUNT_FIXED) || field->count != 1;
}

/* Where the path leads in the fields first to end */
static enum where find(const struct etw_mf_template *template, unsigned int first,
		       unsigned int end, const struct etw_path_part *part, unsigned int parts,
		       const struct etw_mf_field **field)
{
	const struct etw_mf_field *at;
	enum where where;
	unsigned int i;

	for (i = first; i < end && i < template->count; i++) {
		at = &template->fields[i];
		if (strcmp(at->name, part->name))
			continue;
		*field = at;
		if (!(at->flags & ETW_MF_STRUCT))
			return parts > 1 ? ABSENT : is_array(at) ? IN_ARRAY : VALUE;
		if (parts == 1)
			return STRUCTURE;
		where = find(template, at->first, at->first + at->members, part + 1, parts - 1,
			     field);
		return where != ABSENT && is_array(at) ? IN_ARRAY : where;
	}
	return ABSENT;
}

/* Its index in the layout; -1: another field has the same name. */
static int find_index(const struct etw_kernel_compiler *c, const struct etw_path_part *part,
		      unsigned int parts)
{
	char name[512];
	int i, found = -1;

	if (parts == 1)
		snprintf(name, sizeof(name), "%s", part->name);
	else
		snprintf(name, sizeof(name), "%s.%s", part[0].name, part[1].name);
	for (i = 0; i < c->layout.count; i++) {
		if (!c->layout.fields[i].name || strcmp(c->layout.fields[i].name, name))
			continue;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

static enum class class_of(struct target *t)
{
	struct etw_field_step step;

	etw_step_fill(&step, t->field);
	t->kind = step.value_kind;
	t->size = step.size;
	switch (t->kind) {
	case ETW_VALUE_UNSIGNED:
	case ETW_VALUE_SIGNED:
	case ETW_VALUE_HEX:
	case ETW_VALUE_BOOLEAN:
	case ETW_VALUE_ERROR:
	case ETW_VALUE_TIME:
	case ETW_VALUE_PORT:
	case ETW_VALUE_IPV4:
		return step.how == ETW_HOW_FIXED ? NUMBER : NO_CLASS;
	case ETW_VALUE_STRING8:
	case ETW_VALUE_STRING16:
		/* A single character, or bytes that are shown as text, are no text there. */
		return step.how == ETW_HOW_FIXED || t->field->in_type == TDH_INTYPE_BINARY ||
		       t->field->in_type == TDH_INTYPE_MANIFEST_COUNTEDBINARY ? NO_CLASS : TEXT;
	case ETW_VALUE_GUID:
		return ID;
	default:
		return NO_CLASS;
	}
}

/* The kernel reads a number as the decoder does, whatever the field's type is called. */
static void set_in_type(struct target *t)
{
	static const uint16_t unsigned_types[] = {
		[1] = TDH_INTYPE_UINT8, [2] = TDH_INTYPE_UINT16, [4] = TDH_INTYPE_UINT32,
		[8] = TDH_INTYPE_UINT64,
	}, signed_types[] = {
		[1] = TDH_INTYPE_INT8, [2] = TDH_INTYPE_INT16, [4] = TDH_INTYPE_INT32,
		[8] = TDH_INTYPE_INT64,
	};
	struct etw_payload_field *field = (void *)(uintptr_t)&t->c->layout.fields[t->index];

	field->in_type = (t->kind == ETW_VALUE_SIGNED ? signed_types : unsigned_types)[t->size];
}

/* ------------------------------------------------------------------------ leaves */

static size_t column_of(const struct etw_expr_const *k)
{
	return k->at + 1;
}

/* For %.*s: the constant as it was written */
#define WRITTEN(t, k)	(int)((k)->at_len > 40 ? 40 : (k)->at_len), \
			(t)->c->sources[(t)->c->source].text + (k)->at

/* A predicate; value: copied unless it is a constant's text. */
static int new_leaf(struct target *t, uint16_t op, size_t column, const char *text,
		    const char *number)
{
	struct etw_kernel_compiler *c = t->c;
	struct etw_kernel_leaf *leaf = &c->leaves[c->leaf_count];

	if (c->leaf_count == ETW_KERNEL_LEAVES_MAX)
		return etw_kernel_fail(c, column, "the kernel runs at most %d tests for one event",
				       ETW_PAYLOAD_TESTS);
	*leaf = (struct etw_kernel_leaf){ .op = op, .field = t->index, .source = c->source,
					  .column = column };
	leaf->value = text ? text : leaf->number;
	if (!text)
		snprintf(leaf->number, sizeof(leaf->number), "%s", number);
	return etw_kernel_node(c, ETW_EXPR_TEST, c->leaf_count++, 0);
}

static int number_leaf(struct target *t, uint16_t op, size_t column, uint64_t number)
{
	char s[24];

	snprintf(s, sizeof(s), t->kind == ETW_VALUE_SIGNED ? "%" PRId64 : "%" PRIu64, number);
	return new_leaf(t, op, column, NULL, s);
}

static int range_leaf(struct target *t, size_t column, uint64_t low, uint64_t high)
{
	char s[48];

	snprintf(s, sizeof(s), t->kind == ETW_VALUE_SIGNED ?
		 "%" PRId64 ",%" PRId64 : "%" PRIu64 ",%" PRIu64, low, high);
	return new_leaf(t, ETW_PAYLOAD_BETWEEN, column, NULL, s);
}

static int text_leaf(struct target *t, uint16_t op, const struct etw_expr_const *k)
{
	if (strlen(k->text) != k->len)
		return etw_kernel_refuse(t->c, t->test, "its text has a NUL");
	return new_leaf(t, op, column_of(k), k->text, NULL);
}

static int guid_leaf(struct target *t, const struct etw_expr_const *k)
{
	char s[48];

	if (!(k->is & ETW_EXPR_IS_GUID))
		return etw_kernel_fail(t->c, column_of(k), "%.*s is not a GUID", WRITTEN(t, k));
	snprintf(s, sizeof(s), *k->text == '{' ? "%s" : "{%s}", k->text);
	return new_leaf(t, ETW_PAYLOAD_IS, column_of(k), NULL, s);
}

/* ----------------------------------------------------------------------- numbers */

/* A constant as the field's own type has it */
static bool take_number(const struct target *t, const struct etw_expr_const *k, uint64_t *value)
{
	const bool is_signed = t->kind == ETW_VALUE_SIGNED;
	const uint64_t most = UINT64_MAX >> (64 - 8 * t->size + is_signed);
	const uint64_t lowest = is_signed ? most + 1 : 0;
	bool fits;

	if (k->number.kind == ETW_EXPR_FLOAT)
		return etw_kernel_refuse(t->c, t->test, "it compares whole numbers only") >= 0;
	*value = k->number.u;
	fits = k->number.kind == ETW_EXPR_NEGATIVE ? -k->number.u <= lowest : k->number.u <= most;
	if (!fits)
		etw_kernel_fail(t->c, column_of(k), "%.*s is out of range, which is %s%" PRIu64 " to %" PRIu64,
				WRITTEN(t, k), is_signed ? "-" : "", lowest, most);
	return fits;
}

/* The names of the field's values */
static struct etw_field_map map_of(const struct target *t)
{
	const struct etw_kernel_compiler *c = t->c;
	struct etw_field_map map = { .map = NULL };

	if (c->names)
		etw_value_names_find(c->names, t->field->name, &map);
	else
		map = (struct etw_field_map){ t->field->map, c->provider ? c->provider->manifest : NULL };
	return map;
}

/* A constant that is a name, of a value in a map or of an error */
static int equal_name(struct target *t, const struct etw_expr_const *k)
{
	const struct etw_expr *expr = t->c->sources[t->c->source].expr;
	const struct etw_kernel_number number = { t->field, map_of(t), t->kind, t->size };
	struct etw_kernel_values values;
	int node = ETW_KERNEL_FALSE;
	unsigned int i;

	if (!number.map.map && t->kind != ETW_VALUE_ERROR)
		return etw_kernel_fail(t->c, column_of(k), "%.*s is not a number", WRITTEN(t, k));
	if (t->kind == ETW_VALUE_PORT || t->kind == ETW_VALUE_TIME)
		return etw_kernel_refuse(t->c, t->test, "give the number in place of the name");
	if (!etw_kernel_named(t->c, &number, (uint32_t)(k - expr->consts), &values))
		return ETW_KERNEL_ERROR;
	for (i = 0; i < values.count && node >= 0; i++)
		node = etw_kernel_join(t->c, ETW_EXPR_OR, node,
				       number_leaf(t, ETW_PAYLOAD_EQ, column_of(k), values.list[i]));
	return node;
}

/* The node for "the field is this constant" */
static int equal_number(struct target *t, const struct etw_expr_const *k)
{
	uint64_t value;
	struct in_addr address;

	if (t->kind == ETW_VALUE_IPV4) {
		if (inet_pton(AF_INET, k->text, &address) != 1)
			return etw_kernel_fail(t->c, column_of(k), "%.*s is not an IPv4 address",
					       WRITTEN(t, k));
		return number_leaf(t, ETW_PAYLOAD_EQ, column_of(k), address.s_addr);
	}
	if (t->kind == ETW_VALUE_TIME && k->is & ETW_EXPR_IS_TIME)
		return number_leaf(t, ETW_PAYLOAD_EQ, column_of(k), (uint64_t)k->time);
	if (k->is & ETW_EXPR_IS_NUMBER) {
		if (!take_number(t, k, &value))
			return ETW_KERNEL_ERROR;
		if (t->kind == ETW_VALUE_PORT)
			value = __builtin_bswap16((uint16_t)value);
		return number_leaf(t, ETW_PAYLOAD_EQ, column_of(k), value);
	}
	if (k->is & ETW_EXPR_IS_BOOLEAN)
		return number_leaf(t, k->truth ? ETW_PAYLOAD_NE : ETW_PAYLOAD_EQ, column_of(k), 0);
	return equal_name(t, k);
}

/* A constant that the field's values are above or below */
static bool take_bound(const struct target *t, const struct etw_expr_const *k, uint64_t *value)
{
	if (t->kind == ETW_VALUE_PORT || t->kind == ETW_VALUE_IPV4)
		return etw_kernel_refuse(t->c, t->test, "it cannot order ports and addresses") >= 0;
	if (t->kind == ETW_VALUE_TIME && k->is & ETW_EXPR_IS_TIME) {
		*value = (uint64_t)k->time;
		return true;
	}
	if (k->is & ETW_EXPR_IS_NUMBER)
		return take_number(t, k, value);
	if (k->is & ETW_EXPR_IS_BOOLEAN)
		return etw_kernel_fail(t->c, column_of(k), "%.*s has no order: use == or !=",
				       WRITTEN(t, k)) >= 0;
	return etw_kernel_fail(t->c, column_of(k), "%.*s is not a number", WRITTEN(t, k)) >= 0;
}

static int order(struct target *t, const struct etw_expr_const *k)
{
	static const uint16_t ops[] = {
		[ETW_EXPR_LT] = ETW_PAYLOAD_LT, [ETW_EXPR_LE] = ETW_PAYLOAD_LE,
		[ETW_EXPR_GT] = ETW_PAYLOAD_GT, [ETW_EXPR_GE] = ETW_PAYLOAD_GE,
	};
	const enum etw_expr_op op = t->test->op;
	uint64_t value;

	if (!take_bound(t, k, &value))
		return ETW_KERNEL_ERROR;
	if (t->kind != ETW_VALUE_TIME || !(k->is & ETW_EXPR_IS_TIME) || op < ETW_EXPR_GT)
		return number_leaf(t, ops[op], column_of(k), value);
	/* Times above INT64_MAX are no times: they have no order. */
	if (op == ETW_EXPR_GT && value++ == INT64_MAX)
		return ETW_KERNEL_FALSE;
	return range_leaf(t, column_of(k), value, INT64_MAX);
}

static int multiple(struct target *t, const struct etw_expr_const *k)
{
	uint64_t value;

	if (t->kind == ETW_VALUE_PORT || t->kind == ETW_VALUE_IPV4)
		return etw_kernel_refuse(t->c, t->test, "it cannot divide ports and addresses");
	if (!take_number(t, k, &value))
		return ETW_KERNEL_ERROR;
	return number_leaf(t, ETW_PAYLOAD_MODULO, column_of(k), value);
}

static int number_range(struct target *t, const struct etw_expr_const *range)
{
	uint64_t low, high;

	if (!take_bound(t, &range[0], &low) || !take_bound(t, &range[1], &high))
		return ETW_KERNEL_ERROR;
	if (t->kind == ETW_VALUE_SIGNED ? (int64_t)low > (int64_t)high : low > high)
		return etw_kernel_fail(t->c, column_of(range), "the range is upside down: it begins after its end");
	return range_leaf(t, column_of(range), low, high);
}

/* ------------------------------------------------------------------------- a test */

static int equal(struct target *t, const struct etw_expr_const *k)
{
	switch (t->class) {
	case NUMBER:
		return equal_number(t, k);
	case TEXT:
		return text_leaf(t, ETW_PAYLOAD_IS, k);
	default:
		return guid_leaf(t, k);
	}
}

/* One part of a list: low and high are the same constant if it is no range. */
static int within(struct target *t, const struct etw_expr_const *range)
{
	if (range[0].text == range[1].text)
		return equal(t, range);
	if (t->class == NUMBER)
		return number_range(t, range);
	return etw_kernel_refuse(t->c, t->test, t->class == TEXT ? "it has no ranges of texts" :
								   "GUIDs have no order");
}

/* A test that only fields of some classes can have */
static int test_class(struct target *t, const struct etw_expr_const *k)
{
	const enum etw_expr_op op = t->test->op;

	if (t->class == ID)
		return etw_kernel_refuse(t->c, t->test, "for GUIDs it has ==, != and in");
	if (t->class == TEXT && op == ETW_EXPR_CONTAINS)
		return text_leaf(t, ETW_PAYLOAD_CONTAINS, k);
	if (t->class == TEXT && op == ETW_EXPR_TRUTH)
		return new_leaf(t, ETW_PAYLOAD_ISNOT, t->test->at + 1, "", NULL);
	if (t->class == TEXT)
		return etw_kernel_refuse(t->c, t->test, "for texts it has ==, !=, in and contains");
	if (op >= ETW_EXPR_LT && op <= ETW_EXPR_GE)
		return order(t, k);
	if (op == ETW_EXPR_MULTIPLE)
		return multiple(t, k);
	if (op != ETW_EXPR_TRUTH)
		return etw_kernel_refuse(t->c, t->test, "it searches texts only, and this is a number");
	/* The text of an address is never empty. */
	return t->kind == ETW_VALUE_IPV4 ? ETW_KERNEL_TRUE :
		number_leaf(t, ETW_PAYLOAD_NE, t->test->at + 1, 0);
}

static int test_value(struct target *t)
{
	const struct etw_expr *expr = t->c->sources[t->c->source].expr;
	const struct etw_expr_const *k = t->test->count ? &expr->consts[t->test->first] : NULL;
	int node = ETW_KERNEL_FALSE;
	uint32_t i;

	if (t->test->masked || t->test->op == ETW_EXPR_BITS)
		return etw_kernel_refuse(t->c, t->test, "it cannot test single bits");
	t->class = class_of(t);
	if (t->class == NO_CLASS)
		return etw_kernel_refuse(t->c, t->test, "it has no such type");
	if (t->class == NUMBER)
		set_in_type(t);
	switch (t->test->op) {
	case ETW_EXPR_EQ:
		node = equal(t, k);
		break;
	case ETW_EXPR_NE:
		node = etw_kernel_not(t->c, equal(t, k));
		break;
	case ETW_EXPR_IN:
		for (i = 0; i < t->test->count && node >= 0; i += 2)
			node = etw_kernel_join(t->c, ETW_EXPR_OR, node, within(t, k + i));
		break;
	default:
		node = test_class(t, k);
	}
	return t->test->negate ? etw_kernel_not(t->c, node) : node;
}

int etw_kernel_field_test(struct etw_kernel_compiler *c, struct etw_expr_test *test)
{
	const struct etw_path_part *part = c->sources[c->source].expr->parts + test->part;
	struct target t = { .c = c, .test = test };
	const bool exists = test->op == ETW_EXPR_EXISTS;
	enum where where = ABSENT;
	unsigned int i;

	for (i = 0; i < test->parts; i++)
		if (!part[i].name || part[i].indexed)
			return etw_kernel_refuse(c, test, "it tests one field, which has to be named");
	if (c->event && c->event->template)
		where = find(c->event->template, 0, c->event->template->top, part, test->parts,
			     &t.field);
	test->in_schema |= where != ABSENT;
	if (where == ABSENT)
		return ETW_KERNEL_FALSE;
	if (where == IN_ARRAY && !(exists && test->parts == 1))
		return etw_kernel_refuse(c, test, "it cannot test arrays");
	if (where == STRUCTURE || exists)
		return exists ? ETW_KERNEL_TRUE : ETW_KERNEL_FALSE;
	t.index = find_index(c, part, test->parts);
	if (t.index < 0)
		return etw_kernel_refuse(c, test, "more than one field has this name");
	return test_value(&t);
}
