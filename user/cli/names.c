/* SPDX-License-Identifier: MIT */
/*
 * names.c - provider names, looked up once for each provider
 *
 * A provider is looked up at its first event, when it is most likely still registered.  One
 * that has gone by then stays without a name.  Events choose their providers, so the cache
 * is bounded: of the providers that share a set, the one that was used least recently goes.
 */
#include <stdlib.h>
#include <string.h>
#include "names.h"
#include "provider.h"
#include "base/name_guid.h"
#include "base/table.h"

#define SETS	512
#define WAYS	8

struct name {
	struct etw_guid guid;	/* zero: unused */
	char *name;		/* NULL: none */
};

struct names {
	int fd;
	struct name *last;	/* events of one provider come in runs */
	struct name sets[SETS][WAYS];	/* each with the latest first */
};

/**
 * names_new() - a cache of names
 * @fd: the device, which must stay open as long as the cache is used, or -1
 */
struct names *names_new(int fd)
{
	struct names *names = cli_calloc(1, sizeof(*names));

	names->fd = fd;
	return names;
}

void names_free(struct names *names)
{
	unsigned int i;

	for (i = 0; names && i < SETS * WAYS; i++)
		free(names->sets[i / WAYS][i % WAYS].name);
	free(names);
}

static void look_up(int fd, const struct etw_guid *guid, struct name *name)
{
	static struct etw_provider provider;
	const char *found;

	if (fd < 0 || etw_provider_query(fd, guid, &provider)) {
		memset(&provider, 0, sizeof(provider));
		provider.guid = *guid;
	}
	found = provider_name(&provider);
	name->guid = *guid;
	name->name = found ? cli_strdup(found) : NULL;
	etw_provider_free(&provider);
}

const char *names_get(struct names *names, const struct etw_guid *guid)
{
	struct name *set, name;
	unsigned int i;

	if (names->last && guid_equal(&names->last->guid, guid))
		return names->last->name;
	set = names->sets[etw_hash(0, guid, sizeof(*guid)) % SETS];
	for (i = 0; i < WAYS && !guid_equal(&set[i].guid, guid); i++)
		;
	if (i < WAYS) {
		name = set[i];
	} else {
		i = WAYS - 1;
		free(set[i].name);
		look_up(names->fd, guid, &name);
	}
	memmove(set + 1, set, i * sizeof(*set));
	set[0] = name;
	names->last = set;
	return name.name;
}

void names_learn(struct names *names, const struct etw_guid *guid, const char *name)
{
	struct etw_guid made;

	if (etw_guid_from_name(name, strlen(name), &made) || !guid_equal(&made, guid) ||
	    names_get(names, guid))
		return;
	/* That has made the provider the last one. */
	names->last->name = cli_strdup(name);
}
