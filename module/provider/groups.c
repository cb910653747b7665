// SPDX-License-Identifier: GPL-2.0-only
/*
 * groups.c - exclude providers from the groups that a session enables
 *
 * A registration becomes a member of a group by its traits, for as long as it is
 * registered.  Sessions enable a group in the same way as a GUID, but groups have a
 * separate table: a group and a provider with equal GUIDs are unrelated.
 *
 * A session's disallow list excludes providers from all groups that it enables.  It can
 * change at any time: group_scope records the registrations that the filters of an
 * enablement selected, and the list is applied whenever a snapshot is built.
 *
 * All under etw_control.
 */
#include <linux/list.h>

#include "alloc.h"
#include "change.h"
#include "enable_snapshot.h"
#include "groups.h"
#include "guid_table.h"

/* Prepare the members that only one of the two lists, old and that of s, excludes. */
static void group_prepare(struct list_head *updates, const struct etw_guid_entry *group,
			  const struct etw_enabler *s, const struct etw_disallowed *old,
			  struct etw_memory *memory)
{
	int i = etw_entry_slot(group, s);
	struct etw_registration *reg;

	if (i < 0)
		return;
	etw_entry_for_each(reg, group) {
		cond_resched();
		if (!(reg->group_scope & BIT(i)) ||
		    etw_disallowed_has(old, &reg->provider->guid) == etw_group_disallowed(s, reg))
			continue;
		etw_snapshot_build(updates, etw_update_add(updates, reg, true), memory);
	}
}

/* Replace the disallow list of s.  On success *list becomes the old list.  Or -EAGAIN. */
int etw_group_disallow(struct etw_enabler *s, struct etw_disallowed **list,
		       struct etw_memory *memory)
{
	struct etw_disallowed *old = s->disallowed;
	struct etw_guid_entry *group;
	LIST_HEAD(updates);
	int bucket;

	s->disallowed = *list;
	etw_group_for_each(bucket, group)
		group_prepare(&updates, group, s, old, memory);
	if (memory->lacks) {
		s->disallowed = old;
		etw_updates_free(&updates);
		return -EAGAIN;
	}
	etw_updates_apply(&updates, NULL, NULL);
	*list = old;
	return 0;
}
