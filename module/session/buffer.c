// SPDX-License-Identifier: GPL-2.0-only
/*
 * buffer.c - a session's buffers: memory, the table, closing, and the writers' counters
 *
 * The table maps an index to a buffer.  Writers index it with preemption disabled, so a
 * smaller table is freed a grace period after a larger one has replaced it.  A buffer
 * in the table stays there until the session is freed.
 */
#include <linux/cpu.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "alloc.h"
#include "buffer.h"
#include "write/reserve.h"

static struct etw_trace_session *session_of(struct etw_ring *ring)
{
	return container_of(ring, struct etw_trace_session, hot.ring);
}

/* ---------------------------------------- called by the ring, any context */

static u32 records(const struct etw_buf *buf)
{
	return ETW_COMMIT_COUNT(etw_word_read(&buf->commit));
}

/* A full buffer of a BUFFERING session is reused before any consumer has read it. */
static void count_overwritten(struct etw_trace_session *s, const struct etw_buf *buf)
{
	if (!records(buf))
		return;
	atomic64_inc(&s->overwritten_buffers);
	atomic64_add(records(buf), &s->overwritten_events);
}

/*
 * A CPU that goes down has run its last irq_work; an irq_work raised after that would
 * stay pending and keep every other CPU from raising it.  The same holds for a CPU that
 * comes up.  hotplug.c then has the delivered buffers handled.
 */
static void raise_irq_work(struct etw_trace_session *s)
{
	if (likely(cpu_online(raw_smp_processor_id())))
		irq_work_queue(&s->irq_work);
}

static void ring_deliver(struct etw_ring *ring, struct etw_buf *buf)
{
	struct etw_trace_session *s = session_of(ring);
	struct etw_buffer *b = etw_buffer_of(buf);

	if (s->hot.buffering) {
		/* The push fails while an interrupted pop holds its cell. */
		if (!records(buf) || !etw_fifo_push(&s->fifo, buf->index)) {
			count_overwritten(s, buf);
			etw_pool_push(&ring->pool, buf->index);
		}
		return;
	}
	/* B of core/ring.h */
	if (llist_add(&b->done, &s->done))
		raise_irq_work(s);
}

static u32 ring_evict(struct etw_ring *ring)
{
	struct etw_trace_session *s = session_of(ring);
	u32 index;

	if (!s->hot.buffering) {
		/*
		 * Let the worker grow the pool or drop a backlog.  Ask once: if it
		 * can do neither, every event comes through here.
		 */
		if (!READ_ONCE(s->dry)) {
			WRITE_ONCE(s->dry, true);
			raise_irq_work(s);
		}
		return 0;
	}
	index = etw_fifo_pop(&s->fifo);
	if (index)
		count_overwritten(s, etw_pool_buf(&ring->pool, index));
	return index;
}

/* Fill in the members that only the installing CPU knows; delivery fills in the others. */
static void ring_prepare(struct etw_ring *ring, struct etw_buf *buf)
{
	struct etw_buffer_header *h = (struct etw_buffer_header *)buf->data;
	struct etw_trace_session *s = session_of(ring);

	memset(h, 0, sizeof(*h));
	h->buffer_size = ring->size;
	h->clock = s->clock_type | s->clock_freq << ETW_CLOCK_FREQ_SHIFT;
	h->processor = buf->cpu;
	h->logger_id = s->hot.logger_id;
	h->flags = ETW_BUFFER_PROCESSOR_INDEX;
	h->ref_time = etw_clock_wall();
	h->ref_clock = etw_clock_read(s->hot.clock);
}

static void ring_installed(struct etw_ring *ring)
{
	struct etw_trace_session *s = session_of(ring);

	/*
	 * The flush timer runs only while some CPU has a buffer.  D pairs with
	 * etw_deliver_flush(), which clears the flag, waits a grace period and then
	 * looks for buffers: either it sees this buffer, or this CPU sees the flag cleared.
	 */
	if (!s->hot.buffering && !READ_ONCE(s->flush_armed))
		raise_irq_work(s);
}

const struct etw_ring_ops etw_session_ring_ops = {
	.deliver = ring_deliver,
	.evict = ring_evict,
	.prepare = ring_prepare,
	.installed = ring_installed,
};

/* ------------------------------------------------------------------ memory */

/* The number of table entries for max_buffers pool buffers; index 0 is unused. */
u32 etw_buffers_capacity(const struct etw_trace_session *s, u32 max_buffers)
{
	/* The snapshot of a BUFFERING session may hold a whole ring of buffers. */
	return 1 + max_buffers * (s->hot.buffering ? 2 : 1) + 2 * ETW_CONSUMERS_MAX;
}

/* Make room for capacity entries. */
int etw_buffers_reserve(struct etw_trace_session *s, u32 capacity)
{
	struct etw_buf **old = s->hot.ring.pool.table, **table;

	lockdep_assert_held(&s->lock);
	if (capacity <= s->capacity)
		return 0;
	table = kvcalloc(capacity, sizeof(*table), ETW_GFP);
	if (!table)
		return -ENOMEM;
	if (old)
		memcpy(table, old, s->capacity * sizeof(*table));
	/* E: entries before the pointer; writers index through the pointer they load */
	smp_store_release(&s->hot.ring.pool.table, table);
	s->capacity = capacity;
	if (old) {
		/* E: no writer looks for the new indices in the old table */
		synchronize_rcu();
		kvfree(old);
	}
	return 0;
}

/* Growing is optional: fail rather than invoke the OOM killer. */
#define BUFFER_GFP	(ETW_GFP | __GFP_NORETRY)

/*
 * Allocate a buffer, which is in the table but not in the pool, and charge it to
 * s->memcg.  NULL: no memory or no table entry.  Sleeps.
 */
struct etw_buffer *etw_buffer_alloc(struct etw_trace_session *s)
{
	struct mem_cgroup *old;
	struct etw_buffer *b;

	lockdep_assert_held(&s->lock);
	if (s->total + 1 >= s->capacity)
		return NULL;
	old = set_active_memcg(s->memcg);
	b = kzalloc(sizeof(*b), BUFFER_GFP);
	if (b)
		b->buf.data = __vmalloc(s->hot.ring.size, BUFFER_GFP | __GFP_ZERO);
	set_active_memcg(old);
	if (!b || !b->buf.data) {
		kfree(b);
		return NULL;
	}
	b->buf.index = ++s->total;
	INIT_LIST_HEAD(&b->node);
	/* A: a writer can find the index in the pool only after this store */
	WRITE_ONCE(s->hot.ring.pool.table[b->buf.index], &b->buf);
	return b;
}

/* Make the buffer free again. */
void etw_buffer_recycle(struct etw_trace_session *s, struct etw_buffer *b)
{
	lockdep_assert_held(&s->lock);
	if (s->hot.buffering) {
		list_add(&b->node, &s->spare);
		return;
	}
	etw_pool_push(&s->hot.ring.pool, b->buf.index);
	WRITE_ONCE(s->dry, false);
}

/* Make the table and the first min_buffers, all free.  Undo: etw_buffers_free(). */
int etw_buffers_init(struct etw_trace_session *s)
{
	struct etw_fifo_cell *cells;
	struct etw_buffer *b;
	u32 i, count;
	int err;

	mutex_lock(&s->lock);
	err = etw_buffers_reserve(s, etw_buffers_capacity(s, s->max_buffers));
	if (err)
		goto out;
	if (s->hot.buffering) {
		count = roundup_pow_of_two(2 * s->min_buffers);
		cells = kvcalloc(count, sizeof(*cells), ETW_GFP);
		err = -ENOMEM;
		if (!cells)
			goto out;
		etw_fifo_init(&s->fifo, cells, count);
	}
	for (i = 0; i < s->min_buffers; i++) {
		b = etw_buffer_alloc(s);
		err = -ENOMEM;
		if (!b)
			goto out;
		etw_pool_push(&s->hot.ring.pool, b->buf.index);
		cond_resched();
	}
	err = 0;
out:
	mutex_unlock(&s->lock);
	return err;
}

/* Also frees the buffers of a session whose setup failed halfway. */
void etw_buffers_free(struct etw_trace_session *s)
{
	struct etw_buffer *b;
	u32 i;

	for (i = 1; i <= s->total; i++) {
		b = etw_buffer_of(s->hot.ring.pool.table[i]);
		vfree(b->buf.data);
		kfree(b);
		cond_resched();
	}
	kvfree(s->hot.ring.pool.table);
	kvfree(s->fifo.cells);
}

/* ----------------------------------------------------------------- closing */

/* No writer may be using the CPU's words. */
void etw_buffers_close_cpu(struct etw_trace_session *s, int cpu)
{
	struct etw_ring_cpu *rc = &per_cpu_ptr(s->hot.cpu, cpu)->rc;

	etw_ring_close(ETW_LOCAL, &s->hot.ring, rc, etw_word_read(&rc->cur));
}

static bool cpu_holds_records(int cpu, void *info)
{
	struct etw_trace_session *s = info;

	return etw_ring_holds(etw_word_read(&per_cpu_ptr(s->hot.cpu, cpu)->rc.cur));
}

/*
 * Runs on the CPU itself with interrupts off.  An NMI may still write in between, and
 * so may a probe on a function called here, at every try.  Then the buffer fills up,
 * the writer that fills it closes it, and the next buffer holds nothing from before
 * the flush.
 */
static void close_here(void *info)
{
	struct etw_trace_session *s = info;
	struct etw_ring_cpu *rc = &this_cpu_ptr(s->hot.cpu)->rc;
	u64 first = etw_word_read(&rc->cur), cur = first;

	while (etw_ring_holds(cur) &&
	       ETW_CUR_GENERATION(cur) == ETW_CUR_GENERATION(first) &&
	       !etw_ring_close(ETW_LOCAL, &s->hot.ring, rc, cur))
		cur = etw_word_read(&rc->cur);
}

/* Close the buffers of the online CPUs, except those without records. */
void etw_buffers_close_online(struct etw_trace_session *s)
{
	if (s->hot.shared) {
		etw_reserve_close_shared(&s->hot);
		return;
	}
	cpus_read_lock();
	on_each_cpu_cond_mask(cpu_holds_records, close_here, s, true,
			      cpu_online_mask);
	cpus_read_unlock();
}

/* Close all buffers.  No writer may be left. */
void etw_buffers_close_all(struct etw_trace_session *s)
{
	int cpu;

	etw_reserve_close_shared(&s->hot);
	for_each_possible_cpu(cpu)
		etw_buffers_close_cpu(s, cpu);
}

/* ---------------------------------------------------------------- counters */

/* Return the number of events dropped by the write side; cause, if not NULL, gets each one. */
u64 etw_session_dropped(struct etw_trace_session *s, u64 cause[ETW_DROP_CAUSES])
{
	u64 sum, total = 0;
	int cpu, i;

	for (i = 0; i < ETW_DROP_CAUSES; i++) {
		sum = 0;
		for_each_possible_cpu(cpu)
			sum += local_read(&per_cpu_ptr(s->hot.cpu, cpu)->dropped[i]);
		if (cause)
			cause[i] = sum;
		total += sum;
	}
	return total;
}

/*
 * Return the number of events that the session lost on the way into its buffers and in
 * them.  An abandoned buffer has an event that was never finished, besides the others.
 */
u64 etw_session_lost(struct etw_trace_session *s)
{
	return etw_session_dropped(s, NULL) + READ_ONCE(s->abandoned_events) +
	       READ_ONCE(s->abandoned_buffers);
}

u64 etw_session_written(struct etw_trace_session *s)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += local_read(&per_cpu_ptr(s->hot.cpu, cpu)->written);
	return sum;
}
