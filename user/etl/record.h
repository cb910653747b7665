/* SPDX-License-Identifier: MIT */
/*
 * record.h - records of every kind that a file may hold
 */
#ifndef ETW_ETL_RECORD_H
#define ETW_ETL_RECORD_H

#include "core/classic.h"

/* Low byte of a record's type word; the high byte is 0xC0 */
#define ETW_ETL_SYSTEM32	1
#define ETW_ETL_SYSTEM64	2
#define ETW_ETL_COMPACT32	3
#define ETW_ETL_COMPACT64	4
#define ETW_ETL_FULL32		10
#define ETW_ETL_INSTANCE32	11
#define ETW_ETL_ERROR		13
#define ETW_ETL_MESSAGE		15
#define ETW_ETL_PERFINFO32	16
#define ETW_ETL_PERFINFO64	17
#define ETW_ETL_EVENT32		18
#define ETW_ETL_EVENT64		19
#define ETW_ETL_FULL64		20
#define ETW_ETL_INSTANCE64	21

/*
 * As etw_record_any(), for the kernel logger's records as well (SYSTEM, COMPACT,
 * PERFINFO): they become events of the class that their hook id's group means, whose
 * type is the opcode; desc.task is the hook id itself.  A group that nobody knows
 * has a GUID of zeros but for the hook id in its first word.  Records of other types
 * (ERROR, MESSAGE with the common mark) become events of no provider with all their bytes as payload.
 */
int etw_etl_record(const void *buf, uint32_t end, uint32_t *offset,
		   struct etw_record_view *view, struct etw_classic_view *classic);

/* The class of a hook id; false: not known, *guid is made of it. */
bool etw_etl_class(uint16_t hook, struct etw_guid *guid);

/* Was a record of this type written where pointers have 4 bytes? */
bool etw_etl_type_is_32(uint8_t type);

#endif /* ETW_ETL_RECORD_H */
