// SPDX-License-Identifier: GPL-2.0-only
/*
 * change.c - changes of what registrations' writers see, before they are put
 * into force (enable.c)
 *
 * All under etw_control.
 */
#include <linux/list.h>
#include <linux/slab.h>

#include "alloc.h"
#include "session/session.h"
#include "change.h"

void etw_updates_free(struct list_head *updates)
{
	struct etw_update *u, *tmp;

	list_for_each_entry_safe(u, tmp, updates, node) {
		list_del(&u->node);
		kfree(u->snapshot);
		etw_notice_free(u->notice);
		kfree(u);
	}
}

static void init_update(struct etw_update *u, struct etw_registration *reg)
{
	u->reg = reg;
	u->scope = reg->scope;
	u->group_scope = reg->group_scope;
	u->group = reg->group;
	u->traits = reg->traits;
	u->types = reg->types;
}

/* A change of reg, to be filled in and built; told: its callback hears of it. */
struct etw_update *etw_update_add(struct list_head *updates, struct etw_registration *reg,
				  bool told, gfp_t gfp)
{
	struct etw_update *u = kzalloc(sizeof(*u), gfp);

	if (!u)
		return NULL;
	init_update(u, reg);
	list_add_tail(&u->node, updates);
	if (!told || !etw_notify_wanted(reg))
		return u;
	u->notice = etw_notice_alloc(gfp);
	return u->notice ? u : NULL;
}

/*
 * Prepare that reg gets other scopes, of its own entry and of its group; then
 * _rescoped().
 */
int etw_enable_rescope(struct list_head *updates, struct etw_registration *reg, u8 scope,
		       u8 group_scope, bool told)
{
	struct etw_update *u = etw_update_add(updates, reg, told, ETW_GFP);

	if (!u)
		return -ENOMEM;
	u->scope = scope;
	u->group_scope = group_scope;
	return etw_snapshot_build(updates, u, ETW_GFP);
}

/* Put what was prepared into force, or none of it if there was an error. */
void etw_enable_rescoped(struct list_head *updates, int err)
{
	if (err)
		etw_updates_free(updates);
	else
		etw_updates_apply(updates, NULL, NULL);
}
