/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reserve.h - where a CPU writes in a session, and reserving there off the fast
 * path
 */
#ifndef ETW_PLACE_H
#define ETW_PLACE_H

#include "session/session.h"

struct etw_record_items;
struct etw_record_source;

/* The place of this CPU, or the one that all share; preemption is off. */
static __always_inline struct etw_ring_cpu *etw_place(struct etw_trace_session *s)
{
	return s->shared ? &s->common.rc : &this_cpu_ptr(s->cpu)->rc;
}

/* A slot that is reserved and has to be committed. */
struct etw_slot {
	u8 *at;
	u32 len;
	u64 now;		/* the session's clock: of the record */
	struct etw_buf *buf;
};

bool etw_place_reserve(struct etw_trace_session *s, u32 len, struct etw_slot *slot,
		       int *err);
void etw_place_commit(struct etw_trace_session *s, const struct etw_slot *slot);
int etw_place_write(struct etw_trace_session *s, const struct etw_record_source *source,
		    const struct etw_record_items *items);
void etw_place_close(struct etw_trace_session *s);
u32 etw_place_sequence(struct etw_trace_session *s);

#endif /* ETW_PLACE_H */
