/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - read the clock of a session
 *
 * Clocks are read with preemption disabled, in any context.  The TSC is used only
 * where the kernel itself trusts it.  etw_clock_read() reads it without a fence:
 * the value may be a few cycles off relative to neighbouring instructions, but not
 * relative to an interrupt.  etw_clock_read_ordered() is exact relative to other
 * CPUs.  CLOCK_BOOTTIME, read in an NMI that interrupted a timekeeper update, may
 * be a few ns behind the CPU's previous reading.  If a virtual machine's host holds up the
 * CPU that updates the rate, later readings may go back by the delay times the change.
 *
 * A session that began with the TSC counts in its ticks to the end.  Where the TSC itself
 * can no longer be read, because it is wrong, may stop, or was reset, session/epoch.c
 * changes the session's source to one that continues its count.
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
	ETW_SOURCE_BOOT,		/* CLOCK_BOOTTIME, which also counts while the machine sleeps */
	ETW_SOURCE_WALL,
	ETW_SOURCE_TSC_SHIFTED,		/* the TSC and an offset */
	ETW_SOURCE_TSC_COMPUTED,	/* ticks of the TSC, computed from CLOCK_BOOTTIME */
	ETW_SOURCES
};

/* How the last two sources continue the count of the TSC. */
struct etw_clock_tsc {
	u64 offset;		/* SHIFTED: added to the TSC */
	u64 base_ticks;		/* COMPUTED: the count ... */
	u64 base_ns;		/* ... at this time */
	u64 rate;		/* of core/ticks.h */
};

/* Changed while no session has the source that the changed members are for. */
extern struct etw_clock_tsc etw_clock_tsc;

u64 etw_clock_ticks(u64 ns);
u64 etw_clock_read_tsc(enum etw_clock_source source);

/* Does a session with this source count in ticks of the TSC? */
static inline bool etw_clock_is_tsc(enum etw_clock_source source)
{
	return source != ETW_SOURCE_BOOT && source != ETW_SOURCE_WALL;
}

static __always_inline u64 etw_clock_wall(void)
{
	return ktime_get_real_fast_ns() / 100 + ETW_UNIX_EPOCH_100NS;
}

/* Read a clock that takes no call of a function; false: this one does. */
static __always_inline bool etw_clock_read_inline(enum etw_clock_source source, u64 *now)
{
#ifdef CONFIG_X86
	if (likely(source == ETW_SOURCE_TSC)) {
		*now = rdtsc();
		return true;
	}
#endif
	return false;
}

static __always_inline u64 etw_clock_read(enum etw_clock_source source)
{
#ifdef CONFIG_X86
	if (likely(source == ETW_SOURCE_TSC))
		return rdtsc();
#endif
	if (source == ETW_SOURCE_WALL)
		return etw_clock_wall();
	if (likely(source == ETW_SOURCE_BOOT))
		return ktime_get_boot_fast_ns();
	return etw_clock_read_tsc(source);
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
