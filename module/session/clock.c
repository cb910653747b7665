// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock.c - choose a session's clock and relate it to the other clocks
 */
#include <linux/irqflags.h>
#include <linux/time64.h>

#include "clock.h"

bool etw_trust_tsc;

/*
 * True if the kernel has not found the TSC unstable, and the CPU promises that the TSC
 * runs at one rate in all power states.  etw_trust_tsc replaces that promise, which a
 * hypervisor often hides from its guest.
 */
static bool tsc_trusted(void)
{
#ifdef CONFIG_X86
	if (check_tsc_unstable() || !tsc_khz)
		return false;
	return etw_trust_tsc || boot_cpu_has(X86_FEATURE_TSC_RELIABLE) ||
	       (boot_cpu_has(X86_FEATURE_CONSTANT_TSC) &&
		boot_cpu_has(X86_FEATURE_NONSTOP_TSC));
#else
	return false;
#endif
}

/* The source for a valid clock type. */
enum etw_clock_source etw_clock_pick(u32 type)
{
	switch (type) {
	case ETW_CLOCK_QPC:
		return tsc_trusted() ? ETW_SOURCE_TSC : ETW_SOURCE_MONO;
	case ETW_CLOCK_CYCLES:
		return tsc_trusted() ? ETW_SOURCE_TSC : ETW_SOURCE_WALL;
	default:
		return ETW_SOURCE_WALL;
	}
}

/* Ticks per second. */
u64 etw_clock_frequency(enum etw_clock_source source)
{
	switch (source) {
#ifdef CONFIG_X86
	case ETW_SOURCE_TSC:
		return (u64)tsc_khz * 1000;
#endif
	case ETW_SOURCE_WALL:
		return 10 * 1000 * 1000;
	default:
		return NSEC_PER_SEC;
	}
}

/* Read the three clocks as close together as possible. */
void etw_clock_sample(enum etw_clock_source source, struct etw_clock_sync *sync)
{
	unsigned long flags;

	local_irq_save(flags);
	sync->clock = etw_clock_read(source);
	sync->mono = ktime_get_mono_fast_ns();
	sync->wall = etw_clock_wall();
	local_irq_restore(flags);
}
