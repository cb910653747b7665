/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * enabler.h - the part of a session that enables providers
 *
 * Part of struct etw_trace_session.  hot, guid and secure are set at start and only read
 * after that; the rest is under etw_control, except for the work.
 */
#ifndef ETW_PROVIDER_ENABLER_H
#define ETW_PROVIDER_ENABLER_H

#include <linux/workqueue.h>

#include "guid.h"

struct etw_session_hot;

/* Providers that a session leaves out of all groups that it enables. */
struct etw_disallowed {
	u32 count;
	struct etw_guid guids[];
};

struct etw_enabler {
	struct etw_session_hot *hot;
	struct etw_guid guid;
	bool secure;			/* writing to it requires the right to log */
	struct etw_disallowed *disallowed;	/* NULL: none */

	/* see capture.c */
	struct {
		struct delayed_work work;
		struct etw_guid *guids;
		u32 count;
		u32 period_s;
		bool stopped;		/* the session stops */
	} capture;
};

static inline bool etw_disallowed_has(const struct etw_disallowed *list,
				      const struct etw_guid *guid)
{
	u32 i;

	for (i = 0; list && i < list->count; i++)
		if (etw_guid_equal(&list->guids[i], guid))
			return true;
	return false;
}

#endif /* ETW_PROVIDER_ENABLER_H */
