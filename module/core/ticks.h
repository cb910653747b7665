/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ticks.h - ticks of a clock from nanoseconds
 *
 * Both functions are exact in integers and need no number of more than 64 bits.  The rate of a
 * clock is rounded to the nearest 2^-32 tick per ns, so it is wrong by no more than 2^-33 tick
 * per ns: 3.7 million ticks in a year, which a TSC of 1 GHz counts in 3.7 ms.
 */
#ifndef ETW_CORE_TICKS_H
#define ETW_CORE_TICKS_H

#include "core/port.h"

#define ETW_TICKS_SHIFT		32
#define ETW_TICKS_KHZ_NS	1000000U	/* ns in one period of 1 kHz */

/**
 * etw_ticks_rate() - the rate of a clock
 * @khz: its frequency, any
 *
 * Return: ticks per ns, times 2^32.
 */
static inline u64 etw_ticks_rate(u32 khz)
{
	return (((u64)khz << ETW_TICKS_SHIFT) + ETW_TICKS_KHZ_NS / 2) / ETW_TICKS_KHZ_NS;
}

/**
 * etw_ticks() - how often a clock ticks in this time
 * @ns: the time, short enough for 64 bits of ticks: 97 years at 6 GHz
 * @rate: of etw_ticks_rate()
 *
 * Return: the ticks, rounded down.
 */
static inline u64 etw_ticks(u64 ns, u64 rate)
{
	u64 whole = rate >> ETW_TICKS_SHIFT, part = (u32)rate;

	return ns * whole + (ns >> ETW_TICKS_SHIFT) * part +
	       ((u64)(u32)ns * part >> ETW_TICKS_SHIFT);
}

#endif /* ETW_CORE_TICKS_H */
