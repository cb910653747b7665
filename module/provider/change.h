/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * change.h - change the composite, the snapshot and the static key of registrations
 *
 * A change is prepared for all registrations concerned, which may fail, and then applied
 * to all, which cannot fail.  Under etw_control.
 */
#ifndef ETW_PROVIDER_CHANGE_H
#define ETW_PROVIDER_CHANGE_H

#include "provider.h"

struct etw_notice;
struct etw_waiter;

struct etw_update {
	struct list_head node;
	struct etw_registration *reg;
	/* the registration's future state; initially its present state */
	const struct etw_guid_entry *group;
	const struct etw_traits *traits;
	bool types;
	bool refused;
	u8 scope;
	u8 group_scope;
	u8 left_out;			/* slots of group_scope that disallow it */
	/* built from that state */
	struct etw_snapshot *snapshot;	/* NULL: disabled */
	struct etw_enable_entry composite;
	struct etw_notice *notice;	/* NULL: no callback, or do not call it */
	/* the latest update with filters in its notice, and the one before that */
	struct etw_update *filter_head, *filter_next;
};

struct etw_update *etw_update_add(struct list_head *updates, struct etw_registration *reg,
				  bool notify, gfp_t gfp);
void etw_update_apply(struct etw_update *u, const struct etw_guid *source,
		      struct etw_waiter *waiter);
void etw_updates_apply(struct list_head *updates, const struct etw_guid *source,
		       struct etw_waiter *waiter);
void etw_updates_free(struct list_head *updates);

#endif /* ETW_PROVIDER_CHANGE_H */
