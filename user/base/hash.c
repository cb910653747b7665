/* SPDX-License-Identifier: MIT */
/*
 * hash.c - hashing of what strangers choose
 */
#include <sys/random.h>
#include <time.h>

#include "hash.h"

static uint64_t seed;

/* Threads that come first at the same time agree on the seed of one of them. */
uint64_t etw_hash_seed(void)
{
	uint64_t mine = __atomic_load_n(&seed, __ATOMIC_RELAXED), none = 0;
	struct timespec now;

	if (mine)
		return mine;
	if (getrandom(&mine, sizeof(mine), GRND_NONBLOCK) != (ssize_t)sizeof(mine)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		mine = (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15ull ^ (uintptr_t)&now;
	}
	mine |= 1;
	if (__atomic_compare_exchange_n(&seed, &none, mine, 0, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		return mine;
	return none;
}
