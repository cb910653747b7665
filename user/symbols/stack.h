/* SPDX-License-Identifier: MIT */
/*
 * stack.h - the addresses of an event's stack
 */
#ifndef ETW_SYMBOLS_STACK_H
#define ETW_SYMBOLS_STACK_H

#include "etl/event.h"
#include "symbolizer.h"

/* Where in the stack the next address is */
struct symbol_stack {
	const struct etw_event *event;
	struct etw_ext_view item;
	uint32_t next_item;
	size_t at;		/* in the item; 0: it is the first one's turn */
	unsigned int count;	/* of addresses so far */
	bool in_process;	/* the one before was the process's */
	bool cut;		/* outer functions are missing */
	unsigned int unwound, unwound_next;	/* frames of the process from a copy of its stack */
	struct unwound frames[UNWIND_MAX];
};

/*
 * Has the event a stack? *hash: of all that its functions follow from besides its process and what is
 * known of that; 0: they follow from more.
 */
bool symbol_stack_is(const struct etw_event *event, uint64_t *hash);

void symbol_stack_begin(struct symbol_stack *stack, struct symbolizer *symbolizer,
			const struct etw_event *event);
/* Begin with the first address again, without unwinding once more. */
void symbol_stack_rewind(struct symbol_stack *stack);
/* The next address, from the innermost function on; false: there is none. */
bool symbol_stack_next(struct symbol_stack *stack, struct symbol_place *place);

#endif /* ETW_SYMBOLS_STACK_H */
