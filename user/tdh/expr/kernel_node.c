// SPDX-License-Identifier: MIT
/*
 * kernel_node.c - the tree that remains of an expression, and the compiler's errors
 */
#include <stdarg.h>
#include <stdio.h>

#include "kernel_private.h"

int etw_kernel_fail(struct etw_kernel_compiler *c, size_t column, const char *fmt, ...)
{
	char *at = c->error->text;
	va_list ap;

	c->error->source = c->source;
	c->error->column = column;
	va_start(ap, fmt);
	vsnprintf(at, sizeof(c->error->text), fmt, ap);
	va_end(ap);
	/* Parts of the expression are in it, which may hold anything. */
	for (; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7F)
			*at = '?';
	return ETW_KERNEL_ERROR;
}

static const char *elsewhere(const struct etw_kernel_compiler *c)
{
	return c->schema->elsewhere ? c->schema->elsewhere : "etw dump --filter";
}

int etw_kernel_refuse(struct etw_kernel_compiler *c, const struct etw_expr_test *test,
		      const char *why)
{
	return etw_kernel_fail(c, test->at + 1,
			       "the kernel cannot test %.*s%s, because %s: filter it with %s",
			       test->whole > 60 ? 60 : (int)test->whole,
			       c->sources[c->source].text + test->at, test->whole > 60 ? "..." : "", why,
			       elsewhere(c));
}

/* ------------------------------------------------------------------------- logic */

int etw_kernel_node(struct etw_kernel_compiler *c, int kind, int left, int right)
{
	if (c->node_count == ETW_KERNEL_NODES_MAX)
		return etw_kernel_fail(c, 0, "the kernel runs at most %d tests for one event",
				       ETW_PAYLOAD_TESTS);
	c->nodes[c->node_count] = (struct etw_kernel_node){ kind, left, right };
	return c->node_count++;
}

int etw_kernel_join(struct etw_kernel_compiler *c, int kind, int left, int right)
{
	const int decides = kind == ETW_EXPR_AND ? ETW_KERNEL_FALSE : ETW_KERNEL_TRUE;
	const int neutral = kind == ETW_EXPR_AND ? ETW_KERNEL_TRUE : ETW_KERNEL_FALSE;

	if (left < 0 || right < 0)
		return ETW_KERNEL_ERROR;
	if (left == decides || right == decides)
		return decides;
	if (left == neutral || left == right)
		return right;
	return right == neutral ? left : etw_kernel_node(c, kind, left, right);
}

static bool negate_leaf(struct etw_kernel_leaf *leaf)
{
	static const uint16_t pairs[][2] = {
		{ ETW_PAYLOAD_EQ, ETW_PAYLOAD_NE }, { ETW_PAYLOAD_LE, ETW_PAYLOAD_GT },
		{ ETW_PAYLOAD_LT, ETW_PAYLOAD_GE }, { ETW_PAYLOAD_IS, ETW_PAYLOAD_ISNOT },
		{ ETW_PAYLOAD_BETWEEN, ETW_PAYLOAD_NOTBETWEEN },
		{ ETW_PAYLOAD_CONTAINS, ETW_PAYLOAD_DOESNTCONTAIN },
	};
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (leaf->op != pairs[i][0] && leaf->op != pairs[i][1])
			continue;
		leaf->op = leaf->op == pairs[i][0] ? pairs[i][1] : pairs[i][0];
		return true;
	}
	return false;
}

int etw_kernel_not(struct etw_kernel_compiler *c, int at)
{
	struct etw_kernel_node *node = &c->nodes[at < 0 ? 0 : at];

	if (at < 0 || at == ETW_KERNEL_UNKNOWN)
		return at;
	if (at < ETW_KERNEL_FIRST_NODE)
		return at == ETW_KERNEL_TRUE ? ETW_KERNEL_FALSE : ETW_KERNEL_TRUE;
	if (node->kind == ETW_EXPR_TEST) {
		if (negate_leaf(&c->leaves[node->left]))
			return at;
		return etw_kernel_fail(c, c->leaves[node->left].column,
				       "the kernel cannot test what is not a multiple: filter it with %s",
				       elsewhere(c));
	}
	/* Each node has one place in one tree, so it can change. */
	node->kind = node->kind == ETW_EXPR_AND ? ETW_EXPR_OR : ETW_EXPR_AND;
	node->left = etw_kernel_not(c, node->left);
	node->right = etw_kernel_not(c, node->right);
	return node->left < 0 || node->right < 0 ? ETW_KERNEL_ERROR : at;
}
