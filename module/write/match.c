// SPDX-License-Identifier: GPL-2.0-only
/*
 * match.c - find the sessions that take an event when more than level and keyword
 * decides: filters, the writer's options, groups
 *
 * Any context, with preemption off.  All filters together examine at most ETW_FILTER_BUDGET
 * bytes of an event; abi_filter.h says what they do then.
 */
#include "core/names.h"
#include "core/payload.h"
#include "core/traits.h"
#include "extended_items.h"
#include "hot.h"
#include "match.h"
#include "opts.h"
#include "snapshot.h"

static __always_inline bool id_passes(const struct etw_event_ids *ids,
				      const struct etw_match_event *event)
{
	return event->unknown || (event->typed && event->typed->schema) ||
	       etw_match_id(ids, event->desc);
}

/* The event passes a filter of this session that cannot decide. */
static noinline bool match_undecided(const struct etw_snapshot_entry *entry)
{
	local_inc(&this_cpu_ptr(entry->session->cpu)->undecided);
	return true;
}

static noinline bool match_name(const struct etw_snapshot_entry *entry,
				const struct etw_name_filter *filter,
				const struct etw_event_descriptor *desc, const void *schema,
				u32 len, u32 *budget)
{
	u32 cost = min_t(u32, len, ETW_SCHEMA_NAME_MAX);

	if (unlikely(cost > *budget))
		return match_undecided(entry);
	*budget -= cost;
	return etw_names_pass(&filter->names, desc, schema, len);
}

static __always_inline bool name_passes(const struct etw_snapshot_entry *entry,
					const struct etw_name_filter *filter,
					struct etw_match_event *event)
{
	return !filter || !event->typed ||
	       match_name(entry, filter, event->desc, event->typed->schema,
			  event->typed->schema_len, &event->budget);
}

#define STACKS	(ETW_ENABLE_STACK_TRACE | ETW_ENABLE_USER_STACK)

/* Do the stack filters let this event's stack pass? */
static __always_inline bool stack_wanted(const struct etw_snapshot_entry *entry,
					 struct etw_match_event *event)
{
	const struct etw_event_filter *filter = entry->events;

	return id_passes(&filter->stack_ids, event) &&
	       name_passes(entry, filter->stack_names, event) &&
	       etw_match_stack_level(filter, event->desc);
}

static __always_inline bool match_excludes(const struct etw_write_opts *opts,
					   const struct etw_snapshot_entry *entry)
{
	return opts && opts->exclude & BIT_ULL(entry->session->logger_id - 1);
}

/* Do the writer's options and all filters but the payload filter let the event pass? */
static __always_inline bool match_passes(const struct etw_snapshot_entry *entry,
					 struct etw_match_event *event)
{
	const struct etw_write_opts *opts = event->opts;

	if (match_excludes(opts, entry))
		return false;
	if (opts && opts->inprivate &&
	    entry->filter.properties & ETW_ENABLE_EXCLUDE_INPRIVATE)
		return false;
	return !entry->events || (id_passes(&entry->events->ids, event) &&
				  name_passes(entry, entry->events->names, event));
}

static __always_inline bool match_payload(const struct etw_snapshot_entry *entry,
					  const struct etw_record_source *source,
					  bool pieces_typed, u32 *budget)
{
	const struct etw_payload_filter *filter = entry->events->payload;
	enum etw_payload_answer answer = ETW_PAYLOAD_RUN;
	u32 size = source->size, cost;

	if (filter->short_enough && !pieces_typed)
		answer = etw_payload_try(&filter->quick, source->desc, source->data,
					 source->count);
	if (likely(answer != ETW_PAYLOAD_RUN))
		return answer;
	cost = size + filter->weight * min_t(u32, size, ETW_PAYLOAD_SEARCH_MAX);
	if (unlikely(cost > *budget))
		return match_undecided(entry);
	*budget -= cost;
	return etw_payload_pass(filter->program, source, pieces_typed);
}

/* Does the payload filter let the event pass?  True if the payload is not known yet. */
static __always_inline bool payload_passes(const struct etw_snapshot_entry *entry,
					   struct etw_match_event *event)
{
	if (!entry->events || !entry->events->payload || !event->source)
		return true;
	/* TraceLogging events have no ids by which the filter could know their fields. */
	if (!event->only && (event->desc->channel == ETW_CHANNEL_TRACELOGGING ||
			     (event->typed && event->typed->schema)))
		return true;
	return match_payload(entry, event->source, event->pieces_typed, &event->budget);
}

/*
 * Does the entry's payload filter, which it has, let a measured event of a plain snapshot pass?
 * budget: what is left of ETW_FILTER_BUDGET.
 */
bool etw_match_payload(const struct etw_snapshot_entry *entry,
		       const struct etw_record_source *source, u32 *budget)
{
	return source->desc->channel == ETW_CHANNEL_TRACELOGGING ||
	       match_payload(entry, source, false, budget);
}

static noinline bool match_typed_payload(const struct etw_snapshot_entry *entry,
					 const struct etw_event_descriptor *desc,
					 const struct etw_data_descriptor *data, u32 count,
					 u32 *budget)
{
	struct etw_record_source payload = {
		.desc = desc,
		.data = data,
		.count = count,
		.type = ETW_TYPE_EVENT64,
	};

	return !etw_record_measure(&payload) && match_payload(entry, &payload, false, budget);
}

/*
 * Do the entry's filters, which it has, let an event of ETW_WAY_TYPED pass?  The first of its
 * count descriptors is its schema, of this size.  budget: what is left of ETW_FILTER_BUDGET.
 */
bool etw_match_typed(const struct etw_snapshot *snapshot, const struct etw_snapshot_entry *entry,
		     const struct etw_event_descriptor *desc,
		     const struct etw_data_descriptor *data, u32 count, u32 schema, u32 *budget)
{
	const struct etw_event_filter *filter = entry->events;

	if (filter->names && !match_name(entry, filter->names, desc,
					 (const void *)(unsigned long)data->ptr, schema, budget))
		return false;
	/* Other TraceLogging events have no ids by which the filter could know their fields. */
	return !filter->payload || !snapshot->one_event ||
	       match_typed_payload(entry, desc, data + 1, count - 1, budget);
}

/* Does the session take the event?  If so, add the items that it wants to *properties. */
static bool match_takes(const struct etw_snapshot_entry *entry, struct etw_match_event *event,
			u32 *properties)
{
	const struct etw_event_descriptor *desc = event->desc;
	u32 add = entry->filter.properties & ETW_ENABLE_ITEMS;

	if (event->opts && event->opts->describes)
		return !match_excludes(event->opts, entry);
	if (!etw_entry_passes(&entry->filter, desc->level, desc->keyword) ||
	    !match_passes(entry, event) || !payload_passes(entry, event))
		return false;
	if (entry->events && add & STACKS && !stack_wanted(entry, event))
		add &= ~STACKS;
	*properties |= add;
	return true;
}

/*
 * Return a mask of the sessions that take the event; bit i stands for entries[i].  A
 * session takes it through the provider or through the group.  properties[i]: the items
 * that this session wants.
 */
u32 etw_match_sessions(const struct etw_snapshot *snapshot, struct etw_match_event *event,
		       u32 *properties)
{
	const struct etw_snapshot_entry *entry = snapshot->entries;
	u32 i, k, wanted = 0;

	event->budget = ETW_FILTER_BUDGET;
	for (i = 0; i < snapshot->count; i++, entry++) {
		properties[i] = 0;
		if (match_takes(entry, event, &properties[i]))
			wanted |= BIT(i);
	}
	for (k = 0; k < snapshot->group_entries; k++, entry++) {
		i = snapshot->group_entry_session[k];
		if (match_takes(entry, event, &properties[i]))
			wanted |= BIT(i);
	}
	return wanted;
}

/* Does any session take events of this level and keyword, disregarding other filters? */
bool etw_match_any(const struct etw_snapshot *snapshot,
		      const struct etw_event_descriptor *desc)
{
	const struct etw_snapshot_entry *entry = snapshot->entries;
	u32 left = snapshot->count + snapshot->group_entries;

	for (; left; left--, entry++)
		if (etw_entry_passes(&entry->filter, desc->level, desc->keyword))
			return true;
	return false;
}

/* Does any session want the stack with this event? */
bool etw_match_wants_stack(const struct etw_provider *provider,
			   const struct etw_event_descriptor *desc,
			   const struct etw_write_opts *opts)
{
	struct etw_match_event ask = { .desc = desc, .opts = opts, .typed = opts ? opts->typed : NULL };
	u32 properties[ETW_PROVIDER_SESSIONS], left = 0, all = 0;
	const struct etw_snapshot *snapshot;

	preempt_disable_notrace();
	snapshot = rcu_dereference_sched(provider->snapshot);
	if (snapshot && snapshot->slow_path) {
		ask.unknown = !ask.typed && snapshot->types;
		left = etw_match_sessions(snapshot, &ask, properties);
	}
	for (; left; left &= left - 1)
		all |= properties[__ffs(left)];
	preempt_enable_notrace();
	return all & ETW_ENABLE_STACK_TRACE;
}
