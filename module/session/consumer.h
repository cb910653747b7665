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
	struct etw_consumer_info info;
};

int etw_consumer_attach(struct etw_trace_session *s, struct etw_consumer *c);
void etw_consumer_detach(struct etw_consumer *c);
u32 etw_consumers_info(struct etw_trace_session *s, struct etw_consumer_info *info,
		       u32 capacity);

/* The rest is under session->lock. */
void etw_consumers_append(struct etw_trace_session *s, struct etw_buffer *b);
void etw_consumers_drop(struct etw_trace_session *s, struct etw_buffer *b);
int etw_consumer_take(struct etw_consumer *c, struct etw_buffer **taken);
void etw_consumer_give(struct etw_consumer *c, struct etw_buffer *b);
u32 etw_consumer_take_some(struct etw_consumer *c, struct etw_buffer **list, u32 room);
void etw_consumer_give_some(struct etw_consumer *c, struct etw_buffer **list, u32 count);
struct etw_buffer *etw_consumer_held(struct etw_consumer *c, u32 index);
void etw_consumer_info(struct etw_consumer *c, struct etw_consumer_info *info);
u32 etw_consumer_hold(struct etw_consumer *c, struct etw_buffer **list, u32 room);
void etw_consumer_release(struct etw_consumer *c, struct etw_buffer **list, u32 count,
			  bool taken);
void etw_consumer_detach_locked(struct etw_consumer *c);

#endif /* ETW_SESSION_CONSUMER_H */
