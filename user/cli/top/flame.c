/* SPDX-License-Identifier: MIT */
/*
 * flame.c - the stacks of the events that etw top counts, as one tree of functions
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "flame.h"

static void check(int err)
{
	if (err)
		cli_die("out of memory");
}

void flame_open(struct flame *f, const struct symbols_request *request,
		struct processes *processes)
{
	f->symbols = symbols_new(request);
	symbols_use_kernel(f->symbols);
	processes->images = symbols_images(f->symbols);
	f->frames = frame_names_new(symbols_symbolizer(f->symbols));
	check(f->frames ? 0 : -ENOMEM);
}

void flame_close(struct flame *f)
{
	if (f->counts)
		report_stacks_free(&f->stacks);
	frame_names_free(f->frames);
	symbols_free(f->symbols);
	memset(f, 0, sizeof(*f));
}

void flame_begin(struct flame *f)
{
	check(report_stacks_init(&f->stacks, FLAME_NODES));
	f->events = 0;
	f->counts = true;
}

void flame_clear(struct flame *f)
{
	if (!f->counts)
		return;
	report_stacks_free(&f->stacks);
	flame_begin(f);
}

void flame_event(struct flame *f, const struct processes *processes,
		 const struct convert_event *e, const char *row)
{
	const uint32_t pid = e->event->record.header->process_id;

	if (!f->counts)
		return;
	f->events++;
	if (!e->event->record.ext_len)
		return;
	symbols_of_process(f->symbols, processes_runs(processes, e->record));
	check(report_stacks_event(&f->stacks, f->frames, e->event, row, pid));
}

/* --------------------------------------------------------------------- the tree */

#define NONE	UINT32_MAX

/* Nodes that have a line, and those that others call, each list in its order */
struct walk {
	const struct flame *flame;
	const struct report_stack_node *nodes;
	void (*put)(void *context, const struct flame_line *line);
	void *context;
	struct flame_line line;
	uint32_t *first, *next;		/* by the number of a node: its callees, those of its caller */
	uint32_t roots;
};

static int by_number(const void *x, const void *y)
{
	const struct report_stack_node *const *a = x, *const *b = y;

	return *a < *b ? -1 : *a > *b;
}

static int by_total(const void *x, const void *y)
{
	const struct report_stack_node *const *a = x, *const *b = y;

	if ((*a)->total[0] != (*b)->total[0])
		return (*a)->total[0] > (*b)->total[0] ? -1 : 1;
	return by_number(x, y);
}

static int by_self(const void *x, const void *y)
{
	const struct report_stack_node *const *a = x, *const *b = y;

	if ((*a)->self[0] != (*b)->self[0])
		return (*a)->self[0] > (*b)->self[0] ? -1 : 1;
	return by_total(x, y);
}

static int by_name(const void *x, const void *y, void *context)
{
	const struct report_stack_node *const *a = x, *const *b = y;
	const int order = strcmp(report_stacks_name(context, (*a)->name),
				 report_stacks_name(context, (*b)->name));

	return order ? order : by_number(x, y);
}

/* The nodes that have a line, in this order; how many */
static uint32_t sort(const struct flame *f, const struct flame_order *order,
		     const struct report_stack_node **list)
{
	struct report_stacks stacks = f->stacks;
	uint32_t i, count = 0;

	report_stacks_total(&stacks);
	for (i = 0; i < stacks.count; i++)
		if (stacks.nodes[i].total[0] >= order->least)
			list[count++] = &stacks.nodes[i];
	if (order->sort == FLAME_NAME)
		qsort_r(list, count, sizeof(*list), by_name, &stacks);
	else
		qsort(list, count, sizeof(*list), order->sort == FLAME_SELF ? by_self : by_total);
	return count;
}

/* Put each node before the callees of its caller that come behind it: from the last one on. */
static void chain(struct walk *w, const struct report_stack_node **list, uint32_t count,
		  bool reverse)
{
	uint32_t i, node, *head;

	for (i = 0; i < count; i++) {
		const struct report_stack_node *of = list[reverse ? i : count - 1 - i];

		node = (uint32_t)(of - w->nodes);
		head = of->caller == REPORT_STACK_ROOT ? &w->roots : &w->first[of->caller];
		w->next[node] = *head;
		*head = node;
	}
}

static void set_more(struct flame_line *line, unsigned int depth, bool more)
{
	if (depth && depth <= FLAME_BRANCHES)
		line->more[depth - 1] = more;
}

/* A list of callees, each with its own ones; the first begins where its caller does. */
static void put_list(struct walk *w, uint32_t node, unsigned int depth, bool forks)
{
	struct flame_line *line = &w->line;
	const uint64_t begin = line->before;
	uint64_t at = begin;

	for (; node != NONE; node = w->next[node]) {
		const uint32_t callees = w->first[node];
		const bool fork = callees != NONE && w->next[callees] != NONE;
		const unsigned int below = depth + (fork || !depth);

		line->node = &w->nodes[node];
		line->name = report_stacks_name(&w->flame->stacks, line->node->name);
		line->before = at;
		line->depth = depth;
		line->forks = forks;
		line->last = w->next[node] == NONE;
		w->put(w->context, line);
		if (forks)
			set_more(line, depth, w->next[node] != NONE);
		if (below > depth)
			set_more(line, below, false);
		put_list(w, callees, below, fork);
		at += w->nodes[node].total[0];
	}
	line->before = begin;
}

unsigned int flame_each(const struct flame *f, const struct flame_order *order,
			void (*put)(void *context, const struct flame_line *line), void *context)
{
	struct walk w = { .flame = f, .nodes = f->stacks.nodes, .put = put, .context = context,
			  .roots = NONE };
	const struct report_stack_node **list;
	uint32_t count;

	if (!f->counts || !f->stacks.count)
		return 0;
	list = cli_calloc(f->stacks.count, sizeof(*list));
	count = sort(f, order, list);
	if (put) {
		w.first = cli_calloc(f->stacks.count, sizeof(*w.first));
		w.next = cli_calloc(f->stacks.count, sizeof(*w.next));
		memset(w.first, 0xFF, f->stacks.count * sizeof(*w.first));
		chain(&w, list, count, order->reverse);
		put_list(&w, w.roots, 0, false);
	}
	free(w.first);
	free(w.next);
	free(list);
	return count;
}
