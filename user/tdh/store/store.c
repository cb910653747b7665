/* SPDX-License-Identifier: MIT */
/*
 * store.c - the manifests that this process knows
 *
 * What was found, or that nothing was, is kept in a hash table by GUID until
 * something changes.  GUIDs come from events, so the table has a limit; beyond that it
 * is begun anew.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "installed.h"
#include "store.h"
#include "base/cancel.h"

#define SLOTS		1024	/* a power of two */
#define FULL		(SLOTS / 4 * 3)
#define CHECK_NS	1000000000LL	/* between two looks at the folders */

struct found {
	GUID guid;
	bool used;
	const struct etw_mf_provider *provider;	/* NULL: nobody knows it */
	struct etw_manifest *manifest;		/* a reference */
};

static struct {
	pthread_mutex_t lock;		/* of all, and of installed.c, but for the next two */
	unsigned int generation;	/* atomic */
	int64_t next_check;		/* atomic; 0: nobody has asked for installed ones */
	struct etw_store_list loaded;	/* the newest last */
	struct found *found;		/* SLOTS, or NULL */
	unsigned int found_count;
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

static void forget_found(void)
{
	unsigned int i;

	for (i = 0; store.found && i < SLOTS; i++)
		if (store.found[i].used)
			etw_manifest_put(store.found[i].manifest);
	if (store.found)
		memset(store.found, 0, SLOTS * sizeof(*store.found));
	store.found_count = 0;
}

static void changed(void)
{
	forget_found();
	__atomic_add_fetch(&store.generation, 1, __ATOMIC_RELEASE);
}

/* Where the GUID is, or may be put; NULL: no memory. */
static struct found *slot_of(const GUID *guid)
{
	uint64_t half[2];
	unsigned int i;

	if (!store.found)
		store.found = calloc(SLOTS, sizeof(*store.found));
	if (!store.found)
		return NULL;
	memcpy(half, guid, sizeof(half));
	i = (unsigned int)(((half[0] ^ half[1]) * 0x9E3779B97F4A7C15ULL) >> 54) & (SLOTS - 1);
	while (store.found[i].used && memcmp(&store.found[i].guid, guid, sizeof(*guid)))
		i = (i + 1) & (SLOTS - 1);
	return &store.found[i];
}

static void keep(const GUID *guid, const struct etw_mf_provider *provider,
		 struct etw_manifest *manifest)
{
	struct found *slot;

	if (store.found_count >= FULL)
		forget_found();
	slot = slot_of(guid);
	if (!slot)
		return;
	slot->guid = *guid;
	slot->used = true;
	slot->provider = provider;
	slot->manifest = provider ? etw_manifest_get(manifest) : NULL;
	store.found_count++;
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

/* Is it time to look at them? */
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
	struct found *slot;

	if (is_due())
		check_folders();
	slot = slot_of(guid);
	if (slot && slot->used) {
		provider = slot->provider;
		in = slot->manifest;
	} else {
		provider = look_for(guid, &in);
		keep(guid, provider, in);
	}
	if (provider)
		*manifest = etw_manifest_get(in);
	let_go(state);
	return provider;
}

/* --------------------------------------------------------------------- loaded */

static int append(struct etw_store_list *to, struct etw_manifest *manifest)
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
	int state = hold(), ret = append(&store.loaded, manifest);

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

static int take(struct etw_manifest *manifest, void *all)
{
	return append(all, manifest);
}

int etw_store_all(struct etw_store_list *all)
{
	int state = hold(), ret = 0;
	size_t i;

	memset(all, 0, sizeof(*all));
	if (is_due())
		check_folders();
	for (i = store.loaded.count; i && !ret; i--)
		ret = append(all, store.loaded.list[i - 1]);
	if (!store.next_check)
		__atomic_store_n(&store.next_check, now_ns() + CHECK_NS, __ATOMIC_RELAXED);
	if (!ret)
		ret = etw_installed_each(take, all);
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
