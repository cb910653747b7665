/* SPDX-License-Identifier: MIT */
/*
 * event_context.c - in which context the kernel wrote an event: the item CONTEXT
 */
#include <stddef.h>
#include <string.h>

#include "event_context.h"
#include "text.h"

struct etw_ext_context etw_event_context_load(const void *data)
{
	struct etw_ext_context context;

	memcpy(&context, data, sizeof(context));
	return context;
}

const char *etw_event_context_name(unsigned int context)
{
	static const char *const names[ETW_CONTEXTS] = {
		[ETW_CONTEXT_TASK] = "task",
		[ETW_CONTEXT_SOFTIRQ] = "softirq",
		[ETW_CONTEXT_HARDIRQ] = "hardirq",
		[ETW_CONTEXT_NMI] = "nmi",
	};

	return context < ETW_CONTEXTS ? names[context] : NULL;
}

const char *etw_event_context_below(const struct etw_ext_context *context)
{
	if (context->flags & ETW_CONTEXT_IN_HARDIRQ)
		return etw_event_context_name(ETW_CONTEXT_HARDIRQ);
	if (context->flags & ETW_CONTEXT_IN_SOFTIRQ)
		return etw_event_context_name(ETW_CONTEXT_SOFTIRQ);
	return NULL;
}

void etw_event_context_text(struct etw_text *to, const struct etw_ext_context *context)
{
	const char *name = etw_event_context_name(context->context);
	const char *below = etw_event_context_below(context);

	etw_text_puts(to, name ? name : "unknown");
	if (below)
		etw_text_printf(to, ",over-%s", below);
	if (context->flags & ETW_CONTEXT_IRQS_OFF)
		etw_text_puts(to, ",irqs-off");
	if (context->flags & ETW_CONTEXT_BH_OFF)
		etw_text_puts(to, ",bh-off");
	if (context->preempt_depth)
		etw_text_printf(to, ",preempt=%u", context->preempt_depth);
}
