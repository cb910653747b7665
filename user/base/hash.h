/* SPDX-License-Identifier: MIT */
/*
 * hash.h - hashing of what strangers choose
 *
 * With a seed of the process, so that nobody can make a manifest whose names or
 * numbers all fall into one slot.
 */
#ifndef ETW_TDH_MODEL_HASH_H
#define ETW_TDH_MODEL_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The same one at each call, odd.  Any thread. */
uint64_t etw_hash_seed(void);

static inline uint64_t etw_hash_number(uint64_t seed, uint64_t number)
{
	__uint128_t product = (__uint128_t)(number ^ 0x9E3779B97F4A7C15ull) * seed;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t etw_hash_bytes(uint64_t seed, const void *data, size_t size)
{
	const unsigned char *p = data;
	uint64_t hash = etw_hash_number(seed, size), word;

	for (; size >= 8; p += 8, size -= 8) {
		__builtin_memcpy(&word, p, 8);
		hash = etw_hash_number(seed, hash ^ word);
	}
	if (size) {
		word = 0;
		__builtin_memcpy(&word, p, size);
		hash = etw_hash_number(seed, hash ^ word);
	}
	return hash;
}

#endif /* ETW_TDH_MODEL_HASH_H */
