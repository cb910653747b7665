/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * classic.h - enable classic providers
 */
#ifndef ETW_PROVIDER_CLASSIC_H
#define ETW_PROVIDER_CLASSIC_H

#include <linux/types.h>

struct etw_enablement;
struct etw_notice_call;
struct etw_registration;

u8 etw_classic_latest(const struct etw_enablement *slots, u8 scope);
void etw_classic_notice(struct etw_notice_call *call, const struct etw_registration *reg);

#endif /* ETW_PROVIDER_CLASSIC_H */
