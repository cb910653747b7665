// SPDX-License-Identifier: MIT
/*
 * parse.c - the grammar of expressions
 *
 *	any   := all ("||" | "or") all ...
 *	all   := one ("&&" | "and") one ...
 *	one   := ("!" | "not") one | "(" any ")" | "exists" "(" path ")" | test
 *	test  := path ["&" number] [operator value]
 */
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "base/event_context.h"

static bool parse_any(struct etw_expr_scan *s);

/* ---------------------------------------------------------------------- tests */

static const struct operator {
	const char *sign;
	enum etw_expr_op op;
	bool negate;
} operators[] = {
	/* "==" before "=": an operator comes after the longer ones that begin with it. */
	{ "==", ETW_EXPR_EQ, false }, { "=~", ETW_EXPR_REGEX, false },
	{ "=", ETW_EXPR_EQ, false }, { "!=", ETW_EXPR_NE, false },
	{ "!~", ETW_EXPR_REGEX, true }, { "<=", ETW_EXPR_LE, false },
	{ "<", ETW_EXPR_LT, false }, { ">=", ETW_EXPR_GE, false },
	{ ">", ETW_EXPR_GT, false }, { "%", ETW_EXPR_MULTIPLE, false },
}, named[] = {
	{ "in", ETW_EXPR_IN, false }, { "contains", ETW_EXPR_CONTAINS, false },
	{ "startswith", ETW_EXPR_STARTS, false }, { "endswith", ETW_EXPR_ENDS, false },
	{ "matches", ETW_EXPR_GLOB, false },
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* false: there is no operator, or it failed. */
static bool take_operator(struct etw_expr_scan *s, struct etw_expr_test *test)
{
	size_t i;

	for (i = 0; i < COUNT(operators); i++) {
		if (etw_expr_take(s, operators[i].sign)) {
			test->op = operators[i].op;
			test->negate = operators[i].negate;
			return true;
		}
	}
	if (etw_expr_take_word(s, "is")) {
		test->op = etw_expr_take_word(s, "not") ? ETW_EXPR_NE : ETW_EXPR_EQ;
		return true;
	}
	test->negate = etw_expr_take_word(s, "not");
	for (i = 0; i < COUNT(named); i++) {
		if (etw_expr_take_word(s, named[i].sign)) {
			test->op = named[i].op;
			return true;
		}
	}
	if (test->negate)
		etw_expr_fail(s, NULL,
			      "in, contains, startswith, endswith or matches must follow this not");
	return false;
}

/* A level's name is its number. */
static void name_level(struct etw_expr_const *c)
{
	static const struct {
		const char *name;
		uint64_t level;
	} levels[] = {
		{ "always", 0 }, { "critical", 1 }, { "error", 2 }, { "warning", 3 },
		{ "info", 4 }, { "information", 4 }, { "informational", 4 }, { "verbose", 5 },
	};
	size_t i;

	for (i = 0; i < COUNT(levels); i++) {
		if (strcmp(levels[i].name, c->text))
			continue;
		c->is |= ETW_EXPR_IS_NUMBER;
		c->number.kind = ETW_EXPR_U64;
		c->number.u = levels[i].level;
	}
}

/* Does the text that the word stands for come from decoding the event? */
static bool is_decoded(enum etw_expr_word word)
{
	return !etw_expr_is_process(word) && word != ETW_EXPR_MODE && word != ETW_EXPR_CONTEXT;
}

static bool is_context(const char *name)
{
	unsigned int i;

	for (i = 0; i < ETW_CONTEXTS; i++)
		if (!strcmp(name, etw_event_context_name(i)))
			return true;
	return false;
}

/* Can the test's word be compared with this constant? */
static bool check_const(struct etw_expr_scan *s, const struct etw_expr_test *test,
			struct etw_expr_const *c, const char *at, bool order)
{
	unsigned int has = etw_expr_words[test->word].has;

	if (!test->word)
		return true;
	if (test->word == ETW_EXPR_LEVEL && !(c->is & ETW_EXPR_IS_NUMBER))
		name_level(c);
	if (test->word == ETW_EXPR_MODE && strcmp(c->text, "kernel") && strcmp(c->text, "user"))
		return etw_expr_fail(s, at, "a mode is \"kernel\" or \"user\"");
	if (test->word == ETW_EXPR_CONTEXT && !is_context(c->text))
		return etw_expr_fail(s, at, "a context is task, softirq, hardirq or nmi");
	if (has & ETW_EXPR_HAS_NUMBER && c->is & ETW_EXPR_IS_NUMBER)
		return true;
	if (has & ETW_EXPR_HAS_GUID && c->is & ETW_EXPR_IS_GUID && !order)
		return true;
	if (has & ETW_EXPR_HAS_TIME)
		return c->is & ETW_EXPR_IS_TIME ||
		       etw_expr_fail(s, at, "a time is needed, as in \"2026-01-31T12:34:56Z\"");
	if (has & ETW_EXPR_HAS_TEXT && !order) {
		s->expr->decodes |= is_decoded(test->word);
		return true;
	}
	if (has & ETW_EXPR_HAS_NUMBER)
		return etw_expr_fail(s, at, "a number is needed here");
	return etw_expr_fail(s, at, has & ETW_EXPR_HAS_GUID && !order ?
			     "a GUID is needed here" : "names and GUIDs have no order");
}

static bool take_const(struct etw_expr_scan *s, const struct etw_expr_test *test, bool order)
{
	const char *at = etw_expr_skip(s);
	struct etw_expr *expr = s->expr;
	struct etw_expr_const *c;

	if (!etw_expr_take_const(s))
		return false;
	c = &expr->consts[expr->const_count - 1];
	if (test->masked && !(c->is & ETW_EXPR_IS_NUMBER))
		return etw_expr_fail(s, at, "bits are compared with a number");
	if (order && c->no_unit)
		return etw_expr_fail(s, at, "the field's name does not end in its unit, as latency_ns does: a plain number is needed");
	if (!check_const(s, test, c, at, order))
		return false;
	expr->needs_operation |= test->duration && c->has_unit;
	if (etw_expr_words[test->word].has & ETW_EXPR_HAS_NAMES && !(c->is & ETW_EXPR_IS_NUMBER))
		c->names = test->word;
	return true;
}

/* low..high, or one value, which is both */
static bool take_range(struct etw_expr_scan *s, struct etw_expr_test *test)
{
	struct etw_expr *expr = s->expr;

	if (!take_const(s, test, false))
		return false;
	if (etw_expr_take(s, "..")) {
		const char *at = etw_expr_skip(s);

		if (!take_const(s, test, true))
			return false;
		/* The low end may be a name, which has no order. */
		if (test->word && !check_const(s, test, &expr->consts[expr->const_count - 2], at,
					       true))
			return false;
	} else {
		if (!etw_expr_room(s, &expr->consts, expr->const_count, &expr->const_room,
				   sizeof(*expr->consts)))
			return false;
		expr->consts[expr->const_count] = expr->consts[expr->const_count - 1];
		/* The copy must not be reported a second time. */
		expr->consts[expr->const_count++].names = ETW_EXPR_FIELD;
	}
	test->count += 2;
	return true;
}

static bool take_list(struct etw_expr_scan *s, struct etw_expr_test *test)
{
	if (!etw_expr_take(s, "("))
		return take_range(s, test);
	do {
		if (!take_range(s, test))
			return false;
	} while (etw_expr_take(s, ","));
	return etw_expr_take(s, ")") ||
	       etw_expr_fail(s, NULL, "a comma or ) is missing in the list");
}

static bool take_text(struct etw_expr_scan *s, struct etw_expr_test *test)
{
	const char *at = etw_expr_skip(s);
	struct etw_expr *expr = s->expr;

	if (test->word && !(etw_expr_words[test->word].has & ETW_EXPR_HAS_TEXT))
		return etw_expr_fail(s, at, "what is tested is not a text");
	if (test->masked)
		return etw_expr_fail(s, at, "bits are not text");
	expr->decodes |= is_decoded(test->word);
	if (test->op == ETW_EXPR_REGEX)
		return etw_expr_take_regex(s, &test->regex);
	test->count = 1;
	if (!etw_expr_take_const(s))
		return false;
	if (test->op == ETW_EXPR_GLOB && expr->consts[test->first].len > ETW_EXPR_GLOB_MAX)
		return etw_expr_fail(s, at, "the pattern is longer than 256 bytes");
	return true;
}

static bool take_number(struct etw_expr_scan *s, struct etw_expr_test *test)
{
	const char *at = etw_expr_skip(s);
	const struct etw_expr_const *c;

	test->count = 1;
	if (!take_const(s, test, true))
		return false;
	c = &s->expr->consts[test->first];
	if (!(c->is & ETW_EXPR_IS_NUMBER) || c->number.kind != ETW_EXPR_U64 || !c->number.u)
		return etw_expr_fail(s, at, "a positive whole number is needed here");
	return true;
}

/* "& number", and then perhaps a comparison of these bits; "& name" */
static bool take_bits(struct etw_expr_scan *s, struct etw_expr_test *test)
{
	const char *at = etw_expr_skip(s);
	const struct etw_expr_const *c;

	if (test->word && !(etw_expr_words[test->word].has & ETW_EXPR_HAS_NUMBER))
		return etw_expr_fail(s, at, "what is tested is not a number");
	if (!take_const(s, test, false))
		return false;
	c = &s->expr->consts[test->first];
	test->op = ETW_EXPR_BITS;
	test->count = 1;
	if (!(c->is & ETW_EXPR_IS_NUMBER))
		return !test->word || test->word == ETW_EXPR_KEYWORD ||
		       etw_expr_fail(s, at, "a number is needed here");
	if (c->number.kind != ETW_EXPR_U64)
		return etw_expr_fail(s, at, "a positive whole number is needed here");
	test->mask = c->number.u;
	return true;
}

static bool take_test(struct etw_expr_scan *s, struct etw_expr_test *test)
{
	struct etw_expr *expr = s->expr;
	bool bits;

	test->first = expr->const_count;
	bits = strncmp(etw_expr_skip(s), "&&", 2) && etw_expr_take(s, "&");
	if (bits && !take_bits(s, test))
		return false;
	if (!take_operator(s, test)) {
		if (!bits)
			test->op = ETW_EXPR_TRUTH;
		if (!s->failed && test->word && !bits)
			etw_expr_fail(s, NULL, "an operator is missing");
		return !s->failed;
	}
	if (bits && !(expr->consts[test->first].is & ETW_EXPR_IS_NUMBER))
		return etw_expr_fail(s, NULL, "bits with a name are set or not: no comparison");
	test->masked = bits;
	test->first = expr->const_count;
	test->count = 0;
	switch (test->op) {
	case ETW_EXPR_IN:
		return take_list(s, test);
	case ETW_EXPR_MULTIPLE:
		return take_number(s, test);
	case ETW_EXPR_CONTAINS:
	case ETW_EXPR_STARTS:
	case ETW_EXPR_ENDS:
	case ETW_EXPR_GLOB:
	case ETW_EXPR_REGEX:
		return take_text(s, test);
	default:
		test->count = 1;
		return take_const(s, test, test->op >= ETW_EXPR_LT);
	}
}

/* ---------------------------------------------------------------------- logic */

/* A parsing function that succeeds has made its node last. */
static bool add_node(struct etw_expr_scan *s, int kind, uint32_t left, uint32_t right)
{
	struct etw_expr *expr = s->expr;

	if (!etw_expr_room(s, &expr->nodes, expr->node_count, &expr->node_room,
			   sizeof(*expr->nodes)))
		return false;
	expr->nodes[expr->node_count++] = (struct etw_expr_node){ kind, left, right };
	return true;
}

static bool close_parenthesis(struct etw_expr_scan *s)
{
	return etw_expr_take(s, ")") || etw_expr_fail(s, NULL, ") is missing");
}

static bool parse_test(struct etw_expr_scan *s, bool exists)
{
	struct etw_expr *expr = s->expr;
	struct etw_expr_test *test;
	const char *at = etw_expr_skip(s);

	if (expr->test_count == ETW_EXPR_TESTS_MAX)
		return etw_expr_fail(s, at, "more than 1024 tests");
	if (!etw_expr_room(s, &expr->tests, expr->test_count, &expr->test_room, sizeof(*test)))
		return false;
	test = &expr->tests[expr->test_count++];
	*test = (struct etw_expr_test){ .op = ETW_EXPR_EXISTS };
	if (!etw_expr_take_path(s, test))
		return false;
	test->at = (size_t)(at - s->text);
	test->len = (size_t)(s->at - at);
	if (exists && test->word)
		return etw_expr_fail(s, at, "every event has that");
	s->in_field = !test->word;
	s->field = test->word ? NULL : expr->parts[test->part + test->parts - 1].name;
	if (test->duration)
		s->field = "duration_ns";
	if (exists ? !close_parenthesis(s) : !take_test(s, test))
		return false;
	for (test->whole = (size_t)(s->at - at); strchr(" \t\r\n", at[test->whole - 1]);)
		test->whole--;
	expr->decodes |= !test->word;
	expr->field_tests += !test->word;
	expr->asks_process |= etw_expr_is_process(test->word);
	return add_node(s, ETW_EXPR_TEST, expr->test_count - 1, 0);
}

static bool parse_one(struct etw_expr_scan *s)
{
	const char *at = etw_expr_skip(s);
	bool done;

	if (++s->depth > ETW_EXPR_DEPTH_MAX)
		return etw_expr_fail(s, at, "nested deeper than 64 times");
	if ((at[0] == '!' && etw_expr_take(s, "!")) || etw_expr_take_word(s, "not"))
		done = parse_one(s) && add_node(s, ETW_EXPR_NOT, s->expr->node_count - 1, 0);
	else if (etw_expr_take(s, "("))
		done = parse_any(s) && close_parenthesis(s);
	else if (etw_expr_take_word(s, "exists"))
		done = (etw_expr_take(s, "(") || etw_expr_fail(s, NULL, "( is missing")) &&
		       parse_test(s, true);
	else
		done = parse_test(s, false);
	s->depth--;
	return done;
}

static bool parse_chain(struct etw_expr_scan *s, bool (*parse)(struct etw_expr_scan *s), int kind,
			const char *sign, const char *word)
{
	uint32_t left;

	if (!parse(s))
		return false;
	while (etw_expr_take(s, sign) || etw_expr_take_word(s, word)) {
		left = s->expr->node_count - 1;
		if (!parse(s) || !add_node(s, kind, left, s->expr->node_count - 1))
			return false;
	}
	return true;
}

static bool parse_all(struct etw_expr_scan *s)
{
	return parse_chain(s, parse_one, ETW_EXPR_AND, "&&", "and");
}

static bool parse_any(struct etw_expr_scan *s)
{
	return parse_chain(s, parse_all, ETW_EXPR_OR, "||", "or");
}

static bool parse(struct etw_expr_scan *s, size_t len)
{
	struct etw_expr *expr = s->expr;

	if (len > ETW_EXPR_TEXT_MAX)
		return etw_expr_fail(s, s->text, "longer than 65536 bytes");
	expr->strings = malloc(2 * len + 2);
	if (!expr->strings) {
		s->failed = true;
		return false;
	}
	if (!*etw_expr_skip(s))
		return etw_expr_fail(s, NULL, "it is empty");
	if (!parse_any(s))
		return false;
	return !*etw_expr_skip(s) ||
	       etw_expr_fail(s, NULL, "&&, || or the end is expected here");
}

struct etw_expr *etw_expr_parse(const char *text, const char **error, size_t *column)
{
	struct etw_expr_scan s = { .text = text, .at = text };

	s.expr = calloc(1, sizeof(*s.expr));
	if (s.expr && parse(&s, strlen(text)))
		return s.expr;
	*error = s.error;
	*column = s.error_at ? (size_t)(s.error_at - text) + 1 : 0;
	etw_expr_free(s.expr);
	return NULL;
}
