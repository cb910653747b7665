// SPDX-License-Identifier: GPL-2.0-only
/*
 * hotpath.c - the hot path: from a write to a record in every session's buffer
 *
 * plain.h is a shorter way for most events, by the same rules.
 *
 * Any context except one where RCU is not watching (the innermost idle loop,
 * kernel entry and exit code).  No lock, no allocation, no wakeup.
 *
 * With preemption off: read the provider's snapshot; for every session that takes
 * the event, sample the word that holds this CPU's position (rc.cur); then, for each of
 * them, read its clock, unless it was read for another one; then reserve from the sample.
 * A reservation fails if an interrupt wrote since the sample was taken; position and clock
 * are then read again, so time never runs backwards within a CPU's stream.  After a
 * reservation nothing can fail but the reading of a driver's payload, and the slot is given
 * back or committed before preemption is enabled again.
 *
 * Pairing: F of change.c with rcu_dereference_sched() here.  core/ring.h describes the
 * other barriers.
 */
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "core/ring.h"
#include "context.h"
#include "described.h"
#include "extended_items.h"
#include "hot.h"
#include "hotpath.h"
#include "match.h"
#include "opts.h"
#include "reserve.h"
#include "snapshot.h"

/*
 * The writers that may be active on one CPU before further ones have to ask
 * hotpath_enter_deep(): task, softirq, hardirq and NMI, doubled for faults and probes within
 * them.  At most ETW_NESTING_LIMIT.
 */
unsigned int etw_nesting_max = 8;

/* The writers that are active on each CPU */
DEFINE_PER_CPU(unsigned int, etw_hotpath_nesting);

/* The records on each CPU that are being made events, see system/trace_record.c */
DEFINE_PER_CPU(unsigned int, etw_hotpath_records);

/* See etw_hotpath_try_again(). */
DEFINE_PER_CPU(unsigned int [2], etw_hotpath_tries);

/* Those of them that went on although there were more than etw_nesting_max, by context */
static DEFINE_PER_CPU(unsigned int [ETW_CONTEXTS], nesting_deep);

/*
 * There are more writers than etw_nesting_max.  Those of the interrupted contexts must not
 * cost an interrupt its events, so each kind of interrupt may have ETW_NESTING_OWN more,
 * whatever the others have.  false: the event is lost.  As the count above ends every
 * recursion, nothing before it can be traced, and so call a writer: see Kbuild.
 */
static noinline bool hotpath_enter_deep(void)
{
	unsigned int context = etw_context_now();

	if (context == ETW_CONTEXT_TASK)
		return false;
	if (this_cpu_inc_return(nesting_deep[context]) <= ETW_NESTING_OWN)
		return true;
	this_cpu_dec(nesting_deep[context]);
	return false;
}

/* After hotpath_enter_deep() returned true. */
static void hotpath_leave_deep(void)
{
	this_cpu_dec(nesting_deep[etw_context_now()]);
}

/*
 * A task ends.  No writer is active on this CPU now, because writers do not sleep, and those
 * in interrupts of this function restore what they find: if a count is not 0, tasks died
 * in a write.
 */
void etw_hotpath_task_exits(void)
{
	preempt_disable_notrace();
	if (unlikely(this_cpu_read(etw_hotpath_nesting)))
		this_cpu_write(etw_hotpath_nesting, 0);
	if (unlikely(this_cpu_read(etw_hotpath_records)))
		this_cpu_write(etw_hotpath_records, 0);
	preempt_enable_notrace();
}

/*
 * Write one session's record.  cur: the sampled position; now: the time read after it;
 * payer: see fair.h, 0 in kernel-mode writes.
 */
static __always_inline int write_one(struct etw_session_hot *s,
				     const struct etw_record_source *source,
				     const struct etw_record_items *items,
				     u64 cur, u64 now, u64 payer)
{
	struct etw_session_cpu *sc = this_cpu_ptr(s->cpu);
	u32 len = etw_record_slot(source->size), tries = 0;
	struct etw_buf *buf;
	u8 *slot;

	if (unlikely(!etw_ring_fits(&s->ring, len)))
		return etw_reserve_count_drop(s, ETW_DROP_BUFFER_SIZE, source->provider);
	if (payer && etw_hot_over_budget(s, payer, len))
		return etw_reserve_count_drop(s, ETW_DROP_BUDGET, source->provider);
	for (;;) {
		if (likely(etw_ring_room(s->ring.size, cur, len))) {
			if (payer && unlikely(!etw_hot_may_use(s, payer, cur)))
				return etw_reserve_count_drop(s, etw_fair_cause(s, payer),
							      source->provider);
			slot = etw_ring_reserve(ETW_LOCAL, &s->ring, &sc->rc, cur,
						len, &buf);
			if (likely(slot))
				break;
		} else if (payer) {
			if (etw_fair_switch(ETW_LOCAL, s, &sc->rc, cur, payer))
				return etw_reserve_count_drop(s, etw_fair_cause(s, payer),
							      source->provider);
		} else if (etw_ring_switch(ETW_LOCAL, &s->ring, &sc->rc, cur, NULL)) {
			return etw_reserve_count_drop(s, ETW_DROP_NO_BUFFER, source->provider);
		}
		if (unlikely(!etw_hotpath_try_again(&tries, false)))
			return etw_reserve_count_drop(s, ETW_DROP_NESTING, source->provider);
		cur = etw_word_read(&sc->rc.cur);
		now = etw_clock_read(READ_ONCE(s->clock));
	}
	if (payer)
		etw_hot_paid(ETW_LOCAL, buf, payer);
	if (unlikely(etw_record_write_items(slot, source, items, now)))
		return etw_reserve_unreadable(s, &(struct etw_slot){ slot, len, now, buf }, source);
	etw_ring_commit(ETW_LOCAL, &s->ring, buf, len);
	local_inc(&sc->written);
	return 0;
}

/* The clocks that were read for this event: those in have. */
struct clocks {
	u32 have;
	u64 now[ETW_SOURCES];
};

/* The time for a session, whose source may change if this is an NMI. */
static __always_inline u64 session_time(const struct etw_session_hot *s, struct clocks *clocks)
{
	enum etw_clock_source clock = READ_ONCE(s->clock);

	if (!(clocks->have & BIT(clock)))
		clocks->now[clock] = etw_clock_read(clock);
	clocks->have |= BIT(clock);
	return clocks->now[clock];
}

/* Write to the sessions in wanted; cur[] has their sampled positions. */
static __always_inline int write_wanted(const struct etw_snapshot *snapshot,
					const struct etw_record_source *source,
					const struct etw_record_items *items,
					u32 wanted, const u64 *cur, u64 payer)
{
	struct clocks clocks UNINITIALIZED;
	struct etw_session_hot *s;
	u32 i, left;
	int err, ret = 0;

	clocks.have = 0;
	for (left = wanted; left; left &= left - 1) {
		i = __ffs(left);
		s = snapshot->entries[i].session;
		err = write_one(s, source, items, cur[i], session_time(s, &clocks), payer);
		if (unlikely(err) && !ret)
			ret = err;
	}
	return ret;
}

/*
 * Count the event as lost in every session in wanted.  Returns the first error from a
 * session that is not INDEPENDENT, else 0.
 */
static noinline int hotpath_drop_events(const struct etw_snapshot *snapshot, u32 wanted,
				u32 cause, const struct etw_guid *provider, u32 events)
{
	int err, ret = 0;

	for (; wanted; wanted &= wanted - 1) {
		err = etw_reserve_count_drops(snapshot->entries[__ffs(wanted)].session, cause,
					      provider, events);
		if (!ret)
			ret = err;
	}
	return ret;
}

static int hotpath_drop_wanted(const struct etw_snapshot *snapshot, u32 wanted, u32 cause,
			       const struct etw_guid *provider)
{
	return hotpath_drop_events(snapshot, wanted, cause, provider, 1);
}

/* The timestamp in extra is too early: use the first possible one, and add an item. */
static void clamp_time(struct etw_record_extra *to, const struct etw_record_extra *extra,
		       u64 after)
{
	*to = *extra;
	to->timestamp = after + 1;
	etw_record_add_extra(to, ETW_EXT_GIVEN_TIME, &extra->timestamp,
			     sizeof(extra->timestamp));
}

/*
 * As write_one(), with the items that the session asked for.  source has been measured with
 * extra.
 */
static __always_inline int write_items(struct etw_session_hot *s,
				       const struct etw_record_source *source,
				       const struct etw_items *built, u32 properties,
				       const struct etw_record_extra *extra,
				       u64 cur, u64 now, u64 payer)
{
	struct etw_record_source own = *source;
	u64 after = READ_ONCE(s->given_after);
	struct etw_record_extra late UNINITIALIZED;
	struct etw_record_items items;

	if (extra && extra->timestamp_given && extra->timestamp <= after) {
		clamp_time(&late, extra, after);
		own.size += late.size - extra->size;
		extra = &late;
	}
	etw_items_select(&items, built, properties);
	/* Better without the copy of the stack than lost. */
	if (properties & ETW_ENABLE_USER_STACK &&
	    (own.size + items.size > ETW_RECORD_MAX ||
	     !etw_ring_fits(&s->ring, own.size + items.size)))
		etw_items_select(&items, built, properties & ~ETW_ENABLE_USER_STACK);
	items.extra = extra;
	own.size += items.size;
	if (unlikely(own.size > ETW_RECORD_MAX))
		return etw_reserve_count_drop(s, ETW_DROP_EVENT_SIZE, source->provider);
	if (s->shared)
		return etw_reserve_write(s, &own, items.count || extra ? &items : NULL, payer);
	return write_one(s, &own, items.count || extra ? &items : NULL, cur, now, payer);
}

/* Sample the positions of the sessions in wanted. */
static __always_inline void sample(const struct etw_snapshot *snapshot, u32 wanted, u64 *cur)
{
	u32 i;

	for (; wanted; wanted &= wanted - 1) {
		i = __ffs(wanted);
		cur[i] = etw_word_read(&this_cpu_ptr(snapshot->entries[i].session->cpu)->rc.cur);
	}
}

static u64 payer_of(const struct etw_write_opts *opts)
{
	return opts ? opts->payer : 0;
}

/*
 * As write_wanted(), when some session asks for items or is shared, or the event has
 * extra items.  properties[]: of each session; all: their union.
 */
static noinline int write_wanted_items(const struct etw_snapshot *snapshot,
				       const struct etw_record_source *source,
				       const struct etw_write_opts *opts, u32 wanted,
				       const u32 *properties, u32 all,
				       const struct etw_record_extra *extra)
{
	u64 cur[ETW_PROVIDER_SESSIONS] UNINITIALIZED;
	struct clocks clocks UNINITIALIZED;
	const struct etw_items *built;
	struct etw_session_hot *s;
	u32 left, i;
	int err, ret = 0;

	built = all ? etw_items_build(all, this_cpu_read(etw_hotpath_nesting), source, opts) : NULL;
	/* Building takes time; sample, and read the clocks, after it. */
	sample(snapshot, wanted, cur);
	clocks.have = 0;
	for (left = wanted; left; left &= left - 1) {
		i = __ffs(left);
		s = snapshot->entries[i].session;
		err = write_items(s, source, built, properties[i], extra, cur[i],
				  session_time(s, &clocks), payer_of(opts));
		if (err && !ret)
			ret = err;
	}
	return ret;
}

/*
 * As write_wanted_items(), but no session asks for items or is shared, and the event has
 * no timestamp of its own; the caller has already added extra to source->size.
 */
static noinline int write_wanted_extra(const struct etw_snapshot *snapshot,
				       const struct etw_record_source *source, u32 wanted,
				       const struct etw_record_extra *extra, u64 payer)
{
	u64 cur[ETW_PROVIDER_SESSIONS] UNINITIALIZED;
	struct etw_record_items items UNINITIALIZED;

	items.extra = extra;
	items.count = 0;
	items.size = 0;
	sample(snapshot, wanted, cur);
	return write_wanted(snapshot, source, &items, wanted, cur, payer);
}

/* As write_wanted_items(), but there are more writers than etw_nesting_max. */
static noinline int write_chosen_deep(const struct etw_snapshot *snapshot,
				      const struct etw_record_source *source,
				      const struct etw_write_opts *opts, u32 wanted,
				      const u32 *properties, u32 all,
				      const struct etw_record_extra *extra)
{
	int ret;

	if (!hotpath_enter_deep())
		return hotpath_drop_wanted(snapshot, wanted, ETW_DROP_NESTING, source->provider);
	ret = write_wanted_items(snapshot, source, opts, wanted, properties, all, extra);
	hotpath_leave_deep();
	return ret;
}

/*
 * Write to the sessions in wanted.  properties[]: the items that each asks for; extra:
 * further items for all of them, or NULL.
 */
static noinline int write_chosen(const struct etw_snapshot *snapshot,
				 const struct etw_record_source *source,
				 const struct etw_write_opts *opts, u32 wanted,
				 const u32 *properties, const struct etw_record_extra *extra)
{
	u64 cur[ETW_PROVIDER_SESSIONS] UNINITIALIZED;
	u32 left, all = 0;
	int ret;

	for (left = wanted; left; left &= left - 1)
		all |= properties[__ffs(left)];
	if (unlikely(this_cpu_inc_return(etw_hotpath_nesting) > READ_ONCE(etw_nesting_max))) {
		ret = write_chosen_deep(snapshot, source, opts, wanted, properties, all, extra);
	} else if (extra && !all && !snapshot->shared && !extra->timestamp_given) {
		ret = write_wanted_extra(snapshot, source, wanted, extra, payer_of(opts));
	} else if (all || extra || snapshot->shared) {
		ret = write_wanted_items(snapshot, source, opts, wanted, properties, all, extra);
	} else {
		sample(snapshot, wanted, cur);
		ret = write_wanted(snapshot, source, NULL, wanted, cur, payer_of(opts));
	}
	this_cpu_dec(etw_hotpath_nesting);
	return ret;
}

/*
 * As write_wanted_extra(), but there are more writers than etw_nesting_max; extra may be
 * NULL.
 */
static noinline int write_deep(const struct etw_snapshot *snapshot,
			       const struct etw_record_source *source, u32 wanted,
			       const struct etw_record_extra *extra, u64 payer)
{
	int ret;

	if (!hotpath_enter_deep())
		return hotpath_drop_wanted(snapshot, wanted, ETW_DROP_NESTING, source->provider);
	ret = write_wanted_extra(snapshot, source, wanted, extra, payer);
	hotpath_leave_deep();
	return ret;
}

/* As write_slow(), for an event that may have a schema, traits or its own timestamp. */
static noinline int write_typed(const struct etw_snapshot *snapshot,
				const struct etw_record_source *source,
				const struct etw_write_opts *opts)
{
	u32 properties[ETW_PROVIDER_SESSIONS] UNINITIALIZED, wanted;
	struct etw_described event UNINITIALIZED;
	int err;

	if (!(opts && opts->describes) && !etw_match_any(snapshot, source->desc))
		return 0;
	event.source = *source;
	err = etw_described_read(&event, snapshot, opts);
	if (err == -EINVAL)
		return err;
	wanted = etw_match_sessions(snapshot, &(struct etw_match_event){
		source->desc, opts, &event.typed, &event.source, event.extra.typed, false,
		snapshot->one_event }, properties);
	if (!wanted)
		return 0;
	if (unlikely(err == -EFAULT))
		return hotpath_drop_wanted(snapshot, wanted, ETW_DROP_COPY_FAULT, source->provider);
	/* The metadata alone, or together with the payload, exceeds an event's maximum size. */
	if (err || event.source.size + event.extra.size > ETW_RECORD_MAX)
		return hotpath_drop_wanted(snapshot, wanted, ETW_DROP_EVENT_SIZE, source->provider);
	event.source.size += event.extra.size;
	return write_chosen(snapshot, &event.source, opts, wanted, properties, &event.extra);
}

/* Write an event with its own timestamp when no session asks for items. */
static noinline int write_dated(const struct etw_snapshot *snapshot,
				const struct etw_described *event, u32 wanted)
{
	u32 properties[ETW_PROVIDER_SESSIONS] = { 0 };

	return write_chosen(snapshot, &event->source, NULL, wanted, properties, &event->extra);
}

/*
 * As write_typed(), when only level and keyword select events and no session asks for
 * items or is shared.
 */
static noinline int write_described(const struct etw_snapshot *snapshot,
				    const struct etw_record_source *source)
{
	const struct etw_event_descriptor *desc = source->desc;
	struct etw_described event UNINITIALIZED;
	u32 i, wanted = 0;
	int err;

	for (i = 0; i < snapshot->count; i++)
		if (etw_entry_passes(&snapshot->entries[i].filter, desc->level, desc->keyword))
			wanted |= BIT(i);
	if (!wanted)
		return 0;
	event.source = *source;
	err = etw_described_read(&event, snapshot, NULL);
	if (unlikely(err == -EINVAL))
		return err;
	if (unlikely(err == -EFAULT))
		return hotpath_drop_wanted(snapshot, wanted, ETW_DROP_COPY_FAULT, source->provider);
	if (unlikely(err || event.source.size + event.extra.size > ETW_RECORD_MAX))
		return hotpath_drop_wanted(snapshot, wanted, ETW_DROP_EVENT_SIZE, source->provider);
	event.source.size += event.extra.size;
	if (unlikely(event.extra.timestamp_given))
		return write_dated(snapshot, &event, wanted);
	if (likely(this_cpu_inc_return(etw_hotpath_nesting) <= READ_ONCE(etw_nesting_max)))
		err = write_wanted_extra(snapshot, &event.source, wanted, &event.extra, 0);
	else
		err = write_deep(snapshot, &event.source, wanted, &event.extra, 0);
	this_cpu_dec(etw_hotpath_nesting);
	return err;
}

/* As etw_hotpath_write(), when filters, options, items, types or traits matter. */
static noinline int write_slow(const struct etw_snapshot *snapshot,
				  const struct etw_record_source *source,
				  const struct etw_write_opts *opts)
{
	u32 properties[ETW_PROVIDER_SESSIONS] UNINITIALIZED, wanted;

	if (!opts && !snapshot->filtered)
		return write_described(snapshot, source);
	if (snapshot->traits || snapshot->types || (opts && opts->typed))
		return write_typed(snapshot, source, opts);
	wanted = etw_match_sessions(snapshot, &(struct etw_match_event){
		source->desc, opts, NULL, source, false, false, false }, properties);
	if (!wanted)
		return 0;
	return write_chosen(snapshot, source, opts, wanted, properties, NULL);
}

/*
 * Choose the sessions that take an event when only level and keyword select it and none asks
 * for items, and sample their positions.
 */
static __always_inline u32 choose(const struct etw_snapshot *snapshot,
				  const struct etw_event_descriptor *desc, u64 *cur)
{
	u32 i, wanted = 0;

	for (i = 0; i < snapshot->count; i++) {
		if (!etw_entry_passes(&snapshot->entries[i].filter, desc->level, desc->keyword))
			continue;
		wanted |= BIT(i);
		cur[i] = etw_word_read(&this_cpu_ptr(snapshot->entries[i].session->cpu)->rc.cur);
	}
	return wanted;
}

/* Write to the sessions that choose() has chosen. */
static __always_inline int write_sampled(const struct etw_snapshot *snapshot,
					 const struct etw_record_source *source,
					 u32 wanted, const u64 *cur, u64 payer)
{
	int ret;

	if (likely(this_cpu_inc_return(etw_hotpath_nesting) <= READ_ONCE(etw_nesting_max)))
		ret = write_wanted(snapshot, source, NULL, wanted, cur, payer);
	else
		ret = write_deep(snapshot, source, wanted, NULL, payer);
	this_cpu_dec(etw_hotpath_nesting);
	return ret;
}

/*
 * Write a measured event.  opts is NULL for most events.
 *
 * Returns 0, even if no session takes the event; -EINVAL: its typed descriptors are
 * malformed; otherwise the first error from a session that is not INDEPENDENT.
 */
int etw_hotpath_write(const struct etw_provider *provider,
		    const struct etw_record_source *source,
		    const struct etw_write_opts *opts)
{
	u64 cur[ETW_PROVIDER_SESSIONS] UNINITIALIZED;
	const struct etw_snapshot *snapshot;
	int ret = 0;
	u32 wanted;

	preempt_disable_notrace();
	snapshot = rcu_dereference_sched(provider->snapshot);
	if (!snapshot)
		goto out;
	if (unlikely(snapshot->slow_path || (opts && !opts->plain))) {
		ret = write_slow(snapshot, source, opts);
		goto out;
	}
	wanted = choose(snapshot, source->desc, cur);
	if (wanted)
		ret = write_sampled(snapshot, source, wanted, cur, payer_of(opts));
out:
	preempt_enable_notrace();
	return ret;
}

/*
 * As etw_hotpath_write(), for a driver's event that has not been measured; preemption is off.
 * ETW_HOTPATH_UNDONE: nothing was done, because its size or an address is doubtful.
 */
int etw_hotpath_write_driver(const struct etw_snapshot *snapshot,
			     struct etw_record_source *source)
{
	u64 cur[ETW_PROVIDER_SESSIONS] UNINITIALIZED;
	u32 wanted;

	if (unlikely(snapshot->slow_path)) {
		if (unlikely(etw_record_measure(source)))
			return ETW_HOTPATH_UNDONE;
		return write_slow(snapshot, source, NULL);
	}
	wanted = choose(snapshot, source->desc, cur);
	if (!wanted)
		return 0;
	if (unlikely(etw_record_measure(source)))
		return ETW_HOTPATH_UNDONE;
	return write_sampled(snapshot, source, wanted, cur, 0);
}

static noinline int copy_counted(struct etw_session_hot *s, u64 payer, const u8 *record, u32 len)
{
	const struct etw_event_header *header = (const struct etw_event_header *)record;
	struct etw_slot slot;
	int err;

	if (!etw_reserve_slot(s, len, &header->provider, payer, &slot, &err))
		return err;
	etw_record_copy_whole(slot.at, record, etw_record_copy_start(len), len);
	((struct etw_event_header *)slot.at)->timestamp = slot.now;
	etw_reserve_commit(s, &slot);
	return 0;
}

/*
 * Write a copy of a record that plain.h has written for another session and not committed.
 * payer: see fair.h.  0, or the error of a lost event unless INDEPENDENT.
 */
noinline int etw_hotpath_copy(struct etw_session_hot *s, u64 payer, const u8 *record, u32 len)
{
	const struct etw_event_header *header = (const struct etw_event_header *)record;
	int ret;

	if (likely(this_cpu_inc_return(etw_hotpath_nesting) <= READ_ONCE(etw_nesting_max))) {
		ret = copy_counted(s, payer, record, len);
	} else if (hotpath_enter_deep()) {
		ret = copy_counted(s, payer, record, len);
		hotpath_leave_deep();
	} else {
		ret = etw_reserve_count_drop(s, ETW_DROP_NESTING, &header->provider);
	}
	this_cpu_dec(etw_hotpath_nesting);
	return ret;
}

/*
 * plain.h has reserved this slot and written the record's header, but cannot read the
 * payload: as etw_reserve_unreadable().
 */
noinline int etw_hotpath_unreadable(u8 *at, struct etw_buf *buf)
{
	const struct etw_event_header *header = (const struct etw_event_header *)at;
	const struct etw_guid provider = header->provider;
	const struct etw_record_source source = {
		.provider = &provider,
		.size = header->size,
		.thread_id = header->thread_id,
		.process_id = header->process_id,
		.type = header->type,
		.flags = header->flags,
	};
	const struct etw_slot slot = {
		.at = at,
		.len = etw_record_slot(source.size),
		.now = header->timestamp,
		.buf = buf,
	};

	return etw_reserve_unreadable(container_of(buf->rc, struct etw_session_cpu, rc)->session, &slot,
				      &source);
}

/*
 * Count so many events that could not be built, or ETW_LOSS_UNCOUNTED, as lost in every session
 * that would have taken them.  Payload filters let them pass, since there is no payload to test.
 * Returns the cause's error if one of these sessions is not INDEPENDENT, else 0.
 */
int etw_hotpath_drop_events(const struct etw_provider *provider,
			    const struct etw_event_descriptor *desc,
			    const struct etw_write_opts *opts, u32 cause, u32 events)
{
	struct etw_match_event ask = { .desc = desc, .opts = opts, .typed = opts ? opts->typed : NULL };
	u32 properties[ETW_PROVIDER_SESSIONS], wanted = 0;
	const struct etw_snapshot *snapshot;
	int ret = 0;

	preempt_disable_notrace();
	snapshot = rcu_dereference_sched(provider->snapshot);
	if (snapshot) {
		ask.unknown = !ask.typed && snapshot->types;
		wanted = etw_match_sessions(snapshot, &ask, properties);
	}
	if (wanted)
		ret = hotpath_drop_events(snapshot, wanted, cause, &provider->guid, events);
	preempt_enable_notrace();
	return ret;
}

int etw_hotpath_drop(const struct etw_provider *provider,
		     const struct etw_event_descriptor *desc,
		     const struct etw_write_opts *opts, u32 cause)
{
	return etw_hotpath_drop_events(provider, desc, opts, cause, 1);
}
