/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * consumer_file.h - consumers in user space
 */
#ifndef ETW_SESSION_CONSUMER_FILE_H
#define ETW_SESSION_CONSUMER_FILE_H

#include "trace_session.h"

struct file *etw_consumer_open(struct etw_trace_session *s, u32 flags);

#endif /* ETW_SESSION_CONSUMER_FILE_H */
