// SPDX-License-Identifier: MIT
/*
 * wevt_write_maps.c - WEVT_TEMPLATE: value maps, bit maps, pattern maps
 */
#include <errno.h>
#include <stdlib.h>

#include "wevt_write.h"
#include "tdh/wevt/format.h"

unsigned int etw_wevt_count_maps(const struct etw_mf_provider *provider, bool patterns)
{
	unsigned int n = 0, i;

	for (i = 0; i < provider->map_count; i++)
		n += (provider->maps[i].kind == ETW_MAP_PATTERN) == patterns;
	return n;
}

/* Maps of one kind; the caller frees the list.  NULL: out of memory, w->error is set. */
static const struct etw_mf_map **choose(struct etw_wevt_writer *w, bool patterns)
{
	const struct etw_mf_provider *p = w->provider;
	const struct etw_mf_map **maps = calloc(p->map_count, sizeof(*maps));
	unsigned int n = 0, i;

	if (!maps)
		w->error = -ENOMEM;
	for (i = 0; maps && i < p->map_count; i++) {
		if ((p->maps[i].kind == ETW_MAP_PATTERN) == patterns)
			maps[n++] = &p->maps[i];
	}
	return maps;
}

static int by_name(const void *a, const void *b)
{
	const struct etw_mf_map *const *x = a, *const *y = b;
	int order = etw_utf16_order((*x)->name, (*y)->name);

	return order ? order : *x < *y ? -1 : *x > *y;
}

/* Write a map, with its entries by ascending value. */
static void write_map(struct etw_wevt_writer *w, const struct etw_mf_map *map)
{
	struct etw_sorted *sorted = etw_wevt_sorted(w, map->count);
	bool bits = map->kind == ETW_MAP_BITS;
	unsigned int i;

	if (!sorted)
		return;
	for (i = 0; i < map->count; i++)
		sorted[i].key = map->entries[i].value;
	etw_wevt_sort(sorted, map->count);
	etw_bytes_put(w->out, bits ? "BMAP" : "VMAP", 4);
	etw_bytes_put32(w->out, ETW_WEVT_MAP_SIZE + map->count * ETW_WEVT_MAP_ENTRY_SIZE);
	etw_bytes_put32(w->out, etw_wevt_place_of(w, map->name));
	etw_bytes_put32(w->out, bits ? ETW_WEVT_BITS : 0);
	etw_bytes_put32(w->out, map->count);
	for (i = 0; i < map->count; i++) {
		const struct etw_mf_map_entry *entry = &map->entries[sorted[i].index];

		etw_bytes_put32(w->out, entry->value);
		etw_bytes_put32(w->out, etw_wevt_message(w, entry->message));
	}
	free(sorted);
}

/* Maps in manifest order; their offsets and names sorted by name. */
void etw_wevt_maps(struct etw_wevt_writer *w)
{
	unsigned int count = etw_wevt_count_maps(w->provider, false), i;
	const struct etw_mf_map **maps = choose(w, false), **sorted = choose(w, false);
	size_t offsets;

	if (!maps || !sorted)
		goto out;
	qsort(sorted, count, sizeof(*sorted), by_name);
	etw_wevt_list_begin(w, "MAPS", count, 12, 4);
	for (i = 0; i < count; i++)
		w->names_at += ETW_WEVT_MAP_SIZE + maps[i]->count * ETW_WEVT_MAP_ENTRY_SIZE;
	for (i = 0; i < count; i++)
		etw_wevt_place(w, sorted[i]->name, etw_wevt_name(w, sorted[i]->name));
	offsets = w->out->len;
	etw_bytes_zero_to(w->out, offsets + 4 * count);
	for (i = 0; i < count; i++) {
		etw_wevt_place(w, maps[i], etw_wevt_here(w));
		write_map(w, maps[i]);
	}
	for (i = 0; i < count; i++)
		etw_bytes_set32(w->out, offsets + 4 * i, etw_wevt_place_of(w, sorted[i]));
	etw_wevt_list_end(w);
out:
	free(maps);
	free(sorted);
}

/* Like mc.exe's, its length extends to the end of its texts, including maps in between. */
static void write_pattern(struct etw_wevt_writer *w, const struct etw_mf_map *map)
{
	size_t at = w->out->len;
	unsigned int i;

	etw_wevt_place(w, map, etw_wevt_here(w));
	etw_bytes_put(w->out, "QUER", 4);
	etw_bytes_put32(w->out, 0);
	etw_bytes_put32(w->out, etw_wevt_name(w, map->name));
	etw_bytes_put32(w->out, etw_wevt_name(w, map->format ? map->format : ""));
	etw_bytes_put32(w->out, map->count);
	for (i = 0; i < map->count; i++) {
		const struct etw_mf_map_entry *entry = &map->entries[i];

		etw_bytes_put32(w->out, etw_wevt_name(w, entry->name ? entry->name : ""));
		etw_bytes_put32(w->out, etw_wevt_name(w, entry->text ? entry->text : ""));
	}
	etw_bytes_set32(w->out, at + 4, w->names_at + w->names.len - at);
}

void etw_wevt_patterns(struct etw_wevt_writer *w)
{
	unsigned int count = etw_wevt_count_maps(w->provider, true), i;
	const struct etw_mf_map **maps = choose(w, true);
	size_t offsets;

	if (!maps)
		return;
	etw_wevt_list_begin(w, "QTAB", count, 12, 4);
	for (i = 0; i < count; i++)
		w->names_at += ETW_WEVT_MAP_SIZE + maps[i]->count * ETW_WEVT_MAP_ENTRY_SIZE;
	offsets = w->out->len;
	etw_bytes_zero_to(w->out, offsets + 4 * count);
	for (i = 0; i < count; i++)
		write_pattern(w, maps[i]);
	for (i = 0; i < count; i++)
		etw_bytes_set32(w->out, offsets + 4 * i, etw_wevt_place_of(w, maps[i]));
	etw_wevt_list_end(w);
	free(maps);
}
