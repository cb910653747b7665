// SPDX-License-Identifier: MIT
/*
 * kernel_groups.c - from a tree of predicates to the groups of a payload program
 *
 * A program has groups of up to 8 predicates each, joined by AND or by OR.  Either all
 * groups must hold, or one of them.  So a tree becomes an AND of ORs or an OR of ANDs,
 * whichever takes fewer predicates; the predicates of a clause are the bits of a mask.
 */
#include <stdlib.h>

#include "kernel_private.h"

#define CLAUSES_MAX	64

struct form {
	uint64_t clause[CLAUSES_MAX];
	unsigned int count;
};

/* Add a clause, unless another one makes it redundant: a & b within a | a & b. */
static bool add_clause(struct form *form, uint64_t clause)
{
	unsigned int i, n = 0;

	for (i = 0; i < form->count; i++)
		if ((form->clause[i] & clause) == form->clause[i])
			return true;
	for (i = 0; i < form->count; i++)
		if ((form->clause[i] & clause) != clause)
			form->clause[n++] = form->clause[i];
	form->count = n;
	if (n == CLAUSES_MAX)
		return false;
	form->clause[form->count++] = clause;
	return true;
}

/* The clauses of a tree; outer joins them.  false: there are too many. */
static bool make_form(const struct etw_kernel_compiler *c, int at, int outer, struct form *form)
{
	const struct etw_kernel_node *node = &c->nodes[at];
	struct form left = { .count = 0 }, right = { .count = 0 };
	unsigned int i, j;

	if (node->kind == ETW_EXPR_TEST)
		return add_clause(form, 1ull << node->left);
	if (!make_form(c, node->left, outer, &left) || !make_form(c, node->right, outer, &right))
		return false;
	if (node->kind == outer) {
		for (i = 0; i < left.count; i++)
			if (!add_clause(form, left.clause[i]))
				return false;
		for (i = 0; i < right.count; i++)
			if (!add_clause(form, right.clause[i]))
				return false;
		return true;
	}
	for (i = 0; i < left.count; i++)
		for (j = 0; j < right.count; j++)
			if (!add_clause(form, left.clause[i] | right.clause[j]))
				return false;
	return true;
}

/* How many predicates the form takes; 0: the kernel has no room for it. */
static unsigned int form_size(const struct form *form)
{
	unsigned int i, bits, tests = 0, singles = 0, groups = 0;

	for (i = 0; i < form->count; i++) {
		bits = (unsigned int)__builtin_popcountll(form->clause[i]);
		tests += bits;
		singles += bits == 1;
		groups += bits > 1;
		if (bits > ETW_PAYLOAD_PREDICATES)
			return 0;
	}
	groups += (singles + ETW_PAYLOAD_PREDICATES - 1) / ETW_PAYLOAD_PREDICATES;
	return tests > ETW_PAYLOAD_TESTS || groups > ETW_PAYLOAD_GROUPS ? 0 : tests;
}

/* --------------------------------------------------------------------- output */

/* Take over a group; all: every group has to hold. */
static bool keep_group(struct etw_kernel_compiler *c, void *group, BOOLEAN all)
{
	etw_bytes_put(&c->groups, &group, sizeof(group));
	etw_bytes_put(&c->all, &all, sizeof(all));
	if (!c->groups.error && !c->all.error)
		return true;
	if (c->groups.error)
		free(group);
	return etw_kernel_fail(c, 0, "out of memory") >= 0;
}

static bool explain(struct etw_kernel_compiler *c, const struct etw_kernel_leaf *leaf, ULONG error)
{
	const char *name = c->layout.fields[leaf->field].name;

	c->source = leaf->source;
	switch (error) {
	case ERROR_NOT_SUPPORTED:
		return etw_kernel_fail(c, leaf->column, "the kernel cannot reach %.64s: it cannot skip a field before it",
				       name) >= 0;
	case ERROR_INSUFFICIENT_BUFFER:
		return etw_kernel_fail(c, 0, "the kernel takes at most %d bytes of payload filters",
				       ETW_PAYLOAD_SIZE_MAX) >= 0;
	case ERROR_INVALID_PARAMETER:
		return etw_kernel_fail(c, leaf->column, "the kernel compares texts of 1 to %d characters",
				       ETW_PAYLOAD_TEXT_MAX) >= 0;
	default:
		return etw_kernel_fail(c, 0, "out of memory") >= 0;
	}
}

/* One group of the predicates in clause; any: one of them is enough. */
static bool add_group(struct etw_kernel_compiler *c, uint64_t clause, bool any, bool all)
{
	struct etw_payload_predicate predicates[ETW_PAYLOAD_PREDICATES];
	const struct etw_kernel_leaf *leaves[ETW_PAYLOAD_PREDICATES];
	unsigned int n = 0, wrong;
	void *group;
	ULONG ret;

	for (; clause; clause &= clause - 1, n++) {
		leaves[n] = &c->leaves[__builtin_ctzll(clause)];
		predicates[n] = (struct etw_payload_predicate){
			c->layout.fields[leaves[n]->field].name, leaves[n]->op, leaves[n]->value,
		};
	}
	ret = etw_payload_create(&c->layout, any, predicates, n, &group, &wrong);
	return ret ? explain(c, leaves[wrong], ret) : keep_group(c, group, all);
}

static bool add_form(struct etw_kernel_compiler *c, const struct form *form, bool ors)
{
	uint64_t singles = 0, part, lowest;
	unsigned int i, n;

	for (i = 0; i < form->count; i++) {
		if (!(form->clause[i] & (form->clause[i] - 1)))
			singles |= form->clause[i];
		else if (!add_group(c, form->clause[i], ors, ors))
			return false;
	}
	while (singles) {
		for (part = 0, n = 0; singles && n < ETW_PAYLOAD_PREDICATES; n++) {
			lowest = singles & (0 - singles);
			part |= lowest;
			singles ^= lowest;
		}
		/* They are joined as the groups are. */
		if (!add_group(c, part, !ors, ors))
			return false;
	}
	return true;
}

bool etw_kernel_add_groups(struct etw_kernel_compiler *c, int root)
{
	struct form ands = { .count = 0 }, ors = { .count = 0 };
	unsigned int and_size = 0, or_size = 0;

	if (make_form(c, root, ETW_EXPR_AND, &ands))
		and_size = form_size(&ands);
	if (make_form(c, root, ETW_EXPR_OR, &ors))
		or_size = form_size(&ors);
	if (and_size && (!or_size || and_size <= or_size))
		return add_form(c, &ands, true);
	if (or_size)
		return add_form(c, &ors, false);
	return etw_kernel_fail(c, 0, "the kernel runs at most %d tests in %d groups of %d for one event (id %u)",
			       ETW_PAYLOAD_TESTS, ETW_PAYLOAD_GROUPS, ETW_PAYLOAD_PREDICATES,
			       c->layout.id) >= 0;
}

/* The whole payload cannot be two texts at once. */
bool etw_kernel_add_never(struct etw_kernel_compiler *c)
{
	static const struct etw_payload_field rest = {
		.name = "rest", .in_type = TDH_INTYPE_NONNULLTERMINATEDANSISTRING, .count = 1,
		.count_field = -1, .length_field = -1,
	};
	static const struct etw_payload_predicate never[] = {
		{ "rest", ETW_PAYLOAD_IS, "0" }, { "rest", ETW_PAYLOAD_IS, "1" },
	};
	const struct etw_payload_layout layout = {
		.id = c->event->desc.Id, .version = c->event->desc.Version, .count = 1,
		.fields = &rest,
	};
	void *group;

	if (etw_payload_create(&layout, false, never, 2, &group, NULL))
		return etw_kernel_fail(c, 0, "out of memory") >= 0;
	return keep_group(c, group, true);
}

bool etw_kernel_finish(struct etw_kernel_compiler *c)
{
	struct etw_kernel_filter *filter = c->filter;

	if (!c->all.len)
		return true;
	switch (etw_payload_aggregate((const void *const *)c->groups.data, c->all.data,
				      (unsigned int)c->all.len, &filter->program, &filter->size)) {
	case ERROR_SUCCESS:
		return true;
	case ERROR_NOT_ENOUGH_MEMORY:
		return etw_kernel_fail(c, 0, "out of memory") >= 0;
	default:
		return etw_kernel_fail(c, 0, "the kernel takes at most %d bytes of payload filters",
				       ETW_PAYLOAD_SIZE_MAX) >= 0;
	}
}
