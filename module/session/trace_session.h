/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace_session.h - a session: its ring, its policy and its consumers
 *
 * Lock order: etw_control, session->flush_lock, cpus_read_lock, session->lock.
 *  etw_control	the table of sessions, names, and the providers that each enabled
 *  flush_lock	one flush or stop at a time
 *  lock	everything on the delivery side: queue, consumers, buffers
 *  (none)	the write side: ring, pool, per-CPU words and the shared buffer, see
 *		core/ring.h and write/reserve.c
 * CPU hotplug walks the sessions under RCU only.
 */
#ifndef ETW_SESSION_TRACE_SESSION_H
#define ETW_SESSION_TRACE_SESSION_H

#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "clock.h"
#include "provider/enabler.h"
#include "write/hot.h"
#include <etw/abi.h>

struct etw_logfile;

/* A buffer; the ring and the pool know only buf. */
struct etw_buffer {
	struct etw_buf buf;
	struct llist_node done;		/* delivered, not yet seen by the worker */
	/* under session->lock */
	struct list_head node;		/* in queue, waiting or spare */
	u64 sequence;
	u32 events;
	u16 pending;			/* consumers that have not taken it yet */
	u16 held;			/* consumers that hold it */
	/* see abandon.c */
	u16 marked_cpu;
	u16 marked_generation;
	bool marked;			/* closed, but incomplete before a grace period */
	bool abandoned;			/* ... and after it: never used again */
};

enum etw_session_state { ETW_RUNNING, ETW_STOPPING, ETW_STOPPED };

struct etw_trace_session {
	struct etw_session_hot hot;	/* read by writers */

	/* written by writers that change buffers */
	struct irq_work irq_work ____cacheline_aligned;
	bool flush_armed;		/* the flush timer runs; racy on purpose */
	bool dry;			/* the worker knows that the pool is empty */
	struct llist_head done;
	struct etw_fifo fifo;		/* BUFFERING: full buffers, oldest first */
	atomic64_t overwritten_buffers;
	atomic64_t overwritten_events;

	/* set at start */
	struct kref ref;
	struct list_head node;		/* etw_sessions; RCU, under etw_control */
	struct etw_enabler enabler;
	char *name;
	u32 name_len;
	u64 handle;
	u32 clock_type;
	u64 clock_freq;
	struct etw_clock_sync start;
	struct mem_cgroup *memcg;	/* of the task that started it, charged for buffers */

	struct mutex flush_lock;
	struct mutex lock;
	/* under lock */
	enum etw_session_state state;
	u32 min_buffers;
	u32 max_buffers;
	u32 flush_ms;			/* 0: no timer */
	u32 total;			/* buffers allocated */
	u32 capacity;			/* entries of ring.pool.table */
	struct list_head queue;		/* delivered, oldest first */
	struct list_head spare;		/* BUFFERING: for the next snapshot */
	u64 next_sequence;
	u64 complete_through;
	u64 complete_sequence;
	struct etw_clock_sync sync;
	struct list_head consumers;
	u32 consumer_count;
	u64 lost_seen;			/* losses of the write side already flagged */
	u64 buffers_delivered;
	u64 events_delivered;
	u64 discarded_buffers;
	u64 discarded_events;
	u64 abandoned_buffers;		/* also read without the lock */
	u64 abandoned_events;
	u64 rt_buffers_lost;

	/* set at start; NULL: no file */
	struct etw_logfile *log;
	void (*log_free)(struct etw_logfile *log);

	wait_queue_head_t wait;		/* consumers */
	struct work_struct work;
	struct delayed_work flush_work;
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
