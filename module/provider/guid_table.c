// SPDX-License-Identifier: GPL-2.0-only
/*
 * guid_table.c - the tables of provider GUIDs and group GUIDs
 *
 * There are two tables, because a group and a provider with equal GUIDs are unrelated.  An
 * entry exists while a registration has the GUID or is a member of the group, or a session
 * has it enabled.
 *
 * All under etw_control.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "alloc.h"
#include "guid_table.h"

DEFINE_HASHTABLE(etw_guids, ETW_GUID_BITS);
DEFINE_HASHTABLE(etw_groups, ETW_GUID_BITS);

/* Programs choose GUIDs: without it they could put all of them into one bucket. */
static u32 guid_seed __ro_after_init;

void __init etw_guid_table_init(void)
{
	guid_seed = get_random_u32();
}

static struct hlist_head *guid_bucket(struct hlist_head *table, const struct etw_guid *guid)
{
	return &table[hash_32(jhash(guid, sizeof(*guid), guid_seed), ETW_GUID_BITS)];
}

static struct etw_guid_entry *guid_find(struct hlist_head *table, const struct etw_guid *guid)
{
	struct etw_guid_entry *entry;

	lockdep_assert_held(&etw_control);
	hlist_for_each_entry(entry, guid_bucket(table, guid), node)
		if (etw_guid_equal(&entry->guid, guid))
			return entry;
	return NULL;
}

static struct etw_guid_entry *guid_get(struct hlist_head *table, const struct etw_guid *guid,
				       struct etw_memory *memory)
{
	struct etw_guid_entry *entry = guid_find(table, guid);

	if (entry)
		return entry;
	entry = etw_memory_take(memory, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->guid = *guid;
	entry->is_group = table == etw_groups;
	INIT_LIST_HEAD(&entry->regs);
	hlist_add_head(&entry->node, guid_bucket(table, guid));
	return entry;
}

struct etw_guid_entry *etw_guid_find(const struct etw_guid *guid)
{
	return guid_find(etw_guids, guid);
}

struct etw_guid_entry *etw_group_find(const struct etw_guid *guid)
{
	return guid_find(etw_groups, guid);
}

/* Find the entry or make it; NULL: memory lacks it.  Undo: etw_guid_put(). */
struct etw_guid_entry *etw_guid_get(const struct etw_guid *guid, struct etw_memory *memory)
{
	return guid_get(etw_guids, guid, memory);
}

struct etw_guid_entry *etw_group_get(const struct etw_guid *guid, struct etw_memory *memory)
{
	return guid_get(etw_groups, guid, memory);
}

/* Free the entry if it has neither registrations nor sessions. */
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

/* Find the session's slot, or a free slot if s is NULL; -1: there is none. */
int etw_entry_slot(const struct etw_guid_entry *entry, const struct etw_enabler *s)
{
	int i;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		if (entry->slots[i].session == s)
			return i;
	return -1;
}
