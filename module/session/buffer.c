// SPDX-License-Identifier: GPL-2.0-only
/*
 * buffer.c - a session's buffers: memory, the table, closing, and the writers' counters
 *
 * The table maps an index to a buffer.  Writers index it with preemption disabled, so a
 * smaller table is freed a grace period after a larger one has replaced it.  A buffer
 * in the table stays there until the session is freed, because a pop may look at one that has
 * left the pool; its memory may be given back earlier, see shrink.c.
 */
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "alloc.h"
#include "buffer.h"
#include "buffer_pages.h"
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
		/* The queue has a cell for each buffer of the writers. */
		if (records(buf) && !WARN_ON_ONCE(!etw_fifo_push(&s->fifo, buf->index)))
			return;
		count_overwritten(s, buf);
		etw_pool_push(&ring->pool, buf->index);
		return;
	}
	b->charged = 1 + etw_fair_charge(&s->hot.fair, buf->payer);
	/* B of core/ring.h */
	if (llist_add(&b->done, &s->done))
		raise_irq_work(s);
}

/* Has the worker not been asked since it could try again to grow the pool? */
static bool growth_unasked(const struct etw_growth *growth)
{
	return unlikely(READ_ONCE(growth->ask)) &&
	       time_after_eq(jiffies, READ_ONCE(growth->after));
}

/*
 * Let the worker grow the pool, drop a backlog, or look for buffers of dead writers.  Ask once:
 * if it can do nothing, every event comes through here.
 */
static void ring_ask(struct etw_trace_session *s, const struct etw_ring_asker *asker)
{
	u8 dry = asker && asker->level < ETW_FAIR_USER ? ETW_DRY_OVER : ETW_DRY;

	if (READ_ONCE(s->dry) < dry || growth_unasked(&s->growth)) {
		WRITE_ONCE(s->growth.ask, false);
		WRITE_ONCE(s->dry, max(dry, READ_ONCE(s->dry)));
		raise_irq_work(s);
	}
}

static u32 ring_evict(struct etw_ring *ring, const struct etw_ring_asker *asker)
{
	struct etw_trace_session *s = session_of(ring);
	u32 index = s->hot.buffering ? etw_fifo_pop(&s->fifo) : 0;

	if (index)
		count_overwritten(s, etw_pool_buf(&ring->pool, index));
	else
		ring_ask(s, asker);
	return index;
}

/*
 * Fill in the members of a buffer's header that are known before it has records; delivery
 * fills in the others.  With preemption off.
 */
void etw_buffer_prepare(struct etw_trace_session *s, struct etw_buf *buf)
{
	struct etw_buffer_header *h = (struct etw_buffer_header *)buf->data;

	memset(h, 0, sizeof(*h));
	h->buffer_size = s->hot.ring.size;
	h->clock = s->clock_type | s->clock_freq << ETW_CLOCK_FREQ_SHIFT;
	h->processor = buf->cpu;
	h->logger_id = s->hot.logger_id;
	h->flags = ETW_BUFFER_PROCESSOR_INDEX;
	h->ref_time = etw_clock_wall();
	h->ref_clock = etw_clock_read(s->hot.clock);
}

static void ring_prepare(struct etw_ring *ring, struct etw_buf *buf)
{
	/* What everybody may use stays so when the reserve grows. */
	if (buf->left >= etw_fair_reserve(&session_of(ring)->hot.fair))
		WRITE_ONCE(buf->left, U32_MAX);
	etw_buffer_prepare(session_of(ring), buf);
}

static u64 ring_now(struct etw_ring *ring)
{
	return etw_hot_now(&session_of(ring)->hot);
}

static void ring_installed(struct etw_ring *ring)
{
	struct etw_trace_session *s = session_of(ring);

	/*
	 * The flush timer runs only while some CPU has a buffer.  D pairs with
	 * etw_deliver_flush(), which clears both flags, waits a grace period and then
	 * looks for buffers: either it sees this buffer, or this CPU sees the flag cleared.
	 */
	if (!s->hot.buffering && !READ_ONCE(s->flush_armed)) {
		WRITE_ONCE(s->flush_wanted, true);
		raise_irq_work(s);
	}
}

const struct etw_ring_ops etw_session_ring_ops = {
	.deliver = ring_deliver,
	.evict = ring_evict,
	.prepare = ring_prepare,
	.installed = ring_installed,
	.now = ring_now,
};

/* ------------------------------------------------------------------ memory */

/* The number of table entries for max_buffers pool buffers; index 0 is unused. */
u32 etw_buffers_capacity(const struct etw_trace_session *s, u32 max_buffers)
{
	/* The snapshot of a BUFFERING session may hold a whole ring of buffers. */
	return max_buffers * (s->hot.buffering ? 2 : 1) + ETW_BUFFERS_BESIDES +
	       s->hot.fair.most;
}

/*
 * Make room for capacity entries.  Releases session->lock while it waits for memory and for a
 * grace period; flush_lock, or that nobody knows the session yet, keeps others from it.
 */
int etw_buffers_reserve(struct etw_trace_session *s, u32 capacity)
{
	struct etw_buf **old = s->hot.ring.pool.table, **table;

	lockdep_assert_held(&s->lock);
	if (capacity <= s->capacity)
		return 0;
	mutex_unlock(&s->lock);
	table = kvcalloc(capacity, sizeof(*table), ETW_GFP);
	mutex_lock(&s->lock);
	if (!table)
		return -ENOMEM;
	if (old)
		memcpy(table, old, s->capacity * sizeof(*table));
	/* E: entries before the pointer; writers index through the pointer they load */
	smp_store_release(&s->hot.ring.pool.table, table);
	if (old) {
		s->former_table = old;
		mutex_unlock(&s->lock);
		/* E: no writer looks for the new indices in the old table */
		synchronize_rcu();
		mutex_lock(&s->lock);
		s->former_table = NULL;
		kvfree(old);
	}
	s->capacity = capacity;
	return 0;
}

/* Publish to the writers how many buffers they share, without the reserve. */
static void buffers_share(struct etw_trace_session *s)
{
	u32 other = etw_fair_reserve(&s->hot.fair) + s->stand_in_count;

	if (s->total > other)
		WRITE_ONCE(s->hot.fair.buffers, s->total - other);
}

/* How many buffers the session may have, and the reserve that these are for included. */
u32 etw_buffers_most(const struct etw_trace_session *s)
{
	return s->max_buffers + 2 * s->consumer_count + s->abandoned_buffers +
	       etw_fair_target(&s->hot.fair) + s->stand_in_count;
}

static unsigned long buffer_pages(const struct etw_trace_session *s)
{
	return s->hot.ring.size >> PAGE_SHIFT;
}

/* A buffer with memory, charged to s->account and s->memcg, which has no place in the table yet. */
static struct etw_buffer *buffer_new(struct etw_trace_session *s)
{
	int err = etw_account_charge(&s->account, buffer_pages(s));
	struct mem_cgroup *old;
	struct etw_buffer *b;

	if (err)
		return ERR_PTR(err);
	old = set_active_memcg(s->memcg);
	b = kzalloc(sizeof(*b), ETW_BUFFER_GFP);
	if (b && !etw_buffer_pages_alloc(b, s->hot.ring.size,
					 etw_buffer_node_choose(&s->hot.ring.pool))) {
		kfree(b);
		b = NULL;
	}
	set_active_memcg(old);
	if (b) {
		INIT_LIST_HEAD(&b->node);
		return b;
	}
	etw_account_uncharge(&s->account, buffer_pages(s));
	return ERR_PTR(-ENOMEM);
}

/* Give a new buffer a place in the table, or its memory to one there that has none. */
static struct etw_buffer *buffer_enter(struct etw_trace_session *s, struct etw_buffer *new)
{
	struct etw_buffer *b = list_first_entry_or_null(&s->empty, struct etw_buffer, node);

	lockdep_assert_held(&s->lock);
	if (b) {
		list_del_init(&b->node);
		etw_buffer_pages_move(b, new);
		kfree(new);
	} else if (s->entries + 1 < s->capacity) {
		b = new;
		b->buf.index = ++s->entries;
		/* A: a writer can find the index in the pool only after this store */
		WRITE_ONCE(s->hot.ring.pool.table[b->buf.index], &b->buf);
		if (s->former_table)
			WRITE_ONCE(s->former_table[b->buf.index], &b->buf);
	} else {
		etw_buffer_pages_free(new, s->hot.ring.size);
		etw_account_uncharge(&s->account, buffer_pages(s));
		kfree(new);
		return ERR_PTR(-ENOMEM);
	}
	s->total++;
	buffers_share(s);
	return b;
}

/*
 * Allocate a buffer, which is in the table but not in the pool.  -ENOMEM: no memory or no table
 * entry; -ENOBUFS: see etw_account_charge().
 *
 * Releases session->lock meanwhile: the allocation may reclaim memory of the control group of
 * whoever started the session, and others, who query it or end a reader, must not wait for that.
 */
static struct etw_buffer *buffer_make(struct etw_trace_session *s)
{
	struct etw_buffer *b;

	lockdep_assert_held(&s->lock);
	mutex_unlock(&s->lock);
	b = buffer_new(s);
	mutex_lock(&s->lock);
	return IS_ERR(b) ? b : buffer_enter(s, b);
}

/* Give back the memory of a buffer that nobody uses and that is not in the pool. */
void etw_buffer_empty(struct etw_trace_session *s, struct etw_buffer *b)
{
	lockdep_assert_held(&s->lock);
	etw_buffer_pages_free(b, s->hot.ring.size);
	etw_account_uncharge(&s->account, buffer_pages(s));
	list_add(&b->node, &s->empty);
	s->total--;
	buffers_share(s);
}

/* Like buffer_make(), or NULL.  Releases session->lock meanwhile. */
struct etw_buffer *etw_buffer_alloc(struct etw_trace_session *s)
{
	struct etw_buffer *b = buffer_make(s);

	return IS_ERR(b) ? NULL : b;
}

/*
 * A buffer for a consumer's own use, which is never in the pool; NULL: no memory.  Releases
 * session->lock meanwhile.  Those of consumers that have left are used again.
 */
struct etw_buffer *etw_buffer_stand_in(struct etw_trace_session *s)
{
	struct etw_buffer *b = list_first_entry_or_null(&s->stand_ins, struct etw_buffer, node);

	lockdep_assert_held(&s->lock);
	if (b) {
		list_del_init(&b->node);
		return b;
	}
	b = etw_buffer_alloc(s);
	if (!b)
		return NULL;
	b->stand_in = true;
	s->stand_in_count++;
	buffers_share(s);
	return b;
}

#define GROWTH_WAIT_MIN_MS	10U
#define GROWTH_WAIT_MAX_MS	2000U

/* Was memory refused, and is it not yet time to try again? */
bool etw_buffer_growth_waits(const struct etw_trace_session *s)
{
	return s->growth.wait_ms && time_before(jiffies, s->growth.after);
}

/* Has grow.c waited for a buffer so long that the kernel must be reclaiming memory? */
bool etw_buffer_growth_slow(const struct etw_trace_session *s)
{
	lockdep_assert_held(&s->lock);
	return s->growth.allocates && time_after(jiffies, s->growth.since + msecs_to_jiffies(100));
}

/*
 * Memory was refused to a running session that can do without it.  An attempt makes the kernel
 * reclaim memory, so the next one waits, twice as long each time: a session that loses events
 * because memory is short must not add to the shortage.
 */
void etw_buffer_growth_refused(struct etw_trace_session *s)
{
	struct etw_growth *growth = &s->growth;

	lockdep_assert_held(&s->lock);
	growth->wait_ms = clamp(2 * growth->wait_ms, GROWTH_WAIT_MIN_MS, GROWTH_WAIT_MAX_MS);
	growth->refused += growth->refused < U32_MAX;
	WRITE_ONCE(growth->after, jiffies + msecs_to_jiffies(growth->wait_ms));
	WRITE_ONCE(growth->ask, true);
}

/*
 * Allocate a buffer for a running session that can do without it.  NULL: there is no memory, or
 * it is not yet time to try again.  Releases session->lock meanwhile.
 */
struct etw_buffer *etw_buffer_grow(struct etw_trace_session *s)
{
	struct etw_buffer *b;

	lockdep_assert_held(&s->lock);
	if (etw_buffer_growth_waits(s))
		return NULL;
	b = etw_buffer_alloc(s);
	if (!b) {
		etw_buffer_growth_refused(s);
		return NULL;
	}
	s->growth.wait_ms = 0;
	WRITE_ONCE(s->growth.ask, false);
	return b;
}

/*
 * Make the buffer free again.  If writers were faster each time that the reserve was to grow, and
 * there may be no more buffers, the reserve grows by this one.
 */
void etw_buffer_recycle(struct etw_trace_session *s, struct etw_buffer *b)
{
	lockdep_assert_held(&s->lock);
	if (s->hot.buffering) {
		list_add(&b->node, &s->spare);
		return;
	}
	if (b->charged)
		etw_fair_uncharge(&s->hot.fair, b->buf.payer, b->charged - 1);
	b->charged = 0;
	etw_pool_push(&s->hot.ring.pool, b->buf.index);
	if (unlikely(s->total >= etw_buffers_most(s))) {
		etw_fair_grow(&s->hot.fair, etw_pool_free(&s->hot.ring.pool));
		buffers_share(s);
	}
	WRITE_ONCE(s->dry, ETW_DRY_NOT);
}

/* Add a new buffer to the pool of a running session, and to the reserve if that must grow. */
void etw_buffer_add(struct etw_trace_session *s, struct etw_buffer *b)
{
	lockdep_assert_held(&s->lock);
	/* The fewer writers can take it meanwhile the better. */
	preempt_disable();
	etw_buffer_recycle(s, b);
	etw_fair_grow(&s->hot.fair, etw_pool_free(&s->hot.ring.pool));
	preempt_enable();
	buffers_share(s);
}

/* Add a new buffer to the ring of a BUFFERING session. */
void etw_buffer_widen(struct etw_trace_session *s, struct etw_buffer *b)
{
	lockdep_assert_held(&s->lock);
	s->ring_buffers++;
	etw_pool_push(&s->hot.ring.pool, b->buf.index);
}

/* Allocate count buffers for the pool, or as many as there is memory for and an error. */
static int buffers_fill(struct etw_trace_session *s, u32 count)
{
	struct etw_buffer *b;

	for (; count; count--) {
		b = buffer_make(s);
		if (IS_ERR(b))
			return PTR_ERR(b);
		etw_pool_push(&s->hot.ring.pool, b->buf.index);
		cond_resched();
	}
	return 0;
}

/*
 * Allocate the reserve.  If there is no memory for all of it, it has no more than its part of
 * what there is, a fifth, and the rest is for everybody.
 */
static void buffers_fill_reserve(struct etw_trace_session *s)
{
	u32 reserve;

	etw_fair_start(&s->hot.fair, s->min_buffers);
	reserve = etw_fair_reserve(&s->hot.fair);
	if (buffers_fill(s, reserve)) {
		reserve = min(s->total - s->min_buffers, s->total / 5);
		if (s->total > s->max_buffers)
			reserve = max(reserve, s->total - s->max_buffers);
		etw_fair_shrink(&s->hot.fair, reserve);
	}
	buffers_share(s);
}

/*
 * Make the table, the first min_buffers and the reserve, all free; the reserve is smaller if
 * memory is short.  Undo: etw_buffers_free().
 */
int etw_buffers_init(struct etw_trace_session *s)
{
	etw_word *cells;
	u32 count;
	int err;

	mutex_lock(&s->lock);
	err = etw_buffer_nodes_init(&s->hot.ring.pool);
	if (err)
		goto out;
	err = etw_buffers_reserve(s, etw_buffers_capacity(s, s->max_buffers));
	if (err)
		goto out;
	if (s->hot.buffering) {
		/* The ring may be wider when more CPUs are online. */
		count = max(s->min_buffers, ETW_BUFFERS_PER_CPU * num_possible_cpus());
		count = roundup_pow_of_two(count);
		cells = kvcalloc(count, sizeof(*cells), ETW_GFP);
		err = -ENOMEM;
		if (!cells)
			goto out;
		etw_fifo_init(&s->fifo, cells, count);
	}
	err = buffers_fill(s, s->min_buffers);
	if (err)
		goto out;
	s->ring_buffers = s->min_buffers;
	buffers_fill_reserve(s);
out:
	mutex_unlock(&s->lock);
	return err;
}

/* Also frees the buffers of a session whose setup failed halfway. */
void etw_buffers_free(struct etw_trace_session *s)
{
	struct etw_buffer *b;
	u32 i;

	for (i = 1; i <= s->entries; i++) {
		b = etw_buffer_of(s->hot.ring.pool.table[i]);
		etw_buffer_pages_free(b, s->hot.ring.size);
		kfree(b);
		cond_resched();
	}
	etw_account_uncharge(&s->account, s->total * buffer_pages(s));
	kvfree(s->hot.ring.pool.table);
	etw_buffer_nodes_exit(&s->hot.ring.pool);
	kvfree(s->fifo.cells);
}

/* ----------------------------------------------------------------- closing */

/* No writer may be using the CPU's words. */
void etw_buffers_close_cpu(struct etw_trace_session *s, int cpu)
{
	struct etw_ring_cpu *rc = &per_cpu_ptr(s->hot.cpu, cpu)->rc;

	etw_ring_close(ETW_LOCAL, &s->hot.ring, rc, etw_word_read(&rc->cur));
}

static bool cpu_has_buffer(int cpu, void *info)
{
	struct etw_trace_session *s = info;

	return ETW_CUR_INDEX(etw_word_read(&per_cpu_ptr(s->hot.cpu, cpu)->rc.cur));
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

	while (ETW_CUR_INDEX(cur) &&
	       ETW_CUR_GENERATION(cur) == ETW_CUR_GENERATION(first) &&
	       !etw_ring_close(ETW_LOCAL, &s->hot.ring, rc, cur))
		cur = etw_word_read(&rc->cur);
}

/*
 * Close the buffers of the online CPUs, also one whose only record was undone: the next record
 * would start no flush timer, because it installs none.
 */
void etw_buffers_close_online(struct etw_trace_session *s)
{
	if (s->hot.shared) {
		etw_reserve_close_shared(&s->hot);
		return;
	}
	cpus_read_lock();
	on_each_cpu_cond_mask(cpu_has_buffer, close_here, s, true,
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

static u64 sum_cpus(const local_t __percpu *counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += local_read(per_cpu_ptr(counter, cpu));
	return sum;
}

/* Return the number of events dropped by the write side; cause, if not NULL, gets each one. */
u64 etw_session_dropped(struct etw_trace_session *s, u64 cause[ETW_DROP_CAUSES])
{
	u64 sum, total = 0;
	int i;

	for (i = 0; i < ETW_DROP_CAUSES; i++) {
		sum = sum_cpus(&s->hot.cpu->dropped[i]);
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

/* Return how often a filter could not decide, and let an event pass. */
u64 etw_session_undecided(struct etw_trace_session *s)
{
	return sum_cpus(&s->hot.cpu->undecided);
}

u64 etw_session_written(struct etw_trace_session *s)
{
	return sum_cpus(&s->hot.cpu->written);
}
