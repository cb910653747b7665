/* SPDX-License-Identifier: MIT */
/*
 * enable.c - enable and disable providers in sessions
 *
 * Semantics: Microsoft's pages "EnableTraceEx2 function", "ENABLE_TRACE_
 * PARAMETERS structure" and "EVENT_FILTER_DESCRIPTOR structure".
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include <evntcons.h>
#include <evntrace.h>
#include "kdev.h"

#define PROPERTIES_KNOWN	0x00000FFFu	/* EVENT_ENABLE_PROPERTY_* */
#define PROPERTIES_HERE		EVENT_ENABLE_PROPERTY_IGNORE_KEYWORD_0

_Static_assert(EVENT_ENABLE_PROPERTY_IGNORE_KEYWORD_0 == ETW_ENABLE_IGNORE_KEYWORD_0 &&
	       EVENT_FILTER_TYPE_PID == ETW_FILTER_PID &&
	       EVENT_CONTROL_CODE_CAPTURE_STATE == ETW_CONTROL_CAPTURE,
	       "the kernel uses the same values");
_Static_assert(sizeof(EVENT_FILTER_DESCRIPTOR) == sizeof(struct etw_filter) &&
	       offsetof(EVENT_FILTER_DESCRIPTOR, Type) ==
	       offsetof(struct etw_filter, type),
	       "filters go to the kernel as they are");

/* The filter types there are, and the most bytes of each */
static const struct {
	ULONG type, max_size;
} filter_types[] = {
	{ EVENT_FILTER_TYPE_SCHEMATIZED, MAX_EVENT_FILTER_DATA_SIZE },
	{ EVENT_FILTER_TYPE_SYSTEM_FLAGS, MAX_EVENT_FILTER_DATA_SIZE },
	{ EVENT_FILTER_TYPE_TRACEHANDLE, MAX_EVENT_FILTER_DATA_SIZE },
	{ EVENT_FILTER_TYPE_PID, MAX_EVENT_FILTER_PID_COUNT * sizeof(ULONG) },
	{ EVENT_FILTER_TYPE_EXECUTABLE_NAME, MAX_EVENT_FILTER_DATA_SIZE },
	{ EVENT_FILTER_TYPE_PACKAGE_ID, MAX_EVENT_FILTER_DATA_SIZE },
	{ EVENT_FILTER_TYPE_PACKAGE_APP_ID, MAX_EVENT_FILTER_DATA_SIZE },
	{ EVENT_FILTER_TYPE_PAYLOAD, MAX_EVENT_FILTER_PAYLOAD_SIZE },
	{ EVENT_FILTER_TYPE_EVENT_ID, MAX_EVENT_FILTER_DATA_SIZE },
	{ EVENT_FILTER_TYPE_EVENT_NAME, MAX_EVENT_FILTER_EVENT_NAME_SIZE },
	{ EVENT_FILTER_TYPE_STACKWALK, MAX_EVENT_FILTER_DATA_SIZE },
	{ EVENT_FILTER_TYPE_STACKWALK_NAME, MAX_EVENT_FILTER_EVENT_NAME_SIZE },
	{ EVENT_FILTER_TYPE_STACKWALK_LEVEL_KW, MAX_EVENT_FILTER_DATA_SIZE },
	{ EVENT_FILTER_TYPE_CONTAINER, MAX_EVENT_FILTER_DATA_SIZE },
};

static ULONG check_filter(const EVENT_FILTER_DESCRIPTOR *filter)
{
	size_t i, n = sizeof(filter_types) / sizeof(filter_types[0]);

	for (i = 0; i < n; i++)
		if (filter->Type == filter_types[i].type)
			break;
	if (i == n || !filter->Ptr || !filter->Size ||
	    filter->Size > filter_types[i].max_size)
		return ERROR_INVALID_PARAMETER;
	if (filter->Type != EVENT_FILTER_TYPE_PID)
		return ERROR_NOT_SUPPORTED;
	if (filter->Size % sizeof(ULONG))
		return ERROR_INVALID_PARAMETER;
	return ERROR_SUCCESS;
}

/* Wrong use of any filter is told before a filter that is not there yet. */
static ULONG check_filters(const EVENT_FILTER_DESCRIPTOR *filters, ULONG count)
{
	ULONG result = ERROR_SUCCESS, i, j;

	if (count > MAX_EVENT_FILTERS_COUNT || (count && !filters))
		return ERROR_INVALID_PARAMETER;
	for (i = 0; i < count; i++) {
		ULONG ret = check_filter(&filters[i]);

		if (ret == ERROR_INVALID_PARAMETER)
			return ret;
		if (ret)
			result = ret;
		for (j = 0; j < i; j++)
			if (filters[j].Type == filters[i].Type)
				return ERROR_INVALID_PARAMETER;
	}
	return result;
}

static ULONG use_parameters(const ENABLE_TRACE_PARAMETERS *params,
			    struct etw_enable *enable)
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
	ret = check_filters(params->EnableFilterDesc, count);
	if (ret)
		return ret;
	if (params->EnableProperty & ~PROPERTIES_HERE)
		return ERROR_NOT_SUPPORTED;
	enable->property = params->EnableProperty;
	memcpy(&enable->source, &params->SourceId, sizeof(enable->source));
	enable->filters = (uintptr_t)params->EnableFilterDesc;
	enable->filter_count = count;
	return ERROR_SUCCESS;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Enable, however many signals come while it waits for callbacks. */
static int enable_and_wait(int fd, struct etw_enable *enable)
{
	uint32_t timeout = enable->timeout_ms;
	uint64_t start = now_ms(), gone;
	int ret;

	while ((ret = etw_kdev_enable(fd, enable)) == -EINTR) {
		gone = now_ms() - start;
		if (timeout == INFINITE)
			continue;
		if (gone >= timeout)
			return -ETIMEDOUT;
		enable->timeout_ms = timeout - gone;
	}
	return ret;
}

ULONG EnableTraceEx2(TRACEHANDLE TraceHandle, LPCGUID ProviderId,
		     ULONG ControlCode, UCHAR Level, ULONGLONG MatchAnyKeyword,
		     ULONGLONG MatchAllKeyword, ULONG Timeout,
		     PENABLE_TRACE_PARAMETERS EnableParameters)
{
	struct etw_enable enable = {
		.session = TraceHandle,
		.control = ControlCode,
		.any = MatchAnyKeyword,
		.all = MatchAllKeyword,
		.timeout_ms = Timeout,
		.level = Level,
	};
	ULONG ret;
	int fd, err;

	if (!TraceHandle || !ProviderId ||
	    ControlCode > EVENT_CONTROL_CODE_CAPTURE_STATE)
		return ERROR_INVALID_PARAMETER;
	memcpy(&enable.provider, ProviderId, sizeof(enable.provider));
	if (EnableParameters) {
		ret = use_parameters(EnableParameters, &enable);
		if (ret)
			return ret;
	}
	if (ControlCode != EVENT_CONTROL_CODE_ENABLE_PROVIDER) {
		/* Only enabling sets what the session asks for. */
		enable.property = 0;
		enable.filters = 0;
		enable.filter_count = 0;
	}
	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	err = enable_and_wait(fd, &enable);
	etw_kdev_close(fd);
	return etw_win32_from_errno(err);
}
