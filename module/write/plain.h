/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plain.h - the fast path of most events: a driver's, to sessions that take it as it is
 *
 * A snapshot is plain if every session has a buffer for each CPU and gets no items, and the
 * event is only payload: enum etw_way.  The rules of hotpath.c hold.  Until the first slot is
 * reserved an event has changed nothing but counts of undecided filters; so whatever is not
 * plain about it (a full buffer, an interrupt that wrote first, a payload that is too long)
 * sends it to hotpath.c, which begins again and counts what is lost.  After that only a payload
 * that cannot be read is left, for which the slot is given back.
 *
 * These writers do not count as nested ones, because they call nothing that can be traced, so
 * that a tracer's event cannot cause another one without end.  Where they do (a clock that is
 * a function of the kernel's, another buffer for a further session) they count.
 *
 * Further sessions get a copy of the first one's record before that is committed, because
 * then it is still the writer's.
 */
#ifndef ETW_WRITE_PLAIN_H
#define ETW_WRITE_PLAIN_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "core/record.h"
#include "core/ring.h"
#include "described.h"
#include "hot.h"
#include "hotpath.h"
#include "match.h"
#include "reserve.h"
#include "snapshot.h"

/* A session that takes the event, and this CPU's position in it, sampled before the time is read. */
struct etw_plain_place {
	struct etw_session_cpu *cpu;
	u64 cur;
};

static __always_inline void etw_plain_sample(struct etw_plain_place *place,
					     struct etw_session_hot *session)
{
	place->cpu = this_cpu_ptr(session->cpu);
	place->cur = etw_word_read(&place->cpu->rc.cur);
}

/* Fill in all but the size and the ids. */
static __always_inline void
etw_plain_describe(struct etw_record_source *source, const struct etw_provider *provider,
		   const struct etw_event_descriptor *desc, const struct etw_guid *activity,
		   const struct etw_guid *related, u32 count,
		   const struct etw_data_descriptor *data)
{
	/* An initializer would clear size and the padding as well. */
	source->provider = &provider->guid;
	source->desc = desc;
	source->activity = activity;
	source->related = related;
	source->data = data;
	source->count = count;
	source->type = ETW_TYPE_EVENT64;
	source->flags = ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE;
}

/* Does the number let the event pass, for ETW_WAY_NUMBER? */
static __always_inline enum etw_payload_answer
etw_plain_try_number(const struct etw_snapshot *snapshot, const struct etw_event_descriptor *desc,
		     const struct etw_data_descriptor *data, u32 count)
{
	if (desc->channel == ETW_CHANNEL_TRACELOGGING)
		return ETW_PAYLOAD_HOLDS;
	return etw_payload_try(&snapshot->entries[0].events->payload->quick, desc, data, count);
}

/* Does the only session's filter of the payload, if it has one, let the event pass? */
static __always_inline enum etw_payload_answer
etw_plain_try_payload(const struct etw_snapshot *snapshot, const struct etw_event_descriptor *desc,
		      const struct etw_data_descriptor *data, u32 count)
{
	const struct etw_event_filter *filter = snapshot->entries[0].events;

	if (!filter || !filter->payload || desc->channel == ETW_CHANNEL_TRACELOGGING)
		return ETW_PAYLOAD_HOLDS;
	return filter->payload->short_enough ?
		etw_payload_try(&filter->payload->quick, desc, data, count) : ETW_PAYLOAD_RUN;
}

/* The ids of the task, which the compiler reads in one load. */
static __always_inline u64 etw_plain_ids(void)
{
	const struct task_struct *task = current;

	return ETW_RECORD_IDS(task->pid, task->tgid);
}

/* In the session's buffers, which have size bytes.  false: nothing was done. */
static __always_inline bool etw_plain_reserve(const struct etw_session_hot *session, u32 size,
					      const struct etw_plain_place *place, u64 len,
					      u8 **slot, struct etw_buf **buf)
{
	u64 cur = place->cur;

	if (unlikely(!etw_ring_room(size, cur, len)) ||
	    unlikely(!etw_ring_claim(ETW_LOCAL, &place->cpu->rc, &cur, len)))
		return false;
	*slot = etw_ring_claimed(&session->ring, cur, buf);
	return true;
}

/* The size of a session's buffers, or 0 if its clock is not this one. */
static __always_inline u32 etw_plain_size(const struct etw_session_hot *session,
					  enum etw_clock_source clock)
{
	if (clock != ETW_SOURCE_TSC)
		return READ_ONCE(session->clock) == clock ? session->ring.size : 0;
	/* Only an NMI can meet the change. */
	return data_race(session->tsc_size);
}

/*
 * Read the TSC and reserve.  A session whose clock is another one has no buffers that are large
 * enough.  The clock may change if this is an NMI.
 */
static __always_inline bool etw_plain_reserve_tsc(const struct etw_session_hot *session,
						  const struct etw_plain_place *place, u64 len,
						  u8 **slot, struct etw_buf **buf, u64 *now)
{
	return likely(etw_clock_read_inline(ETW_SOURCE_TSC, now)) &&
	       etw_plain_reserve(session, etw_plain_size(session, ETW_SOURCE_TSC), place, len, slot,
				 buf);
}

/* Read any clock and reserve. */
static __always_inline bool etw_plain_reserve_any(const struct etw_session_hot *session,
						  const struct etw_plain_place *place, u64 len,
						  u8 **slot, struct etw_buf **buf, u64 *now)
{
	return likely(etw_hotpath_time(READ_ONCE(session->clock), now)) &&
	       etw_plain_reserve(session, session->ring.size, place, len, slot, buf);
}

/*
 * May the payer (see fair.h; 0: the kernel) write len bytes there without being asked more?  If
 * the session has a budget for users, or is short of buffers, hotpath.c asks.
 */
static __always_inline bool etw_plain_may_pay(const struct etw_plain_place *place, u64 payer,
					      u64 len)
{
	const struct etw_session_hot *s = place->cpu->session;

	return !payer ||
	       (likely(etw_ring_room(s->ring.size, place->cur, len) &&
		       !READ_ONCE(s->fair.budget_kb)) &&
		likely(READ_ONCE(etw_pool_buf(&s->ring.pool, ETW_CUR_INDEX(place->cur))->left) >=
		       etw_fair_reserve(&s->fair)));
}

/* On this CPU, whose buffer it is. */
static __always_inline void etw_plain_commit_on(struct etw_session_cpu *cpu, struct etw_buf *buf,
						u64 len)
{
	struct etw_ring *ring;

	local_inc(&cpu->written);
	if (etw_ring_complete(ETW_LOCAL, buf, len)) {
		ring = &cpu->session->ring;
		ring->ops->deliver(ring, buf);
	}
}

static __always_inline void etw_plain_commit(struct etw_buf *buf, u64 len)
{
	/* An interrupt may deliver the buffer as soon as its last record is committed. */
	etw_plain_commit_on(container_of(buf->rc, struct etw_session_cpu, rc), buf, len);
}

/*
 * Write a driver's event to the only session of the snapshot; source is complete but for its
 * size and ids.  Preemption is off.  source must not leave the caller, so that the compiler keeps
 * it in registers, unless payload: then the session may have a filter of the payload.  any: it may
 * select by id, and have any clock.  false: nothing was done; else *result is the result of the
 * write.
 */
static __always_inline bool etw_plain_write(const struct etw_snapshot *snapshot, bool any,
					    bool payload, struct etw_record_source *source,
					    int *result)
{
	const struct etw_snapshot_entry *entry = &snapshot->entries[0];
	const struct etw_event_filter *filter = any ? entry->events : NULL;
	u32 budget = ETW_FILTER_BUDGET;
	struct etw_plain_place place;
	struct etw_buf *buf;
	u64 now, len;
	u8 *slot;

	*result = 0;
	if (!etw_entry_passes(&entry->filter, source->desc->level, source->desc->keyword))
		return true;
	if (filter && !etw_match_id(&filter->ids, source->desc))
		return true;
	if (unlikely(etw_record_measure(source)))
		return false;
	if (payload && filter && filter->payload && !etw_match_payload(entry, source, &budget))
		return true;
	len = etw_record_slot(source->size);
	etw_plain_sample(&place, entry->session);
	if (unlikely(any ? !etw_plain_reserve_any(entry->session, &place, len, &slot, &buf, &now) :
			   !etw_plain_reserve_tsc(entry->session, &place, len, &slot, &buf, &now)))
		return false;
	source->ids = etw_plain_ids();
	if (likely(etw_record_write_plain(slot, source, now)))
		etw_plain_commit(buf, len);
	else
		*result = etw_hotpath_unreadable(slot, buf);
	return true;
}

/* Does any session of the snapshot ask for events like desc, by level and keyword? */
static __always_inline bool etw_plain_asked(const struct etw_snapshot *snapshot,
					    const struct etw_event_descriptor *desc)
{
	const struct etw_snapshot_entry *entry = snapshot->entries, *end = entry + snapshot->count;

	for (; entry < end; entry++)
		if (etw_entry_passes(&entry->filter, desc->level, desc->keyword))
			return true;
	return false;
}

/*
 * Sample the positions of the sessions that take the event; they end at the place that is
 * returned.  source: of the payload, if some of them have filters; else NULL.
 */
static __always_inline struct etw_plain_place *
etw_plain_choose(const struct etw_snapshot *snapshot, const struct etw_event_descriptor *desc,
		 const struct etw_record_source *source, struct etw_plain_place *place)
{
	const struct etw_snapshot_entry *entry = snapshot->entries, *end = entry + snapshot->count;
	const u64 keyword = desc->keyword;
	const u8 level = desc->level;
	u32 budget = ETW_FILTER_BUDGET;

	for (; entry < end; entry++) {
		if (!etw_entry_passes(&entry->filter, level, keyword))
			continue;
		if (source && entry->events &&
		    (!etw_match_id(&entry->events->ids, desc) ||
		     (entry->events->payload && !etw_match_payload(entry, source, &budget))))
			continue;
		etw_plain_sample(place++, entry->session);
	}
	return place;
}

/*
 * Copy the record, whose time is of this clock, to one more session; start:
 * etw_record_copy_start().  0, or the error of a lost event unless INDEPENDENT.
 */
static __always_inline int etw_plain_copy(const struct etw_plain_place *place, u64 payer,
					  const u8 *record, u64 start, u64 len,
					  enum etw_clock_source clock)
{
	struct etw_session_hot *session = place->cpu->session;
	struct etw_buf *buf;
	u8 *slot;

	if (unlikely(!etw_plain_may_pay(place, payer, len)) ||
	    unlikely(!etw_plain_reserve(session, etw_plain_size(session, clock), place, len, &slot,
					&buf)))
		return etw_hotpath_copy(session, payer, record, len);
	if (payer)
		etw_hot_paid(ETW_LOCAL, buf, payer);
	etw_record_copy_whole(slot, record, start, len);
	etw_plain_commit_on(place->cpu, buf, len);
	return 0;
}

/* Copy the record of the first place to all others.  As etw_plain_copy(), the first error. */
static __always_inline int etw_plain_copy_all(const struct etw_plain_place *place,
					      const struct etw_plain_place *end, u64 payer,
					      const u8 *record, u64 len,
					      enum etw_clock_source clock)
{
	u64 start = etw_record_copy_start(len);
	int err, ret = 0;

	/* The compiler would compute it for each session. */
	OPTIMIZER_HIDE_VAR(start);
	for (place++; place < end; place++) {
		err = etw_plain_copy(place, payer, record, start, len, clock);
		if (unlikely(err) && !ret)
			ret = err;
	}
	return ret;
}

/* The first session has this slot, but the payload cannot be read. */
static __always_inline int etw_plain_unreadable(const struct etw_plain_place *place,
						const struct etw_plain_place *end,
						const struct etw_guid *provider, u8 *slot,
						struct etw_buf *buf)
{
	int err, ret = etw_hotpath_unreadable(slot, buf);

	for (place++; place < end; place++) {
		err = etw_reserve_count_drop(place->cpu->session, ETW_DROP_COPY_FAULT, provider);
		if (!ret)
			ret = err;
	}
	return ret;
}

/* As etw_plain_write(), for several sessions, some of which have filters if filtered. */
static __always_inline bool etw_plain_write_all(const struct etw_snapshot *snapshot, bool filtered,
						struct etw_record_source *source, int *result)
{
	struct etw_plain_place places[ETW_PROVIDER_SESSIONS] UNINITIALIZED, *end;
	const struct etw_session_hot *session;
	enum etw_clock_source clock;
	struct etw_buf *buf;
	u64 now, len;
	u8 *slot;

	*result = 0;
	if (unlikely(etw_record_measure(source)))
		return false;
	end = etw_plain_choose(snapshot, source->desc, filtered ? source : NULL, places);
	if (end == places)
		return true;
	len = etw_record_slot(source->size);
	session = places->cpu->session;
	clock = READ_ONCE(session->clock);
	if (unlikely(!etw_hotpath_time(clock, &now)))
		return false;
	if (unlikely(!etw_plain_reserve(session, session->ring.size, places, len, &slot, &buf)))
		return false;
	source->ids = etw_plain_ids();
	if (unlikely(!etw_record_write_plain(slot, source, now))) {
		*result = etw_plain_unreadable(places, end, source->provider, slot, buf);
		return true;
	}
	*result = etw_plain_copy_all(places, end, 0, slot, len, clock);
	etw_plain_commit(buf, len);
	return true;
}

#endif /* ETW_WRITE_PLAIN_H */
