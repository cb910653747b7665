/* SPDX-License-Identifier: MIT */
/*
 * scopes.c - the names in use in a manifest: one hash table for all scopes
 *
 * A scope is an address that stands for a set of names: a list of a provider, a
 * template, a task.
 */
#include <stdlib.h>
#include <string.h>

#include "manifest.h"
#include "base/table.h"

struct name {
	const void *scope;
	const char *name;	/* NULL: the key is number */
	uint64_t number;	/* the key, or the length of the name */
	void *thing;
};

struct manifest_names {
	struct etw_table table;
};

struct manifest_names *etw_mx_names_new(void)
{
	return calloc(1, sizeof(struct manifest_names));
}

void etw_mx_names_free(struct manifest_names *names)
{
	if (names)
		etw_table_clear(&names->table, free);
	free(names);
}

static bool same_name(const void *entry, const void *key)
{
	const struct name *a = entry, *b = key;

	if (a->scope != b->scope || a->number != b->number)
		return false;
	if (!a->name || !b->name)
		return a->name == b->name;
	return !memcmp(a->name, b->name, a->number);
}

static uint64_t hash_of_name(const struct name *key)
{
	uint64_t hash = etw_hash(0, &key->scope, sizeof(key->scope));

	return key->name ? etw_hash(hash, key->name, key->number) :
			   etw_hash(hash, &key->number, sizeof(key->number));
}

static void *claim(struct etw_mx *x, struct name key)
{
	uint64_t hash = hash_of_name(&key);
	struct name *name = etw_table_find(&x->names->table, hash, same_name, &key);

	if (name)
		return name->thing;
	name = malloc(sizeof(*name));
	if (!name || etw_table_add(&x->names->table, hash, name)) {
		free(name);
		return etw_mx_no_memory(x);
	}
	*name = key;
	return NULL;
}

void *etw_mx_claim(struct etw_mx *x, const void *scope, const char *name, void *thing)
{
	return claim(x, (struct name){ scope, name, strlen(name), thing });
}

void *etw_mx_claim_number(struct etw_mx *x, const void *scope, uint64_t number, void *thing)
{
	return claim(x, (struct name){ scope, NULL, number, thing });
}

void *etw_mx_find_len(struct etw_mx *x, const void *scope, const char *name, size_t len)
{
	const struct name key = { scope, name, len, NULL };
	const struct name *found = etw_table_find(&x->names->table, hash_of_name(&key), same_name,
						  &key);

	return found ? found->thing : NULL;
}

void *etw_mx_find(struct etw_mx *x, const void *scope, const char *name)
{
	return etw_mx_find_len(x, scope, name, strlen(name));
}
