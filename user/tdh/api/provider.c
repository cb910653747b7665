/* SPDX-License-Identifier: MIT */
/*
 * provider.c - the known providers, and their events
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tdh/kernel_logger/kernel_logger.h"
#include "tdh/store/store.h"
#include "use.h"
#include "base/bytes.h"

struct listed {
	GUID guid;
	const char *name;
	ULONG source;		/* TRACE_PROVIDER_INFO.SchemaSource */
	size_t rank;		/* the provider with the lowest rank decodes */
};

struct list {
	struct listed *items;
	size_t count;
};

static int by_guid(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int ret = memcmp(&x->guid, &y->guid, sizeof(x->guid));

	return ret ? ret : (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_name(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int ret = strcasecmp(x->name, y->name);

	return ret ? ret : by_guid(a, b);
}

/* Keep only the first provider of each GUID. */
static void sort(struct list *list)
{
	size_t i, kept = 0;

	if (!list->count)
		return;
	qsort(list->items, list->count, sizeof(*list->items), by_guid);
	for (i = 0; i < list->count; i++)
		if (!kept || memcmp(&list->items[kept - 1].guid, &list->items[i].guid,
				    sizeof(GUID)))
			list->items[kept++] = list->items[i];
	list->count = kept;
	qsort(list->items, list->count, sizeof(*list->items), by_name);
}

/* Add the provider of the built-in classic events, which all have the same one. */
static void add_classic(struct list *list)
{
	const struct etw_mf_provider *provider;

	if (etw_classic_find(&EventTraceGuid, EVENT_TRACE_TYPE_INFO, 0, &provider))
		list->items[list->count++] = (struct listed){
			provider->guid, provider->name, 1, SIZE_MAX };
}

static ULONG fill(struct list *list, const struct etw_store_list *all, bool manifests,
		  bool classic)
{
	const struct etw_mf_provider *provider;
	size_t i, room = 1;
	unsigned int j;

	memset(list, 0, sizeof(*list));
	for (i = 0; i < all->count; i++)
		room += all->list[i]->provider_count;
	list->items = calloc(room, sizeof(*list->items));
	if (!list->items)
		return ERROR_NOT_ENOUGH_MEMORY;
	for (i = 0; manifests && i < all->count; i++) {
		for (j = 0; j < all->list[i]->provider_count; j++) {
			provider = &all->list[i]->providers[j];
			list->items[list->count++] = (struct listed){
				provider->guid, provider->name, 0, i };
		}
	}
	if (classic)
		add_classic(list);
	sort(list);
	return ERROR_SUCCESS;
}

static void build_list(struct etw_block *block, void *context)
{
	const size_t head = offsetof(PROVIDER_ENUMERATION_INFO, TraceProviderInfoArray);
	const struct list *list = context;
	PROVIDER_ENUMERATION_INFO info;
	TRACE_PROVIDER_INFO one;
	size_t at, i;

	memset(&info, 0, sizeof(info));
	info.NumberOfProviders = (ULONG)list->count;
	at = etw_block_reserve(block, head + (list->count ? list->count : 1) * sizeof(one));
	etw_block_put(block, at, &info, head);
	for (i = 0; i < list->count; i++) {
		one.ProviderGuid = list->items[i].guid;
		one.SchemaSource = list->items[i].source;
		one.ProviderNameOffset = etw_block_string(block, list->items[i].name);
		etw_block_put(block, at + head + i * sizeof(one), &one, sizeof(one));
	}
}

static ULONG enumerate(bool manifests, bool classic, void *buffer, ULONG *size)
{
	struct etw_store_list all;
	struct list list;
	ULONG ret;

	if (!size || (*size && !buffer))
		return ERROR_INVALID_PARAMETER;
	if (etw_store_all(&all))
		return ERROR_NOT_ENOUGH_MEMORY;
	ret = fill(&list, &all, manifests, classic);
	if (!ret)
		ret = etw_block_make(build_list, &list, buffer, size);
	free(list.items);
	etw_store_list_free(&all);
	return ret;
}

TDHSTATUS TdhEnumerateProviders(PPROVIDER_ENUMERATION_INFO pBuffer, ULONG *pBufferSize)
{
	return enumerate(true, true, pBuffer, pBufferSize);
}

TDHSTATUS TdhEnumerateProvidersForDecodingSource(DECODING_SOURCE filter,
						 PROVIDER_ENUMERATION_INFO *buffer,
						 ULONG bufferSize, ULONG *bufferRequired)
{
	ULONG ret;

	if (!bufferRequired || (unsigned int)filter >= DecodingSourceMax)
		return ERROR_INVALID_PARAMETER;
	ret = enumerate(filter == DecodingSourceXMLFile, filter == DecodingSourceWbem, buffer,
			&bufferSize);
	*bufferRequired = bufferSize;
	return ret;
}

/* --------------------------------------------------------------------- events */

static void build_events(struct etw_block *block, void *context)
{
	const size_t head = offsetof(PROVIDER_EVENT_INFO, EventDescriptorsArray);
	const struct etw_bytes *events = context;
	PROVIDER_EVENT_INFO info;
	size_t at;

	memset(&info, 0, sizeof(info));
	info.NumberOfEvents = (ULONG)(events->len / sizeof(EVENT_DESCRIPTOR));
	at = etw_block_reserve(block, head + events->len);
	etw_block_put(block, at, &info, head);
	etw_block_put(block, at + head, events->data, events->len);
}

/* The events of all manifests, each id and version once */
static void collect_events(const struct etw_providers *all, struct etw_bytes *events)
{
	unsigned int i, j;

	for (i = 0; i < all->count; i++) {
		for (j = 0; j < all->list[i]->event_count; j++) {
			const struct etw_mf_event *e = &all->list[i]->events[j];

			if (etw_providers_event(all, e->desc.Id, e->desc.Version, NULL) == e)
				etw_bytes_put(events, &e->desc, sizeof(e->desc));
		}
	}
}

TDHSTATUS TdhEnumerateManifestProviderEvents(LPGUID ProviderGuid, PPROVIDER_EVENT_INFO Buffer,
					     ULONG *BufferSize)
{
	struct etw_bytes events = { .data = NULL };
	struct etw_providers all;
	ULONG ret = ERROR_EMPTY;

	if (!ProviderGuid || !BufferSize || (*BufferSize && !Buffer))
		return ERROR_INVALID_PARAMETER;
	if (etw_store_find_all(ProviderGuid, &all))
		return ERROR_NOT_ENOUGH_MEMORY;
	collect_events(&all, &events);
	if (!all.count)
		ret = ERROR_FILE_NOT_FOUND;
	else if (events.error)
		ret = ERROR_NOT_ENOUGH_MEMORY;
	else if (events.len)
		ret = etw_block_make(build_events, &events, Buffer, BufferSize);
	etw_bytes_free(&events);
	etw_providers_free(&all);
	return ret;
}
