/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * enable.h - enable and disable providers for sessions
 */
#ifndef ETW_PROVIDER_ENABLE_H
#define ETW_PROVIDER_ENABLE_H

#include "provider.h"

struct etw_memory;
struct etw_missed;
struct etw_waiter;

int etw_provider_enable(struct etw_enable_request *req, struct etw_waiter *waiter,
			struct etw_memory *memory);
int etw_provider_session_stopped(struct etw_enabler *session, struct etw_memory *memory);
int etw_enable_registration(struct etw_registration *reg, struct etw_memory *memory);
void etw_disable_registration(struct etw_registration *reg);
struct etw_missed *etw_enable_missed(const struct etw_guid *guid, const struct etw_enabler *s);
u64 etw_enabled_since(const struct etw_guid *guid, u64 *order);
bool etw_enabled_by(const struct etw_guid_entry *entry, const struct etw_registration *reg,
		    const struct etw_enabler *s);
u8 etw_entry_new_scope(const struct etw_guid_entry *entry, const struct etw_registration *reg);

#endif /* ETW_PROVIDER_ENABLE_H */
