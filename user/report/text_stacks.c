/* SPDX-License-Identifier: MIT */
/*
 * text_stacks.c - the hottest stacks as an indented tree, callers above what they call
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "text_private.h"

#define LINES		40
#define SHARE		0.01	/* of all events; what is smaller is not worth a line */
#define NARROW_NAME	16	/* columns of a name at least: the indentation ends there */

struct shown {
	const struct report_stack_node *node;
	uint32_t number;
};

static double percent(const struct report_stacks *s, const struct report_stack_node *node,
		      unsigned int side)
{
	return s->events[side] ? 100.0 * (double)node->total[side] / (double)s->events[side] : 0.0;
}

/* "  12.3%  4.5%   name" */
static void put_node(struct report_page *page, const struct report_stacks *s,
		     const struct report_stack_node *node, unsigned int sides, unsigned int depth)
{
	unsigned int side, column = sides * 7 + 1, most = page->screen->width - NARROW_NAME;
	size_t from;

	for (side = 0; side < sides; side++)
		etw_text_printf(&page->line, "%6.1f%%", percent(s, node, side));
	column += depth;
	report_page_column(page, column < most ? column : most);
	from = page->line.len;
	report_page_add(page, report_stacks_name(s, node->name));
	report_page_fit(page, from, page->screen->width - (unsigned int)from);
	report_page_line(page);
}

static int larger_first(const void *a, const void *b)
{
	const struct shown *one = a, *other = b;
	const uint64_t x = one->node->total[0] + one->node->total[1];
	const uint64_t y = other->node->total[0] + other->node->total[1];

	if (x != y)
		return x > y ? -1 : 1;
	return one->number < other->number ? -1 : 1;
}

/* The nodes that this one calls, with their callees; list: those that are shown. */
static void put_callees(struct report_page *page, const struct report_stacks *s,
			const struct shown *list, uint32_t count, uint32_t caller,
			unsigned int sides, unsigned int depth)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (list[i].node->caller != caller)
			continue;
		put_node(page, s, list[i].node, sides, depth);
		put_callees(page, s, list, count, list[i].number, sides, depth + 1);
	}
}

static void put_heading(struct report_page *page, const struct report_stacks *s,
			unsigned int sides)
{
	if (sides == 2) {
		report_page_heading(page, "Stacks: share of events in A and B");
		return;
	}
	report_page_heading(page, "Stacks");
	etw_text_printf(&page->line, "%llu event%s with a stack", (unsigned long long)s->events[0],
			s->events[0] == 1 ? "" : "s");
	if (s->cut)
		etw_text_printf(&page->line, ", %llu cut off: outer functions are missing",
				(unsigned long long)s->cut);
	report_page_line(page);
	if (!s->gone_nodes)
		return;
	etw_text_printf(&page->line, "(%llu smaller branches did not fit in memory)",
			(unsigned long long)s->gone_nodes);
	report_page_line(page);
}

static int put_tree(struct report_page *page, const struct report_stacks *s, unsigned int sides)
{
	struct shown *list = calloc(LINES, sizeof(*list));
	int err = list ? 0 : -ENOMEM;
	double least = report_stacks_least(s, LINES, &err);
	uint32_t i, count = 0;

	if (least < SHARE)
		least = SHARE;
	for (i = 0; i < s->count && !err; i++)
		if (report_stacks_share(s, &s->nodes[i]) >= least && count < LINES)
			list[count++] = (struct shown){ &s->nodes[i], i };
	if (!err) {
		qsort(list, count, sizeof(*list), larger_first);
		put_heading(page, s, sides);
		put_callees(page, s, list, count, REPORT_STACK_ROOT, sides, 0);
		if (s->count > count) {
			etw_text_printf(&page->line, "(%u branches have less)", s->count - count);
			report_page_line(page);
		}
	}
	free(list);
	return err;
}

int report_page_stacks(struct report_page *page)
{
	const struct report_stacks *s = &page->report->stacks;

	report_stacks_total(s);
	return s->events[0] ? put_tree(page, s, 1) : 0;
}

int report_page_stacks_diff(struct report_page *page, const struct report *a,
			    const struct report *b)
{
	struct report_stacks joined;
	int err;

	if (!a->stacks.events[0] && !b->stacks.events[0])
		return 0;
	err = report_stacks_join(&joined, &a->stacks, &b->stacks);
	if (err)
		return err;
	err = put_tree(page, &joined, 2);
	report_stacks_free(&joined);
	return err;
}
