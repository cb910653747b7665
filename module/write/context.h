/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * context.h - what the CPU is doing: task, softirq, hardirq or NMI
 *
 * Each of them can interrupt those before it, and none after it.
 */
#ifndef ETW_WRITE_CONTEXT_H
#define ETW_WRITE_CONTEXT_H

#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <etw/format.h>

static inline u8 etw_context_now(void)
{
	if (in_nmi())
		return ETW_CONTEXT_NMI;
	if (in_hardirq())
		return ETW_CONTEXT_HARDIRQ;
	return in_serving_softirq() ? ETW_CONTEXT_SOFTIRQ : ETW_CONTEXT_TASK;
}

/*
 * Describe the caller of a write to a zeroed struct.  The write itself has disabled
 * preemption once.
 */
static inline void etw_context_describe(struct etw_ext_context *to)
{
	to->context = etw_context_now();
	if (irqs_disabled())
		to->flags |= ETW_CONTEXT_IRQS_OFF;
	if (softirq_count() & ~SOFTIRQ_OFFSET)
		to->flags |= ETW_CONTEXT_BH_OFF;
	if (in_serving_softirq() && to->context > ETW_CONTEXT_SOFTIRQ)
		to->flags |= ETW_CONTEXT_IN_SOFTIRQ;
	/* An NMI counts as a hardirq as well. */
	if (hardirq_count() >> HARDIRQ_SHIFT > nmi_count() >> NMI_SHIFT &&
	    to->context > ETW_CONTEXT_HARDIRQ)
		to->flags |= ETW_CONTEXT_IN_HARDIRQ;
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		to->preempt_depth = (preempt_count() & PREEMPT_MASK) - PREEMPT_OFFSET;
}

#endif /* ETW_WRITE_CONTEXT_H */
