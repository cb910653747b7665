// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_fixed.c - events whose size the driver knows: it fills the slot itself
 *
 * The functions that <etw/kernel_write.h> is made of.  The rules of plain.h hold, and the driver
 * is the writer: preemption is off from __etw_reserve() to the end of the event.  It is enabled
 * last, or by a function that is called last, so that nothing else needs a frame for what that may
 * call.
 */
#include <linux/export.h>

#include "activity.h"
#include "plain.h"

/* In struct etw_open, of an event for several sessions. */
struct open_several {
	struct etw_buf *buf;		/* the first one's */
	struct etw_plain_place *end;	/* of those in places[] */
	struct etw_plain_place places[ETW_PROVIDER_SESSIONS];
};

static struct open_several *open_several(struct etw_open *open)
{
	static_assert(sizeof(struct open_several) <= sizeof(open->several));
	return (struct open_several *)open->several;
}

/* In struct etw_open, of an event that __etw_examine() has to test. */
static const struct etw_snapshot **open_snapshot(struct etw_open *open)
{
	return (const struct etw_snapshot **)open->several;
}

static __always_inline void *enable_and_return(void *result)
{
	preempt_enable_notrace();
	return result;
}

/* __etw_reserve(): there is no room, or some doubt.  Preemption is off before, and on after it. */
static noinline void *reserve_nothing(void)
{
	return enable_and_return(NULL);
}

/* As reserve_nothing(): no session asks for the event. */
static noinline void *reserve_unwanted(void)
{
	return enable_and_return(ETW_UNWANTED);
}

/*
 * Reserve, and write the header.  any: the session may have any clock.  false: nothing was
 * done.
 */
static __always_inline bool reserve_record(const struct etw_provider *provider,
					   const struct etw_event_descriptor *desc, u32 size,
					   const struct etw_session_hot *session,
					   const struct etw_plain_place *place, bool any,
					   u8 **slot, struct etw_buf **buf)
{
	struct etw_record_source source UNINITIALIZED;
	u64 len, now;

	etw_plain_describe(&source, provider, desc, NULL, NULL, 0, NULL);
	source.size = ETW_EVENT_HEADER_SIZE + size;
	len = etw_record_slot(source.size);
	if (unlikely(any ? !etw_plain_reserve_any(session, place, len, slot, buf, &now) :
			   !etw_plain_reserve_tsc(session, place, len, slot, buf, &now)))
		return false;
	source.ids = etw_plain_ids();
	etw_record_put_start(*slot, &source, len, now);
	return true;
}

/* As __etw_reserve(), in the only session, which takes the event.  any: as for reserve_record(). */
static __always_inline void *reserve_in(const struct etw_provider *provider,
					const struct etw_event_descriptor *desc, u32 size,
					struct etw_open *open, struct etw_session_hot *session,
					bool any)
{
	struct etw_plain_place place;
	struct etw_buf *buf;
	u8 *slot;

	etw_plain_sample(&place, session);
	if (unlikely(!reserve_record(provider, desc, size, session, &place, any, &slot, &buf)))
		return reserve_nothing();
	open->buffer = buf;
	return slot + ETW_EVENT_HEADER_SIZE;
}

static noinline void *reserve_tsc(const struct etw_provider *provider,
				  const struct etw_event_descriptor *desc, u32 size,
				  struct etw_open *open, struct etw_session_hot *session)
{
	return reserve_in(provider, desc, size, open, session, false);
}

static noinline __no_stack_protector void *
reserve_any_clock(const struct etw_provider *provider, const struct etw_event_descriptor *desc,
		  u32 size, struct etw_open *open, struct etw_session_hot *session)
{
	return reserve_in(provider, desc, size, open, session, true);
}

/* As reserve_in(); a leaf, like those below that call others last only. */
static __always_inline void *reserve_taken(const struct etw_provider *provider,
					   const struct etw_event_descriptor *desc, u32 size,
					   struct etw_open *open, struct etw_session_hot *session)
{
	if (READ_ONCE(session->clock) == ETW_SOURCE_TSC)
		return reserve_tsc(provider, desc, size, open, session);
	return reserve_any_clock(provider, desc, size, open, session);
}

/* As __etw_reserve(), for ETW_WAY_IDS and an event that only the list of ids decides about. */
static noinline void *reserve_listed(const struct etw_provider *provider,
				     const struct etw_event_descriptor *desc, u32 size,
				     struct etw_open *open, const struct etw_snapshot *snapshot)
{
	const struct etw_snapshot_entry *entry = &snapshot->entries[0];

	if (!etw_match_id(&entry->events->ids, desc))
		return reserve_unwanted();
	return reserve_taken(provider, desc, size, open, entry->session);
}

/* As __etw_reserve(), for ETW_WAY_IDS. */
static noinline void *reserve_ids(const struct etw_provider *provider,
				  const struct etw_event_descriptor *desc, u32 size,
				  struct etw_open *open, const struct etw_snapshot *snapshot)
{
	const struct etw_snapshot_entry *entry = &snapshot->entries[0];

	if (unlikely(!etw_entry_passes(&entry->filter, desc->level, desc->keyword)))
		return reserve_unwanted();
	if (entry->events && desc->channel != ETW_CHANNEL_TRACELOGGING) {
		if (unlikely(etw_ids_may_have(&entry->events->ids, desc->id)))
			return reserve_listed(provider, desc, size, open, snapshot);
		if (entry->events->ids.in)
			return reserve_unwanted();
	}
	return reserve_taken(provider, desc, size, open, entry->session);
}

/* As __etw_reserve(), in the first of several sessions, all of which were sampled. */
static noinline void *reserve_first(const struct etw_provider *provider,
				    const struct etw_event_descriptor *desc, u32 size,
				    struct etw_open *open)
{
	struct open_several *several = open_several(open);
	u8 *slot;

	if (unlikely(!reserve_record(provider, desc, size, several->places->cpu->session,
				     several->places, false, &slot, &several->buf)))
		return reserve_nothing();
	open->buffer = NULL;
	return slot + ETW_EVENT_HEADER_SIZE;
}

/* As __etw_reserve(), in all sessions. */
static noinline void *reserve_all(const struct etw_provider *provider,
				  const struct etw_event_descriptor *desc, u32 size,
				  struct etw_open *open, const struct etw_snapshot *snapshot)
{
	const struct etw_snapshot_entry *entry = snapshot->entries, *end = entry + snapshot->count;
	struct etw_plain_place *place = open_several(open)->places;

	for (; entry < end; entry++)
		etw_plain_sample(place++, entry->session);
	open_several(open)->end = place;
	return reserve_first(provider, desc, size, open);
}

/* As __etw_reserve(), in those of several sessions that want the event. */
static noinline __no_stack_protector void *
reserve_chosen(const struct etw_provider *provider, const struct etw_event_descriptor *desc,
	       u32 size, struct etw_open *open, const struct etw_snapshot *snapshot)
{
	struct open_several *several = open_several(open);

	if (snapshot->filtered)
		return reserve_nothing();
	several->end = etw_plain_choose(snapshot, desc, NULL, several->places);
	if (several->end == several->places)
		return reserve_unwanted();
	return reserve_first(provider, desc, size, open);
}

/* As __etw_reserve(), for ETW_WAY_SEVERAL. */
static __always_inline void *reserve_several(const struct etw_provider *provider,
					     const struct etw_event_descriptor *desc, u32 size,
					     struct etw_open *open,
					     const struct etw_snapshot *snapshot)
{
	const u32 level = min_t(u32, desc->level, ETW_SNAPSHOT_LEVELS - 1);
	const u64 keyword = desc->keyword;

	if (keyword & snapshot->all_want[level])
		return reserve_all(provider, desc, size, open, snapshot);
	if (keyword && !(keyword & snapshot->some_want[level]))
		return enable_and_return(ETW_UNWANTED);
	return reserve_chosen(provider, desc, size, open, snapshot);
}

/* As __etw_reserve(), for all but ETW_WAY_ONE. */
static noinline void *reserve_other(const struct etw_provider *provider,
				    const struct etw_event_descriptor *desc, u32 size,
				    struct etw_open *open, const struct etw_snapshot *snapshot)
{
	/* One comparison finds the ways that go elsewhere. */
	if (snapshot->way <= ETW_WAY_IDS) {
		if (snapshot->way == ETW_WAY_IDS)
			return reserve_ids(provider, desc, size, open, snapshot);
		return enable_and_return(NULL);
	}
	if (snapshot->way == ETW_WAY_SEVERAL)
		return reserve_several(provider, desc, size, open, snapshot);
	*open_snapshot(open) = snapshot;
	return ETW_EXAMINE;
}

/**
 * __etw_reserve() - reserve room for an event's payload
 * @provider: a provider
 * @desc: the event's descriptor
 * @size: bytes of the payload, at most ETW_RECORD_MAX - ETW_EVENT_HEADER_SIZE
 * @open: for the end of the event
 *
 * If there is room, preemption is off until the end of the event: __etw_commit() if open->buffer is
 * not NULL, else __etw_end_several(), or __etw_cancel().  Until then the caller fills all of the
 * payload and does nothing that may sleep; an event that it writes meanwhile is a later one.
 * Any context, NMI included.
 *
 * Return: where the payload goes, 8-byte aligned; ETW_UNWANTED: no session takes the event;
 * NULL: call __etw_write() instead; ETW_EXAMINE: preemption is off, call __etw_examine() now.
 */
void *__etw_reserve(struct etw_provider *provider, const struct etw_event_descriptor *desc,
		    u32 size, struct etw_open *open)
{
	const struct etw_snapshot_entry *entry;
	const struct etw_snapshot *snapshot;

	preempt_disable_notrace();
	snapshot = rcu_dereference_sched(provider->snapshot);
	if (unlikely(!snapshot))
		return reserve_unwanted();
	if (static_branch_unlikely(&etw_activity_used))
		return reserve_nothing();
	if (unlikely(snapshot->way != ETW_WAY_ONE))
		return reserve_other(provider, desc, size, open, snapshot);
	entry = &snapshot->entries[0];
	if (unlikely(!etw_entry_passes(&entry->filter, desc->level, desc->keyword)))
		return reserve_unwanted();
	return reserve_in(provider, desc, size, open, entry->session, false);
}
EXPORT_SYMBOL_GPL(__etw_reserve);

/**
 * __etw_examine() - the rest of __etw_reserve(), if the payload decides
 * @provider: as for __etw_reserve()
 * @desc: likewise
 * @size: likewise
 * @open: as __etw_reserve() left it
 * @count: as for etw_write()
 * @data: the payload
 *
 * Return: as __etw_reserve(), but not ETW_EXAMINE.
 */
__no_stack_protector
void *__etw_examine(struct etw_provider *provider, const struct etw_event_descriptor *desc,
		    u32 size, struct etw_open *open, u32 count,
		    const struct etw_data_descriptor *data)
{
	const struct etw_snapshot_entry *entry;
	enum etw_payload_answer answer;

	answer = etw_plain_try_number(*open_snapshot(open), desc, data, count);
	if (answer == ETW_PAYLOAD_FAILS)
		return enable_and_return(ETW_UNWANTED);
	if (unlikely(answer == ETW_PAYLOAD_RUN))
		return reserve_nothing();
	/* Not kept in a register meanwhile. */
	entry = &(*open_snapshot(open))->entries[0];
	if (unlikely(!etw_entry_passes(&entry->filter, desc->level, desc->keyword)))
		return reserve_unwanted();
	return reserve_tsc(provider, desc, size, open, entry->session);
}
EXPORT_SYMBOL_GPL(__etw_examine);

/**
 * __etw_commit() - commit an event of one session
 * @buffer: what __etw_reserve() stored
 * @slot: bytes of the event's slot, header and padding included
 */
void __etw_commit(void *buffer, u64 slot)
{
	etw_plain_commit(buffer, slot);
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(__etw_commit);

/**
 * __etw_end_several() - commit an event of several sessions
 * @payload: what __etw_reserve() returned
 * @open: what it filled in
 *
 * Return: as etw_write().
 */
int __etw_end_several(const void *payload, struct etw_open *open)
{
	const u8 *slot = payload - ETW_EVENT_HEADER_SIZE;
	const struct open_several *several = open_several(open);
	u64 len = etw_record_slot(((const struct etw_event_header *)slot)->size);
	int ret = etw_plain_copy_all(several->places, several->end, 0, slot, len, ETW_SOURCE_TSC);

	etw_plain_commit(several->buf, len);
	preempt_enable_notrace();
	return ret;
}
EXPORT_SYMBOL_GPL(__etw_end_several);

/**
 * __etw_cancel() - end an event whose payload cannot be read
 * @payload: what __etw_reserve() returned
 * @open: what it filled in
 *
 * Return: as etw_write().
 */
int __etw_cancel(void *payload, struct etw_open *open)
{
	const struct open_several *several = open_several(open);
	u8 *slot = payload - ETW_EVENT_HEADER_SIZE;
	const struct etw_guid provider = ((struct etw_event_header *)slot)->provider;
	int ret;

	if (open->buffer)
		ret = etw_hotpath_unreadable(slot, open->buffer);
	else
		ret = etw_plain_unreadable(several->places, several->end, &provider, slot,
					   several->buf);
	preempt_enable_notrace();
	return ret;
}
EXPORT_SYMBOL_GPL(__etw_cancel);
