/* SPDX-License-Identifier: MIT */
/*
 * store.c - the manifests that this process knows
 *
 * Lookup results, including failed ones, are kept in a hash table by GUID until
 * something changes. GUIDs come from events, so the table is limited; when full, it is
 * emptied.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "installed.h"
#include "store.h"
#include "base/cancel.h"
#include "base/table.h"

#define FOUND_MAX	768
#define CHECK_NS	1000000000LL	/* between two checks of the folders */

struct found {
	GUID guid;
	const struct etw_mf_provider *provider;	/* NULL: unknown */
	struct etw_manifest *manifest;		/* a reference */
};

static struct {
	pthread_mutex_t lock;		/* guards all, including installed.c, except the next two */
	unsigned int generation;	/* atomic */
	int64_t next_check;		/* atomic; 0: installed manifests were never requested */
	struct etw_store_list loaded;	/* the newest last */
	struct etw_table found;
} store = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int hold(void)
{
	int state = etw_cancel_hold();

	pthread_mutex_lock(&store.lock);
	return state;
}

static void let_go(int state)
{
	pthread_mutex_unlock(&store.lock);
	etw_cancel_allow(state);
}

/* ------------------------------------------------------------------ the table */

static void free_found(void *entry)
{
	struct found *found = entry;

	etw_manifest_put(found->manifest);
	free(found);
}

static void forget_found(void)
{
	etw_table_clear(&store.found, free_found);
}

static void changed(void)
{
	forget_found();
	__atomic_add_fetch(&store.generation, 1, __ATOMIC_RELEASE);
}

static bool has_guid(const void *entry, const void *guid)
{
	return !memcmp(&((const struct found *)entry)->guid, guid, sizeof(GUID));
}

static const struct found *look_up(const GUID *guid)
{
	return etw_table_find(&store.found, etw_hash(0, guid, sizeof(*guid)), has_guid, guid);
}

/* If memory is short, the next lookup searches again. */
static void keep(const GUID *guid, const struct etw_mf_provider *provider,
		 struct etw_manifest *manifest)
{
	struct found *found = calloc(1, sizeof(*found));

	if (store.found.count >= FOUND_MAX)
		forget_found();
	if (!found || etw_table_add(&store.found, etw_hash(0, guid, sizeof(*guid)), found)) {
		free(found);
		return;
	}
	found->guid = *guid;
	found->provider = provider;
	found->manifest = provider ? etw_manifest_get(manifest) : NULL;
}

/* ---------------------------------------------------------------- the folders */

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void check_folders(void)
{
	__atomic_store_n(&store.next_check, now_ns() + CHECK_NS, __ATOMIC_RELAXED);
	if (!etw_installed_changed())
		return;
	forget_found();
	etw_installed_forget();
	changed();
}

/* Is a check of the folders due? */
static bool is_due(void)
{
	int64_t next = __atomic_load_n(&store.next_check, __ATOMIC_RELAXED);

	return __builtin_expect(next != 0, 1) && now_ns() >= next;
}

unsigned int etw_store_generation(void)
{
	int state;

	if (__builtin_expect(is_due(), 0)) {
		state = hold();
		if (is_due())
			check_folders();
		let_go(state);
	}
	return __atomic_load_n(&store.generation, __ATOMIC_ACQUIRE);
}

void etw_store_refresh(void)
{
	int state = hold();

	etw_installed_forget();
	changed();
	let_go(state);
}

char *etw_store_problem(unsigned int i)
{
	int state = hold();
	const char *problem = etw_installed_problem(i);
	char *copy = problem ? strdup(problem) : NULL;

	let_go(state);
	return copy;
}

/* -------------------------------------------------------------------- finding */

static const struct etw_mf_provider *look_for(const GUID *guid, struct etw_manifest **manifest)
{
	const struct etw_mf_provider *provider;
	size_t i;

	for (i = store.loaded.count; i; i--) {
		provider = etw_manifest_provider(store.loaded.list[i - 1], guid);
		if (provider) {
			*manifest = store.loaded.list[i - 1];
			return provider;
		}
	}
	if (!store.next_check)
		__atomic_store_n(&store.next_check, now_ns() + CHECK_NS, __ATOMIC_RELAXED);
	return etw_installed_find(guid, manifest);
}

const struct etw_mf_provider *etw_store_find(const GUID *guid, struct etw_manifest **manifest)
{
	const struct etw_mf_provider *provider;
	struct etw_manifest *in = NULL;
	int state = hold();
	const struct found *found;

	if (is_due())
		check_folders();
	found = look_up(guid);
	if (found) {
		provider = found->provider;
		in = found->manifest;
	} else {
		provider = look_for(guid, &in);
		keep(guid, provider, in);
	}
	if (provider)
		*manifest = etw_manifest_get(in);
	let_go(state);
	return provider;
}

/* In another manifest than etw_store_find() returns */
static const struct etw_mf_event *look_for_event(const GUID *guid, uint16_t id, uint8_t version,
						 const struct etw_mf_provider **provider,
						 struct etw_manifest **manifest)
{
	const struct etw_mf_event *event = NULL;
	int state = hold();
	size_t i;

	for (i = store.loaded.count; i && !event; i--) {
		*manifest = store.loaded.list[i - 1];
		event = etw_manifest_event(*manifest, guid, id, version, provider);
	}
	if (!event)
		event = etw_installed_find_event(guid, id, version, provider, manifest);
	if (event)
		etw_manifest_get(*manifest);
	let_go(state);
	return event;
}

const struct etw_mf_provider *etw_store_find_event(const GUID *guid, uint16_t id, uint8_t version,
						   const struct etw_mf_event **event,
						   struct etw_manifest **manifest)
{
	const struct etw_mf_provider *provider = etw_store_find(guid, manifest), *other = NULL;
	struct etw_manifest *in = NULL;

	*event = provider ? etw_mf_event_find(provider, id, version) : NULL;
	if (!provider || *event)
		return provider;
	*event = look_for_event(guid, id, version, &other, &in);
	if (!*event)
		return provider;
	etw_manifest_put(*manifest);
	*manifest = in;
	return other;
}

/* --------------------------------------------------------------------- loaded */

int etw_store_list_add(struct etw_store_list *to, struct etw_manifest *manifest)
{
	size_t room = to->room ? 2 * to->room : 8;
	struct etw_manifest **list;

	if (to->count == to->room) {
		list = realloc(to->list, room * sizeof(*list));
		if (!list)
			return -ENOMEM;
		to->list = list;
		to->room = room;
	}
	to->list[to->count++] = etw_manifest_get(manifest);
	return 0;
}

int etw_store_add(struct etw_manifest *manifest)
{
	int state = hold(), ret = etw_store_list_add(&store.loaded, manifest);

	if (!ret)
		changed();
	let_go(state);
	return ret;
}

int etw_store_remove(struct etw_manifest *manifest)
{
	struct etw_store_list *loaded = &store.loaded;
	int state = hold();
	size_t i;

	for (i = loaded->count; i; i--)
		if (loaded->list[i - 1] == manifest)
			break;
	if (i) {
		memmove(&loaded->list[i - 1], &loaded->list[i],
			(loaded->count - i) * sizeof(loaded->list[0]));
		loaded->count--;
		changed();
	}
	let_go(state);
	if (!i)
		return -ENOENT;
	etw_manifest_put(manifest);
	return 0;
}

/* ------------------------------------------------------------------------ all */

int etw_store_all(struct etw_store_list *all)
{
	int state = hold(), ret = 0;
	size_t i;

	memset(all, 0, sizeof(*all));
	if (is_due())
		check_folders();
	for (i = store.loaded.count; i && !ret; i--)
		ret = etw_store_list_add(all, store.loaded.list[i - 1]);
	if (!store.next_check)
		__atomic_store_n(&store.next_check, now_ns() + CHECK_NS, __ATOMIC_RELAXED);
	if (!ret)
		ret = etw_installed_all(all);
	let_go(state);
	if (ret)
		etw_store_list_free(all);
	return ret;
}

void etw_store_list_free(struct etw_store_list *all)
{
	while (all->count)
		etw_manifest_put(all->list[--all->count]);
	free(all->list);
	memset(all, 0, sizeof(*all));
}
