// SPDX-License-Identifier: MIT
/*
 * maps.c - WEVT_TEMPLATE: value maps, bit maps, pattern maps
 *
 * According to libfwevt, older files have one offset less, as the first map follows the
 * offsets, and maps without flags. Both can be detected from the data.
 */
#include <string.h>

#include "read.h"

#define OLD_MAP_SIZE	16

static bool is_map(const uint8_t *p)
{
	return !memcmp(p, "VMAP", 4) || !memcmp(p, "BMAP", 4);
}

static void read_entries(struct etw_wevt_reader *r, struct etw_mf_map *map, uint32_t offset,
			 uint32_t count)
{
	const uint8_t *p = etw_wevt_entries(r, offset, count, ETW_WEVT_MAP_ENTRY_SIZE);
	struct etw_mf_map_entry *entries = p ? etw_wevt_alloc(r, count, sizeof(*entries)) : NULL;
	uint32_t i;

	if (!entries)
		return;
	map->entries = entries;
	map->count = count;
	for (i = 0; i < count; i++, p += ETW_WEVT_MAP_ENTRY_SIZE) {
		entries[i].value = etw_wevt_u32(p);
		entries[i].message = etw_wevt_message_of(r, etw_wevt_u32(p + 4));
	}
}

static void read_map(struct etw_wevt_reader *r, struct etw_mf_map *map, uint32_t offset)
{
	const uint8_t *p = etw_wevt_entries(r, offset, 1, OLD_MAP_SIZE);
	uint32_t length, old, count;

	if (!p)
		return;
	if (!is_map(p)) {
		etw_wevt_bad(r, "offset 0x%x: no map of signature VMAP or BMAP", offset);
		return;
	}
	length = etw_wevt_u32(p + 4);
	old = etw_wevt_u32(p + 12);
	map->kind = *p == 'B' ? ETW_MAP_BITS : ETW_MAP_VALUE;
	map->name = etw_wevt_name_at(r, etw_wevt_u32(p + 8));
	map->symbol = map->name;
	if (old > 1 && length == OLD_MAP_SIZE + (uint64_t)old * ETW_WEVT_MAP_ENTRY_SIZE) {
		read_entries(r, map, offset + OLD_MAP_SIZE, old);
		return;
	}
	p = etw_wevt_bytes(r, offset, ETW_WEVT_MAP_SIZE);
	count = p ? etw_wevt_u32(p + 16) : 0;
	if (p)
		read_entries(r, map, offset + ETW_WEVT_MAP_SIZE, count);
}

static void read_pattern(struct etw_wevt_reader *r, struct etw_mf_map *map, uint32_t offset)
{
	const uint8_t *p = etw_wevt_entries(r, offset, 1, ETW_WEVT_MAP_SIZE);
	struct etw_mf_map_entry *entries;
	uint32_t count, i;

	if (!p)
		return;
	if (memcmp(p, "QUER", 4)) {
		etw_wevt_bad(r, "offset 0x%x: no pattern map of signature QUER", offset);
		return;
	}
	map->kind = ETW_MAP_PATTERN;
	map->name = etw_wevt_name_at(r, etw_wevt_u32(p + 8));
	map->symbol = map->name;
	map->format = etw_wevt_name_at(r, etw_wevt_u32(p + 12));
	count = etw_wevt_u32(p + 16);
	p = etw_wevt_entries(r, offset + ETW_WEVT_MAP_SIZE, count, ETW_WEVT_MAP_ENTRY_SIZE);
	entries = p ? etw_wevt_alloc(r, count, sizeof(*entries)) : NULL;
	if (!entries)
		return;
	map->entries = entries;
	map->count = count;
	for (i = 0; i < count && !r->error; i++, p += ETW_WEVT_MAP_ENTRY_SIZE) {
		entries[i].name = etw_wevt_name_at(r, etw_wevt_u32(p));
		entries[i].text = etw_wevt_name_at(r, etw_wevt_u32(p + 4));
	}
}

/* The number of offsets: one per map, or one less. */
static uint32_t count_offsets(struct etw_wevt_reader *r, const uint8_t *offsets, uint32_t maps)
{
	size_t last = offsets - r->data + 4 * ((size_t)maps - 1);

	return maps && last + 4 <= r->size && is_map(r->data + last) ? maps - 1 : maps;
}

void etw_wevt_read_maps(struct etw_wevt_reader *r)
{
	uint32_t count, patterns, i, n, at;
	const uint8_t *p = etw_wevt_list(r, ETW_WEVT_MAPS, 12, 4, &count);
	const uint8_t *q = etw_wevt_list(r, ETW_WEVT_PATTERNS, 12, 4, &patterns);
	struct etw_mf_map *maps = etw_wevt_alloc(r, (size_t)count + patterns, sizeof(*maps));

	if (!maps)
		return;
	r->provider->maps = maps;
	r->provider->map_count = count + patterns;
	n = p ? count_offsets(r, p, count) : 0;
	for (i = 0; i < count && !r->error; i++) {
		if (n == count)
			at = etw_wevt_u32(p + 4 * i);
		else
			at = i ? etw_wevt_u32(p + 4 * (i - 1)) : p - r->data + 4 * n;
		read_map(r, &maps[i], at);
		etw_wevt_define(r, ETW_WEVT_MAPS, at, &maps[i]);
	}
	for (i = 0; i < patterns && !r->error; i++)
		read_pattern(r, &maps[count + i], etw_wevt_u32(q + 4 * i));
}
