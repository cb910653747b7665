/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture_timer.h - request the state of providers periodically
 */
#ifndef ETW_PROVIDER_CAPTURE_TIMER_H
#define ETW_PROVIDER_CAPTURE_TIMER_H

#include "enabler.h"

void etw_capture_timer_init(struct etw_enabler *session);
void etw_capture_timer_set(struct etw_enabler *session, struct etw_guid **guids, u32 count,
			   u32 period_s);
void etw_capture_timer_stop(struct etw_enabler *session);

#endif /* ETW_PROVIDER_CAPTURE_TIMER_H */
