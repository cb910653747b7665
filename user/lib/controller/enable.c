/* SPDX-License-Identifier: MIT */
/*
 * enable.c - enable and disable providers in sessions
 *
 * Semantics: Microsoft's pages of the functions, "ENABLE_TRACE_PARAMETERS structure",
 * "EVENT_FILTER_DESCRIPTOR structure" and "EVENT_FILTER_EVENT_ID structure".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <etw/abi_filter.h>
#include <evntcons.h>
#include <evntrace.h>
#include "enable.h"
#include "base/monotonic.h"
#include "base/utf.h"
#include "device/kdev.h"
#include "lib/private/private.h"
#include "system_events.h"

#define PROPERTIES_KNOWN	(0x00000FFFu | EVENT_ENABLE_PROPERTY_CONTEXT |		\
				 EVENT_ENABLE_PROPERTY_USER_STACK)
#define PROPERTIES_HERE		(EVENT_ENABLE_PROPERTY_SID | EVENT_ENABLE_PROPERTY_TS_ID |	\
				 EVENT_ENABLE_PROPERTY_STACK_TRACE |			\
				 EVENT_ENABLE_PROPERTY_PSM_KEY |			\
				 EVENT_ENABLE_PROPERTY_IGNORE_KEYWORD_0 |		\
				 EVENT_ENABLE_PROPERTY_PROVIDER_GROUP |			\
				 EVENT_ENABLE_PROPERTY_PROCESS_START_KEY |		\
				 EVENT_ENABLE_PROPERTY_EVENT_KEY |			\
				 EVENT_ENABLE_PROPERTY_EXCLUDE_INPRIVATE |		\
				 EVENT_ENABLE_PROPERTY_SOURCE_CONTAINER_TRACKING |	\
				 EVENT_ENABLE_PROPERTY_CONTEXT |			\
				 EVENT_ENABLE_PROPERTY_USER_STACK)

_Static_assert(EVENT_ENABLE_PROPERTY_SID == ETW_ENABLE_SID &&
	       EVENT_ENABLE_PROPERTY_TS_ID == ETW_ENABLE_TS_ID &&
	       EVENT_ENABLE_PROPERTY_STACK_TRACE == ETW_ENABLE_STACK_TRACE &&
	       EVENT_ENABLE_PROPERTY_PSM_KEY == ETW_ENABLE_PSM_KEY &&
	       EVENT_ENABLE_PROPERTY_IGNORE_KEYWORD_0 == ETW_ENABLE_IGNORE_KEYWORD_0 &&
	       EVENT_ENABLE_PROPERTY_PROVIDER_GROUP == ETW_ENABLE_PROVIDER_GROUP &&
	       EVENT_ENABLE_PROPERTY_PROCESS_START_KEY == ETW_ENABLE_PROCESS_START_KEY &&
	       EVENT_ENABLE_PROPERTY_EVENT_KEY == ETW_ENABLE_EVENT_KEY &&
	       EVENT_ENABLE_PROPERTY_EXCLUDE_INPRIVATE == ETW_ENABLE_EXCLUDE_INPRIVATE &&
	       EVENT_ENABLE_PROPERTY_SOURCE_CONTAINER_TRACKING == ETW_ENABLE_CONTAINER &&
	       EVENT_ENABLE_PROPERTY_CONTEXT == ETW_ENABLE_CONTEXT &&
	       EVENT_ENABLE_PROPERTY_USER_STACK == ETW_ENABLE_USER_STACK &&
	       EVENT_CONTROL_CODE_CAPTURE_STATE == ETW_CONTROL_CAPTURE,
	       "the kernel uses the same values");

/* ------------------------------------------------------------------- filters */

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

/* The supported filter types, and the sizes in bytes that each may have */
static const struct filter_type {
	ULONG type, min_size, max_size;
	ULONG unit;			/* the size is a multiple of this */
	bool has_names;			/* UTF-16, which the kernel gets as UTF-8 */
} filter_types[] = {
	{ EVENT_FILTER_TYPE_SCHEMATIZED, sizeof(EVENT_FILTER_HEADER),
	  MAX_EVENT_FILTER_DATA_SIZE, 1, false },
	{ EVENT_FILTER_TYPE_TRACEHANDLE, sizeof(ULONG64), sizeof(ULONG64), 1, false },
	{ EVENT_FILTER_TYPE_PID, sizeof(ULONG), MAX_EVENT_FILTER_PID_COUNT * sizeof(ULONG),
	  sizeof(ULONG), false },
	{ EVENT_FILTER_TYPE_EXECUTABLE_NAME, 2, MAX_EVENT_FILTER_DATA_SIZE, 2, true },
	{ EVENT_FILTER_TYPE_PACKAGE_ID, 2, MAX_EVENT_FILTER_DATA_SIZE, 2, true },
	{ EVENT_FILTER_TYPE_PACKAGE_APP_ID, 2, MAX_EVENT_FILTER_DATA_SIZE, 2, true },
	{ EVENT_FILTER_TYPE_PAYLOAD, 1, MAX_EVENT_FILTER_PAYLOAD_SIZE, 1, false },
	{ EVENT_FILTER_TYPE_EVENT_ID, offsetof(EVENT_FILTER_EVENT_ID, Events),
	  MAX_EVENT_FILTER_DATA_SIZE, 1, false },
	{ EVENT_FILTER_TYPE_EVENT_NAME, offsetof(EVENT_FILTER_EVENT_NAME, Names),
	  MAX_EVENT_FILTER_EVENT_NAME_SIZE, 1, false },
	{ EVENT_FILTER_TYPE_STACKWALK, offsetof(EVENT_FILTER_EVENT_ID, Events),
	  MAX_EVENT_FILTER_DATA_SIZE, 1, false },
	{ EVENT_FILTER_TYPE_STACKWALK_NAME, offsetof(EVENT_FILTER_EVENT_NAME, Names),
	  MAX_EVENT_FILTER_EVENT_NAME_SIZE, 1, false },
	{ EVENT_FILTER_TYPE_STACKWALK_LEVEL_KW, sizeof(EVENT_FILTER_LEVEL_KW),
	  sizeof(EVENT_FILTER_LEVEL_KW), 1, false },
	{ EVENT_FILTER_TYPE_CONTAINER, 2, MAX_EVENT_FILTER_DATA_SIZE, 2, true },
};

static const struct filter_type *find_type(ULONG type)
{
	size_t i;

	for (i = 0; i < sizeof(filter_types) / sizeof(filter_types[0]); i++)
		if (filter_types[i].type == type)
			return &filter_types[i];
	return NULL;
}

/* The kernel checks the contents. */
static bool filter_ok(const EVENT_FILTER_DESCRIPTOR *filter)
{
	const struct filter_type *type = find_type(filter->Type);

	if (filter->Type == EVENT_FILTER_TYPE_NONE)
		return true;
	return type && filter->Ptr && filter->Size >= type->min_size &&
	       filter->Size <= type->max_size && filter->Size % type->unit == 0;
}

/* Valid, and no type occurs twice. */
static bool filters_ok(const EVENT_FILTER_DESCRIPTOR *filters, ULONG count)
{
	ULONG i, j;

	if (count > MAX_EVENT_FILTERS_COUNT || (count && !filters))
		return false;
	for (i = 0; i < count; i++) {
		if (!filter_ok(&filters[i]))
			return false;
		for (j = 0; j < i; j++)
			if (filters[j].Type == filters[i].Type)
				return false;
	}
	return true;
}

/* Owns the copies of converted strings; the caller owns the rest. */
struct filters {
	struct etw_filter list[ETW_FILTERS_MAX];
	char *names[ETW_FILTERS_MAX];
	ULONG count;
};

/* The kernel's names are UTF-8 without a NUL. */
static ULONG take_names(struct filters *to, ULONG i, const EVENT_FILTER_DESCRIPTOR *from)
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

static void free_filters(struct filters *filters)
{
	ULONG i;

	for (i = 0; i < filters->count; i++)
		free(filters->names[i]);
	filters->count = 0;
}

/* On failure there is nothing to free. */
static ULONG take_filters(struct filters *to, const EVENT_FILTER_DESCRIPTOR *from, ULONG count)
{
	ULONG i, ret = filters_ok(from, count) ? ERROR_SUCCESS : ERROR_INVALID_PARAMETER;

	memset(to, 0, sizeof(*to));
	for (i = 0; !ret && i < count; i++) {
		const struct filter_type *type = find_type(from[i].Type);

		to->list[i] = (struct etw_filter){ from[i].Ptr, from[i].Size, from[i].Type };
		if (type && type->has_names)
			ret = take_names(to, i, &from[i]);
		to->count = i + 1;
	}
	if (ret)
		free_filters(to);
	return ret;
}

/* ------------------------------------------------------------------ enabling */

static ULONG use_parameters(const ENABLE_TRACE_PARAMETERS *params, struct etw_enable *enable,
			    struct filters *filters)
{
	ULONG count, ret;

	switch (params->Version) {
	case ENABLE_TRACE_PARAMETERS_VERSION:
		/* The first version ends before FilterDescCount. */
		count = params->EnableFilterDesc ? 1 : 0;
		break;
	case ENABLE_TRACE_PARAMETERS_VERSION_2:
		count = params->FilterDescCount;
		break;
	default:
		return ERROR_INVALID_PARAMETER;
	}
	if (params->ControlFlags || params->EnableProperty & ~PROPERTIES_KNOWN)
		return ERROR_INVALID_PARAMETER;
	ret = take_filters(filters, params->EnableFilterDesc, count);
	if (ret)
		return ret;
	if (params->EnableProperty & ~PROPERTIES_HERE) {
		free_filters(filters);
		return ERROR_NOT_SUPPORTED;
	}
	enable->property = params->EnableProperty;
	memcpy(&enable->source, &params->SourceId, sizeof(enable->source));
	enable->filters = (uintptr_t)filters->list;
	enable->filter_count = filters->count;
	return ERROR_SUCCESS;
}

int etw_enable_and_wait(int fd, struct etw_enable *enable)
{
	struct etw_enable wait = { .control = ETW_CONTROL_WAIT, .timeout_ms = INFINITE };
	uint64_t start = etw_monotonic_ms(), gone;
	int ret = etw_kdev_enable(fd, enable);

	while (ret == -EINTR) {
		gone = etw_monotonic_ms() - start;
		/* 0: only checks whether the callbacks are done */
		if (enable->timeout_ms != INFINITE)
			wait.timeout_ms = gone < enable->timeout_ms ? enable->timeout_ms - gone : 0;
		ret = etw_kdev_enable(fd, &wait);
	}
	return ret;
}

/*
 * CAPTURE_STATE of the system: a filter of type TRACEHANDLE names the session that is meant,
 * else it is the one of the call.
 */
static ULONG capture_system(int fd, const struct etw_enable *enable)
{
	const struct etw_filter *filters = (const void *)(uintptr_t)enable->filters;
	uint64_t session = enable->session;
	uint32_t i;

	for (i = 0; i < enable->filter_count; i++)
		if (filters[i].type == ETW_FILTER_TRACEHANDLE)
			memcpy(&session, (const void *)(uintptr_t)filters[i].ptr, sizeof(session));
	return etw_system_rundown(fd, session, enable->timeout_ms);
}

static bool is_system_capture(const struct etw_enable *enable)
{
	return enable->control == ETW_CONTROL_CAPTURE &&
	       !memcmp(&enable->provider, &SystemTraceControlGuid, sizeof(enable->provider));
}

ULONG EnableTraceEx2(TRACEHANDLE TraceHandle, LPCGUID ProviderId, ULONG ControlCode,
		     UCHAR Level, ULONGLONG MatchAnyKeyword, ULONGLONG MatchAllKeyword,
		     ULONG Timeout, PENABLE_TRACE_PARAMETERS EnableParameters)
{
	struct etw_enable enable = {
		.session = TraceHandle,
		.control = ControlCode,
		.any = MatchAnyKeyword,
		.all = MatchAllKeyword,
		.timeout_ms = Timeout,
		.level = Level,
	};
	struct filters filters = { .count = 0 };
	ULONG ret;
	int fd;

	if (!TraceHandle || !ProviderId ||
	    ControlCode > EVENT_CONTROL_CODE_CAPTURE_STATE)
		return ERROR_INVALID_PARAMETER;
	memcpy(&enable.provider, ProviderId, sizeof(enable.provider));
	if (EnableParameters) {
		ret = use_parameters(EnableParameters, &enable, &filters);
		if (ret)
			return ret;
	}
	/* Only ENABLE sets properties. The kernel itself decides whether filters apply. */
	if (ControlCode != EVENT_CONTROL_CODE_ENABLE_PROVIDER)
		enable.property &= EVENT_ENABLE_PROPERTY_PROVIDER_GROUP;
	if (etw_private_is_handle(TraceHandle)) {
		ret = etw_win32_from_errno(etw_private_enable(&enable));
		free_filters(&filters);
		return ret;
	}
	fd = etw_kdev_open();
	if (fd < 0) {
		free_filters(&filters);
		return etw_win32_from_open(fd);
	}
	ret = is_system_capture(&enable) ? capture_system(fd, &enable) :
	      etw_win32_from_errno(etw_enable_and_wait(fd, &enable));
	etw_kdev_close(fd);
	free_filters(&filters);
	return ret;
}

ULONG EnableTrace(ULONG Enable, ULONG EnableFlag, ULONG EnableLevel, LPCGUID ControlGuid,
		  TRACEHANDLE TraceHandle)
{
	if (EnableLevel > UINT8_MAX)
		return ERROR_INVALID_PARAMETER;
	return EnableTraceEx2(TraceHandle, ControlGuid,
			      Enable ? EVENT_CONTROL_CODE_ENABLE_PROVIDER :
				       EVENT_CONTROL_CODE_DISABLE_PROVIDER,
			      EnableLevel, EnableFlag, 0, 0, NULL);
}

ULONG EnableTraceEx(LPCGUID ProviderId, LPCGUID SourceId, TRACEHANDLE TraceHandle,
		    ULONG IsEnabled, UCHAR Level, ULONGLONG MatchAnyKeyword,
		    ULONGLONG MatchAllKeyword, ULONG EnableProperty,
		    PEVENT_FILTER_DESCRIPTOR EnableFilterDesc)
{
	ENABLE_TRACE_PARAMETERS params = {
		.Version = ENABLE_TRACE_PARAMETERS_VERSION,
		.EnableProperty = EnableProperty,
		.EnableFilterDesc = EnableFilterDesc,
	};

	if (IsEnabled > EVENT_CONTROL_CODE_ENABLE_PROVIDER)
		return ERROR_INVALID_PARAMETER;
	if (SourceId)
		params.SourceId = *SourceId;
	return EnableTraceEx2(TraceHandle, ProviderId, IsEnabled, Level,
			      MatchAnyKeyword, MatchAllKeyword, 0, &params);
}
