/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * consumer.h - a consumer: its cursor in the queue of a session
 *
 * Consumers in user space are open files (consumer_file.c); a log file has a consumer in
 * the module (logfile/writer_thread.c).
 */
#ifndef ETW_SESSION_CONSUMER_H
#define ETW_SESSION_CONSUMER_H

#include "trace_session.h"

#define ETW_CONSUMER_HELD	2

struct etw_consumer {
	struct etw_trace_session *session;
	struct list_head node;		/* session->consumers */
	struct etw_buffer *cursor;	/* NULL: at the end of the queue */
	struct etw_buffer *held[ETW_CONSUMER_HELD];
	struct etw_buffer *stand_in;	/* records lost buffers; NULL: none yet */
	u32 lost_as;			/* ETW_LOSS_*: a buffer that it did not take in time */
	struct etw_losses gap;		/* between what it took last and its cursor */
	struct pid *tgid;		/* of its process; held; NULL: not known yet */
	struct etw_consumer_info info;
};

void etw_consumer_prepare(struct etw_consumer *c);
int etw_consumer_attach(struct etw_trace_session *s, struct etw_consumer *c);
void etw_consumer_detach(struct etw_consumer *c);
u32 etw_consumers_info(struct etw_trace_session *s, struct etw_consumer_info *info,
		       u32 capacity);

/* The rest is under session->lock. */
void etw_consumer_runs(struct etw_consumer *c);
void etw_consumers_append(struct etw_trace_session *s, struct etw_buffer *b);
void etw_consumers_drop(struct etw_trace_session *s, struct etw_buffer *b);
int etw_consumer_take(struct etw_consumer *c, struct etw_buffer **taken);
void etw_consumer_give(struct etw_consumer *c, struct etw_buffer *b);
u32 etw_consumer_take_some(struct etw_consumer *c, struct etw_buffer **list, u32 room);
void etw_consumer_give_some(struct etw_consumer *c, struct etw_buffer **list, u32 count);
/* A hint without the lock: is there a buffer, or one that records a gap, to take? */
static inline bool etw_consumer_ready(const struct etw_consumer *c)
{
	return READ_ONCE(c->cursor) || (READ_ONCE(c->gap.missing) && READ_ONCE(c->stand_in));
}

void etw_consumer_untake(struct etw_consumer *c, struct etw_buffer *b);
struct etw_buffer *etw_consumer_held(struct etw_consumer *c, u32 index);
void etw_consumer_info(struct etw_consumer *c, struct etw_consumer_info *info);
u32 etw_consumer_hold(struct etw_consumer *c, struct etw_buffer **list, u32 room);
void etw_consumer_release(struct etw_consumer *c, struct etw_buffer **list, u32 count,
			  bool taken);
void etw_consumer_detach_locked(struct etw_consumer *c);

#endif /* ETW_SESSION_CONSUMER_H */
