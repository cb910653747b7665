// SPDX-License-Identifier: GPL-2.0-only
/*
 * typed.c - what an event has besides its payload: metadata, traits, a time
 *
 * Any context, with preemption off.  Everything pointed to stays as long.
 */
#include "provider.h"
#include "typed.h"

static int read_typed(struct etw_typed *to, const struct etw_record_source *source)
{
	const struct etw_data_descriptor *data = source->data;
	struct etw_typed_at at;
	int err;

	err = etw_typed_find(&at, data, source->count);
	if (err)
		return err;
	return etw_typed_read(to, at.schema < 0 ? NULL : &data[at.schema],
			      at.provider < 0 ? NULL : &data[at.provider],
			      at.timestamp < 0 ? NULL : &data[at.timestamp]);
}

/* Of a module's event: what its descriptors have besides the payload, and its size. */
static int take_apart(struct etw_typed_event *to)
{
	struct etw_record_items items = { .extra = &to->extra };
	int err;

	to->extra.typed = true;
	err = read_typed(&to->typed, &to->source);
	return err ?: etw_record_measure_items(&to->source, &items);
}

/* The event is decoded by another GUID than the registered one. */
static void use_decode(struct etw_typed_event *to, const struct etw_traits *traits)
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
int etw_typed_event(struct etw_typed_event *to, const struct etw_snapshot *snapshot,
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
		err = take_apart(to);
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
		use_decode(to, traits);
	to->extra.timestamp_given = typed->timestamp_given;
	to->extra.timestamp = typed->timestamp;
	return whole ? 0 : -EOVERFLOW;
}
