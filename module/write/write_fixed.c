// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_fixed.c - events whose size the driver knows: it fills the slot itself
 *
 * For ETW_WAY_ONE and sessions that count in ticks of the TSC, so that nothing here is called
 * and the compiler needs no stack.  The rules of plain.h hold, and the driver is the writer:
 * preemption is off from etw_begin() to etw_end().
 */
#include <linux/export.h>

#include "activity.h"
#include "plain.h"

/* The event is committed.  Preemption is off before, and on after it. */
static noinline void end_event(void)
{
	preempt_enable_notrace();
}

/* etw_begin(): there is no room, or some doubt.  Preemption is off before, and on after it. */
static noinline void *begin_nothing(void)
{
	preempt_enable_notrace();
	return NULL;
}

/**
 * etw_begin() - reserve room for an event's payload
 * @provider: a provider
 * @desc: the event's descriptor
 * @size: bytes of the payload, at most ETW_RECORD_MAX - ETW_EVENT_HEADER_SIZE
 * @buffer: for etw_end()
 *
 * etw_write_fixed() is made of this, etw_end(), and a copy between them.  If there is room,
 * preemption is off until etw_end(), which has to follow.  Until then the caller fills all of the
 * payload and does nothing that may sleep or fault; an event that it writes meanwhile is a later
 * one.  Any context, NMI included.
 *
 * Return: where the payload goes, 8-byte aligned; NULL: call etw_write() instead, which tells
 * whether any session takes the event and gives it to those that do.
 */
void *etw_begin(struct etw_provider *provider, const struct etw_event_descriptor *desc, u32 size,
		void **buffer)
{
	struct etw_record_source source UNINITIALIZED;
	const struct etw_snapshot_entry *entry;
	const struct etw_snapshot *snapshot;
	struct etw_plain_place place;
	struct etw_buf *buf;
	u64 len, now;
	u8 *slot;

	preempt_disable_notrace();
	snapshot = rcu_dereference_sched(provider->snapshot);
	if (unlikely(!snapshot || snapshot->way != ETW_WAY_ONE))
		return begin_nothing();
	if (static_branch_unlikely(&etw_activity_used))
		return begin_nothing();
	entry = &snapshot->entries[0];
	if (unlikely(!etw_entry_wants(&entry->filter, desc->level, desc->keyword)))
		return begin_nothing();
	etw_plain_describe(&source, provider, desc, NULL, NULL, 0, NULL);
	source.size = ETW_EVENT_HEADER_SIZE + size;
	len = etw_record_slot(source.size);
	etw_plain_sample(&place, entry->session);
	if (unlikely(!etw_plain_reserve_tsc(&place, len, &slot, &buf, &now)))
		return begin_nothing();
	source.ids = etw_plain_ids();
	etw_record_put_start(slot, &source, len, now);
	*buffer = buf;
	return slot + ETW_EVENT_HEADER_SIZE;
}
EXPORT_SYMBOL_GPL(etw_begin);

/**
 * __etw_write_object() - the rest of etw_write_fixed(): as etw_write() with one piece
 * @provider: as for etw_write()
 * @desc: likewise
 * @payload: the piece
 * @size: its size
 *
 * Return: as etw_write().
 */
int __etw_write_object(struct etw_provider *provider, const struct etw_event_descriptor *desc,
		       const void *payload, u32 size)
{
	const struct etw_data_descriptor data = etw_data(payload, size);

	return etw_write(provider, desc, 1, &data);
}
EXPORT_SYMBOL_GPL(__etw_write_object);

/**
 * etw_end() - commit the event of etw_begin()
 * @payload: what that returned
 * @buffer: what it stored
 */
void etw_end(const void *payload, void *buffer)
{
	const struct etw_event_header *header = payload - ETW_EVENT_HEADER_SIZE;

	etw_plain_commit(buffer, etw_record_slot(header->size));
	end_event();
}
EXPORT_SYMBOL_GPL(etw_end);
