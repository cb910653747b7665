/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h - the hot path, for those who feed it
 */
#ifndef ETW_TRACE_H
#define ETW_TRACE_H

#include "core/record.h"
#include <etw/kernel.h>

extern unsigned int etw_nesting_max;

int etw_trace_write(const struct etw_provider *provider,
		    const struct etw_record_source *source, u64 exclude);
int etw_trace_drop(const struct etw_provider *provider,
		   const struct etw_event_descriptor *desc, u64 exclude,
		   u32 cause);

/* activity.c */
DECLARE_STATIC_KEY_FALSE(etw_activity_used);
const struct etw_guid *etw_activity_current(void);
void etw_activity_init(void);
void etw_activity_task_exits(struct task_struct *task);
void etw_activity_exit(void);

#endif /* ETW_TRACE_H */
