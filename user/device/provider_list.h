/* SPDX-License-Identifier: MIT */
/*
 * provider_list.h - read the kernel's lists of providers
 *
 * Results are malloc()ed and owned by the caller. All functions return 0 or a negative
 * errno.
 */
#ifndef ETW_DEVICE_PROVIDER_LIST_H
#define ETW_DEVICE_PROVIDER_LIST_H

#include <stdint.h>

#include "kdev.h"

/* Every GUID that is registered or enabled. */
int etw_provider_list_guids(int fd, struct etw_guid **guids, uint32_t *count);

struct etw_provider_list {
	struct etw_provider_reg *regs;
	struct etw_provider_enable *enables;
	uint32_t reg_count;
	uint32_t enable_count;
};

/* One provider; -ESRCH: neither registered nor enabled. */
int etw_provider_list_provider(int fd, const struct etw_guid *guid, struct etw_provider_list *look);
void etw_provider_list_free(struct etw_provider_list *look);

#endif /* ETW_DEVICE_PROVIDER_LIST_H */
