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
#include <etw/abi.h>

/* A session on one CPU. */
struct etw_session_cpu {
	/* written by its CPU only; every event changes the first cache line */
	struct etw_ring_cpu rc;
	local_t written;
	local_t dropped[ETW_DROP_CAUSES] ____cacheline_aligned;
	/* for the delivery worker, under session->lock */
	struct list_head waiting ____cacheline_aligned; /* buffers that arrived early */
	u16 next_generation;
};

/* Part of struct etw_trace_session. */
struct etw_session_hot {
	struct etw_ring ring;
	struct etw_session_cpu __percpu *cpu;
	enum etw_clock_source clock;
	u16 logger_id;
	bool independent;
	bool buffering;
	u64 given_after;		/* timestamps given by writers must be later */
	bool shared;			/* NO_PER_PROCESSOR: all CPUs write to common.rc */
	u32 mode;			/* changes under session->lock: a file session may
					 * become a real-time one
					 */

	/* the buffer that all CPUs of a shared session write to */
	struct {
		struct etw_ring_cpu rc;
		atomic_t changing;	/* CPUs in etw_ring_switch() */
	} common ____cacheline_aligned;
	atomic_t sequence;		/* of messages, see reserve.c */
};

/* Part of struct etw_registration. */
struct etw_registration_hot {
	struct etw_provider own;	/* of processes and run-time handles */
	struct pid *tgid;		/* process that registered; NULL: a kernel module */
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

#endif /* ETW_WRITE_HOT_H */
