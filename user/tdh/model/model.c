/* SPDX-License-Identifier: MIT */
/*
 * model.c - a manifest in memory: its arena, its references, its indexes, its languages
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define CHUNK_LEAST	4096u
#define CHUNK_MOST	(256u * 1024)
#define ALIGNMENT	16u

/*
 * Memory is taken from the last chunk: aligned data from its front, strings from its
 * back. An allocation too large for that has a chunk of its own.
 */
struct chunk {
	struct chunk *next;
	size_t front, back;	/* the free part lies between */
	_Alignas(ALIGNMENT) unsigned char data[];
};

struct etw_arena {
	struct chunk *chunks;	/* the current one first */
	size_t size;		/* of the next chunk */
};

static struct chunk *chunk_add(struct etw_arena *arena, size_t least)
{
	size_t size = arena->size;
	struct chunk *chunk;
	bool own = least > size / 4;

	if (own)
		size = least;
	if (size > SIZE_MAX - sizeof(*chunk))
		return NULL;
	chunk = calloc(1, sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	chunk->back = size;
	if (own && arena->chunks) {
		chunk->next = arena->chunks->next;
		arena->chunks->next = chunk;
		return chunk;
	}
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	if (arena->size < CHUNK_MOST)
		arena->size *= 2;
	return chunk;
}

static struct chunk *chunk_with(struct etw_arena *arena, size_t size)
{
	struct chunk *chunk = arena->chunks;

	if (chunk && chunk->back - chunk->front >= size)
		return chunk;
	return chunk_add(arena, size);
}

void *etw_manifest_alloc(struct etw_manifest *manifest, size_t size)
{
	struct chunk *chunk;
	void *p;

	if (size > SIZE_MAX - ALIGNMENT)
		return NULL;
	size = size ? (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
	chunk = chunk_with(manifest->arena, size);
	if (!chunk)
		return NULL;
	p = chunk->data + chunk->front;
	chunk->front += size;
	return p;
}

char *etw_manifest_strdup(struct etw_manifest *manifest, const char *s, size_t len)
{
	struct chunk *chunk;
	char *p;

	if (len == SIZE_MAX)
		return NULL;
	chunk = chunk_with(manifest->arena, len + 1);
	if (!chunk)
		return NULL;
	chunk->back -= len + 1;
	p = (char *)chunk->data + chunk->back;
	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

struct etw_manifest *etw_manifest_new(const char *file)
{
	struct etw_manifest *manifest = calloc(1, sizeof(*manifest));

	if (!manifest)
		return NULL;
	manifest->references = 1;
	manifest->arena = calloc(1, sizeof(*manifest->arena));
	if (manifest->arena) {
		manifest->arena->size = CHUNK_LEAST;
		manifest->file = etw_manifest_strdup(manifest, file, strlen(file));
	}
	if (!manifest->file) {
		etw_manifest_put(manifest);
		return NULL;
	}
	return manifest;
}

struct etw_manifest *etw_manifest_get(struct etw_manifest *manifest)
{
	__atomic_add_fetch(&manifest->references, 1, __ATOMIC_RELAXED);
	return manifest;
}

void etw_manifest_put(struct etw_manifest *manifest)
{
	struct chunk *chunk, *next;
	unsigned int i;

	if (!manifest || __atomic_sub_fetch(&manifest->references, 1, __ATOMIC_ACQ_REL))
		return;
	for (i = 0; i < manifest->provider_count; i++)
		etw_table_clear((struct etw_table *)&manifest->providers[i].events_by_id, NULL);
	for (chunk = manifest->arena ? manifest->arena->chunks : NULL; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(manifest->arena);
	free(manifest);
}

static uint64_t hash_of(uint16_t id, uint8_t version)
{
	return etw_hash_number(etw_hash_seed(), (uint32_t)version << 16 | id);
}

static bool has_id(const void *entry, const void *key)
{
	const EVENT_DESCRIPTOR *have = &((const struct etw_mf_event *)entry)->desc, *want = key;

	return have->Id == want->Id && have->Version == want->Version;
}

const struct etw_mf_event *etw_mf_event_find(const struct etw_mf_provider *provider,
					     uint16_t id, uint8_t version)
{
	return etw_table_find(&provider->events_by_id, hash_of(id, version), has_id,
			      &(EVENT_DESCRIPTOR){ .Id = id, .Version = version });
}

const struct etw_mf_event *etw_providers_event(const struct etw_providers *providers, uint16_t id,
					       uint8_t version,
					       const struct etw_mf_provider **provider)
{
	const struct etw_mf_event *event;
	unsigned int i;

	for (i = 0; i < providers->count; i++) {
		event = etw_mf_event_find(providers->list[i], id, version);
		if (!event)
			continue;
		if (provider)
			*provider = providers->list[i];
		return event;
	}
	return NULL;
}

/* If events share id and version, the lookup finds the first. */
static int index_events(struct etw_mf_provider *provider)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < provider->event_count && !err; i++) {
		const struct etw_mf_event *event = &provider->events[i];

		if (!etw_mf_event_find(provider, event->desc.Id, event->desc.Version))
			err = etw_table_add(&provider->events_by_id,
					    hash_of(event->desc.Id, event->desc.Version),
					    (void *)event);
	}
	return err;
}

int etw_mf_compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sort each value with its index, so that equal ones keep their order. */
static int index_map(struct etw_manifest *manifest, struct etw_mf_map *map)
{
	uint64_t *order;
	uint32_t *by_value;
	unsigned int i, n = 0;

	if (!map->count || map->kind == ETW_MAP_PATTERN)
		return 0;
	by_value = etw_manifest_alloc(manifest, (size_t)map->count * sizeof(*by_value));
	order = malloc((size_t)map->count * sizeof(*order));
	if (!by_value || !order) {
		free(order);
		return -ENOMEM;
	}
	for (i = 0; i < map->count; i++)
		order[i] = (uint64_t)map->entries[i].value << 32 | i;
	qsort(order, map->count, sizeof(*order), etw_mf_compare_u64);
	for (i = 0; i < map->count; i++)
		if (!i || order[i] >> 32 != order[i - 1] >> 32)
			by_value[n++] = (uint32_t)order[i];
	free(order);
	map->by_value = by_value;
	map->by_value_count = n;
	return 0;
}

const struct etw_mf_map_entry *etw_mf_map_find(const struct etw_mf_map *map, uint32_t value)
{
	unsigned int low = 0, high = map->by_value_count;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;
		const struct etw_mf_map_entry *entry = &map->entries[map->by_value[middle]];

		if (entry->value == value)
			return entry;
		if (entry->value < value)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* --------------------------------------------------------------------- languages */

/* The user's locale, as setlocale() would take it from the environment */
static const char *user_locale(void)
{
	static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return value;
	}
	return "";
}

static bool is_end(char c)
{
	return !c || c == '.' || c == '@';
}

static char lower(char c)
{
	if (c == '_')
		return '-';
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/*
 * How well a culture ("de-AT") matches a locale ("de_AT.UTF-8"): 2 equal, 1 the same
 * language, 0 not at all.
 */
static unsigned int fits(const char *culture, const char *locale)
{
	size_t i = 0;

	while (!is_end(locale[i]) && lower(culture[i]) == lower(locale[i]))
		i++;
	if (is_end(locale[i]) && !culture[i])
		return 2;
	/* They differ: after the end of both languages? */
	if (!i)
		return 0;
	if ((!culture[i] || culture[i] == '-') && (is_end(locale[i]) || lower(locale[i]) == '-'))
		return 1;
	return memchr(culture, '-', i) ? 1 : 0;
}

/* Higher is better. */
static unsigned int rank(const char *culture, const char *locale)
{
	return fits(culture, locale) * 3 + fits(culture, "en-US");
}

static int order_cultures(struct etw_manifest *manifest)
{
	const char *locale = user_locale();
	unsigned int *order;
	unsigned int i, j;

	if (!manifest->culture_count)
		return 0;
	order = etw_manifest_alloc(manifest, manifest->culture_count * sizeof(*order));
	if (!order)
		return -ENOMEM;
	for (i = 0; i < manifest->culture_count; i++) {
		unsigned int mine = rank(manifest->cultures[i], locale);

		for (j = i; j > 0 && rank(manifest->cultures[order[j - 1]], locale) < mine; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
	manifest->culture_order = order;
	return 0;
}

const char *etw_mf_text(const struct etw_manifest *manifest,
			const struct etw_mf_message *message)
{
	unsigned int i;

	if (!message)
		return NULL;
	if (!message->id || message->standard)
		return message->text[0];
	for (i = 0; i < manifest->culture_count; i++) {
		unsigned int culture = manifest->culture_order ? manifest->culture_order[i] : i;

		if (message->text[culture])
			return message->text[culture];
	}
	return NULL;
}

/* ----------------------------------------------------------------------- finishing */

int etw_manifest_finish(struct etw_manifest *manifest)
{
	unsigned int i, j;
	int err = order_cultures(manifest);

	for (i = 0; i < manifest->provider_count && !err; i++) {
		/* The manifest is not shared yet. */
		struct etw_mf_provider *provider =
			(struct etw_mf_provider *)&manifest->providers[i];

		provider->manifest = manifest;
		provider->index = i;
		err = index_events(provider);
		for (j = 0; j < provider->map_count && !err; j++)
			err = index_map(manifest, (struct etw_mf_map *)&provider->maps[j]);
	}
	return err;
}
