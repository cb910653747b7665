// SPDX-License-Identifier: GPL-2.0-only
/*
 * callback_user.c - enable notifications that processes fetch
 *
 * A waiting notice is in two lists, both in the order of the changes: the queue of its
 * process, from which it is fetched, and that of its registration, from which it is
 * dropped.  Everything is under queue->lock.  Adding a notice and ending a
 * registration are under etw_control as well, so that no notice is added for a
 * registration that has ended.
 */
#include <linux/rcupdate.h>

#include "callback_user.h"
#include "filter_data.h"
#include "notice.h"

void etw_callback_queue_init(struct etw_callback_queue *q)
{
	spin_lock_init(&q->lock);
	INIT_LIST_HEAD(&q->notices);
	init_waitqueue_head(&q->wait);
}

/* Remove the notice from both lists. */
static void notice_unlist(struct etw_notice *notice)
{
	list_del(&notice->node);
	list_del(&notice->reg_node);
	notice->reg->queued--;
}

/* Takes over the references of call. */
void etw_callback_queue_add(struct etw_callback_queue *q, struct etw_registration *reg,
			    const struct etw_notice_call *call)
{
	struct etw_notice_call dropped = { };
	struct etw_notice *notice;

	lockdep_assert_held(&etw_control);
	spin_lock(&q->lock);
	if (reg->queued >= ETW_NOTICES_MAX) {
		notice = etw_notice_spare(reg, call->control);
		notice_unlist(notice);
		etw_notice_retire(notice, &dropped);
		reg->dropped++;
		if (reg->hot.flags & ETW_REGISTER_FORWARDS && dropped.waiter)
			WRITE_ONCE(dropped.waiter->dropped, true);
	}
	notice = etw_notice_take_idle(reg);
	notice->call = *call;
	list_add_tail(&notice->node, &q->notices);
	list_add_tail(&notice->reg_node, &reg->notices);
	reg->queued++;
	spin_unlock(&q->lock);
	etw_notice_call_put(&dropped);
	wake_up_interruptible(&q->wait);
}

/* A process's registration ends: drop its notices, including the one being handled. */
void etw_callback_queue_drop(struct etw_registration *reg)
{
	struct etw_callback_queue *q = reg->queue;
	struct etw_notice *notice;
	LIST_HEAD(dropped);

	lockdep_assert_held(&etw_control);
	spin_lock(&q->lock);
	list_for_each_entry(notice, &reg->notices, reg_node)
		list_del(&notice->node);
	list_splice_init(&reg->notices, &dropped);
	reg->queued = 0;
	if (q->handled && q->handled->reg == reg) {
		list_add(&q->handled->reg_node, &dropped);
		q->handled = NULL;
	}
	spin_unlock(&q->lock);
	list_for_each_entry(notice, &dropped, reg_node)
		etw_notice_call_put(&notice->call);
	spin_lock(&q->lock);
	list_splice(&dropped, &reg->idle);
	spin_unlock(&q->lock);
}

/* Is a notice with this waiter still to be handled? */
bool etw_callback_queue_waits(const struct etw_registration *reg, const struct etw_waiter *waiter)
{
	struct etw_callback_queue *q = reg->queue;
	const struct etw_notice *notice;
	bool waits;

	spin_lock(&q->lock);
	waits = q->handled && q->handled->reg == reg && q->handled->call.waiter == waiter;
	list_for_each_entry(notice, &reg->notices, reg_node)
		waits |= notice->call.waiter == waiter;
	spin_unlock(&q->lock);
	return waits;
}

/* Keep the waiter, or NULL, for ETW_CONTROL_WAIT.  Returns the previous waiter. */
struct etw_waiter *etw_callback_queue_keep(struct etw_callback_queue *q,
					   struct etw_waiter *waiter)
{
	spin_lock(&q->lock);
	swap(q->waiter, waiter);
	spin_unlock(&q->lock);
	return waiter;
}

/*
 * Fetch the next notice, with a reference on its filter data; the previous one then counts
 * as handled.  -EAGAIN: none waits; -EMSGSIZE: n has no room for the filter data.
 */
int etw_callback_queue_fetch(struct etw_callback_queue *q, struct etw_notify *n,
			     struct etw_filter_data **data)
{
	struct etw_notice_call handled = { };
	struct etw_notice *notice;
	int err = -EAGAIN;

	spin_lock(&q->lock);
	if (q->handled)
		etw_notice_retire(q->handled, &handled);
	notice = list_first_entry_or_null(&q->notices, struct etw_notice, node);
	if (notice && !etw_filter_data_fits(notice->call.filter, n)) {
		notice = NULL;
		err = -EMSGSIZE;
	}
	q->handled = notice;
	q->handler = current;
	if (notice) {
		notice_unlist(notice);
		n->slot = notice->reg->slot;
		n->cookie = notice->reg->cookie;
		n->dropped = notice->reg->dropped;
		notice->reg->dropped = 0;
		n->source = notice->call.source;
		n->control = notice->call.control;
		n->level = notice->call.level;
		n->any = notice->call.any;
		n->all = notice->call.all;
		n->logger_id = notice->call.logger_id;
		*data = etw_filter_data_get(notice->call.filter);
		err = 0;
	}
	spin_unlock(&q->lock);
	etw_notice_call_put(&handled);
	return err;
}

/* The notice n is lost: the next one of its registration reports it as dropped. */
static void count_lost(struct etw_callback_queue *q, struct etw_process_hot *process,
		       const struct etw_notify *n)
{
	/* G: there is a notice, so there are slots */
	struct etw_registration_hot __rcu **regs = smp_load_acquire(&process->regs);
	struct etw_registration_hot *hot;
	struct etw_registration *reg;

	lockdep_assert_held(&q->lock);
	rcu_read_lock();
	hot = rcu_dereference(regs[n->slot]);
	reg = hot ? etw_registration_of(hot) : NULL;
	if (reg && reg->cookie == n->cookie)
		reg->dropped += n->dropped + 1;
	rcu_read_unlock();
}

/*
 * The fetched notice n could not be copied to the caller: put it back.  If another thread
 * has fetched the next notice, n already counts as handled: count it as lost instead.
 */
void etw_callback_queue_unfetch(struct etw_callback_queue *q, struct etw_process_hot *process,
				const struct etw_notify *n)
{
	spin_lock(&q->lock);
	if (q->handled && q->handler == current) {
		list_add(&q->handled->node, &q->notices);
		list_add(&q->handled->reg_node, &q->handled->reg->notices);
		q->handled->reg->queued++;
		q->handled->reg->dropped += n->dropped;
		q->handled = NULL;
	} else {
		count_lost(q, process, n);
	}
	spin_unlock(&q->lock);
}

__poll_t etw_callback_queue_poll(struct etw_callback_queue *q, struct file *file,
				 poll_table *pt)
{
	__poll_t events = 0;

	poll_wait(file, &q->wait, pt);
	spin_lock(&q->lock);
	if (!list_empty(&q->notices))
		events = EPOLLIN | EPOLLRDNORM;
	spin_unlock(&q->lock);
	return events;
}
