/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pick.h - random numbers that a seed repeats
 */
#ifndef ETW_SELFTEST_PICK_H
#define ETW_SELFTEST_PICK_H

#include <stdint.h>

/* The state of pick(); not 0. */
static uint64_t pick_seed __attribute__((unused)) = 88172645463325252ULL;

/* A number below a limit, from a state of the caller's own that is not 0 (Marsaglia's xorshift). */
static inline uint32_t pick_from(uint64_t *seed, uint32_t below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (uint32_t)(*seed >> 20) % below;
}

/* A number below a limit. */
static inline uint32_t pick(uint32_t below)
{
	return pick_from(&pick_seed, below);
}

#endif /* ETW_SELFTEST_PICK_H */
