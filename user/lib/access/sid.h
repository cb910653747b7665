/* SPDX-License-Identifier: MIT */
/*
 * sid.h - convert SIDs to access entries and back
 */
#ifndef ETW_LIB_ACCESS_SID_H
#define ETW_LIB_ACCESS_SID_H

#include <stdint.h>

#include <etw/abi.h>
#include <etw/winsec.h>

#define ETW_LOG_GROUP	"etw"	/* Performance Log Users */

/* Set who and id of the entry: ERROR_INVALID_PARAMETER, ERROR_NONE_MAPPED. */
ULONG etw_sid_to_entry(const void *sid, struct etw_access_entry *entry);
/* Write the SID for the entry's user, group or capability; returns its length in bytes. */
uint32_t etw_sid_of_entry(const struct etw_access_entry *entry,
			  unsigned char sid[SECURITY_MAX_SID_SIZE]);

#endif /* ETW_LIB_ACCESS_SID_H */
