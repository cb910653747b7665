// SPDX-License-Identifier: GPL-2.0-only
/*
 * enable_snapshot.c - build the snapshot of sessions that writers read
 *
 * A session may have enabled the provider, its group, or both; it counts once.  A
 * registration has at most eight sessions: first those that enabled the provider
 * itself, then those that enabled its group, in the order of their slots.  A ninth
 * session is added when another one leaves.
 *
 * All under etw_control; change.c publishes the snapshot.
 */
#include <linux/slab.h>

#include "core/enable_entry.h"
#include "enable_snapshot.h"
#include "filter_data.h"
#include "write/extended_items.h"

/* How a session has enabled a registration; at least one is not NULL. */
struct source {
	const struct etw_enablement *own;
	const struct etw_enablement *group;
	u8 bit;				/* in the enable area */
};

struct sources {
	struct source list[ETW_PROVIDER_SESSIONS];
	u32 count;
	u32 both;			/* how many have both */
};

static void add_own(struct sources *to, const struct etw_enablement *slots, u8 scope)
{
	u32 i;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		if (slots[i].session && scope & BIT(i))
			to->list[to->count++] = (struct source){ .own = &slots[i], .bit = BIT(i) };
}

static void add_group(struct sources *to, const struct etw_enablement *slot)
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
		to->list[to->count++] = (struct source){ .group = slot, .bit = ~used & (used + 1) };
}

/* Return the slots of group_scope whose session disallows reg. */
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

/* group_scope: without the slots whose session disallows reg. */
static void sources_find(struct sources *to, const struct etw_registration *reg, u8 scope,
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

/*
 * What a process sees of a registration that is refused: it is to write everything, and
 * each write fails.  It says nothing about sessions.
 */
static const struct etw_enable_entry refused_entry = {
	.enabled = 1, .level = U8_MAX, .keyword0 = 1, .any = U64_MAX,
};

#define FILTER_TRIES	16	/* updates that are compared for the same filters */

/* Do both get the same filters?  Without a scope the GUID does not matter. */
static bool same_filters(const struct etw_update *a, const struct etw_update *b)
{
	return a->scope == b->scope && a->group == b->group &&
	       a->group_scope == b->group_scope &&
	       a->left_out == b->left_out &&
	       (!a->scope || a->reg->entry == b->reg->entry);
}

/*
 * Add the filters for the callback.  Registrations of one change that get the same filters
 * share a chain, so there are few chains whatever the order of registrations.  A callback
 * distinguishes filters by session, so a session adds only one: that for the provider if
 * there is one, else that for its group.
 */
static void add_filter_data(struct etw_update *u, const struct sources *sources,
			    struct etw_memory *memory)
{
	const struct etw_filter_data *links[ETW_PROVIDER_SESSIONS], *data;
	struct etw_update *other = u->filter_head;
	const struct source *e;
	u32 i, n = 0;

	for (i = 0; other && i < FILTER_TRIES; i++, other = other->filter_next) {
		if (!same_filters(other, u))
			continue;
		u->filter = etw_filter_data_get(other->filter);
		return;
	}
	u->filter_next = u->filter_head;
	u->filter_head = u;
	for (i = 0; i < sources->count; i++) {
		e = &sources->list[i];
		data = e->own ? e->own->data : NULL;
		if (!data && e->group)
			data = e->group->data;
		if (data)
			links[n++] = data;
	}
	etw_filter_data_chain(links, n, memory, &u->filter);
}

static void snapshot_fill(struct etw_update *u, struct etw_snapshot_entry *to,
		 const struct etw_enablement *slot)
{
	to->filter = slot->filter;
	to->session = slot->session->hot;
	to->events = slot->events;
	to->scope = u->reg->of_system ? slot->scope : NULL;
	u->snapshot->shared |= slot->session->hot->shared;
	u->snapshot->filtered |= slot->events || slot->session->hot->shared ||
				 slot->property & ETW_ENABLE_ITEMS;
	etw_filter_merge(&u->composite, &slot->filter);
}

static void want_keywords(struct etw_snapshot *snapshot, const struct etw_snapshot_entry *entry)
{
	const struct etw_enable_entry *filter = &entry->filter;
	u32 level, highest;

	for (level = 0; level < ETW_SNAPSHOT_LEVELS; level++) {
		highest = level == ETW_SNAPSHOT_LEVELS - 1 ? U8_MAX : level;
		if (level <= filter->level)
			snapshot->some_want[level] |= filter->any;
		if (highest > filter->level || filter->all || entry->events)
			snapshot->all_want[level] = 0;
		else
			snapshot->all_want[level] &= filter->any;
	}
}

/* Combine what the entries select by level and keyword. */
static void combine_keywords(struct etw_snapshot *snapshot)
{
	u32 i;

	memset(snapshot->all_want, 0xff, sizeof(snapshot->all_want));
	for (i = 0; i < snapshot->count + snapshot->group_entries; i++)
		want_keywords(snapshot, &snapshot->entries[i]);
}

/* Does the only session ask for some events with their stacks, and for no other items? */
static bool selects_stacks(const struct etw_snapshot *snapshot, u32 items)
{
	return snapshot->count == 1 && items == ETW_ENABLE_STACK_TRACE &&
	       snapshot->entries[0].events && !snapshot->types && !snapshot->traits;
}

/* As way_of(), for one session that asks for no items. */
static enum etw_way way_of_one(const struct etw_snapshot *snapshot, bool tsc)
{
	const struct etw_event_filter *filter = snapshot->entries[0].events;

	if (!filter || !filter->payload)
		return tsc && !snapshot->filtered ? ETW_WAY_ONE : ETW_WAY_IDS;
	return tsc && filter->payload->short_enough && !etw_ids_given(&filter->ids) ?
	       ETW_WAY_NUMBER : ETW_WAY_FILTERED;
}

static enum etw_way way_of(const struct etw_snapshot *snapshot)
{
	bool plain = !snapshot->shared && !snapshot->group_entries, tsc = true;
	u32 i, items = 0;

	for (i = 0; i < snapshot->count; i++) {
		items |= snapshot->entries[i].filter.properties & ETW_ENABLE_ITEMS;
		tsc = tsc && READ_ONCE(snapshot->entries[i].session->clock) == ETW_SOURCE_TSC;
	}
	/* Elsewhere a driver's memory is read by functions that can be traced: see plain.h. */
	if (!plain || !IS_ENABLED(CONFIG_X86_64))
		return ETW_WAY_GENERAL;
	if (items)
		return selects_stacks(snapshot, items) ? ETW_WAY_STACK : ETW_WAY_GENERAL;
	if (snapshot->types || snapshot->traits)
		return tsc && snapshot->types && !(snapshot->traits && snapshot->traits->has_decode) ?
		       ETW_WAY_TYPED : ETW_WAY_GENERAL;
	return snapshot->count > 1 ? ETW_WAY_SEVERAL : way_of_one(snapshot, tsc);
}

/*
 * Fill in u->snapshot, u->composite and u->filter.  u is the last of updates.  If memory lacks
 * something, the change cannot be applied.
 */
void etw_snapshot_build(struct list_head *updates, struct etw_update *u,
			struct etw_memory *memory)
{
	struct etw_snapshot *snapshot;
	struct etw_update *before = list_prev_entry(u, node);
	struct sources sources;
	u32 i;

	lockdep_assert_held(&etw_control);
	u->filter_head = &before->node == updates ? NULL : before->filter_head;
	u->left_out = left_out(u->reg, u->group, u->group_scope);
	sources_find(&sources, u->reg, u->scope, u->group, u->group_scope & ~u->left_out);
	if (u->refused)
		u->composite = refused_entry;
	if (!sources.count)
		return;
	if (u->notify)
		add_filter_data(u, &sources, memory);
	i = sources.count + sources.both;
	snapshot = etw_memory_take(memory, struct_size(snapshot, entries, i));
	if (!snapshot)
		return;
	u->snapshot = snapshot;
	snapshot->count = sources.count;
	snapshot->traits = u->traits;
	snapshot->types = u->types;
	snapshot->one_event = u->reg->one_event;
	snapshot->filtered = sources.both;
	for (i = 0; i < sources.count; i++) {
		const struct source *e = &sources.list[i];

		snapshot_fill(u, &snapshot->entries[i], e->own ?: e->group);
		u->composite.sessions |= e->bit;
		if (!e->own || !e->group)
			continue;
		snapshot_fill(u, &snapshot->entries[sources.count + snapshot->group_entries], e->group);
		snapshot->group_entry_session[snapshot->group_entries++] = i;
	}
	snapshot->slow_path = u->traits || u->types || snapshot->filtered;
	snapshot->way = way_of(snapshot);
	combine_keywords(snapshot);
}

/* The sessions that enabled reg; bit i: the session with logger id i + 1. */
u64 etw_registration_sessions(const struct etw_registration *reg)
{
	struct sources sources;
	u64 mask = 0;
	u32 i;

	lockdep_assert_held(&etw_control);
	sources_find(&sources, reg, reg->scope, reg->group,
	     reg->group_scope & ~left_out(reg, reg->group, reg->group_scope));
	for (i = 0; i < sources.count; i++) {
		const struct source *e = &sources.list[i];

		mask |= BIT_ULL((e->own ?: e->group)->session->hot->logger_id - 1);
	}
	return mask;
}
