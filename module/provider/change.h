/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * change.h - change the composite, the snapshot and the static key of registrations
 *
 * A change is prepared for all registrations concerned, which may lack memory, and then
 * applied to all, which cannot fail.  Under etw_control, from the first to the last step, so
 * each registration has room for one update.
 */
#ifndef ETW_PROVIDER_CHANGE_H
#define ETW_PROVIDER_CHANGE_H

#include "provider.h"

struct etw_waiter;

struct etw_update *etw_update_add(struct list_head *updates, struct etw_registration *reg,
				  bool notify);
void etw_update_apply(struct etw_update *u, const struct etw_guid *source,
		      struct etw_waiter *waiter);
void etw_updates_apply(struct list_head *updates, const struct etw_guid *source,
		       struct etw_waiter *waiter);
void etw_updates_free(struct list_head *updates);
void etw_static_keys_settle(void);

#endif /* ETW_PROVIDER_CHANGE_H */
