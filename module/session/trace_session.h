/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace_session.h - a session: its ring, its policy and its consumers
 *
 * Lock order: etw_control, session->flush_lock, cpus_read_lock, session->lock; and epoch_lock,
 * cpus_read_lock.  Under etw_control epoch_lock is only tried.  Buffers are allocated under none
 * of them but flush_lock: whoever needs one under session->lock releases it meanwhile (buffer.c).
 *  etw_control	the table of sessions, names, and the providers that each enabled
 *  epoch_lock	which sessions have a clock, and its source (epoch.c)
 *  flush_lock	one flush, sweep, update or stop at a time
 *  lock	everything on the delivery side: queue, consumers, buffers
 *  (none)	the write side: ring, pool, per-CPU words and the shared buffer, see
 *		core/ring.h and write/reserve.c
 * CPU hotplug walks the sessions under RCU only.
 */
#ifndef ETW_SESSION_TRACE_SESSION_H
#define ETW_SESSION_TRACE_SESSION_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "account.h"
#include "clock.h"
#include "core/losses.h"
#include "provider/enabler.h"
#include "write/hot.h"
#include <etw/abi.h>

struct etw_logfile;

/* A buffer; the ring and the pool know only buf. */
struct etw_buffer {
	struct etw_buf buf;
	struct page **pages;		/* of buf.data; NULL: it has no memory */
	struct llist_node done;		/* delivered, not yet seen by the worker */
	/* under session->lock */
	struct list_head node;		/* in queue, waiting, spare or empty */
	u64 sequence;
	u32 events;
	u32 records_at;			/* records of losses begin here, behind all events */
	u16 pending;			/* consumers that have not taken it yet */
	u16 held;			/* consumers that hold it */
	u8 charged;			/* where in fair.users, from 1; 0: nobody pays for it */
	/* see abandon.c */
	u16 marked_cpu;
	u16 marked_generation;
	bool marked;			/* closed, but incomplete before a grace period */
	bool abandoned;			/* ... and after it: never used again */
	bool stand_in;			/* a consumer's own, see consumer.c; never a writer's */
	bool mapped;			/* a consumer may have its pages mapped */
};

/* Of two the greater one counts. */
#define ETW_DRY_NOT	0
#define ETW_DRY_OVER	1	/* a user above their share: only their own backlog may go */
#define ETW_DRY		2	/* the kernel, or a user within their share */

/*
 * How memory for the pool is asked for, also after it was refused: see etw_buffer_growth_refused().
 * Changes under session->lock, except for ask.
 */
struct etw_growth {
	bool ask;			/* the next writer without a buffer asks, but not before after */
	unsigned long after;		/* jiffies */
	u32 wait_ms;			/* 0: there was memory the last time */
	u32 refused;			/* attempts, saturating */
	bool allocates;			/* grow.c waits for a buffer, */
	unsigned long since;		/* ... from these jiffies on */
};

enum etw_session_state { ETW_RUNNING, ETW_STOPPING, ETW_STOPPED };

/* Losses on their way into the trace, see ledger.c; under session->lock. */
struct etw_ledger {
	u32 unrecorded;			/* sums that no buffer records yet */
	bool due;			/* there are new losses in the notes */
	bool turning;			/* writers may still use the other notes */
	unsigned long turned;		/* ... until this grace period ends */
	u32 turns;			/* times that writers were sent to the other notes */
	u64 turned_at;			/* the last time of these, on the session's clock, or its start */
	u64 since;			/* the time before that one */
	u64 taken;			/* events in notes that were taken */
	struct etw_loss_sum abandoned;
	s32 abandoned_cpu;
	u64 time;			/* of the last record: its buffer was closed; 0: none */
	u16 cpu;			/* of that buffer */
};

struct etw_trace_session {
	struct etw_session_hot hot;	/* read by writers */

	/* written by writers that change buffers */
	struct irq_work irq_work ____cacheline_aligned;
	bool flush_wanted;		/* a buffer was installed since the last flush began */
	bool flush_armed;		/* the flush timer runs; both are racy on purpose */
	u8 dry;				/* ETW_DRY_*: the worker knows who found no buffer */
	struct etw_growth growth;
	struct llist_head done;
	struct etw_fifo fifo;		/* BUFFERING: full buffers, oldest first */
	atomic64_t overwritten_buffers;
	atomic64_t overwritten_events;

	/* set at start */
	struct kref ref;
	struct list_head node;		/* etw_sessions of epoch.h; RCU, under etw_control */
	struct list_head epoch_node;	/* under epoch_lock */
	bool epoch_records;		/* under epoch_lock: it takes records of the clock */
	struct etw_enabler enabler;
	bool stopping;			/* under etw_control */
	char *name;
	u32 name_len;
	u64 handle;
	u32 clock_type;
	u64 clock_freq;
	struct etw_clock_sync start;
	u64 asleep;			/* ns that the machine had slept before */
	struct mem_cgroup *memcg;	/* of the task that started it, charged for buffers */
	struct etw_account account;	/* likewise */

	struct mutex flush_lock;
	struct mutex lock;
	/* under lock */
	enum etw_session_state state;
	u32 min_buffers;
	u32 max_buffers;
	u32 ring_buffers;		/* BUFFERING: of the writers, min_buffers before long */
	u32 flush_ms;			/* 0: no timer */
	u32 total;			/* buffers allocated */
	bool growing;			/* grow_work is queued or runs, and has a reference */
	u32 entries;			/* of ring.pool.table in use: these, and empty ones */
	u32 capacity;			/* entries of ring.pool.table */
	struct etw_buf **former_table;	/* writers may still use it; NULL: there is none */
	struct list_head queue;		/* delivered, oldest first */
	struct list_head spare;		/* BUFFERING: for the next snapshot */
	struct list_head stand_ins;	/* of consumers that have left, for the next ones */
	u32 held_back;			/* buffers in a CPU's list waiting */
	u32 sweep_ms;			/* until the next sweep; 0: none was needed */
	u32 stand_in_count;		/* of total: these, and those of consumers */
	struct list_head empty;		/* buffers whose memory was given back, see shrink.c */
	u64 next_sequence;
	u64 complete_through;
	u64 complete_sequence;
	struct etw_clock_sync sync;
	struct list_head consumers;
	u32 consumer_count;
	struct etw_ledger ledger;
	u64 buffers_delivered;
	u64 events_delivered;
	u64 discarded_buffers;
	u64 discarded_events;
	u64 abandoned_buffers;		/* also read without the lock */
	u64 abandoned_events;
	u64 replaced_buffers;		/* BUFFERING: of the abandoned ones */
	u64 rt_buffers_lost;
	struct etw_losses unread;	/* lost while there was no consumer, for the next one */
	u32 system[ETW_SYSTEM_WORDS];	/* as etw_session_system has them */
	u32 sample_interval;

	/* set at start; NULL: no file */
	struct etw_logfile *log;
	void (*log_free)(struct etw_logfile *log);

	wait_queue_head_t wait;		/* consumers */
	struct work_struct work;
	struct hrtimer flush_timer;	/* for a short flush_ms: queues flush_work */
	struct delayed_work flush_work;
	struct delayed_work sweep_work;
	struct work_struct grow_work;	/* see grow.c */
	struct work_struct free_work;	/* see etw_session_put_later() */
};

static inline struct etw_buffer *etw_buffer_of(struct etw_buf *buf)
{
	return container_of(buf, struct etw_buffer, buf);
}

static inline struct etw_trace_session *etw_session_of(struct etw_enabler *enabler)
{
	return container_of(enabler, struct etw_trace_session, enabler);
}

#endif /* ETW_SESSION_TRACE_SESSION_H */
