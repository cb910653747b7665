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
	free(expr->code);
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

static bool missing_name(const struct etw_expr *expr, size_t *next, struct etw_expr_place *place)
{
	while (*next - expr->test_count < expr->const_count) {
		const struct etw_expr_const *c = &expr->consts[(*next)++ - expr->test_count];

		if (!c->names || !c->looked || c->found)
			continue;
		*place = (struct etw_expr_place){ etw_expr_word_name(c->names), c->at, c->at_len };
		return true;
	}
	return false;
}

bool etw_expr_missing(const struct etw_expr *expr, size_t *next, struct etw_expr_place *place)
{
	while (*next < expr->test_count) {
		const struct etw_expr_test *test = &expr->tests[(*next)++];

		if (!expr->looked || test->word || test->anywhere || test->found)
			continue;
		*place = (struct etw_expr_place){ "field", test->at, test->len };
		return true;
	}
	return missing_name(expr, next, place);
}

bool etw_expr_match(struct etw_expr *expr, const EVENT_RECORD *record,
		    const struct etw_decoded *decoded, struct etw_decoder *decoder)
{
	const struct etw_expr_event event = { record, decoded, decoder };
	bool is = true;
	uint32_t at;

	expr->walked = false;
	for (at = 0; at < expr->code_count; at++) {
		uint32_t what = expr->code[at] & ~ETW_EXPR_DO_MASK;

		switch (expr->code[at] & ETW_EXPR_DO_MASK) {
		case ETW_EXPR_DO_TEST:
			is = holds(expr, &expr->tests[what], &event);
			break;
		case ETW_EXPR_DO_NOT:
			is = !is;
			break;
		case ETW_EXPR_IF_FALSE:
			if (!is)
				at = what - 1;
			break;
		default:
			if (is)
				at = what - 1;
		}
	}
	return is;
}
