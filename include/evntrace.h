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
#else
#include <stdarg.h>
#include <etw/winerror.h>
#include <etw/wintypes.h>
#include <evntprov.h>
#include <wmistr.h>
#endif

/* --------------------------------------------------------------- constants */

/*
 * Windows' names.  A constant listed here need not be supported: the functions below
 * document what they refuse.
 */

/* ControlTrace() ControlCode */
#define EVENT_TRACE_CONTROL_QUERY		0
#define EVENT_TRACE_CONTROL_STOP		1
#define EVENT_TRACE_CONTROL_UPDATE		2
#define EVENT_TRACE_CONTROL_FLUSH		3
#define EVENT_TRACE_CONTROL_INCREMENT_FILE	4
#define EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME	5

/* EVENT_TRACE_PROPERTIES.LogFileMode: "logging mode constants" */
#define EVENT_TRACE_FILE_MODE_NONE		0x00000000
#define EVENT_TRACE_FILE_MODE_SEQUENTIAL	0x00000001
#define EVENT_TRACE_FILE_MODE_CIRCULAR		0x00000002
#define EVENT_TRACE_FILE_MODE_APPEND		0x00000004
#define EVENT_TRACE_FILE_MODE_NEWFILE		0x00000008
#define EVENT_TRACE_USE_MS_FLUSH_TIMER		0x00000010	/* FlushTimer in ms */
#define EVENT_TRACE_FILE_MODE_PREALLOCATE	0x00000020
#define EVENT_TRACE_NONSTOPPABLE_MODE		0x00000040
#define EVENT_TRACE_SECURE_MODE			0x00000080
#define EVENT_TRACE_REAL_TIME_MODE		0x00000100
#define EVENT_TRACE_DELAY_OPEN_FILE_MODE	0x00000200
#define EVENT_TRACE_BUFFERING_MODE		0x00000400
#define EVENT_TRACE_PRIVATE_LOGGER_MODE		0x00000800
#define EVENT_TRACE_ADD_HEADER_MODE		0x00001000
#define EVENT_TRACE_USE_KBYTES_FOR_SIZE		0x00002000	/* MaximumFileSize in KB */
#define EVENT_TRACE_USE_GLOBAL_SEQUENCE		0x00004000
#define EVENT_TRACE_USE_LOCAL_SEQUENCE		0x00008000
#define EVENT_TRACE_RELOG_MODE			0x00010000
#define EVENT_TRACE_PRIVATE_IN_PROC		0x00020000
#define EVENT_TRACE_MODE_RESERVED		0x00100000
#define EVENT_TRACE_STOP_ON_HYBRID_SHUTDOWN	0x00400000
#define EVENT_TRACE_PERSIST_ON_HYBRID_SHUTDOWN	0x00800000
#define EVENT_TRACE_USE_PAGED_MEMORY		0x01000000
#define EVENT_TRACE_SYSTEM_LOGGER_MODE		0x02000000
#define EVENT_TRACE_COMPRESSED_MODE		0x04000000
#define EVENT_TRACE_INDEPENDENT_SESSION_MODE	0x08000000
#define EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING	0x10000000
#define EVENT_TRACE_ADDTO_TRIAGE_DUMP		0x80000000

/* Event levels */
#define TRACE_LEVEL_NONE		0	/* passes every level filter */
#define TRACE_LEVEL_CRITICAL		1
#define TRACE_LEVEL_FATAL		1
#define TRACE_LEVEL_ERROR		2
#define TRACE_LEVEL_WARNING		3
#define TRACE_LEVEL_INFORMATION		4
#define TRACE_LEVEL_VERBOSE		5
#define TRACE_LEVEL_RESERVED6		6
#define TRACE_LEVEL_RESERVED7		7
#define TRACE_LEVEL_RESERVED8		8
#define TRACE_LEVEL_RESERVED9		9

/* Opcodes, and event types of classic events */
#define EVENT_TRACE_TYPE_INFO		0x00
#define EVENT_TRACE_TYPE_START		0x01
#define EVENT_TRACE_TYPE_END		0x02
#define EVENT_TRACE_TYPE_STOP		0x02
#define EVENT_TRACE_TYPE_DC_START	0x03
#define EVENT_TRACE_TYPE_DC_END		0x04
#define EVENT_TRACE_TYPE_EXTENSION	0x05
#define EVENT_TRACE_TYPE_REPLY		0x06
#define EVENT_TRACE_TYPE_DEQUEUE	0x07
#define EVENT_TRACE_TYPE_RESUME		0x07
#define EVENT_TRACE_TYPE_CHECKPOINT	0x08
#define EVENT_TRACE_TYPE_SUSPEND	0x08
#define EVENT_TRACE_TYPE_WINEVT_SEND	0x09
#define EVENT_TRACE_TYPE_WINEVT_RECEIVE	0xF0

/* ENABLE_TRACE_PARAMETERS.Version */
#define ENABLE_TRACE_PARAMETERS_VERSION		1
#define ENABLE_TRACE_PARAMETERS_VERSION_2	2

/* ENABLE_TRACE_PARAMETERS.EnableProperty: what goes along with each event */
#define EVENT_ENABLE_PROPERTY_SID			0x00000001
#define EVENT_ENABLE_PROPERTY_TS_ID			0x00000002
#define EVENT_ENABLE_PROPERTY_STACK_TRACE		0x00000004
#define EVENT_ENABLE_PROPERTY_PSM_KEY			0x00000008
#define EVENT_ENABLE_PROPERTY_IGNORE_KEYWORD_0		0x00000010	/* no keyword: drop */
#define EVENT_ENABLE_PROPERTY_PROVIDER_GROUP		0x00000020
#define EVENT_ENABLE_PROPERTY_ENABLE_KEYWORD_0		0x00000040
#define EVENT_ENABLE_PROPERTY_PROCESS_START_KEY		0x00000080
#define EVENT_ENABLE_PROPERTY_EVENT_KEY			0x00000100
#define EVENT_ENABLE_PROPERTY_EXCLUDE_INPRIVATE		0x00000200
#define EVENT_ENABLE_PROPERTY_ENABLE_SILOS		0x00000400
#define EVENT_ENABLE_PROPERTY_SOURCE_CONTAINER_TRACKING	0x00000800

/* Flags of a provider instance */
#define TRACE_PROVIDER_FLAG_LEGACY	0x00000001
#define TRACE_PROVIDER_FLAG_PRE_ENABLE	0x00000002

/* EVENT_TRACE_PROPERTIES.EnableFlags of a system logger */
#define EVENT_TRACE_FLAG_PROCESS		0x00000001
#define EVENT_TRACE_FLAG_THREAD			0x00000002
#define EVENT_TRACE_FLAG_IMAGE_LOAD		0x00000004
#define EVENT_TRACE_FLAG_PROCESS_COUNTERS	0x00000008
#define EVENT_TRACE_FLAG_CSWITCH		0x00000010
#define EVENT_TRACE_FLAG_DPC			0x00000020
#define EVENT_TRACE_FLAG_INTERRUPT		0x00000040
#define EVENT_TRACE_FLAG_SYSTEMCALL		0x00000080
#define EVENT_TRACE_FLAG_DISK_IO		0x00000100
#define EVENT_TRACE_FLAG_DISK_FILE_IO		0x00000200
#define EVENT_TRACE_FLAG_DISK_IO_INIT		0x00000400
#define EVENT_TRACE_FLAG_DISPATCHER		0x00000800
#define EVENT_TRACE_FLAG_MEMORY_PAGE_FAULTS	0x00001000
#define EVENT_TRACE_FLAG_MEMORY_HARD_FAULTS	0x00002000
#define EVENT_TRACE_FLAG_VIRTUAL_ALLOC		0x00004000
#define EVENT_TRACE_FLAG_VAMAP			0x00008000
#define EVENT_TRACE_FLAG_NETWORK_TCPIP		0x00010000
#define EVENT_TRACE_FLAG_REGISTRY		0x00020000
#define EVENT_TRACE_FLAG_DBGPRINT		0x00040000
#define EVENT_TRACE_FLAG_JOB			0x00080000
#define EVENT_TRACE_FLAG_ALPC			0x00100000
#define EVENT_TRACE_FLAG_SPLIT_IO		0x00200000
#define EVENT_TRACE_FLAG_DEBUG_EVENTS		0x00400000
#define EVENT_TRACE_FLAG_DRIVER			0x00800000
#define EVENT_TRACE_FLAG_PROFILE		0x01000000
#define EVENT_TRACE_FLAG_FILE_IO		0x02000000
#define EVENT_TRACE_FLAG_FILE_IO_INIT		0x04000000
#define EVENT_TRACE_FLAG_NO_SYSCONFIG		0x10000000
#define EVENT_TRACE_FLAG_ENABLE_RESERVE		0x20000000
#define EVENT_TRACE_FLAG_FORWARD_WMI		0x40000000
#define EVENT_TRACE_FLAG_EXTENSION		0x80000000

/* Classic and message events */
#define MAX_MOF_FIELDS				16
#define TRACE_MESSAGE_SEQUENCE			1
#define TRACE_MESSAGE_GUID			2
#define TRACE_MESSAGE_COMPONENTID		4
#define TRACE_MESSAGE_TIMESTAMP			8
#define TRACE_MESSAGE_PERFORMANCE_TIMESTAMP	16
#define TRACE_MESSAGE_SYSTEMINFO		32
#define TRACE_MESSAGE_MAXIMUM_SIZE		(64 * 1024)	/* bytes */

/* Session names that Windows gives a meaning */
#define KERNEL_LOGGER_NAMEA	"NT Kernel Logger"
#define KERNEL_LOGGER_NAMEW	ETW_WIDE("NT Kernel Logger")
#define GLOBAL_LOGGER_NAMEA	"GlobalLogger"
#define GLOBAL_LOGGER_NAMEW	ETW_WIDE("GlobalLogger")
#define EVENT_LOGGER_NAMEA	"EventLog"
#define EVENT_LOGGER_NAMEW	ETW_WIDE("EventLog")
#define DIAG_LOGGER_NAMEA	"DiagLog"
#define DIAG_LOGGER_NAMEW	ETW_WIDE("DiagLog")

#ifdef UNICODE
#define KERNEL_LOGGER_NAME	KERNEL_LOGGER_NAMEW
#define GLOBAL_LOGGER_NAME	GLOBAL_LOGGER_NAMEW
#define EVENT_LOGGER_NAME	EVENT_LOGGER_NAMEW
#define DIAG_LOGGER_NAME	DIAG_LOGGER_NAMEW
#else
#define KERNEL_LOGGER_NAME	KERNEL_LOGGER_NAMEA
#define GLOBAL_LOGGER_NAME	GLOBAL_LOGGER_NAMEA
#define EVENT_LOGGER_NAME	EVENT_LOGGER_NAMEA
#define DIAG_LOGGER_NAME	DIAG_LOGGER_NAMEA
#endif

/* A copy in each file that uses one: compare by value, not by address. */

/* Provider of the event at the head of every log */
static const GUID EventTraceGuid ETW_UNUSED = {
	0x68fdd900, 0x4a3e, 0x11d1,
	{ 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3 }
};

/* The system's own events: GUID of the "NT Kernel Logger" session */
static const GUID SystemTraceControlGuid ETW_UNUSED = {
	0x9e814aad, 0x3204, 0x11d2,
	{ 0x9a, 0x82, 0x00, 0x60, 0x08, 0xa8, 0x69, 0x39 }
};

/* Provider of events that describe the machine */
static const GUID EventTraceConfigGuid ETW_UNUSED = {
	0x01853a65, 0x418f, 0x4f36,
	{ 0xae, 0xfc, 0xdc, 0x0f, 0x1d, 0x2f, 0xd2, 0x35 }
};

/* Whose rights a GUID without rights of its own has */
static const GUID DefaultTraceSecurityGuid ETW_UNUSED = {
	0x0811c1af, 0x7a07, 0x4a06,
	{ 0x82, 0xed, 0x86, 0x94, 0x55, 0xcd, 0xf7, 0x13 }
};

static const GUID PrivateLoggerNotificationGuid ETW_UNUSED = {
	0x3595ab5c, 0x042a, 0x4c8e,
	{ 0xb9, 0x42, 0x2d, 0x05, 0x9b, 0xfe, 0xb1, 0xb1 }
};

#ifndef __KERNEL__

ETW_BEGIN_DECLS

/* ----------------------------------------------------- sessions and events */

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

/* ------------------------------------- providers, and older ways to enable */

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

/* ------------------------------------------------------- traces as buffers */

/*
 * The newer functions that open a trace.  Like OpenTrace(), they return a handle for
 * ProcessTrace() and CloseTrace().  Events arrive as EVENT_RECORDs, and the BufferCallback
 * receives the buffers themselves: a program can keep them, write them to a file, or send
 * them to another machine, which processes them with OpenTraceFromBufferStream().
 */
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

/* ------------------------------------------------------- classic providers */

/*
 * A classic provider registers with RegisterTraceGuids() and writes events of event classes,
 * or messages.  One session at a time has such a provider enabled: the last one that
 * enabled it.  Only the control callback learns about the session, as a handle that holds
 * its id, level and flags.  Only events written with that handle reach the session, and
 * ETW does not filter them.  Any thread may call any of these functions.
 *
 * New programs use <evntprov.h>.
 */
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

#endif /* __KERNEL__ */

#endif /* ETW_EVNTRACE_H */
