// SPDX-License-Identifier: GPL-2.0-only
/*
 * choose.c - which sessions take an event, where more than its level and its
 * keyword say so: filters, the writer's wish, a group
 *
 * Any context, with preemption off.
 */
#include "core/payload.h"
#include "core/traits.h"
#include "items.h"
#include "provider.h"
#include "session.h"
#include "trace.h"

/* Does the session get the event, as far as the writer or its filters say? */
static bool chosen(const struct etw_snapshot_entry *entry, const struct etw_trace_event *event)
{
	const struct etw_trace_how *how = event->how;

	if (how && how->exclude & BIT_ULL(entry->session->logger_id - 1))
		return false;
	if (how && how->inprivate &&
	    entry->filter.properties & ETW_ENABLE_EXCLUDE_INPRIVATE)
		return false;
	return !entry->events ||
	       etw_event_filter_passes(entry->events, event->desc, event->typed);
}

/* ... as far as the payload says?  One that is not there yet may pass. */
static bool payload_passes(const struct etw_snapshot_entry *entry,
			   const struct etw_trace_event *event)
{
	if (!entry->events || !entry->events->payload || !event->source)
		return true;
	/* An event with a schema is TraceLogging's, which have no ids. */
	if (event->typed && event->typed->schema)
		return true;
	return etw_payload_pass(entry->events->payload->program, event->source,
				event->pieces_typed);
}

/* Is the event wanted?  Adds those of the properties that hold for it. */
static bool takes(const struct etw_snapshot_entry *entry, const struct etw_trace_event *event,
		  u32 *properties)
{
	const struct etw_event_descriptor *desc = event->desc;
	u32 add = entry->filter.properties & ETW_ENABLE_ITEMS;

	if (!etw_entry_wants(&entry->filter, desc->level, desc->keyword) ||
	    !chosen(entry, event) || !payload_passes(entry, event))
		return false;
	if (entry->events && !etw_event_filter_stack(entry->events, desc, event->typed))
		add &= ~ETW_ENABLE_STACK_TRACE;
	*properties |= add;
	return true;
}

/*
 * Does the i-th session take the event, for the provider's sake or its group's?
 * properties: the items that it wants with it.
 */
bool etw_trace_takes(const struct etw_snapshot *snapshot, u32 i,
		     const struct etw_trace_event *event, u32 *properties)
{
	bool yes;
	u32 k;

	*properties = 0;
	yes = takes(&snapshot->entries[i], event, properties);
	for (k = 0; k < snapshot->also; k++)
		if (snapshot->also_of[k] == i)
			yes |= takes(&snapshot->entries[snapshot->count + k], event, properties);
	return yes;
}
