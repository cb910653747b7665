// SPDX-License-Identifier: GPL-2.0-only
/*
 * change.c - change the composite, the snapshot and the static key of registrations
 *
 * A writer sees, in this order: the widened composite, the new snapshot, the narrowed
 * composite.  All under etw_control, but for the static key, which follows.
 *
 * A key is on while its provider has a snapshot.  Patching code interrupts every CPU and takes
 * cpus_read_lock, so nobody does it under etw_control: a change of the snapshot puts the
 * registration on a list, and who made the change calls etw_static_keys_settle() once it
 * has released etw_control.  A key may lag behind: while one is still on, writers find no
 * snapshot; while one is still off, the caller of the change has not returned, and no enable
 * callback runs before it is on.
 *
 * Lock order: keys_lock, cpus_read_lock; then pending_lock, as under etw_control.
 */
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "core/enable_entry.h"
#include "callback_kernel.h"
#include "callback_user.h"
#include "change.h"
#include "classic.h"
#include "filter_data.h"
#include "notice.h"

/* ------------------------------------------------------------- static keys */

static DEFINE_MUTEX(keys_lock);		/* held while a key changes */
static DEFINE_SPINLOCK(pending_lock);
static LIST_HEAD(pending);		/* by key_node */

/* The provider has another snapshot, or none. */
static void static_key_changed(struct etw_registration *reg)
{
	lockdep_assert_held(&etw_control);
	if (!reg->provider->key)
		return;
	spin_lock(&pending_lock);
	if (list_empty(&reg->key_node))
		list_add_tail(&reg->key_node, &pending);
	spin_unlock(&pending_lock);
}

static struct etw_registration *key_take(void)
{
	struct etw_registration *reg;

	spin_lock(&pending_lock);
	reg = list_first_entry_or_null(&pending, struct etw_registration, key_node);
	if (reg)
		list_del_init(&reg->key_node);
	spin_unlock(&pending_lock);
	return reg;
}

/* A later change of the snapshot puts it on the list again. */
static void key_follow(const struct etw_provider *provider)
{
	if (rcu_access_pointer(provider->snapshot))
		static_key_enable(provider->key);
	else
		static_key_disable(provider->key);
}

/*
 * Make the keys follow all changes made so far.  After a registration was removed, nothing
 * uses it or its key for this once the call returns.  Without etw_control; sleeps.
 */
void etw_static_keys_settle(void)
{
	struct etw_registration *reg;

	mutex_lock(&keys_lock);
	while ((reg = key_take())) {
		key_follow(reg->provider);
		cond_resched();
	}
	mutex_unlock(&keys_lock);
}

/* ------------------------------------------------------------------ changes */

void etw_updates_free(struct list_head *updates)
{
	struct etw_update *u, *tmp;

	list_for_each_entry_safe(u, tmp, updates, node) {
		list_del(&u->node);
		kfree(u->snapshot);
		etw_filter_data_put(u->filter);
	}
}

/* Add a change of reg, which the caller fills in and builds.  notify: call its callback. */
struct etw_update *etw_update_add(struct list_head *updates, struct etw_registration *reg,
				  bool notify)
{
	struct etw_update *u = &reg->change;

	lockdep_assert_held(&etw_control);
	*u = (struct etw_update){
		.reg = reg,
		.scope = reg->scope,
		.group_scope = reg->group_scope,
		.group = reg->group,
		.traits = reg->traits,
		.types = reg->hot.types,
		.refused = reg->hot.refused,
		.notify = notify && etw_callback_wanted(reg),
	};
	list_add_tail(&u->node, updates);
	return u;
}

static void update_notify(struct etw_update *u, const struct etw_guid *source,
			  struct etw_waiter *waiter)
{
	const bool enabled = u->composite.enabled;
	struct etw_notice_call call;

	etw_notice_call_fill(&call, &u->composite, enabled ? ETW_CONTROL_ENABLE :
			     ETW_CONTROL_DISABLE, source, waiter);
	call.filter = u->filter;
	u->filter = NULL;
	if (etw_is_classic(u->reg) && enabled)
		etw_classic_notice(&call, u->reg);
	etw_callback_queue(u->reg, &call);
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

	if (!old != !u->snapshot)
		static_key_changed(reg);
	u->snapshot = NULL;

	if (u->notify)
		update_notify(u, source, waiter);
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
