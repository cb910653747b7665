/* SPDX-License-Identifier: MIT */
/*
 * cfi_cache.c - the rules of addresses that were looked up lately
 *
 * The stacks of a trace have the same addresses again and again. Each has one place here, in which
 * the latest of those that share it stays. A file that was closed and opened again has a new table
 * with another number, so nothing has to be removed.
 */
#include <stdlib.h>

#include "base/table.h"
#include "cfi_cache.h"

struct cached {
	uint64_t table, address;	/* 0: none */
	struct cfi_rules rules;
};

_Static_assert(sizeof(struct cached) == 168, "cfi_cache.h and etw-symbols(7) say so");

struct cfi_cache {
	struct cached entries[CFI_CACHE_ENTRIES];
};

struct cfi_cache *cfi_cache_new(void)
{
	return calloc(1, sizeof(struct cfi_cache));
}

void cfi_cache_free(struct cfi_cache *cache)
{
	free(cache);
}

const struct cfi_rules *cfi_cache_find(struct cfi_cache *cache, const struct cfi_table *table,
				       uint64_t address)
{
	const uint64_t id = cfi_table_id(table);
	const uint64_t hash = etw_hash_number(etw_hash_seed(), address ^ id << 48);
	struct cached *cached = &cache->entries[hash % CFI_CACHE_ENTRIES];

	if (cached->table != id || cached->address != address) {
		cfi_find(table, address, &cached->rules);
		cached->table = id;
		cached->address = address;
	}
	return &cached->rules;
}
