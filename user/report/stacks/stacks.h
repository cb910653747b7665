/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - the stacks of a trace's events as one tree of functions, in bounded memory
 *
 * A full tree gives up the smaller half of its nodes: since a function is at most as often there as
 * its caller, whole branches go, and what they counted moves to their caller's "gone". A branch that
 * comes back starts at zero. So a node counts too few, never too many, and of each
 *
 *	total = self + the totals of its callees + gone
 */
#ifndef ETW_REPORT_STACKS_STACKS_H
#define ETW_REPORT_STACKS_STACKS_H

#include "base/table.h"
#include "base/text.h"
#include "symbols/frame_names.h"

#define REPORT_STACK_NODES	65536
#define REPORT_STACK_ROOT	UINT32_MAX	/* the caller of those without one */

/* Of two traces that are compared both sides count; otherwise the first one does. */
struct report_stack_node {
	uint32_t name, caller;		/* caller: a node before this one, or REPORT_STACK_ROOT */
	uint64_t self[2], total[2], gone;
};

struct report_stacks {
	struct report_stack_node *nodes;
	uint32_t count, max;
	struct etw_interner index;	/* of nodes: a hash of caller and name to its number */
	uint32_t *places;		/* by the number in index: the node */
	struct etw_interner names;
	struct etw_text text;		/* of all names, each with its NUL */
	size_t *name_at;		/* where a name is in text */
	uint32_t *titles;		/* by a frame's number: its name and one more; 0: not known */
	struct etw_text title;
	uint64_t events[2];		/* with a stack */
	uint64_t cut;			/* of them, whose outer functions are missing */
	uint64_t gone_nodes, gone_events;	/* that were given up, those of outermost ones */
};

/* 0 or -ENOMEM */
int report_stacks_init(struct report_stacks *stacks, uint32_t max);
void report_stacks_free(struct report_stacks *stacks);

/*
 * Add an event if it has a stack; its process, whose name may not be known (NULL), is the outermost
 * function. 0 or -ENOMEM
 */
int report_stacks_event(struct report_stacks *stacks, struct frame_names *frames,
			const struct etw_event *event, const char *process, uint32_t pid);

/* Both trees in one, which is initialized here. 0 or -ENOMEM */
int report_stacks_join(struct report_stacks *joined, const struct report_stacks *a,
		       const struct report_stacks *b);

const char *report_stacks_name(const struct report_stacks *stacks, uint32_t name);

/* The larger share of a side's events that a node has, from 0 to 1 */
double report_stacks_share(const struct report_stacks *stacks, const struct report_stack_node *node);
/*
 * The share that at most so many nodes reach, and with each its callers; 0: all do. *err: -ENOMEM
 */
double report_stacks_least(const struct report_stacks *stacks, uint32_t most, int *err);

#endif /* ETW_REPORT_STACKS_STACKS_H */
