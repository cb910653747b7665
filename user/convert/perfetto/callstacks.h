/* SPDX-License-Identifier: MIT */
/*
 * callstacks.h - the stacks of events as Perfetto's interned call stacks
 */
#ifndef ETW_CONVERT_PERFETTO_CALLSTACKS_H
#define ETW_CONVERT_PERFETTO_CALLSTACKS_H

#include "base/text.h"
#include "etl/event.h"
#include "symbols/symbolizer.h"

/* Those that were written */
struct perfetto_callstacks;

struct perfetto_callstacks *perfetto_callstacks_new(struct symbolizer *symbolizer);
void perfetto_callstacks_free(struct perfetto_callstacks *callstacks);	/* NULL is fine */
/*
 * The number of an event's stack; what is new of it is appended to pending as interned data. 0: it
 * has none, or there is no memory.
 */
uint64_t perfetto_callstack(struct perfetto_callstacks *callstacks, const struct etw_event *event,
			    struct etw_text *pending);
/* How many events have stacks whose outer functions are missing */
uint64_t perfetto_callstacks_cut(const struct perfetto_callstacks *callstacks);

#endif /* ETW_CONVERT_PERFETTO_CALLSTACKS_H */
