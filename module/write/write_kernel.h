/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * write_kernel.h - writing events of this module's own providers
 */
#ifndef ETW_WRITE_KERNEL_H
#define ETW_WRITE_KERNEL_H

#include <linux/types.h>

struct etw_data_descriptor;
struct etw_event_descriptor;
struct etw_provider;
struct etw_scope_answer;
struct pt_regs;

int etw_write_traced(u64 payer, const struct etw_provider *provider,
		     const struct etw_event_descriptor *desc, u64 exclude,
		     const struct pt_regs *regs, u32 count, const struct etw_data_descriptor *data);
int etw_write_asked(u64 payer, const struct etw_provider *provider,
		    const struct etw_event_descriptor *desc, const struct etw_scope_answer *answer,
		    u32 count, const struct etw_data_descriptor *data);
int etw_write_describing(const struct etw_provider *provider, u64 sessions,
			 const struct etw_event_descriptor *desc, u32 count,
			 const struct etw_data_descriptor *data);
int etw_write_paid(u64 payer, const struct etw_provider *provider,
		   const struct etw_event_descriptor *desc, u32 count,
		   const struct etw_data_descriptor *data);

#endif /* ETW_WRITE_KERNEL_H */
