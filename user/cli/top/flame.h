/* SPDX-License-Identifier: MIT */
/*
 * flame.h - the stacks of the events that etw top counts, as one tree of functions
 *
 * The outermost "function" is the row of the event. Nothing is counted before flame_begin().
 */
#ifndef ETW_CLI_TOP_FLAME_H
#define ETW_CLI_TOP_FLAME_H

#include "cli/input/processes.h"
#include "cli/symbols/symbols.h"
#include "convert/convert.h"
#include "report/stacks/stacks.h"

#define FLAME_NODES	16384	/* functions with their callers; then the rarer half is given up */

/* All zero counts nothing. */
struct flame {
	struct symbols *symbols;	/* NULL: it is not open */
	struct frame_names *frames;
	struct report_stacks stacks;
	uint64_t events;		/* with a stack or without */
	bool counts;
};

/* Have the processes say what is mapped. Ends the command without memory, as all of these do. */
void flame_open(struct flame *flame, const struct symbols_request *request,
		struct processes *processes);
void flame_close(struct flame *flame);

/* Count from now on, from nothing. */
void flame_begin(struct flame *flame);
/* Forget what was counted. */
void flame_clear(struct flame *flame);
/* Count an event of a row, and its stack if it has one. */
void flame_event(struct flame *flame, const struct processes *processes,
		 const struct convert_event *event, const char *row);

/* --------------------------------------------------------------------- the tree */

enum flame_sort { FLAME_TOTAL, FLAME_SELF, FLAME_NAME, FLAME_SORTS };

/* How deep a line's branches are drawn */
#define FLAME_BRANCHES	64

/* A function with its callers, as a line of the tree */
struct flame_line {
	const struct report_stack_node *node;
	const char *name;		/* not escaped */
	uint64_t before;		/* events of what is drawn before it: where its bar begins */
	unsigned int depth;		/* in branches, not in callers; 0: it is outermost */
	bool forks;			/* its caller has several callees: it begins a branch ... */
	bool last;			/* ... and is the last one */
	bool more[FLAME_BRANCHES];	/* below each branch that it is in: does another one follow? */
};

struct flame_order {
	enum flame_sort sort;
	bool reverse;
	uint64_t least;			/* events of a node that has a line */
};

/*
 * Call line for each node that has a line, callers before what they call. How many there are; line
 * may be NULL.
 */
unsigned int flame_each(const struct flame *flame, const struct flame_order *order,
			void (*line)(void *context, const struct flame_line *line), void *context);

#endif /* ETW_CLI_TOP_FLAME_H */
