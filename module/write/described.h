/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * described.h - what an event has besides its payload: metadata, traits, a time
 *
 * Inline, for hotpath.c.  Any context, with preemption off.  Everything pointed to stays
 * as long.
 */
#ifndef ETW_TYPED_H
#define ETW_TYPED_H

#include "core/traits.h"
#include "provider/provider.h"
#include "hotpath.h"

struct etw_typed_event {
	struct etw_record_source source;	/* as it is written */
	struct etw_record_extra extra;
	struct etw_typed typed;
};

/*
 * Of a module's event: what its descriptors have besides the payload, and its size.
 * It was measured with all descriptors, so that a smaller size is no surprise.
 */
static __always_inline int
etw_typed_take_apart(struct etw_typed_event *to)
{
	const struct etw_data_descriptor *data = to->source.data;
	struct etw_typed_at at UNINITIALIZED;
	u64 size = ETW_EVENT_HEADER_SIZE;
	int err;

	to->extra.typed = true;
	err = etw_typed_find(&at, data, to->source.count);
	if (err)
		return err;
	if (to->source.related)
		size += ETW_RELATED_ITEM_SIZE;
	size += at.payload;
	if (unlikely(size > ETW_RECORD_MAX))
		return -EOVERFLOW;
	to->source.size = size;
	return etw_typed_read(&to->typed, at.schema < 0 ? NULL : &data[at.schema],
			      at.provider < 0 ? NULL : &data[at.provider],
			      at.timestamp < 0 ? NULL : &data[at.timestamp]);
}

/* The event is decoded by another GUID than the registered one. */
static __always_inline void
etw_typed_use_decode(struct etw_typed_event *to, const struct etw_traits *traits)
{
	if (!traits->has_decode)
		return;
	etw_record_add_extra(&to->extra, ETW_EXT_CONTROL_GUID, to->source.provider,
			     sizeof(struct etw_guid));
	to->source.provider = &traits->decode;
	to->source.flags |= ETW_EVENT_DECODE_GUID;
}

/*
 * to->source is a copy of the event's; its size becomes that without what is not
 * payload.  A process's descriptors were taken apart when they were copied.
 * -EINVAL: descriptors that make no sense; -EOVERFLOW: metadata that no event
 * has room for.
 */
static __always_inline int
etw_typed_event(struct etw_typed_event *to, const struct etw_snapshot *snapshot,
		const struct etw_trace_how *how)
{
	const struct etw_traits *traits = snapshot->traits;
	const struct etw_typed *typed = &to->typed;
	bool whole = true;
	int err = 0;

	/* The items are written before they are read. */
	to->extra.count = 0;
	to->extra.size = 0;
	to->extra.typed = false;
	to->typed = (struct etw_typed){ 0 };
	if (how && how->typed)
		to->typed = *how->typed;
	else if (snapshot->types && !(how && how->user))
		err = etw_typed_take_apart(to);
	if (err)
		return err;
	if (typed->schema)
		whole = etw_record_add_extra(&to->extra, ETW_EXT_EVENT_SCHEMA, typed->schema,
					     typed->schema_len);
	if (traits)
		whole &= etw_record_add_extra(&to->extra, ETW_EXT_PROV_TRAITS, traits->blob,
					      traits->len);
	else if (typed->provider)
		whole &= etw_record_add_extra(&to->extra, ETW_EXT_PROV_TRAITS, typed->provider,
					      typed->provider_len);
	if (traits)
		etw_typed_use_decode(to, traits);
	to->extra.timestamp_given = typed->timestamp_given;
	to->extra.timestamp = typed->timestamp;
	return whole ? 0 : -EOVERFLOW;
}

#endif /* ETW_TYPED_H */
