/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hotpath.h - writing a measured event to every session that takes it
 */
#ifndef ETW_WRITE_HOTPATH_H
#define ETW_WRITE_HOTPATH_H

#include <linux/percpu.h>

#include "core/record.h"
#include <etw/kernel.h>

struct etw_buf;
struct etw_session_hot;
struct etw_write_opts;

/* Nothing was done: another way must be taken. */
#define ETW_HOTPATH_UNDONE	1

extern unsigned int etw_nesting_max;
DECLARE_PER_CPU(unsigned int, etw_hotpath_nesting);

int etw_hotpath_write(const struct etw_provider *provider,
		      const struct etw_record_source *source,
		      const struct etw_write_opts *opts);
int etw_hotpath_drop_events(const struct etw_provider *provider,
			    const struct etw_event_descriptor *desc,
			    const struct etw_write_opts *opts, u32 cause, u32 events);
int etw_hotpath_drop(const struct etw_provider *provider,
		     const struct etw_event_descriptor *desc,
		     const struct etw_write_opts *opts, u32 cause);

int etw_hotpath_write_driver(const struct etw_snapshot *snapshot,
			     struct etw_record_source *source);
int etw_hotpath_copy(struct etw_session_hot *s, u64 payer, const u8 *record, u32 len);
int etw_hotpath_unreadable(u8 *at, struct etw_buf *buf);

void etw_hotpath_task_exits(void);

#endif /* ETW_WRITE_HOTPATH_H */
