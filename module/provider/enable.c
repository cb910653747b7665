// SPDX-License-Identifier: GPL-2.0-only
/*
 * enable.c - enable and disable providers for sessions
 *
 * A change of a slot is prepared for all registrations of the GUID, which may lack memory
 * (module/alloc.c), and then applied to all (change.c), which cannot fail.
 *
 * All under etw_control.
 */
#include <linux/hashtable.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "core/enable_entry.h"
#include "alloc.h"
#include "callback_kernel.h"
#include "callback_user.h"
#include "change.h"
#include "classic.h"
#include "enable.h"
#include "enable_snapshot.h"
#include "filter_data.h"
#include "filter_parse.h"
#include "guid_table.h"
#include "log_rights.h"
#include "notice.h"
#include "scope_filter.h"

static u64 enables;	/* enablements so far; under etw_control */

/* Prepare the change of reg to this scope; the slots of entry have changed. */
static void enable_prepare(struct list_head *updates, struct etw_registration *reg,
			   const struct etw_guid_entry *entry, u8 scope,
			   const struct etw_enabler *s, struct etw_memory *memory)
{
	bool notify = !entry->is_group || !etw_group_disallowed(s, reg);
	struct etw_update *u = etw_update_add(updates, reg, notify);

	if (entry->is_group)
		u->group_scope = scope;
	else
		u->scope = scope;
	etw_snapshot_build(updates, u, memory);
}

/* ----------------------------------------------------------------- requests */

/* Do the request's scope filters select the registration? */
static bool in_scope(const struct etw_enable_request *req,
		     const struct etw_registration *reg)
{
	return etw_scope_selects(req->scope, req->sees_addresses, reg) &&
	       etw_may_log(req->session, reg);
}

/* The slot has been reused or cleared; writers may still read its filter. */
static void enable_free_filters(struct etw_enablement *old)
{
	etw_scope_free(old->scope);
	etw_filter_data_put(old->data);
	etw_event_filter_free(old->events);
}

static void fill_slot(struct etw_enablement *slot, const struct etw_enable_request *req)
{
	const struct etw_missed missed = slot->session == req->session ? slot->missed :
									 (struct etw_missed){};

	*slot = (struct etw_enablement){
		.session = req->session,
		.order = ++enables,
		.any = req->any,
		.all = req->all,
		.property = req->property,
		.level = req->level,
		.sees_addresses = req->sees_addresses,
		.filters = req->filters,
		.scope = req->scope,
		.events = req->events,
		.data = req->data,
		.missed = missed,
	};
	etw_filter_set(&slot->filter, req->level, req->any, req->all, req->property);
}

/* Prepare the change of slot i for all registrations concerned. */
static void enable_prepare_all(struct list_head *updates, const struct etw_guid_entry *entry,
			       const struct etw_enable_request *req, int i,
			       struct etw_memory *memory)
{
	struct etw_registration *reg;
	u8 scope, old;

	etw_entry_for_each(reg, entry) {
		cond_resched();
		old = etw_entry_scope(entry, reg);
		scope = old & ~BIT(i);
		if (in_scope(req, reg))
			scope = etw_is_classic(reg) ? BIT(i) : scope | BIT(i);
		/* In the slot's scope neither before nor after: not concerned. */
		if (!((scope | old) & BIT(i)))
			continue;
		enable_prepare(updates, reg, entry, scope, req->session, memory);
	}
}

/*
 * Find a slot that a classic provider can spare.  Such a provider has one session, the
 * last that enabled it.  A slot is spare if a session that is not SECURE, without scope
 * and PID filters, enabled the provider later.  Returns the oldest slot if it is spare,
 * else -1.
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
		if (!etw_is_classic(reg) && !etw_registration_has_left(reg))
			return -1;
	}
	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++) {
		if (slots[i].order < slots[first].order)
			first = i;
		if (!slots[i].scope && !slots[i].session->secure)
			last = max(last, slots[i].order);
	}
	return slots[first].order < last ? first : -1;
}

/* On success the slot owns the request's filters. */
static int request_enable(struct etw_guid_entry *entry,
			  struct etw_enable_request *req,
			  struct etw_waiter *waiter, struct etw_memory *memory)
{
	struct etw_enablement old;
	LIST_HEAD(updates);
	int i;

	i = etw_entry_slot(entry, req->session);
	if (i < 0)
		i = etw_entry_slot(entry, NULL);
	if (i < 0)
		i = spare_slot(entry);
	if (i < 0)
		return -ENOSPC;
	old = entry->slots[i];
	fill_slot(&entry->slots[i], req);
	enable_prepare_all(&updates, entry, req, i, memory);
	if (memory->lacks) {
		entry->slots[i] = old;
		etw_updates_free(&updates);
		return -EAGAIN;
	}
	etw_updates_apply(&updates, &req->source, waiter);
	req->scope = NULL;
	req->events = NULL;
	req->data = NULL;
	enable_free_filters(&old);
	return 0;
}

static int clear_slot(struct etw_guid_entry *entry, int i, const struct etw_guid *source,
		      struct etw_waiter *waiter, struct etw_memory *memory)
{
	struct etw_enablement old = entry->slots[i];
	struct etw_registration *reg;
	LIST_HEAD(updates);

	memset(&entry->slots[i], 0, sizeof(entry->slots[i]));
	etw_entry_for_each(reg, entry) {
		cond_resched();
		if (etw_entry_scope(entry, reg) & BIT(i))
			enable_prepare(&updates, reg, entry, etw_entry_scope(entry, reg) & ~BIT(i),
				       old.session, memory);
	}
	if (memory->lacks) {
		entry->slots[i] = old;
		etw_updates_free(&updates);
		return -EAGAIN;
	}
	etw_updates_apply(&updates, source, waiter);
	enable_free_filters(&old);
	return 0;
}

/* Has the session enabled reg through this entry, its GUID's or its group's, or NULL? */
bool etw_enabled_by(const struct etw_guid_entry *entry, const struct etw_registration *reg,
		    const struct etw_enabler *s)
{
	int i = entry ? etw_entry_slot(entry, s) : -1;

	return i >= 0 && etw_entry_scope(entry, reg) & BIT(i) &&
	       !(entry->is_group && etw_group_disallowed(s, reg));
}

static void request_capture(struct etw_guid_entry *entry,
			    const struct etw_enable_request *req,
			    struct etw_waiter *waiter)
{
	struct etw_notice_call call;
	struct etw_registration *reg;

	etw_entry_for_each(reg, entry) {
		cond_resched();
		if (!etw_callback_wanted(reg) || etw_is_classic(reg) ||
		    !(etw_enabled_by(entry, reg, req->session) ||
		      (!entry->is_group && etw_enabled_by(reg->group, reg, req->session))))
			continue;
		etw_notice_call_fill(&call, &reg->provider->enable, ETW_CONTROL_CAPTURE,
				     &req->source, waiter);
		call.filter = etw_filter_data_get(req->data);
		etw_callback_queue(reg, &call);
	}
}

/* Would the caller get nothing of the provider, because they may not see its addresses? */
static bool request_is_blind(const struct etw_guid_entry *entry,
			     const struct etw_enable_request *req)
{
	const struct etw_registration *reg;

	if (req->sees_addresses || entry->is_group || !entry->kernel_regs)
		return false;
	etw_entry_for_each(reg, entry) {
		cond_resched();
		if (reg->of_system)
			return true;
	}
	return false;
}

/*
 * Run a checked request of a running session.  -ENOSPC: eight other sessions
 * have the provider enabled; -EPERM: it shows addresses that the caller may not see;
 * -EAGAIN: memory lacks something, but not for CAPTURE.
 */
int etw_provider_enable(struct etw_enable_request *req, struct etw_waiter *waiter,
			struct etw_memory *memory)
{
	bool group = req->property & ETW_ENABLE_PROVIDER_GROUP;
	struct etw_guid_entry *entry;
	int i, err = 0;

	lockdep_assert_held(&etw_control);
	if (req->control == ETW_CONTROL_ENABLE)
		entry = group ? etw_group_get(&req->provider, memory) :
				etw_guid_get(&req->provider, memory);
	else
		entry = group ? etw_group_find(&req->provider) : etw_guid_find(&req->provider);
	if (!entry)
		return req->control == ETW_CONTROL_ENABLE ? -EAGAIN : 0;

	switch (req->control) {
	case ETW_CONTROL_ENABLE:
		err = request_is_blind(entry, req) ? -EPERM :
			request_enable(entry, req, waiter, memory);
		break;
	case ETW_CONTROL_DISABLE:
		i = etw_entry_slot(entry, req->session);
		if (i >= 0)
			err = clear_slot(entry, i, &req->source, waiter, memory);
		break;
	case ETW_CONTROL_CAPTURE:
		request_capture(entry, req, waiter);
		break;
	}
	etw_guid_put(entry);
	return err;
}

static void session_leaves(struct etw_guid_entry *entry, struct etw_enabler *s,
			   struct etw_memory *memory)
{
	int i = etw_entry_slot(entry, s);

	if (i >= 0 && !clear_slot(entry, i, NULL, NULL, memory))
		etw_guid_put(entry);
}

/*
 * The session stops: take it out of every snapshot, and keep its capture timer from starting
 * again.  Writers may use it for one more grace period.  -EAGAIN: it is still in some.
 */
int etw_provider_session_stopped(struct etw_enabler *s, struct etw_memory *memory)
{
	struct etw_guid_entry *entry;
	struct hlist_node *tmp;
	int bucket;

	lockdep_assert_held(&etw_control);
	s->capture.stopped = true;
	hash_for_each_safe(etw_guids, bucket, tmp, entry, node)
		session_leaves(entry, s, memory);
	hash_for_each_safe(etw_groups, bucket, tmp, entry, node)
		session_leaves(entry, s, memory);
	return memory->lacks ? -EAGAIN : 0;
}

/*
 * The sessions that enabled the provider itself after the enablement of this number, as bits of
 * their logger ids.  *order becomes the latest number.
 */
u64 etw_enabled_since(const struct etw_guid *guid, u64 *order)
{
	const struct etw_guid_entry *entry;
	u64 sessions = 0;
	int i;

	mutex_lock(&etw_control);
	entry = etw_guid_find(guid);
	for (i = 0; entry && i < ETW_PROVIDER_SESSIONS; i++)
		if (entry->slots[i].session && entry->slots[i].order > *order)
			sessions |= BIT_ULL(entry->slots[i].session->hot->logger_id - 1);
	*order = enables;
	mutex_unlock(&etw_control);
	return sessions;
}

/* The count that the session keeps of a provider that it has enabled itself; NULL: it has not. */
struct etw_missed *etw_enable_missed(const struct etw_guid *guid, const struct etw_enabler *s)
{
	struct etw_guid_entry *entry = etw_guid_find(guid);
	int i = entry ? etw_entry_slot(entry, s) : -1;

	lockdep_assert_held(&etw_control);
	return i >= 0 ? &entry->slots[i].missed : NULL;
}

/* ------------------------------------------------------------ registrations */

/*
 * The slots of the entry that a new registration or member starts with.  Those with a
 * PID filter do not count: it was resolved before reg existed.
 */
u8 etw_entry_new_scope(const struct etw_guid_entry *entry, const struct etw_registration *reg)
{
	const struct etw_enablement *slots = entry->slots;
	u8 scope = 0;
	int i;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		if (slots[i].session && etw_scope_selects_new(&slots[i], reg) &&
		    etw_may_log(slots[i].session, reg))
			scope |= BIT(i);
	return etw_is_classic(reg) ? etw_classic_latest(slots, scope) : scope;
}

/* reg was added to its entry: apply the entry's enablements.  -EAGAIN: memory lacks something. */
int etw_enable_registration(struct etw_registration *reg, struct etw_memory *memory)
{
	LIST_HEAD(updates);
	u8 scope;

	lockdep_assert_held(&etw_control);
	scope = etw_entry_new_scope(reg->entry, reg);
	enable_prepare(&updates, reg, reg->entry, scope, NULL, memory);
	if (memory->lacks) {
		etw_updates_free(&updates);
		return -EAGAIN;
	}
	if (!list_first_entry(&updates, struct etw_update, node)->composite.enabled) {
		/* Nothing changes, and there is nothing to report. */
		reg->scope = scope;
		etw_updates_free(&updates);
		return 0;
	}
	etw_updates_apply(&updates, NULL, NULL);
	return 0;
}

/* reg ends: no new write finds a session.  No callback is called. */
void etw_disable_registration(struct etw_registration *reg)
{
	struct etw_update u = { .reg = reg };

	lockdep_assert_held(&etw_control);
	etw_update_apply(&u, NULL, NULL);
}
