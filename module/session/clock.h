/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - the clocks a session can be started with
 *
 * All are read with preemption disabled, in any context.  The TSC is used only
 * where the kernel itself trusts it.  etw_clock_read() reads it without a fence,
 * so its value may be a few cycles off towards neighbouring instructions, never
 * towards an interrupt; towards another CPU etw_clock_read_ordered() is exact.  CLOCK_MONOTONIC from an NMI that hit a timekeeper update may be
 * a few ns behind what the CPU read before.
 */
#ifndef ETW_CLOCK_H
#define ETW_CLOCK_H

#include <linux/ktime.h>
#include <linux/types.h>
#ifdef CONFIG_X86
#include <asm/msr.h>
#include <asm/tsc.h>
#endif
#include <etw/format.h>

/* What a clock type (ETW_CLOCK_*) comes down to on this machine. */
enum etw_clock_source {
	ETW_SOURCE_TSC,
	ETW_SOURCE_MONO,
	ETW_SOURCE_WALL,
	ETW_SOURCES
};

/* One moment on the three clocks. */
struct etw_clock_sync {
	u64 clock;	/* the session's */
	u64 mono;	/* CLOCK_MONOTONIC, ns */
	u64 wall;	/* 100 ns since 1601 */
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

/* The same, of a moment after everything that was read before. */
static __always_inline u64 etw_clock_read_ordered(enum etw_clock_source source)
{
#ifdef CONFIG_X86
	if (likely(source == ETW_SOURCE_TSC))
		return rdtsc_ordered();
#endif
	smp_rmb();	/* pairs with the compare-exchange of the CPU that wrote it */
	return etw_clock_read(source);
}

extern bool etw_trust_tsc;

enum etw_clock_source etw_clock_pick(u32 type);
u64 etw_clock_frequency(enum etw_clock_source source);
void etw_clock_sample(enum etw_clock_source source, struct etw_clock_sync *sync);

#endif /* ETW_CLOCK_H */
