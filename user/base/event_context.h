/* SPDX-License-Identifier: MIT */
/*
 * event_context.h - in which context the kernel wrote an event: the item CONTEXT
 */
#ifndef ETW_BASE_EVENT_CONTEXT_H
#define ETW_BASE_EVENT_CONTEXT_H

#include <etw/format.h>

struct etw_text;

/* The item's data, which may be at any address */
struct etw_ext_context etw_event_context_load(const void *data);
/* "task", "softirq", "hardirq", "nmi"; NULL: unknown */
const char *etw_event_context_name(unsigned int context);
/* The context that was interrupted; NULL: a task */
const char *etw_event_context_below(const struct etw_ext_context *context);
/* Append its name, and what else holds: "hardirq,over-softirq,irqs-off,preempt=1" */
void etw_event_context_text(struct etw_text *to, const struct etw_ext_context *context);

#endif /* ETW_BASE_EVENT_CONTEXT_H */
