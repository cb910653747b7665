/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture.h - request the state of providers: periodically, and of those that forward events
 */
#ifndef ETW_PROVIDER_CAPTURE_H
#define ETW_PROVIDER_CAPTURE_H

#include "enabler.h"

struct etw_registration;

/* Which forwarders of a session are asked: with neither, all */
struct etw_forwarders {
	const struct etw_guid *guid;		/* that it has enabled by this GUID or group */
	const struct etw_disallowed *list;	/* that a group enables, and this list names */
};

void etw_capture_timer_init(struct etw_enabler *session);
void etw_capture_timer_set(struct etw_enabler *session, struct etw_guid **guids, u32 count,
			   u32 period_s);
void etw_capture_timer_stop(struct etw_enabler *session);
int etw_capture_forwarded(struct etw_enabler *session, struct etw_forwarders which, bool ends);
void etw_capture_forwarder_died(const struct etw_registration *reg);

#endif /* ETW_PROVIDER_CAPTURE_H */
