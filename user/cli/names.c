/* SPDX-License-Identifier: MIT */
/*
 * names.c - provider names, looked up once for each provider
 *
 * A provider is asked for at its first event, when it is most likely still
 * registered.  One that has gone by then stays without a name.  Of many thousands those
 * that were not met for the longest time are forgotten: memory is bounded, whatever events
 * say of their providers.
 */
#include <stdlib.h>
#include <string.h>
#include "names.h"
#include "provider.h"

struct name {
	struct name *next;
	struct etw_guid guid;
	char *name;	/* NULL: none */
};

#define BUCKETS	64
#define NAMES_MAX	64	/* in each */

struct names {
	int fd;
	struct name *last;	/* events of one provider come in runs */
	struct name *bucket[BUCKETS];	/* the one met last comes first */
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

static void free_name(struct name *name)
{
	free(name->name);
	free(name);
}

void names_free(struct names *names)
{
	struct name *name, *next;
	int i;

	for (i = 0; names && i < BUCKETS; i++) {
		for (name = names->bucket[i]; name; name = next) {
			next = name->next;
			free_name(name);
		}
	}
	free(names);
}

static struct name *look_up(struct names *names, const struct etw_guid *guid)
{
	static struct provider provider;
	struct name *name = calloc(1, sizeof(*name));
	const char *found;

	if (!name)
		cli_die("out of memory");
	name->guid = *guid;
	if (provider_query(names->fd, guid, &provider)) {
		memset(&provider, 0, sizeof(provider));
		provider.guid = *guid;
	}
	found = provider_name(&provider);
	if (found) {
		name->name = strdup(found);
		if (!name->name)
			cli_die("out of memory");
	}
	provider_done(&provider);
	return name;
}

/* Take a name out of its bucket, or NULL; the bucket's last one goes if it is full. */
static struct name *take(struct name **bucket, const struct etw_guid *guid)
{
	struct name **at, *name;
	unsigned int count = 0;

	for (at = bucket; *at; at = &(*at)->next) {
		name = *at;
		if (guid_equal(&name->guid, guid)) {
			*at = name->next;
			return name;
		}
		if (++count == NAMES_MAX) {
			*at = NULL;
			free_name(name);
			break;
		}
	}
	return NULL;
}

const char *names_get(struct names *names, const struct etw_guid *guid)
{
	struct name **bucket = &names->bucket[guid->data1 % BUCKETS];
	struct name *name = names->last;

	if (name && guid_equal(&name->guid, guid))
		return name->name;
	name = take(bucket, guid);
	if (!name)
		name = look_up(names, guid);
	name->next = *bucket;
	*bucket = name;
	names->last = name;
	return name->name;
}
