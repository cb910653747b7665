/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * access.h - reading an access list; what lists mean: etw/abi_access.h
 */
#ifndef ETW_CORE_ACCESS_H
#define ETW_CORE_ACCESS_H

#include "core/port.h"
#include <etw/abi_access.h>

#define ETW_CAPABILITY_MAX	63	/* a number that a capability can have */

/* Does the entry name the caller, who is described by context? */
typedef bool (*etw_access_is_fn)(const struct etw_access_entry *entry, const void *context);

/* The default list where the GUID of the default has none. */
#define ETW_ACCESS_BUILTIN	2
extern const struct etw_access_entry etw_access_builtin[ETW_ACCESS_BUILTIN];

bool etw_access_entry_ok(const struct etw_access_entry *entry);
bool etw_access_grants(const struct etw_access_entry *list, u32 count, u32 rights,
		       etw_access_is_fn is, const void *context);

#endif /* ETW_CORE_ACCESS_H */
