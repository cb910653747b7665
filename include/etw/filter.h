/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * filter.h - may anybody want this event?
 *
 * The first test of every write, inline in drivers and in programs: does some
 * session that enabled the provider want an event of this level and keyword?
 * It reads the composite of all of them (struct etw_enable_entry), so it may
 * say yes to an event that each session by itself then rejects; it never says
 * no to one that a session wants.  The sessions' own test is core/filter.h.
 *
 * Source: Microsoft's EVENT_DESCRIPTOR and EnableTraceEx2 pages.
 */
#ifndef ETW_FILTER_H
#define ETW_FILTER_H

#include <etw/abi.h>

/* One load that the compiler neither splits nor repeats; no ordering. */
#define ETW_LOAD(x)	(*(const volatile __typeof__(x) *)&(x))

/**
 * etw_entry_wants() - could an event of this level and keyword be wanted?
 * @entry: composite of the sessions that enabled the provider
 * @level: the event's level
 * @keyword: the event's keyword
 *
 * A disabled entry has any and keyword0 zero and so rejects everything.
 * Any context.
 */
static inline __attribute__((__always_inline__))
int etw_entry_wants(const struct etw_enable_entry *entry, __u8 level,
		    __u64 keyword)
{
	__u64 all;

	if (level > ETW_LOAD(entry->level))
		return 0;
	if (!keyword)
		return ETW_LOAD(entry->keyword0);
	if (!(keyword & ETW_LOAD(entry->any)))
		return 0;
	all = ETW_LOAD(entry->all);
	return (keyword & all) == all;
}

#endif /* ETW_FILTER_H */
