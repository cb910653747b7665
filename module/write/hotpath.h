/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hotpath.h - writing a measured event to every session that takes it
 */
#ifndef ETW_WRITE_HOTPATH_H
#define ETW_WRITE_HOTPATH_H

#include "core/record.h"
#include <etw/kernel.h>

struct etw_write_opts;

extern unsigned int etw_nesting_max;

int etw_hotpath_write(const struct etw_provider *provider,
		      const struct etw_record_source *source,
		      const struct etw_write_opts *opts);
int etw_hotpath_drop(const struct etw_provider *provider,
		     const struct etw_event_descriptor *desc,
		     const struct etw_write_opts *opts, u32 cause);

void etw_hotpath_task_exits(void);

#endif /* ETW_WRITE_HOTPATH_H */
