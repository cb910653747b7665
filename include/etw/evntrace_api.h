/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * evntrace_api.h - the functions of evntrace.h; include <evntrace.h>
 */
#ifndef ETW_EVNTRACE_API_H
#define ETW_EVNTRACE_API_H

#ifndef ETW_EVNTRACE_H
#error "include <evntrace.h>"
#endif

ETW_BEGIN_DECLS

/* ------------------------------------------------------------- sessions */

/**
 * StartTraceW() - start a session
 * @TraceHandle: out: the session's handle, 0 when the call fails
 * @InstanceName: 1 to 1,024 bytes as UTF-8, unique without regard to ASCII case
 * @Properties: in/out, see EVENT_TRACE_PROPERTIES
 *
 * In: Wnode.BufferSize, Wnode.Flags = WNODE_FLAG_TRACED_GUID, Wnode.Guid and
 * Wnode.ClientContext (clock), LogFileMode, sizes, FlushTimer, offsets.  Sizes
 * out of range are corrected, not refused.  Out: the values in use, the handle
 * in Wnode.HistoricalContext, the GUID, the name at LoggerNameOffset.
 *
 * The session outlives the caller; end it with EVENT_TRACE_CONTROL_STOP.
 *
 * With EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING all CPUs write to one buffer: few
 * events take less memory, many take longer.
 *
 * Return: ERROR_SUCCESS; ERROR_BAD_LENGTH (Wnode.BufferSize has no room for
 * struct and names); ERROR_INVALID_PARAMETER (NULL, bad name, offset, clock or
 * mode, EnableFlags of a session that is not the system's); ERROR_BAD_PATHNAME (mode needs a file, none named);
 * ERROR_ALREADY_EXISTS (name or GUID in use); ERROR_ACCESS_DENIED;
 * ERROR_NO_SYSTEM_RESOURCES (64 sessions run, or the buffers would take more
 * than 1/8 of memory); ERROR_NOT_ENOUGH_MEMORY; ERROR_NOT_SUPPORTED.
 * Context: any thread, not from an enable callback.
 * Semantics: Microsoft's page "StartTraceW function".
 */
ETW_API ULONG WMIAPI StartTraceW(PTRACEHANDLE TraceHandle, LPCWSTR InstanceName,
				 PEVENT_TRACE_PROPERTIES Properties);
/** StartTraceA() - StartTraceW() with UTF-8 names */
ETW_API ULONG WMIAPI StartTraceA(PTRACEHANDLE TraceHandle, LPCSTR InstanceName,
				 PEVENT_TRACE_PROPERTIES Properties);

/**
 * ControlTraceW() - query, stop, update or flush a session
 * @TraceHandle: the session; ignored when a name is given
 * @InstanceName: the session's name, or NULL
 * @Properties: in/out, as for StartTraceW()
 * @ControlCode: EVENT_TRACE_CONTROL_
 *
 * QUERY fills all settings, counters and names.  STOP disables the session's
 * providers and returns its last state; what was written stays readable for
 * its consumers.  UPDATE takes MaximumBuffers and FlushTimer (0 leaves them)
 * and ignores the rest, but for REAL_TIME_MODE, which a buffering session cannot
 * take, and EnableFlags.  FLUSH delivers partly filled buffers; in a buffering
 * session it hands over a snapshot.
 *
 * Return: ERROR_SUCCESS; ERROR_BAD_LENGTH; ERROR_INVALID_PARAMETER;
 * ERROR_MORE_DATA (no room for the names; STOP has stopped the session all the
 * same); ERROR_WMI_INSTANCE_NOT_FOUND (no such session, or another call has
 * stopped it); ERROR_ACTIVE_CONNECTIONS (UPDATE and FLUSH of a session that is just
 * being stopped; STOP and QUERY never say so); ERROR_ACCESS_DENIED;
 * ERROR_NO_SYSTEM_RESOURCES (UPDATE: the buffers could take more than 1/8 of
 * memory); ERROR_NOT_ENOUGH_MEMORY; ERROR_WMI_SERVER_UNAVAILABLE (no module);
 * ERROR_NOT_SUPPORTED (UPDATE names a file).  INCREMENT_FILE and CONVERT_TO_
 * REALTIME of a session that has no file are ERROR_INVALID_PARAMETER.
 * Context: any thread, not from an enable callback.
 * Semantics: Microsoft's page "ControlTraceW function".
 */
ETW_API ULONG WMIAPI ControlTraceW(TRACEHANDLE TraceHandle, LPCWSTR InstanceName,
				   PEVENT_TRACE_PROPERTIES Properties,
				   ULONG ControlCode);
/** ControlTraceA() - ControlTraceW() with UTF-8 names */
ETW_API ULONG WMIAPI ControlTraceA(TRACEHANDLE TraceHandle, LPCSTR InstanceName,
				   PEVENT_TRACE_PROPERTIES Properties,
				   ULONG ControlCode);

/*
 * ControlTrace() with EVENT_TRACE_CONTROL_QUERY, _STOP, _UPDATE and _FLUSH.
 * Semantics: Microsoft's pages "QueryTraceW function" and so on.
 */
ETW_API ULONG WMIAPI QueryTraceW(TRACEHANDLE TraceHandle, LPCWSTR InstanceName,
				 PEVENT_TRACE_PROPERTIES Properties);
ETW_API ULONG WMIAPI QueryTraceA(TRACEHANDLE TraceHandle, LPCSTR InstanceName,
				 PEVENT_TRACE_PROPERTIES Properties);
ETW_API ULONG WMIAPI StopTraceW(TRACEHANDLE TraceHandle, LPCWSTR InstanceName,
				PEVENT_TRACE_PROPERTIES Properties);
ETW_API ULONG WMIAPI StopTraceA(TRACEHANDLE TraceHandle, LPCSTR InstanceName,
				PEVENT_TRACE_PROPERTIES Properties);
ETW_API ULONG WMIAPI UpdateTraceW(TRACEHANDLE TraceHandle, LPCWSTR InstanceName,
				  PEVENT_TRACE_PROPERTIES Properties);
ETW_API ULONG WMIAPI UpdateTraceA(TRACEHANDLE TraceHandle, LPCSTR InstanceName,
				  PEVENT_TRACE_PROPERTIES Properties);
ETW_API ULONG WMIAPI FlushTraceW(TRACEHANDLE TraceHandle, LPCWSTR InstanceName,
				 PEVENT_TRACE_PROPERTIES Properties);
ETW_API ULONG WMIAPI FlushTraceA(TRACEHANDLE TraceHandle, LPCSTR InstanceName,
				 PEVENT_TRACE_PROPERTIES Properties);

/**
 * QueryAllTracesW() - query every session
 * @PropertyArray: blocks as for QUERY, owned by the caller
 * @PropertyArrayCount: how many, 1 to 64
 * @LoggerCount: out: how many sessions run
 *
 * Sessions that the caller may not query are left out.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (NULL, count 0 or too large, an
 * offset out of its block); ERROR_BAD_LENGTH (a block is too small);
 * ERROR_MORE_DATA (there are more sessions than blocks, or no room for a name;
 * the blocks that there are have been filled); ERROR_ACCESS_DENIED (the caller
 * may query no session, whichever there are); ERROR_WMI_SERVER_UNAVAILABLE (no
 * module).
 * Context: any thread, not from an enable callback.
 * Semantics: Microsoft's page "QueryAllTracesW function".
 */
ETW_API ULONG WMIAPI QueryAllTracesW(PEVENT_TRACE_PROPERTIES *PropertyArray,
				     ULONG PropertyArrayCount,
				     PULONG LoggerCount);
/** QueryAllTracesA() - QueryAllTracesW() with UTF-8 names */
ETW_API ULONG WMIAPI QueryAllTracesA(PEVENT_TRACE_PROPERTIES *PropertyArray,
				     ULONG PropertyArrayCount,
				     PULONG LoggerCount);

/**
 * EnableTraceEx2() - enable or disable a provider in a session
 * @TraceHandle: the session
 * @ProviderId: the provider, which need not be registered yet
 * @ControlCode: EVENT_CONTROL_CODE_
 * @Level: pass events up to this level; 0 and 255 pass all
 * @MatchAnyKeyword: pass events with one of these bits; 0 means all bits
 * @MatchAllKeyword: and with all of these
 * @Timeout: ms to wait for the enable callbacks; 0 does not wait, INFINITE
 *	waits without end
 * @EnableParameters: properties and filters, or NULL
 *
 * Events of keyword 0 or level 0 pass that test always, unless
 * EVENT_ENABLE_PROPERTY_IGNORE_KEYWORD_0 is set.  Enabling again replaces what
 * the session asked for before, filters included; an event and a registration
 * must pass all of them.  A SCHEMATIZED filter goes to callbacks, with
 * CAPTURE_STATE too; TRACEHANDLE with that only.  A PID filter takes the
 * registrations of processes that live now, and none in the kernel.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (handle 0, NULL, unknown
 * code, version, property or filter, or too many); ERROR_TIMEOUT (callbacks
 * still run; what was asked is in force); ERROR_NO_SYSTEM_RESOURCES (8
 * sessions have enabled it); ERROR_ACCESS_DENIED;
 * ERROR_WMI_INSTANCE_NOT_FOUND (no such session); ERROR_NOT_SUPPORTED (a
 * property that has no meaning here); ERROR_NOACCESS (a filter's data cannot be
 * read); ERROR_NOT_ENOUGH_MEMORY; ERROR_WMI_SERVER_UNAVAILABLE (no module).
 * Context: any thread, not from an enable callback.
 * Semantics: Microsoft's page "EnableTraceEx2 function".
 */
ETW_API ULONG WMIAPI EnableTraceEx2(TRACEHANDLE TraceHandle, LPCGUID ProviderId,
				    ULONG ControlCode, UCHAR Level,
				    ULONGLONG MatchAnyKeyword,
				    ULONGLONG MatchAllKeyword, ULONG Timeout,
				    PENABLE_TRACE_PARAMETERS EnableParameters);

/* ------------------------------------------------------------ consumers */

/**
 * OpenTraceW() - open a trace for reading
 * @Logfile: in/out, see EVENT_TRACE_LOGFILEW
 *
 * Exactly one of LoggerName and LogFileName is set, and ProcessTraceMode has
 * PROCESS_TRACE_MODE_REAL_TIME with a LoggerName.  Fills LogfileHeader.  The
 * struct and the names need not stay; callbacks and Context must.
 *
 * Return: a handle for ProcessTrace(), ended with CloseTrace(); or
 * INVALID_PROCESSTRACE_HANDLE, with GetLastError() ERROR_INVALID_PARAMETER,
 * ERROR_ACCESS_DENIED, ERROR_NOT_ENOUGH_MEMORY; of a session also
 * ERROR_WMI_INSTANCE_NOT_FOUND (it does not run) or ERROR_WMI_SERVER_UNAVAILABLE (no
 * module); of a file ERROR_FILE_NOT_FOUND, ERROR_BAD_PATHNAME (a directory, or what
 * cannot be read at any place) or ERROR_FILE_CORRUPT (no log file).
 * Context: any thread.
 * Semantics: Microsoft's page "OpenTraceW function".
 */
ETW_API TRACEHANDLE WMIAPI OpenTraceW(PEVENT_TRACE_LOGFILEW Logfile);
/** OpenTraceA() - OpenTraceW() with UTF-8 names */
ETW_API TRACEHANDLE WMIAPI OpenTraceA(PEVENT_TRACE_LOGFILEA Logfile);

/**
 * ProcessTrace() - hand a trace's events to its callbacks, in time order
 * @HandleArray: from OpenTrace()
 * @HandleCount: how many; one if it is a real-time session, else up to 64
 * @StartTime: first time to deliver, or NULL
 * @EndTime: last time to deliver, or NULL
 *
 * Blocks and calls back on this thread until the session stops or the files
 * end, CloseTrace(), or a BufferCallback returns FALSE.  Several files are merged
 * by time.  Events of one time from several CPUs come in any order, as do those
 * that were written with the clock set back.
 *
 * The first event of each trace tells of it: class EventTraceGuid, opcode 0, of the
 * session's start, with a TRACE_LOGFILE_HEADER, the session's and the file's name
 * (UTF-16 with their NULs) as payload.  It counts as no event of the session, and
 * @StartTime and @EndTime hold for it, too.
 *
 * What a real-time reader has missed is told by events without payload of class
 * RT_LostEvent (6a399ae0-4bc6-4de9-870b-3657f8947e7e) before those of the next
 * buffer: type 32 events, 33 buffers, 34 what was kept while nobody read.
 *
 * Times are FILETIME.  Those of a log file of this system are told by its buffers, so
 * they hold for days; those of Windows' files by start and frequency in the header.
 * No step of the wall clock shows in them.
 *
 * A thread that is cancelled (pthread_cancel(), the deferred kind) ends while it
 * waits, between two events, or in a callback that lets it.  The trace is then as
 * after ERROR_CANCELLED: another thread may process what is left, or close it.
 *
 * Return: ERROR_SUCCESS; ERROR_BAD_LENGTH (count 0 or over 64);
 * ERROR_INVALID_PARAMETER (NULL, or more than one real-time session);
 * ERROR_INVALID_HANDLE; ERROR_INVALID_TIME (EndTime before StartTime);
 * ERROR_CANCELLED; ERROR_WMI_INSTANCE_NOT_FOUND (the session is gone).
 * Context: any thread; a handle is processed by one thread at a time.
 * Semantics: Microsoft's page "ProcessTrace function".
 */
ETW_API ULONG WMIAPI ProcessTrace(PTRACEHANDLE HandleArray, ULONG HandleCount,
				  LPFILETIME StartTime, LPFILETIME EndTime);

/**
 * CloseTrace() - end reading
 * @TraceHandle: from OpenTrace()
 *
 * While ProcessTrace() runs on the handle, it is told to end and returns soon,
 * with ERROR_SUCCESS, when what it holds has been delivered.
 *
 * Return: ERROR_SUCCESS; ERROR_CTX_CLOSE_PENDING (ProcessTrace() runs; not a
 * failure); ERROR_INVALID_HANDLE (0, never opened, closed before).
 * Context: any thread, callbacks included.
 * Semantics: Microsoft's page "CloseTrace function".
 */
ETW_API ULONG WMIAPI CloseTrace(TRACEHANDLE TraceHandle);

#ifdef UNICODE
#define StartTrace	StartTraceW
#define ControlTrace	ControlTraceW
#define QueryTrace	QueryTraceW
#define StopTrace	StopTraceW
#define UpdateTrace	UpdateTraceW
#define FlushTrace	FlushTraceW
#define QueryAllTraces	QueryAllTracesW
#define OpenTrace	OpenTraceW
#else
#define StartTrace	StartTraceA
#define ControlTrace	ControlTraceA
#define QueryTrace	QueryTraceA
#define StopTrace	StopTraceA
#define UpdateTrace	UpdateTraceA
#define FlushTrace	FlushTraceA
#define QueryAllTraces	QueryAllTracesA
#define OpenTrace	OpenTraceA
#endif

ETW_END_DECLS

#endif /* ETW_EVNTRACE_API_H */
