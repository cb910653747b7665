/* SPDX-License-Identifier: MIT */
/*
 * filter.c - the filters that a provider accepts: TdhEnumerateProviderFilters()
 */
#include <stdlib.h>
#include <string.h>

#include "tdh/model/names.h"
#include "tdh/store/store.h"
#include "use.h"

/* The filters of all manifests, each value and version once */
struct building {
	struct filter {
		const struct etw_mf_provider *provider;
		const struct etw_mf_filter *filter;
		struct etw_epi_plan plan;
	} *filters;
	unsigned int count;
};

/* One block within the block: its offsets count from its own start. */
static size_t put_filter(struct etw_block *block, const struct etw_mf_provider *provider,
			 const struct etw_mf_filter *filter, const struct etw_epi_plan *plan)
{
	const size_t head = offsetof(PROVIDER_FILTER_INFO, EventPropertyInfoArray);
	PROVIDER_FILTER_INFO info;
	size_t at;

	memset(&info, 0, sizeof(info));
	at = etw_block_reserve(block, head + (plan->count ? plan->count : 1) *
			       sizeof(EVENT_PROPERTY_INFO));
	block->origin = at;
	info.Id = filter->value;
	info.Version = filter->version;
	info.PropertyCount = plan->count;
	info.MessageOffset = etw_block_string(block, etw_mf_text(provider->manifest,
								 filter->message));
	etw_block_put(block, at, &info, head);
	etw_epi_put(block, at + head, plan);
	block->origin = 0;
	return at;
}

static void build(struct etw_block *block, void *context)
{
	const struct building *b = context;
	const struct filter *f;
	unsigned int i;
	size_t list, at;
	void *address;

	list = etw_block_reserve(block, b->count * sizeof(address));
	for (i = 0; i < b->count; i++) {
		f = &b->filters[i];
		at = put_filter(block, f->provider, f->filter, &f->plan);
		address = block->base ? block->base + at : NULL;
		etw_block_put(block, list + i * sizeof(address), &address, sizeof(address));
	}
}

/* Values and versions have 8 bits each: at most 65,536 filters are kept. */
static bool collect(struct building *b, const struct etw_providers *all)
{
	struct etw_names seen = { .no_memory = false };
	unsigned int i, j, room = 1;

	for (i = 0; i < all->count; i++)
		room += all->list[i]->filter_count;
	b->filters = calloc(room, sizeof(*b->filters));
	for (i = 0; b->filters && i < all->count; i++) {
		for (j = 0; j < all->list[i]->filter_count; j++) {
			const struct etw_mf_filter *f = &all->list[i]->filters[j];

			if (!etw_names_add(&seen, b, NULL, f->version << 8 | f->value, f) &&
			    !seen.no_memory)
				b->filters[b->count++] = (struct filter){ .provider = all->list[i],
									  .filter = f };
		}
	}
	etw_names_clear(&seen);
	return b->filters && !seen.no_memory;
}

static ULONG make(struct building *b, void *buffer, ULONG *size)
{
	ULONG ret = ERROR_SUCCESS;
	unsigned int i;

	for (i = 0; i < b->count && !ret; i++)
		if (etw_epi_plan(&b->filters[i].plan, b->filters[i].filter->template, 8))
			ret = ERROR_NOT_ENOUGH_MEMORY;
	if (!ret)
		ret = etw_block_make(build, b, buffer, size);
	for (i = 0; i < b->count; i++)
		etw_epi_free(&b->filters[i].plan);
	return ret;
}

TDHSTATUS TdhEnumerateProviderFilters(LPGUID pGuid, ULONG TdhContextCount,
				      PTDH_CONTEXT pTdhContext, ULONG *pFilterCount,
				      PPROVIDER_FILTER_INFO *pBuffer, ULONG *pBufferSize)
{
	struct building b = { .count = 0 };
	struct etw_providers all;
	ULONG ret = ERROR_NOT_FOUND;

	(void)TdhContextCount;
	(void)pTdhContext;
	if (!pGuid || !pFilterCount || !pBufferSize || (*pBufferSize && !pBuffer))
		return ERROR_INVALID_PARAMETER;
	*pFilterCount = 0;
	if (etw_store_find_all(pGuid, &all))
		return ERROR_NOT_ENOUGH_MEMORY;
	if (!collect(&b, &all))
		ret = ERROR_NOT_ENOUGH_MEMORY;
	else if (b.count)
		ret = make(&b, pBuffer, pBufferSize);
	if (!ret)
		*pFilterCount = b.count;
	free(b.filters);
	etw_providers_free(&all);
	return ret;
}
