/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_clock.h - the clock that a session must have, and the one it has
 */
#ifndef ETW_SELFTEST_VM_CLOCK_H
#define ETW_SELFTEST_VM_CLOCK_H

#include "vm_dev.h"

#define VM_WALL_FREQ	10000000ULL	/* 100 ns */
#define VM_MONO_FREQ	1000000000ULL

/* The wall clock as FILETIME: 100 ns since 1601 */
int64_t vm_filetime(void);

/* Between the FILETIME that a test reads and its session's: 100 ns */
#define VM_FILETIME_SLACK	20000

/* The kernel logs this, and only once. */
bool vm_tsc_unstable(void);

/* Do the machine's properties allow the TSC as a session's clock? */
bool vm_tsc_trusted(void);

/* The current values of all three clocks, in a session's units. */
struct vm_clocks {
	uint64_t tsc;		/* 0: there is none */
	uint64_t mono;
	uint64_t wall;
};

struct vm_clocks vm_clocks(void);

#endif /* ETW_SELFTEST_VM_CLOCK_H */
