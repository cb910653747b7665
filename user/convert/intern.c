/* SPDX-License-Identifier: MIT */
/*
 * intern.c - numbers for strings that come often
 */
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "intern.h"

struct interned {
	struct interned *chain;
	uint64_t hash;
	uint32_t number;
	size_t len;
	char s[];
};

uint32_t intern(struct intern *table, const char *s, size_t len, int *is_new)
{
	uint64_t hash = hash_bytes(0, s, len);
	struct interned **bucket = &table->buckets[hash % INTERN_BUCKETS], *at;

	*is_new = 0;
	for (at = *bucket; at; at = at->chain)
		if (at->hash == hash && at->len == len && !memcmp(at->s, s, len))
			return at->number;
	if (table->count >= INTERN_MAX || len > INTERN_BYTES - table->bytes)
		return 0;
	at = malloc(sizeof(*at) + len);
	if (!at)
		return 0;
	at->hash = hash;
	at->len = len;
	memcpy(at->s, s, len);
	at->number = ++table->count;
	at->chain = *bucket;
	*bucket = at;
	table->bytes += len;
	*is_new = 1;
	return at->number;
}

void intern_free(struct intern *table)
{
	struct interned *at;
	size_t i;

	for (i = 0; i < INTERN_BUCKETS; i++) {
		while ((at = table->buckets[i])) {
			table->buckets[i] = at->chain;
			free(at);
		}
	}
	table->count = 0;
	table->bytes = 0;
}
