/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * evntrace_info.h - what providers and sessions there are, and the older
 * functions that enable; include <evntrace.h>
 *
 * As for all of evntrace.h: any thread, Win32 codes, and nothing of the
 * caller's is changed by a call that fails, unless it says otherwise.
 */
#ifndef ETW_EVNTRACE_INFO_H
#define ETW_EVNTRACE_INFO_H

#ifndef ETW_EVNTRACE_H
#error "include <evntrace.h>"
#endif

ETW_BEGIN_DECLS

/* ---------------------------------------------------------------- structs */

/* A provider as EnumerateTraceGuids() tells of it, 36 bytes */
typedef struct _TRACE_GUID_PROPERTIES {
	GUID Guid;
	ULONG GuidType;			/* 0 */
	ULONG LoggerId;			/* of a session that has it enabled, or 0 */
	ULONG EnableLevel;		/* by that session */
	ULONG EnableFlags;		/* low half of its MatchAnyKeyword */
	BOOLEAN IsEnable;
} TRACE_GUID_PROPERTIES, *PTRACE_GUID_PROPERTIES;

/* TraceGuidQueryInfo, 8 bytes; the instances follow, each at NextOffset */
typedef struct _TRACE_GUID_INFO {
	ULONG InstanceCount;
	ULONG Reserved;
} TRACE_GUID_INFO, *PTRACE_GUID_INFO;

/* A registration, 16 bytes; EnableCount times TRACE_ENABLE_INFO follow */
typedef struct _TRACE_PROVIDER_INSTANCE_INFO {
	ULONG NextOffset;		/* bytes from here to the next; 0: the last */
	ULONG EnableCount;
	ULONG Pid;			/* in the caller's namespace; 0: the kernel's */
	ULONG Flags;			/* TRACE_PROVIDER_FLAG_ */
} TRACE_PROVIDER_INSTANCE_INFO, *PTRACE_PROVIDER_INSTANCE_INFO;

/* A session that has it enabled, 32 bytes */
typedef struct _TRACE_ENABLE_INFO {
	ULONG IsEnabled;
	UCHAR Level;
	UCHAR Reserved1;
	USHORT LoggerId;
	ULONG EnableProperty;		/* EVENT_ENABLE_PROPERTY_ */
	ULONG Reserved2;
	ULONGLONG MatchAnyKeyword;	/* as was asked for */
	ULONGLONG MatchAllKeyword;
} TRACE_ENABLE_INFO, *PTRACE_ENABLE_INFO;

/* 8 bytes; ProviderCount GUIDs follow */
typedef struct _TRACE_PERIODIC_CAPTURE_STATE_INFO {
	ULONG CaptureStateFrequencyInSeconds;
	USHORT ProviderCount;
	USHORT Reserved;
} TRACE_PERIODIC_CAPTURE_STATE_INFO, *PTRACE_PERIODIC_CAPTURE_STATE_INFO;

typedef struct _TRACE_VERSION_INFO {
	UINT EtwTraceProcessingVersion;
	UINT Reserved;
} TRACE_VERSION_INFO, *PTRACE_VERSION_INFO;

typedef struct _CLASSIC_EVENT_ID {
	GUID EventGuid;
	UCHAR Type;
	UCHAR Reserved[7];
} CLASSIC_EVENT_ID, *PCLASSIC_EVENT_ID;

typedef struct _TRACE_PROFILE_INTERVAL {
	ULONG Source;
	ULONG Interval;			/* 100 ns */
} TRACE_PROFILE_INTERVAL, *PTRACE_PROFILE_INTERVAL;

/* What can be asked or set; what each does here: TraceQueryInformation() */
typedef enum _TRACE_QUERY_INFO_CLASS {
	TraceGuidQueryList = 0,
	TraceGuidQueryInfo = 1,
	TraceGuidQueryProcess = 2,
	TraceStackTracingInfo = 3,
	TraceSystemTraceEnableFlagsInfo = 4,
	TraceSampledProfileIntervalInfo = 5,
	TraceProfileSourceConfigInfo = 6,
	TraceProfileSourceListInfo = 7,
	TracePmcEventListInfo = 8,
	TracePmcCounterListInfo = 9,
	TraceSetDisallowList = 10,
	TraceVersionInfo = 11,
	TraceGroupQueryList = 12,
	TraceGroupQueryInfo = 13,
	TraceDisallowListQuery = 14,
	TraceInfoReserved15 = 15,
	TracePeriodicCaptureStateListInfo = 16,
	TracePeriodicCaptureStateInfo = 17,
	TraceProviderBinaryTracking = 18,
	TraceMaxLoggersQuery = 19,
	TraceLbrConfigurationInfo = 20,
	TraceLbrEventListInfo = 21,
	TraceMaxPmcCounterQuery = 22,
	TraceStreamCount = 23,
	TraceStackCachingInfo = 24,
	TracePmcCounterOwners = 25,
	TraceUnifiedStackCachingInfo = 26,
	TracePmcSessionInformation = 27,
	TraceContextRegisterInfo = 28,
	MaxTraceSetInfoClass = 29
} TRACE_QUERY_INFO_CLASS, TRACE_INFO_CLASS;

/* -------------------------------------------------------------- functions */

/**
 * EnableTrace() - enable or disable a provider, the oldest form
 * @Enable: 0 disables
 * @EnableFlag: flags of a classic provider, keywords 0 to 31 of another
 * @EnableLevel: 0 to 255
 * @ControlGuid: the provider
 * @TraceHandle: the session
 *
 * EnableTraceEx2() without SourceId, MatchAllKeyword, properties and filters,
 * and without waiting for callbacks.
 *
 * Return: as EnableTraceEx2(); ERROR_INVALID_PARAMETER also for a level over 255.
 * Semantics: Microsoft's page "EnableTrace function".
 */
ETW_API ULONG WMIAPI EnableTrace(ULONG Enable, ULONG EnableFlag, ULONG EnableLevel,
				 LPCGUID ControlGuid, TRACEHANDLE TraceHandle);

/**
 * EnableTraceEx() - enable or disable a provider
 * @ProviderId: the provider
 * @SourceId: handed to the enable callback, or NULL for a zero one
 * @TraceHandle: the session
 * @IsEnabled: 1 or 0
 * @Level: as for EnableTraceEx2()
 * @MatchAnyKeyword: as for EnableTraceEx2()
 * @MatchAllKeyword: as for EnableTraceEx2()
 * @EnableProperty: EVENT_ENABLE_PROPERTY_
 * @EnableFilterDesc: one filter or NULL
 *
 * Does not wait for callbacks.
 *
 * Return: as EnableTraceEx2().
 * Semantics: Microsoft's page "EnableTraceEx function".
 */
ETW_API ULONG WMIAPI EnableTraceEx(LPCGUID ProviderId, LPCGUID SourceId,
				   TRACEHANDLE TraceHandle, ULONG IsEnabled,
				   UCHAR Level, ULONGLONG MatchAnyKeyword,
				   ULONGLONG MatchAllKeyword, ULONG EnableProperty,
				   PEVENT_FILTER_DESCRIPTOR EnableFilterDesc);

/**
 * EnumerateTraceGuids() - the providers that are registered or enabled
 * @GuidPropertiesArray: array of pointers to the caller's structs
 * @PropertyArrayCount: how many
 * @GuidCount: out: how many providers there are
 *
 * Of a provider that several sessions have enabled one is told.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (NULL, count 0);
 * ERROR_MORE_DATA (there are more than fit, which have been filled);
 * ERROR_ACCESS_DENIED; ERROR_NOT_ENOUGH_MEMORY.
 * Semantics: Microsoft's page "EnumerateTraceGuids function".
 */
ETW_API ULONG WMIAPI EnumerateTraceGuids(PTRACE_GUID_PROPERTIES *GuidPropertiesArray,
					 ULONG PropertyArrayCount, PULONG GuidCount);

/**
 * EnumerateTraceGuidsEx() - look at providers
 * @TraceQueryInfoClass: what to look at
 * @InBuffer: see below
 * @InBufferSize: bytes
 * @OutBuffer: for the answer, 8-byte aligned
 * @OutBufferSize: bytes
 * @ReturnLength: out: bytes of the whole answer
 *
 * TraceGuidQueryList: in nothing; out the GUIDs that are registered or enabled.
 * TraceGuidQueryInfo: in a GUID; out TRACE_GUID_INFO and what follows it.  A
 * provider that is enabled and not registered is one instance with
 * TRACE_PROVIDER_FLAG_PRE_ENABLE.
 * TraceGuidQueryProcess: in nothing (the calling process, which needs no right)
 * or a ULONG, a process id of the caller's namespace; out the GUIDs that this
 * process has registered.
 * TraceGroupQueryList: in nothing; out the GUIDs of the provider groups that have
 * members or are enabled.
 * TraceGroupQueryInfo: in a group's GUID; out as of TraceGuidQueryInfo, with an
 * instance for each member, whatever the GUID of the provider is.
 *
 * Return: ERROR_SUCCESS; ERROR_INSUFFICIENT_BUFFER (ReturnLength tells how much
 * is needed; OutBuffer is as it was); ERROR_WMI_GUID_NOT_FOUND (neither
 * registered nor enabled); ERROR_INVALID_PARAMETER (unknown class, wrong input,
 * NULL); ERROR_ACCESS_DENIED; ERROR_NOT_ENOUGH_MEMORY.
 * Semantics: Microsoft's page "EnumerateTraceGuidsEx function".
 */
ETW_API ULONG WMIAPI EnumerateTraceGuidsEx(TRACE_QUERY_INFO_CLASS TraceQueryInfoClass,
					   PVOID InBuffer, ULONG InBufferSize,
					   PVOID OutBuffer, ULONG OutBufferSize,
					   PULONG ReturnLength);

/**
 * TraceQueryInformation() - ask about a session or about the system
 * @SessionHandle: the session; not looked at where the class is about the system
 * @InformationClass: what is asked
 * @TraceInformation: for the answer
 * @InformationLength: bytes
 * @ReturnLength: out: bytes of the answer, or NULL
 *
 * TraceVersionInfo: TRACE_VERSION_INFO; TraceMaxLoggersQuery: a ULONG, how many
 * sessions may run at once; TraceStreamCount: a ULONG, how many streams of
 * buffers the session has: one per CPU, or one;
 * TracePeriodicCaptureStateInfo: what was set for the session;
 * TraceDisallowListQuery: GUIDs, those set with TraceSetDisallowList.
 *
 * Return: ERROR_SUCCESS; ERROR_BAD_LENGTH (the answer is longer);
 * ERROR_INVALID_PARAMETER (NULL, unknown class, handle 0);
 * ERROR_WMI_INSTANCE_NOT_FOUND; ERROR_ACCESS_DENIED; ERROR_NOT_SUPPORTED (the
 * class has no meaning on Linux, or cannot be asked).
 * Semantics: Microsoft's page "TraceQueryInformation function".
 */
ETW_API ULONG WMIAPI TraceQueryInformation(TRACEHANDLE SessionHandle,
					   TRACE_INFO_CLASS InformationClass,
					   PVOID TraceInformation,
					   ULONG InformationLength,
					   PULONG ReturnLength);

/**
 * TraceSetInformation() - change how a session works
 * @SessionHandle: the session
 * @InformationClass: what is set
 * @TraceInformation: the setting
 * @InformationLength: bytes
 *
 * TracePeriodicCaptureStateListInfo: TRACE_PERIODIC_CAPTURE_STATE_INFO and
 * GUIDs.  Each of these providers that the session has enabled is asked for its
 * state that often, 1 second at least, 64 providers at most, in place of what
 * was set before; no provider, or NULL and 0, ends it.
 * TraceSetDisallowList: GUIDs, 1,024 at most: the providers that the groups which
 * the session has enabled leave out, at once and from then on, in place of what
 * was set before; NULL and 0 leave none out.
 *
 * Return: as TraceQueryInformation().
 * Semantics: Microsoft's page "TraceSetInformation function".
 */
ETW_API ULONG WMIAPI TraceSetInformation(TRACEHANDLE SessionHandle,
					 TRACE_INFO_CLASS InformationClass,
					 PVOID TraceInformation,
					 ULONG InformationLength);

ETW_END_DECLS

#endif /* ETW_EVNTRACE_INFO_H */
