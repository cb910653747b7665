/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * notice.h - enable notifications on their way to callbacks, and waiting for them
 */
#ifndef ETW_PROVIDER_NOTICE_H
#define ETW_PROVIDER_NOTICE_H

#include <linux/completion.h>

#include "provider.h"

#define ETW_NOTICES_MAX		8	/* waiting, per registration */

/* Lets a caller wait until a change has reached all callbacks. */
struct etw_waiter {
	refcount_t ref;
	atomic_t left;
	bool dropped;			/* a request for forwarded events was, unanswered */
	struct completion done;
};

/* One call of a callback. */
struct etw_notice_call {
	struct etw_guid source;
	u32 control;
	u8 level;
	u64 any;
	u64 all;
	struct etw_filter_data *filter;	/* a reference, or NULL */
	u32 logger_id;			/* classic registration: its session */
	struct etw_waiter *waiter;	/* a reference, or NULL */
};

/* Part of reg->notice_memory. */
struct etw_notice {
	struct list_head node;		/* user mode: queue->notices */
	struct list_head reg_node;	/* reg->notices or reg->idle */
	struct etw_registration *reg;
	struct etw_notice_call call;
};

struct etw_waiter *etw_waiter_alloc(void);
void etw_waiter_put(struct etw_waiter *waiter);
void etw_waiter_done(struct etw_waiter *waiter);
int etw_waiter_wait(struct etw_waiter *waiter, u32 timeout_ms);

void etw_notice_call_fill(struct etw_notice_call *call, const struct etw_enable_entry *composite,
			  u32 control, const struct etw_guid *source, struct etw_waiter *waiter);
void etw_notice_call_put(struct etw_notice_call *call);

int etw_notices_alloc(struct etw_registration *reg);
struct etw_notice *etw_notice_take_idle(struct etw_registration *reg);
void etw_notice_retire(struct etw_notice *notice, struct etw_notice_call *call);
struct etw_notice *etw_notice_spare(struct etw_registration *reg, u32 control);

#endif /* ETW_PROVIDER_NOTICE_H */
