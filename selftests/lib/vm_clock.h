/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_clock.h - which clock a session has to have, and which one it has
 */
#ifndef ETW_SELFTEST_VM_CLOCK_H
#define ETW_SELFTEST_VM_CLOCK_H

#include "vm_dev.h"

#include <sys/klog.h>

#define VM_WALL_FREQ	10000000ULL	/* 100 ns */
#define VM_MONO_FREQ	1000000000ULL

/* The kernel says so in its log, and once only. */
bool vm_tsc_unstable(void);

/* May a session's clock be the TSC, by what the machine says of itself? */
bool vm_tsc_trusted(void);

/* Which clock is it?  All three now, as a session has them. */
struct vm_clocks {
	uint64_t tsc;		/* 0: there is none */
	uint64_t mono;
	uint64_t wall;
};

struct vm_clocks vm_clocks(void);

#endif /* ETW_SELFTEST_VM_CLOCK_H */
