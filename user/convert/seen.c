/* SPDX-License-Identifier: MIT */
/*
 * seen.c - a set of 64-bit numbers that forgets all of them when it is full
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "seen.h"

#define ROOM_FIRST	256	/* powers of 2 */

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

static uint64_t *slot_of(uint64_t *slots, size_t room, uint64_t number)
{
	size_t i = hash_bytes(0, &number, sizeof(number)) & (room - 1);

	while (slots[i] && slots[i] != number)
		i = (i + 1) & (room - 1);
	return &slots[i];
}

static int grow(struct seen *seen)
{
	size_t room = seen->room ? 2 * seen->room : ROOM_FIRST, i;
	uint64_t *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (i = 0; i < seen->room; i++)
		if (seen->slots[i])
			*slot_of(slots, room, seen->slots[i]) = seen->slots[i];
	free(seen->slots);
	seen->slots = slots;
	seen->room = room;
	return 0;
}

int seen_put(struct seen *seen, uint64_t number)
{
	uint64_t *slot;

	if (seen->room) {
		slot = slot_of(seen->slots, seen->room, number);
		if (*slot)
			return 0;
	}
	if (seen->count >= SEEN_MAX) {
		memset(seen->slots, 0, seen->room * sizeof(*seen->slots));
		seen->count = 0;
	}
	/* Half of it stays free. */
	if (2 * seen->count >= seen->room && grow(seen))
		return -ENOMEM;
	*slot_of(seen->slots, seen->room, number) = number;
	seen->count++;
	return 1;
}

void seen_free(struct seen *seen)
{
	free(seen->slots);
	memset(seen, 0, sizeof(*seen));
}
