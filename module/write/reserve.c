// SPDX-License-Identifier: GPL-2.0-only
/*
 * reserve.c - reserve and commit off the fast path: in sessions whose CPUs share one
 * buffer (NO_PER_PROCESSOR), and for classic records
 *
 * Every CPU changes a shared buffer, so the ring's words are changed with the lock
 * prefix.  The rules of core/ring.h for one CPU and its interrupts then hold for all
 * CPUs:
 *  - cur is sampled, then the clock is read, and then the slot is reserved from the
 *    sample, so time does not run backwards within the buffer;
 *  - a CPU that finds the buffer in cur finds its header and its commit word as
 *    etw_ring_switch() left them: the compare-exchanges of cur are full barriers,
 *    after those stores on the installing CPU, before its own stores on this one;
 *  - the CPU whose addition completes a buffer sees all records in it: each
 *    writer's addition is a full barrier after its stores.
 * An old sample may equal the present word by chance; the reserved slot is valid then, too.
 */
#include <linux/atomic.h>
#include <linux/preempt.h>
#include <linux/processor.h>

#include "core/record.h"
#include "hot.h"
#include "hotpath.h"
#include "reserve.h"

/* Counts the messages of all sessions with ETW_MODE_GLOBAL_SEQUENCE. */
static atomic_t global_sequence;

static int drop_errno(u32 cause)
{
	switch (cause) {
	case ETW_DROP_BUFFER_SIZE:
		return -EMSGSIZE;
	case ETW_DROP_EVENT_SIZE:
		return -EOVERFLOW;
	case ETW_DROP_COPY_FAULT:
		return -EFAULT;
	default:
		return -ENOBUFS;
	}
}

/* Count lost events, or ETW_LOSS_UNCOUNTED, and note them for the ledger.  Preemption is off. */
static void count_drops(struct etw_session_hot *s, u32 cause, const struct etw_guid *provider,
			u64 first, u64 last, u64 events)
{
	struct etw_session_cpu *sc = this_cpu_ptr(s->cpu);

	local_add(events ?: 1, &sc->dropped[cause]);
	/* H of core/ring.h */
	etw_loss_note(&sc->lost[READ_ONCE(s->loss_slot)][cause], provider, first, last, events);
	/* After the count.  Many CPUs may drop at once: do not take the cache line each time. */
	if (!READ_ONCE(s->losing))
		WRITE_ONCE(s->losing, true);
}

/*
 * Count events of this provider, or ETW_LOSS_UNCOUNTED, as lost now, and note them for the
 * ledger.  Preemption is off.  Returns the result of the write: 0 for INDEPENDENT.
 */
int etw_reserve_count_drops(struct etw_session_hot *s, u32 cause,
			    const struct etw_guid *provider, u32 events)
{
	u64 now;

	/* Counting a loss must not cause the next one. */
	if (!etw_hotpath_time(READ_ONCE(s->clock), &now))
		now = ETW_LOSS_UNTIMED;
	count_drops(s, cause, provider, now, now, events);
	return s->independent ? 0 : drop_errno(cause);
}

/* The same for one */
int etw_reserve_count_drop(struct etw_session_hot *s, u32 cause,
			   const struct etw_guid *provider)
{
	return etw_reserve_count_drops(s, cause, provider, 1);
}

/* Count events of this provider, since a time on the session's clock, for ETW_DROP_PROBE. */
void etw_reserve_count_missed(struct etw_session_hot *s, const struct etw_guid *provider,
			      u64 since, u64 events)
{
	preempt_disable();
	count_drops(s, ETW_DROP_PROBE, provider, since, etw_clock_read(s->clock), events);
	preempt_enable();
}

/* The words of this CPU's buffer, or of the buffer that all CPUs share.  Preemption is off. */
static __always_inline struct etw_ring_cpu *ring_cpu(struct etw_session_hot *s)
{
	return s->shared ? &s->common.rc : &this_cpu_ptr(s->cpu)->rc;
}

/*
 * The buffer has no room: install another one.  0: try again; -ENOBUFS: there is none;
 * -EAGAIN: there is none, but another CPU is changing the buffer as well.  That CPU may
 * have taken the last free buffer and be about to install it, so the caller must not
 * drop the event yet.
 */
static int reserve_switch(struct etw_session_hot *s, struct etw_ring_cpu *rc, u64 cur,
			  u64 payer)
{
	int err, others;

	if (!s->shared)
		return payer ? etw_fair_switch(ETW_LOCAL, s, rc, cur, payer) :
			       etw_ring_switch(ETW_LOCAL, &s->ring, rc, cur, NULL);
	atomic_inc(&s->common.changing);
	err = payer ? etw_fair_switch(ETW_SHARED, s, rc, cur, payer) :
		      etw_ring_switch(ETW_SHARED, &s->ring, rc, cur, NULL);
	/* Full barrier: a CPU that is no longer counted has installed its buffer. */
	others = atomic_dec_return(&s->common.changing);
	if (!err)
		return 0;
	if (etw_word_read(&rc->cur) != cur)
		return 0;
	cpu_relax();
	return others ? -EAGAIN : err;
}

static u8 *reserve_try(struct etw_session_hot *s, struct etw_ring_cpu *rc, u64 cur, u32 len,
		   struct etw_buf **buf)
{
	if (s->shared)
		return etw_ring_reserve(ETW_SHARED, &s->ring, rc, cur, len, buf);
	return etw_ring_reserve(ETW_LOCAL, &s->ring, rc, cur, len, buf);
}

/*
 * Reserve len bytes, a multiple of 8, in any session.  The caller has disabled
 * preemption, and must commit the slot before enabling it.  False: the event, of this
 * provider, was counted as lost; *err is the result of the write, 0 for INDEPENDENT.  payer:
 * see fair.h; 0: the kernel.
 */
bool etw_reserve_slot(struct etw_session_hot *s, u32 len, const struct etw_guid *provider,
		      u64 payer, struct etw_slot *slot, int *err)
{
	struct etw_ring_cpu *rc = ring_cpu(s);
	u32 cause = ETW_DROP_NESTING, tries = 0, waits = 0;
	u64 cur;
	int ret;

	if (!etw_ring_fits(&s->ring, len)) {
		*err = etw_reserve_count_drop(s, ETW_DROP_BUFFER_SIZE, provider);
		return false;
	}
	if (payer && etw_hot_over_budget(s, payer, len)) {
		*err = etw_reserve_count_drop(s, ETW_DROP_BUDGET, provider);
		return false;
	}
	slot->len = len;
	do {
		cur = etw_word_read(&rc->cur);
		slot->now = etw_hot_now(s);
		if (!etw_ring_room(s->ring.size, cur, len)) {
			ret = reserve_switch(s, rc, cur, payer);
			if (!ret || (ret == -EAGAIN && ++waits < ETW_TRIES_MAX))
				continue;
			cause = etw_fair_cause(s, payer);
			break;
		}
		if (payer && unlikely(!etw_hot_may_use(s, payer, cur))) {
			cause = etw_fair_cause(s, payer);
			break;
		}
		slot->at = reserve_try(s, rc, cur, len, &slot->buf);
		if (slot->at) {
			if (payer)
				etw_hot_paid(s->shared ? ETW_SHARED : ETW_LOCAL, slot->buf, payer);
			return true;
		}
	} while (etw_hotpath_try_again(&tries, s->shared));
	*err = etw_reserve_count_drop(s, cause, provider);
	return false;
}

void etw_reserve_commit(struct etw_session_hot *s, const struct etw_slot *slot)
{
	if (s->shared)
		etw_ring_commit(ETW_SHARED, &s->ring, slot->buf, slot->len);
	else
		etw_ring_commit(ETW_LOCAL, &s->ring, slot->buf, slot->len);
	local_inc(&this_cpu_ptr(s->cpu)->written);
}

/*
 * The event for this slot could not be read: give the slot back, or commit a record in its
 * place that says so.  Counts the event as lost; returns the result of the write.
 */
noinline int etw_reserve_unreadable(struct etw_session_hot *s, const struct etw_slot *slot,
				    const struct etw_record_source *source)
{
	struct etw_buf *buf = slot->buf;

	if (s->shared ||
	    !etw_ring_undo(ring_cpu(s), buf, slot->at - buf->data, slot->len)) {
		etw_record_write_lost(slot->at, source, slot->now);
		etw_ring_commit_uncounted(s->shared ? ETW_SHARED : ETW_LOCAL, &s->ring, buf,
					  slot->len);
	}
	return etw_reserve_count_drop(s, ETW_DROP_COPY_FAULT, source->provider);
}

/* Write a measured event.  Returns 0, or the error of a lost event unless INDEPENDENT. */
int etw_reserve_write(struct etw_session_hot *s, const struct etw_record_source *source,
		    const struct etw_record_items *items, u64 payer)
{
	struct etw_slot slot;
	int err;

	if (!etw_reserve_slot(s, etw_record_slot(source->size), source->provider, payer, &slot,
			      &err))
		return err;
	if (unlikely(etw_record_write_items(slot.at, source, items, slot.now)))
		return etw_reserve_unreadable(s, &slot, source);
	etw_reserve_commit(s, &slot);
	return 0;
}

/*
 * Close the shared buffer if it holds records.  A writer that fills the buffer up in the
 * meantime closes it, as in close_here() of buffer.c.
 */
void etw_reserve_close_shared(struct etw_session_hot *s)
{
	struct etw_ring_cpu *rc = &s->common.rc;
	u64 first, cur;

	preempt_disable();
	first = etw_word_read(&rc->cur);
	for (cur = first; ETW_CUR_INDEX(cur) &&
	     ETW_CUR_GENERATION(cur) == ETW_CUR_GENERATION(first) &&
	     !etw_ring_close(ETW_SHARED, &s->ring, rc, cur);)
		cur = etw_word_read(&rc->cur);
	preempt_enable();
}

/* The number of the next message, from 1; 0 if the session does not count them. */
u32 etw_reserve_sequence(struct etw_session_hot *s)
{
	if (s->mode & ETW_MODE_GLOBAL_SEQUENCE)
		return atomic_inc_return(&global_sequence);
	if (s->mode & ETW_MODE_LOCAL_SEQUENCE)
		return atomic_inc_return(&s->sequence);
	return 0;
}
