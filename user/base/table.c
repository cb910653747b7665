/* SPDX-License-Identifier: MIT */
/*
 * table.c - hash tables and interned keys
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "table.h"

#define FIRST_SIZE	8

static uint64_t seed;

/* Threads that arrive first at the same time agree on one seed. */
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

uint64_t etw_hash(uint64_t before, const void *data, size_t size)
{
	const uint64_t by = etw_hash_seed();
	const unsigned char *p = data;
	uint64_t hash = etw_hash_number(by, before ^ size), word;

	for (; size >= 8; p += 8, size -= 8) {
		memcpy(&word, p, 8);
		hash = etw_hash_number(by, hash ^ word);
	}
	if (size) {
		word = 0;
		memcpy(&word, p, size);
		hash = etw_hash_number(by, hash ^ word);
	}
	return hash;
}

/* --------------------------------------------------------------------- tables */

/* A quarter of the slots is always free, so the loops over slots end. */
static size_t first_slot(const struct etw_table *table, uint64_t hash)
{
	return (size_t)hash & (table->size - 1);
}

void *etw_table_find(const struct etw_table *table, uint64_t hash, etw_table_match *match,
		     const void *key)
{
	const struct etw_table_slot *slot;
	size_t i;

	if (!table->size)
		return NULL;
	for (i = first_slot(table, hash);; i = (i + 1) & (table->size - 1)) {
		slot = &table->slots[i];
		if (!slot->entry || (slot->hash == hash && match(slot->entry, key)))
			return slot->entry;
	}
}

static void put(struct etw_table *table, uint64_t hash, void *entry)
{
	size_t i = first_slot(table, hash);

	while (table->slots[i].entry)
		i = (i + 1) & (table->size - 1);
	table->slots[i] = (struct etw_table_slot){ hash, entry };
}

static int grow(struct etw_table *table)
{
	struct etw_table larger = { .size = table->size ? 2 * table->size : FIRST_SIZE,
				    .count = table->count };
	size_t i;

	larger.slots = calloc(larger.size, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (i = 0; i < table->size; i++)
		if (table->slots[i].entry)
			put(&larger, table->slots[i].hash, table->slots[i].entry);
	free(table->slots);
	*table = larger;
	return 0;
}

int etw_table_add(struct etw_table *table, uint64_t hash, void *entry)
{
	if (table->count >= table->size / 4 * 3 && grow(table))
		return -ENOMEM;
	put(table, hash, entry);
	table->count++;
	return 0;
}

void etw_table_clear(struct etw_table *table, void (*free_entry)(void *entry))
{
	size_t i;

	for (i = 0; free_entry && i < table->size; i++)
		if (table->slots[i].entry)
			free_entry(table->slots[i].entry);
	free(table->slots);
	memset(table, 0, sizeof(*table));
}

/* ------------------------------------------------------------------- interning */

struct interned {
	uint32_t number;
	size_t size;
	char key[];
};

struct bytes {
	const void *data;
	size_t size;
};

static bool has_bytes(const void *entry, const void *key)
{
	const struct interned *i = entry;
	const struct bytes *b = key;

	return i->size == b->size && (!b->size || !memcmp(i->key, b->data, b->size));
}

uint32_t etw_interned(const struct etw_interner *interner, const void *key, size_t size)
{
	const struct bytes bytes = { key, size };
	const struct interned *i = etw_table_find(&interner->table, etw_hash(0, key, size),
						  has_bytes, &bytes);

	return i ? i->number : 0;
}

uint32_t etw_intern(struct etw_interner *interner, const void *key, size_t size, bool *is_new)
{
	const struct bytes bytes = { key, size };
	uint64_t hash = etw_hash(0, key, size);
	struct interned *i = etw_table_find(&interner->table, hash, has_bytes, &bytes);

	*is_new = false;
	if (i)
		return i->number;
	if (interner->table.count >= (interner->max ? interner->max : UINT32_MAX) ||
	    (interner->max_bytes && size > interner->max_bytes - interner->bytes))
		return 0;
	i = malloc(sizeof(*i) + size);
	if (!i || etw_table_add(&interner->table, hash, i)) {
		free(i);
		return 0;
	}
	i->number = (uint32_t)interner->table.count;
	i->size = size;
	if (size)
		memcpy(i->key, key, size);
	interner->bytes += size;
	*is_new = true;
	return i->number;
}

void etw_interner_clear(struct etw_interner *interner)
{
	etw_table_clear(&interner->table, free);
	interner->bytes = 0;
}
