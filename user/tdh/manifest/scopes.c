/* SPDX-License-Identifier: MIT */
/*
 * scopes.c - who has a name already: one hash table for all scopes
 *
 * A scope is an address that stands for a set of names: a list of the provider's, a
 * template, a task.
 */
#include <stdlib.h>
#include <string.h>

#include "manifest.h"
#include "base/hash.h"

#define FIRST_SIZE	256u	/* a power of 2 */

struct slot {
	uint64_t hash;
	const void *scope;
	const char *name;	/* NULL: the key is number */
	uint64_t number;	/* or the name's length */
	void *thing;		/* NULL: the slot is free */
};

struct manifest_names {
	uint64_t seed;
	struct slot *slots;
	size_t size, used;
};

struct manifest_names *etw_mx_names_new(void)
{
	struct manifest_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->seed = etw_hash_seed();
	names->size = FIRST_SIZE;
	names->slots = calloc(names->size, sizeof(*names->slots));
	if (!names->slots) {
		free(names);
		return NULL;
	}
	return names;
}

void etw_mx_names_free(struct manifest_names *names)
{
	if (!names)
		return;
	free(names->slots);
	free(names);
}

static bool same(const struct slot *a, const struct slot *b)
{
	if (a->hash != b->hash || a->scope != b->scope || a->number != b->number)
		return false;
	if (!a->name || !b->name)
		return a->name == b->name;
	return !memcmp(a->name, b->name, a->number);
}

/* The slot of the key, or the free one where it belongs; a quarter is always free. */
static struct slot *slot_of(const struct manifest_names *names, const struct slot *key)
{
	size_t at = key->hash & (names->size - 1);

	while (names->slots[at].thing && !same(&names->slots[at], key))
		at = (at + 1) & (names->size - 1);
	return &names->slots[at];
}

static bool grow(struct manifest_names *names)
{
	struct manifest_names larger = *names;
	size_t i;

	larger.size *= 2;
	larger.slots = calloc(larger.size, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (i = 0; i < names->size; i++)
		if (names->slots[i].thing)
			*slot_of(&larger, &names->slots[i]) = names->slots[i];
	free(names->slots);
	*names = larger;
	return true;
}

static struct slot key_of(const struct manifest_names *names, const void *scope, const char *name,
			  uint64_t number)
{
	struct slot key = { .scope = scope, .name = name, .number = number };
	uint64_t hash = etw_hash_number(names->seed, (uintptr_t)scope);

	if (name)
		key.hash = etw_hash_bytes(names->seed, name, number) ^ hash;
	else
		key.hash = etw_hash_number(names->seed, hash ^ number);
	return key;
}

static void *claim(struct etw_mx *x, struct slot key, void *thing)
{
	struct slot *slot = slot_of(x->names, &key);

	if (slot->thing)
		return slot->thing;
	if (x->names->used >= x->names->size / 4 * 3) {
		if (!grow(x->names))
			return etw_mx_no_memory(x);
		slot = slot_of(x->names, &key);
	}
	*slot = key;
	slot->thing = thing;
	x->names->used++;
	return NULL;
}

void *etw_mx_claim(struct etw_mx *x, const void *scope, const char *name, void *thing)
{
	return claim(x, key_of(x->names, scope, name, strlen(name)), thing);
}

void *etw_mx_claim_number(struct etw_mx *x, const void *scope, uint64_t number, void *thing)
{
	return claim(x, key_of(x->names, scope, NULL, number), thing);
}

void *etw_mx_find_len(struct etw_mx *x, const void *scope, const char *name, size_t len)
{
	struct slot key = key_of(x->names, scope, name, len);

	return slot_of(x->names, &key)->thing;
}

void *etw_mx_find(struct etw_mx *x, const void *scope, const char *name)
{
	return etw_mx_find_len(x, scope, name, strlen(name));
}
