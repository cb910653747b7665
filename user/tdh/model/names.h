/* SPDX-License-Identifier: MIT */
/*
 * names.h - the things of a schema being read, by scope and name, or by scope and number
 *
 * A scope is any address. One hash table holds all scopes.
 */
#ifndef ETW_TDH_MODEL_NAMES_H
#define ETW_TDH_MODEL_NAMES_H

#include "base/table.h"

/* All zero is empty. */
struct etw_names {
	struct etw_table table;
	bool no_memory;		/* a key could not be added */
};

/*
 * Returns the thing that already has the key; NULL: added. The name is not copied.
 * len: its length; NULL as a name: len is the number.
 */
void *etw_names_add(struct etw_names *names, const void *scope, const char *name, uint64_t len,
		    const void *thing);
void *etw_names_find(const struct etw_names *names, const void *scope, const char *name,
		     uint64_t len);
void etw_names_clear(struct etw_names *names);

#endif /* ETW_TDH_MODEL_NAMES_H */
