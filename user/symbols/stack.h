/* SPDX-License-Identifier: MIT */
/*
 * stack.h - the addresses of an event's stack
 */
#ifndef ETW_SYMBOLS_STACK_H
#define ETW_SYMBOLS_STACK_H

#include "etl/event.h"
#include "symbolizer.h"

/* Where in the stack the next address is; all zero but for the event at first */
struct symbol_stack {
	const struct etw_event *event;
	struct etw_ext_view item;
	uint32_t next_item;
	size_t at;		/* in the item; 0: it is the first one's turn */
	unsigned int count;	/* of addresses so far */
	bool in_process;	/* the one before was the process's */
};

/* The next address, from the innermost function on; false: there is none. */
bool symbol_stack_next(struct symbol_stack *stack, struct symbol_place *place);

#endif /* ETW_SYMBOLS_STACK_H */
