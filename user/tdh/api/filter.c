/* SPDX-License-Identifier: MIT */
/*
 * filter.c - the filters that a provider accepts: TdhEnumerateProviderFilters()
 */
#include <stdlib.h>
#include <string.h>

#include "tdh/store/store.h"
#include "use.h"

struct building {
	const struct etw_mf_provider *provider;
	struct etw_epi_plan *plans;	/* for each filter */
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
	const unsigned int count = b->provider->filter_count;
	unsigned int i;
	size_t list, at;
	void *address;

	list = etw_block_reserve(block, count * sizeof(address));
	for (i = 0; i < count; i++) {
		at = put_filter(block, b->provider, &b->provider->filters[i], &b->plans[i]);
		address = block->base ? block->base + at : NULL;
		etw_block_put(block, list + i * sizeof(address), &address, sizeof(address));
	}
}

static ULONG make(const struct etw_mf_provider *provider, void *buffer, ULONG *size)
{
	struct building b = { .provider = provider };
	ULONG ret = ERROR_SUCCESS;
	unsigned int i;

	b.plans = calloc(provider->filter_count, sizeof(*b.plans));
	if (!b.plans)
		return ERROR_NOT_ENOUGH_MEMORY;
	for (i = 0; i < provider->filter_count && !ret; i++)
		if (etw_epi_plan(&b.plans[i], provider->filters[i].template, 8))
			ret = ERROR_NOT_ENOUGH_MEMORY;
	if (!ret)
		ret = etw_block_make(build, &b, buffer, size);
	for (i = 0; i < provider->filter_count; i++)
		etw_epi_free(&b.plans[i]);
	free(b.plans);
	return ret;
}

TDHSTATUS TdhEnumerateProviderFilters(LPGUID pGuid, ULONG TdhContextCount,
				      PTDH_CONTEXT pTdhContext, ULONG *pFilterCount,
				      PPROVIDER_FILTER_INFO *pBuffer, ULONG *pBufferSize)
{
	const struct etw_mf_provider *provider;
	struct etw_manifest *manifest;
	ULONG ret = ERROR_NOT_FOUND;

	(void)TdhContextCount;
	(void)pTdhContext;
	if (!pGuid || !pFilterCount || !pBufferSize || (*pBufferSize && !pBuffer))
		return ERROR_INVALID_PARAMETER;
	*pFilterCount = 0;
	provider = etw_store_find(pGuid, &manifest);
	if (!provider)
		return ERROR_NOT_FOUND;
	if (provider->filter_count)
		ret = make(provider, pBuffer, pBufferSize);
	if (!ret)
		*pFilterCount = provider->filter_count;
	etw_manifest_put(manifest);
	return ret;
}
