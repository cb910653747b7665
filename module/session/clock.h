/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - choose a session's clock and relate it to the other clocks
 */
#ifndef ETW_SESSION_CLOCK_H
#define ETW_SESSION_CLOCK_H

#include "write/clock.h"

/* One moment on the three clocks. */
struct etw_clock_sync {
	u64 clock;	/* the session's */
	u64 boot;	/* CLOCK_BOOTTIME, ns */
	u64 wall;	/* 100 ns since 1601 */
};

extern bool etw_trust_tsc;
extern bool etw_tsc_failed;	/* under the lock of epoch.c */

bool etw_clock_tsc_unstable(void);
bool etw_clock_tsc_trusted(void);
u32 etw_clock_tsc_khz(void);
u64 etw_clock_tsc_now(void);
enum etw_clock_source etw_clock_pick(u32 type);
u64 etw_clock_frequency(enum etw_clock_source source);
u64 etw_clock_asleep(void);
void etw_clock_sample(enum etw_clock_source source, struct etw_clock_sync *sync);

#endif /* ETW_SESSION_CLOCK_H */
