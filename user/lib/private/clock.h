/* SPDX-License-Identifier: MIT */
/*
 * clock.h - the clocks of private sessions
 */
#ifndef ETW_LIB_PRIVATE_CLOCK_H
#define ETW_LIB_PRIVATE_CLOCK_H

#include <stdint.h>
#include <time.h>

#include <etw/abi.h>
#include <etw/format.h>

/*
 * TSC_ORDERED is for sessions whose CPUs share a buffer: it is not read before earlier loads, so
 * a record is not older than the one it follows. That takes twice the time of TSC, which is right
 * where buffers are per CPU, except that a thread that changes its CPU while it writes may be
 * some ten nanoseconds early.
 */
enum private_clock {
	PRIVATE_TSC, PRIVATE_TSC_ORDERED, PRIVATE_BOOT, PRIVATE_WALL, PRIVATE_CLOCKS
};

#if defined(__x86_64__)
#define PRIVATE_HAS_TSC	1

static inline uint64_t private_tsc(void)
{
	return __builtin_ia32_rdtsc();
}

static inline uint64_t private_tsc_ordered(void)
{
	unsigned int cpu;

	return __builtin_ia32_rdtscp(&cpu);
}
#else
#define PRIVATE_HAS_TSC	0

static inline uint64_t private_tsc(void)
{
	return 0;
}

static inline uint64_t private_tsc_ordered(void)
{
	return 0;
}
#endif

static inline int private_is_tsc(enum private_clock clock)
{
	return clock <= PRIVATE_TSC_ORDERED;
}

static inline uint64_t private_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* 100 ns since 1601 */
static inline uint64_t private_wall(void)
{
	return private_ns(CLOCK_REALTIME) / 100 + ETW_UNIX_EPOCH_100NS;
}

static inline uint64_t private_clock_read(enum private_clock clock)
{
	if (__builtin_expect(clock == PRIVATE_TSC, 1))
		return private_tsc();
	if (clock == PRIVATE_TSC_ORDERED)
		return private_tsc_ordered();
	return clock == PRIVATE_BOOT ? private_ns(CLOCK_BOOTTIME) : private_wall();
}

/* The source for a clock type, which is one of ETW_CLOCK_*, and its ticks per second. */
enum private_clock etw_private_clock_pick(uint32_t type, uint64_t *frequency);

#endif /* ETW_LIB_PRIVATE_CLOCK_H */
