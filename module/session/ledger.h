/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ledger.h - record a session's losses in its own buffers
 */
#ifndef ETW_SESSION_LEDGER_H
#define ETW_SESSION_LEDGER_H

#include "trace_session.h"

/* The largest part of a buffer that records of all causes need. */
#define ETW_STAND_IN_ROOM	4096

/* All under session->lock. */
void etw_ledger_collect(struct etw_trace_session *s, bool settled);
void etw_ledger_abandoned(struct etw_trace_session *s, s32 cpu, u64 events, u64 buffers,
			  u64 first);
void etw_ledger_store(struct etw_trace_session *s, struct etw_buf *buf);

/* Without the lock; the buffer belongs to the caller, or to a stream that has it. */
void etw_ledger_miss(const struct etw_trace_session *s, struct etw_losses *losses,
		     const struct etw_buffer *b, u32 code);
u32 etw_ledger_stand_in(const struct etw_trace_session *s, const struct etw_losses *losses,
			u8 *data, u32 *used);
s64 etw_ledger_time(const struct etw_trace_session *s, u64 clock);

/* Is there a loss that no buffer records yet? */
static inline bool etw_ledger_pending(const struct etw_trace_session *s)
{
	return s->ledger.unrecorded;
}

#endif /* ETW_SESSION_LEDGER_H */
