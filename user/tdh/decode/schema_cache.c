/* SPDX-License-Identifier: MIT */
/*
 * schema_cache.c - a decoder's plans, by the events' own identification
 *
 * A full cache is emptied: plans still in use are soon built again, and a program that
 * keeps inventing new kinds of events cannot use more memory.
 */
#include <stdlib.h>
#include <string.h>

#include "decoder.h"

#define PLANS_MAX	16384
#define BYTES_MAX	(16u << 20)

/* Compare by words, like the stores that wrote the key: memcmp() would wait for them. */
static inline bool has_key(const struct etw_schema_plan *plan, const void *key, size_t size)
{
	const uint8_t *a = plan->key, *b = key;
	uint64_t x, y;

	if (plan->key_size != size)
		return false;
	for (; size >= 8; a += 8, b += 8, size -= 8) {
		memcpy(&x, a, 8);
		memcpy(&y, b, 8);
		if (x != y)
			return false;
	}
	for (; size; size--)
		if (*a++ != *b++)
			return false;
	return true;
}

struct key {
	const void *data;
	size_t size;
};

static bool matches(const void *entry, const void *key)
{
	const struct key *k = key;

	return has_key(entry, k->data, k->size);
}

struct etw_schema_plan *etw_schema_cache_find(struct etw_schema_cache *plans, const void *key, size_t size)
{
	const struct key k = { key, size };
	struct etw_schema_plan *plan;

	if (plans->last && has_key(plans->last, key, size))
		return plans->last;
	plan = etw_table_find(&plans->table, etw_hash(0, key, size), matches, &k);
	if (plan)
		plans->last = plan;
	return plan;
}

void etw_plan_free(struct etw_schema_plan *plan)
{
	etw_manifest_put(plan->manifest);
	free(plan->labels);
	free(plan);
}

static void free_plan(void *plan)
{
	etw_plan_free(plan);
}

void etw_schema_cache_clear(struct etw_schema_cache *plans)
{
	etw_table_clear(&plans->table, free_plan);
	*plans = (struct etw_schema_cache){ .most = plans->most, .emptied = true };
}

void etw_decoder_hold(struct etw_decoder *d, size_t bytes)
{
	d->manifests.most = d->tracelogging.most = d->classic.most = bytes;
}

struct etw_schema_plan *etw_schema_cache_put(struct etw_schema_cache *plans,
					     struct etw_schema_plan *plan)
{
	if (plans->table.count >= PLANS_MAX ||
	    plans->bytes + plan->bytes > (plans->most ? plans->most : BYTES_MAX))
		etw_schema_cache_clear(plans);
	if (etw_table_add(&plans->table, etw_hash(0, plan->key, plan->key_size), plan)) {
		etw_plan_free(plan);
		return NULL;
	}
	plans->bytes += plan->bytes;
	return plan;
}

const char *etw_label(const struct etw_manifest *manifest,
		      const struct etw_mf_message *message, const char *name)
{
	const char *text = etw_mf_text(manifest, message);

	if (text && *text)
		return text;
	return strncmp(name, "win:", 4) ? name : name + 4;
}

static void set_maps(struct etw_schema_plan *plan, struct etw_field_map *maps,
		     const struct etw_manifest *manifest)
{
	const struct etw_mf_template *template = plan->template;
	unsigned int i;

	for (i = 0; i < template->count; i++) {
		if (!template->fields[i].map)
			continue;
		*maps = (struct etw_field_map){ template->fields[i].map, manifest };
		plan->steps[i].map = maps++;
	}
}

static unsigned int count_maps(const struct etw_mf_template *template)
{
	unsigned int i, n = 0;

	for (i = 0; template && i < template->count; i++)
		n += template->fields[i].map != NULL;
	return n;
}

struct etw_schema_plan *etw_plan_of_event(const struct etw_mf_event *event,
				   const struct etw_mf_provider *provider,
				   const void *key, size_t key_size)
{
	const struct etw_mf_template *template = event ? event->template : NULL;
	/* Readers see to top <= count. */
	size_t count = template ? template->count : 0;
	size_t size = sizeof(struct etw_schema_plan) + count * sizeof(struct etw_field_step) +
		count_maps(template) * sizeof(struct etw_field_map) + key_size;
	struct etw_schema_plan *plan = calloc(1, size);
	struct etw_field_map *maps;
	uint8_t *own_key;

	if (!plan)
		return NULL;
	plan->steps = (struct etw_field_step *)(plan + 1);
	maps = (struct etw_field_map *)(plan->steps + count);
	own_key = (uint8_t *)(maps + count_maps(template));
	memcpy(own_key, key, key_size);
	plan->key = own_key;
	plan->key_size = key_size;
	plan->bytes = size;
	plan->source = ETW_DECODE_MANIFEST;
	plan->provider = provider;
	plan->event = event;
	plan->template = template;
	if (event) {
		plan->event_name = event->name;
		plan->message = etw_mf_text(provider ? provider->manifest : NULL, event->message);
	}
	if (!template)
		return plan;
	if (etw_plan_finish(plan)) {
		etw_plan_free(plan);
		return NULL;
	}
	set_maps(plan, maps, provider ? provider->manifest : NULL);
	return plan;
}

const char *etw_field_map_name(const struct etw_field_map *map, ULONG value)
{
	const struct etw_mf_map_entry *entry;
	const char *text;

	if (!map)
		return NULL;
	entry = etw_mf_map_find(map->map, value);
	if (!entry)
		return NULL;
	text = etw_mf_text(map->manifest, entry->message);
	if (text)
		return text;
	return entry->name ? entry->name : entry->symbol;
}

int etw_field_map_is_bits(const struct etw_field_map *map)
{
	return map && map->map->kind == ETW_MAP_BITS;
}
