/* SPDX-License-Identifier: MIT */
/*
 * json_stacks.c - the tree of stacks as JSON: names, and nodes that follow their callers
 */
#include <errno.h>
#include <stdlib.h>
#include "json_private.h"

#define NODES	20000	/* that are written, the largest ones */

/* What is left out, with the events that are not in the tree as deep as their stacks were */
struct left_out {
	uint64_t nodes, events;
};

static void put_number(struct etw_text *to, uint64_t number)
{
	etw_text_char(to, ',');
	etw_text_unsigned(to, number, 1);
}

/* [name, caller or -1, self, total], of two traces with self and total of each */
static void put_node(struct etw_text *to, const struct report_stack_node *node, uint32_t name,
		     uint32_t caller, unsigned int sides)
{
	unsigned int side;

	json_writer_open(to, NULL, '[');
	etw_text_unsigned(to, name, 1);
	if (node->caller == REPORT_STACK_ROOT)
		etw_text_puts(to, ",-1");
	else
		put_number(to, caller);
	for (side = 0; side < sides; side++) {
		put_number(to, node->self[side]);
		put_number(to, node->total[side]);
	}
	json_writer_close(to, ']');
}

/* moved: the numbers of the nodes that are written, names: of their names; both are zero. */
static void put_nodes(const struct report_stacks *s, struct etw_text *to, unsigned int sides,
		      double least, uint32_t *moved, uint32_t *names, struct left_out *left)
{
	struct etw_text list = { .data = NULL };
	uint32_t i, written = 0, name_count = 0;

	json_writer_open(to, "names", '[');
	json_writer_open(&list, NULL, '[');
	for (i = 0; i < s->count; i++) {
		const struct report_stack_node *node = &s->nodes[i];
		const bool outermost = node->caller == REPORT_STACK_ROOT;

		left->events += node->gone;
		if (report_stacks_share(s, node) < least) {
			left->nodes++;
			if (outermost || moved[node->caller])
				left->events += node->total[0] + node->total[1];
			continue;
		}
		moved[i] = ++written;
		if (!names[node->name]) {
			names[node->name] = ++name_count;
			report_put_name(to, NULL, report_stacks_name(s, node->name));
		}
		put_node(&list, node, names[node->name] - 1, outermost ? 0 : moved[node->caller] - 1,
			 sides);
	}
	json_writer_close(&list, ']');
	json_writer_close(to, ']');
	json_writer_key(to, "nodes");
	etw_text_add(to, list.error ? "" : list.data, list.error ? 0 : list.len);
	if (list.error)
		to->error = list.error;
	etw_text_free(&list);
}

static void put_tree(const struct report_stacks *s, struct etw_text *to, const char *key,
		     unsigned int sides)
{
	struct left_out left = { s->gone_nodes, s->gone_events };
	uint32_t *moved = calloc((size_t)s->count + 1, sizeof(*moved));
	uint32_t *names = calloc(s->names.table.count, sizeof(*names));
	int err = moved && names ? 0 : -ENOMEM;
	double least = report_stacks_least(s, NODES, &err);

	json_writer_open(to, key, '{');
	report_put_number(to, "events", sides == 1 ? s->events[0] : s->events[0] + s->events[1]);
	report_put_number(to, "truncated", s->cut);
	if (err)
		to->error = err;
	else
		put_nodes(s, to, sides, least, moved, names, &left);
	json_writer_open(to, "other", '{');
	report_put_number(to, "nodes", left.nodes);
	report_put_number(to, "events", left.events);
	json_writer_close(to, '}');
	json_writer_close(to, '}');
	free(moved);
	free(names);
}

void report_put_stacks(const struct report *r, struct etw_text *to)
{
	if (!r->host.frames) {
		json_writer_word(to, "stacks", NULL);
		return;
	}
	report_stacks_total(&r->stacks);
	put_tree(&r->stacks, to, "stacks", 1);
}

void report_put_stacks_diff(const struct report *a, const struct report *b, struct etw_text *to)
{
	struct report_stacks joined;
	int err;

	if (!a->stacks.events[0] && !b->stacks.events[0]) {
		json_writer_word(to, "stacks", NULL);
		return;
	}
	err = report_stacks_join(&joined, &a->stacks, &b->stacks);
	if (err) {
		to->error = err;
		return;
	}
	put_tree(&joined, to, "stacks", 2);
	report_stacks_free(&joined);
}
