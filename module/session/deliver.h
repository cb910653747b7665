/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * deliver.h - from full buffers to the consumers' queue
 */
#ifndef ETW_SESSION_DELIVER_H
#define ETW_SESSION_DELIVER_H

#include "trace_session.h"

#define ETW_FLUSH_MS_SOON	100U	/* a shorter timer asks for haste, see etw_deliver_flush() */

extern struct workqueue_struct *etw_wq;		/* nothing on it takes etw_control */

void etw_deliver_init(struct etw_trace_session *s);
void etw_deliver_kick(struct etw_trace_session *s);
void etw_deliver_rearm(struct etw_trace_session *s);
int etw_deliver_flush(struct etw_trace_session *s, bool soon);
void etw_deliver_flush_all(void);
void etw_deliver_stop(struct etw_trace_session *s);
bool etw_deliver_lacks_cpus(const struct etw_trace_session *s);
bool etw_deliver_wants_buffer(const struct etw_trace_session *s);
void etw_deliver_replenish(struct etw_trace_session *s);
u32 etw_deliver_growth_mark(const struct etw_trace_session *s);

#endif /* ETW_SESSION_DELIVER_H */
