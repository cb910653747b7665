/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - give events the stacks that Windows' kernel logger records after them
 *
 * A kernel session on Windows records a stack as an event of its own (StackWalk), soon
 * after the event it belongs to: the kernel's part at once, the part of a process when
 * its thread returns to user mode. It names the event by time and thread. Events are
 * held back until their stacks have come, and then have them as a stack item, like
 * events whose session recorded stacks with them.
 */
#ifndef ETW_CLI_STACKS_H
#define ETW_CLI_STACKS_H

#include <stdbool.h>
#include "etl/event.h"

/* Events of all inputs, in time order, are held for so long, but no more than these. */
#define ETW_STACKS_WAIT		1000000		/* 100 ns: 0.1 s */
#define ETW_STACKS_EVENTS	65536
#define ETW_STACKS_BYTES	(32u << 20)	/* with all that belongs to them */

#define ETW_STACKS_SLOTS	4096

/* The type of a record with a stack */
#define ETW_STACKS_HOOK		0x1820

struct etw_held;

/* Where an event is */
struct etw_stacks_place {
	unsigned int source;	/* the file */
	unsigned int clock;	/* files with the same one are of one machine; 0: not known */
};

/* All zero holds nothing. */
struct etw_stacks {
	struct etw_held *first, *last;	/* by time */
	struct etw_held *taken;		/* the event that etw_stacks_take() returned */
	struct etw_held *spare;		/* of the usual size, unused */
	struct etw_stacks_slot {
		struct etw_held *oldest, *newest;
	} slots[ETW_STACKS_SLOTS];	/* the same events by raw time and thread */
	unsigned int events;
	size_t bytes, spare_bytes;
};

/*
 * Hold a copy of an event; a stack becomes part of its event instead, unless none is held
 * that it belongs to and that can take it. 0 or -ENOMEM.
 */
int etw_stacks_add(struct etw_stacks *stacks, const struct etw_event *event,
		   struct etw_stacks_place place);

/*
 * The first event that need not wait any more, or with all: the first; valid until the
 * next call. NULL: there is none.
 */
const struct etw_event *etw_stacks_take(struct etw_stacks *stacks, bool all,
					unsigned int *source);

void etw_stacks_free(struct etw_stacks *stacks);

#endif /* ETW_CLI_STACKS_H */
