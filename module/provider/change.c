// SPDX-License-Identifier: GPL-2.0-only
/*
 * change.c - change the composite, the snapshot and the static key of registrations
 *
 * A writer sees, in this order: the widened composite, the new snapshot, the narrowed
 * composite; the static key changes last when enabling and first when disabling.
 *
 * All under etw_control.  Static keys take cpus_read_lock.
 */
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "core/filter.h"
#include "callback_kernel.h"
#include "callback_user.h"
#include "change.h"
#include "classic.h"
#include "notice.h"

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

static void update_init(struct etw_update *u, struct etw_registration *reg)
{
	u->reg = reg;
	u->scope = reg->scope;
	u->group_scope = reg->group_scope;
	u->group = reg->group;
	u->traits = reg->traits;
	u->types = reg->hot.types;
	u->refused = reg->hot.refused;
}

/*
 * Add a change of reg, which the caller fills in and builds.  notify: call its callback.
 * NULL: no memory; updates has everything that was allocated.
 */
struct etw_update *etw_update_add(struct list_head *updates, struct etw_registration *reg,
				  bool notify, gfp_t gfp)
{
	struct etw_update *u = kzalloc(sizeof(*u), gfp);

	if (!u)
		return NULL;
	update_init(u, reg);
	list_add_tail(&u->node, updates);
	if (!notify || !etw_callback_wanted(reg))
		return u;
	u->notice = etw_notice_alloc(gfp);
	return u->notice ? u : NULL;
}

/*
 * Apply the change of one registration.  source and waiter are for its notice, and may be
 * NULL.
 */
void etw_update_apply(struct etw_update *u, const struct etw_guid *source,
		      struct etw_waiter *waiter)
{
	struct etw_registration *reg = u->reg;
	struct etw_provider *provider = reg->provider;
	struct etw_snapshot *old;

	if (u->refused && !reg->hot.refused)
		etw_callback_queue_drop(reg);
	WRITE_ONCE(reg->hot.refused, u->refused);
	if (!u->snapshot && provider->key)
		static_key_disable(provider->key);

	etw_filter_widen(&provider->enable, &u->composite);
	if (reg->area)
		etw_filter_widen(reg->area, &u->composite);
	/* F: the snapshot's contents before the pointer, see hotpath.c */
	old = rcu_replace_pointer(provider->snapshot, u->snapshot,
				  lockdep_is_held(&etw_control));
	etw_filter_narrow(&provider->enable, &u->composite);
	if (reg->area)
		etw_filter_narrow(reg->area, &u->composite);
	reg->scope = u->scope;
	reg->group_scope = u->group_scope;
	if (old)
		kfree_rcu(old, rcu);

	if (u->snapshot && provider->key)
		static_key_enable(provider->key);
	u->snapshot = NULL;

	if (u->notice) {
		etw_notice_fill(u->notice, &u->composite,
				u->composite.enabled ? ETW_CONTROL_ENABLE :
						       ETW_CONTROL_DISABLE,
				source, waiter);
		if (etw_is_classic(reg) && u->composite.enabled)
			etw_classic_notice(u->notice, reg);
		etw_callback_queue(reg, u->notice);
		u->notice = NULL;
	}
}

void etw_updates_apply(struct list_head *updates, const struct etw_guid *source,
		       struct etw_waiter *waiter)
{
	struct etw_update *u;

	list_for_each_entry(u, updates, node) {
		etw_update_apply(u, source, waiter);
		cond_resched();
	}
	etw_updates_free(updates);
}
