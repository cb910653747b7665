// SPDX-License-Identifier: GPL-2.0-only
/*
 * entries.c - entries of access lists
 */
#include "exec.h"

/* Up to ENTRIES_MOST, one more than a list may have; most are plausible. */
unsigned int entries_make(struct etw_access_entry *e, uint64_t seed)
{
	static const uint32_t ids[] = { 0, 1000, 1001, 38, 21, 40, 63, 64, 65534, 0xffffffff };
	static const uint32_t rights[] = { ETW_RIGHT_ALL, ETW_RIGHT_VALID, ETW_RIGHT_LOG_EVENT,
					   ETW_RIGHT_REGISTER_GUIDS, ETW_RIGHT_QUERY, 0, 0x4000 };
	static const unsigned int counts[] = { 1, 0, 2, 3, 1, 2, 5, 64, 65 };
	unsigned int n = counts[seed % 9], i;

	memset(e, 0, ENTRIES_MOST * sizeof(*e));
	for (i = 0; i < n; i++, seed = rnd_mix(seed)) {
		e[i].type = seed >> 8 & 1;
		e[i].who = seed >> 9 & 3;
		if (e[i].who)
			e[i].id = ids[(seed >> 16) % (seed >> 12 & 15 ? 5 : 10)];
		e[i].rights = rights[(seed >> 24) % (seed >> 32 & 15 ? 4 : 6)];
		/* Sometimes flip one bit. */
		if (!(seed >> 36 & 63))
			((uint8_t *)&e[i])[seed >> 42 & 3] ^= 1 << (seed >> 44 & 7);
	}
	return n;
}
