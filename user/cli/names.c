/* SPDX-License-Identifier: MIT */
/*
 * names.c - provider names, looked up once for each provider
 *
 * A provider is looked up at its first event, when it is most likely still registered.  One
 * that has gone by then stays without a name.  Events choose their providers, so the cache
 * is bounded: it is emptied when it is full.
 */
#include <stdlib.h>
#include <string.h>
#include "names.h"
#include "provider.h"
#include "base/table.h"

struct name {
	struct etw_guid guid;
	char *name;	/* NULL: none */
};

#define NAMES_MAX	4096

struct names {
	int fd;
	const struct name *last;	/* events of one provider come in runs */
	struct etw_table table;
};

/**
 * names_new() - a cache of names
 * @fd: the device, which must stay open as long as the cache is used
 */
struct names *names_new(int fd)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		cli_die("out of memory");
	names->fd = fd;
	return names;
}

static void free_name(void *entry)
{
	struct name *name = entry;

	free(name->name);
	free(name);
}

void names_free(struct names *names)
{
	if (names)
		etw_table_clear(&names->table, free_name);
	free(names);
}

static struct name *look_up(struct names *names, const struct etw_guid *guid)
{
	static struct etw_provider provider;
	struct name *name = calloc(1, sizeof(*name));
	const char *found;

	if (!name)
		cli_die("out of memory");
	name->guid = *guid;
	if (etw_provider_query(names->fd, guid, &provider)) {
		memset(&provider, 0, sizeof(provider));
		provider.guid = *guid;
	}
	found = provider_name(&provider);
	if (found) {
		name->name = strdup(found);
		if (!name->name)
			cli_die("out of memory");
	}
	etw_provider_free(&provider);
	return name;
}

static bool has_guid(const void *entry, const void *guid)
{
	return guid_equal(&((const struct name *)entry)->guid, guid);
}

const char *names_get(struct names *names, const struct etw_guid *guid)
{
	uint64_t hash;
	struct name *name;

	if (names->last && guid_equal(&names->last->guid, guid))
		return names->last->name;
	hash = etw_hash(0, guid, sizeof(*guid));
	name = etw_table_find(&names->table, hash, has_guid, guid);
	if (!name) {
		if (names->table.count == NAMES_MAX)
			etw_table_clear(&names->table, free_name);
		name = look_up(names, guid);
		if (etw_table_add(&names->table, hash, name))
			cli_die("out of memory");
	}
	names->last = name;
	return name->name;
}
