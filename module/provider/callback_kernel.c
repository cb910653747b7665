// SPDX-License-Identifier: GPL-2.0-only
/*
 * callback_kernel.c - enable callbacks of kernel modules
 *
 * A module's callback runs in a thread that the work of its registration starts: one at
 * a time, in order, and without a lock of this module.  A process fetches its notices
 * itself, see callback_user.c.
 *
 * The callbacks of this module itself, of the kernel's own events, run in the worker.
 *
 * A callback that oopses ends its thread.  If that were a worker, its work would never
 * finish, and neither the module nor etw could be removed any more.  So a call waits until
 * there is memory for a thread.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/lockdep.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "callback_kernel.h"
#include "callback_user.h"
#include "change.h"
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

/* The notice was handled or is dropped. */
static void callback_done(struct etw_registration *reg, struct etw_notice *notice)
{
	struct etw_notice_call call;

	spin_lock(&reg->lock);
	etw_notice_retire(notice, &call);
	spin_unlock(&reg->lock);
	etw_notice_call_put(&call);
}

static void callback_call(const struct etw_registration *reg, const struct etw_notice_call *call)
{
	const struct etw_filter_data *data = call->filter;
	struct etw_filter filter;

	if (data)
		filter = (struct etw_filter){ .ptr = (unsigned long)data->words,
					      .len = data->len, .type = data->type };
	reg->callback(&call->source, call->control, call->level, call->any, call->all,
		      data ? &filter : NULL, reg->context);
}

/* Call the callback until no notice waits. */
static void callback_run(struct etw_registration *reg)
{
	WRITE_ONCE(reg->running, current);
	while ((reg->handled = callback_take(reg))) {
		callback_call(reg, &reg->handled->call);
		callback_done(reg, reg->handled);
		cond_resched();
	}
	WRITE_ONCE(reg->running, NULL);
}

/* On the worker's stack: valid until the thread completes done or has died. */
struct callback_thread {
	struct etw_registration *reg;
	struct completion done;
};

#define DEATH_POLL	(HZ / 10)	/* a thread that dies completes nothing */
#define THREAD_RETRY	(HZ / 10)	/* no thread could be made */

/* Lockdep must see what the caller of cancel_delayed_work_sync() waits for. */
#ifdef CONFIG_LOCKDEP
#define callback_map(reg)	(&(reg)->work.work.lockdep_map)
#endif

static int callback_thread(void *data)
{
	struct callback_thread *thread = data;

	lock_map_acquire(callback_map(thread->reg));
	callback_run(thread->reg);
	lock_map_release(callback_map(thread->reg));
	/* Not by returning: this module may be gone by then. */
	kthread_complete_and_exit(&thread->done, 0);
}

/* Wait until the thread ends; false: it died inside the callback. */
static bool callback_join(struct callback_thread *thread, const struct task_struct *task)
{
	while (!wait_for_completion_timeout(&thread->done, DEATH_POLL))
		if (READ_ONCE(task->flags) & PF_EXITING)
			return try_wait_for_completion(&thread->done);
	return true;
}

static void callback_discard(struct etw_registration *reg)
{
	struct etw_notice *notice;

	while ((notice = callback_take(reg)))
		callback_done(reg, notice);
}

/* The dead callback may hold locks of its driver, so another call could wait for ever. */
static void callback_bury(struct etw_registration *reg)
{
	pr_warn("etw: the enable callback of module %s died and is not called again\n",
		reg->module);
	WRITE_ONCE(reg->callback_died, true);
	WRITE_ONCE(reg->running, NULL);
	callback_done(reg, reg->handled);
	callback_discard(reg);
}

static void callback_work(struct work_struct *work)
{
	struct etw_registration *reg = container_of(to_delayed_work(work),
						    struct etw_registration, work);
	struct callback_thread thread = { .reg = reg };
	struct task_struct *task;

	etw_static_keys_settle();	/* what the callback writes must pass its key */
	if (reg->callback_died) {
		callback_discard(reg);
		return;
	}
	/* Callbacks of this module return: hundreds of threads would show in what is traced. */
	if (reg->of_system) {
		callback_run(reg);
		return;
	}
	init_completion(&thread.done);
	task = kthread_create(callback_thread, &thread, "etw/%s", reg->module);
	if (IS_ERR(task)) {
		queue_delayed_work(etw_callback_wq, &reg->work, THREAD_RETRY);
		return;
	}
	get_task_struct(task);
	wake_up_process(task);
	if (!callback_join(&thread, task))
		callback_bury(reg);
	put_task_struct(task);
}

void etw_callback_init(struct etw_registration *reg)
{
	spin_lock_init(&reg->lock);
	INIT_LIST_HEAD(&reg->notices);
	INIT_LIST_HEAD(&reg->idle);
	INIT_DELAYED_WORK(&reg->work, callback_work);
}

bool etw_callback_wanted(const struct etw_registration *reg)
{
	return reg->notice_memory && !READ_ONCE(reg->callback_died) &&
	       !etw_registration_has_left(reg);
}

static void callback_queue_kernel(struct etw_registration *reg, const struct etw_notice_call *call)
{
	struct etw_notice_call dropped = { };
	struct etw_notice *notice;

	spin_lock(&reg->lock);
	if (reg->queued >= ETW_NOTICES_MAX) {
		notice = etw_notice_spare(reg, call->control);
		list_del(&notice->reg_node);
		etw_notice_retire(notice, &dropped);
	} else {
		reg->queued++;
	}
	notice = etw_notice_take_idle(reg);
	notice->call = *call;
	list_add_tail(&notice->reg_node, &reg->notices);
	spin_unlock(&reg->lock);
	etw_notice_call_put(&dropped);
	queue_delayed_work(etw_callback_wq, &reg->work, 0);
}

/* Queue a call, whose references the caller gives away.  Only if one is wanted. */
void etw_callback_queue(struct etw_registration *reg, const struct etw_notice_call *call)
{
	if (etw_is_user(reg))
		etw_callback_queue_add(reg->queue, reg, call);
	else
		callback_queue_kernel(reg, call);
}

/* A module's registration ends: drop its waiting notices. */
void etw_callback_drop(struct etw_registration *reg)
{
	lockdep_assert_held(&etw_control);	/* so that nothing is added */
	callback_discard(reg);
}

/* Once this returns, no callback of the ended registration runs.  Without etw_control. */
void etw_callback_cancel(struct etw_registration *reg)
{
	cancel_delayed_work_sync(&reg->work);
}
