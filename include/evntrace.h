/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * evntrace.h - control sessions, enable providers, read events
 *
 * A session has a name, a GUID and a handle, and lives until it is stopped,
 * also when the program that started it has ended.  Link with -letw.
 *
 * EVENT_TRACE_PROPERTIES is one block of memory that the caller owns: the
 * struct, then room for the session's name and, where one is used, the file's,
 * at the offsets that the struct holds.  Both are NUL-terminated, UTF-16 for
 * the W functions and UTF-8 for the A functions.  Wnode.BufferSize is the size
 * of the block in bytes.
 *
 * Private sessions get ERROR_NOT_SUPPORTED.
 *
 * Every function may be called by several threads at once, which may be
 * cancelled, see <evntprov.h>.  Unless it says otherwise it returns a Win32 code
 * (see <etw/winerror.h>) and, when it fails, leaves sessions and the caller's
 * memory as they were.
 *
 * Kernel modules get the constants and <etw/nt/etw.h>: no module controls a session.
 */
#ifndef ETW_EVNTRACE_H
#define ETW_EVNTRACE_H

#ifdef __KERNEL__
#include <etw/nt/etw.h>
#include <etw/evntrace_consts.h>
#else
#include <etw/winerror.h>
#include <etw/wintypes.h>
#include <evntprov.h>
#include <wmistr.h>
#include <etw/evntrace_consts.h>

ETW_BEGIN_DECLS

/* A session or an opened trace */
typedef ULONG64 TRACEHANDLE, *PTRACEHANDLE;
typedef ULONG64 CONTROLTRACE_ID;	/* a session */
typedef ULONG64 PROCESSTRACE_HANDLE;	/* an opened trace */

#define INVALID_PROCESSTRACE_HANDLE	((PROCESSTRACE_HANDLE)~0ULL)

typedef struct _EVENT_RECORD EVENT_RECORD, *PEVENT_RECORD;
typedef const EVENT_RECORD *PCEVENT_RECORD;

/* A session's settings and state, 120 bytes, names after it */
typedef struct _EVENT_TRACE_PROPERTIES {
	WNODE_HEADER Wnode;
	/* In; out as used.  0 takes the default. */
	ULONG BufferSize;		/* KB of one buffer, 4..16384 */
	ULONG MinimumBuffers;		/* at least 2 per CPU */
	ULONG MaximumBuffers;		/* at least MinimumBuffers */
	ULONG MaximumFileSize;		/* MB */
	ULONG LogFileMode;		/* EVENT_TRACE_*_MODE */
	ULONG FlushTimer;		/* seconds; real time: 0 means 1 */
	ULONG EnableFlags;		/* EVENT_TRACE_FLAG_, system loggers only */
	union {
		LONG AgeLimit;		/* unused */
		LONG FlushThreshold;	/* not read: each buffer is delivered when full */
	};
	/* Out */
	ULONG NumberOfBuffers;		/* allocated now */
	ULONG FreeBuffers;		/* of these, empty ones */
	ULONG EventsLost;		/* no buffer could take them */
	ULONG BuffersWritten;
	ULONG LogBuffersLost;		/* could not be written to the file */
	ULONG RealTimeBuffersLost;	/* could not be delivered to a consumer */
	HANDLE LoggerThreadId;
	/* Bytes from the start of this struct */
	ULONG LogFileNameOffset;	/* 0 = no file */
	ULONG LoggerNameOffset;		/* where the name is written to */
} EVENT_TRACE_PROPERTIES, *PEVENT_TRACE_PROPERTIES;

/* The same and more, 144 bytes; valid with WNODE_FLAG_VERSIONED_PROPERTIES */
typedef struct _EVENT_TRACE_PROPERTIES_V2 {
	WNODE_HEADER Wnode;
	ULONG BufferSize;
	ULONG MinimumBuffers;
	ULONG MaximumBuffers;
	ULONG MaximumFileSize;
	ULONG LogFileMode;
	ULONG FlushTimer;
	ULONG EnableFlags;
	union {
		LONG AgeLimit;
		LONG FlushThreshold;
	};
	ULONG NumberOfBuffers;
	ULONG FreeBuffers;
	ULONG EventsLost;
	ULONG BuffersWritten;
	ULONG LogBuffersLost;
	ULONG RealTimeBuffersLost;
	HANDLE LoggerThreadId;
	ULONG LogFileNameOffset;
	ULONG LoggerNameOffset;
	union {
		ETW_ANONYMOUS struct {
			ULONG VersionNumber : 8;	/* 2 */
		};
		ULONG V2Control;
	};
	ULONG FilterDescCount;
	PEVENT_FILTER_DESCRIPTOR FilterDesc;	/* private sessions: PID, EXECUTABLE_NAME */
	union {
		ETW_ANONYMOUS struct {
			ULONG Wow : 1;			/* not written here */
			ULONG QpcDeltaTracking : 1;
			ULONG LargeMdlPages : 1;
			ULONG ExcludeKernelStack : 1;
		};
		ULONG64 V2Options;
	};
} EVENT_TRACE_PROPERTIES_V2, *PEVENT_TRACE_PROPERTIES_V2;

/* More about an EnableTraceEx2() call, 48 bytes; Version 2 */
typedef struct _ENABLE_TRACE_PARAMETERS {
	ULONG Version;			/* ENABLE_TRACE_PARAMETERS_VERSION_2 */
	ULONG EnableProperty;		/* EVENT_ENABLE_PROPERTY_ */
	ULONG ControlFlags;		/* 0 */
	GUID SourceId;			/* handed to the enable callback */
	PEVENT_FILTER_DESCRIPTOR EnableFilterDesc;	/* array */
	ULONG FilterDescCount;		/* at most 13, each type once */
} ENABLE_TRACE_PARAMETERS, *PENABLE_TRACE_PARAMETERS;

/* Version 1, 40 bytes: one filter or NULL */
typedef struct _ENABLE_TRACE_PARAMETERS_V1 {
	ULONG Version;
	ULONG EnableProperty;
	ULONG ControlFlags;
	GUID SourceId;
	PEVENT_FILTER_DESCRIPTOR EnableFilterDesc;
} ENABLE_TRACE_PARAMETERS_V1, *PENABLE_TRACE_PARAMETERS_V1;

/* Which CPU and session an event came from, 4 bytes */
typedef struct _ETW_BUFFER_CONTEXT {
	union {
		ETW_ANONYMOUS struct {
			UCHAR ProcessorNumber;
			UCHAR Alignment;
		};
		USHORT ProcessorIndex;	/* see GetEventProcessorIndex() */
	};
	USHORT LoggerId;
} ETW_BUFFER_CONTEXT, *PETW_BUFFER_CONTEXT;

/* Head of every buffer, 72 bytes */
typedef struct _ETW_BUFFER_HEADER {
	ULONG Reserved1[4];
	LARGE_INTEGER TimeStamp;
	ULONG Reserved2[4];
	ETW_BUFFER_CONTEXT ClientContext;
	ULONG Reserved3;
	ULONG FilledBytes;		/* this header included */
	ULONG Reserved4[5];
} ETW_BUFFER_HEADER, *PETW_BUFFER_HEADER;

/* Header of a classic event, 48 bytes */
typedef struct _EVENT_TRACE_HEADER {
	USHORT Size;			/* bytes of the event */
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
			UCHAR Type;	/* EVENT_TRACE_TYPE_ */
			UCHAR Level;
			USHORT Version;
		} Class;
	};
	ULONG ThreadId;
	ULONG ProcessId;
	LARGE_INTEGER TimeStamp;	/* as in EVENT_HEADER */
	union {
		GUID Guid;
		ULONGLONG GuidPtr;
	};
	union {
		ETW_ANONYMOUS struct {
			ULONG KernelTime;
			ULONG UserTime;
		};
		ULONG64 ProcessorTime;
		ETW_ANONYMOUS struct {
			ULONG ClientContext;
			ULONG Flags;
		};
	};
} EVENT_TRACE_HEADER, *PEVENT_TRACE_HEADER;

/* A classic event as an EventCallback gets it, 88 bytes */
typedef struct _EVENT_TRACE {
	EVENT_TRACE_HEADER Header;
	ULONG InstanceId;
	ULONG ParentInstanceId;
	GUID ParentGuid;
	PVOID MofData;			/* payload */
	ULONG MofLength;		/* bytes of it */
	union {
		ULONG ClientContext;
		ETW_BUFFER_CONTEXT BufferContext;
	};
} EVENT_TRACE, *PEVENT_TRACE;

/* What a log says about itself, 280 bytes; payload of its first event */
typedef struct _TRACE_LOGFILE_HEADER {
	ULONG BufferSize;		/* bytes of one buffer */
	union {
		ULONG Version;
		struct {
			UCHAR MajorVersion;
			UCHAR MinorVersion;
			UCHAR SubVersion;
			UCHAR SubMinorVersion;
		} VersionDetail;
	};
	ULONG ProviderVersion;		/* of the operating system */
	ULONG NumberOfProcessors;
	LARGE_INTEGER EndTime;		/* FILETIME, 0 while it runs */
	ULONG TimerResolution;		/* 100 ns */
	ULONG MaximumFileSize;		/* MB */
	ULONG LogFileMode;		/* EVENT_TRACE_*_MODE */
	ULONG BuffersWritten;
	union {
		GUID LogInstanceGuid;
		ETW_ANONYMOUS struct {
			ULONG StartBuffers;
			ULONG PointerSize;	/* 4 or 8 */
			ULONG EventsLost;
			ULONG CpuSpeedInMHz;
		};
	};
	LPWSTR LoggerName;		/* do not use: the names */
	LPWSTR LogFileName;		/* follow the struct */
	TIME_ZONE_INFORMATION TimeZone;
	LARGE_INTEGER BootTime;		/* FILETIME */
	LARGE_INTEGER PerfFreq;		/* clock ticks per second */
	LARGE_INTEGER StartTime;	/* FILETIME */
	ULONG ReservedFlags;		/* clock: 1 QPC, 2 system time, 3 cycles */
	ULONG BuffersLost;
} TRACE_LOGFILE_HEADER, *PTRACE_LOGFILE_HEADER;

typedef struct _EVENT_TRACE_LOGFILEW EVENT_TRACE_LOGFILEW, *PEVENT_TRACE_LOGFILEW;
typedef struct _EVENT_TRACE_LOGFILEA EVENT_TRACE_LOGFILEA, *PEVENT_TRACE_LOGFILEA;

/*
 * Callbacks run on the thread that called ProcessTrace(), one at a time.  What
 * they get is valid during the call only.  They may call CloseTrace().
 *
 * PEVENT_RECORD_CALLBACK: one event (PROCESS_TRACE_MODE_EVENT_RECORD)
 * PEVENT_CALLBACK: one event, as a classic one (without that mode)
 * PEVENT_TRACE_BUFFER_CALLBACK: the events of a buffer are done; FALSE ends
 *	ProcessTrace() with ERROR_CANCELLED
 *
 * Semantics: Microsoft's pages of the same names.
 */
typedef VOID (WINAPI *PEVENT_RECORD_CALLBACK)(PEVENT_RECORD EventRecord);
typedef VOID (WINAPI *PEVENT_CALLBACK)(PEVENT_TRACE pEvent);
typedef ULONG (WINAPI *PEVENT_TRACE_BUFFER_CALLBACKW)(PEVENT_TRACE_LOGFILEW Logfile);
typedef ULONG (WINAPI *PEVENT_TRACE_BUFFER_CALLBACKA)(PEVENT_TRACE_LOGFILEA Logfile);

/* What to open and where events go, 448 bytes; zero it, then set what is "in" */
struct _EVENT_TRACE_LOGFILEW {
	LPWSTR LogFileName;		/* in: one of the two names */
	LPWSTR LoggerName;		/* in: a session, with REAL_TIME */
	LONGLONG CurrentTime;		/* out: FILETIME of the last event */
	ULONG BuffersRead;		/* out */
	union {
		ULONG LogFileMode;
		ULONG ProcessTraceMode;	/* in: PROCESS_TRACE_MODE_ */
	};
	EVENT_TRACE CurrentEvent;	/* out: of a classic event */
	TRACE_LOGFILE_HEADER LogfileHeader;	/* out, by OpenTrace() */
	PEVENT_TRACE_BUFFER_CALLBACKW BufferCallback;	/* in, or NULL */
	ULONG BufferSize;		/* out: bytes */
	ULONG Filled;			/* out: bytes used in the buffer */
	ULONG EventsLost;		/* unused */
	union {
		PEVENT_CALLBACK EventCallback;			/* in */
		PEVENT_RECORD_CALLBACK EventRecordCallback;	/* in */
	};
	ULONG IsKernelTrace;		/* out */
	PVOID Context;			/* in: EVENT_RECORD.UserContext */
};

/* The same with UTF-8 names */
struct _EVENT_TRACE_LOGFILEA {
	LPSTR LogFileName;
	LPSTR LoggerName;
	LONGLONG CurrentTime;
	ULONG BuffersRead;
	union {
		ULONG LogFileMode;
		ULONG ProcessTraceMode;
	};
	EVENT_TRACE CurrentEvent;
	TRACE_LOGFILE_HEADER LogfileHeader;
	PEVENT_TRACE_BUFFER_CALLBACKA BufferCallback;
	ULONG BufferSize;
	ULONG Filled;
	ULONG EventsLost;
	union {
		PEVENT_CALLBACK EventCallback;
		PEVENT_RECORD_CALLBACK EventRecordCallback;
	};
	ULONG IsKernelTrace;
	PVOID Context;
};

#ifdef UNICODE
#define EVENT_TRACE_LOGFILE		EVENT_TRACE_LOGFILEW
#define PEVENT_TRACE_LOGFILE		PEVENT_TRACE_LOGFILEW
#define PEVENT_TRACE_BUFFER_CALLBACK	PEVENT_TRACE_BUFFER_CALLBACKW
#else
#define EVENT_TRACE_LOGFILE		EVENT_TRACE_LOGFILEA
#define PEVENT_TRACE_LOGFILE		PEVENT_TRACE_LOGFILEA
#define PEVENT_TRACE_BUFFER_CALLBACK	PEVENT_TRACE_BUFFER_CALLBACKA
#endif

ETW_END_DECLS

#include <etw/evntrace_api.h>
#include <etw/evntrace_classic.h>
#include <etw/evntrace_consume.h>
#include <etw/evntrace_info.h>

#endif /* __KERNEL__ */

#endif /* ETW_EVNTRACE_H */
