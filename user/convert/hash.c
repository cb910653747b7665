/* SPDX-License-Identifier: MIT */
/*
 * hash.c - hashes of what comes out of traces, for tables in memory
 *
 * A product of all words and a secret odd number, folded after each.
 */
#include <string.h>
#include <sys/random.h>
#include "hash.h"

static uint64_t secret[2];	/* 0: not drawn yet */

/* Without random numbers, so early at boot, files that aim at us are no matter. */
static void draw(void)
{
	uint64_t drawn[2] = { 0x9e3779b97f4a7c15ULL, 0xd6e8feb86659fd93ULL };

	if (getrandom(drawn, sizeof(drawn), GRND_NONBLOCK) < 0)
		drawn[0] ^= (uintptr_t)&secret;
	secret[0] = drawn[0];
	secret[1] = drawn[1] | 1;
}

static uint64_t fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	const wide product = (wide)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_bytes(uint64_t before, const void *data, size_t len)
{
	const unsigned char *at = data;
	uint64_t hash, word;

	if (!secret[1])
		draw();
	hash = before ^ secret[0] ^ len;
	for (; len >= 8; len -= 8, at += 8) {
		memcpy(&word, at, 8);
		hash = fold(hash ^ word, secret[1]);
	}
	word = 0;
	memcpy(&word, at, len);
	return fold(hash ^ word, secret[1]);
}
