// SPDX-License-Identifier: GPL-2.0-only
/*
 * enable_snapshot.c - which sessions have a registration enabled, as writers see them
 *
 * A session may have the provider enabled, its group, or both; it counts once.
 * A registration has at most eight sessions: those that enabled the provider
 * itself first, then its group's in the order of their slots.  A ninth comes in
 * when another one leaves.
 *
 * All under etw_control; what is built here is published by enable.c.
 */
#include <linux/slab.h>

#include "core/filter.h"
#include "write/extended_items.h"
#include "session/session.h"
#include "change.h"

/* One session that has a registration enabled; at least one is not NULL. */
struct enabler {
	const struct etw_enablement *own;
	const struct etw_enablement *group;
	u8 bit;				/* in the enable area */
};

struct enablers {
	struct enabler list[ETW_PROVIDER_SESSIONS];
	u32 count;
	u32 both;			/* of them, with both */
};

static void add_own(struct enablers *to, const struct etw_enablement *slots, u8 scope)
{
	u32 i;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		if (slots[i].session && scope & BIT(i))
			to->list[to->count++] = (struct enabler){ .own = &slots[i], .bit = BIT(i) };
}

static void add_group(struct enablers *to, const struct etw_enablement *slot)
{
	u8 used = 0;
	u32 i;

	for (i = 0; i < to->count; i++) {
		if (to->list[i].own && to->list[i].own->session == slot->session) {
			to->list[i].group = slot;
			to->both++;
			return;
		}
		used |= to->list[i].bit;
	}
	if (to->count < ETW_PROVIDER_SESSIONS)
		to->list[to->count++] = (struct enabler){ .group = slot, .bit = ~used & (used + 1) };
}

/* Of those that have the group enabled, who leaves reg out. */
static u8 left_out(const struct etw_registration *reg, const struct etw_guid_entry *group,
		   u8 group_scope)
{
	u8 out = 0;
	u32 i;

	for (i = 0; group && i < ETW_PROVIDER_SESSIONS; i++)
		if (group_scope & BIT(i) && etw_group_disallowed(group->slots[i].session, reg))
			out |= BIT(i);
	return out;
}

/* group_scope: without who leaves reg out. */
static void find(struct enablers *to, const struct etw_registration *reg, u8 scope,
		 const struct etw_guid_entry *group, u8 group_scope)
{
	u32 i;

	to->count = 0;
	to->both = 0;
	if (reg->entry)
		add_own(to, reg->entry->slots, scope);
	for (i = 0; group && i < ETW_PROVIDER_SESSIONS; i++)
		if (group->slots[i].session && group_scope & BIT(i))
			add_group(to, &group->slots[i]);
}

#define TOLD_LOOKS	16	/* updates that are asked for the same filters */

/* Are both told of the same filters?  Without a scope the GUID has no part in it. */
static bool same_filters(const struct etw_update *a, const struct etw_update *b)
{
	return a->scope == b->scope && a->group == b->group &&
	       a->group_scope == b->group_scope &&
	       a->left_out == b->left_out &&
	       (!a->scope || a->reg->entry == b->reg->entry);
}

/*
 * What the notice tells of filters: as far as possible what others of this change
 * tell, so that there are few chains, whoever registers in which order.  Of a
 * session that has two, one: a provider tells them apart by their sessions.
 */
static int add_filter_data(struct etw_update *u, const struct enablers *enablers, gfp_t gfp)
{
	const struct etw_filter_data *links[ETW_PROVIDER_SESSIONS], *data;
	struct etw_update *told = u->told;
	const struct enabler *e;
	u32 i, n = 0;

	for (i = 0; told && i < TOLD_LOOKS; i++, told = told->other) {
		if (!same_filters(told, u))
			continue;
		u->notice->filter = etw_filter_data_get(told->notice->filter);
		return 0;
	}
	u->other = u->told;
	u->told = u;
	for (i = 0; i < enablers->count; i++) {
		e = &enablers->list[i];
		data = e->own ? e->own->data : NULL;
		if (!data && e->group)
			data = e->group->data;
		if (data)
			links[n++] = data;
	}
	return etw_filter_data_chain(links, n, gfp, &u->notice->filter);
}

static void fill(struct etw_update *u, struct etw_snapshot_entry *to,
		 const struct etw_enablement *slot)
{
	to->filter = slot->filter;
	to->session = slot->session;
	to->events = slot->events;
	u->snapshot->shared |= slot->session->shared;
	u->snapshot->choosy |= slot->events || slot->session->shared ||
			       slot->property & ETW_ENABLE_ITEMS;
	etw_filter_merge(&u->composite, &slot->filter);
}

/*
 * Fill u->snapshot and u->composite, and its notice with filters.  u is the last
 * of updates.
 */
int etw_snapshot_build(struct list_head *updates, struct etw_update *u, gfp_t gfp)
{
	struct etw_snapshot *snapshot;
	struct etw_update *before = list_prev_entry(u, node);
	struct enablers enablers;
	u32 i;

	lockdep_assert_held(&etw_control);
	u->told = &before->node == updates ? NULL : before->told;
	u->left_out = left_out(u->reg, u->group, u->group_scope);
	find(&enablers, u->reg, u->scope, u->group, u->group_scope & ~u->left_out);
	if (!enablers.count)
		return 0;
	if (u->notice && add_filter_data(u, &enablers, gfp))
		return -ENOMEM;
	snapshot = kzalloc(struct_size(snapshot, entries, enablers.count + enablers.both), gfp);
	if (!snapshot)
		return -ENOMEM;
	u->snapshot = snapshot;
	snapshot->count = enablers.count;
	snapshot->traits = u->traits;
	snapshot->types = u->types;
	snapshot->choosy = enablers.both;
	for (i = 0; i < enablers.count; i++) {
		const struct enabler *e = &enablers.list[i];

		fill(u, &snapshot->entries[i], e->own ?: e->group);
		u->composite.sessions |= e->bit;
		if (!e->own || !e->group)
			continue;
		fill(u, &snapshot->entries[enablers.count + snapshot->also], e->group);
		snapshot->also_of[snapshot->also++] = i;
	}
	snapshot->special = u->traits || u->types || snapshot->choosy;
	return 0;
}

/* Bit i: enabled by the session with logger id i + 1. */
u64 etw_registration_sessions(const struct etw_registration *reg)
{
	struct enablers enablers;
	u64 mask = 0;
	u32 i;

	lockdep_assert_held(&etw_control);
	find(&enablers, reg, reg->scope, reg->group,
	     reg->group_scope & ~left_out(reg, reg->group, reg->group_scope));
	for (i = 0; i < enablers.count; i++) {
		const struct enabler *e = &enablers.list[i];

		mask |= BIT_ULL((e->own ?: e->group)->session->logger_id - 1);
	}
	return mask;
}
