/* SPDX-License-Identifier: MIT */
/*
 * names.c - the names, values and symbols in use in a manifest
 */
#include <string.h>

#include "manifest.h"

static void *claim(struct manifest_reader *r, const void *scope, const char *name, uint64_t len,
		   const void *thing)
{
	void *other = etw_names_add(&r->names, scope, name, len, thing);

	return r->names.no_memory ? etw_manifest_no_memory(r) : other;
}

void *etw_manifest_claim(struct manifest_reader *r, const void *scope, const char *name,
			 const void *thing)
{
	return claim(r, scope, name, strlen(name), thing);
}

void *etw_manifest_claim_number(struct manifest_reader *r, const void *scope, uint64_t number,
				const void *thing)
{
	return claim(r, scope, NULL, number, thing);
}

void *etw_manifest_find(const struct manifest_reader *r, const void *scope, const char *name)
{
	return etw_names_find(&r->names, scope, name, strlen(name));
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
	other = etw_manifest_claim(r, r->symbols ?: &r->names, symbol, owner);
	if (!other || (!strcmp(other->kind, kind) && other->value == value))
		return;
	etw_manifest_at(r, place.line, kind, symbol);
	etw_manifest_error(r, "symbol is that of another %s, too (line %u)", other->kind,
			   other->line);
	r->at = place;
}
