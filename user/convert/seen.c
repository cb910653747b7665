/* SPDX-License-Identifier: MIT */
/*
 * seen.c - a set of 64-bit numbers that is emptied when it is full
 */
#include <errno.h>
#include "seen.h"

/* The numbers appear in outputs, so they must not depend on the seed of hashes. */
static uint64_t spread(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

uint64_t seen_number(uint32_t kind, uint32_t a, uint32_t b)
{
	uint64_t x = spread(spread((uint64_t)a << 32 | b) + kind);

	return x ? x : 1;
}

int seen_put(struct seen *seen, uint64_t number)
{
	bool is_new;

	seen->numbers.max = SEEN_MAX;
	if (etw_intern(&seen->numbers, &number, sizeof(number), &is_new))
		return is_new;
	if (seen->numbers.table.count < SEEN_MAX)
		return -ENOMEM;
	etw_interner_clear(&seen->numbers);
	seen->emptied++;
	return etw_intern(&seen->numbers, &number, sizeof(number), &is_new) ? 1 : -ENOMEM;
}

void seen_free(struct seen *seen)
{
	etw_interner_clear(&seen->numbers);
}
