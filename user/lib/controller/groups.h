/* SPDX-License-Identifier: MIT */
/*
 * groups.h - provider groups, for EnumerateTraceGuidsEx, TraceSetInformation and
 * TraceQueryInformation
 *
 * All return a Win32 code unless it says otherwise.  Those that fill a buffer of size bytes set *needed,
 * if it is not NULL, to the bytes that there are; if they are more than size it
 * is ERROR_INSUFFICIENT_BUFFER and the buffer has nothing.
 */
#ifndef ETW_LIB_CONTROLLER_GROUPS_H
#define ETW_LIB_CONTROLLER_GROUPS_H

#include <evntrace.h>
#include "device/kdev.h"

/*
 * Class TraceSetDisallowList: an array of GUIDs, size bytes, takes the place of
 * the session's list; none empties it.  ERROR_INVALID_PARAMETER: more than 1,024.
 */
ULONG etw_groups_disallow(TRACEHANDLE session, const void *guids, ULONG size);

/* Class TraceDisallowListQuery: that list */
ULONG etw_groups_disallowed(TRACEHANDLE session, void *guids, ULONG size, ULONG *needed);

/* Class TraceGroupQueryList: GUIDs of all groups that have members or are enabled */
ULONG etw_groups_list(void *guids, ULONG size, ULONG *needed);

/* A group: its members, and the sessions that enabled it */
struct etw_group {
	struct etw_group_member *members;
	struct etw_provider_enable *enables;
	uint32_t member_count;
	uint32_t enable_count;
};

/*
 * For class TraceGroupQueryInfo, which tells of a group as TraceGuidQueryInfo
 * does of a provider.  ERROR_WMI_GUID_NOT_FOUND: there is no such group.  Hand
 * the result to etw_group_free(), but not after a failure.
 */
ULONG etw_group_query(const GUID *guid, struct etw_group *group);
/* The same on an open device: 0 or a negative errno, -ESRCH: no such group. */
int etw_group_look(int fd, const struct etw_guid *guid, struct etw_group *group);
void etw_group_free(struct etw_group *group);

#endif /* ETW_LIB_CONTROLLER_GROUPS_H */
