/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * epoch.h - sessions whose clock fails, or whose machine sleeps
 */
#ifndef ETW_SESSION_EPOCH_H
#define ETW_SESSION_EPOCH_H

#include "trace_session.h"

extern struct list_head etw_sessions;	/* running; RCU, changed under etw_control */

bool etw_epoch_enter(struct etw_trace_session *s);
void etw_epoch_wait(void);
void etw_epoch_last_look(struct etw_trace_session *s);
void etw_epoch_leave(struct etw_trace_session *s);
void etw_epoch_check(const struct etw_trace_session *s, bool wait);
void etw_epoch_sleep(const char *cause);
void etw_epoch_wake(void);

#endif /* ETW_SESSION_EPOCH_H */
