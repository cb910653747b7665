// SPDX-License-Identifier: GPL-2.0-only
/*
 * notice.c - enable notifications on their way to callbacks, and waiting for them
 *
 * Every change calls the callback, as in ETW, in the order of the changes.  A callback that
 * falls behind must not cost whoever makes the changes memory, so a registration has memory
 * for ETW_NOTICES_MAX waiting notices, as many as sessions that can enable it, and for one that
 * is being handled; the process that registers pays for it.  When more would wait, some are dropped and the state remains known:
 * each change describes the whole state, so a later one replaces the oldest, and so does a
 * later request for state an older one.  The last of either kind is never dropped.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "alloc.h"
#include "filter_data.h"
#include "notice.h"

/* ------------------------------------------------------------------ waiting */

/* left starts at 1, for the enable call itself, so that done cannot come early. */
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

/* A notice was handled or dropped, or the enable call has made all of them. */
void etw_waiter_done(struct etw_waiter *waiter)
{
	if (atomic_dec_and_test(&waiter->left))
		complete(&waiter->done);
}

/* Wait until every notice was handled or dropped.  0, -ETIMEDOUT or -EINTR. */
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

/* Set the callback's arguments.  The waiter, or NULL, waits until the call is over. */
void etw_notice_call_fill(struct etw_notice_call *call, const struct etw_enable_entry *composite,
			  u32 control, const struct etw_guid *source, struct etw_waiter *waiter)
{
	*call = (struct etw_notice_call){
		.control = control,
		.level = composite->level,
		.any = composite->any,
		.all = composite->all,
		.waiter = waiter,
	};
	if (source)
		call->source = *source;
	if (waiter) {
		refcount_inc(&waiter->ref);
		atomic_inc(&waiter->left);
	}
}

/* The call was made or dropped: its waiter no longer waits for it.  May sleep. */
void etw_notice_call_put(struct etw_notice_call *call)
{
	if (call->waiter) {
		etw_waiter_done(call->waiter);
		etw_waiter_put(call->waiter);
	}
	etw_filter_data_put(call->filter);
}

/* Before the registration is added, if it has a callback.  Freed with the registration. */
int etw_notices_alloc(struct etw_registration *reg)
{
	struct etw_notice *notice;
	u32 i;

	reg->notice_memory = kcalloc(ETW_NOTICES_MAX + 1, sizeof(*notice), ETW_GFP);
	if (!reg->notice_memory)
		return -ENOMEM;
	for (i = 0; i <= ETW_NOTICES_MAX; i++) {
		notice = &reg->notice_memory[i];
		notice->reg = reg;
		list_add(&notice->reg_node, &reg->idle);
	}
	return 0;
}

/* There is one unless ETW_NOTICES_MAX wait.  Under the lock of the notices. */
struct etw_notice *etw_notice_take_idle(struct etw_registration *reg)
{
	struct etw_notice *notice = list_first_entry(&reg->idle, struct etw_notice, reg_node);

	list_del(&notice->reg_node);
	return notice;
}

/*
 * The notice, which is in no list, was handled or dropped.  The caller puts *call when it has
 * released the lock of the notices, which it holds.
 */
void etw_notice_retire(struct etw_notice *notice, struct etw_notice_call *call)
{
	*call = notice->call;
	list_add(&notice->reg_node, &notice->reg->idle);
}

/* Choose the waiting notice to drop for one with this control. */
struct etw_notice *etw_notice_spare(struct etw_registration *reg, u32 control)
{
	struct etw_notice *notice, *change = NULL, *capture = NULL;
	u32 captures = control == ETW_CONTROL_CAPTURE;

	list_for_each_entry_reverse(notice, &reg->notices, reg_node) {
		if (notice->call.control != ETW_CONTROL_CAPTURE) {
			change = notice;
			continue;
		}
		capture = notice;
		captures++;
	}
	return captures > 1 || !change ? capture : change;
}
