/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guid_table.h - the tables of GUIDs
 */
#ifndef ETW_PROVIDER_GUID_TABLE_H
#define ETW_PROVIDER_GUID_TABLE_H

#include <linux/hashtable.h>

#include "provider.h"

struct etw_memory;

#define ETW_GUID_BITS	8

extern struct hlist_head etw_guids[1 << ETW_GUID_BITS];
extern struct hlist_head etw_groups[1 << ETW_GUID_BITS];

#define etw_guid_for_each(bucket, entry)				\
	hash_for_each(etw_guids, bucket, entry, node)

#define etw_group_for_each(bucket, group)				\
	hash_for_each(etw_groups, bucket, group, node)

void etw_guid_table_init(void);
struct etw_guid_entry *etw_guid_find(const struct etw_guid *guid);
struct etw_guid_entry *etw_guid_get(const struct etw_guid *guid, struct etw_memory *memory);
struct etw_guid_entry *etw_group_find(const struct etw_guid *guid);
struct etw_guid_entry *etw_group_get(const struct etw_guid *guid, struct etw_memory *memory);
void etw_guid_put(struct etw_guid_entry *entry);
int etw_entry_slot(const struct etw_guid_entry *entry, const struct etw_enabler *session);

#endif /* ETW_PROVIDER_GUID_TABLE_H */
