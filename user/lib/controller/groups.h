/* SPDX-License-Identifier: MIT */
/*
 * groups.h - provider groups, for EnumerateTraceGuidsEx, TraceSetInformation and
 * TraceQueryInformation
 *
 * All functions return a Win32 code unless stated otherwise. Functions that fill a
 * buffer of size bytes set *needed, if it is not NULL, to the number of bytes
 * available; if that exceeds size, they return ERROR_INSUFFICIENT_BUFFER and leave the
 * buffer empty.
 */
#ifndef ETW_LIB_CONTROLLER_GROUPS_H
#define ETW_LIB_CONTROLLER_GROUPS_H

#include <evntrace.h>
#include "device/kdev.h"

/*
 * Class TraceSetDisallowList: an array of GUIDs, size bytes, replaces the session's
 * list; an empty array empties it. ERROR_INVALID_PARAMETER: more than 1,024.
 */
ULONG etw_groups_disallow(TRACEHANDLE session, const void *guids, ULONG size);

/* Class TraceDisallowListQuery: query that list */
ULONG etw_groups_disallowed(TRACEHANDLE session, void *guids, ULONG size, ULONG *needed);

/* Class TraceGroupQueryList: GUIDs of all groups that have members or are enabled */
ULONG etw_groups_list(void *guids, ULONG size, ULONG *needed);

/* A group: its members, and the sessions that enable it */
struct etw_group {
	struct etw_group_member *members;
	struct etw_provider_enable *enables;
	uint32_t member_count;
	uint32_t enable_count;
};

/*
 * For class TraceGroupQueryInfo, which describes a group as TraceGuidQueryInfo does a
 * provider. ERROR_WMI_GUID_NOT_FOUND: there is no such group. On success, free the
 * result with etw_group_free().
 */
ULONG etw_group_query(const GUID *guid, struct etw_group *group);
/* The same on an open device: 0 or a negative errno, -ESRCH: no such group. */
int etw_group_look(int fd, const struct etw_guid *guid, struct etw_group *group);
void etw_group_free(struct etw_group *group);

#endif /* ETW_LIB_CONTROLLER_GROUPS_H */
