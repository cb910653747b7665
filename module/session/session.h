/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - a session: its ring, its policy, its way to the consumers
 *
 * Locking.  Order: etw_control -> session->flush_lock -> cpus_read_lock ->
 * session->lock.
 *  etw_control	the table of sessions, names, and who enabled what
 *  flush_lock	one flush or stop at a time
 *  lock	everything on the delivery side: queue, consumers, buffers
 *  (none)	the write side: ring, pool, per-CPU words and the shared place, see
 *		core/ring.h and reserve.c
 * Writers reach a session through a provider's RCU snapshot with preemption
 * disabled; after the session is out of every snapshot and a grace period has
 * passed, nobody writes.  CPU hotplug walks the sessions under RCU only.
 */
#ifndef ETW_SESSION_H
#define ETW_SESSION_H

#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <asm/local.h>

#include "clock.h"
#include "core/ring.h"
#include <etw/abi.h>

/* A buffer; buf comes first so that the ring's pointer is ours. */
struct etw_buffer {
	struct etw_buf buf;
	struct llist_node done;		/* delivered, not yet seen by the worker */
	/* under session->lock */
	struct list_head node;		/* in queue, waiting or spare */
	u64 sequence;
	u32 events;
	u16 pending;			/* consumers that have still to take it */
	u16 held;			/* consumers that hold it */
};

struct etw_session_cpu {
	/* written by its CPU only; the first line with every event */
	struct etw_ring_cpu rc;
	local_t written;
	local_t dropped[ETW_DROP_CAUSES] ____cacheline_aligned;
	/* of the delivery worker, under session->lock */
	struct list_head waiting ____cacheline_aligned; /* arrived too early */
	u16 next_generation;
};

enum etw_session_state { ETW_RUNNING, ETW_STOPPING, ETW_STOPPED };

struct etw_trace_session {
	/* hot, read by writers */
	struct etw_ring ring;
	struct etw_session_cpu __percpu *cpu;
	enum etw_clock_source clock;
	u16 logger_id;
	bool independent;
	bool buffering;
	bool secure;			/* asked when a provider is enabled, not here */
	bool shared;			/* NO_PER_PROCESSOR: common.rc is the place */

	/* the place of a session that is shared; written by every CPU */
	struct {
		struct etw_ring_cpu rc;
		atomic_t changing;	/* CPUs in etw_ring_switch() */
	} common ____cacheline_aligned;
	atomic_t sequence;		/* of messages, see reserve.c */

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
	struct etw_guid guid;
	char *name;
	u32 name_len;
	u64 handle;
	u32 mode;			/* changed under lock: a file session may become real-time */
	u32 clock_type;
	u64 clock_freq;
	struct etw_clock_sync start;
	struct mem_cgroup *memcg;	/* of the starter, pays for the buffers */
	struct etw_disallowed *disallowed;	/* groups.c; under etw_control */

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
	u64 lost_seen;			/* write-side losses already flagged */
	u64 buffers_delivered;
	u64 events_delivered;
	u64 discarded_buffers;
	u64 discarded_events;
	u64 rt_buffers_lost;

	struct etw_logfile *log;	/* set at start; NULL: no file */

	/* under etw_control, see capture_timer.c */
	struct {
		struct delayed_work work;
		struct etw_guid *guids;
		u32 count;
		u32 period_s;
	} periodic;

	wait_queue_head_t wait;		/* consumers */
	struct work_struct work;
	struct delayed_work flush_work;
};

static inline struct etw_buffer *etw_buffer_of(struct etw_buf *buf)
{
	return container_of(buf, struct etw_buffer, buf);
}

#define ETW_FLUSH_MS_MIN	1000U

/* What a session is started with; checked by etw_session_start(). */
struct etw_session_config {
	const char *name;
	u32 name_len;
	struct etw_guid guid;		/* zero: make one */
	u32 buffer_kb;
	u32 min_buffers;
	u32 max_buffers;
	u32 flush_ms;
	u32 clock;			/* ETW_CLOCK_*, 0: QPC */
	u32 mode;			/* ETW_MODE_* */
	struct etw_logfile *log;	/* a file, which the session takes over; or NULL */
};

/* session.c */
extern struct mutex etw_control;
extern struct list_head etw_sessions;
extern unsigned int etw_max_sessions;

struct etw_trace_session *etw_session_start(const struct etw_session_config *config);
struct etw_trace_session *etw_session_find(u64 handle, const char *name, u32 name_len);
struct etw_trace_session *etw_session_hold(struct etw_trace_session *s);
void etw_session_put(struct etw_trace_session *s);
void etw_session_stop(struct etw_trace_session *s);
int etw_session_update(struct etw_trace_session *s, u32 max_buffers, u32 flush_ms);
void etw_session_set_flush_locked(struct etw_trace_session *s, u32 ms);
u64 etw_session_dropped(struct etw_trace_session *s, u64 cause[ETW_DROP_CAUSES]);
u64 etw_session_written(struct etw_trace_session *s);
u32 etw_sessions_list(u64 *handles, u32 capacity);

/* buffer.c */
extern const struct etw_ring_ops etw_session_ring_ops;

int etw_buffers_init(struct etw_trace_session *s);
void etw_buffers_free(struct etw_trace_session *s);
int etw_buffers_reserve(struct etw_trace_session *s, u32 capacity);
struct etw_buffer *etw_buffer_alloc(struct etw_trace_session *s);
u32 etw_buffers_capacity(const struct etw_trace_session *s, u32 max_buffers);
void etw_buffers_close_online(struct etw_trace_session *s);
void etw_buffers_close_all(struct etw_trace_session *s);
int etw_hotplug_init(void);
void etw_hotplug_exit(void);

/* deliver.c */
extern struct workqueue_struct *etw_wq;		/* nothing on it takes etw_control */
extern struct workqueue_struct *etw_control_wq;	/* main.c; what does */

void etw_deliver_init(struct etw_trace_session *s);
void etw_deliver_kick(struct etw_trace_session *s);
void etw_deliver_recycle(struct etw_trace_session *s, struct etw_buffer *b);
void etw_deliver_stop(struct etw_trace_session *s);
int etw_deliver_flush(struct etw_trace_session *s);

/* capture_timer.c */
void etw_periodic_init(struct etw_trace_session *s);
void etw_periodic_stop(struct etw_trace_session *s);

/* consumer_file.c */
struct file *etw_consumer_open(struct etw_trace_session *s, u32 flags);

/* consumer.c; all but _info under session->lock */
void etw_consumers_append(struct etw_trace_session *s, struct etw_buffer *b);
void etw_consumers_drop(struct etw_trace_session *s, struct etw_buffer *b);
u32 etw_consumers_info(struct etw_trace_session *s, struct etw_consumer_info *info,
		       u32 capacity);

#endif /* ETW_SESSION_H */
