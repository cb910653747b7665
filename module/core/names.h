/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * names.h - filters by the names of TraceLogging events
 *
 * A filter is compiled when a session enables the provider: its names go into a hash
 * table, so that an event costs one hash and usually one comparison.  Whole names are
 * compared, as bytes.
 *
 * Source: Microsoft's EVENT_FILTER_EVENT_NAME page.
 */
#ifndef ETW_CORE_NAMES_H
#define ETW_CORE_NAMES_H

#include "core/port.h"
#include <etw/abi.h>

/* Made by etw_names_compile() in memory of the caller. */
struct etw_event_names {
	struct etw_enable_entry judged;	/* events that the filter applies to */
	bool in;			/* these names pass; else all others do */
	u32 mask;			/* entries of the table, less 1 */
	u32 text;			/* index of the first byte of text in table */
	u16 table[];			/* offset of a name, from 1; 0: free */
};

size_t etw_names_size(const void *filter, u32 len);
void etw_names_compile(struct etw_event_names *to, const void *filter, u32 len);
bool etw_names_pass(const struct etw_event_names *names,
		    const struct etw_event_descriptor *desc,
		    const void *schema, u32 schema_len);

#endif /* ETW_CORE_NAMES_H */
