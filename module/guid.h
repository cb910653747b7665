/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guid.h - comparing GUIDs
 */
#ifndef ETW_GUID_COMPARE_H
#define ETW_GUID_COMPARE_H

#include <linux/string.h>
#include <etw/abi.h>

static inline bool etw_guid_is_null(const struct etw_guid *guid)
{
	return !memchr_inv(guid, 0, sizeof(*guid));
}

static inline bool etw_guid_equal(const struct etw_guid *a, const struct etw_guid *b)
{
	return !memcmp(a, b, sizeof(*a));
}

#endif /* ETW_GUID_COMPARE_H */
