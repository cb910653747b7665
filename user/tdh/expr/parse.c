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

struct parser {
	struct etw_expr_scan s;
	unsigned int depth;
};

static bool parse_any(struct parser *p);

static bool emit(struct parser *p, uint32_t code)
{
	struct etw_expr *expr = p->s.expr;

	if (!etw_expr_room(&p->s, &expr->code, expr->code_count, &expr->code_room, sizeof(code)))
		return false;
	expr->code[expr->code_count++] = code;
	return true;
}

/* ---------------------------------------------------------------------- tests */

static const struct operator {
	const char *sign;
	enum etw_expr_op op;
	bool negate;
} operators[] = {
	/* An operator comes after those that it is the beginning of. */
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
static bool take_operator(struct parser *p, struct etw_expr_test *test)
{
	size_t i;

	for (i = 0; i < COUNT(operators); i++) {
		if (etw_expr_take(&p->s, operators[i].sign)) {
			test->op = operators[i].op;
			test->negate = operators[i].negate;
			return true;
		}
	}
	if (etw_expr_take_word(&p->s, "is")) {
		test->op = etw_expr_take_word(&p->s, "not") ? ETW_EXPR_NE : ETW_EXPR_EQ;
		return true;
	}
	test->negate = etw_expr_take_word(&p->s, "not");
	for (i = 0; i < COUNT(named); i++) {
		if (etw_expr_take_word(&p->s, named[i].sign)) {
			test->op = named[i].op;
			return true;
		}
	}
	if (test->negate)
		etw_expr_fail(&p->s, NULL,
			      "in, contains, startswith, endswith or matches must follow this not");
	return false;
}

/* A level's name is its number. */
static void name_level(const struct etw_expr_test *test, struct etw_expr_const *c)
{
	uint64_t level;

	if (test->word == ETW_EXPR_LEVEL && !(c->is & ETW_EXPR_IS_NUMBER) &&
	    etw_expr_level(c->text, &level)) {
		c->is |= ETW_EXPR_IS_NUMBER;
		c->number.kind = ETW_EXPR_U64;
		c->number.u = level;
	}
}

/* Can the test's word be compared with this constant? */
static bool check_const(struct parser *p, const struct etw_expr_test *test,
			struct etw_expr_const *c, const char *at, bool order)
{
	unsigned int has = etw_expr_word_has(test->word);

	if (!test->word)
		return true;
	name_level(test, c);
	if (has & ETW_EXPR_HAS_NUMBER && c->is & ETW_EXPR_IS_NUMBER)
		return true;
	if (has & ETW_EXPR_HAS_GUID && c->is & ETW_EXPR_IS_GUID && !order)
		return true;
	if (has & ETW_EXPR_HAS_TIME)
		return c->is & ETW_EXPR_IS_TIME ||
		       etw_expr_fail(&p->s, at, "a time is needed, as in \"2026-01-31T12:34:56Z\"");
	if (has & ETW_EXPR_HAS_TEXT && !order) {
		p->s.expr->decodes |= test->word != ETW_EXPR_PROCESS;
		return true;
	}
	if (has & ETW_EXPR_HAS_NUMBER)
		return etw_expr_fail(&p->s, at, "a number is needed here");
	return etw_expr_fail(&p->s, at, has & ETW_EXPR_HAS_GUID && !order ?
			     "a GUID is needed here" : "names and GUIDs have no order");
}

static bool take_const(struct parser *p, const struct etw_expr_test *test, bool order)
{
	const char *at = etw_expr_skip(&p->s);
	struct etw_expr *expr = p->s.expr;
	struct etw_expr_const *c;

	if (!etw_expr_take_const(&p->s))
		return false;
	c = &expr->consts[expr->const_count - 1];
	if (test->masked && !(c->is & ETW_EXPR_IS_NUMBER))
		return etw_expr_fail(&p->s, at, "bits are compared with a number");
	if (!check_const(p, test, c, at, order))
		return false;
	if (etw_expr_word_is_part(test->word) && !(c->is & ETW_EXPR_IS_NUMBER))
		c->names = test->word;
	c->at = (size_t)(at - p->s.text);
	c->at_len = (size_t)(p->s.at - at);
	return true;
}

/* low..high, or one value, which is both */
static bool take_range(struct parser *p, struct etw_expr_test *test)
{
	struct etw_expr *expr = p->s.expr;

	if (!take_const(p, test, false))
		return false;
	if (etw_expr_take(&p->s, "..")) {
		const char *at = etw_expr_skip(&p->s);

		if (!take_const(p, test, true))
			return false;
		/* The low end may be a name, which has no order. */
		if (test->word && !check_const(p, test, &expr->consts[expr->const_count - 2], at,
					       true))
			return false;
	} else {
		if (!etw_expr_room(&p->s, &expr->consts, expr->const_count, &expr->const_room,
				   sizeof(*expr->consts)))
			return false;
		expr->consts[expr->const_count] = expr->consts[expr->const_count - 1];
		/* The copy must not be reported a second time. */
		expr->consts[expr->const_count++].names = ETW_EXPR_FIELD;
	}
	test->count++;
	return true;
}

static bool take_list(struct parser *p, struct etw_expr_test *test)
{
	if (!etw_expr_take(&p->s, "("))
		return take_range(p, test);
	do {
		if (!take_range(p, test))
			return false;
	} while (etw_expr_take(&p->s, ","));
	return etw_expr_take(&p->s, ")") ||
	       etw_expr_fail(&p->s, NULL, "a comma or ) is missing in the list");
}

static bool take_text(struct parser *p, struct etw_expr_test *test)
{
	const char *at = etw_expr_skip(&p->s);
	struct etw_expr *expr = p->s.expr;

	if (test->word && !(etw_expr_word_has(test->word) & ETW_EXPR_HAS_TEXT))
		return etw_expr_fail(&p->s, at, "what is tested is no text");
	if (test->masked)
		return etw_expr_fail(&p->s, at, "bits are no text");
	expr->decodes |= test->word != ETW_EXPR_PROCESS;
	if (test->op == ETW_EXPR_REGEX)
		return etw_expr_take_regex(&p->s, &test->regex);
	test->count = 1;
	if (!etw_expr_take_const(&p->s))
		return false;
	expr->consts[test->first].at = (size_t)(at - p->s.text);
	expr->consts[test->first].at_len = (size_t)(p->s.at - at);
	if (test->op == ETW_EXPR_GLOB && expr->consts[test->first].len > ETW_EXPR_GLOB_MAX)
		return etw_expr_fail(&p->s, at, "the pattern is longer than 256 bytes");
	return true;
}

static bool take_number(struct parser *p, struct etw_expr_test *test)
{
	const char *at = etw_expr_skip(&p->s);
	const struct etw_expr_const *c;

	test->count = 1;
	if (!take_const(p, test, true))
		return false;
	c = &p->s.expr->consts[test->first];
	if (!(c->is & ETW_EXPR_IS_NUMBER) || c->number.kind != ETW_EXPR_U64 || !c->number.u)
		return etw_expr_fail(&p->s, at, "a positive whole number is needed here");
	return true;
}

/* "& number", and then perhaps a comparison of these bits; "& name" */
static bool take_bits(struct parser *p, struct etw_expr_test *test)
{
	const char *at = etw_expr_skip(&p->s);
	const struct etw_expr_const *c;

	if (test->word && !(etw_expr_word_has(test->word) & ETW_EXPR_HAS_NUMBER))
		return etw_expr_fail(&p->s, at, "what is tested is no number");
	if (!take_const(p, test, false))
		return false;
	c = &p->s.expr->consts[test->first];
	test->op = ETW_EXPR_BITS;
	test->count = 1;
	if (!(c->is & ETW_EXPR_IS_NUMBER))
		return !test->word || test->word == ETW_EXPR_KEYWORD ||
		       etw_expr_fail(&p->s, at, "a number is needed here");
	if (c->number.kind != ETW_EXPR_U64)
		return etw_expr_fail(&p->s, at, "a positive whole number is needed here");
	test->mask = c->number.u;
	return true;
}

static bool take_test(struct parser *p, struct etw_expr_test *test)
{
	struct etw_expr *expr = p->s.expr;
	bool bits;

	test->first = expr->const_count;
	bits = strncmp(etw_expr_skip(&p->s), "&&", 2) && etw_expr_take(&p->s, "&");
	if (bits && !take_bits(p, test))
		return false;
	if (!take_operator(p, test)) {
		if (!bits)
			test->op = ETW_EXPR_TRUTH;
		if (!p->s.failed && test->word && !bits)
			etw_expr_fail(&p->s, NULL, "an operator is missing");
		return !p->s.failed;
	}
	if (bits && !(expr->consts[test->first].is & ETW_EXPR_IS_NUMBER))
		return etw_expr_fail(&p->s, NULL, "bits with a name are set or not: no comparison");
	test->masked = bits;
	test->first = expr->const_count;
	test->count = 0;
	switch (test->op) {
	case ETW_EXPR_IN:
		return take_list(p, test);
	case ETW_EXPR_MULTIPLE:
		return take_number(p, test);
	case ETW_EXPR_CONTAINS:
	case ETW_EXPR_STARTS:
	case ETW_EXPR_ENDS:
	case ETW_EXPR_GLOB:
	case ETW_EXPR_REGEX:
		return take_text(p, test);
	default:
		test->count = 1;
		return take_const(p, test, test->op >= ETW_EXPR_LT);
	}
}

/* ---------------------------------------------------------------------- logic */

static bool add_test(struct parser *p, bool exists)
{
	struct etw_expr *expr = p->s.expr;
	struct etw_expr_test test = { .word = ETW_EXPR_FIELD };
	const char *at = etw_expr_skip(&p->s);
	bool good;

	if (expr->test_count == ETW_EXPR_TESTS_MAX)
		return etw_expr_fail(&p->s, at, "more than 1024 tests");
	if (!etw_expr_room(&p->s, &expr->tests, expr->test_count, &expr->test_room, sizeof(test)) ||
	    !etw_expr_take_path(&p->s, &test))
		return false;
	test.at = (size_t)(at - p->s.text);
	test.len = (size_t)(p->s.at - at);
	if (exists) {
		test.op = ETW_EXPR_EXISTS;
		good = !test.word || etw_expr_fail(&p->s, at, "every event has that");
		good = good && (etw_expr_take(&p->s, ")") ||
				etw_expr_fail(&p->s, NULL, ") is missing"));
	} else {
		good = take_test(p, &test);
	}
	if (!good) {
		if (test.regex)
			regfree(test.regex);
		free(test.regex);
		return false;
	}
	for (test.whole = (size_t)(p->s.at - at); strchr(" \t\r\n", at[test.whole - 1]);)
		test.whole--;
	expr->decodes |= !test.word;
	expr->field_tests += !test.word;
	expr->asks_process |= test.word == ETW_EXPR_PROCESS;
	expr->tests[expr->test_count] = test;
	return emit(p, ETW_EXPR_DO_TEST | expr->test_count++);
}

static bool parse_one(struct parser *p)
{
	const char *at = etw_expr_skip(&p->s);
	bool done;

	if (++p->depth > ETW_EXPR_DEPTH_MAX)
		return etw_expr_fail(&p->s, at, "nested deeper than 64 times");
	if ((at[0] == '!' && etw_expr_take(&p->s, "!")) || etw_expr_take_word(&p->s, "not")) {
		done = parse_one(p) && emit(p, ETW_EXPR_DO_NOT);
	} else if (etw_expr_take(&p->s, "(")) {
		done = parse_any(p) && (etw_expr_take(&p->s, ")") ||
					etw_expr_fail(&p->s, NULL, ") is missing"));
	} else if (etw_expr_take_word(&p->s, "exists")) {
		done = (etw_expr_take(&p->s, "(") ||
			etw_expr_fail(&p->s, NULL, "( is missing")) && add_test(p, true);
	} else {
		done = add_test(p, false);
	}
	p->depth--;
	return done;
}

/*
 * A chain of parts.  Each part but the last is followed by a jump behind the whole chain
 * for the outcome that decides; until that target is known, each jump holds the previous
 * jump's index.
 */
static bool parse_chain(struct parser *p, bool (*parse)(struct parser *p), uint32_t jump,
			const char *sign, const char *word)
{
	struct etw_expr *expr = p->s.expr;
	uint32_t last = 0, next;

	if (!parse(p))
		return false;
	while (etw_expr_take(&p->s, sign) || etw_expr_take_word(&p->s, word)) {
		/* A chain does not begin with a jump, so 0 is none. */
		if (!emit(p, jump | last))
			return false;
		last = expr->code_count - 1;
		if (!parse(p))
			return false;
	}
	for (; last; last = next) {
		next = expr->code[last] & ~ETW_EXPR_DO_MASK;
		expr->code[last] = jump | expr->code_count;
	}
	return true;
}

static bool parse_all(struct parser *p)
{
	return parse_chain(p, parse_one, ETW_EXPR_IF_FALSE, "&&", "and");
}

static bool parse_any(struct parser *p)
{
	return parse_chain(p, parse_all, ETW_EXPR_IF_TRUE, "||", "or");
}

static bool parse(struct parser *p, size_t len)
{
	struct etw_expr *expr = p->s.expr;

	if (len > ETW_EXPR_TEXT_MAX)
		return etw_expr_fail(&p->s, p->s.text, "longer than 65536 bytes");
	expr->strings = malloc(2 * len + 2);
	if (!expr->strings) {
		p->s.failed = true;
		return false;
	}
	if (!*etw_expr_skip(&p->s))
		return etw_expr_fail(&p->s, NULL, "it is empty");
	if (!parse_any(p))
		return false;
	return !*etw_expr_skip(&p->s) ||
	       etw_expr_fail(&p->s, NULL, "&&, || or the end is expected here");
}

struct etw_expr *etw_expr_parse(const char *text, const char **error, size_t *column)
{
	struct parser p = { .s = { .text = text, .at = text } };

	p.s.expr = calloc(1, sizeof(*p.s.expr));
	if (p.s.expr && parse(&p, strlen(text)))
		return p.s.expr;
	*error = p.s.error;
	*column = p.s.error_at ? (size_t)(p.s.error_at - text) + 1 : 0;
	etw_expr_free(p.s.expr);
	return NULL;
}
