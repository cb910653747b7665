// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * access.c - reading an access list
 */
#include "core/access.h"

#define CAPABILITY_PERFMON	38	/* CAP_PERFMON, since 5.8 */

const struct etw_access_entry etw_access_builtin[ETW_ACCESS_BUILTIN] = {
	{ .type = ETW_ACCESS_ALLOW, .who = ETW_ACCESS_EVERYONE,
	  .rights = ETW_RIGHT_REGISTER_GUIDS | ETW_RIGHT_LOG_EVENT | ETW_RIGHT_JOIN_GROUP },
	{ .type = ETW_ACCESS_ALLOW, .who = ETW_ACCESS_CAPABILITY, .id = CAPABILITY_PERFMON,
	  .rights = ETW_RIGHT_ALL },
};

/* Is the entry valid? */
bool etw_access_entry_ok(const struct etw_access_entry *entry)
{
	if (entry->type > ETW_ACCESS_DENY || entry->reserved)
		return false;
	if (!entry->rights || entry->rights & ~ETW_RIGHT_VALID)
		return false;
	switch (entry->who) {
	case ETW_ACCESS_EVERYONE:
		return !entry->id;
	case ETW_ACCESS_USER:
	case ETW_ACCESS_GROUP:
		return entry->id != (u32)-1;	/* no user or group has it */
	case ETW_ACCESS_CAPABILITY:
		return entry->id <= ETW_CAPABILITY_MAX;
	default:
		return false;
	}
}

/* Does the list grant the caller all of these rights? */
bool etw_access_grants(const struct etw_access_entry *list, u32 count, u32 rights,
		       etw_access_is_fn is, const void *context)
{
	const struct etw_access_entry *entry;

	for (entry = list; rights && entry < list + count; entry++) {
		if (!(entry->rights & rights) || !is(entry, context))
			continue;
		if (entry->type == ETW_ACCESS_DENY)
			return false;
		rights &= ~entry->rights;
	}
	return !rights;
}
