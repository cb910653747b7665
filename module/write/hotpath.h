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

/*
 * If the position changes during this many tries, each try itself causes an event, because a
 * probe is set on the code that it runs.  Interrupts do not come that often.
 */
#define ETW_TRIES_MAX	100U

extern unsigned int etw_nesting_max;
DECLARE_PER_CPU(unsigned int, etw_hotpath_nesting);
DECLARE_PER_CPU(unsigned int, etw_hotpath_tries);

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

/*
 * A writer, which has tried *tries times before, was interrupted: may it try again?  The writers
 * of a CPU have these tries together, counted from when the outermost one was first interrupted:
 * if each had its own, a probe on the code that they run would multiply them.
 */
static __always_inline bool etw_hotpath_try_again(u32 *tries, u32 most)
{
	const bool outermost = this_cpu_read(etw_hotpath_nesting) <= 1;

	if (outermost && !*tries)
		this_cpu_write(etw_hotpath_tries, 0);
	++*tries;
	if (likely(this_cpu_inc_return(etw_hotpath_tries) < most))
		return true;
	if (outermost)
		this_cpu_write(etw_hotpath_tries, 0);
	return false;
}

#endif /* ETW_WRITE_HOTPATH_H */
