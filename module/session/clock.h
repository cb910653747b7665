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
	u64 mono;	/* CLOCK_MONOTONIC, ns */
	u64 wall;	/* 100 ns since 1601 */
};

extern bool etw_trust_tsc;

enum etw_clock_source etw_clock_pick(u32 type);
u64 etw_clock_frequency(enum etw_clock_source source);
void etw_clock_sample(enum etw_clock_source source, struct etw_clock_sync *sync);

#endif /* ETW_SESSION_CLOCK_H */
