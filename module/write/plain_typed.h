/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plain_typed.h - as plain.h, for a driver's TraceLogging events
 *
 * The first descriptor is the event's schema and the others are payload, which is what the
 * macros write; the record's items are the registration's traits, if it has some, and the
 * schema.  Other events of such a provider go to hotpath.c.
 */
#ifndef ETW_WRITE_PLAIN_TYPED_H
#define ETW_WRITE_PLAIN_TYPED_H

#include "plain.h"

/* The size of the event's record; 0: it is no such event, or something about it is doubtful. */
static __always_inline u32 etw_plain_measure_typed(const struct etw_record_source *source,
						   const struct etw_traits *traits)
{
	const struct etw_data_descriptor *data = source->data, *end = data + source->count;
	u64 size = ETW_EVENT_HEADER_SIZE, addresses;
	u16 len;

	if (unlikely(!source->count || source->count > ETW_DATA_MAX ||
		     (u8)data->reserved != ETW_DATA_EVENT_METADATA || data->size > ETW_RECORD_MAX))
		return 0;
	if (traits)
		size += etw_item_size(traits->len);
	size += etw_item_size(data->size);
	addresses = data->ptr;
	for (data++; data < end; data++) {
		if (unlikely((u8)data->reserved))
			return 0;
		size += data->size;
		addresses &= data->ptr;
	}
	if (unlikely(size > ETW_RECORD_MAX || !etw_may_read(addresses) ||
		     source->data->size < sizeof(len)))
		return 0;
	ETW_MOVE(u16, &len, (const void *)(unsigned long)source->data->ptr, fault);
	return likely(len == source->data->size) ? size : 0;
fault:
	return 0;
}

/* Store an item, which another one follows or not; false: its data cannot be read. */
static __always_inline bool etw_plain_put_item(u8 *at, u16 type, bool followed, const void *data,
					       u32 len)
{
	struct etw_ext_item *item = (struct etw_ext_item *)at;

	__builtin_memset(at + etw_item_size(len) - ETW_RECORD_ALIGN, 0, ETW_RECORD_ALIGN);
	item->size = etw_item_size(len);
	item->type = type;
	item->linkage = followed;
	item->data_size = len;
	return etw_record_copy((u8 *)(item + 1), data, len);
}

/* Fill the slot; false: the schema or a piece of the payload cannot be read. */
static __always_inline bool etw_plain_fill_typed(u8 *slot, const struct etw_record_source *source,
						 const struct etw_traits *traits, u64 len, u64 now)
{
	const struct etw_data_descriptor *data = source->data;
	u8 *at = slot + ETW_EVENT_HEADER_SIZE;

	etw_record_put_start(slot, source, len, now);
	if (traits) {
		etw_plain_put_item(at, ETW_EXT_PROV_TRAITS, true, traits->blob, traits->len);
		at += etw_item_size(traits->len);
	}
	if (unlikely(!etw_plain_put_item(at, ETW_EXT_EVENT_SCHEMA, false,
					 (const void *)(unsigned long)data->ptr, data->size)))
		return false;
	at += etw_item_size(data->size);
	return etw_record_put_pieces(at, data + 1, data + source->count);
}

/* As etw_plain_choose(), of the first count sessions. */
static __always_inline struct etw_plain_place *
etw_plain_choose_typed(const struct etw_snapshot *snapshot, u32 count,
		       const struct etw_record_source *source, struct etw_plain_place *place)
{
	const struct etw_snapshot_entry *entry = snapshot->entries, *end = entry + count;
	u32 budget = ETW_FILTER_BUDGET;

	for (; entry < end; entry++) {
		/* The only one was asked before. */
		if (count > 1 && !etw_entry_wants(&entry->filter, source->desc->level,
						  source->desc->keyword))
			continue;
		if (entry->events) {
			/* source itself stays in registers. */
			const struct etw_record_source copy = *source;

			if (!etw_match_typed(snapshot, entry, &copy, &budget))
				continue;
		}
		etw_plain_sample(place++, entry->session);
	}
	return place;
}

/* As etw_plain_write(), to the first count sessions; payer: see fair.h. */
static __always_inline bool etw_plain_write_typed(const struct etw_snapshot *snapshot, u32 count,
						  u64 payer, struct etw_record_source *source,
						  int *result)
{
	struct etw_plain_place places[ETW_PROVIDER_SESSIONS] UNINITIALIZED, *place, *end;
	enum etw_clock_source clock;
	struct etw_buf *buf;
	u64 now, len;
	u8 *slot;
	int err;

	*result = 0;
	if (count == 1 ? !etw_entry_wants(&snapshot->entries[0].filter, source->desc->level,
					  source->desc->keyword) :
			 !etw_plain_asked(snapshot, source->desc))
		return true;
	source->size = etw_plain_measure_typed(source, snapshot->traits);
	if (unlikely(!source->size))
		return false;
	end = etw_plain_choose_typed(snapshot, count, source, places);
	if (end == places)
		return true;
	source->flags |= ETW_EVENT_EXTENDED_INFO;
	len = etw_record_slot(source->size);
	clock = READ_ONCE(places->session->clock);
	if (unlikely(!etw_clock_read_inline(clock, &now) ||
		     !etw_plain_may_pay(places, payer, len)))
		return false;
	slot = etw_plain_reserve(places, len, &buf);
	if (unlikely(!slot))
		return false;
	if (payer)
		etw_hot_paid(ETW_LOCAL, buf, payer);
	source->ids = etw_plain_ids();
	if (unlikely(!etw_plain_fill_typed(slot, source, snapshot->traits, len, now))) {
		*result = etw_plain_unreadable(places, end, source->provider, slot, buf);
		return true;
	}
	for (place = places + 1; count > 1 && place < end; place++) {
		err = etw_plain_copy(place, payer, slot, len, clock);
		if (unlikely(err) && !*result)
			*result = err;
	}
	etw_plain_commit(places, buf, len);
	return true;
}

#endif /* ETW_WRITE_PLAIN_TYPED_H */
