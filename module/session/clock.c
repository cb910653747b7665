// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock.c - choose a session's clock and relate it to the other clocks
 */
#include <linux/irqflags.h>
#include <linux/time64.h>

#include "clock.h"

bool etw_trust_tsc;
bool etw_tsc_failed;

bool etw_clock_tsc_unstable(void)
{
#ifdef CONFIG_X86
	return check_tsc_unstable() || !tsc_khz;
#else
	return true;
#endif
}

u32 etw_clock_tsc_khz(void)
{
#ifdef CONFIG_X86
	return tsc_khz;
#else
	return 0;
#endif
}

u64 etw_clock_tsc_now(void)
{
#ifdef CONFIG_X86
	return rdtsc_ordered();
#else
	return 0;
#endif
}

/*
 * True if neither the kernel nor this module has found the TSC wrong, and the CPU promises
 * that the TSC runs at one rate in all power states.  etw_trust_tsc replaces that promise,
 * which a hypervisor often hides from its guest.
 */
bool etw_clock_tsc_trusted(void)
{
#ifdef CONFIG_X86
	if (etw_clock_tsc_unstable() || etw_tsc_failed)
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
		return etw_clock_tsc_trusted() ? ETW_SOURCE_TSC : ETW_SOURCE_BOOT;
	case ETW_CLOCK_CYCLES:
		return etw_clock_tsc_trusted() ? ETW_SOURCE_TSC : ETW_SOURCE_WALL;
	default:
		return ETW_SOURCE_WALL;
	}
}

/* Ticks per second. */
u64 etw_clock_frequency(enum etw_clock_source source)
{
	switch (source) {
	case ETW_SOURCE_BOOT:
		return NSEC_PER_SEC;
	case ETW_SOURCE_WALL:
		return 10 * 1000 * 1000;
	default:
		return (u64)etw_clock_tsc_khz() * 1000;
	}
}

/* How long the machine has slept since it was booted, in ns. */
u64 etw_clock_asleep(void)
{
	return ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_BOOT));
}

#define SAMPLES	5

/*
 * Read the three clocks as close together as possible.  A hypervisor, an NMI or firmware may stop
 * the CPU between two reads, and the session's times would be off by that: take the closest of
 * several samples.
 */
void etw_clock_sample(enum etw_clock_source source, struct etw_clock_sync *sync)
{
	u64 begin, boot, wall, width, narrowest = U64_MAX;
	unsigned long flags;
	int i;

	local_irq_save(flags);
	for (i = 0; i < SAMPLES; i++) {
		begin = etw_clock_read(source);
		boot = ktime_get_boot_fast_ns();
		wall = etw_clock_wall();
		/* A wall clock that was set back in between is far apart, too. */
		width = etw_clock_read(source) - begin;
		if (i && width >= narrowest)
			continue;
		narrowest = width;
		*sync = (struct etw_clock_sync){ begin + width / 2, boot, wall };
	}
	local_irq_restore(flags);
}
