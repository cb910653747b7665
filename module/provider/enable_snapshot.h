/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * enable_snapshot.h - build the snapshot of sessions that writers read
 */
#ifndef ETW_PROVIDER_ENABLE_SNAPSHOT_H
#define ETW_PROVIDER_ENABLE_SNAPSHOT_H

#include "alloc.h"
#include "change.h"

void etw_snapshot_build(struct list_head *updates, struct etw_update *u,
			struct etw_memory *memory);
u64 etw_registration_sessions(const struct etw_registration *reg);

#endif /* ETW_PROVIDER_ENABLE_SNAPSHOT_H */
