/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callback_user.h - enable notifications that processes fetch
 */
#ifndef ETW_PROVIDER_CALLBACK_USER_H
#define ETW_PROVIDER_CALLBACK_USER_H

#include <linux/poll.h>
#include <linux/wait.h>

#include "provider.h"

struct etw_notice;
struct etw_notice_call;
struct etw_waiter;

/* The notices that a process fetches.  All under lock, but for the first two. */
struct etw_callback_queue {
	bool gone;			/* all registrations have left; set once */
	const u32 *program;		/* of the owner, how many it has left; NULL: no owner */
	spinlock_t lock;
	struct list_head notices;
	struct etw_notice *handled;	/* the one that user space is working on */
	struct task_struct *handler;	/* task that fetched it; only compared */
	struct etw_waiter *waiter;	/* of an ENABLE that a signal ended, or NULL */
	wait_queue_head_t wait;
};

/* Has the process or the program that made the registration ended?  A work will remove it. */
static inline bool etw_registration_has_left(const struct etw_registration *reg)
{
	const u32 *program;

	if (!etw_is_user(reg))
		return false;
	program = READ_ONCE(reg->queue->program);
	return READ_ONCE(reg->queue->gone) || (program && reg->program != READ_ONCE(*program));
}

void etw_callback_queue_init(struct etw_callback_queue *q);
struct etw_waiter *etw_callback_queue_keep(struct etw_callback_queue *q,
					   struct etw_waiter *waiter);
void etw_callback_queue_add(struct etw_callback_queue *q, struct etw_registration *reg,
			    const struct etw_notice_call *call);
void etw_callback_queue_drop(struct etw_registration *reg);
bool etw_callback_queue_waits(const struct etw_registration *reg, const struct etw_waiter *waiter);
int etw_callback_queue_fetch(struct etw_callback_queue *q, struct etw_notify *n,
			     struct etw_filter_data **data);
void etw_callback_queue_unfetch(struct etw_callback_queue *q, struct etw_process_hot *process,
				const struct etw_notify *n);
__poll_t etw_callback_queue_poll(struct etw_callback_queue *q, struct file *file,
				 poll_table *pt);

#endif /* ETW_PROVIDER_CALLBACK_USER_H */
