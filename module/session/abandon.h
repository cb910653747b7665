/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * abandon.h - buffers in which a writer never finishes
 */
#ifndef ETW_SESSION_ABANDON_H
#define ETW_SESSION_ABANDON_H

#include "trace_session.h"

bool etw_abandon_mark(struct etw_trace_session *s);
bool etw_abandon_marked(struct etw_trace_session *s, struct etw_buffer *b);
void etw_abandon_count(struct etw_trace_session *s, struct etw_buffer *b);
void etw_abandon_replace(struct etw_trace_session *s);
void etw_abandon_balance(struct etw_trace_session *s);

#endif /* ETW_SESSION_ABANDON_H */
