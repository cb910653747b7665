/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hotpath.h - writing a measured event to every session that takes it
 */
#ifndef ETW_WRITE_HOTPATH_H
#define ETW_WRITE_HOTPATH_H

#include <linux/percpu.h>

#include "clock.h"
#include "context.h"
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
DECLARE_PER_CPU(unsigned int, etw_hotpath_records);
DECLARE_PER_CPU(unsigned int [2], etw_hotpath_tries);

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
 * Read a clock.  false: there are too many writers for one that is a function of the kernel's: a
 * tracer of that may write an event, which reads the clock, and so on.
 */
static __always_inline bool etw_hotpath_time(enum etw_clock_source clock, u64 *now)
{
	bool deep;

	if (likely(etw_clock_read_inline(clock, now)))
		return true;
	deep = this_cpu_inc_return(etw_hotpath_nesting) > READ_ONCE(etw_nesting_max);
	if (likely(!deep))
		*now = etw_clock_read(clock);
	this_cpu_dec(etw_hotpath_nesting);
	return !deep;
}

/*
 * A writer, which has tried *tries times before, was interrupted, or the buffer was full: may it
 * try again?  A probe on the code that writers run would multiply the tries by each level of
 * nesting.  So the nested writers of a CPU have theirs together, counted from when the outermost
 * one tried again; and whatever others have used up, one of each context may try once more.
 * shared: the buffer is one of all CPUs, which interfere as well.
 */
static __always_inline bool etw_hotpath_try_again(u32 *tries, bool shared)
{
	/* As many CPUs can collide in a shared buffer. */
	const u32 most = shared ? ETW_TRIES_MAX * nr_cpu_ids : ETW_TRIES_MAX;
	const unsigned int nesting = this_cpu_read(etw_hotpath_nesting);

	++*tries;
	if (nesting <= 1) {
		if (*tries == 1) {
			this_cpu_write(etw_hotpath_tries[0], 0);
			this_cpu_write(etw_hotpath_tries[1], 0);
		}
		return *tries < most;
	}
	if (*tries == 1 && nesting <= ETW_CONTEXTS)
		return true;
	return this_cpu_inc_return(etw_hotpath_tries[shared]) < most;
}

#endif /* ETW_WRITE_HOTPATH_H */
