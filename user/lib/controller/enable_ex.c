/* SPDX-License-Identifier: MIT */
/*
 * enable_ex.c - the older enable functions, on top of EnableTraceEx2()
 *
 * Semantics: Microsoft's pages "EnableTrace function" and "EnableTraceEx function".
 */
#include <stddef.h>

#include <evntcons.h>
#include <evntrace.h>

ULONG EnableTrace(ULONG Enable, ULONG EnableFlag, ULONG EnableLevel,
		  LPCGUID ControlGuid, TRACEHANDLE TraceHandle)
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
