/* SPDX-License-Identifier: MIT */
/*
 * stack.c - walk this thread's stack
 */
#include <unwind.h>

#include "stack.h"

struct walk {
	uint64_t caller;
	uint64_t *frames;
	unsigned int max, count;
	int found;		/* frames of the library itself have been passed */
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *arg)
{
	struct walk *w = arg;
	uint64_t ip = _Unwind_GetIP(context);

	w->found |= ip == w->caller;
	if (!w->found)
		return _URC_NO_REASON;
	if (!ip || w->count == w->max)
		return _URC_END_OF_STACK;
	w->frames[w->count++] = ip;
	return _URC_NO_REASON;
}

unsigned int etw_stack_walk(const void *caller, uint64_t *frames, unsigned int max)
{
	struct walk w = { .caller = (uintptr_t)caller, .frames = frames, .max = max };

	_Unwind_Backtrace(step, &w);
	return w.count;
}
