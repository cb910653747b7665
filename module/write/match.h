/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * match.h - find the sessions that take an event
 */
#ifndef ETW_WRITE_MATCH_H
#define ETW_WRITE_MATCH_H

#include <linux/types.h>
#include <etw/format.h>

#include "core/enable_entry.h"
#include "snapshot.h"

struct etw_provider;
struct etw_record_source;
struct etw_typed;
struct etw_write_opts;

/* The properties of an event that select its sessions.  All pointers but desc may be NULL. */
struct etw_match_event {
	const struct etw_event_descriptor *desc;
	const struct etw_write_opts *opts;
	const struct etw_typed *typed;
	const struct etw_record_source *source;	/* of the payload; NULL: not known yet */
	bool pieces_typed;	/* source's typed data descriptors are not payload */
	bool unknown;		/* the event may have a schema that is not known yet */
	bool only;		/* its provider has no other, so payload filters are for it */
	u32 budget;		/* of its filters, for match.c */
};

/* TraceLogging events have no ids, so id filters let them pass. */
static __always_inline bool etw_match_id(const struct etw_event_ids *ids,
					 const struct etw_event_descriptor *desc)
{
	return desc->channel == ETW_CHANNEL_TRACELOGGING || etw_ids_pass(ids, desc->id);
}

/* Does the filter of levels for stacks let this event's stack pass? */
static __always_inline bool etw_match_stack_level(const struct etw_event_filter *filter,
						  const struct etw_event_descriptor *desc)
{
	return !filter->stack_level_given ||
	       etw_entry_passes(&filter->stack_level, desc->level, desc->keyword) ==
	       filter->stack_level_in;
}

/* Do all filters for stacks, for an event that has no name? */
static __always_inline bool etw_match_stack(const struct etw_event_filter *filter,
					    const struct etw_event_descriptor *desc)
{
	return etw_match_id(&filter->stack_ids, desc) && etw_match_stack_level(filter, desc);
}

bool etw_match_payload(const struct etw_snapshot_entry *entry,
		       const struct etw_record_source *source, u32 *budget);
bool etw_match_typed(const struct etw_snapshot *snapshot, const struct etw_snapshot_entry *entry,
		     const struct etw_event_descriptor *desc,
		     const struct etw_data_descriptor *data, u32 count, u32 schema, u32 *budget);
u32 etw_match_sessions(const struct etw_snapshot *snapshot, struct etw_match_event *event,
		       u32 *properties);
bool etw_match_any(const struct etw_snapshot *snapshot,
		   const struct etw_event_descriptor *desc);
bool etw_match_wants_stack(const struct etw_provider *provider,
			   const struct etw_event_descriptor *desc,
			   const struct etw_write_opts *opts);

#endif /* ETW_WRITE_MATCH_H */
