/* SPDX-License-Identifier: MIT */
/*
 * monotonic.h - how much time has passed
 */
#ifndef ETW_BASE_MONOTONIC_H
#define ETW_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in ns */
static inline int64_t etw_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static inline int64_t etw_monotonic_ms(void)
{
	return etw_monotonic_ns() / 1000000;
}

#endif /* ETW_BASE_MONOTONIC_H */
