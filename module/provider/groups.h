/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * groups.h - provider groups: what their commands share with a provider's
 */
#ifndef ETW_GROUPS_H
#define ETW_GROUPS_H

#include "provider.h"

#define etw_group_for_each(bucket, group)				\
	hash_for_each(etw_groups, bucket, group, node)

/* ioctl_provider.c */
long etw_enum_guids(const struct hlist_head *table, struct etw_provider_enum *e);
void etw_describe_reg(struct etw_provider_reg *out, const struct etw_registration *reg,
		      u64 visible);
u32 etw_describe_enables(struct etw_provider_enable *out, const struct etw_guid_entry *entry,
			 u64 visible);

#endif /* ETW_GROUPS_H */
