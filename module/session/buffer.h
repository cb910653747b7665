/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buffer.h - a session's buffers and its writers' counters
 */
#ifndef ETW_SESSION_BUFFER_H
#define ETW_SESSION_BUFFER_H

#include "trace_session.h"

/* Index 0; and a consumer holds up to two buffers, and has one of its own. */
#define ETW_BUFFERS_BESIDES	(1 + 3 * ETW_CONSUMERS_MAX)

#define ETW_BUFFERS_PER_CPU	2	/* of those online, at least */

extern const struct etw_ring_ops etw_session_ring_ops;

int etw_buffers_init(struct etw_trace_session *s);
void etw_buffers_free(struct etw_trace_session *s);
int etw_buffers_reserve(struct etw_trace_session *s, u32 capacity);
void etw_buffer_prepare(struct etw_trace_session *s, struct etw_buf *buf);
struct etw_buffer *etw_buffer_alloc(struct etw_trace_session *s);
struct etw_buffer *etw_buffer_stand_in(struct etw_trace_session *s);
void etw_buffer_empty(struct etw_trace_session *s, struct etw_buffer *b);
bool etw_buffer_growth_waits(const struct etw_trace_session *s);
bool etw_buffer_growth_slow(const struct etw_trace_session *s);
void etw_buffer_growth_refused(struct etw_trace_session *s);
struct etw_buffer *etw_buffer_grow(struct etw_trace_session *s);
void etw_buffer_add(struct etw_trace_session *s, struct etw_buffer *b);
void etw_buffer_widen(struct etw_trace_session *s, struct etw_buffer *b);
void etw_buffer_recycle(struct etw_trace_session *s, struct etw_buffer *b);
u32 etw_buffers_capacity(const struct etw_trace_session *s, u32 max_buffers);
void etw_buffers_close_cpu(struct etw_trace_session *s, int cpu);
void etw_buffers_close_online(struct etw_trace_session *s);
void etw_buffers_close_all(struct etw_trace_session *s);

/* Free buffers without the reserve, see write/fair.c. */
static inline u32 etw_buffers_available(const struct etw_trace_session *s)
{
	u32 free = etw_pool_free(&s->hot.ring.pool), reserve = etw_fair_reserve(&s->hot.fair);

	return free > reserve ? free - reserve : 0;
}

u32 etw_buffers_most(const struct etw_trace_session *s);
u64 etw_session_dropped(struct etw_trace_session *s, u64 cause[ETW_DROP_CAUSES]);
u64 etw_session_lost(struct etw_trace_session *s);
u64 etw_session_undecided(struct etw_trace_session *s);
u64 etw_session_written(struct etw_trace_session *s);

#endif /* ETW_SESSION_BUFFER_H */
