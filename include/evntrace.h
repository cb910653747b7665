/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * evntrace.h - control sessions, enable providers, read events
 *
 * A session has a name, a GUID and a handle.  It runs until it is stopped, even after
 * the program that started it has exited.  Link with -letw.
 *
 * EVENT_TRACE_PROPERTIES is one block of memory owned by the caller: the struct,
 * followed by room for the session's name and, if there is one, the log file's name,
 * at the offsets stored in the struct.  Both names are NUL-terminated, UTF-16 for the
 * W functions and UTF-8 for the A functions.  Wnode.BufferSize is the size of the
 * whole block in bytes.
 *
 * Private sessions (EVENT_TRACE_PRIVATE_LOGGER_MODE) live in the calling process and need
 * neither the device nor any right.  Wnode.Guid is a provider that the process has
 * registered.  They write a log file, or keep the latest events in memory
 * (EVENT_TRACE_BUFFERING_MODE), and end when they are stopped or when the process
 * exits.  A child of fork(2) has none.
 *
 * Several threads may call any function at once, and may be cancelled, see
 * <evntprov.h>.  Unless documented otherwise, a function returns a Win32 code (see
 * <etw/winerror.h>), and a failure changes neither sessions nor the caller's memory.
 *
 * Kernel modules get the constants and <etw/nt/etw.h>; a module cannot control sessions.
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

/* Types of the kernel logger's classes: EVENT_TRACE_HEADER.Class.Type */
/* ... image, process and thread */
#define EVENT_TRACE_TYPE_LOAD		0x0A
#define EVENT_TRACE_TYPE_TERMINATE	0x0B
/* ... disk */
#define EVENT_TRACE_TYPE_IO_READ	0x0A
#define EVENT_TRACE_TYPE_IO_WRITE	0x0B
#define EVENT_TRACE_TYPE_IO_READ_INIT	0x0C
#define EVENT_TRACE_TYPE_IO_WRITE_INIT	0x0D
#define EVENT_TRACE_TYPE_IO_FLUSH	0x0E
#define EVENT_TRACE_TYPE_IO_FLUSH_INIT	0x0F
#define EVENT_TRACE_TYPE_OPTICAL_IO_READ	0x37
#define EVENT_TRACE_TYPE_OPTICAL_IO_WRITE	0x38
#define EVENT_TRACE_TYPE_OPTICAL_IO_FLUSH	0x39
#define EVENT_TRACE_TYPE_OPTICAL_IO_READ_INIT	0x3A
#define EVENT_TRACE_TYPE_OPTICAL_IO_WRITE_INIT	0x3B
#define EVENT_TRACE_TYPE_OPTICAL_IO_FLUSH_INIT	0x3C
/* ... memory */
#define EVENT_TRACE_TYPE_MM_TF		0x0A
#define EVENT_TRACE_TYPE_MM_DZF		0x0B
#define EVENT_TRACE_TYPE_MM_COW		0x0C
#define EVENT_TRACE_TYPE_MM_GPF		0x0D
#define EVENT_TRACE_TYPE_MM_HPF		0x0E
#define EVENT_TRACE_TYPE_MM_AV		0x0F
/* ... network */
#define EVENT_TRACE_TYPE_SEND		0x0A
#define EVENT_TRACE_TYPE_RECEIVE	0x0B
#define EVENT_TRACE_TYPE_CONNECT	0x0C
#define EVENT_TRACE_TYPE_DISCONNECT	0x0D
#define EVENT_TRACE_TYPE_RETRANSMIT	0x0E
#define EVENT_TRACE_TYPE_ACCEPT		0x0F
#define EVENT_TRACE_TYPE_RECONNECT	0x10
#define EVENT_TRACE_TYPE_CONNFAIL	0x11
#define EVENT_TRACE_TYPE_COPY_TCP	0x12
#define EVENT_TRACE_TYPE_COPY_ARP	0x13
#define EVENT_TRACE_TYPE_ACKFULL	0x14
#define EVENT_TRACE_TYPE_ACKPART	0x15
#define EVENT_TRACE_TYPE_ACKDUP		0x16
/* ... header of a trace */
#define EVENT_TRACE_TYPE_GUIDMAP	0x0A
#define EVENT_TRACE_TYPE_CONFIG		0x0B
#define EVENT_TRACE_TYPE_SIDINFO	0x0C
#define EVENT_TRACE_TYPE_SECURITY	0x0D
#define EVENT_TRACE_TYPE_DBGID_RSDS	0x40
/* ... registry */
#define EVENT_TRACE_TYPE_REGCREATE	0x0A
#define EVENT_TRACE_TYPE_REGOPEN	0x0B
#define EVENT_TRACE_TYPE_REGDELETE	0x0C
#define EVENT_TRACE_TYPE_REGQUERY	0x0D
#define EVENT_TRACE_TYPE_REGSETVALUE	0x0E
#define EVENT_TRACE_TYPE_REGDELETEVALUE	0x0F
#define EVENT_TRACE_TYPE_REGQUERYVALUE	0x10
#define EVENT_TRACE_TYPE_REGENUMERATEKEY	0x11
#define EVENT_TRACE_TYPE_REGENUMERATEVALUEKEY	0x12
#define EVENT_TRACE_TYPE_REGQUERYMULTIPLEVALUE	0x13
#define EVENT_TRACE_TYPE_REGSETINFORMATION	0x14
#define EVENT_TRACE_TYPE_REGFLUSH	0x15
#define EVENT_TRACE_TYPE_REGKCBCREATE	0x16
#define EVENT_TRACE_TYPE_REGKCBDELETE	0x17
#define EVENT_TRACE_TYPE_REGKCBRUNDOWNBEGIN	0x18
#define EVENT_TRACE_TYPE_REGKCBRUNDOWNEND	0x19
#define EVENT_TRACE_TYPE_REGVIRTUALIZE	0x1A
#define EVENT_TRACE_TYPE_REGCLOSE	0x1B
#define EVENT_TRACE_TYPE_REGSETSECURITY	0x1C
#define EVENT_TRACE_TYPE_REGQUERYSECURITY	0x1D
#define EVENT_TRACE_TYPE_REGCOMMIT	0x1E
#define EVENT_TRACE_TYPE_REGPREPARE	0x1F
#define EVENT_TRACE_TYPE_REGROLLBACK	0x20
#define EVENT_TRACE_TYPE_REGMOUNTHIVE	0x21
/* ... system configuration */
#define EVENT_TRACE_TYPE_CONFIG_CPU	0x0A
#define EVENT_TRACE_TYPE_CONFIG_PHYSICALDISK	0x0B
#define EVENT_TRACE_TYPE_CONFIG_LOGICALDISK	0x0C
#define EVENT_TRACE_TYPE_CONFIG_NIC	0x0D
#define EVENT_TRACE_TYPE_CONFIG_VIDEO	0x0E
#define EVENT_TRACE_TYPE_CONFIG_SERVICES	0x0F
#define EVENT_TRACE_TYPE_CONFIG_POWER	0x10
#define EVENT_TRACE_TYPE_CONFIG_NETINFO	0x11
#define EVENT_TRACE_TYPE_CONFIG_OPTICALMEDIA	0x12
#define EVENT_TRACE_TYPE_CONFIG_IRQ	0x15
#define EVENT_TRACE_TYPE_CONFIG_PNP	0x16
#define EVENT_TRACE_TYPE_CONFIG_IDECHANNEL	0x17
#define EVENT_TRACE_TYPE_CONFIG_NUMANODE	0x18
#define EVENT_TRACE_TYPE_CONFIG_PLATFORM	0x19
#define EVENT_TRACE_TYPE_CONFIG_PROCESSORGROUP	0x1A
#define EVENT_TRACE_TYPE_CONFIG_PROCESSORNUMBER	0x1B
#define EVENT_TRACE_TYPE_CONFIG_DPI	0x1C
#define EVENT_TRACE_TYPE_CONFIG_CI_INFO	0x1D
#define EVENT_TRACE_TYPE_CONFIG_MACHINEID	0x1E
#define EVENT_TRACE_TYPE_CONFIG_DEFRAG	0x1F
#define EVENT_TRACE_TYPE_CONFIG_MOBILEPLATFORM	0x20
#define EVENT_TRACE_TYPE_CONFIG_DEVICEFAMILY	0x21
#define EVENT_TRACE_TYPE_CONFIG_FLIGHTID	0x22
#define EVENT_TRACE_TYPE_CONFIG_PROCESSOR	0x23
/* ... file system filter */
#define EVENT_TRACE_TYPE_FLT_PREOP_INIT	0x60
#define EVENT_TRACE_TYPE_FLT_POSTOP_INIT	0x61
#define EVENT_TRACE_TYPE_FLT_PREOP_COMPLETION	0x62
#define EVENT_TRACE_TYPE_FLT_POSTOP_COMPLETION	0x63
#define EVENT_TRACE_TYPE_FLT_PREOP_FAILURE	0x64
#define EVENT_TRACE_TYPE_FLT_POSTOP_FAILURE	0x65

/* ENABLE_TRACE_PARAMETERS.Version */
#define ENABLE_TRACE_PARAMETERS_VERSION		1
#define ENABLE_TRACE_PARAMETERS_VERSION_2	2

/* ENABLE_TRACE_PARAMETERS.EnableProperty: items attached to each event, and filters */
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
/* Not of Windows: EVENT_EXTENDED_ITEM_CONTEXT: task, softirq, hardirq or NMI */
#define EVENT_ENABLE_PROPERTY_CONTEXT			0x40000000
/* Not of Windows: a copy of the program's stack, which "etw dump --stack" unwinds */
#define EVENT_ENABLE_PROPERTY_USER_STACK		0x10000000

/* Flags of a provider instance */
#define TRACE_PROVIDER_FLAG_LEGACY	0x00000001
#define TRACE_PROVIDER_FLAG_PRE_ENABLE	0x00000002

/*
 * EVENT_TRACE_PROPERTIES.EnableFlags of a system logger: docs/porting.md says which of Linux's
 * events each stands for.  Those without a counterpart are accepted, and give no events;
 * EVENT_TRACE_FLAG_EXTENSION returns ERROR_NOT_SUPPORTED.
 */
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

/* Session names with a meaning on Windows */
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

/* Its access list applies to every GUID that has none of its own */
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
		LONG FlushThreshold;	/* ignored: each buffer is delivered when full */
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

/* Describes a trace, 280 bytes; the payload of its first event */
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
 * Callbacks run on the thread that called ProcessTrace(), one at a time.  Their arguments
 * are valid only during the call.  They may call CloseTrace().
 *
 * PEVENT_RECORD_CALLBACK: one event (PROCESS_TRACE_MODE_EVENT_RECORD)
 * PEVENT_CALLBACK: one event, as a classic one (without that mode)
 * PEVENT_TRACE_BUFFER_CALLBACK: the events of a buffer were delivered; FALSE ends
 *	ProcessTrace() with ERROR_CANCELLED
 *
 * Semantics: Microsoft's pages of the same names.
 */
typedef VOID (WINAPI *PEVENT_RECORD_CALLBACK)(PEVENT_RECORD EventRecord);
typedef VOID (WINAPI *PEVENT_CALLBACK)(PEVENT_TRACE pEvent);
typedef ULONG (WINAPI *PEVENT_TRACE_BUFFER_CALLBACKW)(PEVENT_TRACE_LOGFILEW Logfile);
typedef ULONG (WINAPI *PEVENT_TRACE_BUFFER_CALLBACKA)(PEVENT_TRACE_LOGFILEA Logfile);

/* The trace to open and its callbacks, 448 bytes; zero it, then set the "in" members */
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
 * KERNEL_LOGGER_NAME and EVENT_TRACE_SYSTEM_LOGGER_MODE make it a system logger, whose
 * EnableFlags select the system's own events.  That takes the rights of etw-tracepoint(7), and
 * libtracefs, which is loaded then: without it, or without tracefs, ERROR_NOT_SUPPORTED.
 *
 * With EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING all CPUs share one buffer.  That saves
 * memory when there are few events, and slows writers down when there are many.
 *
 * Return: ERROR_SUCCESS; ERROR_BAD_LENGTH (Wnode.BufferSize has no room for
 * struct and names); ERROR_INVALID_PARAMETER (NULL, bad name, offset, clock or
 * mode, EnableFlags for a session other than a system logger); ERROR_BAD_PATHNAME (the
 * mode needs a file and none is named);
 * ERROR_ALREADY_EXISTS (name or GUID in use); ERROR_ACCESS_DENIED;
 * ERROR_NO_SYSTEM_RESOURCES (64 sessions or 8 system loggers run, 8 sessions have one of
 * the system's events, the process has 8 private sessions or 3 with
 * EVENT_TRACE_PRIVATE_IN_PROC, or the buffers would take more than 1/8 of memory);
 * ERROR_WMI_GUID_NOT_FOUND (private: this process has not registered Wnode.Guid);
 * ERROR_NOT_ENOUGH_MEMORY; ERROR_NOT_SUPPORTED.
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
 * QUERY fills in all settings, counters and names.  STOP disables the session's
 * providers and returns its final state; consumers can still read everything that was
 * written.  UPDATE applies MaximumBuffers and FlushTimer (0 keeps the current value),
 * EnableFlags of a system logger (0 is none of them), and REAL_TIME_MODE, which a buffering
 * session refuses; it ignores other members.  Of a private session it changes FlushTimer and,
 * if a name is given, the log file.  FLUSH delivers partly filled buffers; in a buffering session it delivers a
 * snapshot.
 *
 * Return: ERROR_SUCCESS; ERROR_BAD_LENGTH; ERROR_INVALID_PARAMETER;
 * ERROR_MORE_DATA (no room for the names; STOP has nevertheless stopped the session);
 * ERROR_WMI_INSTANCE_NOT_FOUND (no such session, or another call has stopped it);
 * ERROR_ACTIVE_CONNECTIONS (UPDATE or FLUSH while the session is being stopped; STOP
 * and QUERY never return it); ERROR_ACCESS_DENIED;
 * ERROR_NO_SYSTEM_RESOURCES (UPDATE: the buffers could take more than 1/8 of
 * memory); ERROR_NOT_ENOUGH_MEMORY; ERROR_WMI_SERVER_UNAVAILABLE (no module);
 * ERROR_NOT_SUPPORTED (UPDATE names a file).  INCREMENT_FILE and CONVERT_TO_
 * REALTIME return ERROR_INVALID_PARAMETER for a session without a file.
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
 * @LoggerCount: out: number of running sessions
 *
 * Sessions that the caller may not query are omitted.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (NULL, count 0 or too large, an
 * offset out of its block); ERROR_BAD_LENGTH (a block is too small);
 * ERROR_MORE_DATA (more sessions than blocks, or no room for a name; the available
 * blocks are filled in); ERROR_ACCESS_DENIED (the caller may not query any session);
 * ERROR_WMI_SERVER_UNAVAILABLE (no module).
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
 * @Level: accept events up to this level; 0 and 255 accept all
 * @MatchAnyKeyword: accept events that have one of these bits; 0 means all bits
 * @MatchAllKeyword: of those, accept events that have all of these bits
 * @Timeout: ms to wait for the enable callbacks; 0 does not wait, INFINITE waits
 *	without limit
 * @EnableParameters: properties and filters, or NULL
 *
 * Events with level 0 always pass the level test, and events with keyword 0 the keyword
 * test unless EVENT_ENABLE_PROPERTY_IGNORE_KEYWORD_0 is set.  Enabling again replaces
 * the session's earlier settings for this provider, filters included.  An event and a
 * registration must pass every filter.  A SCHEMATIZED filter is passed to callbacks,
 * also with CAPTURE_STATE; TRACEHANDLE only with CAPTURE_STATE.  A PID filter selects
 * registrations of processes that run at the time of the call, and none in the kernel.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (handle 0, NULL, an unknown code,
 * version, property or filter, or too many filters); ERROR_TIMEOUT (callbacks are still
 * running; the change is in force); ERROR_NO_SYSTEM_RESOURCES (8 sessions have enabled
 * the provider); ERROR_ACCESS_DENIED; ERROR_WMI_INSTANCE_NOT_FOUND (no such session);
 * ERROR_NOT_SUPPORTED (a property that Linux does not have); ERROR_NOACCESS (a filter's
 * data is not readable); ERROR_NOT_ENOUGH_MEMORY; ERROR_WMI_SERVER_UNAVAILABLE (no
 * module).
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
 * Set exactly one of LoggerName and LogFileName; with LoggerName, ProcessTraceMode must
 * include PROCESS_TRACE_MODE_REAL_TIME.  Fills in LogfileHeader.  The struct and the
 * names may be freed afterwards; callbacks and Context must stay valid.
 *
 * Return: a handle for ProcessTrace(), which CloseTrace() releases; or
 * INVALID_PROCESSTRACE_HANDLE, with GetLastError() ERROR_INVALID_PARAMETER,
 * ERROR_ACCESS_DENIED or ERROR_NOT_ENOUGH_MEMORY.  A session also gives
 * ERROR_WMI_INSTANCE_NOT_FOUND (not running) or ERROR_WMI_SERVER_UNAVAILABLE (no
 * module); a file ERROR_FILE_NOT_FOUND, ERROR_BAD_PATHNAME (a directory, or not
 * seekable) or ERROR_FILE_CORRUPT (not a log file).
 * Context: any thread.
 * Semantics: Microsoft's page "OpenTraceW function".
 */
ETW_API TRACEHANDLE WMIAPI OpenTraceW(PEVENT_TRACE_LOGFILEW Logfile);
/** OpenTraceA() - OpenTraceW() with UTF-8 names */
ETW_API TRACEHANDLE WMIAPI OpenTraceA(PEVENT_TRACE_LOGFILEA Logfile);

/**
 * ProcessTrace() - deliver a trace's events to its callbacks in time order
 * @HandleArray: from OpenTrace()
 * @HandleCount: number of handles: one real-time session, or up to 64 files
 * @StartTime: first time to deliver, or NULL
 * @EndTime: last time to deliver, or NULL
 *
 * Blocks, and runs the callbacks on this thread, until the session stops or the files
 * end, CloseTrace() is called, or a BufferCallback returns FALSE.  Several files are
 * merged by time.  Events from different CPUs with the same time arrive in any order,
 * as do events written while the clock was set back.
 *
 * The first event of each trace describes the trace: class EventTraceGuid, opcode 0,
 * time of the session's start.  Its payload is a TRACE_LOGFILE_HEADER, the session's
 * name and the file's name (UTF-16, NUL-terminated).  It does not count as an event of
 * the session, but @StartTime and @EndTime apply to it.
 *
 * Events without payload, of class RT_LostEvent (6a399ae0-4bc6-4de9-870b-3657f8947e7e),
 * report what a real-time reader missed, before the events of the next buffer: type 32
 * lost events, 33 lost buffers, 34 data lost while no reader was attached.  How many
 * events were lost, on which CPU, why, and from when to when is recorded by TraceLogging
 * events "Lost" of the provider Etw-Ledger (ETW_LEDGER_GUID of etw/format.h), which a
 * session writes behind its other events and the Tdh functions decode.
 *
 * Times are FILETIMEs.  A log file of this system has a reference time in each buffer,
 * which keeps times exact over days; a file from Windows has start time and frequency in
 * its header.  Steps of the wall clock do not affect them.
 *
 * A cancelled thread (pthread_cancel(), deferred) ends while it waits, between two
 * events, or in a callback with a cancellation point.  The trace is then in the same
 * state as after ERROR_CANCELLED: another thread may process the rest, or close it.
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
 * A ProcessTrace() that is running on the handle delivers the events it holds and then
 * returns ERROR_SUCCESS.
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

/* A provider as EnumerateTraceGuids() reports it, 36 bytes */
typedef struct _TRACE_GUID_PROPERTIES {
	GUID Guid;
	ULONG GuidType;			/* 0 */
	ULONG LoggerId;			/* of a session that enabled it, or 0 */
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

/* A session that enabled it, 32 bytes */
typedef struct _TRACE_ENABLE_INFO {
	ULONG IsEnabled;
	UCHAR Level;
	UCHAR Reserved1;
	USHORT LoggerId;
	ULONG EnableProperty;		/* EVENT_ENABLE_PROPERTY_ */
	ULONG Reserved2;
	ULONGLONG MatchAnyKeyword;	/* as requested */
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

/* TraceQueryInformation() documents the supported classes. */
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
 * For a provider that several sessions enabled, one of them is reported.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (NULL, count 0);
 * ERROR_MORE_DATA (the array is too small; it has been filled);
 * ERROR_ACCESS_DENIED; ERROR_NOT_ENOUGH_MEMORY.
 * Semantics: Microsoft's page "EnumerateTraceGuids function".
 */
ETW_API ULONG WMIAPI EnumerateTraceGuids(PTRACE_GUID_PROPERTIES *GuidPropertiesArray,
					 ULONG PropertyArrayCount, PULONG GuidCount);

/**
 * EnumerateTraceGuidsEx() - query providers
 * @TraceQueryInfoClass: what to query
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
 * Return: ERROR_SUCCESS; ERROR_INSUFFICIENT_BUFFER (ReturnLength is the size needed;
 * OutBuffer is unchanged); ERROR_WMI_GUID_NOT_FOUND (neither
 * registered nor enabled); ERROR_INVALID_PARAMETER (unknown class, wrong input,
 * NULL); ERROR_ACCESS_DENIED; ERROR_NOT_ENOUGH_MEMORY.
 * Semantics: Microsoft's page "EnumerateTraceGuidsEx function".
 */
ETW_API ULONG WMIAPI EnumerateTraceGuidsEx(TRACE_QUERY_INFO_CLASS TraceQueryInfoClass,
					   PVOID InBuffer, ULONG InBufferSize,
					   PVOID OutBuffer, ULONG OutBufferSize,
					   PULONG ReturnLength);

/**
 * TraceQueryInformation() - query a session or the system
 * @SessionHandle: the session; ignored if the class concerns the system
 * @InformationClass: what to query
 * @TraceInformation: for the answer
 * @InformationLength: bytes
 * @ReturnLength: out: bytes of the answer, or NULL
 *
 * TraceVersionInfo: TRACE_VERSION_INFO; TraceMaxLoggersQuery: a ULONG, how many
 * sessions may run at once; TraceStreamCount: a ULONG, the session's number of buffer
 * streams: one per CPU, or one; TracePeriodicCaptureStateInfo: the session's setting;
 * TraceDisallowListQuery: the GUIDs set with TraceSetDisallowList.
 * TraceSystemTraceEnableFlagsInfo: ULONG[8], the PERFINFO_GROUPMASK of a system logger.
 * TraceSampledProfileIntervalInfo: TRACE_PROFILE_INTERVAL of a system logger or, by handle 0,
 * of those that this process will start.
 *
 * Return: ERROR_SUCCESS; ERROR_BAD_LENGTH (the answer is longer);
 * ERROR_INVALID_PARAMETER (NULL, unknown class, handle 0);
 * ERROR_WMI_INSTANCE_NOT_FOUND; ERROR_ACCESS_DENIED; ERROR_NOT_SUPPORTED (the
 * class does not exist on Linux, or cannot be queried).
 * Semantics: Microsoft's page "TraceQueryInformation function".
 */
ETW_API ULONG WMIAPI TraceQueryInformation(TRACEHANDLE SessionHandle,
					   TRACE_INFO_CLASS InformationClass,
					   PVOID TraceInformation,
					   ULONG InformationLength,
					   PULONG ReturnLength);

/**
 * TraceSetInformation() - configure a session
 * @SessionHandle: the session
 * @InformationClass: what to set
 * @TraceInformation: the setting
 * @InformationLength: bytes
 *
 * TracePeriodicCaptureStateListInfo: TRACE_PERIODIC_CAPTURE_STATE_INFO and GUIDs.
 * Requests the state of each of these providers that the session enabled, at that
 * interval: at least 1 second, at most 64 providers.  Replaces the earlier setting; no
 * provider, or NULL and 0, ends it.
 * TraceSetDisallowList: at most 1,024 GUIDs of providers to exclude from the groups that
 * the session enabled, immediately and later.  Replaces the earlier list; NULL and 0
 * clear it.
 * TraceSystemTraceEnableFlagsInfo: ULONG[8], the PERFINFO_GROUPMASK of a system logger: its
 * EnableFlags, and further words of which some bits stand for the same events.
 * TraceSampledProfileIntervalInfo: TRACE_PROFILE_INTERVAL of the timer, Source 0, for samples by
 * EVENT_TRACE_FLAG_PROFILE: from 0.1 ms to 1 s, else the nearest of both.
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
/* Passed to a BufferCallback, 24 bytes */
typedef struct ETW_BUFFER_CALLBACK_INFORMATION {
	PROCESSTRACE_HANDLE TraceHandle;
	const TRACE_LOGFILE_HEADER *LogfileHeader;	/* as it is now */
	ULONG BuffersRead;		/* this one included */
} ETW_BUFFER_CALLBACK_INFORMATION;

/*
 * Called after a buffer's events have been delivered; FALSE ends ProcessTrace() with
 * ERROR_CANCELLED.  The first buffer is the header's.  Buffer is valid during the call, or
 * longer with ProcessTraceBufferIncrementReference().  It is never compressed, even if the
 * file is.
 */
typedef BOOL (WINAPI *PETW_BUFFER_CALLBACK)(const ETW_BUFFER_HEADER *Buffer, ULONG BufferSize,
					    const ETW_BUFFER_CALLBACK_INFORMATION *ConsumerInfo,
					    void *CallbackContext);

/* The buffer stream no longer needs the buffer. */
typedef VOID (WINAPI *PETW_BUFFER_COMPLETION_CALLBACK)(const ETW_BUFFER_HEADER *Buffer,
						       void *CallbackContext);

typedef enum ETW_PROCESS_TRACE_MODES {
	ETW_PROCESS_TRACE_MODE_NONE = 0,
	ETW_PROCESS_TRACE_MODE_RAW_TIMESTAMP = 0x00000001	/* clock ticks as they are */
} ETW_PROCESS_TRACE_MODES;

/* 40 bytes */
typedef struct ETW_OPEN_TRACE_OPTIONS {
	ETW_PROCESS_TRACE_MODES ProcessTraceModes;
	PEVENT_RECORD_CALLBACK EventCallback;	/* or NULL to get only buffers */
	void *EventCallbackContext;		/* EVENT_RECORD.UserContext */
	PETW_BUFFER_CALLBACK BufferCallback;	/* or NULL */
	void *BufferCallbackContext;
} ETW_OPEN_TRACE_OPTIONS;

/**
 * OpenTraceFromFile() - open a log file
 * @LogFileName: path
 * @Options: copied
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
 * OpenTraceFromRealTimeLogger() - open a running session
 * @LoggerName: the session
 * @Options: copied
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
 * OpenTraceFromRealTimeLoggerWithAllocationOptions() - the same, with memory options
 * @LoggerName: the session
 * @Options: copied
 * @AllocationSize: ignored; memory is allocated as needed and reused
 * @MemoryPartitionHandle: NULL; Linux has no memory partitions
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
 * OpenTraceFromBufferStream() - process buffers supplied by the caller
 * @Options: copied
 * @BufferCompletionCallback: called for each added buffer once it is no longer needed, on
 *	the thread of ProcessTrace(), or of CloseTrace() if ProcessTrace() was never called
 * @BufferCompletionContext: for that callback
 *
 * ProcessTrace() waits for buffers until CloseTrace() is called, then processes the
 * remaining buffers and returns ERROR_SUCCESS.  It accepts a single stream's handle.
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
 * ProcessTraceAddBufferToBufferStream() - add the next buffer to a stream
 * @TraceHandle: from OpenTraceFromBufferStream()
 * @Buffer: as a BufferCallback received it; the first must be the header's buffer
 * @BufferSize: bytes
 *
 * Add buffers in the order in which another ProcessTrace() completed them; buffers of one
 * CPU must be in order.  Events of several CPUs are merged by time as far as the buffers
 * added so far allow.  The buffer belongs to the stream until the completion callback.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_HANDLE (no such handle, not a stream, or closed);
 * ERROR_INVALID_PARAMETER (NULL, not a buffer, or a header's buffer missing at the start or
 * present later); ERROR_INVALID_TIME (older than the last buffer of its CPU);
 * ERROR_NOT_ENOUGH_MEMORY.  After an error the caller still owns the buffer.
 * Context: any thread, callbacks included.
 * Semantics: Microsoft's page "ProcessTraceAddBufferToBufferStream".
 */
ETW_API ULONG WMIAPI ProcessTraceAddBufferToBufferStream(PROCESSTRACE_HANDLE TraceHandle,
							 const ETW_BUFFER_HEADER *Buffer,
							 ULONG BufferSize);

/**
 * ProcessTraceBufferIncrementReference() - keep a buffer beyond the callback
 * @TraceHandle: ConsumerInfo->TraceHandle
 * @Buffer: the buffer passed to the BufferCallback
 *
 * ProcessTrace() does not return before every kept buffer has been released.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_HANDLE; ERROR_INVALID_PARAMETER (not the
 * callback's buffer); ERROR_NOT_SUPPORTED (a stream's buffer, which belongs to the caller);
 * ERROR_NOT_ENOUGH_MEMORY.
 * Context: during a BufferCallback of that handle.
 * Semantics: Microsoft's page "ProcessTraceBufferIncrementReference".
 */
ETW_API ULONG WMIAPI ProcessTraceBufferIncrementReference(PROCESSTRACE_HANDLE TraceHandle,
							  const ETW_BUFFER_HEADER *Buffer);

/**
 * ProcessTraceBufferDecrementReference() - release a kept buffer
 * @Buffer: the buffer; call once for each ProcessTraceBufferIncrementReference()
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (it is not kept).
 * Context: any thread.
 * Semantics: Microsoft's page "ProcessTraceBufferDecrementReference".
 */
ETW_API ULONG WMIAPI ProcessTraceBufferDecrementReference(const ETW_BUFFER_HEADER *Buffer);

/**
 * SetTraceCallback() - set an additional callback for the events of one class
 * @pGuid: the class: a classic provider's, or EventTraceGuid for a trace's header
 * @EventCallback: replaces the class's earlier callback
 *
 * Applies to all traces of the process that do not request EVENT_RECORDs; it runs after
 * their own EventCallback.  Events written by EventWrite() and similar have no class.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (NULL); ERROR_NOT_ENOUGH_MEMORY.
 * Context: any thread, callbacks included.
 * Semantics: Microsoft's page "SetTraceCallback function".
 */
ETW_API ULONG WMIAPI SetTraceCallback(LPCGUID pGuid, PEVENT_CALLBACK EventCallback);

/**
 * RemoveTraceCallback() - remove the callback of a class
 * @pGuid: the class
 *
 * The callback may still run for an event that is being delivered.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (NULL); ERROR_WMI_GUID_NOT_FOUND (none is
 * set).
 * Context: any thread, callbacks included.
 * Semantics: Microsoft's page "RemoveTraceCallback function".
 */
ETW_API ULONG WMIAPI RemoveTraceCallback(LPCGUID pGuid);

/* InformationClass of QueryTraceProcessingHandle() */
typedef enum _ETW_PROCESS_HANDLE_INFO_TYPE {
	EtwQueryPartitionInformation = 1,
	EtwQueryPartitionInformationV2 = 2,
	EtwQueryLastDroppedTimes = 3,
	EtwQueryLogFileHeader = 4,
	EtwQueryProcessHandleInfoMax
} ETW_PROCESS_HANDLE_INFO_TYPE;

/* All zero: no trace here comes from a guest partition; 48 bytes */
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
 * QueryTraceProcessingHandle() - query an open trace
 * @ProcessingHandle: from OpenTrace() or a similar function
 * @InformationClass: what to query
 * @InBuffer: ignored
 * @InBufferSize: ignored
 * @OutBuffer: receives the answer
 * @OutBufferSize: bytes
 * @ReturnLength: out: bytes of the answer, also if it does not fit
 *
 * EtwQueryPartitionInformation and V2: zero.
 * EtwQueryLastDroppedTimes: a ULONG, the number of CPUs, and from byte 8 on a
 * LARGE_INTEGER for each CPU: the time, in ticks of the trace's clock, of the first event
 * after the last loss read so far; 0 if nothing was lost.
 * EtwQueryLogFileHeader: the current TRACE_LOGFILE_HEADER.
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

/* An instance that events of a class refer to, 16 bytes */
typedef struct _EVENT_INSTANCE_INFO {
	HANDLE RegHandle;
	ULONG InstanceId;	/* never 0 */
} EVENT_INSTANCE_INFO, *PEVENT_INSTANCE_INFO;

/* Header of an event for TraceEventInstance(), 56 bytes; the payload follows */
typedef struct _EVENT_INSTANCE_HEADER {
	USHORT Size;		/* bytes: header and payload */
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
	ULONG DataType;		/* ignored */
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
 * A control callback, called with WMI_ENABLE_EVENTS at every change, or with
 * WMI_DISABLE_EVENTS.  Buffer is a WNODE_HEADER, valid during the call.  It runs in the
 * same context as a PENABLECALLBACK and may call the same functions.  Its result is
 * ignored.
 */
typedef ULONG (WINAPI *WMIDPREQUEST)(WMIDPREQUESTCODE RequestCode, PVOID RequestContext,
				     ULONG *BufferSize, PVOID Buffer);

/**
 * RegisterTraceGuidsW() - register a classic provider
 * @RequestAddress: control callback
 * @RequestContext: passed to the callback
 * @ControlGuid: the provider
 * @GuidCount: of event classes
 * @TraceGuidReg: in/out: the classes; RegHandle is set, and valid until the
 *	provider is unregistered
 * @MofImagePath: not used
 * @MofResourceName: not used
 * @RegistrationHandle: out: for UnregisterTraceGuids(); 0 when the call fails
 *
 * If a session has enabled the provider, the callback runs at once, possibly before this
 * returns; RegHandle and *RegistrationHandle are already set.
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
/** RegisterTraceGuidsA() - RegisterTraceGuidsW() with UTF-8 strings, also unused */
ETW_API ULONG WMIAPI RegisterTraceGuidsA(WMIDPREQUEST RequestAddress, PVOID RequestContext,
					 LPCGUID ControlGuid, ULONG GuidCount,
					 PTRACE_GUID_REGISTRATION TraceGuidReg,
					 LPCSTR MofImagePath, LPCSTR MofResourceName,
					 PTRACEHANDLE RegistrationHandle);

/**
 * UnregisterTraceGuids() - end a registration
 * @RegistrationHandle: from RegisterTraceGuids()
 *
 * Once this returns, the callback no longer runs, unless this was called from it.
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
 * The level and the flags that the session requested, from its handle; 0 and
 * GetLastError() ERROR_INVALID_HANDLE for an invalid handle.
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
 * 64 KB); ERROR_NOT_ENOUGH_MEMORY (no free buffer); ERROR_NOACCESS; ERROR_ACCESS_DENIED
 * (class RT_LostEvent, by which a trace says that events are missing).
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
 * @MessageFlags: TRACE_MESSAGE_: what precedes the arguments
 * @MessageGuid: with TRACE_MESSAGE_GUID, or for its Data1 with _COMPONENTID
 * @MessageNumber: which message of that GUID
 *
 * Then pairs of const void * and SIZE_T, terminated by NULL.  Sequence numbers
 * (TRACE_MESSAGE_SEQUENCE) are 0 unless the session numbers messages.
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
