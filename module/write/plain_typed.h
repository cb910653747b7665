/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plain_typed.h - as plain.h, for a driver's TraceLogging events
 *
 * The descriptors are what the macros write: the provider's metadata, unless it is left out; the
 * event's schema; payload.  The record's items are the registration's traits, if it has some, and
 * the schema.  Other events of such a provider go to hotpath.c.
 */
#ifndef ETW_WRITE_PLAIN_TYPED_H
#define ETW_WRITE_PLAIN_TYPED_H

#include "plain.h"

/* Do metadata, whose address etw_may_read(), begin with their size? */
static __always_inline bool etw_plain_blob_ok(u64 address, u32 size)
{
	u16 len;

	if (unlikely(size < sizeof(len) || size > ETW_RECORD_MAX))
		return false;
	ETW_MOVE(u16, &len, (const void *)(unsigned long)address, fault);
	return likely(len == size);
fault:
	return false;
}

/*
 * Measure the event, and let source begin with the schema, of *schema bytes.  false: it is no such
 * event, or something about it is doubtful.
 */
static __always_inline bool etw_plain_measure_typed(struct etw_record_source *source,
						    const struct etw_traits *traits, u32 *schema)
{
	const struct etw_data_descriptor *data = source->data, *end = data + source->count;
	u64 size = ETW_EVENT_HEADER_SIZE, addresses = ~0ULL;

	if (unlikely(!source->count || source->count > ETW_DATA_MAX))
		return false;
	/* The registration's traits replace the provider's metadata. */
	if ((u8)data->reserved == ETW_DATA_PROVIDER_METADATA) {
		if (unlikely(!traits || !etw_may_read(data->ptr) ||
			     !etw_plain_blob_ok(data->ptr, READ_ONCE(data->size))))
			return false;
		data++;
		source->data = data;
		source->count--;
	}
	if (unlikely(data == end || (u8)data->reserved != ETW_DATA_EVENT_METADATA))
		return false;
	*schema = READ_ONCE(data->size);
	if (unlikely(!etw_may_read(data->ptr) || !etw_plain_blob_ok(data->ptr, *schema)))
		return false;
	if (traits)
		size += etw_item_size(traits->len);
	size += etw_item_size(*schema);
	for (data++; data < end; data++) {
		if (unlikely((u8)data->reserved))
			return false;
		size += data->size;
		addresses &= data->ptr;
	}
	source->size = size;
	return likely(size <= ETW_RECORD_MAX && etw_may_read(addresses));
}

/* Fill the slot; false: the schema or a piece of the payload cannot be read. */
static __always_inline bool etw_plain_fill_typed(u8 *slot, const struct etw_record_source *source,
						 const struct etw_traits *traits, u32 schema,
						 u64 len, u64 now)
{
	const struct etw_data_descriptor *data = source->data;
	u8 *at = slot + ETW_EVENT_HEADER_SIZE;

	etw_record_put_start(slot, source, len, now);
	/* Of a process's event; drivers' have none here. */
	if (source->activity)
		etw_record_put_activity(slot, source->activity);
	if (traits) {
		etw_record_put_item(at, ETW_EXT_PROV_TRAITS, true, traits->blob, traits->len);
		at += etw_item_size(traits->len);
	}
	if (unlikely(!etw_record_put_item(at, ETW_EXT_EVENT_SCHEMA, false,
					  (const void *)(unsigned long)data->ptr, schema)))
		return false;
	at += etw_item_size(schema);
	return etw_record_put_pieces(at, source->size - (at - slot), data + 1, data + source->count);
}

/* As etw_plain_choose(), of the first count sessions; schema: its bytes. */
static __always_inline struct etw_plain_place *
etw_plain_choose_typed(const struct etw_snapshot *snapshot, u32 count,
		       const struct etw_record_source *source, u32 schema,
		       struct etw_plain_place *place)
{
	const struct etw_snapshot_entry *entry = snapshot->entries, *end = entry + count;
	u32 budget = ETW_FILTER_BUDGET;

	for (; entry < end; entry++) {
		/* The only one was asked before. */
		if (count > 1 && !etw_entry_passes(&entry->filter, source->desc->level,
						   source->desc->keyword))
			continue;
		/* Not the address of source, which could not stay in registers then. */
		if (entry->events && !etw_match_typed(snapshot, entry, source->desc, source->data,
						      source->count, schema, &budget))
			continue;
		etw_plain_sample(place++, entry->session);
	}
	return place;
}

/*
 * The time of an event whose writer has given one, for the sessions up to end.  false: it is too
 * early, or several sessions, whose clocks may differ, take the event.
 */
static __always_inline bool etw_plain_given(const struct etw_plain_place *place,
					    const struct etw_plain_place *end, u64 given, u64 *now)
{
	if (unlikely(end - place > 1 || given <= READ_ONCE(place->cpu->session->given_after)))
		return false;
	*now = min(given, *now);
	return true;
}

/* As etw_plain_write(), to the first count sessions; payer: see fair.h; given: a time, or NULL. */
static __always_inline bool etw_plain_write_typed(const struct etw_snapshot *snapshot, u32 count,
						  u64 payer, const u64 *given,
						  struct etw_record_source *source, int *result)
{
	struct etw_plain_place places[ETW_PROVIDER_SESSIONS] UNINITIALIZED, *end;
	const struct etw_session_hot *session;
	enum etw_clock_source clock;
	struct etw_buf *buf;
	u64 now, len;
	u32 schema;
	u8 *slot;

	*result = 0;
	if (count == 1 ? !etw_entry_passes(&snapshot->entries[0].filter, source->desc->level,
					   source->desc->keyword) :
			 !etw_plain_asked(snapshot, source->desc))
		return true;
	if (unlikely(!etw_plain_measure_typed(source, snapshot->traits, &schema)))
		return false;
	end = etw_plain_choose_typed(snapshot, count, source, schema, places);
	if (end == places)
		return true;
	source->flags |= ETW_EVENT_EXTENDED_INFO;
	len = etw_record_slot(source->size);
	session = places->cpu->session;
	clock = READ_ONCE(session->clock);
	if (unlikely(!etw_clock_read_inline(clock, &now) ||
		     !etw_plain_may_pay(places, payer, len)))
		return false;
	if (given && !etw_plain_given(places, end, *given, &now))
		return false;
	if (unlikely(!etw_plain_reserve(session, session->ring.size, places, len, &slot, &buf)))
		return false;
	if (payer)
		etw_hot_paid(ETW_LOCAL, buf, payer);
	source->ids = etw_plain_ids();
	if (unlikely(!etw_plain_fill_typed(slot, source, snapshot->traits, schema, len, now))) {
		*result = etw_plain_unreadable(places, end, source->provider, slot, buf);
		return true;
	}
	if (count > 1)
		*result = etw_plain_copy_all(places, end, payer, slot, len, clock);
	etw_plain_commit(buf, len);
	return true;
}

#endif /* ETW_WRITE_PLAIN_TYPED_H */
