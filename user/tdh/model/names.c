/* SPDX-License-Identifier: MIT */
/*
 * names.c - the things of a schema being read, by scope and name, or by scope and number
 */
#include <stdlib.h>
#include <string.h>

#include "names.h"

struct name {
	const void *scope;
	const char *name;	/* NULL: the key is len */
	uint64_t len;
	const void *thing;
};

static bool same_name(const void *entry, const void *key)
{
	const struct name *a = entry, *b = key;

	if (a->scope != b->scope || a->len != b->len)
		return false;
	if (!a->name || !b->name)
		return a->name == b->name;
	return !memcmp(a->name, b->name, a->len);
}

static uint64_t hash_of_name(const struct name *key)
{
	uint64_t hash = etw_hash(0, &key->scope, sizeof(key->scope));

	return key->name ? etw_hash(hash, key->name, key->len) :
			   etw_hash(hash, &key->len, sizeof(key->len));
}

void *etw_names_find(const struct etw_names *names, const void *scope, const char *name,
		     uint64_t len)
{
	const struct name key = { scope, name, len, NULL };
	const struct name *found = etw_table_find(&names->table, hash_of_name(&key), same_name,
						  &key);

	return found ? (void *)found->thing : NULL;
}

void *etw_names_add(struct etw_names *names, const void *scope, const char *name, uint64_t len,
		    const void *thing)
{
	void *other = etw_names_find(names, scope, name, len);
	struct name *added = other ? NULL : malloc(sizeof(*added));

	if (other)
		return other;
	if (added)
		*added = (struct name){ scope, name, len, thing };
	if (!added || etw_table_add(&names->table, hash_of_name(added), added)) {
		names->no_memory = true;
		free(added);
	}
	return NULL;
}

void etw_names_clear(struct etw_names *names)
{
	etw_table_clear(&names->table, free);
}
