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
#include "enable.h"
#include "filters.h"
#include "device/kdev.h"

#define PROPERTIES_KNOWN	0x00000FFFu	/* EVENT_ENABLE_PROPERTY_* */
#define PROPERTIES_HERE		(EVENT_ENABLE_PROPERTY_SID | EVENT_ENABLE_PROPERTY_TS_ID |	\
				 EVENT_ENABLE_PROPERTY_STACK_TRACE |			\
				 EVENT_ENABLE_PROPERTY_PSM_KEY |			\
				 EVENT_ENABLE_PROPERTY_IGNORE_KEYWORD_0 |		\
				 EVENT_ENABLE_PROPERTY_PROVIDER_GROUP |			\
				 EVENT_ENABLE_PROPERTY_PROCESS_START_KEY |		\
				 EVENT_ENABLE_PROPERTY_EVENT_KEY |			\
				 EVENT_ENABLE_PROPERTY_EXCLUDE_INPRIVATE |		\
				 EVENT_ENABLE_PROPERTY_SOURCE_CONTAINER_TRACKING)

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
	       EVENT_CONTROL_CODE_CAPTURE_STATE == ETW_CONTROL_CAPTURE,
	       "the kernel uses the same values");
static ULONG use_parameters(const ENABLE_TRACE_PARAMETERS *params,
			    struct etw_enable *enable, struct etw_filters *filters)
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
	ret = etw_filters_take(filters, params->EnableFilterDesc, count);
	if (ret)
		return ret;
	if (params->EnableProperty & ~PROPERTIES_HERE) {
		etw_filters_free(filters);
		return ERROR_NOT_SUPPORTED;
	}
	enable->property = params->EnableProperty;
	memcpy(&enable->source, &params->SourceId, sizeof(enable->source));
	enable->filters = (uintptr_t)filters->list;
	enable->filter_count = filters->count;
	return ERROR_SUCCESS;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int etw_enable_and_wait(int fd, struct etw_enable *enable)
{
	struct etw_enable wait = { .control = ETW_CONTROL_WAIT, .timeout_ms = INFINITE };
	uint64_t start = now_ms(), gone;
	int ret = etw_kdev_enable(fd, enable);

	while (ret == -EINTR) {
		gone = now_ms() - start;
		/* 0: only checks whether the callbacks are done */
		if (enable->timeout_ms != INFINITE)
			wait.timeout_ms = gone < enable->timeout_ms ? enable->timeout_ms - gone : 0;
		ret = etw_kdev_enable(fd, &wait);
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
	struct etw_filters filters = { .count = 0 };
	ULONG ret;
	int fd, err;

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
	fd = etw_kdev_open();
	if (fd < 0) {
		etw_filters_free(&filters);
		return etw_win32_from_open(fd);
	}
	err = etw_enable_and_wait(fd, &enable);
	etw_kdev_close(fd);
	etw_filters_free(&filters);
	return etw_win32_from_errno(err);
}
