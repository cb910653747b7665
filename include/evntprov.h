/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * evntprov.h - write events from a program
 *
 *	static REGHANDLE provider;
 *
 *	EventRegister(&MyProviderGuid, NULL, NULL, &provider);
 *	if (EventEnabled(provider, &MyEvent)) {
 *		EVENT_DATA_DESCRIPTOR data[1];
 *
 *		EventDataDescCreate(&data[0], &value, sizeof(value));
 *		EventWrite(provider, &MyEvent, 1, data);
 *	}
 *	EventUnregister(provider);
 *
 * Link with -letw.  While no session listens, or the kernel module is not
 * loaded, registering and writing succeed and do nothing.  Any thread may call
 * any function at any time, and several threads may use one handle at once,
 * except as noted at EventUnregister().  Threads may be cancelled
 * (pthread_cancel(), deferred): a thread ends after the function returns, except
 * in ProcessTrace(), which is a cancellation point itself.
 *
 * Pointers passed in are only read during the call.  Functions return a Win32
 * code (see <etw/winerror.h>) and never set errno or GetLastError().
 *
 * A kernel module gets the same types and constants, and the Etw...() functions of
 * <etw/nt/etw.h> instead of Event...().
 */
#ifndef ETW_EVNTPROV_H
#define ETW_EVNTPROV_H

#include <etw/winerror.h>
#include <etw/wintypes.h>

ETW_BEGIN_DECLS

/* A provider registration; 0 is valid everywhere and does nothing. */
typedef ULONGLONG REGHANDLE, *PREGHANDLE;

#define EVENT_MIN_LEVEL			0	/* passes every level filter */
#define EVENT_MAX_LEVEL			255

#define MAX_EVENT_DATA_DESCRIPTORS	128	/* of one event */
#define MAX_EVENT_FILTERS_COUNT		13	/* of one enable call */
#define MAX_EVENT_FILTER_DATA_SIZE	1024	/* bytes, filters not named below */
#define MAX_EVENT_FILTER_PAYLOAD_SIZE	4096	/* bytes */
#define MAX_EVENT_FILTER_EVENT_NAME_SIZE 4096	/* bytes */
#define MAX_EVENT_FILTER_PID_COUNT	8
#define MAX_EVENT_FILTER_EVENT_ID_COUNT	64

/* EVENT_FILTER_DESCRIPTOR.Type, with what Ptr points to */
#define EVENT_FILTER_TYPE_NONE			0x00000000
#define EVENT_FILTER_TYPE_SCHEMATIZED		0x80000000	/* EVENT_FILTER_HEADER + data */
#define EVENT_FILTER_TYPE_SYSTEM_FLAGS		0x80000001
#define EVENT_FILTER_TYPE_TRACEHANDLE		0x80000002	/* one ULONG64 */
#define EVENT_FILTER_TYPE_PID			0x80000004	/* ULONG[] */
#define EVENT_FILTER_TYPE_EXECUTABLE_NAME	0x80000008	/* WCHAR "a;b" */
#define EVENT_FILTER_TYPE_PACKAGE_ID		0x80000010	/* WCHAR "a;b" */
#define EVENT_FILTER_TYPE_PACKAGE_APP_ID	0x80000020	/* WCHAR "a;b" */
#define EVENT_FILTER_TYPE_PAYLOAD		0x80000100	/* <etw/abi_filter.h> */
#define EVENT_FILTER_TYPE_EVENT_ID		0x80000200	/* EVENT_FILTER_EVENT_ID */
#define EVENT_FILTER_TYPE_EVENT_NAME		0x80000400	/* EVENT_FILTER_EVENT_NAME */
#define EVENT_FILTER_TYPE_STACKWALK		0x80001000	/* EVENT_FILTER_EVENT_ID */
#define EVENT_FILTER_TYPE_STACKWALK_NAME	0x80002000	/* EVENT_FILTER_EVENT_NAME */
#define EVENT_FILTER_TYPE_STACKWALK_LEVEL_KW	0x80004000	/* EVENT_FILTER_LEVEL_KW */
#define EVENT_FILTER_TYPE_CONTAINER		0x80008000

/*
 * EVENT_DATA_DESCRIPTOR.Type, ignored unless the provider enabled types with
 * EventSetInformation().  A piece with a type other than NONE is not part of the
 * payload.  Metadata starts with its own size as a USHORT.
 */
#define EVENT_DATA_DESCRIPTOR_TYPE_NONE			0
#define EVENT_DATA_DESCRIPTOR_TYPE_EVENT_METADATA	1	/* item EVENT_SCHEMA_TL */
#define EVENT_DATA_DESCRIPTOR_TYPE_PROVIDER_METADATA	2	/* item PROV_TRAITS */
#define EVENT_DATA_DESCRIPTOR_TYPE_TIMESTAMP_OVERRIDE	3	/* ULONG64, session clock */

/* EventWriteEx() Flags */
#define EVENT_WRITE_FLAG_NO_FAULTING	0x00000001	/* kernel providers only */
#define EVENT_WRITE_FLAG_INPRIVATE	0x00000002	/* not to EXCLUDE_INPRIVATE sessions */

/* EventActivityIdControl() ControlCode */
#define EVENT_ACTIVITY_CTRL_GET_ID		1	/* *id = the thread's */
#define EVENT_ACTIVITY_CTRL_SET_ID		2	/* the thread's = *id */
#define EVENT_ACTIVITY_CTRL_CREATE_ID		3	/* *id = a new id */
#define EVENT_ACTIVITY_CTRL_GET_SET_ID		4	/* swap the two */
#define EVENT_ACTIVITY_CTRL_CREATE_SET_ID	5	/* *id = the thread's, then a new one for the thread */

/* IsEnabled of an enable callback, ControlCode of EnableTraceEx2() */
#define EVENT_CONTROL_CODE_DISABLE_PROVIDER	0
#define EVENT_CONTROL_CODE_ENABLE_PROVIDER	1
#define EVENT_CONTROL_CODE_CAPTURE_STATE	2

/* EventSetInformation() InformationClass, with what EventInformation points to */
typedef enum _EVENT_INFO_CLASS {
	EventProviderBinaryTrackInfo = 0,	/* nothing; not supported here */
	EventProviderSetReserved1 = 1,
	EventProviderSetTraits = 2,		/* traits, once */
	EventProviderUseDescriptorType = 3,	/* a BOOLEAN */
	MaxEventInfo = 4
} EVENT_INFO_CLASS;

/* Identifies an event, 16 bytes.  Copied into the event unchanged. */
typedef struct _EVENT_DESCRIPTOR {
	USHORT Id;
	UCHAR Version;
	UCHAR Channel;
	UCHAR Level;		/* 1 critical .. 5 verbose, 0 passes always */
	UCHAR Opcode;
	USHORT Task;
	ULONGLONG Keyword;	/* bits 0..47 are the provider's own */
} EVENT_DESCRIPTOR, *PEVENT_DESCRIPTOR;
typedef const EVENT_DESCRIPTOR *PCEVENT_DESCRIPTOR;

/* One piece of an event's payload, 16 bytes */
typedef struct _EVENT_DATA_DESCRIPTOR {
	ULONGLONG Ptr;		/* address of the data */
	ULONG Size;		/* bytes, may be 0 */
	union {
		ULONG Reserved;	/* 0 */
		ETW_ANONYMOUS struct {
			UCHAR Type;	/* EVENT_DATA_DESCRIPTOR_TYPE_ */
			UCHAR Reserved1;
			USHORT Reserved2;
		};
	};
} EVENT_DATA_DESCRIPTOR, *PEVENT_DATA_DESCRIPTOR;

/* A filter as a session passes it and a callback receives it, 16 bytes */
typedef struct _EVENT_FILTER_DESCRIPTOR {
	ULONGLONG Ptr;		/* address of the filter data */
	ULONG Size;		/* bytes */
	ULONG Type;		/* EVENT_FILTER_TYPE_ */
} EVENT_FILTER_DESCRIPTOR, *PEVENT_FILTER_DESCRIPTOR;

/* Header of a SCHEMATIZED filter, 24 bytes; the data follows */
typedef struct _EVENT_FILTER_HEADER {
	USHORT Id;
	UCHAR Version;
	UCHAR Reserved[5];
	ULONGLONG InstanceId;	/* 0 from the session; in a callback the session's bit */
	ULONG Size;		/* bytes, this header included */
	ULONG NextOffset;	/* bytes from this header to the next, 0 = last */
} EVENT_FILTER_HEADER, *PEVENT_FILTER_HEADER;

/* Event ids to pass (FilterIn) or to drop; 4 + 2 * Count bytes */
typedef struct _EVENT_FILTER_EVENT_ID {
	BOOLEAN FilterIn;
	UCHAR Reserved;
	USHORT Count;
	USHORT Events[ANYSIZE_ARRAY];
} EVENT_FILTER_EVENT_ID, *PEVENT_FILTER_EVENT_ID;

/* Event names, UTF-8, each NUL-terminated, one after the other */
typedef struct _EVENT_FILTER_EVENT_NAME {
	ULONGLONG MatchAnyKeyword;
	ULONGLONG MatchAllKeyword;
	UCHAR Level;
	BOOLEAN FilterIn;
	USHORT NameCount;
	UCHAR Names[ANYSIZE_ARRAY];
} EVENT_FILTER_EVENT_NAME, *PEVENT_FILTER_EVENT_NAME;

typedef struct _EVENT_FILTER_LEVEL_KW {
	ULONGLONG MatchAnyKeyword;
	ULONGLONG MatchAllKeyword;
	UCHAR Level;
	BOOLEAN FilterIn;
} EVENT_FILTER_LEVEL_KW, *PEVENT_FILTER_LEVEL_KW;

/**
 * typedef PENABLECALLBACK - a session has enabled or disabled the provider
 * @SourceId: from the enabling call; all zero when it gave none, the provider
 *	was enabled before it registered, or a session stopped
 * @IsEnabled: EVENT_CONTROL_CODE_, the provider's current state, which need not be
 *	what this one session requested; ignore unknown values
 * @Level: the highest level of all enabling sessions
 * @MatchAnyKeyword: their masks or-ed together; a session's 0 counts as all ones
 * @MatchAllKeyword: their masks and-ed together
 * @FilterData: NULL, or filter data from sessions, valid only during the call.
 *	Type SCHEMATIZED: Ptr points to an EVENT_FILTER_HEADER; the filters of all
 *	enabling sessions are chained by NextOffset, each aligned to 8 bytes, at
 *	most 8,192 bytes.  A CAPTURE_STATE request has only its own filter.  Type
 *	TRACEHANDLE, only with CAPTURE_STATE: a ULONGLONG, the handle of the session
 *	that the state is for.  Its low 16 bits are the logger id;
 *	~(1ULL << (id - 1)) as EventWriteEx's Filter writes to that session alone
 * @CallbackContext: as given to EventRegister()
 *
 * Context: libetw's own thread with all signals blocked; one call at a time.  May
 * write events.  Must not start, stop or control sessions, or enable providers,
 * because that can deadlock.
 * Semantics: Microsoft's page "PENABLECALLBACK callback function".
 */
typedef VOID (NTAPI *PENABLECALLBACK)(LPCGUID SourceId, ULONG IsEnabled,
				      UCHAR Level, ULONGLONG MatchAnyKeyword,
				      ULONGLONG MatchAllKeyword,
				      PEVENT_FILTER_DESCRIPTOR FilterData,
				      PVOID CallbackContext);

#ifndef __KERNEL__

/**
 * EventRegister() - register a provider
 * @ProviderId: the provider's GUID
 * @EnableCallback: called for every change of the enable state, or NULL
 * @CallbackContext: passed to the callback
 * @RegHandle: out: the handle; 0 when the call fails
 *
 * If a session has already enabled the GUID, the callback has completed when this
 * returns, so the first write reaches the session, also with a header generated by
 * the message compiler, whose enable bits the callback sets.  *RegHandle is valid in
 * the callback.  The caller must not hold a lock that any registration's callback
 * takes, because callbacks run one after another; if a callback never returns,
 * neither does this function.  Signals to the thread and its cancellation are
 * deferred meanwhile.  Called inside a callback, this function does not wait: the
 * new registration's callback runs after the current one.
 * The caller owns the handle and releases it with EventUnregister(); process exit
 * releases it too.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (ProviderId or RegHandle is
 * NULL); ERROR_NOT_ENOUGH_MEMORY (also past 1,024 registrations in a process, or no
 * descriptor is free);
 * ERROR_ACCESS_DENIED (access lists withhold the right to register the GUID);
 * ERROR_NOT_SUPPORTED (in a vfork child, whose registrations are its parent's).
 * Context: any thread, not a signal handler.
 * Semantics: Microsoft's page "EventRegister function".
 */
ETW_API ULONG EVNTAPI EventRegister(LPCGUID ProviderId,
				    PENABLECALLBACK EnableCallback,
				    PVOID CallbackContext,
				    PREGHANDLE RegHandle);

/**
 * EventUnregister() - end a registration
 * @RegHandle: from EventRegister()
 *
 * Waits for a running callback.  Once this returns, the callback is not running and
 * never runs again, so its code and context may be freed.  Called inside the
 * callback of the same registration, it returns at once, and that callback call is
 * the last.  The caller must not hold a lock that the callback takes.  Writes that
 * other threads have already started are safe.
 *
 * libetw's thread ends after the last callback, or shortly afterwards if that
 * callback ended the last registration.  dlclose() therefore leaves libetw.so in
 * memory; link a shared object that contains libetw.a with -Wl,-z,nodelete.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_HANDLE (also for 0); ERROR_NOT_SUPPORTED (in a vfork
 * child).
 * Context: any thread, not a signal handler.
 * Semantics: Microsoft's page "EventUnregister function".
 */
ETW_API ULONG EVNTAPI EventUnregister(REGHANDLE RegHandle);

/**
 * EventSetInformation() - set the traits or options of a provider
 * @RegHandle: the provider
 * @InformationClass: what to set
 * @EventInformation: depends on the class; copied
 * @InformationLength: bytes at EventInformation
 *
 * EventProviderSetTraits: sets the provider's traits, once.  They consist of a
 * USHORT, the total size in bytes; a UTF-8 name with its NUL; and chunks.  A chunk
 * is a USHORT, the size of the whole chunk; a UCHAR, its type
 * (ETW_PROVIDER_TRAIT_TYPE of <evntcons.h>; 3 to 127 are reserved, 128 to 255 are
 * the provider's own); and data.  Every event carries the traits, so keep them
 * below 256 bytes.  A group GUID makes the provider a member of that group: enabling
 * the group enables the provider and calls its callback.  A decode GUID becomes the
 * events' ProviderId.  Setting traits also enables the Type of data descriptors.
 *
 * EventProviderUseDescriptorType: a BOOLEAN, whether the Type of data descriptors is
 * used; by default it is ignored.  While it is used, writing an event with an unknown
 * type, with one type twice, or with metadata of a wrong size returns
 * ERROR_INVALID_PARAMETER.
 *
 * A forked child's registrations inherit these settings.  A registration that may not
 * join the group in the child, or whose traits exceed the user's limit, is disabled
 * in the child.
 *
 * Return: ERROR_SUCCESS, also for handle 0 and without the kernel module;
 * ERROR_INVALID_PARAMETER (no such handle, malformed data, or a wrong length);
 * ERROR_ALREADY_EXISTS (traits are already set); ERROR_ACCESS_DENIED (the caller may
 * not join the group); ERROR_NO_SYSTEM_RESOURCES (the user's limit on traits, see
 * max_user_traits in etw(4)); ERROR_NOT_SUPPORTED (any other class, including
 * EventProviderBinaryTrackInfo, or in a vfork child); ERROR_NOT_ENOUGH_MEMORY.  An error changes nothing.
 * Context: any thread, callbacks included; not a signal handler.
 * Semantics: Microsoft's pages "EventSetInformation function" and "Provider
 * Traits".
 */
ETW_API ULONG EVNTAPI EventSetInformation(REGHANDLE RegHandle,
					  EVENT_INFO_CLASS InformationClass,
					  PVOID EventInformation,
					  ULONG InformationLength);

/**
 * EventEnabled() - does a session accept this event?
 * @RegHandle: the provider
 * @EventDescriptor: only Level and Keyword are used
 *
 * Costs a load and a branch while the provider is disabled.  Filters other than
 * level and keyword may still drop the event later.
 *
 * Return: TRUE if at least one session accepts the level and keyword; FALSE
 * otherwise, for handle 0 and for an invalid handle.
 * Context: any thread, signal handlers and callbacks included.
 * Semantics: Microsoft's page "EventEnabled function".
 */
ETW_API BOOLEAN EVNTAPI EventEnabled(REGHANDLE RegHandle,
				     PCEVENT_DESCRIPTOR EventDescriptor);

/**
 * EventProviderEnabled() - does a session accept events of this level and keyword?
 * @RegHandle: the provider
 * @Level: event level, 0..255
 * @Keyword: event keyword
 *
 * Return: as EventEnabled(); with Level and Keyword 0, whether any session has
 * enabled the provider.
 * Context: any thread, signal handlers and callbacks included.
 * Semantics: Microsoft's page "EventProviderEnabled function".
 */
ETW_API BOOLEAN EVNTAPI EventProviderEnabled(REGHANDLE RegHandle, UCHAR Level,
					     ULONGLONG Keyword);

/**
 * EventWrite() - write an event
 * @RegHandle: the provider
 * @EventDescriptor: identifies the event
 * @UserDataCount: descriptors at UserData, at most 128
 * @UserData: the payload in pieces, joined without padding; NULL when the count
 *	is 0
 *
 * The event carries the thread's activity id and reaches every session whose level
 * and keyword match.  Header and payload together are limited to 64 KB.
 *
 * Return: ERROR_SUCCESS, also while no session listens and for handle 0;
 * ERROR_INVALID_HANDLE; ERROR_INVALID_PARAMETER (no EventDescriptor; or, checked
 * only if a session accepts the event, too many descriptors or a count without
 * UserData); ERROR_ARITHMETIC_OVERFLOW (over 64 KB); ERROR_MORE_DATA (larger than a
 * session's buffer); ERROR_NOT_ENOUGH_MEMORY (no free buffer); ERROR_NOACCESS (the
 * payload is not readable).  After the last four, every session that did not get
 * the event counts it as lost.
 *
 * After fork() the first event of the child opens the device again.  While it cannot, because
 * no descriptor is free or the device has no path after chroot(2), the result is
 * ERROR_NOT_ENOUGH_MEMORY too; the loss is counted if the child still has its parent's
 * descriptor of the device, and the next event tries again.
 * A vfork() child opens the device for each event; its parent's state does not change.
 * Context: any thread, callbacks included.  Also a signal handler, unless a session
 * requests stacks and glibc is older than 2.35: unwinding then takes a lock that
 * dlopen() holds.
 * Semantics: Microsoft's page "EventWrite function".
 */
ETW_API ULONG EVNTAPI EventWrite(REGHANDLE RegHandle,
				 PCEVENT_DESCRIPTOR EventDescriptor,
				 ULONG UserDataCount,
				 PEVENT_DATA_DESCRIPTOR UserData);

/**
 * EventWriteTransfer() - write an event that relates two activities
 * @RegHandle: the provider
 * @EventDescriptor: identifies the event
 * @ActivityId: the event's activity, NULL for the thread's
 * @RelatedActivityId: attached as an extended item, NULL for none
 * @UserDataCount: descriptors at UserData, at most 128
 * @UserData: the payload in pieces
 *
 * Return and context: as EventWrite().
 * Semantics: Microsoft's page "EventWriteTransfer function".
 */
ETW_API ULONG EVNTAPI EventWriteTransfer(REGHANDLE RegHandle,
					 PCEVENT_DESCRIPTOR EventDescriptor,
					 LPCGUID ActivityId,
					 LPCGUID RelatedActivityId,
					 ULONG UserDataCount,
					 PEVENT_DATA_DESCRIPTOR UserData);

/**
 * EventWriteEx() - write an event to some of the sessions
 * @RegHandle: the provider
 * @EventDescriptor: identifies the event
 * @Filter: or-ed InstanceIds (EVENT_FILTER_HEADER) of the sessions to exclude;
 *	0 excludes none
 * @Flags: EVENT_WRITE_FLAG_; other bits return ERROR_INVALID_PARAMETER if a session
 *	accepts the event
 * @ActivityId: the event's activity, NULL for the thread's
 * @RelatedActivityId: attached as an extended item, NULL for none
 * @UserDataCount: descriptors at UserData, at most 128
 * @UserData: the payload in pieces
 *
 * Return and context: as EventWrite().
 * Semantics: Microsoft's page "EventWriteEx function".
 */
ETW_API ULONG EVNTAPI EventWriteEx(REGHANDLE RegHandle,
				   PCEVENT_DESCRIPTOR EventDescriptor,
				   ULONG64 Filter, ULONG Flags,
				   LPCGUID ActivityId,
				   LPCGUID RelatedActivityId,
				   ULONG UserDataCount,
				   PEVENT_DATA_DESCRIPTOR UserData);

/**
 * EventWriteString() - write a string as an event
 * @RegHandle: the provider
 * @Level: event level, 0..255
 * @Keyword: event keyword
 * @String: UTF-16, NUL-terminated
 *
 * The rest of the descriptor is 0, the payload is the string with its NUL, and the
 * event's header has EVENT_HEADER_FLAG_STRING_ONLY.
 *
 * Return and context: as EventWrite(), but ERROR_INVALID_HANDLE for handle 0;
 * ERROR_INVALID_PARAMETER for NULL.
 * Semantics: Microsoft's page "EventWriteString function".
 */
ETW_API ULONG EVNTAPI EventWriteString(REGHANDLE RegHandle, UCHAR Level,
				       ULONGLONG Keyword, PCWSTR String);

/**
 * EventActivityIdControl() - read, set or create activity ids
 * @ControlCode: EVENT_ACTIVITY_CTRL_
 * @ActivityId: in, out or both, by ControlCode
 *
 * Each thread has its own id, initially zero.  A created id is unique on this machine
 * until it reboots.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER (NULL or an unknown code), which
 * changes nothing.
 * Context: any thread, callbacks included.
 * Semantics: Microsoft's page "EventActivityIdControl function".
 */
ETW_API ULONG EVNTAPI EventActivityIdControl(ULONG ControlCode,
					     LPGUID ActivityId);

#endif /* __KERNEL__ */

/* ---------------------------------------------------------- inline helpers */

/*
 * The helpers fill and read descriptors.  None of them checks its arguments, can fail,
 * or keeps a pointer other than the one the descriptor holds.
 *
 * Semantics: Microsoft's pages "EventDataDescCreate function", "EventDescCreate
 * function", and one page for each of the others, by its name.
 */

/* Point at DataSize bytes, which must stay until the event is written */
static inline VOID EventDataDescCreate(PEVENT_DATA_DESCRIPTOR EventDataDescriptor,
				       const VOID *DataPtr, ULONG DataSize)
{
	EventDataDescriptor->Ptr = (ULONG_PTR)DataPtr;
	EventDataDescriptor->Size = DataSize;
	EventDataDescriptor->Reserved = 0;
}

static inline VOID EventDescCreate(PEVENT_DESCRIPTOR EventDescriptor, USHORT Id,
				   UCHAR Version, UCHAR Channel, UCHAR Level,
				   USHORT Task, UCHAR Opcode, ULONGLONG Keyword)
{
	EventDescriptor->Id = Id;
	EventDescriptor->Version = Version;
	EventDescriptor->Channel = Channel;
	EventDescriptor->Level = Level;
	EventDescriptor->Task = Task;
	EventDescriptor->Opcode = Opcode;
	EventDescriptor->Keyword = Keyword;
}

static inline VOID EventDescZero(PEVENT_DESCRIPTOR EventDescriptor)
{
	EventDescCreate(EventDescriptor, 0, 0, 0, 0, 0, 0, 0);
}

static inline USHORT EventDescGetId(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Id;
}

static inline UCHAR EventDescGetVersion(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Version;
}

static inline USHORT EventDescGetTask(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Task;
}

static inline UCHAR EventDescGetOpcode(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Opcode;
}

static inline UCHAR EventDescGetChannel(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Channel;
}

static inline UCHAR EventDescGetLevel(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Level;
}

static inline ULONGLONG EventDescGetKeyword(PCEVENT_DESCRIPTOR EventDescriptor)
{
	return EventDescriptor->Keyword;
}

/* The setters return the descriptor, so that calls can be chained. */

static inline PEVENT_DESCRIPTOR EventDescSetId(PEVENT_DESCRIPTOR EventDescriptor,
					       USHORT Id)
{
	EventDescriptor->Id = Id;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescSetVersion(PEVENT_DESCRIPTOR EventDescriptor,
						    UCHAR Version)
{
	EventDescriptor->Version = Version;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescSetTask(PEVENT_DESCRIPTOR EventDescriptor,
						 USHORT Task)
{
	EventDescriptor->Task = Task;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescSetOpcode(PEVENT_DESCRIPTOR EventDescriptor,
						   UCHAR Opcode)
{
	EventDescriptor->Opcode = Opcode;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescSetLevel(PEVENT_DESCRIPTOR EventDescriptor,
						  UCHAR Level)
{
	EventDescriptor->Level = Level;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescSetChannel(PEVENT_DESCRIPTOR EventDescriptor,
						    UCHAR Channel)
{
	EventDescriptor->Channel = Channel;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescSetKeyword(PEVENT_DESCRIPTOR EventDescriptor,
						    ULONGLONG Keyword)
{
	EventDescriptor->Keyword = Keyword;
	return EventDescriptor;
}

static inline PEVENT_DESCRIPTOR EventDescOrKeyword(PEVENT_DESCRIPTOR EventDescriptor,
						   ULONGLONG Keyword)
{
	EventDescriptor->Keyword |= Keyword;
	return EventDescriptor;
}

ETW_END_DECLS

#ifdef __KERNEL__
#include <etw/nt/etw.h>
#endif

#endif /* ETW_EVNTPROV_H */
