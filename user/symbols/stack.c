/* SPDX-License-Identifier: MIT */
/*
 * stack.c - the addresses of an event's stack
 *
 * The kernel's come first. Where the processor was is exact: the first address of what the kernel
 * wrote, and the first of the process's, which entered the kernel there. All others are behind calls.
 */
#include <string.h>

#include "stack.h"

#define HEAD	sizeof(uint64_t)	/* MatchId */

static size_t width(const struct symbol_stack *stack)
{
	return stack->item.type == ETW_EXT_STACK_TRACE32 ? sizeof(uint32_t) : sizeof(uint64_t);
}

/* Move to the next item that is a stack. */
static bool next_item(struct symbol_stack *stack)
{
	while (etw_ext_next(&stack->event->record, &stack->next_item, &stack->item) == 1)
		if (stack->item.type == ETW_EXT_STACK_TRACE32 ||
		    stack->item.type == ETW_EXT_STACK_TRACE64) {
			stack->at = HEAD;
			return true;
		}
	stack->at = 0;
	return false;
}

bool symbol_stack_next(struct symbol_stack *stack, struct symbol_place *place)
{
	const struct etw_event_header *header = stack->event->record.header;
	uint64_t address = 0;
	bool in_process, exact;

	while (!stack->at || stack->at + width(stack) > stack->item.data_len)
		if (!next_item(stack))
			return false;
	memcpy(&address, (const char *)stack->item.data + stack->at, width(stack));
	stack->at += width(stack);
	in_process = address < SYMBOLIZER_KERNEL;
	exact = stack->count++ ? in_process && !stack->in_process :
		!(header->flags & ETW_EVENT_USER_MODE);
	stack->in_process = in_process;
	*place = (struct symbol_place){
		.pid = header->process_id, .time = stack->event->time, .address = address,
		.returns = !exact,
	};
	return true;
}
