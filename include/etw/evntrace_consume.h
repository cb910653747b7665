/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * evntrace_consume.h - the newer ways to open a trace, and questions about it; include
 * <evntrace.h>
 *
 * As OpenTrace(), these return a handle for ProcessTrace() and CloseTrace().  Events come
 * as EVENT_RECORDs, and the BufferCallback gets the buffers themselves: these may be
 * kept, written to a file, or sent to another machine, which processes them with
 * OpenTraceFromBufferStream().
 */
#ifndef ETW_EVNTRACE_CONSUME_H
#define ETW_EVNTRACE_CONSUME_H

#ifndef ETW_EVNTRACE_H
#error "include <evntrace.h>"
#endif

ETW_BEGIN_DECLS

/* What a BufferCallback is told besides, 24 bytes */
typedef struct ETW_BUFFER_CALLBACK_INFORMATION {
	PROCESSTRACE_HANDLE TraceHandle;
	const TRACE_LOGFILE_HEADER *LogfileHeader;	/* as it is now */
	ULONG BuffersRead;		/* this one included */
} ETW_BUFFER_CALLBACK_INFORMATION;

/*
 * A buffer's events are done; FALSE ends ProcessTrace() with ERROR_CANCELLED.  The first
 * buffer is that of the header.  Buffer is valid during the call, unless it is kept with
 * ProcessTraceBufferIncrementReference(); it has no compression, whatever the file has.
 */
typedef BOOL (WINAPI *PETW_BUFFER_CALLBACK)(const ETW_BUFFER_HEADER *Buffer, ULONG BufferSize,
					    const ETW_BUFFER_CALLBACK_INFORMATION *ConsumerInfo,
					    void *CallbackContext);

/* OpenTraceFromBufferStream() needs the buffer no more. */
typedef VOID (WINAPI *PETW_BUFFER_COMPLETION_CALLBACK)(const ETW_BUFFER_HEADER *Buffer,
						       void *CallbackContext);

typedef enum ETW_PROCESS_TRACE_MODES {
	ETW_PROCESS_TRACE_MODE_NONE = 0,
	ETW_PROCESS_TRACE_MODE_RAW_TIMESTAMP = 0x00000001	/* clock ticks as they are */
} ETW_PROCESS_TRACE_MODES;

/* 40 bytes */
typedef struct ETW_OPEN_TRACE_OPTIONS {
	ETW_PROCESS_TRACE_MODES ProcessTraceModes;
	PEVENT_RECORD_CALLBACK EventCallback;	/* or NULL: only buffers are wanted */
	void *EventCallbackContext;		/* EVENT_RECORD.UserContext */
	PETW_BUFFER_CALLBACK BufferCallback;	/* or NULL */
	void *BufferCallbackContext;
} ETW_OPEN_TRACE_OPTIONS;

/**
 * OpenTraceFromFile() - open a log file
 * @LogFileName: path
 * @Options: need not stay
 * @LogFileHeader: out, or NULL
 *
 * Return: as OpenTraceW(), of a file.
 * Context: any thread.
 * Semantics: Microsoft's page "OpenTraceFromFile".
 */
ETW_API PROCESSTRACE_HANDLE WMIAPI OpenTraceFromFile(PCWSTR LogFileName,
						     const ETW_OPEN_TRACE_OPTIONS *Options,
						     TRACE_LOGFILE_HEADER *LogFileHeader);

/**
 * OpenTraceFromRealTimeLogger() - open a session that runs
 * @LoggerName: the session
 * @Options: need not stay
 * @LogFileHeader: out, or NULL
 *
 * Return: as OpenTraceW(), of a session.
 * Context: any thread.
 * Semantics: Microsoft's page "OpenTraceFromRealTimeLogger".
 */
ETW_API PROCESSTRACE_HANDLE WMIAPI
OpenTraceFromRealTimeLogger(PCWSTR LoggerName, const ETW_OPEN_TRACE_OPTIONS *Options,
			    TRACE_LOGFILE_HEADER *LogFileHeader);

/**
 * OpenTraceFromRealTimeLoggerWithAllocationOptions() - the same, with a wish for memory
 * @LoggerName: the session
 * @Options: need not stay
 * @AllocationSize: not looked at: memory is taken as it is needed, and used again
 * @MemoryPartitionHandle: NULL; there are no memory partitions
 * @LogFileHeader: out, or NULL
 *
 * Return: as OpenTraceFromRealTimeLogger(); ERROR_NOT_SUPPORTED (a partition).
 * Context: any thread.
 * Semantics: Microsoft's page of that name.
 */
ETW_API PROCESSTRACE_HANDLE WMIAPI
OpenTraceFromRealTimeLoggerWithAllocationOptions(PCWSTR LoggerName,
						 const ETW_OPEN_TRACE_OPTIONS *Options,
						 ULONG_PTR AllocationSize,
						 HANDLE MemoryPartitionHandle,
						 TRACE_LOGFILE_HEADER *LogFileHeader);

/**
 * OpenTraceFromBufferStream() - process buffers that the caller gets from elsewhere
 * @Options: need not stay
 * @BufferCompletionCallback: called for each buffer that was added, once it is needed no
 *	more, on the thread of ProcessTrace(), or of CloseTrace() if that was not called
 * @BufferCompletionContext: for that callback
 *
 * ProcessTrace() waits for buffers until CloseTrace() is called, and then returns
 * ERROR_SUCCESS when those that were added before are done.  It takes the handle of one
 * stream alone.
 *
 * Return: as OpenTraceW(): ERROR_INVALID_PARAMETER, ERROR_NOT_ENOUGH_MEMORY.
 * Context: any thread.
 * Semantics: Microsoft's page "OpenTraceFromBufferStream".
 */
ETW_API PROCESSTRACE_HANDLE WMIAPI
OpenTraceFromBufferStream(const ETW_OPEN_TRACE_OPTIONS *Options,
			  PETW_BUFFER_COMPLETION_CALLBACK BufferCompletionCallback,
			  void *BufferCompletionContext);

/**
 * ProcessTraceAddBufferToBufferStream() - give the next buffer to a stream
 * @TraceHandle: from OpenTraceFromBufferStream()
 * @Buffer: as a BufferCallback got it; the first one is that of the header
 * @BufferSize: bytes
 *
 * Buffers come in the order in which another ProcessTrace() was through with them; those
 * of one CPU have to.  Events of several CPUs are handed out by time, as far as the
 * buffers that are here allow to tell.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_HANDLE (no such handle, not of a stream, closed);
 * ERROR_INVALID_PARAMETER (NULL, no buffer, no header's buffer where there has to be one,
 * or another one later); ERROR_INVALID_TIME (not behind the last one of its CPU);
 * ERROR_NOT_ENOUGH_MEMORY.  After an error the buffer is the caller's still.
 * Context: any thread, callbacks included.
 * Semantics: Microsoft's page "ProcessTraceAddBufferToBufferStream".
 */
ETW_API ULONG WMIAPI ProcessTraceAddBufferToBufferStream(PROCESSTRACE_HANDLE TraceHandle,
							 const ETW_BUFFER_HEADER *Buffer,
							 ULONG BufferSize);

/**
 * ProcessTraceBufferIncrementReference() - keep a buffer beyond the callback
 * @TraceHandle: ConsumerInfo->TraceHandle
 * @Buffer: what the BufferCallback got
 *
 * ProcessTrace() does not return before all that was kept has been let go.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_HANDLE; ERROR_INVALID_PARAMETER (not the buffer that
 * the callback has); ERROR_NOT_SUPPORTED (of a stream: the buffer is the caller's);
 * ERROR_NOT_ENOUGH_MEMORY.
 * Context: during a BufferCallback of that handle.
 * Semantics: Microsoft's page "ProcessTraceBufferIncrementReference".
 */
ETW_API ULONG WMIAPI ProcessTraceBufferIncrementReference(PROCESSTRACE_HANDLE TraceHandle,
							  const ETW_BUFFER_HEADER *Buffer);

/**
 * ProcessTraceBufferDecrementReference() - let go a buffer that was kept
 * @Buffer: that buffer, once for each time that it was kept
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (it is not kept).
 * Context: any thread.
 * Semantics: Microsoft's page "ProcessTraceBufferDecrementReference".
 */
ETW_API ULONG WMIAPI ProcessTraceBufferDecrementReference(const ETW_BUFFER_HEADER *Buffer);

/**
 * SetTraceCallback() - have the events of one class handed to another callback, too
 * @pGuid: class, of a classic provider's events or of a trace's header (EventTraceGuid)
 * @EventCallback: in place of the one that was set for that class before
 *
 * For all traces of the process that do not ask for EVENT_RECORDs, after their own
 * EventCallback.  What EventWrite() and its kin wrote has no class.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (NULL); ERROR_NOT_ENOUGH_MEMORY.
 * Context: any thread, callbacks included.
 * Semantics: Microsoft's page "SetTraceCallback function".
 */
ETW_API ULONG WMIAPI SetTraceCallback(LPCGUID pGuid, PEVENT_CALLBACK EventCallback);

/**
 * RemoveTraceCallback() - end that
 * @pGuid: class
 *
 * An event that is being handed out now may come to the callback still.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (NULL); ERROR_WMI_GUID_NOT_FOUND (none is
 * set).
 * Context: any thread, callbacks included.
 * Semantics: Microsoft's page "RemoveTraceCallback function".
 */
ETW_API ULONG WMIAPI RemoveTraceCallback(LPCGUID pGuid);

/* What can be asked about an opened trace */
typedef enum _ETW_PROCESS_HANDLE_INFO_TYPE {
	EtwQueryPartitionInformation = 1,
	EtwQueryPartitionInformationV2 = 2,
	EtwQueryLastDroppedTimes = 3,
	EtwQueryLogFileHeader = 4,
	EtwQueryProcessHandleInfoMax
} ETW_PROCESS_HANDLE_INFO_TYPE;

/* Zero: no trace here is of a guest partition; 48 bytes */
typedef struct _ETW_TRACE_PARTITION_INFORMATION {
	GUID PartitionId;
	GUID ParentId;
	LONG64 QpcOffsetFromRoot;
	ULONG PartitionType;
} ETW_TRACE_PARTITION_INFORMATION, *PETW_TRACE_PARTITION_INFORMATION;

/* Likewise; 32 bytes */
typedef struct _ETW_TRACE_PARTITION_INFORMATION_V2 {
	LONG64 QpcOffsetFromRoot;
	ULONG PartitionType;
	PWSTR PartitionId;
	PWSTR ParentId;
} ETW_TRACE_PARTITION_INFORMATION_V2, *PETW_TRACE_PARTITION_INFORMATION_V2;

/**
 * QueryTraceProcessingHandle() - ask about a trace that is open
 * @ProcessingHandle: from OpenTrace() and its kin
 * @InformationClass: what is asked
 * @InBuffer: not looked at
 * @InBufferSize: not looked at
 * @OutBuffer: for the answer
 * @OutBufferSize: bytes
 * @ReturnLength: out: bytes of the answer, also if they do not fit
 *
 * EtwQueryPartitionInformation and V2: zero.
 * EtwQueryLastDroppedTimes: a ULONG, how many CPUs there are, and behind it, from byte 8
 * on, a LARGE_INTEGER for each of them: the time, in ticks of the trace's clock, of the
 * first event after the last ones that were lost, as far as was read; 0: none were.
 * EtwQueryLogFileHeader: the TRACE_LOGFILE_HEADER as it is now.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_HANDLE; ERROR_INVALID_PARAMETER (unknown class,
 * NULL); ERROR_INSUFFICIENT_BUFFER.
 * Context: any thread, callbacks included.
 * Semantics: Microsoft's pages "QueryTraceProcessingHandle function" and
 * "ETW_PROCESS_HANDLE_INFO_TYPE enumeration".
 */
ETW_API ULONG WMIAPI QueryTraceProcessingHandle(PROCESSTRACE_HANDLE ProcessingHandle,
						ETW_PROCESS_HANDLE_INFO_TYPE InformationClass,
						PVOID InBuffer, ULONG InBufferSize,
						PVOID OutBuffer, ULONG OutBufferSize,
						PULONG ReturnLength);

ETW_END_DECLS

#endif /* ETW_EVNTRACE_CONSUME_H */
