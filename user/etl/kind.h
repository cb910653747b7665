/* SPDX-License-Identifier: MIT */
/*
 * kind.h - what a record counts as in the summaries of all commands
 */
#ifndef ETW_ETL_KIND_H
#define ETW_ETL_KIND_H

#include <stdbool.h>
#include <string.h>
#include <etw/format.h>
#include "record.h"

enum etw_kind {
	ETW_KIND_EVENT,		/* of a provider */
	ETW_KIND_PROCESS,	/* of Etw-Process, which names processes for the other events */
	ETW_KIND_TRACE,		/* about the trace: a file's header, a loss, a piece of a schema */
};

enum etw_kind etw_kind_of(const struct etw_record_view *record);

/* Did Etw-Process write it, in the kernel? */
static inline bool etw_kind_names_process(const struct etw_event_header *header)
{
	static const struct etw_guid guid = ETW_PROCESS_GUID;

	return !memcmp(&header->provider, &guid, sizeof(guid)) &&
	       header->flags & ETW_EVENT_KERNEL_MODE;
}

/* Is it a piece of an embedded schema? */
static inline bool etw_kind_is_schema(const struct etw_event_header *header)
{
	return (header->type == ETW_TYPE_EVENT64 || header->type == ETW_TYPE_EVENT32) &&
	       header->desc.id == 0xFFFE && header->desc.opcode == 0xFE &&
	       header->desc.task == 0xFFFE;
}

#endif /* ETW_ETL_KIND_H */
