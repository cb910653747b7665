/* SPDX-License-Identifier: MIT */
/*
 * names.c - the names and values in use in a manifest: one hash table for all scopes
 */
#include <stdlib.h>
#include <string.h>

#include "manifest.h"

struct name {
	const void *scope;
	const char *name;	/* NULL: the key is number */
	uint64_t number;	/* the key, or the length of the name */
	const void *thing;
};

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

static void *claim(struct manifest_reader *r, const struct name *key)
{
	uint64_t hash = hash_of_name(key);
	struct name *name = etw_table_find(&r->names, hash, same_name, key);

	if (name)
		return (void *)name->thing;
	name = malloc(sizeof(*name));
	if (!name || etw_table_add(&r->names, hash, name)) {
		free(name);
		return etw_manifest_no_memory(r);
	}
	*name = *key;
	return NULL;
}

void *etw_manifest_claim(struct manifest_reader *r, const void *scope, const char *name,
			 const void *thing)
{
	return claim(r, &(struct name){ scope, name, strlen(name), thing });
}

void *etw_manifest_claim_number(struct manifest_reader *r, const void *scope, uint64_t number,
				const void *thing)
{
	return claim(r, &(struct name){ scope, NULL, number, thing });
}

void *etw_manifest_find_len(const struct manifest_reader *r, const void *scope, const char *name,
			    size_t len)
{
	const struct name key = { scope, name, len, NULL };
	const struct name *found = etw_table_find(&r->names, hash_of_name(&key), same_name, &key);

	return found ? (void *)found->thing : NULL;
}

void *etw_manifest_find(const struct manifest_reader *r, const void *scope, const char *name)
{
	return etw_manifest_find_len(r, scope, name, strlen(name));
}

void etw_manifest_claim_name(struct manifest_reader *r, const void *scope, const char *name,
			     const void *thing)
{
	/* An empty name has been reported already. */
	if (*name && etw_manifest_claim(r, scope, name, thing))
		etw_manifest_error(r, "another %s has this name, too", r->at.kind);
}

void etw_manifest_claim_value(struct manifest_reader *r, const void *scope, uint64_t value,
			      const void *thing)
{
	if (etw_manifest_claim_number(r, scope, value, thing))
		etw_manifest_error(r, "another %s has value %llu, too", r->at.kind,
				   (unsigned long long)value);
}

/* The owner of a symbol */
struct owner {
	const char *kind;
	uint64_t value;
	unsigned int line;
};

void etw_manifest_claim_symbol(struct manifest_reader *r, const char *symbol, const char *kind,
			       uint64_t value)
{
	const struct manifest_place place = r->at;
	const struct owner *other;
	struct owner *owner;

	if (!symbol || !*symbol || r->err)
		return;
	owner = etw_manifest_alloc(r->scratch, sizeof(*owner));
	if (!owner) {
		etw_manifest_no_memory(r);
		return;
	}
	*owner = (struct owner){ kind, value, r->at.line };
	other = etw_manifest_claim(r, &r->names, symbol, owner);
	if (!other || (!strcmp(other->kind, kind) && other->value == value))
		return;
	etw_manifest_at(r, place.line, kind, symbol);
	etw_manifest_error(r, "symbol is that of another %s, too (line %u)", other->kind,
			   other->line);
	r->at = place;
}
