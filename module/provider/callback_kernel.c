// SPDX-License-Identifier: GPL-2.0-only
/*
 * callback_kernel.c - enable callbacks of kernel modules
 *
 * A module's callback runs in the work of its registration: one at a time, in order,
 * and without a lock of this module.  A process fetches its notices itself, see
 * callback_user.c.
 */
#include <linux/sched.h>

#include "callback_kernel.h"
#include "callback_user.h"
#include "notice.h"

struct workqueue_struct *etw_callback_wq;

static struct etw_notice *callback_take(struct etw_registration *reg)
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

static void callback_call(const struct etw_registration *reg, const struct etw_notice *notice)
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
	while ((notice = callback_take(reg))) {
		callback_call(reg, notice);
		etw_notice_free(notice);
		cond_resched();
	}
	WRITE_ONCE(reg->running, NULL);
}

void etw_callback_init(struct etw_registration *reg)
{
	spin_lock_init(&reg->lock);
	INIT_LIST_HEAD(&reg->notices);
	INIT_WORK(&reg->work, callback_work);
}

bool etw_callback_wanted(const struct etw_registration *reg)
{
	return reg->callback || (reg->hot.flags & ETW_REGISTER_NOTIFY);
}

static void callback_queue_kernel(struct etw_registration *reg, struct etw_notice *notice)
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

/* Queue the notice, which the caller must not use any more. */
void etw_callback_queue(struct etw_registration *reg, struct etw_notice *notice)
{
	if (!etw_is_user(reg)) {
		callback_queue_kernel(reg, notice);
		return;
	}
	notice->reg = reg;
	etw_callback_queue_add(reg->queue, notice);
}

/* A module's registration ends: drop its waiting notices. */
void etw_callback_drop(struct etw_registration *reg)
{
	struct etw_notice *notice, *tmp;
	LIST_HEAD(dropped);

	lockdep_assert_held(&etw_control);	/* so that nothing is added */
	spin_lock(&reg->lock);
	list_splice_init(&reg->notices, &dropped);
	reg->queued = 0;
	spin_unlock(&reg->lock);
	list_for_each_entry_safe(notice, tmp, &dropped, reg_node)
		etw_notice_free(notice);
}

/* Once this returns, no callback of the ended registration runs.  Without etw_control. */
void etw_callback_cancel(struct etw_registration *reg)
{
	cancel_work_sync(&reg->work);
}
