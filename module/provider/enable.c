// SPDX-License-Identifier: GPL-2.0-only
/*
 * enable.c - which session has which provider enabled
 *
 * A change is prepared for all registrations of the GUID first, which may fail
 * for want of memory, and then put into force for all, which may not.  A writer
 * sees, in this order: the widened composite, the new snapshot, the narrowed
 * composite, and the static key last when enabling, first when disabling.
 *
 * All under etw_control.  Static keys take cpus_read_lock.
 */
#include <linux/hashtable.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "access/access.h"
#include "core/filter.h"
#include "alloc.h"
#include "write/extended_items.h"
#include "provider.h"
#include "session/session.h"
#include "change.h"

static u64 enables;	/* counts them; under etw_control */

/* ----------------------------------------------------------------- changes */

/* Prepare what reg will see with this scope of entry, whose slots have changed. */
static int prepare(struct list_head *updates, struct etw_registration *reg,
		   const struct etw_guid_entry *entry, u8 scope,
		   const struct etw_trace_session *s, gfp_t gfp)
{
	bool told = !entry->is_group || !etw_group_disallowed(s, reg);
	struct etw_update *u = etw_update_add(updates, reg, told, gfp);

	if (!u)
		return -ENOMEM;
	if (entry->is_group)
		u->group_scope = scope;
	else
		u->scope = scope;
	return etw_snapshot_build(updates, u, gfp);
}

static void fill_notice(struct etw_notice *notice,
			const struct etw_enable_entry *composite, u32 control,
			const struct etw_guid *source, struct etw_waiter *waiter)
{
	notice->control = control;
	notice->level = composite->level;
	notice->any = composite->any;
	notice->all = composite->all;
	if (source)
		notice->source = *source;
	if (waiter) {
		refcount_inc(&waiter->ref);
		atomic_inc(&waiter->left);
		notice->waiter = waiter;
	}
}

/* Put one registration's change into force. */
static void apply(struct etw_update *u, const struct etw_guid *source,
		  struct etw_waiter *waiter)
{
	struct etw_registration *reg = u->reg;
	struct etw_provider *provider = reg->provider;
	struct etw_snapshot *old;

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
		fill_notice(u->notice, &u->composite,
			    u->composite.enabled ? ETW_CONTROL_ENABLE :
						   ETW_CONTROL_DISABLE,
			    source, waiter);
		if (etw_is_classic(reg) && u->composite.enabled)
			etw_classic_notice(u->notice, reg);
		etw_notify_queue(reg, u->notice);
		u->notice = NULL;
	}
}

void etw_updates_apply(struct list_head *updates, const struct etw_guid *source,
		       struct etw_waiter *waiter)
{
	struct etw_update *u;

	list_for_each_entry(u, updates, node) {
		apply(u, source, waiter);
		cond_resched();
	}
	etw_updates_free(updates);
}

/* ----------------------------------------------------------------- requests */

/* Do the request's scope filters select the registration? */
static bool in_scope(const struct etw_enable_request *req,
		     const struct etw_registration *reg)
{
	u32 i;

	if (!etw_scope_selects(req->scope, reg) || !etw_access_may_log(req->session, reg))
		return false;
	if (!req->pid_filtered)
		return true;
	for (i = 0; reg->process && i < req->pid_count; i++)
		if (req->pids[i] == reg->tgid)
			return true;
	return false;
}

/* The slot is another's or empty now; writers may still be at its filter. */
static void free_filters(struct etw_enablement *old)
{
	etw_scope_free(old->scope);
	etw_filter_data_put(old->data);
	etw_event_filter_free(old->events);
}

static void fill_slot(struct etw_enablement *slot, const struct etw_enable_request *req)
{
	*slot = (struct etw_enablement){
		.session = req->session,
		.order = ++enables,
		.any = req->any,
		.all = req->all,
		.property = req->property,
		.level = req->level,
		.pid_filtered = req->pid_filtered,
		.filters = req->filters,
		.scope = req->scope,
		.events = req->events,
		.data = req->data,
	};
	etw_filter_set(&slot->filter, req->level, req->any, req->all, req->property);
}

/* Prepare the change of slot i for all registrations that it concerns. */
static int prepare_all(struct list_head *updates, const struct etw_guid_entry *entry,
		       const struct etw_enable_request *req, int i)
{
	struct etw_registration *reg;
	u8 scope, old;
	int err = 0;

	etw_entry_for_each(reg, entry) {
		cond_resched();
		old = etw_entry_scope(entry, reg);
		scope = old & ~BIT(i);
		if (in_scope(req, reg))
			scope = etw_is_classic(reg) ? BIT(i) : scope | BIT(i);
		/* Neither before nor now: not its business. */
		if (!((scope | old) & BIT(i)))
			continue;
		err = prepare(updates, reg, entry, scope, req->session, ETW_GFP);
		if (err)
			break;
	}
	return err;
}

/*
 * A classic provider has one session, the last that enabled it, so those before
 * one that selects every program need not keep their slots: the first of them.
 */
static int spare_slot(const struct etw_guid_entry *entry)
{
	const struct etw_enablement *slots = entry->slots;
	const struct etw_registration *reg;
	int i, first = 0;
	u64 last = 0;

	if (entry->is_group || list_empty(&entry->regs))
		return -1;
	etw_entry_for_each(reg, entry) {
		cond_resched();
		if (!etw_is_classic(reg))
			return -1;
	}
	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++) {
		if (slots[i].order < slots[first].order)
			first = i;
		if (!slots[i].scope && !slots[i].pid_filtered && !slots[i].session->secure)
			last = max(last, slots[i].order);
	}
	return slots[first].order < last ? first : -1;
}

/* On success the slot has the request's filters. */
static int request_enable(struct etw_guid_entry *entry,
			  struct etw_enable_request *req,
			  struct etw_waiter *waiter)
{
	struct etw_enablement old;
	LIST_HEAD(updates);
	int i, err = 0;

	i = etw_entry_slot(entry, req->session);
	if (i < 0)
		i = etw_entry_slot(entry, NULL);
	if (i < 0)
		i = spare_slot(entry);
	if (i < 0)
		return -ENOSPC;
	if (req->property & ETW_ENABLE_ITEMS)
		err = etw_items_prepare();
	if (err)
		return err;
	old = entry->slots[i];
	fill_slot(&entry->slots[i], req);
	err = prepare_all(&updates, entry, req, i);
	if (err) {
		entry->slots[i] = old;
		etw_updates_free(&updates);
		return err;
	}
	etw_updates_apply(&updates, &req->source, waiter);
	req->scope = NULL;
	req->events = NULL;
	req->data = NULL;
	free_filters(&old);
	return 0;
}

/* Never fails: small allocations that may wait stand in for an error path. */
static void clear_slot(struct etw_guid_entry *entry, int i,
		       const struct etw_guid *source, struct etw_waiter *waiter)
{
	struct etw_enablement old = entry->slots[i];
	struct etw_registration *reg;
	LIST_HEAD(updates);

	memset(&entry->slots[i], 0, sizeof(entry->slots[i]));
	etw_entry_for_each(reg, entry) {
		cond_resched();
		if (etw_entry_scope(entry, reg) & BIT(i))
			prepare(&updates, reg, entry, etw_entry_scope(entry, reg) & ~BIT(i),
				old.session, ETW_GFP | __GFP_NOFAIL);
	}
	etw_updates_apply(&updates, source, waiter);
	free_filters(&old);
}

/* Has the session reg enabled by this entry, its GUID's or its group's? */
static bool enabled_by(const struct etw_guid_entry *entry, const struct etw_registration *reg,
		       const struct etw_trace_session *s)
{
	int i = entry ? etw_entry_slot(entry, s) : -1;

	return i >= 0 && etw_entry_scope(entry, reg) & BIT(i) &&
	       !(entry->is_group && etw_group_disallowed(s, reg));
}

static int request_capture(struct etw_guid_entry *entry,
			   const struct etw_enable_request *req,
			   struct etw_waiter *waiter)
{
	struct etw_notice *notice, *tmp;
	struct etw_registration *reg;
	LIST_HEAD(notices);

	/* All or nobody is told. */
	etw_entry_for_each(reg, entry) {
		cond_resched();
		if (!etw_notify_wanted(reg) || etw_is_classic(reg) ||
		    !(enabled_by(entry, reg, req->session) ||
		      (!entry->is_group && enabled_by(reg->group, reg, req->session))))
			continue;
		notice = etw_notice_alloc(ETW_GFP);
		if (!notice)
			goto err_free;
		notice->reg = reg;
		notice->filter = etw_filter_data_get(req->data);
		list_add_tail(&notice->node, &notices);
	}
	list_for_each_entry_safe(notice, tmp, &notices, node) {
		list_del(&notice->node);
		reg = notice->reg;
		fill_notice(notice, &reg->provider->enable, ETW_CONTROL_CAPTURE,
			    &req->source, waiter);
		etw_notify_queue(reg, notice);
	}
	return 0;

err_free:
	list_for_each_entry_safe(notice, tmp, &notices, node)
		etw_notice_free(notice);
	return -ENOMEM;
}

/*
 * Run a checked request of a running session.  -ENOSPC: eight other sessions
 * have the provider enabled.
 */
int etw_provider_enable(struct etw_enable_request *req, struct etw_waiter *waiter)
{
	bool group = req->property & ETW_ENABLE_PROVIDER_GROUP;
	struct etw_guid_entry *entry;
	int i, err = 0;

	lockdep_assert_held(&etw_control);
	if (req->control == ETW_CONTROL_ENABLE)
		entry = group ? etw_group_get(&req->provider) : etw_guid_get(&req->provider);
	else
		entry = group ? etw_group_find(&req->provider) : etw_guid_find(&req->provider);
	if (!entry)
		return req->control == ETW_CONTROL_ENABLE ? -ENOMEM : 0;

	switch (req->control) {
	case ETW_CONTROL_ENABLE:
		err = request_enable(entry, req, waiter);
		break;
	case ETW_CONTROL_DISABLE:
		i = etw_entry_slot(entry, req->session);
		if (i >= 0)
			clear_slot(entry, i, &req->source, waiter);
		break;
	case ETW_CONTROL_CAPTURE:
		err = request_capture(entry, req, waiter);
		break;
	}
	etw_guid_put(entry);
	return err;
}

static void session_leaves(struct etw_guid_entry *entry, struct etw_trace_session *s)
{
	int i = etw_entry_slot(entry, s);

	if (i < 0)
		return;
	clear_slot(entry, i, NULL, NULL);
	etw_guid_put(entry);
}

/* Take the session out of every snapshot and wait until no writer uses it. */
void etw_provider_session_stopped(struct etw_trace_session *s)
{
	struct etw_guid_entry *entry;
	struct hlist_node *tmp;
	int bucket;

	lockdep_assert_held(&etw_control);
	hash_for_each_safe(etw_guids, bucket, tmp, entry, node)
		session_leaves(entry, s);
	hash_for_each_safe(etw_groups, bucket, tmp, entry, node)
		session_leaves(entry, s);
	/* F: whoever found the session in an old snapshot is done */
	synchronize_rcu();
}

/* ------------------------------------------------------------ registrations */

/*
 * Which of the entry's sessions a new registration or member starts with.  Those
 * with a PID filter do not count; it was resolved before reg existed.
 */
u8 etw_entry_new_scope(const struct etw_guid_entry *entry, const struct etw_registration *reg)
{
	const struct etw_enablement *slots = entry->slots;
	u8 scope = 0;
	int i;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		if (slots[i].session && !slots[i].pid_filtered &&
		    etw_scope_selects(slots[i].scope, reg) &&
		    etw_access_may_log(slots[i].session, reg))
			scope |= BIT(i);
	return etw_is_classic(reg) ? etw_classic_latest(slots, scope) : scope;
}

/* reg was added to its entry: let it have what is enabled already. */
int etw_enable_registration(struct etw_registration *reg)
{
	LIST_HEAD(updates);
	u8 scope;
	int err;

	lockdep_assert_held(&etw_control);
	scope = etw_entry_new_scope(reg->entry, reg);
	err = prepare(&updates, reg, reg->entry, scope, NULL, ETW_GFP);
	if (err) {
		etw_updates_free(&updates);
		return err;
	}
	if (!list_first_entry(&updates, struct etw_update, node)->composite.enabled) {
		/* Nothing to tell and nothing to change. */
		reg->scope = scope;
		etw_updates_free(&updates);
		return 0;
	}
	etw_updates_apply(&updates, NULL, NULL);
	return 0;
}

/* reg goes: no new write finds a session.  No callback is told. */
void etw_disable_registration(struct etw_registration *reg)
{
	struct etw_update u = { .reg = reg };

	lockdep_assert_held(&etw_control);
	apply(&u, NULL, NULL);
}
