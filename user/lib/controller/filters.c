/* SPDX-License-Identifier: MIT */
/*
 * filters.c - convert filter descriptors to the kernel's filters
 *
 * Semantics: Microsoft's pages "EVENT_FILTER_DESCRIPTOR structure" and
 * "EVENT_FILTER_EVENT_ID structure".
 */
#include <stdlib.h>
#include <string.h>

#include <etw/abi_filter.h>
#include "filters.h"
#include "base/utf.h"

_Static_assert(sizeof(EVENT_FILTER_DESCRIPTOR) == sizeof(struct etw_filter) &&
	       offsetof(EVENT_FILTER_DESCRIPTOR, Type) ==
	       offsetof(struct etw_filter, type) &&
	       EVENT_FILTER_TYPE_SCHEMATIZED == ETW_FILTER_SCHEMATIZED &&
	       EVENT_FILTER_TYPE_TRACEHANDLE == ETW_FILTER_TRACEHANDLE &&
	       EVENT_FILTER_TYPE_PAYLOAD == ETW_FILTER_PAYLOAD &&
	       MAX_EVENT_FILTER_DATA_SIZE == ETW_FILTER_DATA_MAX &&
	       MAX_EVENT_FILTER_PAYLOAD_SIZE == ETW_PAYLOAD_SIZE_MAX &&
	       EVENT_FILTER_TYPE_PID == ETW_FILTER_PID &&
	       EVENT_FILTER_TYPE_EXECUTABLE_NAME == ETW_FILTER_EXECUTABLE_NAME &&
	       EVENT_FILTER_TYPE_PACKAGE_ID == ETW_FILTER_PACKAGE_ID &&
	       EVENT_FILTER_TYPE_PACKAGE_APP_ID == ETW_FILTER_PACKAGE_APP_ID &&
	       EVENT_FILTER_TYPE_EVENT_ID == ETW_FILTER_EVENT_ID &&
	       EVENT_FILTER_TYPE_EVENT_NAME == ETW_FILTER_EVENT_NAME &&
	       EVENT_FILTER_TYPE_STACKWALK_NAME == ETW_FILTER_STACKWALK_NAME &&
	       EVENT_FILTER_TYPE_STACKWALK == ETW_FILTER_STACKWALK &&
	       EVENT_FILTER_TYPE_STACKWALK_LEVEL_KW == ETW_FILTER_STACKWALK_LEVEL_KW &&
	       EVENT_FILTER_TYPE_CONTAINER == ETW_FILTER_CONTAINER,
	       "the kernel uses the same descriptors and types");
_Static_assert(offsetof(EVENT_FILTER_EVENT_ID, Events) ==
	       offsetof(struct etw_filter_event_id, ids) &&
	       offsetof(EVENT_FILTER_EVENT_NAME, NameCount) ==
	       offsetof(struct etw_filter_event_name, count) &&
	       offsetof(EVENT_FILTER_EVENT_NAME, Names) ==
	       offsetof(struct etw_filter_event_name, names) &&
	       sizeof(EVENT_FILTER_LEVEL_KW) == sizeof(struct etw_filter_level_kw) &&
	       offsetof(EVENT_FILTER_LEVEL_KW, FilterIn) ==
	       offsetof(struct etw_filter_level_kw, in),
	       "these go to the kernel as they are");

enum shape { RESERVED, AS_IT_IS, PIDS, IDS, LEVEL_KW, NAMES, EVENT_NAMES, HEADED, SESSION,
	     PROGRAM };

/* The supported filter types and the largest size of each in bytes */
static const struct filter_type {
	ULONG type, max_size;
	enum shape shape;
} filter_types[] = {
	{ EVENT_FILTER_TYPE_NONE, MAX_EVENT_FILTER_DATA_SIZE, AS_IT_IS },
	{ EVENT_FILTER_TYPE_SCHEMATIZED, MAX_EVENT_FILTER_DATA_SIZE, HEADED },
	{ EVENT_FILTER_TYPE_SYSTEM_FLAGS, MAX_EVENT_FILTER_DATA_SIZE, RESERVED },
	{ EVENT_FILTER_TYPE_TRACEHANDLE, sizeof(ULONG64), SESSION },
	{ EVENT_FILTER_TYPE_PID, MAX_EVENT_FILTER_PID_COUNT * sizeof(ULONG), PIDS },
	{ EVENT_FILTER_TYPE_EXECUTABLE_NAME, MAX_EVENT_FILTER_DATA_SIZE, NAMES },
	{ EVENT_FILTER_TYPE_PACKAGE_ID, MAX_EVENT_FILTER_DATA_SIZE, NAMES },
	{ EVENT_FILTER_TYPE_PACKAGE_APP_ID, MAX_EVENT_FILTER_DATA_SIZE, NAMES },
	{ EVENT_FILTER_TYPE_PAYLOAD, MAX_EVENT_FILTER_PAYLOAD_SIZE, PROGRAM },
	{ EVENT_FILTER_TYPE_EVENT_ID, MAX_EVENT_FILTER_DATA_SIZE, IDS },
	{ EVENT_FILTER_TYPE_EVENT_NAME, MAX_EVENT_FILTER_EVENT_NAME_SIZE, EVENT_NAMES },
	{ EVENT_FILTER_TYPE_STACKWALK, MAX_EVENT_FILTER_DATA_SIZE, IDS },
	{ EVENT_FILTER_TYPE_STACKWALK_NAME, MAX_EVENT_FILTER_EVENT_NAME_SIZE, EVENT_NAMES },
	{ EVENT_FILTER_TYPE_STACKWALK_LEVEL_KW, MAX_EVENT_FILTER_DATA_SIZE, LEVEL_KW },
	{ EVENT_FILTER_TYPE_CONTAINER, MAX_EVENT_FILTER_DATA_SIZE, NAMES },
};

static const struct filter_type *find_type(ULONG type)
{
	size_t i;

	for (i = 0; i < sizeof(filter_types) / sizeof(filter_types[0]); i++)
		if (filter_types[i].type == type)
			return &filter_types[i];
	return NULL;
}

static ULONG check(const EVENT_FILTER_DESCRIPTOR *filter)
{
	const struct filter_type *type = find_type(filter->Type);

	if (!type || type->shape == RESERVED)
		return ERROR_INVALID_PARAMETER;
	if (type->shape == AS_IT_IS)
		return ERROR_SUCCESS;
	if (!filter->Ptr || !filter->Size || filter->Size > type->max_size)
		return ERROR_INVALID_PARAMETER;
	switch (type->shape) {
	case PIDS:
		return filter->Size % sizeof(ULONG) ? ERROR_INVALID_PARAMETER : ERROR_SUCCESS;
	case IDS:
		/* The kernel checks the list itself. */
		return filter->Size < offsetof(EVENT_FILTER_EVENT_ID, Events) ?
		       ERROR_INVALID_PARAMETER : ERROR_SUCCESS;
	case EVENT_NAMES:
		return filter->Size < offsetof(EVENT_FILTER_EVENT_NAME, Names) ?
		       ERROR_INVALID_PARAMETER : ERROR_SUCCESS;
	case LEVEL_KW:
		return filter->Size == sizeof(EVENT_FILTER_LEVEL_KW) ?
		       ERROR_SUCCESS : ERROR_INVALID_PARAMETER;
	case NAMES:
		return filter->Size % sizeof(WCHAR) ? ERROR_INVALID_PARAMETER : ERROR_SUCCESS;
	case HEADED:
		/* The kernel checks these as well. */
		return filter->Size < sizeof(EVENT_FILTER_HEADER) ?
		       ERROR_INVALID_PARAMETER : ERROR_SUCCESS;
	case SESSION:
		return filter->Size == sizeof(ULONG64) ? ERROR_SUCCESS : ERROR_INVALID_PARAMETER;
	default:
		return ERROR_SUCCESS;	/* the kernel checks it */
	}
}

static ULONG check_all(const EVENT_FILTER_DESCRIPTOR *filters, ULONG count)
{
	ULONG i, j;

	if (count > MAX_EVENT_FILTERS_COUNT || (count && !filters))
		return ERROR_INVALID_PARAMETER;
	for (i = 0; i < count; i++) {
		ULONG ret = check(&filters[i]);

		if (ret)
			return ret;
		for (j = 0; j < i; j++)
			if (filters[j].Type == filters[i].Type)
				return ERROR_INVALID_PARAMETER;
	}
	return ERROR_SUCCESS;
}

/* The kernel's names are UTF-8 without a NUL. */
static ULONG take_names(struct etw_filters *to, ULONG i,
			const EVENT_FILTER_DESCRIPTOR *from)
{
	WCHAR in[MAX_EVENT_FILTER_DATA_SIZE / sizeof(WCHAR)];
	char out[ETW_FILTER_NAMES_MAX];
	ssize_t len;

	memcpy(in, (const void *)(uintptr_t)from->Ptr, from->Size);
	len = etw_utf16_to_utf8(in, etw_utf16_len(in, from->Size / sizeof(WCHAR)), out,
				sizeof(out));
	if (len <= 0 || len > (ssize_t)sizeof(out))
		return ERROR_INVALID_PARAMETER;
	to->names[i] = malloc(len);
	if (!to->names[i])
		return ERROR_NOT_ENOUGH_MEMORY;
	memcpy(to->names[i], out, len);
	to->list[i].ptr = (uintptr_t)to->names[i];
	to->list[i].len = len;
	return ERROR_SUCCESS;
}

ULONG etw_filters_take(struct etw_filters *to, const EVENT_FILTER_DESCRIPTOR *from,
		       ULONG count)
{
	ULONG i, ret;

	memset(to, 0, sizeof(*to));
	ret = check_all(from, count);
	for (i = 0; !ret && i < count; i++) {
		to->list[i] = (struct etw_filter){ from[i].Ptr, from[i].Size, from[i].Type };
		if (find_type(from[i].Type)->shape == NAMES)
			ret = take_names(to, i, &from[i]);
		to->count = i + 1;
	}
	if (ret)
		etw_filters_free(to);
	return ret;
}

void etw_filters_free(struct etw_filters *filters)
{
	ULONG i;

	for (i = 0; i < filters->count; i++)
		free(filters->names[i]);
	filters->count = 0;
}
