/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callback_kernel.h - enable callbacks of kernel modules
 */
#ifndef ETW_PROVIDER_CALLBACK_KERNEL_H
#define ETW_PROVIDER_CALLBACK_KERNEL_H

#include "provider.h"

struct etw_notice_call;

extern struct workqueue_struct *etw_callback_wq;

void etw_callback_init(struct etw_registration *reg);
bool etw_callback_wanted(const struct etw_registration *reg);
void etw_callback_queue(struct etw_registration *reg, const struct etw_notice_call *call);
void etw_callback_drop(struct etw_registration *reg);
void etw_callback_cancel(struct etw_registration *reg);

#endif /* ETW_PROVIDER_CALLBACK_KERNEL_H */
