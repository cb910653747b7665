/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * change.h - a change of what a registration's writers see
 *
 * Prepared for all registrations concerned, then put into force for all; see
 * enable.c.  Under etw_control.
 */
#ifndef ETW_UPDATE_H
#define ETW_UPDATE_H

#include "provider.h"

struct etw_update {
	struct list_head node;
	struct etw_registration *reg;
	/* what it will have; at first what it has */
	const struct etw_guid_entry *group;
	const struct etw_traits *traits;
	bool types;
	u8 scope;
	u8 group_scope;
	u8 left_out;			/* of these, who has it on its disallow list */
	/* what follows from it */
	struct etw_snapshot *snapshot;	/* NULL: disabled */
	struct etw_enable_entry composite;
	struct etw_notice *notice;	/* NULL: has no callback, or is not told */
	/* The latest with filters in its notice, and the one before that. */
	struct etw_update *told, *other;
};

/* change.c */
struct etw_update *etw_update_add(struct list_head *updates, struct etw_registration *reg,
				  bool told, gfp_t gfp);
void etw_updates_free(struct list_head *updates);

/* enable.c */
void etw_updates_apply(struct list_head *updates, const struct etw_guid *source,
		       struct etw_waiter *waiter);
u8 etw_entry_new_scope(const struct etw_guid_entry *entry, const struct etw_registration *reg);

/* enable_snapshot.c */
int etw_snapshot_build(struct list_head *updates, struct etw_update *u, gfp_t gfp);

#endif /* ETW_UPDATE_H */
