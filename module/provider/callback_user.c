// SPDX-License-Identifier: GPL-2.0-only
/*
 * callback_user.c - enable notifications of processes, which fetch them
 *
 * A notice that waits is in two lists, in the order of the changes in both: its
 * file's, from which it is fetched, and its registration's, from which it is
 * dropped.  All under process->lock.  Notices are queued, and registrations go,
 * under etw_control besides, so that none is queued for one that is gone.
 */
#include <linux/rcupdate.h>

#include "ioctl.h"
#include "process.h"
#include "session/session.h"

/* Take it from both lists. */
static void unlist(struct etw_notice *notice)
{
	list_del(&notice->node);
	list_del(&notice->reg_node);
	notice->reg->queued--;
}

void etw_process_queue(struct etw_process *p, struct etw_notice *notice)
{
	struct etw_registration *reg = notice->reg;
	struct etw_notice *spare = NULL;

	lockdep_assert_held(&etw_control);
	spin_lock(&p->lock);
	if (reg->queued >= ETW_NOTICES_MAX) {
		spare = etw_notice_spare(reg);
		unlist(spare);
		reg->dropped++;
	}
	list_add_tail(&notice->node, &p->notices);
	list_add_tail(&notice->reg_node, &reg->notices);
	reg->queued++;
	spin_unlock(&p->lock);
	etw_notice_free(spare);
	wake_up_interruptible(&p->wait);
}

/* Nobody will handle the registration's any more, the one in work included. */
void etw_process_drop(struct etw_registration *reg)
{
	struct etw_notice *notice, *tmp, *handled = NULL;
	struct etw_process *p = reg->process;
	LIST_HEAD(dropped);

	lockdep_assert_held(&etw_control);
	spin_lock(&p->lock);
	if (p->handled && p->handled->reg == reg)
		swap(handled, p->handled);
	list_for_each_entry(notice, &reg->notices, reg_node)
		list_del(&notice->node);
	list_splice_init(&reg->notices, &dropped);
	reg->queued = 0;
	spin_unlock(&p->lock);
	etw_notice_free(handled);
	list_for_each_entry_safe(notice, tmp, &dropped, reg_node)
		etw_notice_free(notice);
}

/* Keep the waiter, or NULL, for ETW_CONTROL_WAIT; what was kept before. */
struct etw_waiter *etw_process_keep(struct etw_process *p, struct etw_waiter *waiter)
{
	spin_lock(&p->lock);
	swap(p->waiter, waiter);
	spin_unlock(&p->lock);
	return waiter;
}

long etw_ioctl_notify(struct file *file, void *arg)
{
	struct etw_process *p = file->private_data;
	struct etw_notice *notice, *handled;
	struct etw_filter_data *data = NULL;
	struct etw_notify *n = arg;
	int err = -EAGAIN;

	if (n->logger_id || n->reserved2)
		return -EINVAL;
	if (!etw_process_is_owner(p))
		return READ_ONCE(p->tgid) ? -ESTALE : -EAGAIN;
	spin_lock(&p->lock);
	handled = p->handled;
	notice = list_first_entry_or_null(&p->notices, struct etw_notice, node);
	if (notice && !etw_filter_data_fits(notice->filter, n)) {
		notice = NULL;
		err = -EMSGSIZE;
	}
	p->handled = notice;
	p->handler = current;
	if (notice) {
		unlist(notice);
		n->slot = notice->reg->slot;
		n->cookie = notice->reg->cookie;
		n->dropped = notice->reg->dropped;
		notice->reg->dropped = 0;
		n->source = notice->source;
		n->control = notice->control;
		n->level = notice->level;
		n->any = notice->any;
		n->all = notice->all;
		n->logger_id = notice->logger_id;
		data = etw_filter_data_get(notice->filter);
		err = 0;
	}
	spin_unlock(&p->lock);
	etw_notice_free(handled);
	if (err)
		return err;
	err = etw_filter_data_tell(data, n);
	etw_filter_data_put(data);
	if (err)
		etw_ioctl_notify_undo(file, n);
	return err;
}

/* Nobody was told of n nor will be: the next notice says so. */
static void count_untold(struct etw_process *p, const struct etw_notify *n)
{
	/* G: there is a notice, so there are slots */
	struct etw_registration __rcu **regs = smp_load_acquire(&p->regs);
	struct etw_registration *reg;

	lockdep_assert_held(&p->lock);
	rcu_read_lock();
	reg = rcu_dereference(regs[n->slot]);
	if (reg && reg->cookie == n->cookie)
		reg->dropped += n->dropped + 1;
	rcu_read_unlock();
}

/*
 * The caller could not be told of its notice: it is still to come, unless
 * another thread's call has ended it meanwhile.
 */
void etw_ioctl_notify_undo(struct file *file, void *arg)
{
	struct etw_process *p = file->private_data;
	const struct etw_notify *n = arg;

	spin_lock(&p->lock);
	if (p->handled && p->handler == current) {
		list_add(&p->handled->node, &p->notices);
		list_add(&p->handled->reg_node, &p->handled->reg->notices);
		p->handled->reg->queued++;
		p->handled->reg->dropped += n->dropped;
		p->handled = NULL;
	} else {
		count_untold(p, n);
	}
	spin_unlock(&p->lock);
}

__poll_t etw_process_poll(struct file *file, poll_table *pt)
{
	struct etw_process *p = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &p->wait, pt);
	spin_lock(&p->lock);
	if (!list_empty(&p->notices))
		events = EPOLLIN | EPOLLRDNORM;
	spin_unlock(&p->lock);
	return events;
}
