/* SPDX-License-Identifier: MIT */
/*
 * store.c - the manifests that this process knows
 *
 * Lookup results, including failed ones, are kept in a hash table by GUID until
 * something changes. GUIDs come from events, so the table is limited; when full, it is
 * emptied. A result grows when more of it is asked for, one source after the other: the
 * loaded manifests, then the folders.
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

/* Providers and their manifests, with a reference on each */
struct providers {
	const struct etw_mf_provider **list;
	struct etw_store_list manifests;
};

struct found {
	GUID guid;
	struct providers own;		/* with this decode GUID */
	struct providers controlled;	/* with this control GUID only */
	size_t sources;			/* searched */
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

static void free_providers(struct providers *providers)
{
	etw_store_list_free(&providers->manifests);
	free(providers->list);
}

static void free_found(void *entry)
{
	struct found *found = entry;

	free_providers(&found->own);
	free_providers(&found->controlled);
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

/* What is known of the GUID, at first nothing; NULL: out of memory */
static struct found *look_up(const GUID *guid)
{
	const uint64_t hash = etw_hash(0, guid, sizeof(*guid));
	struct found *found = etw_table_find(&store.found, hash, has_guid, guid);

	if (found)
		return found;
	if (store.found.count >= FOUND_MAX)
		forget_found();
	found = calloc(1, sizeof(*found));
	if (found && etw_table_add(&store.found, hash, found)) {
		free(found);
		found = NULL;
	}
	if (found)
		found->guid = *guid;
	return found;
}

/* ---------------------------------------------------------------- the folders */

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void plan_check(void)
{
	__atomic_store_n(&store.next_check, now_ns() + CHECK_NS, __ATOMIC_RELAXED);
}

/* From the first use of the folders on, they are checked. */
static void use_folders(void)
{
	if (!store.next_check)
		plan_check();
}

static void check_folders(void)
{
	plan_check();
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

static int add_provider(struct providers *to, const struct etw_mf_provider *provider,
			struct etw_manifest *manifest)
{
	const size_t count = to->manifests.count;
	const struct etw_mf_provider **list;

	if (to->manifests.room == count) {
		list = realloc(to->list, (count ? 2 * count : 8) * sizeof(*list));
		if (!list)
			return -ENOMEM;
		to->list = list;
	}
	to->list[count] = provider;
	return etw_store_list_add(&to->manifests, manifest);
}

/* A manifest may have been loaded twice. */
static bool has_manifest(const struct found *found, const struct etw_manifest *manifest)
{
	size_t i;

	for (i = 0; i < found->own.manifests.count; i++)
		if (found->own.manifests.list[i] == manifest)
			return true;
	for (i = 0; i < found->controlled.manifests.count; i++)
		if (found->controlled.manifests.list[i] == manifest)
			return true;
	return false;
}

static int add_manifest(struct found *found, struct etw_manifest *manifest)
{
	const struct etw_mf_provider *p = manifest->providers;
	unsigned int i;
	int err = 0;

	if (has_manifest(found, manifest))
		return 0;
	for (i = 0; i < manifest->provider_count && !err; i++, p++) {
		if (!memcmp(&p->guid, &found->guid, sizeof(GUID)))
			err = add_provider(&found->own, p, manifest);
		else if (p->has_control_guid && !memcmp(&p->control_guid, &found->guid, sizeof(GUID)))
			err = add_provider(&found->controlled, p, manifest);
	}
	return err;
}

/* Search one more source. 0; 1: there is no more; -ENOMEM: the source is searched again. */
static int search_more(struct found *found)
{
	struct etw_manifest *manifest;
	int err;

	if (found->sources < store.loaded.count) {
		manifest = store.loaded.list[store.loaded.count - 1 - found->sources];
	} else {
		use_folders();
		if (found->sources - store.loaded.count >= etw_installed_folders())
			return 1;
		manifest = etw_installed_in((unsigned int)(found->sources - store.loaded.count),
					    &found->guid);
	}
	err = manifest ? add_manifest(found, manifest) : 0;
	found->sources += !err;
	return err;
}

/* The i-th provider; NULL: there is no more */
static const struct etw_mf_provider *provider_at(struct found *found, size_t i,
						 struct etw_manifest **manifest)
{
	const struct providers *in = &found->own;

	while (in->manifests.count <= i && !search_more(found))
		;
	if (!in->manifests.count)
		in = &found->controlled;
	if (i >= in->manifests.count)
		return NULL;
	*manifest = in->manifests.list[i];
	return in->list[i];
}

/* Begin a lookup; NULL: out of memory. */
static struct found *begin(const GUID *guid, int *state)
{
	*state = hold();
	if (is_due())
		check_folders();
	return look_up(guid);
}

const struct etw_mf_provider *etw_store_find(const GUID *guid, struct etw_manifest **manifest)
{
	const struct etw_mf_provider *provider;
	struct etw_manifest *in;
	int state;
	struct found *found = begin(guid, &state);

	provider = found ? provider_at(found, 0, &in) : NULL;
	if (provider)
		*manifest = etw_manifest_get(in);
	let_go(state);
	return provider;
}

const struct etw_mf_provider *etw_store_find_event(const GUID *guid, uint16_t id, uint8_t version,
						   const struct etw_mf_event **event,
						   struct etw_manifest **manifest)
{
	const struct etw_mf_provider *provider = NULL, *first = NULL;
	struct etw_manifest *in, *first_in = NULL;
	int state;
	struct found *found = begin(guid, &state);
	size_t i;

	*event = NULL;
	for (i = 0; found && !*event && (provider = provider_at(found, i, &in)); i++) {
		*event = etw_mf_event_find(provider, id, version);
		if (!i) {
			first = provider;
			first_in = in;
		}
	}
	if (*event)
		*manifest = etw_manifest_get(in);
	else if (first)
		*manifest = etw_manifest_get(first_in);
	let_go(state);
	return *event ? provider : first;
}

int etw_store_find_all(const GUID *guid, struct etw_providers *all)
{
	const struct etw_mf_provider *provider, **list = NULL;
	struct etw_manifest *in;
	unsigned int count = 0;
	int state;
	struct found *found = begin(guid, &state);

	*all = (struct etw_providers){ .count = 0 };
	while (found && provider_at(found, count, &in))
		count++;
	list = found ? malloc((count + 1) * sizeof(*list)) : NULL;
	/* Without memory provider_at() finds fewer at one time than at another. */
	for (all->list = list; list && all->count < count; all->count++) {
		provider = provider_at(found, all->count, &in);
		if (!provider)
			break;
		list[all->count] = provider;
		etw_manifest_get(in);
	}
	let_go(state);
	return list ? 0 : -ENOMEM;
}

void etw_providers_free(struct etw_providers *all)
{
	while (all->count)
		etw_manifest_put((struct etw_manifest *)all->list[--all->count]->manifest);
	free((void *)all->list);
	all->list = NULL;
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
	use_folders();
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
