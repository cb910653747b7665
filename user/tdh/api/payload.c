/* SPDX-License-Identifier: MIT */
/*
 * payload.c - payload filters with a manifest's names: TdhCreatePayloadFilter()
 */
#include <stdlib.h>
#include <string.h>

#include "tdh/store/store.h"
#include "tdh/model/payload_layout.h"
#include "use.h"

static ULONG create(const GUID *guid, const EVENT_DESCRIPTOR *desc, bool any,
		    const struct etw_payload_predicate *predicates, ULONG count, void **filter)
{
	const struct etw_mf_provider *provider;
	struct etw_payload_layout layout;
	const struct etw_mf_event *event;
	struct etw_manifest *manifest;
	ULONG ret = ERROR_NOT_FOUND;

	provider = etw_store_find_event(guid, desc->Id, desc->Version, &event, &manifest);
	if (!provider)
		return ERROR_FILE_NOT_FOUND;
	if (event) {
		ret = etw_tdh_error(etw_payload_layout_of(event, &layout));
		if (!ret) {
			ret = etw_payload_create(&layout, any, predicates, count, filter, NULL);
			etw_payload_layout_free(&layout);
		}
	}
	etw_manifest_put(manifest);
	return ret;
}

static bool arguments_ok(LPCGUID guid, PCEVENT_DESCRIPTOR desc, ULONG count,
			 const void *predicates, PVOID *filter)
{
	if (filter)
		*filter = NULL;
	return guid && desc && filter && predicates && count && count <= MAX_PAYLOAD_PREDICATES;
}

TDHSTATUS TdhCreatePayloadFilterA(LPCGUID ProviderGuid, PCEVENT_DESCRIPTOR EventDescriptor,
				  BOOLEAN EventMatchANY, ULONG PayloadPredicateCount,
				  PPAYLOAD_FILTER_PREDICATEA PayloadPredicates,
				  PVOID *PayloadFilter)
{
	struct etw_payload_predicate list[MAX_PAYLOAD_PREDICATES];
	ULONG i;

	if (!arguments_ok(ProviderGuid, EventDescriptor, PayloadPredicateCount,
			  PayloadPredicates, PayloadFilter))
		return ERROR_INVALID_PARAMETER;
	for (i = 0; i < PayloadPredicateCount; i++) {
		const PAYLOAD_FILTER_PREDICATEA *from = &PayloadPredicates[i];

		if (!from->FieldName || !from->Value)
			return ERROR_INVALID_PARAMETER;
		list[i] = (struct etw_payload_predicate){ from->FieldName, from->CompareOp,
							  from->Value };
	}
	return create(ProviderGuid, EventDescriptor, EventMatchANY, list,
		      PayloadPredicateCount, PayloadFilter);
}

/* Returns a Win32 code; free the strings of *to in any case. */
static ULONG convert(const PAYLOAD_FILTER_PREDICATE *from, PAYLOAD_FILTER_PREDICATEA *to)
{
	int err;

	if (!from->FieldName || !from->Value)
		return ERROR_INVALID_PARAMETER;
	to->CompareOp = from->CompareOp;
	to->FieldName = etw_tdh_utf8(from->FieldName, &err);
	if (to->FieldName)
		to->Value = etw_tdh_utf8(from->Value, &err);
	return etw_tdh_error(err);
}

TDHSTATUS TdhCreatePayloadFilter(LPCGUID ProviderGuid, PCEVENT_DESCRIPTOR EventDescriptor,
				 BOOLEAN EventMatchANY, ULONG PayloadPredicateCount,
				 PPAYLOAD_FILTER_PREDICATE PayloadPredicates,
				 PVOID *PayloadFilter)
{
	PAYLOAD_FILTER_PREDICATEA list[MAX_PAYLOAD_PREDICATES];
	ULONG ret = ERROR_SUCCESS, i;

	if (!arguments_ok(ProviderGuid, EventDescriptor, PayloadPredicateCount,
			  PayloadPredicates, PayloadFilter))
		return ERROR_INVALID_PARAMETER;
	memset(list, 0, sizeof(list));
	for (i = 0; i < PayloadPredicateCount && !ret; i++)
		ret = convert(&PayloadPredicates[i], &list[i]);
	if (!ret)
		ret = TdhCreatePayloadFilterA(ProviderGuid, EventDescriptor, EventMatchANY,
					      PayloadPredicateCount, list, PayloadFilter);
	for (i = 0; i < PayloadPredicateCount; i++) {
		free((void *)(uintptr_t)list[i].FieldName);
		free((void *)(uintptr_t)list[i].Value);
	}
	return ret;
}

TDHSTATUS TdhDeletePayloadFilter(PVOID *PayloadFilter)
{
	if (!PayloadFilter)
		return ERROR_INVALID_PARAMETER;
	free(*PayloadFilter);
	*PayloadFilter = NULL;
	return ERROR_SUCCESS;
}

TDHSTATUS TdhAggregatePayloadFilters(ULONG PayloadFilterCount, PVOID *PayloadFilterPtrs,
				     PBOOLEAN EventMatchALLFlags,
				     PEVENT_FILTER_DESCRIPTOR EventFilterDescriptor)
{
	void *filter = NULL;
	ULONG ret, size = 0, i;

	if (!EventFilterDescriptor || !PayloadFilterPtrs || !PayloadFilterCount)
		return ERROR_INVALID_PARAMETER;
	for (i = 0; i < PayloadFilterCount; i++)
		if (!PayloadFilterPtrs[i])
			return ERROR_INVALID_PARAMETER;
	ret = etw_payload_aggregate((const void *const *)PayloadFilterPtrs, EventMatchALLFlags,
				    PayloadFilterCount, &filter, &size);
	if (ret)
		return ret;
	EventFilterDescriptor->Ptr = (uintptr_t)filter;
	EventFilterDescriptor->Size = size;
	EventFilterDescriptor->Type = EVENT_FILTER_TYPE_PAYLOAD;
	return ERROR_SUCCESS;
}

TDHSTATUS TdhCleanupPayloadEventFilterDescriptor(PEVENT_FILTER_DESCRIPTOR EventFilterDescriptor)
{
	if (!EventFilterDescriptor)
		return ERROR_INVALID_PARAMETER;
	if (EventFilterDescriptor->Ptr &&
	    EventFilterDescriptor->Type != EVENT_FILTER_TYPE_PAYLOAD)
		return ERROR_INVALID_PARAMETER;
	free((void *)(uintptr_t)EventFilterDescriptor->Ptr);
	memset(EventFilterDescriptor, 0, sizeof(*EventFilterDescriptor));
	return ERROR_SUCCESS;
}
