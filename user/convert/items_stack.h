/* SPDX-License-Identifier: MIT */
/*
 * items_stack.h - the stack of an event as members of a JSON object
 */
#ifndef ETW_CONVERT_ITEMS_STACK_H
#define ETW_CONVERT_ITEMS_STACK_H

#include "base/text.h"
#include "etl/event.h"

struct symbolizer;

/*
 * Append "stack", the addresses from the innermost function on, those of the program from the copy
 * of its stack if there is one; "stack_cut" if outer functions are missing; and "functions" at the
 * addresses. Nothing if the event has no stack.
 */
void items_stack_json(struct etw_text *to, struct symbolizer *symbolizer,
		      const struct etw_event *event);

#endif /* ETW_CONVERT_ITEMS_STACK_H */
