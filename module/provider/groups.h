/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * groups.h - exclude providers from the groups that a session enables
 */
#ifndef ETW_PROVIDER_GROUPS_H
#define ETW_PROVIDER_GROUPS_H

#include "enabler.h"

struct etw_memory;

int etw_group_disallow(struct etw_enabler *session, struct etw_disallowed **list,
		       struct etw_memory *memory);

#endif /* ETW_PROVIDER_GROUPS_H */
