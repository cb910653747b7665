// SPDX-License-Identifier: MIT
/*
 * expr.c - expressions that select events: run one
 */
#include <stdlib.h>

#include "private.h"

bool etw_expr_decodes(const struct etw_expr *expr)
{
	return expr->decodes;
}

bool etw_expr_asks_process(const struct etw_expr *expr)
{
	return expr->asks_process;
}

bool etw_expr_needs_operation(const struct etw_expr *expr)
{
	return expr->needs_operation;
}

void etw_expr_ask(struct etw_expr *expr, const struct etw_expr_ask *ask)
{
	expr->ask = *ask;
}

void etw_expr_free(struct etw_expr *expr)
{
	uint32_t i;

	if (!expr)
		return;
	for (i = 0; i < expr->test_count; i++) {
		if (expr->tests[i].regex)
			regfree(expr->tests[i].regex);
		free(expr->tests[i].regex);
	}
	free(expr->nodes);
	free(expr->tests);
	free(expr->consts);
	free(expr->parts);
	free(expr->strings);
	etw_text_free(&expr->text);
	free(expr);
}

static bool holds(struct etw_expr *expr, struct etw_expr_test *test,
		  const struct etw_expr_event *event)
{
	if (test->word)
		return etw_expr_word_holds(expr, test, event);
	if (!event->decoder)
		return false;
	if (!expr->walked) {
		etw_expr_walk(expr, event->decoder);
		expr->walked = true;
		expr->looked = true;
	}
	return test->holds;
}

/* Is this the place of something missing, the at-th of them all? */
static bool is_missing(const struct etw_expr *expr, size_t at, struct etw_expr_place *place)
{
	const bool field = at < expr->test_count;
	const struct etw_expr_const *c;
	const struct etw_expr_test *test;

	if (!field && at - expr->test_count < expr->const_count) {
		c = &expr->consts[at - expr->test_count];
		*place = (struct etw_expr_place){ etw_expr_words[c->names].name, c->at, c->at_len, false };
		return c->names && c->looked && !c->found;
	}
	test = &expr->tests[field ? at : at - expr->test_count - expr->const_count];
	*place = (struct etw_expr_place){ field ? "field" : NULL, test->at,
					  field ? test->len : test->whole, expr->passed_over };
	if (!expr->looked || test->word)
		return false;
	return field ? !test->anywhere && !test->found : test->tried && !test->compared;
}

bool etw_expr_missing(const struct etw_expr *expr, size_t *next, struct etw_expr_place *place)
{
	while (*next < 2 * (size_t)expr->test_count + expr->const_count)
		if (is_missing(expr, (*next)++, place))
			return true;
	return false;
}

static bool run(struct etw_expr *expr, uint32_t at, const struct etw_expr_event *event)
{
	const struct etw_expr_node *node = &expr->nodes[at];

	switch (node->kind) {
	case ETW_EXPR_TEST:
		return holds(expr, &expr->tests[node->left], event);
	case ETW_EXPR_NOT:
		return !run(expr, node->left, event);
	case ETW_EXPR_AND:
		return run(expr, node->left, event) && run(expr, node->right, event);
	default:
		return run(expr, node->left, event) || run(expr, node->right, event);
	}
}

bool etw_expr_match_operation(struct etw_expr *expr, const EVENT_RECORD *record,
			      const struct etw_decoded *decoded, struct etw_decoder *decoder,
			      const struct etw_expr_operation *operation)
{
	const struct etw_expr_event event = { record, decoded, decoder };
	bool matches;

	expr->operation = operation;
	expr->walked = false;
	matches = run(expr, expr->node_count - 1, &event);
	expr->passed_over |= !expr->walked;
	return matches;
}

bool etw_expr_match(struct etw_expr *expr, const EVENT_RECORD *record,
		    const struct etw_decoded *decoded, struct etw_decoder *decoder)
{
	return etw_expr_match_operation(expr, record, decoded, decoder, NULL);
}
