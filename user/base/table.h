/* SPDX-License-Identifier: MIT */
/*
 * table.h - hash tables and interned keys
 *
 * The hash has a different seed in each process, because the keys are untrusted: nobody
 * can build a manifest or a trace whose keys all fall into one slot. So hashes must not
 * appear in any output.
 */
#ifndef ETW_BASE_TABLE_H
#define ETW_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Always the same value in a process; odd.  Safe in any thread. */
uint64_t etw_hash_seed(void);

static inline uint64_t etw_hash_number(uint64_t seed, uint64_t number)
{
	__uint128_t product = (__uint128_t)(number ^ 0x9E3779B97F4A7C15ull) * seed;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Hash bytes; before: the hash of the preceding bytes, or 0. */
uint64_t etw_hash(uint64_t before, const void *data, size_t size);

/* --------------------------------------------------------------------- tables */

/* Entries by hash; the caller owns them.  All zero is empty. */
struct etw_table {
	struct etw_table_slot {
		uint64_t hash;
		void *entry;	/* NULL: free */
	} *slots;
	size_t size, count;	/* size: a power of two */
};

typedef bool etw_table_match(const void *entry, const void *key);

/* The entry with this hash that matches the key, or NULL. */
void *etw_table_find(const struct etw_table *table, uint64_t hash, etw_table_match *match,
		     const void *key);
/* Add an entry that is not in the table.  0 or -ENOMEM. */
int etw_table_add(struct etw_table *table, uint64_t hash, void *entry);
/* Empty the table; free_entry may be NULL. */
void etw_table_clear(struct etw_table *table, void (*free_entry)(void *entry));

/* ------------------------------------------------------------------- interning */

/* Numbers for keys.  All zero is empty and unbounded. */
struct etw_interner {
	struct etw_table table;
	uint32_t max;		/* keys; 0: no limit */
	size_t max_bytes;	/* of all keys; 0: no limit */
	size_t bytes;
};

/* The number of a key, from 1, in order of arrival.  0: no memory, or the table is full. */
uint32_t etw_intern(struct etw_interner *interner, const void *key, size_t size, bool *is_new);
/* The same, but 0 if the key is new. */
uint32_t etw_interned(const struct etw_interner *interner, const void *key, size_t size);
void etw_interner_clear(struct etw_interner *interner);

#endif /* ETW_BASE_TABLE_H */
