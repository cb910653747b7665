// SPDX-License-Identifier: GPL-2.0-only
/*
 * guid_table.c - the GUIDs that are registered or enabled, and those of groups
 *
 * Two tables, for the two sorts of GUIDs have nothing to do with each other.  An
 * entry is there as long as somebody has it registered, is a member of it, or has
 * it enabled.
 *
 * All under etw_control.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/slab.h>

#include "alloc.h"
#include "provider.h"
#include "session/session.h"

DEFINE_HASHTABLE(etw_guids, ETW_GUID_BITS);
DEFINE_HASHTABLE(etw_groups, ETW_GUID_BITS);

static struct hlist_head *bucket(struct hlist_head *table, const struct etw_guid *guid)
{
	return &table[hash_32(jhash(guid, sizeof(*guid), 0), ETW_GUID_BITS)];
}

static struct etw_guid_entry *find(struct hlist_head *table, const struct etw_guid *guid)
{
	struct etw_guid_entry *entry;

	lockdep_assert_held(&etw_control);
	hlist_for_each_entry(entry, bucket(table, guid), node)
		if (!memcmp(&entry->guid, guid, sizeof(*guid)))
			return entry;
	return NULL;
}

static struct etw_guid_entry *get(struct hlist_head *table, const struct etw_guid *guid)
{
	struct etw_guid_entry *entry = find(table, guid);

	if (entry)
		return entry;
	entry = kzalloc(sizeof(*entry), ETW_GFP);
	if (!entry)
		return NULL;
	entry->guid = *guid;
	entry->is_group = table == etw_groups;
	INIT_LIST_HEAD(&entry->regs);
	hlist_add_head(&entry->node, bucket(table, guid));
	return entry;
}

struct etw_guid_entry *etw_guid_find(const struct etw_guid *guid)
{
	return find(etw_guids, guid);
}

struct etw_guid_entry *etw_group_find(const struct etw_guid *guid)
{
	return find(etw_groups, guid);
}

/* The entry, made if need be; NULL: no memory.  etw_guid_put() it. */
struct etw_guid_entry *etw_guid_get(const struct etw_guid *guid)
{
	return get(etw_guids, guid);
}

struct etw_guid_entry *etw_group_get(const struct etw_guid *guid)
{
	return get(etw_groups, guid);
}

/* Free the entry if nobody needs it any more. */
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

/* The slot that the session has, or NULL: a free one; -1: there is none. */
int etw_entry_slot(const struct etw_guid_entry *entry, const struct etw_trace_session *s)
{
	int i;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		if (entry->slots[i].session == s)
			return i;
	return -1;
}
