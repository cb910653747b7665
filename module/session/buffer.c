// SPDX-License-Identifier: GPL-2.0-only
/*
 * buffer.c - a session's buffers: memory, the table, closing, CPU hotplug
 *
 * The table maps an index to a buffer.  Writers index it with preemption
 * disabled, so a larger table replaces it after a grace period.  A buffer once
 * in the table stays until the session is freed.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "alloc.h"
#include "write/reserve.h"
#include "session.h"

static enum cpuhp_state dead_state, online_state;

static struct etw_trace_session *session_of(struct etw_ring *ring)
{
	return container_of(ring, struct etw_trace_session, ring);
}

/* ---------------------------------------- called by the ring, any context */

static u32 records(const struct etw_buf *buf)
{
	return ETW_COMMIT_COUNT(etw_word_read(&buf->commit));
}

/* A full buffer of a BUFFERING session goes without having been seen. */
static void overwritten(struct etw_trace_session *s, const struct etw_buf *buf)
{
	if (!records(buf))
		return;
	atomic64_inc(&s->overwritten_buffers);
	atomic64_add(records(buf), &s->overwritten_events);
}

/*
 * A CPU that is on its way down has run its last irq_work; one raised after
 * that would stay pending and keep every other CPU from raising it.  The same
 * on the way up.  There cpu_dead() and cpu_came_up() see to what was delivered.
 */
static void raise(struct etw_trace_session *s)
{
	if (likely(cpu_online(raw_smp_processor_id())))
		irq_work_queue(&s->irq_work);
}

static void ring_deliver(struct etw_ring *ring, struct etw_buf *buf)
{
	struct etw_trace_session *s = session_of(ring);
	struct etw_buffer *b = etw_buffer_of(buf);

	if (s->buffering) {
		/* No push: its cell is held up by an interrupted pop. */
		if (!records(buf) || !etw_fifo_push(&s->fifo, buf->index)) {
			overwritten(s, buf);
			etw_pool_push(&ring->pool, buf->index);
		}
		return;
	}
	/* B of core/ring.h */
	if (llist_add(&b->done, &s->done))
		raise(s);
}

static u32 ring_evict(struct etw_ring *ring)
{
	struct etw_trace_session *s = session_of(ring);
	u32 index;

	if (!s->buffering) {
		/*
		 * Let the worker grow the pool or drop a backlog; once, for
		 * where it can do neither, every event comes through here.
		 */
		if (!READ_ONCE(s->dry)) {
			WRITE_ONCE(s->dry, true);
			raise(s);
		}
		return 0;
	}
	index = etw_fifo_pop(&s->fifo);
	if (index)
		overwritten(s, etw_pool_buf(&ring->pool, index));
	return index;
}

/* The members that only the installing CPU knows; delivery fills the others. */
static void ring_prepare(struct etw_ring *ring, struct etw_buf *buf)
{
	struct etw_buffer_header *h = (struct etw_buffer_header *)buf->data;
	struct etw_trace_session *s = session_of(ring);

	memset(h, 0, sizeof(*h));
	h->buffer_size = ring->size;
	h->clock = s->clock_type | s->clock_freq << ETW_CLOCK_FREQ_SHIFT;
	h->processor = buf->cpu;
	h->logger_id = s->logger_id;
	h->flags = ETW_BUFFER_PROCESSOR_INDEX;
	h->ref_time = etw_clock_wall();
	h->ref_clock = etw_clock_read(s->clock);
}

static void ring_installed(struct etw_ring *ring)
{
	struct etw_trace_session *s = session_of(ring);

	/*
	 * The flush timer runs only while some CPU has a buffer.  D pairs with
	 * etw_deliver_flush(): that clears the flag before it waits for writers
	 * and looks for buffers, so either it sees this one or we see the flag
	 * cleared.  (A grace period stands between the two there.)
	 */
	if (!s->buffering && !READ_ONCE(s->flush_armed))
		raise(s);
}

const struct etw_ring_ops etw_session_ring_ops = {
	.deliver = ring_deliver,
	.evict = ring_evict,
	.prepare = ring_prepare,
	.installed = ring_installed,
};

/* ------------------------------------------------------------------ memory */

/* Entries the table needs for this many pool buffers, index 0 unused. */
u32 etw_buffers_capacity(const struct etw_trace_session *s, u32 max_buffers)
{
	/* A BUFFERING session may have a whole ring out as a snapshot. */
	return 1 + max_buffers * (s->buffering ? 2 : 1) + 2 * ETW_CONSUMERS_MAX;
}

/* Make room for capacity entries. */
int etw_buffers_reserve(struct etw_trace_session *s, u32 capacity)
{
	struct etw_buf **old = s->ring.pool.table, **table;

	lockdep_assert_held(&s->lock);
	if (capacity <= s->capacity)
		return 0;
	table = kvcalloc(capacity, sizeof(*table), ETW_GFP);
	if (!table)
		return -ENOMEM;
	if (old)
		memcpy(table, old, s->capacity * sizeof(*table));
	/* E: entries before pointer; writers index through the pointer they load */
	smp_store_release(&s->ring.pool.table, table);
	s->capacity = capacity;
	if (old) {
		/* E: nobody looks for the new indices in the old table */
		synchronize_rcu();
		kvfree(old);
	}
	return 0;
}

/* Rather no buffer than somebody else's death: growing is a wish. */
#define BUFFER_GFP	(ETW_GFP | __GFP_NORETRY)

/*
 * A new buffer, in the table but nobody's, charged to the session's starter.
 * NULL: out of memory or table entries.  Sleeps.
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
		b->buf.data = __vmalloc(s->ring.size, BUFFER_GFP | __GFP_ZERO);
	set_active_memcg(old);
	if (!b || !b->buf.data) {
		kfree(b);
		return NULL;
	}
	b->buf.index = ++s->total;
	INIT_LIST_HEAD(&b->node);
	/* A writer finds the index in the pool only after this store (A). */
	WRITE_ONCE(s->ring.pool.table[b->buf.index], &b->buf);
	return b;
}

/* The table and the first min_buffers, all free.  Undo: etw_buffers_free(). */
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
	if (s->buffering) {
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
		etw_pool_push(&s->ring.pool, b->buf.index);
		cond_resched();
	}
	err = 0;
out:
	mutex_unlock(&s->lock);
	return err;
}

/* Takes a half-built session too. */
void etw_buffers_free(struct etw_trace_session *s)
{
	struct etw_buffer *b;
	u32 i;

	for (i = 1; i <= s->total; i++) {
		b = etw_buffer_of(s->ring.pool.table[i]);
		vfree(b->buf.data);
		kfree(b);
		cond_resched();
	}
	kvfree(s->ring.pool.table);
	kvfree(s->fifo.cells);
}

/* ----------------------------------------------------------------- closing */

static void close_cpu(struct etw_trace_session *s, int cpu)
{
	struct etw_ring_cpu *rc = &per_cpu_ptr(s->cpu, cpu)->rc;

	etw_ring_close(ETW_LOCAL, &s->ring, rc, etw_word_read(&rc->cur));
}

static bool cpu_holds_records(int cpu, void *info)
{
	struct etw_trace_session *s = info;

	return etw_ring_holds(etw_word_read(&per_cpu_ptr(s->cpu, cpu)->rc.cur));
}

/*
 * On the CPU itself, interrupts off: an NMI may still write in between, and a
 * probe on what is called here at every try.  Then the buffer fills up, whoever
 * fills it closes it, and the next one holds nothing from before the flush.
 */
static void close_here(void *info)
{
	struct etw_trace_session *s = info;
	struct etw_ring_cpu *rc = &this_cpu_ptr(s->cpu)->rc;
	u64 first = etw_word_read(&rc->cur), cur = first;

	while (etw_ring_holds(cur) &&
	       ETW_CUR_GENERATION(cur) == ETW_CUR_GENERATION(first) &&
	       !etw_ring_close(ETW_LOCAL, &s->ring, rc, cur))
		cur = etw_word_read(&rc->cur);
}

/* Close what the online CPUs hold; those without records are left alone. */
void etw_buffers_close_online(struct etw_trace_session *s)
{
	if (s->shared) {
		etw_place_close(s);
		return;
	}
	cpus_read_lock();
	on_each_cpu_cond_mask(cpu_holds_records, close_here, s, true,
			      cpu_online_mask);
	cpus_read_unlock();
}

/* Close everything, when no writer can be left. */
void etw_buffers_close_all(struct etw_trace_session *s)
{
	int cpu;

	etw_place_close(s);
	for_each_possible_cpu(cpu)
		close_cpu(s, cpu);
}

static void kick_all(void)
{
	struct etw_trace_session *s;

	rcu_read_lock();
	list_for_each_entry_rcu(s, &etw_sessions, node)
		etw_deliver_kick(s);
	rcu_read_unlock();
}

/* The CPU is dead: nobody else touches its words. */
static int cpu_dead(unsigned int cpu)
{
	struct etw_trace_session *s;

	rcu_read_lock();
	list_for_each_entry_rcu(s, &etw_sessions, node)
		close_cpu(s, cpu);
	rcu_read_unlock();
	kick_all();
	return 0;
}

static int cpu_came_up(unsigned int cpu)
{
	kick_all();
	return 0;
}

int etw_hotplug_init(void)
{
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "etw:buffers",
					NULL, cpu_dead);
	if (ret < 0)
		return ret;
	dead_state = ret;
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "etw:online",
					cpu_came_up, NULL);
	if (ret < 0) {
		cpuhp_remove_state_nocalls(dead_state);
		return ret;
	}
	online_state = ret;
	return 0;
}

void etw_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(online_state);
	cpuhp_remove_state_nocalls(dead_state);
}
