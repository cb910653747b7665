// SPDX-License-Identifier: GPL-2.0-only
/*
 * deliver.c - from full buffers to the consumers' queue
 *
 * Writers put complete buffers on session->done and raise an irq_work.  The worker, in
 * process context and under session->lock, puts each CPU's buffers into the order in
 * which that CPU installed them, numbers them and appends them to session->queue.
 * When free buffers run low it has the pool grown up to its maximum (grow.c), and then drops
 * the backlog of the slowest consumer.
 *
 * A BUFFERING session has no queue until it is flushed: its full buffers stay in
 * session->fifo until they are overwritten.  A flush moves them to the queue and gives
 * the writers as many spare buffers in exchange.
 */
#include <linux/cpumask.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "abandon.h"
#include "buffer.h"
#include "compat.h"
#include "consumer.h"
#include "deliver.h"
#include "epoch.h"
#include "ledger.h"
#include "write/stack.h"

struct workqueue_struct *etw_wq;

/*
 * The worker acts below this number of free buffers: a quarter of those that no CPU
 * uses, so that a burst finds room until the worker runs, and never more than half, so
 * that even a tiny pool can hold a backlog.
 */
static u32 low_water(const struct etw_trace_session *s)
{
	u32 cpus = s->hot.shared ? 1 : num_online_cpus();
	u32 total = READ_ONCE(s->hot.fair.buffers);
	u32 rest = total > cpus ? total - cpus : 0;

	return max(1U, max(rest / 4, min(cpus, rest / 2)));
}

/* The pool grows below this number: after a flush each CPU needs one at its next event. */
u32 etw_deliver_growth_mark(const struct etw_trace_session *s)
{
	return max_t(u32, low_water(s), s->hot.shared ? 1 : num_online_cpus());
}

/*
 * Add what was lost, complete the header, overwrite the unused rest of the buffer, and queue
 * it.
 */
static void deliver_queue(struct etw_trace_session *s, struct etw_buffer *b)
{
	struct etw_buffer_header *h = (void *)b->buf.data;
	u32 used;

	/* Adding up the counters of all CPUs would make each buffer dearer with every CPU. */
	if (READ_ONCE(s->hot.losing) && xchg(&s->hot.losing, false)) {
		h->flags |= ETW_BUFFER_EVENTS_LOST;
		s->ledger.due = true;
	}
	b->records_at = b->buf.used;
	etw_ledger_store(s, &b->buf);
	used = b->buf.used;
	memset(b->buf.data + used, ETW_TAIL_BYTE, s->hot.ring.size - used);
	preempt_disable();
	h->timestamp = etw_clock_read(s->hot.clock);
	preempt_enable();
	h->saved_offset = used;
	h->current_offset = used;
	h->offset = used;
	h->state = ETW_BUFFER_STATE_FLUSH;
	h->type = ETW_BUFFER_TYPE_GENERIC;
	b->sequence = s->next_sequence++;
	h->sequence = b->sequence;

	s->buffers_delivered++;
	s->events_delivered += b->events;
	b->held = 0;
	list_add_tail(&b->node, &s->queue);
	etw_consumers_append(s, b);
}

/* A complete buffer is next in its CPU's order. */
static void deliver_publish(struct etw_trace_session *s, struct etw_buffer *b)
{
	b->events = ETW_COMMIT_COUNT(etw_word_read(&b->buf.commit));
	if (!b->events) {
		etw_buffer_recycle(s, b);
		return;
	}
	s->ledger.cpu = b->buf.cpu;
	s->ledger.time = b->buf.closed;
	deliver_queue(s, b);
}

/*
 * A buffer for losses alone; NULL: there is none, or writers need it more, who may have all
 * of the reserve: then the losses go on adding up.  A session that stops gets one if there is
 * memory.  May release session->lock meanwhile.
 */
static struct etw_buffer *deliver_ledger_buffer(struct etw_trace_session *s)
{
	bool running = s->state == ETW_RUNNING;
	struct etw_pool *pool = &s->hot.ring.pool;
	struct etw_buffer *b;
	u32 index, left;

	b = list_first_entry_or_null(&s->spare, struct etw_buffer, node);
	if (b) {
		list_del_init(&b->node);
		return b;
	}
	if (!s->hot.buffering) {
		index = etw_pool_pop_above(pool, 0, running ? etw_fair_reserve(&s->hot.fair) + 1 : 0,
					   &left);
		if (index)
			return etw_buffer_of(etw_pool_buf(pool, index));
		if (running && s->total >= etw_buffers_most(s))
			return NULL;
	}
	return s->hot.buffering || !running ? etw_buffer_alloc(s) : etw_buffer_grow(s);
}

/*
 * Queue buffers of their own for losses that no other buffer had room for.  now: a time that
 * all events have reached of a session that has delivered none yet.
 */
static void deliver_ledger(struct etw_trace_session *s, u64 now)
{
	struct etw_buffer *b;

	lockdep_assert_held(&s->lock);
	while (etw_ledger_pending(s)) {
		b = deliver_ledger_buffer(s);
		if (!b)
			return;
		/* While the lock was released, another buffer may have taken them. */
		if (!etw_ledger_pending(s)) {
			etw_buffer_recycle(s, b);
			return;
		}
		b->buf.cpu = s->ledger.cpu;
		b->buf.closed = s->ledger.time ?: now;
		b->buf.used = ETW_BUFFER_HEADER_SIZE;
		etw_word_set(&b->buf.commit, ETW_COMMIT_BIAS);
		/* Whoever used the buffer before does not pay for it. */
		b->buf.payer = 0;
		etw_word_set(&b->buf.paid, 0);
		b->events = 0;
		preempt_disable();
		etw_buffer_prepare(s, &b->buf);
		preempt_enable();
		deliver_queue(s, b);
	}
}

/*
 * How far b is behind the buffer of its CPU that is delivered next.  A distance never
 * wraps: fewer than 65,536 buffers are under way (ETW_BUFFERS_MAX).
 */
static u16 distance(const struct etw_session_cpu *sc, const struct etw_buffer *b)
{
	return b->buf.generation - sc->next_generation - 1;
}

/* Insert b among the buffers of its CPU that wait for an older one. */
static void arrive(struct etw_trace_session *s, struct etw_session_cpu *sc, struct etw_buffer *b)
{
	struct list_head *at;

	s->held_back++;
	list_for_each_prev(at, &sc->waiting) {
		if (distance(sc, b) > distance(sc, list_entry(at, struct etw_buffer, node)))
			break;
	}
	list_add(&b->node, at);
}

/* Publish the buffers that no longer wait for an older one. */
static void release_in_order(struct etw_trace_session *s, struct etw_session_cpu *sc)
{
	struct etw_buffer *b, *tmp;

	list_for_each_entry_safe(b, tmp, &sc->waiting, node) {
		if (distance(sc, b))
			break;
		sc->next_generation++;
		s->held_back--;
		list_del_init(&b->node);
		if (unlikely(b->abandoned))
			etw_abandon_count(s, b);
		else
			deliver_publish(s, b);
	}
}

/* Take over all buffers that were delivered up to now. */
static void deliver_drain(struct etw_trace_session *s)
{
	struct etw_buffer *b, *tmp;
	struct llist_node *list;

	lockdep_assert_held(&s->lock);
	/* B of core/ring.h */
	list = llist_reverse_order(llist_del_all(&s->done));
	llist_for_each_entry_safe(b, tmp, list, done) {
		struct etw_session_cpu *sc = per_cpu_ptr(s->hot.cpu, b->buf.cpu);

		arrive(s, sc, b);
		release_in_order(s, sc);
	}
}

/*
 * Count the marked buffers that are still incomplete as lost, each in its place among those
 * of its CPU.  All complete ones have been taken over.
 */
static void deliver_abandoned(struct etw_trace_session *s)
{
	struct etw_session_cpu *sc;
	struct etw_buffer *b;
	u32 i, entries = s->entries;

	for (i = 1; i <= entries; i++) {
		b = etw_buffer_of(s->hot.ring.pool.table[i]);
		if (likely(!etw_abandon_marked(s, b)))
			continue;
		if (s->hot.buffering) {
			etw_abandon_count(s, b);
		} else {
			sc = per_cpu_ptr(s->hot.cpu, b->buf.cpu);
			arrive(s, sc, b);
			release_in_order(s, sc);
		}
	}
}

/*
 * May b, the oldest buffer, which no consumer has taken, be dropped?  Only if writers have
 * lost events.  If only users above their share have, or if the reserve is not whole and
 * nobody has yet, b must hold nothing but the events of one such user, or losses, which the
 * consumers get records of all the same.
 */
static bool may_drop(struct etw_trace_session *s, const struct etw_buffer *b, u8 dry)
{
	if (dry == ETW_DRY)
		return true;
	if (!dry && etw_pool_free(&s->hot.ring.pool) >= etw_fair_reserve(&s->hot.fair))
		return false;
	return !b->events || (etw_word_read(&b->buf.paid) == b->events &&
			      etw_fair_is_over(&s->hot.fair, b->buf.payer));
}

/* Are there more CPUs online than the session's size is for, and is it time to change that? */
bool etw_deliver_lacks_cpus(const struct etw_trace_session *s)
{
	lockdep_assert_held(&s->lock);
	return !s->hot.shared && num_online_cpus() > s->hot.fair.cpus &&
	       !etw_buffer_growth_waits(s);
}

/* Is it time to allocate a buffer for the pool? */
bool etw_deliver_wants_buffer(const struct etw_trace_session *s)
{
	if (s->state != ETW_RUNNING || etw_buffer_growth_waits(s))
		return false;
	if (s->hot.buffering)
		return s->ring_buffers < s->min_buffers;
	return (etw_buffers_available(s) < etw_deliver_growth_mark(s) ||
		etw_fair_lacks_reserve(&s->hot.fair)) && s->total < etw_buffers_most(s);
}

/* The work drops the reference. */
static void deliver_grow(struct etw_trace_session *s)
{
	if (s->growing)
		return;
	s->growing = true;
	kref_get(&s->ref);
	queue_work(etw_wq, &s->grow_work);
}

/*
 * If free buffers run low, have the pool grown, or else take buffers from the slowest
 * consumer, early enough that faster ones lose nothing.
 */
void etw_deliver_replenish(struct etw_trace_session *s)
{
	u8 dry = READ_ONCE(s->dry);
	struct etw_buffer *b;

	lockdep_assert_held(&s->lock);
	if (s->state != ETW_RUNNING)
		return;
	if (etw_deliver_wants_buffer(s) || etw_deliver_lacks_cpus(s)) {
		deliver_grow(s);
		/* The work calls this at its end; a backlog makes room only if that takes long. */
		if (!etw_buffer_growth_slow(s))
			return;
	}
	if (s->hot.buffering)
		return;
	/*
	 * Let the next writer without a buffer ask again; if memory is short, not before the wait is
	 * over.  One that asked meanwhile cleared ask before it raised the irq_work that led here.
	 */
	if (!s->growing && s->total < etw_buffers_most(s)) {
		if (s->growth.wait_ms)
			WRITE_ONCE(s->growth.ask, true);
		else
			WRITE_ONCE(s->dry, ETW_DRY_NOT);
	}
	while (etw_buffers_available(s) < low_water(s) && s->consumer_count && !list_empty(&s->queue)) {
		b = list_first_entry(&s->queue, struct etw_buffer, node);
		if (b->pending == s->consumer_count && !may_drop(s, b, dry))
			break;
		/* The backlog of a slower consumer has made room. */
		if (b->pending < s->consumer_count && !b->held)
			dry = ETW_DRY_NOT;
		etw_consumers_drop(s, b);
	}
}

/* Deliver soon what sessions have; the ring of a BUFFERING session stays. */
void etw_deliver_flush_all(void)
{
	struct etw_trace_session *s;

	rcu_read_lock();
	list_for_each_entry_rcu(s, &etw_sessions, node)
		if (!s->hot.buffering)
			mod_delayed_work(etw_wq, &s->flush_work, 0);
	rcu_read_unlock();
}

/* To look at a buffer takes about 0.1 us; a thousand times that passes before the next look. */
#define SWEEP_BUFFERS_PER_MS	10
#define SWEEP_MS_MIN		10U
#define SWEEP_MS_MAX		8000U

/* May a writer have died in a buffer that others wait for, or that the pool misses? */
static bool sweep_needed(const struct etw_trace_session *s)
{
	return s->held_back || READ_ONCE(s->dry);
}

/*
 * Look for dead writers soon, also in a session without a flush timer.  Usually the writer was
 * only interrupted.  A new need does not wait for the sweep that an old one queued.
 */
static void deliver_sweep_later(struct etw_trace_session *s)
{
	BUILD_BUG_ON(ETW_BUFFERS_MAX / SWEEP_BUFFERS_PER_MS > SWEEP_MS_MAX);
	if (likely(!sweep_needed(s))) {
		s->sweep_ms = 0;
	} else if (s->sweep_ms) {
		queue_delayed_work(etw_wq, &s->sweep_work, msecs_to_jiffies(s->sweep_ms));
	} else {
		s->sweep_ms = max(s->entries / SWEEP_BUFFERS_PER_MS, SWEEP_MS_MIN);
		mod_delayed_work(etw_wq, &s->sweep_work, msecs_to_jiffies(s->sweep_ms));
	}
}

static void deliver_work(struct work_struct *work)
{
	struct etw_trace_session *s = container_of(work, struct etw_trace_session, work);

	etw_epoch_check(s, false);
	etw_stack_look();
	mutex_lock(&s->lock);
	deliver_drain(s);
	etw_deliver_replenish(s);
	deliver_sweep_later(s);
	mutex_unlock(&s->lock);
	wake_up_interruptible_all(&s->wait);
}

/* again: also a timer that runs starts anew; else it, and a flush that is due, keep their time. */
static void start_flush_timer(struct etw_trace_session *s, u32 flush_ms, bool again)
{
	unsigned long delay = msecs_to_jiffies(flush_ms);

	/* D: set before the timer can fire, because its flush clears the flag */
	WRITE_ONCE(s->flush_armed, true);
	if (flush_ms < ETW_FLUSH_MS_SOON)
		hrtimer_start(&s->flush_timer, ms_to_ktime(flush_ms), HRTIMER_MODE_REL);
	else if (again)
		mod_delayed_work(etw_wq, &s->flush_work, delay);
	else
		queue_delayed_work(etw_wq, &s->flush_work, delay);
}

/* Queue the worker and, if buffers wait for one, start the flush timer.  Not in an NMI. */
void etw_deliver_kick(struct etw_trace_session *s)
{
	u32 flush_ms = READ_ONCE(s->flush_ms);

	/* A flush that closes buffers comes here, too: it wants no further one. */
	if (!s->hot.buffering && READ_ONCE(s->flush_wanted) && flush_ms &&
	    !READ_ONCE(s->flush_armed))
		start_flush_timer(s, flush_ms, false);
	queue_work(etw_wq, &s->work);
}

/* Start the flush timer anew with the present interval, whether or not it seems to run. */
void etw_deliver_rearm(struct etw_trace_session *s)
{
	u32 flush_ms = READ_ONCE(s->flush_ms);

	if (!s->hot.buffering && flush_ms)
		start_flush_timer(s, flush_ms, true);
	queue_work(etw_wq, &s->work);
}

/* Hardirq.  Raised for a delivered buffer, a new buffer and an empty pool. */
static void deliver_irq(struct irq_work *irq_work)
{
	etw_deliver_kick(container_of(irq_work, struct etw_trace_session, irq_work));
}

/* ------------------------------------------------------------------- flush */

/*
 * A buffer to give to the writers in exchange for one of theirs; NULL: no memory.  May release
 * session->lock meanwhile; flush_lock keeps other flushes away.
 */
static struct etw_buffer *spare_get(struct etw_trace_session *s)
{
	struct etw_buffer *b;

	for (;;) {
		b = list_first_entry_or_null(&s->spare, struct etw_buffer, node);
		if (b) {
			list_del_init(&b->node);
			return b;
		}
		b = etw_buffer_alloc(s);
		if (b)
			return b;
		/* The last snapshot was not read: drop it, oldest buffer first. */
		b = list_first_entry_or_null(&s->queue, struct etw_buffer, node);
		if (!b)
			return NULL;
		etw_consumers_drop(s, b);
	}
}

/* Move the full buffers to the queue, those of each CPU in order. */
static int deliver_snapshot(struct etw_trace_session *s)
{
	struct etw_buffer *b, *spare, *tmp;
	struct etw_session_cpu *sc;
	u32 index, n;
	int cpu, err = 0;

	/* Writers may add buffers meanwhile; take no more than a whole ring. */
	for (n = 0; n < s->min_buffers && !etw_fifo_empty(&s->fifo); n++) {
		spare = spare_get(s);
		if (!spare) {
			err = -ENOMEM;
			break;
		}
		index = etw_fifo_pop(&s->fifo);
		if (!index) {
			/* A writer has overwritten the last one meanwhile. */
			list_add(&spare->node, &s->spare);
			break;
		}
		etw_pool_push(&s->hot.ring.pool, spare->buf.index);
		b = etw_buffer_of(etw_pool_buf(&s->hot.ring.pool, index));
		sc = per_cpu_ptr(s->hot.cpu, b->buf.cpu);
		/* Some may have been overwritten; the rest is in order. */
		if (list_empty(&sc->waiting))
			sc->next_generation = b->buf.generation - BIT(15);
		arrive(s, sc, b);
	}
	for_each_possible_cpu(cpu) {
		sc = per_cpu_ptr(s->hot.cpu, cpu);
		list_for_each_entry_safe(b, tmp, &sc->waiting, node) {
			s->held_back--;
			list_del_init(&b->node);
			deliver_publish(s, b);
		}
	}
	return err;
}

/*
 * Wait until all writers that run now have finished.  soon: in well under a millisecond, at the
 * price of an interrupt for each CPU that is not idle.
 */
static void writers_settle(bool soon)
{
	if (soon)
		synchronize_rcu_expedited();
	else
		synchronize_rcu();
}

/* Have all buffers that were closed up to now been taken over?  False: it is not known. */
static bool all_arrived(struct etw_trace_session *s)
{
	struct etw_session_cpu *sc;
	u16 closed;
	u64 cur;
	int cpu;

	lockdep_assert_held(&s->lock);
	if (s->hot.buffering || s->hot.shared)
		return false;
	for_each_possible_cpu(cpu) {
		sc = per_cpu_ptr(s->hot.cpu, cpu);
		cur = etw_word_read(&sc->rc.cur);
		closed = ETW_CUR_GENERATION(cur) - !!ETW_CUR_INDEX(cur);
		if (closed != sc->next_generation)
			return false;
	}
	return true;
}

/* Clear the flags of the flush timer and read the clock; -ESHUTDOWN: the session stops. */
static int flush_begin(struct etw_trace_session *s, u32 *turns, u64 *through)
{
	int err = 0;

	mutex_lock(&s->lock);
	if (s->state != ETW_RUNNING) {
		err = -ESHUTDOWN;
		goto out;
	}
	/* D of buffer.c */
	WRITE_ONCE(s->flush_wanted, false);
	WRITE_ONCE(s->flush_armed, false);
	preempt_disable();
	*through = etw_clock_read(s->hot.clock);
	preempt_enable();
	/* Writers that still use the old limit reserve before the buffers are closed. */
	WRITE_ONCE(s->hot.given_after, *through);
	/* After `through`: what was lost before it is in the notes of this turn, or of older ones. */
	*turns = s->ledger.turns;
out:
	mutex_unlock(&s->lock);
	return err;
}

/*
 * A grace period has passed since the flush began: close the buffers.  turns: of the ledger
 * before it.  Is there nothing that writers have still to finish?  If there is, look which
 * buffers are incomplete; for each flush that would be too dear.
 */
static bool flush_close(struct etw_trace_session *s, u32 *turns)
{
	bool done;

	etw_buffers_close_online(s);
	mutex_lock(&s->lock);
	etw_ledger_collect(s, *turns == s->ledger.turns);
	*turns = s->ledger.turns;
	if (!s->hot.buffering)
		deliver_drain(s);
	done = !s->ledger.turning && all_arrived(s);
	if (!done)
		etw_abandon_mark(s);
	mutex_unlock(&s->lock);
	return done;
}

/* Every event from before `through` is in a buffer that is complete, or its writer has died. */
static int flush_deliver(struct etw_trace_session *s, bool arrived, u32 turns, u64 through)
{
	int err = 0;

	mutex_lock(&s->lock);
	etw_ledger_collect(s, turns == s->ledger.turns);
	if (!s->hot.buffering)
		deliver_drain(s);
	if (!arrived)
		deliver_abandoned(s);
	etw_abandon_replace(s);
	if (s->hot.buffering)
		err = deliver_snapshot(s);
	deliver_ledger(s, through);
	etw_deliver_replenish(s);
	if (!err) {
		s->complete_through = through;
		s->complete_sequence = s->next_sequence;
	}
	etw_clock_sample(s->hot.clock, &s->sync);
	mutex_unlock(&s->lock);
	return err;
}

/*
 * Deliver every event written before the call, and look whether the clock is still good.
 * soon: see writers_settle().  -ESHUTDOWN: the session stops; -ENOMEM: a BUFFERING session has
 * no spare buffers, and part of its ring was not delivered.
 *
 * After a grace period the writers that read the clock before `through` have finished, so
 * closing finds their events.  Later writers may be filling slots of the closed buffers:
 * if so, after a second grace period they have committed and the buffers were delivered; where
 * one was not, its writer has died.
 */
int etw_deliver_flush(struct etw_trace_session *s, bool soon)
{
	bool arrived;
	u64 through;
	u32 turns;
	int err;

	etw_epoch_check(s, true);
	etw_stack_look();
	mutex_lock(&s->flush_lock);
	err = flush_begin(s, &turns, &through);
	if (err)
		goto out;
	writers_settle(soon);
	arrived = flush_close(s, &turns);
	if (!arrived)
		writers_settle(soon);
	err = flush_deliver(s, arrived, turns, through);
	wake_up_interruptible_all(&s->wait);
out:
	mutex_unlock(&s->flush_lock);
	return err;
}

/* Returns whether a buffer was incomplete. */
static bool sweep_once(struct etw_trace_session *s)
{
	bool marked;

	lockdep_assert_held(&s->lock);
	/* Serve the writers that asked before; those that find no buffer from now on ask again. */
	etw_deliver_replenish(s);
	WRITE_ONCE(s->dry, ETW_DRY_NOT);
	marked = etw_abandon_mark(s);
	if (marked) {
		mutex_unlock(&s->lock);
		writers_settle(true);
		mutex_lock(&s->lock);
		deliver_drain(s);
		deliver_abandoned(s);
	}
	etw_abandon_replace(s);
	if (marked)
		etw_deliver_replenish(s);
	return marked;
}

/*
 * Abandon buffers in which a writer has died, as a flush does, but close none.  Waits for a
 * grace period only if a buffer is incomplete.  Comes ever more seldom while none is: a session
 * that nobody reads has no free buffer for as long as there are events.
 */
static void deliver_sweep(struct work_struct *work)
{
	struct etw_trace_session *s = container_of(to_delayed_work(work), struct etw_trace_session,
						   sweep_work);
	bool abandoned = false;
	u64 before;

	mutex_lock(&s->flush_lock);
	mutex_lock(&s->lock);
	if (s->state == ETW_RUNNING && sweep_needed(s)) {
		before = s->abandoned_buffers;
		s->sweep_ms = sweep_once(s) ? 0 : min(2 * s->sweep_ms, SWEEP_MS_MAX);
		abandoned = s->abandoned_buffers != before;
		if (s->held_back)
			deliver_sweep_later(s);
	}
	mutex_unlock(&s->lock);
	mutex_unlock(&s->flush_lock);
	/* Later buffers of that CPU follow; the worker announces others. */
	if (abandoned)
		wake_up_interruptible_all(&s->wait);
}

static void deliver_timed_flush(struct work_struct *work)
{
	struct etw_trace_session *s = container_of(to_delayed_work(work), struct etw_trace_session,
						   flush_work);
	u32 flush_ms = READ_ONCE(s->flush_ms);

	etw_deliver_flush(s, flush_ms && flush_ms < ETW_FLUSH_MS_SOON);
}

/* Hardirq.  Only short times: a tick is too coarse for them. */
static enum hrtimer_restart deliver_flush_timer(struct hrtimer *timer)
{
	struct etw_trace_session *s = container_of(timer, struct etw_trace_session, flush_timer);

	mod_delayed_work(etw_wq, &s->flush_work, 0);
	return HRTIMER_NORESTART;
}

/* --------------------------------------------------------------- start, stop */

void etw_deliver_init(struct etw_trace_session *s)
{
	int cpu;

	init_llist_head(&s->done);
	init_irq_work(&s->irq_work, deliver_irq);
	INIT_WORK(&s->work, deliver_work);
	INIT_DELAYED_WORK(&s->flush_work, deliver_timed_flush);
	etw_hrtimer_setup(&s->flush_timer, deliver_flush_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	INIT_DELAYED_WORK(&s->sweep_work, deliver_sweep);
	INIT_LIST_HEAD(&s->queue);
	INIT_LIST_HEAD(&s->spare);
	INIT_LIST_HEAD(&s->stand_ins);
	INIT_LIST_HEAD(&s->empty);
	INIT_LIST_HEAD(&s->consumers);
	init_waitqueue_head(&s->wait);
	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(&per_cpu_ptr(s->hot.cpu, cpu)->waiting);
}

/* The session stops: the ring of a BUFFERING session is not delivered. */
static void discard_ring(struct etw_trace_session *s)
{
	u32 index, events;

	while ((index = etw_fifo_pop(&s->fifo))) {
		events = ETW_COMMIT_COUNT(etw_word_read(
				&etw_pool_buf(&s->hot.ring.pool, index)->commit));
		s->buffers_delivered++;
		s->events_delivered += events;
		s->discarded_buffers++;
		s->discarded_events += events;
	}
}

/*
 * The session is out of every snapshot and off the list of sessions, and a grace period
 * has passed: no writer is left but the clock's records, and no hotplug callback.
 *  0. Now no writer is left at all.
 *  1. No flush begins or runs any more; all open buffers are closed.
 *  2. Closing raised the irq_work, which started the timer and queued the works, one of which
 *     queues the sweep: end them in that order; nothing can raise them again.
 *  3. session->done is complete: no more buffers will be added.  A buffer that is closed
 *     and was not delivered is abandoned.
 */
void etw_deliver_stop(struct etw_trace_session *s)
{
	struct etw_buffer *b, *tmp;

	etw_epoch_last_look(s);
	mutex_lock(&s->flush_lock);
	/*
	 * irq_work_sync() alone may miss one of two handlers that run at once.  After both waits no
	 * handler of the last flush runs, and only the closing below can raise another one.
	 */
	irq_work_sync(&s->irq_work);
	synchronize_rcu_expedited();
	mutex_lock(&s->lock);
	WRITE_ONCE(s->state, ETW_STOPPING);
	etw_buffers_close_all(s);
	mutex_unlock(&s->lock);
	mutex_unlock(&s->flush_lock);

	irq_work_sync(&s->irq_work);
	hrtimer_cancel(&s->flush_timer);
	cancel_delayed_work_sync(&s->flush_work);
	cancel_work_sync(&s->work);
	cancel_delayed_work_sync(&s->sweep_work);

	mutex_lock(&s->lock);
	/* The first call may only end the last turn. */
	etw_ledger_collect(s, true);
	etw_ledger_collect(s, true);
	if (s->hot.buffering)
		discard_ring(s);
	else
		deliver_drain(s);
	etw_abandon_mark(s);
	deliver_abandoned(s);
	etw_abandon_balance(s);
	etw_clock_sample(s->hot.clock, &s->sync);
	if (!s->hot.buffering && s->consumer_count)
		deliver_ledger(s, s->sync.clock);
	s->complete_through = U64_MAX;
	s->complete_sequence = s->next_sequence;
	WRITE_ONCE(s->state, ETW_STOPPED);
	if (!s->consumer_count)
		list_for_each_entry_safe(b, tmp, &s->queue, node)
			etw_consumers_drop(s, b);
	mutex_unlock(&s->lock);
	wake_up_interruptible_all(&s->wait);
}
