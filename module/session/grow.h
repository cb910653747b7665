/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * grow.h - a session's pool grows
 */
#ifndef ETW_SESSION_GROW_H
#define ETW_SESSION_GROW_H

#include "trace_session.h"

void etw_grow_init(struct etw_trace_session *s);

#endif /* ETW_SESSION_GROW_H */
