/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ioctl_provider.h - what the commands of providers and of groups share
 */
#ifndef ETW_CONTROL_IOCTL_PROVIDER_H
#define ETW_CONTROL_IOCTL_PROVIDER_H

#include "provider/capture.h"
#include "provider/provider.h"

/* An array that a query fills under etw_control and copies out afterwards. */
struct etw_query_array {
	void *items;
	u32 room;
};

bool etw_query_array_again(struct etw_query_array *array, long *err, u32 want, size_t size);
bool etw_entry_in_use(const struct etw_guid_entry *entry);
long etw_enum_guids(const struct hlist_head *table, struct etw_provider_enum *e);
void etw_describe_reg(struct etw_provider_reg *out, const struct etw_registration *reg,
		      u64 visible);
u32 etw_describe_enables(struct etw_provider_enable *out, const struct etw_guid_entry *entry,
			 u64 visible);

void etw_ioctl_capture(u64 session, struct etw_forwarders which);
bool etw_may_see_addresses(void);

#endif /* ETW_CONTROL_IOCTL_PROVIDER_H */
