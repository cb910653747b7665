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

/*
 * Of two traces that are compared both sides count; otherwise the first one does. Totals are those of
 * report_stacks_total().
 */
struct report_stack_node {
	uint32_t name, caller;		/* caller: a node before this one, or REPORT_STACK_ROOT */
	uint64_t self[2], total[2], gone;
};

struct report_stack_leaf;

#define REPORT_STACK_RECENT	64

/* What a process without a name is called */
struct report_stack_process {
	uint32_t pid, name;		/* name: 0: none yet, or that of what there is no room for */
};

struct report_stacks {
	struct report_stack_node *nodes;
	uint32_t count, max;
	uint32_t *index;		/* by a hash of caller and name: the node and one more, or 0 */
	uint32_t index_mask;
	struct report_stack_leaf *leaves;	/* of latest stacks; NULL: none are kept */
	uint32_t generation;		/* another one after nodes have moved */
	struct report_stack_process recent[REPORT_STACK_RECENT];
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
 * Keep where the latest stacks ended: most come again. The names have to be kept, too
 * (frame_names_keep()). Without memory nothing is kept.
 */
void report_stacks_keep(struct report_stacks *stacks);

/*
 * Add an event if it has a stack; its process, whose name may not be known (NULL), is the outermost
 * function. 0 or -ENOMEM
 */
int report_stacks_event(struct report_stacks *stacks, struct frame_names *frames,
			const struct etw_event *event, const char *process, uint32_t pid);

/*
 * Add up the totals of all nodes, of what was added so far. Nothing else looks at them before that.
 */
void report_stacks_total(const struct report_stacks *stacks);

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
