/* SPDX-License-Identifier: MIT */
/*
 * bounded.c - counts by key, for any number of keys in bounded memory
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "bounded.h"

struct wanted {
	const void *key;
	size_t len;
};

void report_bounded_init(struct report_bounded *b, uint32_t max, size_t size,
			 void (*release)(struct report_entry *entry))
{
	memset(b, 0, sizeof(*b));
	b->max = max;
	b->size = (size + 7) / 8 * 8;
	b->release = release;
	b->generation = 1;
}

static void free_entry(struct report_bounded *b, struct report_entry *entry)
{
	if (b->release)
		b->release(entry);
	free(entry);
}

void report_bounded_free(struct report_bounded *b)
{
	uint32_t i;

	for (i = 0; i < b->count; i++)
		free_entry(b, b->entries[i]);
	free(b->entries);
	etw_table_clear(&b->table, NULL);
	b->entries = NULL;
	b->count = 0;
}

static int larger_first(const void *x, const void *y)
{
	const struct report_entry *a = *(struct report_entry *const *)x;
	const struct report_entry *b = *(struct report_entry *const *)y;
	const size_t len = a->key_len < b->key_len ? a->key_len : b->key_len;
	int order;

	if (a->events != b->events)
		return a->events > b->events ? -1 : 1;
	order = memcmp(a->key, b->key, len);
	if (order)
		return order;
	return (a->key_len > b->key_len) - (a->key_len < b->key_len);
}

void report_bounded_sort(struct report_bounded *b)
{
	uint32_t i;

	if (b->count)
		qsort(b->entries, b->count, sizeof(*b->entries), larger_first);
	for (i = 0; i < b->count; i++)
		b->entries[i]->slot = i;
	b->generation++;
}

static int give_up_half(struct report_bounded *b)
{
	const uint32_t keep = b->max / 2;
	uint32_t i;
	int err = 0;

	report_bounded_sort(b);
	b->other.missing += b->entries[keep]->events;
	for (i = keep; i < b->count; i++) {
		b->other.count++;
		b->other.events += b->entries[i]->events;
		b->other.bytes += b->entries[i]->bytes;
		free_entry(b, b->entries[i]);
	}
	b->count = keep;
	etw_table_clear(&b->table, NULL);
	for (i = 0; i < keep && !err; i++)
		err = etw_table_add(&b->table, b->entries[i]->hash, b->entries[i]);
	return err;
}

static bool has_key(const void *entry, const void *key)
{
	const struct report_entry *own = entry;
	const struct wanted *wanted = key;

	return own->key_len == wanted->len && !memcmp(own->key, wanted->key, wanted->len);
}

static struct report_entry *new_entry(const struct report_bounded *b, const void *key, size_t len)
{
	struct report_entry *entry = calloc(1, b->size + len);

	if (!entry)
		return NULL;
	memcpy((char *)entry + b->size, key, len);
	entry->key = (char *)entry + b->size;
	entry->key_len = (uint32_t)len;
	return entry;
}

int report_bounded_get(struct report_bounded *b, const void *key, size_t len,
		       struct report_entry **entry)
{
	const struct wanted wanted = { key, len };
	const uint64_t hash = etw_hash(0, key, len);
	struct report_entry *found = etw_table_find(&b->table, hash, has_key, &wanted);
	int err = 0;

	*entry = found;
	if (found)
		return 0;
	if (!b->entries)
		b->entries = calloc(b->max, sizeof(struct report_entry *));
	if (!b->entries)
		return -ENOMEM;
	if (b->count == b->max)
		err = give_up_half(b);
	found = err ? NULL : new_entry(b, key, len);
	if (!found || etw_table_add(&b->table, hash, found)) {
		free(found);
		return -ENOMEM;
	}
	found->hash = hash;
	found->slot = b->count;
	b->entries[b->count++] = found;
	*entry = found;
	return 1;
}
