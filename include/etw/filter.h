/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * filter.h - may a session want this event?
 *
 * The first test of every write, inline in drivers and in programs.  It compares level
 * and keyword with the composite of all enabling sessions (struct etw_enable_entry).
 * It may accept an event that every single session then rejects, but never rejects an
 * event that a session wants.  etw_entry_passes() of the module is the same test for one session.
 *
 * Source: Microsoft's EVENT_DESCRIPTOR and EnableTraceEx2 pages.
 */
#ifndef ETW_FILTER_H
#define ETW_FILTER_H

#include <etw/abi.h>

/* One load that the compiler neither splits nor repeats; does not order memory accesses. */
#define ETW_LOAD(x)	(*(const volatile __typeof__(x) *)&(x))

/**
 * etw_entry_wants() - may a session want an event of this level and keyword?
 * @entry: composite of the sessions that enabled the provider
 * @level: the event's level
 * @keyword: the event's keyword
 *
 * A disabled entry rejects everything, because its any and keyword0 are zero.
 * Any context, including NMI; does not sleep.
 *
 * Return: 1 if a session may want the event, else 0.
 */
static inline __attribute__((__always_inline__))
int etw_entry_wants(const struct etw_enable_entry *entry, __u8 level,
		    __u64 keyword)
{
	__u64 all;

	if (level > ETW_LOAD(entry->level))
		return 0;
	if (!(keyword & ETW_LOAD(entry->any)))
		return !keyword && ETW_LOAD(entry->keyword0);
	all = ETW_LOAD(entry->all);
	return (keyword & all) == all;
}

#endif /* ETW_FILTER_H */
