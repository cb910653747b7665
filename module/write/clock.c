// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock.c - continue the count of a TSC that cannot be read as it is
 */
#include "clock.h"
#include "core/ticks.h"

struct etw_clock_tsc etw_clock_tsc;

u64 etw_clock_ticks(u64 ns)
{
	return etw_ticks(ns, etw_clock_tsc.rate);
}

/* SHIFTED or COMPUTED.  Any context; not before any load that precedes the call. */
u64 etw_clock_read_tsc(enum etw_clock_source source)
{
	s64 ns;

#ifdef CONFIG_X86
	if (source == ETW_SOURCE_TSC_SHIFTED)
		return rdtsc_ordered() + etw_clock_tsc.offset;
#endif
	ns = ktime_get_boot_fast_ns() - etw_clock_tsc.base_ns;
	/* In an NMI the time may be a few ns behind. */
	return etw_clock_tsc.base_ticks + etw_clock_ticks(max_t(s64, ns, 0));
}
