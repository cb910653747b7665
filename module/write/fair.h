/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fair.h - which writer loses events when a session's buffers run low
 */
#ifndef ETW_WRITE_FAIR_H
#define ETW_WRITE_FAIR_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "core/ring.h"

struct etw_session_hot;

#define ETW_FAIR_USERS	16	/* with shares of their own; all others have one together */
#define ETW_FAIR_PARTS	8	/* of a user: their registrations, by turns */

/* A payer: user (34 bits) | part (3 bits); 0 is the kernel. */
#define ETW_PAYER(user, part)	((u64)(user) * ETW_FAIR_PARTS + (part))
#define ETW_PAYER_USER(payer)	((payer) / ETW_FAIR_PARTS)
#define ETW_PAYER_PART(payer)	((payer) % ETW_FAIR_PARTS)

/* Who asks for a buffer; each may use what those above it must leave. */
enum etw_fair_level {
	ETW_FAIR_OVER,		/* a user above their share, a registration above its part */
	ETW_FAIR_PART,		/* a registration within its part of the user's share */
	ETW_FAIR_USER,		/* a user within their share */
	ETW_FAIR_KERNEL,
	ETW_FAIR_LEVELS,
};

struct etw_fair_user {
	atomic64_t word;	/* user (48) | full buffers that they pay for (16) */
	atomic_t parts[ETW_FAIR_PARTS];	/* the same of each of their parts */
};

struct etw_budget_user {
	u64 user;		/* 0: unused */
	u64 second;		/* since boot */
	u64 bytes;		/* that it tried to write in that second, within the budget */
};

/* Part of struct etw_session_hot.  Writers read the first cache line and seldom the others. */
struct etw_fair {
	/* free buffers that a level leaves to those after it; change under session->lock */
	u32 keep[ETW_FAIR_LEVELS];
	u32 most;			/* the largest reserve; under session->lock */
	u32 budget_kb;			/* per user and second; 0: no limit; every write reads it */
	u32 cpus;			/* open buffers, which nobody pays for yet; changes under
					 * session->lock
					 */
	u32 buffers;			/* all but the reserve; changes under session->lock */
	/* change with every full buffer */
	atomic_t kernel ____cacheline_aligned;	/* full buffers that the kernel pays for */
	struct etw_fair_user users[ETW_FAIR_USERS + 1];	/* the last one: all others */

	/* changes with each write of a task if there is a budget; interrupts are off */
	raw_spinlock_t budget_lock ____cacheline_aligned;
	struct etw_budget_user budgets[ETW_FAIR_USERS + 1];
};

void etw_fair_init(struct etw_fair *fair, u32 cpus);
void etw_fair_limit(struct etw_fair *fair, u32 max_buffers, u64 room);
void etw_fair_start(struct etw_fair *fair, u32 buffers);
void etw_fair_grow(struct etw_fair *fair, u32 free);
u32 etw_fair_target(const struct etw_fair *fair);
void etw_fair_fit(struct etw_fair *fair);
bool etw_fair_lacks_reserve(const struct etw_fair *fair);
void etw_fair_shrink(struct etw_fair *fair, u32 reserve);
bool etw_fair_within_budget(struct etw_fair *fair, u64 payer, u32 kb, u32 len);
bool etw_fair_entitled(struct etw_session_hot *s, u64 payer, const struct etw_buf *buf);
int etw_fair_switch(enum etw_use use, struct etw_session_hot *s, struct etw_ring_cpu *rc,
		    u64 cur, u64 payer);
u32 etw_fair_cause(struct etw_session_hot *s, u64 payer);

u8 etw_fair_charge(struct etw_fair *fair, u64 payer);
void etw_fair_uncharge(struct etw_fair *fair, u64 payer, u8 place);
bool etw_fair_is_over(struct etw_fair *fair, u64 payer);

/* All that a session keeps free for others. */
static inline u32 etw_fair_reserve(const struct etw_fair *fair)
{
	return READ_ONCE(fair->keep[ETW_FAIR_OVER]);
}

#endif /* ETW_WRITE_FAIR_H */
