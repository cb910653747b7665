// SPDX-License-Identifier: GPL-2.0-only
/*
 * callback_kernel.c - enable notifications: to the callbacks of modules, and waiting
 *
 * A module's callback runs in a work of its registration, so one at a time and
 * in order, without any lock of ours.  A process fetches its notices itself,
 * see callback_user.c.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "alloc.h"
#include "process.h"
#include "session/session.h"

struct workqueue_struct *etw_callback_wq;

/* ------------------------------------------------------------------ waiting */

/* left starts at 1 for the enable call itself, so done cannot come early. */
struct etw_waiter *etw_waiter_alloc(void)
{
	struct etw_waiter *waiter = kzalloc(sizeof(*waiter), ETW_GFP);

	if (!waiter)
		return NULL;
	refcount_set(&waiter->ref, 1);
	atomic_set(&waiter->left, 1);
	init_completion(&waiter->done);
	return waiter;
}

void etw_waiter_put(struct etw_waiter *waiter)
{
	if (waiter && refcount_dec_and_test(&waiter->ref))
		kfree(waiter);
}

/* One notice less, or all are made. */
void etw_waiter_done(struct etw_waiter *waiter)
{
	if (atomic_dec_and_test(&waiter->left))
		complete(&waiter->done);
}

/* Until every notice was handled or dropped.  0, -ETIMEDOUT or -EINTR. */
int etw_waiter_wait(struct etw_waiter *waiter, u32 timeout_ms)
{
	long left = timeout_ms == U32_MAX ? MAX_SCHEDULE_TIMEOUT :
					    msecs_to_jiffies(timeout_ms);

	left = wait_for_completion_interruptible_timeout(&waiter->done, left);
	if (left < 0)
		return -EINTR;
	return left ? 0 : -ETIMEDOUT;
}

/* ------------------------------------------------------------------ notices */

struct etw_notice *etw_notice_alloc(gfp_t gfp)
{
	return kzalloc(sizeof(struct etw_notice), gfp);
}

/* Handled or dropped: whoever waits for it need not any more.  Takes NULL. */
void etw_notice_free(struct etw_notice *notice)
{
	if (!notice)
		return;
	if (notice->waiter) {
		etw_waiter_done(notice->waiter);
		etw_waiter_put(notice->waiter);
	}
	etw_filter_data_put(notice->filter);
	kfree(notice);
}

/*
 * Of too many that wait, which goes: a request for a rundown, or else the oldest,
 * for any other tells the whole state.
 */
struct etw_notice *etw_notice_spare(struct etw_registration *reg)
{
	struct etw_notice *notice;

	list_for_each_entry(notice, &reg->notices, reg_node)
		if (notice->control == ETW_CONTROL_CAPTURE)
			return notice;
	return list_first_entry(&reg->notices, struct etw_notice, reg_node);
}

static struct etw_notice *take(struct etw_registration *reg)
{
	struct etw_notice *notice;

	spin_lock(&reg->lock);
	notice = list_first_entry_or_null(&reg->notices, struct etw_notice, reg_node);
	if (notice) {
		list_del(&notice->reg_node);
		reg->queued--;
	}
	spin_unlock(&reg->lock);
	return notice;
}

static void call_back(const struct etw_registration *reg, const struct etw_notice *notice)
{
	const struct etw_filter_data *data = notice->filter;
	struct etw_filter filter;

	if (data)
		filter = (struct etw_filter){ .ptr = (unsigned long)data->words,
					      .len = data->len, .type = data->type };
	reg->callback(&notice->source, notice->control, notice->level, notice->any,
		      notice->all, data ? &filter : NULL, reg->context);
}

static void callback_work(struct work_struct *work)
{
	struct etw_registration *reg = container_of(work, struct etw_registration,
						    work);
	struct etw_notice *notice;

	WRITE_ONCE(reg->running, current);
	while ((notice = take(reg))) {
		call_back(reg, notice);
		etw_notice_free(notice);
		cond_resched();
	}
	WRITE_ONCE(reg->running, NULL);
}

void etw_notify_init(struct etw_registration *reg)
{
	spin_lock_init(&reg->lock);
	INIT_LIST_HEAD(&reg->notices);
	INIT_WORK(&reg->work, callback_work);
}

bool etw_notify_wanted(const struct etw_registration *reg)
{
	return reg->callback || (reg->flags & ETW_REGISTER_NOTIFY);
}

static void queue_for_callback(struct etw_registration *reg, struct etw_notice *notice)
{
	struct etw_notice *spare = NULL;

	spin_lock(&reg->lock);
	if (reg->queued >= ETW_NOTICES_MAX)
		spare = etw_notice_spare(reg);
	else
		reg->queued++;
	if (spare)
		list_del(&spare->reg_node);
	list_add_tail(&notice->reg_node, &reg->notices);
	spin_unlock(&reg->lock);
	etw_notice_free(spare);
	queue_work(etw_callback_wq, &reg->work);
}

/* Hands the notice over. */
void etw_notify_queue(struct etw_registration *reg, struct etw_notice *notice)
{
	if (!reg->process) {
		queue_for_callback(reg, notice);
		return;
	}
	notice->reg = reg;
	etw_process_queue(reg->process, notice);
}

/* A module's registration goes: what waits is not delivered any more. */
void etw_notify_drop(struct etw_registration *reg)
{
	struct etw_notice *notice, *tmp;
	LIST_HEAD(dropped);

	lockdep_assert_held(&etw_control);	/* nor is anything added */
	spin_lock(&reg->lock);
	list_splice_init(&reg->notices, &dropped);
	reg->queued = 0;
	spin_unlock(&reg->lock);
	list_for_each_entry_safe(notice, tmp, &dropped, reg_node)
		etw_notice_free(notice);
}

/* It went: no callback runs once this has returned.  Without etw_control. */
void etw_notify_cancel(struct etw_registration *reg)
{
	cancel_work_sync(&reg->work);
}
