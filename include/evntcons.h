/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * evntcons.h - events as a consumer receives them, and access lists
 *
 * An EVENT_RECORD and everything it points to belong to libetw and are valid only
 * during the EventRecordCallback.  UserData is packed: values in it may be unaligned,
 * so copy them with memcpy().
 *
 * Semantics: Microsoft's pages "EVENT_RECORD structure", "EVENT_HEADER
 * structure" and "EVENT_HEADER_EXTENDED_DATA_ITEM structure".
 */
#ifndef ETW_EVNTCONS_H
#define ETW_EVNTCONS_H

#include <etw/winsec.h>
#include <etw/wintypes.h>
#include <evntprov.h>
#include <evntrace.h>
#include <wmistr.h>

ETW_BEGIN_DECLS

/* EVENT_HEADER_EXTENDED_DATA_ITEM.ExtType */
#define EVENT_HEADER_EXT_TYPE_RELATED_ACTIVITYID	0x0001
#define EVENT_HEADER_EXT_TYPE_SID			0x0002	/* a binary SID */
#define EVENT_HEADER_EXT_TYPE_TS_ID			0x0003
#define EVENT_HEADER_EXT_TYPE_INSTANCE_INFO		0x0004
#define EVENT_HEADER_EXT_TYPE_STACK_TRACE32		0x0005
#define EVENT_HEADER_EXT_TYPE_STACK_TRACE64		0x0006
#define EVENT_HEADER_EXT_TYPE_PEBS_INDEX		0x0007
#define EVENT_HEADER_EXT_TYPE_PMC_COUNTERS		0x0008
#define EVENT_HEADER_EXT_TYPE_PSM_KEY			0x0009	/* a WCHAR string */
#define EVENT_HEADER_EXT_TYPE_EVENT_KEY			0x000A
#define EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL		0x000B	/* TraceLogging metadata */
#define EVENT_HEADER_EXT_TYPE_PROV_TRAITS		0x000C	/* provider traits */
#define EVENT_HEADER_EXT_TYPE_PROCESS_START_KEY		0x000D
#define EVENT_HEADER_EXT_TYPE_CONTROL_GUID		0x000E	/* a GUID */
#define EVENT_HEADER_EXT_TYPE_QPC_DELTA			0x000F
#define EVENT_HEADER_EXT_TYPE_CONTAINER_ID		0x0010
#define EVENT_HEADER_EXT_TYPE_STACK_KEY32		0x0011
#define EVENT_HEADER_EXT_TYPE_STACK_KEY64		0x0012
#define EVENT_HEADER_EXT_TYPE_MAX			0x0013
/* Not of Windows: EVENT_EXTENDED_ITEM_PID_NAMESPACE, beside CONTAINER_ID */
#define EVENT_HEADER_EXT_TYPE_PID_NAMESPACE		0x8001
/* Not of Windows: ULONG64, a TIMESTAMP_OVERRIDE that was too early for the header */
#define EVENT_HEADER_EXT_TYPE_GIVEN_TIME		0x8002
/* Not of Windows: EVENT_EXTENDED_ITEM_CONTEXT, for EVENT_ENABLE_PROPERTY_CONTEXT */
#define EVENT_HEADER_EXT_TYPE_CONTEXT			0x8003
/* Not of Windows: struct etw_ext_user_stack of etw/format.h, for ..._PROPERTY_USER_STACK */
#define EVENT_HEADER_EXT_TYPE_USER_STACK		0x8004

/* EVENT_HEADER.Flags */
#define EVENT_HEADER_FLAG_EXTENDED_INFO		0x0001	/* has extended items */
#define EVENT_HEADER_FLAG_PRIVATE_SESSION	0x0002	/* ProcessorTime is valid */
#define EVENT_HEADER_FLAG_STRING_ONLY		0x0004	/* UserData is a WCHAR string */
#define EVENT_HEADER_FLAG_TRACE_MESSAGE		0x0008
#define EVENT_HEADER_FLAG_NO_CPUTIME		0x0010	/* KernelTime, UserTime not valid */
#define EVENT_HEADER_FLAG_32_BIT_HEADER		0x0020	/* writer's pointers: 4 bytes */
#define EVENT_HEADER_FLAG_64_BIT_HEADER		0x0040	/* writer's pointers: 8 bytes */
#define EVENT_HEADER_FLAG_DECODE_GUID		0x0080	/* ProviderId is the decode GUID */
#define EVENT_HEADER_FLAG_CLASSIC_HEADER	0x0100
#define EVENT_HEADER_FLAG_PROCESSOR_INDEX	0x0200	/* see GetEventProcessorIndex() */

/* Types of chunks in a provider's traits, see EventSetInformation() */
typedef enum {
	EtwProviderTraitTypeGroup = 1,	/* a GUID: the provider's group */
	EtwProviderTraitDecodeGuid = 2,	/* a GUID: the provider that decodes its events */
	EtwProviderTraitTypeMax = 3
} ETW_PROVIDER_TRAIT_TYPE;

/* EVENT_HEADER.EventProperty */
#define EVENT_HEADER_PROPERTY_XML		0x0001
#define EVENT_HEADER_PROPERTY_FORWARDED_XML	0x0002
#define EVENT_HEADER_PROPERTY_LEGACY_EVENTLOG	0x0004
#define EVENT_HEADER_PROPERTY_RELOGGABLE	0x0008

/* EVENT_TRACE_LOGFILE.ProcessTraceMode */
#define PROCESS_TRACE_MODE_REAL_TIME		0x00000100
#define PROCESS_TRACE_MODE_RAW_TIMESTAMP	0x00001000	/* clock ticks as they are */
#define PROCESS_TRACE_MODE_EVENT_RECORD		0x10000000	/* use EventRecordCallback */

/* 80 bytes, the same in memory and in files */
typedef struct _EVENT_HEADER {
	USHORT Size;			/* bytes: header, items and payload */
	USHORT HeaderType;
	USHORT Flags;			/* EVENT_HEADER_FLAG_ */
	USHORT EventProperty;		/* EVENT_HEADER_PROPERTY_ */
	ULONG ThreadId;
	ULONG ProcessId;		/* both in the initial PID namespace */
	LARGE_INTEGER TimeStamp;	/* FILETIME; RAW_TIMESTAMP: clock ticks */
	GUID ProviderId;
	EVENT_DESCRIPTOR EventDescriptor;
	union {
		ETW_ANONYMOUS struct {
			ULONG KernelTime;
			ULONG UserTime;
		};
		ULONG64 ProcessorTime;
	};
	GUID ActivityId;
} EVENT_HEADER, *PEVENT_HEADER;

/* 16 bytes */
typedef struct _EVENT_HEADER_EXTENDED_DATA_ITEM {
	USHORT Reserved1;
	USHORT ExtType;			/* EVENT_HEADER_EXT_TYPE_ */
	ETW_ANONYMOUS struct {
		USHORT Linkage : 1;	/* another item follows */
		USHORT Reserved2 : 15;
	};
	USHORT DataSize;		/* bytes */
	ULONGLONG DataPtr;		/* address of the data */
} EVENT_HEADER_EXTENDED_DATA_ITEM, *PEVENT_HEADER_EXTENDED_DATA_ITEM;

/* 112 bytes */
struct _EVENT_RECORD {
	EVENT_HEADER EventHeader;
	ETW_BUFFER_CONTEXT BufferContext;
	USHORT ExtendedDataCount;	/* items at ExtendedData */
	USHORT UserDataLength;		/* bytes at UserData */
	PEVENT_HEADER_EXTENDED_DATA_ITEM ExtendedData;
	PVOID UserData;
	PVOID UserContext;		/* EVENT_TRACE_LOGFILE.Context */
};

/* What an extended item's DataPtr points to, by ExtType */

typedef struct _EVENT_EXTENDED_ITEM_RELATED_ACTIVITYID {
	GUID RelatedActivityId;
} EVENT_EXTENDED_ITEM_RELATED_ACTIVITYID, *PEVENT_EXTENDED_ITEM_RELATED_ACTIVITYID;

typedef struct _EVENT_EXTENDED_ITEM_TS_ID {
	ULONG SessionId;		/* login session */
} EVENT_EXTENDED_ITEM_TS_ID, *PEVENT_EXTENDED_ITEM_TS_ID;

typedef struct _EVENT_EXTENDED_ITEM_INSTANCE {
	ULONG InstanceId;
	ULONG ParentInstanceId;
	GUID ParentGuid;
} EVENT_EXTENDED_ITEM_INSTANCE, *PEVENT_EXTENDED_ITEM_INSTANCE;

/* (DataSize - 8) / 4 or / 8 addresses, innermost first */
typedef struct _EVENT_EXTENDED_ITEM_STACK_TRACE32 {
	ULONG64 MatchId;		/* joins the halves of a split stack, else 0 */
	ULONG Address[ANYSIZE_ARRAY];
} EVENT_EXTENDED_ITEM_STACK_TRACE32, *PEVENT_EXTENDED_ITEM_STACK_TRACE32;

typedef struct _EVENT_EXTENDED_ITEM_STACK_TRACE64 {
	ULONG64 MatchId;
	ULONG64 Address[ANYSIZE_ARRAY];
} EVENT_EXTENDED_ITEM_STACK_TRACE64, *PEVENT_EXTENDED_ITEM_STACK_TRACE64;

typedef struct _EVENT_EXTENDED_ITEM_STACK_KEY32 {
	ULONG64 MatchId;
	ULONG StackKey;
	ULONG Padding;
} EVENT_EXTENDED_ITEM_STACK_KEY32, *PEVENT_EXTENDED_ITEM_STACK_KEY32;

typedef struct _EVENT_EXTENDED_ITEM_STACK_KEY64 {
	ULONG64 MatchId;
	ULONG64 StackKey;
} EVENT_EXTENDED_ITEM_STACK_KEY64, *PEVENT_EXTENDED_ITEM_STACK_KEY64;

typedef struct _EVENT_EXTENDED_ITEM_PEBS_INDEX {
	ULONG64 PebsIndex;
} EVENT_EXTENDED_ITEM_PEBS_INDEX, *PEVENT_EXTENDED_ITEM_PEBS_INDEX;

/* DataSize / 8 counters */
typedef struct _EVENT_EXTENDED_ITEM_PMC_COUNTERS {
	ULONG64 Counter[ANYSIZE_ARRAY];
} EVENT_EXTENDED_ITEM_PMC_COUNTERS, *PEVENT_EXTENDED_ITEM_PMC_COUNTERS;

/* Unique among all processes since the machine booted */
typedef struct _EVENT_EXTENDED_ITEM_PROCESS_START_KEY {
	ULONG64 ProcessStartKey;
} EVENT_EXTENDED_ITEM_PROCESS_START_KEY, *PEVENT_EXTENDED_ITEM_PROCESS_START_KEY;

/* Unique among all events since the machine booted */
typedef struct _EVENT_EXTENDED_ITEM_EVENT_KEY {
	ULONG64 Key;
} EVENT_EXTENDED_ITEM_EVENT_KEY, *PEVENT_EXTENDED_ITEM_EVENT_KEY;

/* The ids, in its own PID namespace, of a writer outside the initial one */
typedef struct _EVENT_EXTENDED_ITEM_PID_NAMESPACE {
	ULONG ProcessId;
	ULONG ThreadId;
	ULONG Namespace;		/* inode number, as of /proc/PID/ns/pid */
	ULONG Reserved;
} EVENT_EXTENDED_ITEM_PID_NAMESPACE, *PEVENT_EXTENDED_ITEM_PID_NAMESPACE;

/* etw_ext_context of etw/format.h, which has its values */
typedef struct _EVENT_EXTENDED_ITEM_CONTEXT {
	UCHAR Context;			/* ETW_CONTEXT_TASK, _SOFTIRQ, _HARDIRQ, _NMI */
	UCHAR Flags;			/* ETW_CONTEXT_IRQS_OFF ... */
	USHORT PreemptDepth;
	ULONG Reserved;
} EVENT_EXTENDED_ITEM_CONTEXT, *PEVENT_EXTENDED_ITEM_CONTEXT;

/* The CPU that wrote the event, from 0; 0 also where none was recorded */
static inline ULONG GetEventProcessorIndex(PCEVENT_RECORD EventRecord)
{
	if (EventRecord->EventHeader.Flags & EVENT_HEADER_FLAG_PROCESSOR_INDEX)
		return EventRecord->BufferContext.ProcessorIndex;
	return EventRecord->BufferContext.ProcessorNumber;
}

/* ------------------------------------------------------------ access lists */

/* Operation of EventAccessControl() */
typedef enum {
	EventSecuritySetDACL,
	EventSecuritySetSACL,		/* not supported: there is no auditing */
	EventSecurityAddDACL,
	EventSecurityAddSACL,		/* not supported */
	EventSecurityMax
} EVENTSECURITYOPERATION;

/**
 * EventAccessControl() - grant or deny rights on a session, provider or group
 * @Guid: of the session, provider or group, or DefaultTraceSecurityGuid
 * @Operation: EventSecuritySetDACL: this entry replaces the list;
 *	EventSecurityAddDACL: appends it to the list in force for the GUID, which
 *	may be the default list
 * @Sid: who, see etw/winsec.h
 * @Rights: TRACELOG_* and WMIGUID_*; standard rights are ignored
 * @AllowOrDeny: FALSE denies
 *
 * The change is in force when this returns, and is saved in /etc/etw/access.conf
 * (etw-access.conf(5)).  The first entry that mentions a right decides, so a denial has
 * no effect after an entry that grants the same right to the same user.  Requires
 * CAP_SYS_ADMIN and write access to that file.
 *
 * EventSecurityAddDACL requires that the file agrees with the lists in force.
 *
 * Return: ERROR_SUCCESS; ERROR_ACCESS_DENIED; ERROR_INVALID_PARAMETER: a
 * NULL pointer, zero GUID, unknown operation, no SID, no or unknown rights;
 * ERROR_NONE_MAPPED: the SID names nobody on this system; ERROR_NOT_SUPPORTED: a
 * SACL; ERROR_NO_SYSTEM_RESOURCES: 64 entries, or 1,024 lists;
 * ERROR_WMI_SERVER_UNAVAILABLE: no module; ERROR_NOT_ENOUGH_MEMORY.  Errors of the
 * file: ERROR_FILE_CORRUPT: it has errors, which "etw access load" prints;
 * ERROR_INVALID_STATE: for EventSecurityAddDACL, the file's list for the GUID (or the
 * default list, if there is none) differs from the list in force, which "etw access
 * load" fixes; ERROR_BAD_PATHNAME: a directory is missing, or the path is not a regular
 * file; ERROR_FILE_TOO_LARGE: over 4 MB; ERROR_DISK_FULL; ERROR_LOCK_FAILED: the file
 * system has no locks; ERROR_IO_DEVICE.  An error changes nothing.
 *
 * Threads: any, at once; not cancelled within (pthread_cancel()).
 * Semantics: Microsoft's page "EventAccessControl function".
 */
ETW_API ULONG EVNTAPI EventAccessControl(LPGUID Guid, ULONG Operation, PSID Sid, ULONG Rights,
					 BOOLEAN AllowOrDeny);

/**
 * EventAccessQuery() - get the rights in force for a GUID
 * @Guid: as for EventAccessControl()
 * @Buffer: receives a self-relative security descriptor, aligned like the buffer, at
 *	most to 4 bytes; may be NULL if *@BufferSize is 0
 * @BufferSize: in: bytes at @Buffer; out: bytes used, or needed
 *
 * A GUID without its own list uses the default list.  Requires WMIGUID_QUERY on it.
 *
 * Return: ERROR_SUCCESS; ERROR_MORE_DATA: @Buffer is too small, nothing was
 * written to it; ERROR_ACCESS_DENIED; ERROR_INVALID_PARAMETER: a NULL pointer
 * or zero GUID; ERROR_WMI_SERVER_UNAVAILABLE: no module;
 * ERROR_NOT_ENOUGH_MEMORY.
 *
 * Threads: any, at once; not cancelled within.
 * Semantics: Microsoft's page "EventAccessQuery function".
 */
ETW_API ULONG EVNTAPI EventAccessQuery(LPGUID Guid, PSECURITY_DESCRIPTOR Buffer,
				       PULONG BufferSize);

/**
 * EventAccessRemove() - remove a GUID's list, so that the default list applies
 * @Guid: as for EventAccessControl(); for DefaultTraceSecurityGuid, the kernel's
 *	built-in list applies
 *
 * Also removes it from the file.  Succeeds if the GUID has no list of its own.
 *
 * Return: as EventAccessControl().
 *
 * Threads: as EventAccessControl().
 * Semantics: Microsoft's page "EventAccessRemove function".
 */
ETW_API ULONG EVNTAPI EventAccessRemove(LPGUID Guid);

ETW_END_DECLS

#endif /* ETW_EVNTCONS_H */
