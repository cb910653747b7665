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
#include <linux/jhash.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "access.h"
#include "core/filter.h"
#include "gfp.h"
#include "items.h"
#include "provider.h"
#include "session.h"

DEFINE_HASHTABLE(etw_guids, ETW_GUID_BITS);

static u64 enables;	/* counts them; under etw_control */

/* ------------------------------------------------------------------- GUIDs */

static u32 guid_hash(const struct etw_guid *guid)
{
	return jhash(guid, sizeof(*guid), 0);
}

struct etw_guid_entry *etw_guid_find(const struct etw_guid *guid)
{
	struct etw_guid_entry *entry;

	lockdep_assert_held(&etw_control);
	hash_for_each_possible(etw_guids, entry, node, guid_hash(guid))
		if (!memcmp(&entry->guid, guid, sizeof(*guid)))
			return entry;
	return NULL;
}

/* The GUID's entry, made if need be; NULL: no memory. */
struct etw_guid_entry *etw_guid_get(const struct etw_guid *guid)
{
	struct etw_guid_entry *entry = etw_guid_find(guid);

	if (entry)
		return entry;
	entry = kzalloc(sizeof(*entry), ETW_GFP);
	if (!entry)
		return NULL;
	entry->guid = *guid;
	INIT_LIST_HEAD(&entry->regs);
	hash_add(etw_guids, &entry->node, guid_hash(guid));
	return entry;
}

/* Free the entry if nobody has the GUID registered or enabled. */
void etw_guid_put(struct etw_guid_entry *entry)
{
	int i;

	lockdep_assert_held(&etw_control);
	if (!list_empty(&entry->regs))
		return;
	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		if (entry->slots[i].session)
			return;
	hash_del(&entry->node);
	kfree(entry);
}

/* ----------------------------------------------------------------- changes */

/* What one registration will see after a change. */
struct update {
	struct list_head node;
	struct etw_registration *reg;
	struct etw_snapshot *snapshot;	/* NULL: disabled */
	struct etw_enable_entry composite;
	struct etw_notice *notice;	/* NULL: has no callback */
	u8 scope;
};

static void free_updates(struct list_head *updates)
{
	struct update *u, *tmp;

	list_for_each_entry_safe(u, tmp, updates, node) {
		list_del(&u->node);
		kfree(u->snapshot);
		etw_notice_free(u->notice);
		kfree(u);
	}
}

/* Fill u->snapshot and u->composite from slots, as far as u->scope has them. */
static int build(struct update *u, const struct etw_enablement *slots, gfp_t gfp)
{
	struct etw_snapshot *snapshot = NULL;
	u32 i, n = 0;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		if (slots[i].session && u->scope & BIT(i))
			n++;
	if (!n)
		return 0;
	snapshot = kmalloc(struct_size(snapshot, entries, n), gfp);
	if (!snapshot)
		return -ENOMEM;
	snapshot->count = n;
	snapshot->special = false;
	snapshot->shared = false;
	for (i = 0, n = 0; i < ETW_PROVIDER_SESSIONS; i++) {
		if (!slots[i].session || !(u->scope & BIT(i)))
			continue;
		snapshot->entries[n].filter = slots[i].filter;
		snapshot->entries[n].session = slots[i].session;
		snapshot->entries[n].events = slots[i].events;
		snapshot->shared |= slots[i].session->shared;
		snapshot->special |= slots[i].events || slots[i].session->shared ||
				     slots[i].property & ETW_ENABLE_ITEMS;
		n++;
		etw_filter_merge(&u->composite, &slots[i].filter);
		u->composite.sessions |= BIT(i);
	}
	u->snapshot = snapshot;
	return 0;
}

/* What the notice tells of filters; mostly what the one before it tells. */
static int add_filter_data(struct list_head *updates, struct update *u,
			   const struct etw_enablement *slots, gfp_t gfp)
{
	struct update *before = list_prev_entry(u, node);

	if (&before->node != updates && before->scope == u->scope && before->notice) {
		u->notice->filter = etw_filter_data_get(before->notice->filter);
		return 0;
	}
	return etw_filter_data_chain(slots, u->scope, gfp, &u->notice->filter);
}

/* Prepare what reg will see with these slots and this scope. */
static int prepare(struct list_head *updates, struct etw_registration *reg,
		   const struct etw_enablement *slots, u8 scope, gfp_t gfp)
{
	struct update *u = kzalloc(sizeof(*u), gfp);

	if (!u)
		return -ENOMEM;
	u->reg = reg;
	u->scope = scope;
	list_add_tail(&u->node, updates);
	if (etw_notify_wanted(reg)) {
		u->notice = etw_notice_alloc(gfp);
		if (!u->notice || add_filter_data(updates, u, slots, gfp))
			return -ENOMEM;
	}
	return build(u, slots, gfp);
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
static void apply(struct update *u, const struct etw_guid *source,
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
	/* F: the snapshot's contents before the pointer, see trace.c */
	old = rcu_replace_pointer(provider->snapshot, u->snapshot,
				  lockdep_is_held(&etw_control));
	etw_filter_narrow(&provider->enable, &u->composite);
	if (reg->area)
		etw_filter_narrow(reg->area, &u->composite);
	reg->scope = u->scope;
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

static void apply_all(struct list_head *updates, const struct etw_guid *source,
		      struct etw_waiter *waiter)
{
	struct update *u;

	list_for_each_entry(u, updates, node)
		apply(u, source, waiter);
	free_updates(updates);
}

/* ----------------------------------------------------------------- requests */

static int find_slot(const struct etw_guid_entry *entry, const struct etw_trace_session *s)
{
	int i;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		if (entry->slots[i].session == s)
			return i;
	return -1;
}

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
	if (!old->events)
		return;
	if (old->events->payload)
		kfree_rcu(old->events->payload, rcu);
	kfree_rcu(old->events, rcu);
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
	int err = 0;
	u8 scope;

	list_for_each_entry(reg, &entry->regs, node) {
		scope = reg->scope & ~BIT(i);
		if (in_scope(req, reg))
			scope = etw_is_classic(reg) ? BIT(i) : scope | BIT(i);
		/* Neither before nor now: not its business. */
		if (!((scope | reg->scope) & BIT(i)))
			continue;
		err = prepare(updates, reg, entry->slots, scope, ETW_GFP);
		if (err)
			break;
	}
	return err;
}

/* On success the slot has the request's filters. */
static int request_enable(struct etw_guid_entry *entry,
			  struct etw_enable_request *req,
			  struct etw_waiter *waiter)
{
	struct etw_enablement old;
	LIST_HEAD(updates);
	int i, err = 0;

	i = find_slot(entry, req->session);
	if (i < 0)
		i = find_slot(entry, NULL);
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
		free_updates(&updates);
		return err;
	}
	apply_all(&updates, &req->source, waiter);
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
	list_for_each_entry(reg, &entry->regs, node)
		if (reg->scope & BIT(i))
			prepare(&updates, reg, entry->slots, reg->scope & ~BIT(i),
				ETW_GFP | __GFP_NOFAIL);
	apply_all(&updates, source, waiter);
	free_filters(&old);
}

static int request_capture(struct etw_guid_entry *entry,
			   const struct etw_enable_request *req,
			   struct etw_waiter *waiter)
{
	int i = find_slot(entry, req->session);
	struct etw_notice *notice, *tmp;
	struct etw_registration *reg;
	LIST_HEAD(notices);

	if (i < 0)
		return 0;
	/* All or nobody is told. */
	list_for_each_entry(reg, &entry->regs, node) {
		if (!(reg->scope & BIT(i)) || !etw_notify_wanted(reg) || etw_is_classic(reg))
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
	struct etw_guid_entry *entry;
	int i, err = 0;

	lockdep_assert_held(&etw_control);
	if (req->control == ETW_CONTROL_ENABLE)
		entry = etw_guid_get(&req->provider);
	else
		entry = etw_guid_find(&req->provider);
	if (!entry)
		return req->control == ETW_CONTROL_ENABLE ? -ENOMEM : 0;

	switch (req->control) {
	case ETW_CONTROL_ENABLE:
		err = request_enable(entry, req, waiter);
		break;
	case ETW_CONTROL_DISABLE:
		i = find_slot(entry, req->session);
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

/* Take the session out of every snapshot and wait until no writer uses it. */
void etw_provider_session_stopped(struct etw_trace_session *s)
{
	struct etw_guid_entry *entry;
	struct hlist_node *tmp;
	int bucket, i;

	lockdep_assert_held(&etw_control);
	hash_for_each_safe(etw_guids, bucket, tmp, entry, node) {
		i = find_slot(entry, s);
		if (i < 0)
			continue;
		clear_slot(entry, i, NULL, NULL);
		etw_guid_put(entry);
	}
	/* F: whoever found the session in an old snapshot is done */
	synchronize_rcu();
}

/* ------------------------------------------------------------ registrations */

/*
 * reg was added to its entry: let it have what is enabled already.  Sessions
 * with a PID filter do not count; it was resolved before reg existed.
 */
int etw_enable_registration(struct etw_registration *reg)
{
	const struct etw_enablement *slots = reg->entry->slots;
	LIST_HEAD(updates);
	u8 scope = 0;
	int i, err;

	lockdep_assert_held(&etw_control);
	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		if (slots[i].session && !slots[i].pid_filtered &&
		    etw_scope_selects(slots[i].scope, reg) &&
		    etw_access_may_log(slots[i].session, reg))
			scope |= BIT(i);
	if (etw_is_classic(reg))
		scope = etw_classic_latest(slots, scope);
	err = prepare(&updates, reg, slots, scope, ETW_GFP);
	if (err) {
		free_updates(&updates);
		return err;
	}
	if (!list_first_entry(&updates, struct update, node)->composite.enabled) {
		/* Nothing to tell and nothing to change. */
		reg->scope = scope;
		free_updates(&updates);
		return 0;
	}
	apply_all(&updates, NULL, NULL);
	return 0;
}

/* reg goes: no new write finds a session.  No callback is told. */
void etw_disable_registration(struct etw_registration *reg)
{
	struct update u = { .reg = reg };

	lockdep_assert_held(&etw_control);
	apply(&u, NULL, NULL);
}

/* Prepare that reg gets another scope; then _rescoped(). */
int etw_enable_rescope(struct list_head *updates, struct etw_registration *reg, u8 scope)
{
	return prepare(updates, reg, reg->entry->slots, scope, ETW_GFP);
}

/* Put what was prepared into force, or none of it if there was an error. */
void etw_enable_rescoped(struct list_head *updates, int err)
{
	if (err)
		free_updates(updates);
	else
		apply_all(updates, NULL, NULL);
}

/* Bit i: enabled by the session with logger id i + 1. */
u64 etw_registration_sessions(const struct etw_registration *reg)
{
	u64 mask = 0;
	int i;

	lockdep_assert_held(&etw_control);
	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		if (reg->scope & BIT(i) && reg->entry->slots[i].session)
			mask |= BIT_ULL(reg->entry->slots[i].session->logger_id - 1);
	return mask;
}
