// SPDX-License-Identifier: GPL-2.0-only
/*
 * match.c - which sessions take an event, where more than its level and its
 * keyword say so: filters, the writer's wish, a group
 *
 * Any context, with preemption off.
 */
#include "core/names.h"
#include "core/payload.h"
#include "core/traits.h"
#include "extended_items.h"
#include "provider/provider.h"
#include "session/session.h"
#include "hotpath.h"

/* TraceLogging's events have no ids, so filters of ids do not concern them. */
static bool id_passes(const struct etw_event_ids *ids, const struct etw_trace_event *event)
{
	return event->desc->channel == ETW_CHANNEL_TRACELOGGING || event->unknown ||
	       (event->typed && event->typed->schema) || etw_ids_pass(ids, event->desc->id);
}

static bool name_passes(const struct etw_name_filter *filter, const struct etw_trace_event *event)
{
	const struct etw_typed *typed = event->typed;

	return !filter || !typed ||
	       etw_names_pass(&filter->names, event->desc, typed->schema, typed->schema_len);
}

/* Is the event's stack wanted, if stacks are at all? */
static bool stack_wanted(const struct etw_event_filter *filter,
			 const struct etw_trace_event *event)
{
	const struct etw_event_descriptor *desc = event->desc;
	bool match;

	if (!id_passes(&filter->stack_ids, event) || !name_passes(filter->stack_names, event))
		return false;
	if (!filter->stack_level_given)
		return true;
	match = etw_entry_wants(&filter->stack_level, desc->level, desc->keyword);
	return match == filter->stack_level_in;
}

/* Does the session get the event, as far as the writer or its filters say? */
static bool chosen(const struct etw_snapshot_entry *entry, const struct etw_trace_event *event)
{
	const struct etw_trace_how *how = event->how;

	if (how && how->exclude & BIT_ULL(entry->session->logger_id - 1))
		return false;
	if (how && how->inprivate &&
	    entry->filter.properties & ETW_ENABLE_EXCLUDE_INPRIVATE)
		return false;
	return !entry->events || (id_passes(&entry->events->ids, event) &&
				  name_passes(entry->events->names, event));
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
static __always_inline bool takes(const struct etw_snapshot_entry *entry, const struct etw_trace_event *event,
		  u32 *properties)
{
	const struct etw_event_descriptor *desc = event->desc;
	u32 add = entry->filter.properties & ETW_ENABLE_ITEMS;

	if (!etw_entry_wants(&entry->filter, desc->level, desc->keyword) ||
	    !chosen(entry, event) || !payload_passes(entry, event))
		return false;
	if (entry->events && !stack_wanted(entry->events, event))
		add &= ~ETW_ENABLE_STACK_TRACE;
	*properties |= add;
	return true;
}

/*
 * The sessions that take the event, for the provider's sake or its group's, as a
 * mask of the snapshot's first entries.  properties: the items that each of
 * these wants with it.
 */
u32 etw_trace_choose(const struct etw_snapshot *snapshot, const struct etw_trace_event *event,
		     u32 *properties)
{
	const struct etw_snapshot_entry *entry = snapshot->entries;
	u32 i, k, wanted = 0;

	for (i = 0; i < snapshot->count; i++, entry++) {
		properties[i] = 0;
		if (takes(entry, event, &properties[i]))
			wanted |= BIT(i);
	}
	for (k = 0; k < snapshot->also; k++, entry++) {
		i = snapshot->also_of[k];
		if (takes(entry, event, &properties[i]))
			wanted |= BIT(i);
	}
	return wanted;
}

/* Does a session want events of this level and keyword, whatever is in them? */
bool etw_trace_wanted(const struct etw_snapshot *snapshot,
		      const struct etw_event_descriptor *desc)
{
	const struct etw_snapshot_entry *entry = snapshot->entries;
	u32 left = snapshot->count + snapshot->also;

	for (; left; left--, entry++)
		if (etw_entry_wants(&entry->filter, desc->level, desc->keyword))
			return true;
	return false;
}

/* Would some session have the event with its stack? */
bool etw_trace_wants_stack(const struct etw_provider *provider,
			   const struct etw_event_descriptor *desc,
			   const struct etw_trace_how *how)
{
	struct etw_trace_event ask = { .desc = desc, .how = how, .typed = how ? how->typed : NULL };
	u32 properties[ETW_PROVIDER_SESSIONS], left = 0, all = 0;
	const struct etw_snapshot *snapshot;

	preempt_disable_notrace();
	snapshot = rcu_dereference_sched(provider->snapshot);
	if (snapshot && snapshot->special) {
		ask.unknown = !ask.typed && snapshot->types;
		left = etw_trace_choose(snapshot, &ask, properties);
	}
	for (; left; left &= left - 1)
		all |= properties[__ffs(left)];
	preempt_enable_notrace();
	return all & ETW_ENABLE_STACK_TRACE;
}
