/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hot.h - the parts of sessions, registrations and processes that writers use
 *
 * Each is part of a larger struct, which its owner declares.
 * Writers reach a session through a provider's RCU snapshot with preemption
 * disabled.  Once the session is out of every snapshot and a grace period has
 * passed, no writer uses it.
 */
#ifndef ETW_WRITE_HOT_H
#define ETW_WRITE_HOT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/sched/signal.h>
#include <asm/local.h>
#include <etw/kernel.h>

#include "clock.h"
#include "core/ring.h"
#include "fair.h"
#include "loss.h"
#include <etw/abi.h>

#define ETW_READERS_KNOWN	4	/* processes; what others cause is not left out */

/* A session on one CPU. */
struct etw_session_cpu {
	/* written by its CPU only; every event changes the first cache line */
	struct etw_ring_cpu rc;
	local_t written;		/* counted just before or after the commit */
	struct etw_session_hot *session;
	local_t dropped[ETW_DROP_CAUSES] ____cacheline_aligned;
	local_t undecided;		/* filters that could not decide */
	struct etw_loss_note lost[2][ETW_DROP_CAUSES];	/* by hot.loss_slot, see loss.c */
	/* for the delivery worker, under session->lock */
	struct list_head waiting ____cacheline_aligned; /* buffers that arrived early */
	u16 next_generation;
	struct etw_loss_sum unrecorded[ETW_DROP_CAUSES];	/* see session/ledger.c */
};

/* Part of struct etw_trace_session. */
struct etw_session_hot {
	struct etw_ring ring;
	struct etw_session_cpu __percpu *cpu;
	u32 tsc_size;			/* ring.size, or 0 while the clock is not the TSC */
	enum etw_clock_source clock;	/* changes in stop_machine(), see session/epoch.c */
	u16 logger_id;
	bool independent;
	bool buffering;
	u64 given_after;		/* timestamps given by writers must be later */
	bool shared;			/* NO_PER_PROCESSOR: all CPUs write to common.rc */
	/* Whose events of the kernel's own it does not want; written under session->lock */
	const struct pid *readers[ETW_READERS_KNOWN];
	u32 reader_count;
	u32 mode;			/* changes under session->lock: a file session may
					 * become a real-time one
					 */

	/* the buffer that all CPUs of a shared session write to */
	struct {
		struct etw_ring_cpu rc;
		atomic_t changing;	/* CPUs in etw_ring_switch() */
	} common ____cacheline_aligned;
	atomic_t sequence;		/* of messages, see reserve.c */
	u32 loss_slot;			/* 0 or 1; written under session->lock */
	bool losing;			/* events were lost since a buffer was flagged */
	struct etw_fair fair;
};

/* Part of struct etw_registration. */
struct etw_registration_hot {
	struct etw_provider own;	/* of processes and run-time handles */
	struct pid *tgid;		/* process that registered; NULL: a kernel module */
	u64 payer;			/* see fair.h; 0: the kernel */
	u32 flags;			/* ETW_REGISTER_* */
	bool types;			/* data descriptors have types; written under etw_control */
	bool refused;			/* a process may not write; written under etw_control */
	atomic64_t refusals;		/* its writes since */
};

/* Part of struct etw_process; private_data of an open /dev/etw points to it. */
struct etw_process_hot {
	/* by slot; written under etw_control, see process.c */
	struct etw_registration_hot __rcu **regs;
};

/*
 * Has the process lost its GUID to a kernel module?  Then its enable entry always asks for
 * events, whatever sessions have enabled, so that each write comes here and fails.
 */
static inline bool etw_hot_refuses(struct etw_registration_hot *reg)
{
	if (likely(!READ_ONCE(reg->refused)))
		return false;
	atomic64_inc(&reg->refusals);
	return true;
}

static inline bool etw_hot_is_classic(const struct etw_registration_hot *reg)
{
	return reg->flags & ETW_REGISTER_CLASSIC;
}

static inline void etw_hot_set_clock(struct etw_session_hot *s, enum etw_clock_source clock)
{
	WRITE_ONCE(s->clock, clock);
	WRITE_ONCE(s->tsc_size, clock == ETW_SOURCE_TSC ? s->ring.size : 0);
}

/*
 * The time of a record that is written now, read after the position.  The source may change
 * if this is an NMI.
 */
static __always_inline u64 etw_hot_now(const struct etw_session_hot *s)
{
	enum etw_clock_source source = READ_ONCE(s->clock);

	return s->shared ? etw_clock_read_ordered(source) : etw_clock_read(source);
}

/*
 * May a process write into the buffer named by cur?  Whoever may take the next buffer may
 * write into this one; only if it was one of the last there is more to ask.
 */
static __always_inline bool etw_hot_may_use(struct etw_session_hot *s, u64 payer, u64 cur)
{
	const struct etw_buf *buf = etw_pool_buf(&s->ring.pool, ETW_CUR_INDEX(cur));

	return likely(READ_ONCE(buf->left) >= etw_fair_reserve(&s->fair)) ||
	       etw_fair_entitled(s, payer, buf);
}

/* A process has reserved a slot in buf and not committed it yet. */
static __always_inline void etw_hot_paid(enum etw_use use, struct etw_buf *buf, u64 payer)
{
	if (ETW_PAYER_USER(buf->payer) == ETW_PAYER_USER(payer))
		etw_word_add(use, &buf->paid, 1);
}

/* Does the session's budget refuse the process's record of len bytes? */
static __always_inline bool etw_hot_over_budget(struct etw_session_hot *s, u64 payer, u32 len)
{
	u32 kb = READ_ONCE(s->fair.budget_kb);

	return unlikely(kb) && !etw_fair_within_budget(&s->fair, payer, kb, len);
}

#endif /* ETW_WRITE_HOT_H */
