/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - read the clock of a session
 *
 * Clocks are read with preemption disabled, in any context.  The TSC is used only
 * where the kernel itself trusts it.  etw_clock_read() reads it without a fence:
 * the value may be a few cycles off relative to neighbouring instructions, but not
 * relative to an interrupt.  etw_clock_read_ordered() is exact relative to other
 * CPUs.  CLOCK_MONOTONIC, read in an NMI that interrupted a timekeeper update, may
 * be a few ns behind the CPU's previous reading.
 */
#ifndef ETW_WRITE_CLOCK_H
#define ETW_WRITE_CLOCK_H

#include <linux/ktime.h>
#include <linux/types.h>
#ifdef CONFIG_X86
#include <asm/msr.h>
#include <asm/tsc.h>
#endif
#include <etw/format.h>

/* The clock that this machine uses for a clock type (ETW_CLOCK_*). */
enum etw_clock_source {
	ETW_SOURCE_TSC,
	ETW_SOURCE_MONO,
	ETW_SOURCE_WALL,
	ETW_SOURCES
};

static __always_inline u64 etw_clock_wall(void)
{
	return ktime_get_real_fast_ns() / 100 + ETW_UNIX_EPOCH_100NS;
}

static __always_inline u64 etw_clock_read(enum etw_clock_source source)
{
#ifdef CONFIG_X86
	if (likely(source == ETW_SOURCE_TSC))
		return rdtsc();
#endif
	if (source == ETW_SOURCE_WALL)
		return etw_clock_wall();
	return ktime_get_mono_fast_ns();
}

/* Like etw_clock_read(), but not before any load that precedes the call. */
static __always_inline u64 etw_clock_read_ordered(enum etw_clock_source source)
{
#ifdef CONFIG_X86
	if (likely(source == ETW_SOURCE_TSC))
		return rdtsc_ordered();
#endif
	smp_rmb();	/* pairs with the compare-exchange of the CPU that wrote it */
	return etw_clock_read(source);
}

#endif /* ETW_WRITE_CLOCK_H */
