/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * groups.h - exclude providers from the groups that a session enables
 */
#ifndef ETW_PROVIDER_GROUPS_H
#define ETW_PROVIDER_GROUPS_H

#include "enabler.h"

int etw_group_disallow(struct etw_enabler *session, struct etw_disallowed **list);

#endif /* ETW_PROVIDER_GROUPS_H */
