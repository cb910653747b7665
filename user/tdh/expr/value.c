// SPDX-License-Identifier: MIT
/*
 * value.c - compare a value with constants
 *
 * The case of ASCII letters makes no difference.
 */
#include <string.h>

#include "private.h"
#include "tdh/decode/error_names.h"

/* How a value compares with a constant; flags, so that an operator is a set of them */
enum order {
	STRANGE = 0,	/* cannot be compared */
	LESS = 1,
	EQUAL = 2,
	GREATER = 4,
	UNEQUAL = 8,	/* and without an order */
};

static enum order order_of(int difference)
{
	return difference < 0 ? LESS : difference > 0 ? GREATER : EQUAL;
}

/* A long double holds every 64-bit integer exactly. */
static long double as_float(const struct etw_expr_number *n)
{
	switch (n->kind) {
	case ETW_EXPR_U64:
		return n->u;
	case ETW_EXPR_NEGATIVE:
		return n->i;
	default:
		return n->f;
	}
}

static enum order compare_numbers(const struct etw_expr_number *a, const struct etw_expr_number *b)
{
	long double x, y;

	if (a->kind == ETW_EXPR_U64 && b->kind == ETW_EXPR_U64)
		return a->u < b->u ? LESS : a->u > b->u ? GREATER : EQUAL;
	x = as_float(a);
	y = as_float(b);
	/* NaN is unequal to everything. */
	return x < y ? LESS : x > y ? GREATER : x == y ? EQUAL : UNEQUAL;
}

/* A text ends at its first NUL: the kernel's payload filters read it the same way. */
static void cut_at_nul(struct etw_text *text, const struct etw_field *field)
{
	if (text->len && (field->value_kind == ETW_VALUE_STRING8 ||
			  field->value_kind == ETW_VALUE_STRING16))
		etw_text_cut(text, strnlen(text->data, text->len));
}

/* Into expr->text; false: no memory. */
static bool format_text(struct etw_expr *expr, const struct etw_expr_value *value)
{
	struct etw_text *text = &expr->text;

	if (text->error)
		etw_text_free(text);
	etw_text_cut(text, 0);
	if (value->name)
		etw_text_puts(text, value->name);
	else if (value->field)
		etw_format_value(text, value->field, ETW_FORMAT_RAW);
	else
		etw_text_guid(text, value->guid);
	if (!value->name && value->field)
		cut_at_nul(text, value->field);
	/* An empty text has no memory yet. */
	return !text->error && etw_text_room(text, 1);
}

/* Make the text of a value that has one; in lower case except for regular expressions. */
static bool make_text(struct etw_expr *expr, struct etw_expr_value *value, bool lower)
{
	struct etw_text *text = &expr->text;
	char *p, *end;

	if (!value->has_text || value->is_lower != lower) {
		if ((!value->has_text || value->is_lower) && !format_text(expr, value))
			return false;
		value->has_text = true;
		value->is_lower = lower;
		for (p = text->data, end = p + text->len; lower && p < end; p++)
			*p = etw_expr_lower(*p);
	}
	return !text->error;
}

static bool is_text_op(enum etw_expr_op op)
{
	return op >= ETW_EXPR_CONTAINS && op <= ETW_EXPR_REGEX;
}

static bool has_text(const struct etw_expr_value *value)
{
	return value->name || value->field || value->guid;
}

static enum order compare_text(struct etw_expr *expr, struct etw_expr_value *value,
			       const struct etw_expr_const *c)
{
	size_t len;
	int ret;

	if (!has_text(value) || !make_text(expr, value, true))
		return STRANGE;
	len = expr->text.len < c->len ? expr->text.len : c->len;
	ret = memcmp(expr->text.data, c->text, len);
	if (!ret && expr->text.len != c->len)
		ret = expr->text.len < c->len ? -1 : 1;
	/* Names of numbers have no order, nor have GUIDs. */
	if (ret && (value->has_number || value->guid || c->is & ETW_EXPR_IS_NUMBER))
		return UNEQUAL;
	return order_of(ret);
}

bool etw_expr_is_called(const char *name, const struct etw_expr_const *c)
{
	size_t i;

	for (i = 0; i < c->len && name[i] && etw_expr_lower(name[i]) == c->text[i]; i++)
		;
	return i == c->len && !name[i];
}

/* The text of a code is "5(ERROR_ACCESS_DENIED)"; its name alone matches too. */
static bool is_error_name(const struct etw_expr_value *value, const struct etw_expr_const *c)
{
	const struct etw_field *field = value->field;
	const char *name;

	if (!field || field->value_kind != ETW_VALUE_ERROR)
		return false;
	name = etw_error_name(field->out_type, (uint32_t)field->value.u);
	return name && etw_expr_is_called(name, c);
}

static enum order find_order(struct etw_expr *expr, struct etw_expr_value *value,
			     const struct etw_expr_const *c)
{
	if (value->has_time && c->is & ETW_EXPR_IS_TIME)
		return value->time < c->time ? LESS : value->time > c->time ? GREATER : EQUAL;
	if (value->has_number && c->is & ETW_EXPR_IS_NUMBER)
		return compare_numbers(&value->number, &c->number);
	if (value->has_number && c->is & ETW_EXPR_IS_BOOLEAN && !value->name)
		return (value->number.kind != ETW_EXPR_U64 || value->number.u) == c->truth ?
			EQUAL : UNEQUAL;
	if (value->guid && c->is & ETW_EXPR_IS_GUID)
		return memcmp(value->guid, &c->guid, sizeof(c->guid)) ? UNEQUAL : EQUAL;
	if (is_error_name(value, c))
		return EQUAL;
	return compare_text(expr, value, c);
}

/* A number without names equals no text. */
static bool is_number_alone(const struct etw_expr_value *value)
{
	if (!value->field || value->field->map)
		return false;
	switch (value->field->value_kind) {
	case ETW_VALUE_UNSIGNED:
	case ETW_VALUE_SIGNED:
	case ETW_VALUE_HEX:
	case ETW_VALUE_FLOAT:
	case ETW_VALUE_DOUBLE:
		return true;
	default:
		return false;
	}
}

static enum order compare(struct etw_expr *expr, struct etw_expr_value *value,
			  const struct etw_expr_const *c)
{
	const enum order order = find_order(expr, value, c);

	expr->compared |= order && !(order == UNEQUAL && is_number_alone(value) &&
				     !(c->is & (ETW_EXPR_IS_NUMBER | ETW_EXPR_IS_BOOLEAN)));
	return order;
}

static bool is_within(struct etw_expr *expr, struct etw_expr_value *value,
		      const struct etw_expr_const *range)
{
	enum order low = compare(expr, value, &range[0]), high;

	if (low == EQUAL)
		return true;
	if (low != GREATER)
		return false;
	high = compare(expr, value, &range[1]);
	return high & (LESS | EQUAL);
}

static bool is_in(struct etw_expr *expr, const struct etw_expr_test *test,
		  struct etw_expr_value *value)
{
	uint32_t i;

	for (i = 0; i < test->count; i += 2)
		if (is_within(expr, value, &expr->consts[test->first + i]))
			return true;
	return false;
}

/*
 * Match a pattern with * and ?; both texts are in lower case.  This scans the text at most
 * once for each star.
 */
static bool glob(const char *pattern, size_t pattern_len, const char *text, size_t len)
{
	const char *p = pattern, *p_end = pattern + pattern_len, *star = NULL;
	const char *t = text, *t_end = text + len, *star_at = text;

	while (t < t_end) {
		if (p < p_end && *p == '*') {
			star = ++p;
			star_at = t;
		} else if (p < p_end && (*p == '?' || *p == *t)) {
			p++;
			t++;
			/* A character may be several bytes. */
			while (p[-1] == '?' && t < t_end && ((unsigned char)*t & 0xC0) == 0x80)
				t++;
		} else if (star) {
			p = star;
			t = ++star_at;
		} else {
			return false;
		}
	}
	while (p < p_end && *p == '*')
		p++;
	return p == p_end;
}

static bool text_passes(struct etw_expr *expr, const struct etw_expr_test *test)
{
	const char *text = expr->text.data;
	size_t len = expr->text.len;
	regmatch_t all = { 0, (regoff_t)len };
	const struct etw_expr_const *c;

	if (test->op == ETW_EXPR_REGEX)
		return len <= INT32_MAX && !regexec(test->regex, text, 1, &all, REG_STARTEND);
	c = &expr->consts[test->first];
	switch (test->op) {
	case ETW_EXPR_CONTAINS:
		return memmem(text, len, c->text, c->len) != NULL;
	case ETW_EXPR_STARTS:
		return len >= c->len && !memcmp(text, c->text, c->len);
	case ETW_EXPR_ENDS:
		return len >= c->len && !memcmp(text + len - c->len, c->text, c->len);
	default:
		return glob(c->text, c->len, text, len);
	}
}

/* Are all bits set of an entry of the map that has this name? */
static bool bit_is_named(const struct etw_expr_value *value, const struct etw_expr_const *c)
{
	const struct etw_mf_map *map;
	uint32_t bits;
	const char *name;
	unsigned int i;

	if (!value->field || !value->field->map || value->number.kind == ETW_EXPR_FLOAT)
		return false;
	map = value->field->map->map;
	for (i = 0; i < map->by_value_count; i++) {
		bits = map->entries[map->by_value[i]].value;
		if (!bits || (value->number.u & bits) != bits ||
		    (bits & (bits - 1) && map->kind != ETW_MAP_BITS))
			continue;
		name = etw_field_map_name(value->field->map, bits);
		if (name && etw_expr_is_called(name, c))
			return true;
	}
	return false;
}

static bool truth(struct etw_expr *expr, struct etw_expr_value *value)
{
	if (value->has_number)
		return value->number.kind == ETW_EXPR_FLOAT ? value->number.f != 0 :
			value->number.u;
	return has_text(value) && make_text(expr, value, true) && expr->text.len;
}

/* The sign of the number does not matter. */
static bool is_multiple(const struct etw_expr_number *n, uint64_t of)
{
	return !((n->kind == ETW_EXPR_NEGATIVE ? -n->u : n->u) % of);
}

static bool passes(struct etw_expr *expr, const struct etw_expr_test *test,
		   struct etw_expr_value *value)
{
	static const uint8_t orders[] = {
		[ETW_EXPR_EQ] = EQUAL, [ETW_EXPR_NE] = LESS | GREATER | UNEQUAL,
		[ETW_EXPR_LT] = LESS, [ETW_EXPR_LE] = LESS | EQUAL,
		[ETW_EXPR_GT] = GREATER, [ETW_EXPR_GE] = GREATER | EQUAL,
	};
	const struct etw_expr_const *c;

	if (test->op == ETW_EXPR_EXISTS)
		return true;
	if (test->op == ETW_EXPR_TRUTH)
		return truth(expr, value);
	if (is_text_op(test->op))
		return text_passes(expr, test);
	c = &expr->consts[test->first];
	switch (test->op) {
	case ETW_EXPR_BITS:
		return c->is & ETW_EXPR_IS_NUMBER ? value->number.u & c->number.u :
						    bit_is_named(value, c);
	case ETW_EXPR_MULTIPLE:
		return is_multiple(&value->number, c->number.u);
	case ETW_EXPR_IN:
		return is_in(expr, test, value);
	default:
		return orders[test->op] & compare(expr, value, c);
	}
}

/* A value that cannot be tested this way fails the test, negated or not. */
bool etw_expr_value_passes(struct etw_expr *expr, const struct etw_expr_test *test,
			   struct etw_expr_value *value)
{
	bool number = test->op == ETW_EXPR_BITS || test->op == ETW_EXPR_MULTIPLE || test->masked;

	expr->compared = false;
	if (number && (!value->has_number || value->number.kind == ETW_EXPR_FLOAT))
		return false;
	if (is_text_op(test->op) &&
	    (!has_text(value) || !make_text(expr, value, test->op != ETW_EXPR_REGEX)))
		return false;
	if (test->masked) {
		value->number.kind = ETW_EXPR_U64;
		value->number.u &= test->mask;
	}
	/* The others compare with a constant. */
	expr->compared = test->op > ETW_EXPR_GE && test->op != ETW_EXPR_IN;
	return passes(expr, test, value) != test->negate;
}
