// SPDX-License-Identifier: GPL-2.0-only
/*
 * reserve.c - reserving and committing off the fast path: in sessions whose CPUs
 * share one buffer (NO_PER_PROCESSOR), and for records that are no EVENT_HEADER
 *
 * A shared place is changed by every CPU, so with the lock prefix.  What
 * core/ring.h says of one CPU and its interrupts goes for all CPUs then:
 *  - cur is sampled, the clock read after that, and the slot reserved from the
 *    sample, so time does not run backwards within the buffer;
 *  - a CPU that finds the buffer in cur finds its header and its commit word as
 *    etw_ring_switch() made them: the compare-exchanges of cur are full
 *    barriers, on the installing CPU after those stores, here before our own;
 *  - whoever's addition completes a buffer has seen all records in it: each
 *    writer's addition is a full barrier after its stores.
 * A sample may be old and equal the present word by chance: the slot is as good.
 */
#include <linux/atomic.h>
#include <linux/preempt.h>
#include <linux/processor.h>

#include "core/record.h"
#include "reserve.h"
#include "hotpath.h"

/* As TRIES_MAX of hotpath.c: of one CPU, whose tries only its own interrupts foil. */
#define TRIES_MAX	100U

/* Messages of all sessions with ETW_MODE_GLOBAL_SEQUENCE. */
static atomic_t global_sequence;

/*
 * The place has no room.  0: try again; -ENOBUFS; -EAGAIN: there is no buffer, but
 * another CPU changes it as well.  It may have taken the last one and be about to
 * install it; no event is lost for that.
 */
static int change_buffer(struct etw_trace_session *s, struct etw_ring_cpu *rc, u64 cur)
{
	int err, others;

	if (!s->shared)
		return etw_ring_switch(ETW_LOCAL, &s->ring, rc, cur);
	atomic_inc(&s->common.changing);
	err = etw_ring_switch(ETW_SHARED, &s->ring, rc, cur);
	/* Full barrier: whoever is not counted any more has installed its buffer. */
	others = atomic_dec_return(&s->common.changing);
	if (!err)
		return 0;
	if (etw_word_read(&rc->cur) != cur)
		return 0;
	cpu_relax();
	return others ? -EAGAIN : err;
}

static u8 *reserve(struct etw_trace_session *s, struct etw_ring_cpu *rc, u64 cur, u32 len,
		   struct etw_buf **buf)
{
	if (s->shared)
		return etw_ring_reserve(ETW_SHARED, &s->ring, rc, cur, len, buf);
	return etw_ring_reserve(ETW_LOCAL, &s->ring, rc, cur, len, buf);
}

/*
 * Reserve len bytes, a multiple of 8, in any session.  Preemption is off, and
 * stays off until the slot is committed, which nothing may prevent.  False: the
 * event is counted as lost, and *err is what the writer is told, maybe 0.
 */
bool etw_place_reserve(struct etw_trace_session *s, u32 len, struct etw_slot *slot,
		       int *err)
{
	u32 left = s->shared ? TRIES_MAX * nr_cpu_ids : TRIES_MAX, waits = 0;
	struct etw_ring_cpu *rc = etw_place(s);
	u32 cause = ETW_DROP_NESTING;
	u64 cur;
	int ret;

	if (!etw_ring_fits(&s->ring, len)) {
		*err = etw_trace_dropped(s, ETW_DROP_BUFFER_SIZE);
		return false;
	}
	slot->len = len;
	for (; left; left--) {
		cur = etw_word_read(&rc->cur);
		slot->now = s->shared ? etw_clock_read_ordered(s->clock) :
					etw_clock_read(s->clock);
		if (!etw_ring_room(&s->ring, cur, len)) {
			ret = change_buffer(s, rc, cur);
			if (!ret || (ret == -EAGAIN && ++waits < TRIES_MAX))
				continue;
			cause = ETW_DROP_NO_BUFFER;
			break;
		}
		slot->at = reserve(s, rc, cur, len, &slot->buf);
		if (slot->at)
			return true;
	}
	*err = etw_trace_dropped(s, cause);
	return false;
}

void etw_place_commit(struct etw_trace_session *s, const struct etw_slot *slot)
{
	if (s->shared)
		etw_ring_commit(ETW_SHARED, &s->ring, slot->buf, slot->len);
	else
		etw_ring_commit(ETW_LOCAL, &s->ring, slot->buf, slot->len);
	local_inc(&this_cpu_ptr(s->cpu)->written);
}

/* Write a measured event.  As write_one() of hotpath.c. */
int etw_place_write(struct etw_trace_session *s, const struct etw_record_source *source,
		    const struct etw_record_items *items)
{
	struct etw_slot slot;
	int err;

	if (!etw_place_reserve(s, etw_record_slot(source->size), &slot, &err))
		return err;
	etw_record_write_items(slot.at, source, items, slot.now);
	etw_place_commit(s, &slot);
	return 0;
}

/*
 * Close the shared buffer if it holds records.  As close_here() of buffer.c:
 * if it is filled up meanwhile, whoever does so closes it.
 */
void etw_place_close(struct etw_trace_session *s)
{
	struct etw_ring_cpu *rc = &s->common.rc;
	u64 first, cur;

	preempt_disable();
	first = etw_word_read(&rc->cur);
	for (cur = first; etw_ring_holds(cur) &&
	     ETW_CUR_GENERATION(cur) == ETW_CUR_GENERATION(first) &&
	     !etw_ring_close(ETW_SHARED, &s->ring, rc, cur);)
		cur = etw_word_read(&rc->cur);
	preempt_enable();
}

/* The number of a message, from 1; 0 in a session that counts none. */
u32 etw_place_sequence(struct etw_trace_session *s)
{
	if (s->mode & ETW_MODE_GLOBAL_SEQUENCE)
		return atomic_inc_return(&global_sequence);
	if (s->mode & ETW_MODE_LOCAL_SEQUENCE)
		return atomic_inc_return(&s->sequence);
	return 0;
}
