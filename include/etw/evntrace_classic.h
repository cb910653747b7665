/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * evntrace_classic.h - classic providers: registered by RegisterTraceGuids(),
 * with event classes or messages; include <evntrace.h>
 *
 * Any thread may call any of these.  One session at a time has such a provider
 * enabled, the one that enabled it last.  The session is known to the control
 * callback alone, as a handle that holds its id, level and flags; only events
 * written with it reach the session, and ETW filters none of them.
 *
 * New programs use <evntprov.h>.
 */
#ifndef ETW_EVNTRACE_CLASSIC_H
#define ETW_EVNTRACE_CLASSIC_H

#ifndef ETW_EVNTRACE_H
#error "include <evntrace.h>"
#endif

#include <stdarg.h>

ETW_BEGIN_DECLS

/* An event class, 16 bytes */
typedef struct _TRACE_GUID_REGISTRATION {
	LPCGUID Guid;		/* in */
	HANDLE RegHandle;	/* out: for CreateTraceInstanceId() */
} TRACE_GUID_REGISTRATION, *PTRACE_GUID_REGISTRATION;

/* An instance of something that events of a class tell of, 16 bytes */
typedef struct _EVENT_INSTANCE_INFO {
	HANDLE RegHandle;
	ULONG InstanceId;	/* never 0 */
} EVENT_INSTANCE_INFO, *PEVENT_INSTANCE_INFO;

/* Head of an event for TraceEventInstance(), 56 bytes; the payload follows */
typedef struct _EVENT_INSTANCE_HEADER {
	USHORT Size;		/* bytes: header and what follows */
	union {
		USHORT FieldTypeFlags;
		ETW_ANONYMOUS struct {
			UCHAR HeaderType;
			UCHAR MarkerFlags;
		};
	};
	union {
		ULONG Version;
		struct {
			UCHAR Type;
			UCHAR Level;
			USHORT Version;
		} Class;
	};
	ULONG ThreadId;
	ULONG ProcessId;
	LARGE_INTEGER TimeStamp;
	ULONGLONG RegHandle;
	ULONG InstanceId;
	ULONG ParentInstanceId;
	union {
		ETW_ANONYMOUS struct {
			ULONG KernelTime;
			ULONG UserTime;
		};
		ULONG64 ProcessorTime;
		ETW_ANONYMOUS struct {
			ULONG EventId;
			ULONG Flags;
		};
	};
	ULONGLONG ParentRegHandle;
} EVENT_INSTANCE_HEADER, *PEVENT_INSTANCE_HEADER;

/* A piece of payload, with WNODE_FLAG_USE_MOF_PTR, 16 bytes */
typedef struct _MOF_FIELD {
	ULONG64 DataPtr;
	ULONG Length;		/* bytes */
	ULONG DataType;		/* not looked at */
} MOF_FIELD, *PMOF_FIELD;

/* Why a control callback is called */
typedef enum {
	WMI_GET_ALL_DATA = 0,
	WMI_GET_SINGLE_INSTANCE = 1,
	WMI_SET_SINGLE_INSTANCE = 2,
	WMI_SET_SINGLE_ITEM = 3,
	WMI_ENABLE_EVENTS = 4,
	WMI_DISABLE_EVENTS = 5,
	WMI_ENABLE_COLLECTION = 6,
	WMI_DISABLE_COLLECTION = 7,
	WMI_REGINFO = 8,
	WMI_EXECUTE_METHOD = 9,
	WMI_CAPTURE_STATE = 10
} WMIDPREQUESTCODE;

/*
 * A control callback: WMI_ENABLE_EVENTS, at every change, or WMI_DISABLE_EVENTS.
 * Buffer is a WNODE_HEADER and valid during the call.  Where and when it runs,
 * and what it may call, is as for PENABLECALLBACK.  Its result is not looked at.
 */
typedef ULONG (WINAPI *WMIDPREQUEST)(WMIDPREQUESTCODE RequestCode, PVOID RequestContext,
				     ULONG *BufferSize, PVOID Buffer);

/**
 * RegisterTraceGuidsW() - register a classic provider
 * @RequestAddress: control callback
 * @RequestContext: handed to it
 * @ControlGuid: the provider
 * @GuidCount: of event classes
 * @TraceGuidReg: in/out: the classes; RegHandle is set, and valid until the
 *	provider is unregistered
 * @MofImagePath: not used
 * @MofResourceName: not used
 * @RegistrationHandle: out: for UnregisterTraceGuids(); 0 when the call fails
 *
 * If a session has the provider enabled, the callback comes at once, perhaps
 * before this returns; it finds RegHandle and *RegistrationHandle set.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (NULL, a zero GUID, a class
 * without one); ERROR_ACCESS_DENIED (the caller may not register this provider);
 * ERROR_NOT_ENOUGH_MEMORY (also: 1,024 registrations).
 * Semantics: Microsoft's page "RegisterTraceGuidsW function".
 */
ETW_API ULONG WMIAPI RegisterTraceGuidsW(WMIDPREQUEST RequestAddress, PVOID RequestContext,
					 LPCGUID ControlGuid, ULONG GuidCount,
					 PTRACE_GUID_REGISTRATION TraceGuidReg,
					 LPCWSTR MofImagePath, LPCWSTR MofResourceName,
					 PTRACEHANDLE RegistrationHandle);
/** RegisterTraceGuidsA() - the same with strings that are not used either */
ETW_API ULONG WMIAPI RegisterTraceGuidsA(WMIDPREQUEST RequestAddress, PVOID RequestContext,
					 LPCGUID ControlGuid, ULONG GuidCount,
					 PTRACE_GUID_REGISTRATION TraceGuidReg,
					 LPCSTR MofImagePath, LPCSTR MofResourceName,
					 PTRACEHANDLE RegistrationHandle);

/**
 * UnregisterTraceGuids() - end a registration
 * @RegistrationHandle: from RegisterTraceGuids()
 *
 * The callback does not run any more when this returns, unless called from it.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_HANDLE.
 * Semantics: Microsoft's page "UnregisterTraceGuids function".
 */
ETW_API ULONG WMIAPI UnregisterTraceGuids(TRACEHANDLE RegistrationHandle);

/**
 * GetTraceLoggerHandle() - the session, inside a control callback
 * @Buffer: as given to the callback
 *
 * Return: a handle for TraceEvent() and so on; (TRACEHANDLE)-1 and
 * GetLastError() ERROR_INVALID_PARAMETER if Buffer is not one.
 * Semantics: Microsoft's page "GetTraceLoggerHandle function".
 */
ETW_API TRACEHANDLE WMIAPI GetTraceLoggerHandle(PVOID Buffer);

/*
 * The level and the flags that the session asked for, from its handle; 0 and
 * GetLastError() ERROR_INVALID_HANDLE if it is none.
 * Semantics: Microsoft's pages "GetTraceEnableLevel function" and so on.
 */
ETW_API UCHAR WMIAPI GetTraceEnableLevel(TRACEHANDLE TraceHandle);
ETW_API ULONG WMIAPI GetTraceEnableFlags(TRACEHANDLE TraceHandle);

/**
 * TraceEvent() - write an event of a class
 * @TraceHandle: from GetTraceLoggerHandle()
 * @EventTrace: header and payload: Size, Class, Guid or, with
 *	WNODE_FLAG_USE_GUID_PTR, GuidPtr, and Flags with WNODE_FLAG_TRACED_GUID.
 *	With WNODE_FLAG_USE_MOF_PTR up to 16 MOF_FIELDs follow in place of the payload
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_FLAG_NUMBER (Flags);
 * ERROR_INVALID_PARAMETER (NULL, Size); ERROR_INVALID_HANDLE (no provider of this
 * process is enabled by that session); ERROR_MORE_DATA (larger than a buffer or
 * 64 KB); ERROR_NOT_ENOUGH_MEMORY (no free buffer); ERROR_NOACCESS.
 * Semantics: Microsoft's page "TraceEvent function".
 */
ETW_API ULONG WMIAPI TraceEvent(TRACEHANDLE TraceHandle, PEVENT_TRACE_HEADER EventTrace);

/**
 * TraceEventInstance() - write an event of an instance
 * @TraceHandle: as for TraceEvent()
 * @EventTrace: as for TraceEvent(), but for the GUID, which InstInfo has
 * @InstInfo: from CreateTraceInstanceId()
 * @ParentInstInfo: likewise, or NULL
 *
 * Return: as TraceEvent(); ERROR_INVALID_PARAMETER also for a RegHandle that is
 * not registered.
 * Semantics: Microsoft's page "TraceEventInstance function".
 */
ETW_API ULONG WMIAPI TraceEventInstance(TRACEHANDLE TraceHandle,
					PEVENT_INSTANCE_HEADER EventTrace,
					PEVENT_INSTANCE_INFO InstInfo,
					PEVENT_INSTANCE_INFO ParentInstInfo);

/**
 * CreateTraceInstanceId() - the next id of a class: 1, 2 ... 0xFFFFFFFF, 1 ...
 * @RegHandle: from RegisterTraceGuids()
 * @InstInfo: out
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (NULL, not registered).
 * Semantics: Microsoft's page "CreateTraceInstanceId function".
 */
ETW_API ULONG WMIAPI CreateTraceInstanceId(HANDLE RegHandle, PEVENT_INSTANCE_INFO InstInfo);

/**
 * TraceMessage() - write a message
 * @LoggerHandle: from GetTraceLoggerHandle()
 * @MessageFlags: TRACE_MESSAGE_: what stands before the arguments
 * @MessageGuid: with TRACE_MESSAGE_GUID, or for its Data1 with _COMPONENTID
 * @MessageNumber: which message of that GUID
 *
 * Then pairs of const void * and SIZE_T, and NULL at the end.  Numbers
 * (TRACE_MESSAGE_SEQUENCE) are 0 unless the session counts messages.
 *
 * Return: as TraceEvent(); ERROR_INVALID_PARAMETER (flags, NULL GUID).
 * Semantics: Microsoft's page "TraceMessage function".
 */
ETW_API ULONG TraceMessage(TRACEHANDLE LoggerHandle, ULONG MessageFlags,
			   LPCGUID MessageGuid, USHORT MessageNumber, ...);
/** TraceMessageVa() - TraceMessage() with a list of arguments */
ETW_API ULONG TraceMessageVa(TRACEHANDLE LoggerHandle, ULONG MessageFlags,
			     LPCGUID MessageGuid, USHORT MessageNumber,
			     va_list MessageArgList);

#ifdef UNICODE
#define RegisterTraceGuids	RegisterTraceGuidsW
#else
#define RegisterTraceGuids	RegisterTraceGuidsA
#endif

ETW_END_DECLS

#endif /* ETW_EVNTRACE_CLASSIC_H */
