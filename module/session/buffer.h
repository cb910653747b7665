/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buffer.h - a session's buffers and its writers' counters
 */
#ifndef ETW_SESSION_BUFFER_H
#define ETW_SESSION_BUFFER_H

#include "trace_session.h"

extern const struct etw_ring_ops etw_session_ring_ops;

int etw_buffers_init(struct etw_trace_session *s);
void etw_buffers_free(struct etw_trace_session *s);
int etw_buffers_reserve(struct etw_trace_session *s, u32 capacity);
struct etw_buffer *etw_buffer_alloc(struct etw_trace_session *s);
void etw_buffer_recycle(struct etw_trace_session *s, struct etw_buffer *b);
u32 etw_buffers_capacity(const struct etw_trace_session *s, u32 max_buffers);
void etw_buffers_close_cpu(struct etw_trace_session *s, int cpu);
void etw_buffers_close_online(struct etw_trace_session *s);
void etw_buffers_close_all(struct etw_trace_session *s);
u64 etw_session_dropped(struct etw_trace_session *s, u64 cause[ETW_DROP_CAUSES]);
u64 etw_session_lost(struct etw_trace_session *s);
u64 etw_session_written(struct etw_trace_session *s);

#endif /* ETW_SESSION_BUFFER_H */
