/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log_rights.h - check which registrations may write, and to which SECURE sessions
 */
#ifndef ETW_PROVIDER_LOG_RIGHTS_H
#define ETW_PROVIDER_LOG_RIGHTS_H

#include "provider.h"

struct etw_memory;

bool etw_may_log(const struct etw_enabler *session, const struct etw_registration *reg);
bool etw_guid_reserved(const struct etw_guid *guid, const struct cred *cred);
int etw_log_rights_apply(struct etw_memory *memory);
int etw_log_rights_guid_changed(const struct etw_guid *guid, struct etw_memory *memory,
				bool *any);

#endif /* ETW_PROVIDER_LOG_RIGHTS_H */
