/* SPDX-License-Identifier: MIT */
/*
 * provider_list.h - read the kernel's lists of providers and groups
 *
 * The lists are malloc()ed and owned by the caller. Functions return 0 or a negative
 * errno.
 */
#ifndef ETW_DEVICE_PROVIDER_LIST_H
#define ETW_DEVICE_PROVIDER_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "kdev.h"

/*
 * GUIDs; fill: etw_kdev_provider_enum() for those that are registered or enabled,
 * etw_kdev_group_enum() for groups that have members or are enabled.
 */
int etw_provider_guids(int fd, int (*fill)(int fd, struct etw_provider_enum *list),
		       struct etw_guid **guids, uint32_t *count);

struct etw_provider {
	struct etw_guid guid;
	char name[ETW_NAME_MAX + 1];	/* empty: no registration gave one */
	struct etw_provider_reg *regs;
	struct etw_provider_enable *enables;
	uint32_t reg_count;
	uint32_t enable_count;
};

/* One provider; -ESRCH: neither registered nor enabled. */
int etw_provider_query(int fd, const struct etw_guid *guid, struct etw_provider *provider);
void etw_provider_free(struct etw_provider *provider);
/* Has a kernel module registered it? Processes may have, too: anybody may, under any name. */
bool etw_provider_is_of_kernel(const struct etw_provider *provider);

/* A group: its members, and the sessions that enable it */
struct etw_group {
	struct etw_group_member *members;
	struct etw_provider_enable *enables;
	uint32_t member_count;
	uint32_t enable_count;
};

/* -ESRCH: no such group. */
int etw_group_query(int fd, const struct etw_guid *guid, struct etw_group *group);
void etw_group_free(struct etw_group *group);

#endif /* ETW_DEVICE_PROVIDER_LIST_H */
