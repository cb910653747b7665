/* SPDX-License-Identifier: MIT */
/*
 * map.c - the names of a field's values: TdhGetEventMapInformation()
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "use.h"

struct building {
	const struct etw_mf_map *map;
	const struct etw_manifest *manifest;
	bool classic;
};

static MAP_FLAGS flag_of(const struct building *b)
{
	switch (b->map->kind) {
	case ETW_MAP_BITS:
		return b->classic ? EVENTMAP_INFO_FLAG_WBEM_BITMAP :
				    EVENTMAP_INFO_FLAG_MANIFEST_BITMAP;
	case ETW_MAP_PATTERN:
		return EVENTMAP_INFO_FLAG_MANIFEST_PATTERNMAP;
	default:
		return b->classic ? EVENTMAP_INFO_FLAG_WBEM_VALUEMAP :
				    EVENTMAP_INFO_FLAG_MANIFEST_VALUEMAP;
	}
}

static const char *output_of(const struct building *b, const struct etw_mf_map_entry *entry)
{
	const char *text = b->map->kind == ETW_MAP_PATTERN ? entry->text :
			   etw_mf_text(b->manifest, entry->message);

	return text ? text : "";
}

static void build(struct etw_block *block, void *context)
{
	const size_t head = offsetof(EVENT_MAP_INFO, MapEntryArray);
	const struct building *b = context;
	const struct etw_mf_map *map = b->map;
	EVENT_MAP_INFO info;
	EVENT_MAP_ENTRY entry;
	unsigned int i;
	size_t at;

	memset(&info, 0, sizeof(info));
	at = etw_block_reserve(block, head + (map->count ? map->count : 1) * sizeof(entry));
	info.NameOffset = etw_block_string(block, map->name);
	info.Flag = flag_of(b);
	info.EntryCount = map->count;
	info.MapEntryValueType = EVENTMAP_ENTRY_VALUETYPE_ULONG;
	if (map->kind == ETW_MAP_PATTERN)
		info.FormatStringOffset = etw_block_string(block, map->format);
	etw_block_put(block, at, &info, head);
	for (i = 0; i < map->count; i++) {
		memset(&entry, 0, sizeof(entry));
		entry.Value = map->entries[i].value;
		if (map->kind == ETW_MAP_PATTERN)
			entry.InputOffset = etw_block_string(block, map->entries[i].name);
		entry.OutputOffset = etw_block_strings(block, output_of(b, &map->entries[i]), " ");
		etw_block_put(block, at + head + i * sizeof(entry), &entry, sizeof(entry));
	}
}

/* Find the provider's map, or, without a provider, one of the event's fields */
static const struct etw_mf_map *find(const struct etw_schema_plan *plan, const char *name)
{
	const struct etw_mf_template *fields = plan->template;
	const struct etw_mf_provider *provider = plan->provider;
	unsigned int i;

	for (i = 0; provider && i < provider->map_count; i++)
		if (!strcmp(provider->maps[i].name, name))
			return &provider->maps[i];
	for (i = 0; fields && i < fields->count; i++)
		if (fields->fields[i].map && !strcmp(fields->fields[i].map->name, name))
			return fields->fields[i].map;
	return NULL;
}

TDHSTATUS TdhGetEventMapInformation(PEVENT_RECORD pEvent, PWSTR pMapName,
				    PEVENT_MAP_INFO pBuffer, ULONG *pBufferSize)
{
	struct building b = { .map = NULL };
	struct etw_use use;
	char *name;
	ULONG ret;
	int err;

	if (!pMapName || !pBufferSize || (*pBufferSize && !pBuffer))
		return ERROR_INVALID_PARAMETER;
	ret = etw_use_begin(&use, pEvent, 0, NULL);
	if (ret)
		return ret;
	name = etw_tdh_utf8(pMapName, &err);
	ret = err == -EINVAL ? ERROR_NOT_FOUND : etw_tdh_error(err);
	if (name)
		b.map = find(use.plan, name);
	free(name);
	if (!ret && !b.map)
		ret = ERROR_NOT_FOUND;
	if (!ret) {
		b.manifest = use.plan->provider ? use.plan->provider->manifest :
						  use.plan->manifest;
		b.classic = use.event->source == ETW_DECODE_CLASSIC;
		ret = etw_block_make(build, &b, pBuffer, pBufferSize);
	}
	etw_use_end(&use);
	return ret;
}
