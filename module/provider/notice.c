// SPDX-License-Identifier: GPL-2.0-only
/*
 * notice.c - enable notifications on their way to callbacks, and waiting for them
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

struct etw_notice *etw_notice_alloc(gfp_t gfp)
{
	return kzalloc(sizeof(struct etw_notice), gfp);
}

/* Set the callback's arguments.  The waiter, or NULL, waits until the notice is handled. */
void etw_notice_fill(struct etw_notice *notice, const struct etw_enable_entry *composite,
		     u32 control, const struct etw_guid *source, struct etw_waiter *waiter)
{
	notice->control = control;
	notice->level = composite->level;
	notice->any = composite->any;
	notice->all = composite->all;
	if (source)
		notice->source = *source;
	if (waiter) {
		refcount_inc(&waiter->ref);
		atomic_inc(&waiter->left);
		notice->waiter = waiter;
	}
}

/* Free a notice that was handled or dropped; its waiter no longer waits for it.  Takes NULL. */
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
 * Choose the notice to drop when too many wait: a request for state, or else the oldest
 * one, because each later one describes the whole state.
 */
struct etw_notice *etw_notice_spare(struct etw_registration *reg)
{
	struct etw_notice *notice;

	list_for_each_entry(notice, &reg->notices, reg_node)
		if (notice->control == ETW_CONTROL_CAPTURE)
			return notice;
	return list_first_entry(&reg->notices, struct etw_notice, reg_node);
}
