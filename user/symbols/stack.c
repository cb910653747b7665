/* SPDX-License-Identifier: MIT */
/*
 * stack.c - the addresses of an event's stack
 *
 * The kernel's come first. Where the processor was is exact: the first address of what the kernel
 * wrote, and the first of the process's, which entered the kernel there. All others are behind
 * calls. If the event has a copy of the process's stack, its addresses are found by that.
 */
#include <string.h>

#include "base/table.h"
#include "stack.h"

#define HEAD	sizeof(uint64_t)	/* MatchId */

static size_t width(const struct symbol_stack *stack)
{
	return stack->item.type == ETW_EXT_STACK_TRACE32 ? sizeof(uint32_t) : sizeof(uint64_t);
}

static struct symbol_place place_of(const struct symbol_stack *stack, uint64_t address, bool exact)
{
	return (struct symbol_place){
		.pid = stack->event->record.header->process_id, .time = stack->event->time,
		.address = address, .returns = !exact,
	};
}

bool symbol_stack_is(const struct etw_event *event, uint64_t *hash)
{
	uint64_t all = event->record.header->flags & ETW_EVENT_USER_MODE;
	bool found = false, copied = false;
	struct etw_ext_view item;
	uint32_t at = 0;

	while (etw_ext_next(&event->record, &at, &item) == 1) {
		copied |= item.type == ETW_EXT_USER_STACK;
		if (item.type != ETW_EXT_STACK_TRACE32 && item.type != ETW_EXT_STACK_TRACE64)
			continue;
		found = true;
		if (item.data_len > HEAD)
			all = etw_hash(all + item.type, (const char *)item.data + HEAD,
				       item.data_len - HEAD);
	}
	*hash = copied ? 0 : all | 1;
	return found || copied;
}

void symbol_stack_begin(struct symbol_stack *stack, struct symbolizer *symbolizer,
			const struct etw_event *event)
{
	struct symbol_place process;
	struct etw_ext_view item;
	uint32_t at = 0;
	bool whole;

	/* All but the frames, which are many */
	memset(stack, 0, offsetof(struct symbol_stack, frames));
	stack->event = event;
	process = place_of(stack, 0, true);
	while (!stack->unwound && etw_ext_next(&event->record, &at, &item) == 1) {
		if (item.type != ETW_EXT_USER_STACK)
			continue;
		stack->unwound = symbolizer_unwind(symbolizer, &process, item.data, item.data_len,
						   stack->frames, &whole);
		stack->cut = !whole;
	}
}

void symbol_stack_rewind(struct symbol_stack *stack)
{
	stack->next_item = 0;
	stack->at = 0;
	stack->count = 0;
	stack->in_process = false;
	stack->unwound_next = 0;
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

/* The next address of the items, without those of the process if there is a copy */
static bool next_address(struct symbol_stack *stack, uint64_t *address)
{
	do {
		while (!stack->at || stack->at + width(stack) > stack->item.data_len)
			if (!next_item(stack))
				return false;
		*address = 0;
		memcpy(address, (const char *)stack->item.data + stack->at, width(stack));
		stack->at += width(stack);
	} while (stack->unwound && *address < SYMBOLIZER_KERNEL);
	return true;
}

bool symbol_stack_next(struct symbol_stack *stack, struct symbol_place *place)
{
	const struct etw_event_header *header = stack->event->record.header;
	const struct unwound *frame;
	uint64_t address;
	bool in_process, exact;

	if (!stack->unwound_next && next_address(stack, &address)) {
		in_process = address < SYMBOLIZER_KERNEL;
		exact = stack->count++ ? in_process && !stack->in_process :
			!(header->flags & ETW_EVENT_USER_MODE);
		stack->in_process = in_process;
		stack->cut |= stack->count >= ETW_STACK_MAX;
		*place = place_of(stack, address, exact);
		return true;
	}
	if (stack->unwound_next == stack->unwound)
		return false;
	frame = &stack->frames[stack->unwound_next++];
	stack->count++;
	*place = place_of(stack, frame->address, frame->exact);
	return true;
}
