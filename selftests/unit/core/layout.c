// SPDX-License-Identifier: GPL-2.0-only
/*
 * layout.c - the Windows-named structs have the layout of 64-bit Windows
 *
 * Every field's offset and size is asserted when this file is compiled, as C11 or C++17.
 * The program then runs the inline helpers and prints TAP.
 */
#include <assert.h>
#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include <evntcons.h>
#include <evntprov.h>
#include <evntrace.h>
#include <wmistr.h>

#include "layout_types.h"
#include "lib/tap.h"

/* Tables: S(struct, size, alignment), then F(struct, field, offset, size) */

#define PROVIDER(S, F)							\
	S(EVENT_DESCRIPTOR, 16, 8)					\
	F(EVENT_DESCRIPTOR, Id, 0, 2)					\
	F(EVENT_DESCRIPTOR, Version, 2, 1)				\
	F(EVENT_DESCRIPTOR, Channel, 3, 1)				\
	F(EVENT_DESCRIPTOR, Level, 4, 1)				\
	F(EVENT_DESCRIPTOR, Opcode, 5, 1)				\
	F(EVENT_DESCRIPTOR, Task, 6, 2)					\
	F(EVENT_DESCRIPTOR, Keyword, 8, 8)				\
	S(EVENT_DATA_DESCRIPTOR, 16, 8)					\
	F(EVENT_DATA_DESCRIPTOR, Ptr, 0, 8)				\
	F(EVENT_DATA_DESCRIPTOR, Size, 8, 4)				\
	F(EVENT_DATA_DESCRIPTOR, Reserved, 12, 4)			\
	F(EVENT_DATA_DESCRIPTOR, Type, 12, 1)				\
	F(EVENT_DATA_DESCRIPTOR, Reserved1, 13, 1)			\
	F(EVENT_DATA_DESCRIPTOR, Reserved2, 14, 2)			\
	S(EVENT_FILTER_DESCRIPTOR, 16, 8)				\
	F(EVENT_FILTER_DESCRIPTOR, Ptr, 0, 8)				\
	F(EVENT_FILTER_DESCRIPTOR, Size, 8, 4)				\
	F(EVENT_FILTER_DESCRIPTOR, Type, 12, 4)				\
	S(EVENT_FILTER_HEADER, 24, 8)					\
	F(EVENT_FILTER_HEADER, Id, 0, 2)				\
	F(EVENT_FILTER_HEADER, Version, 2, 1)				\
	F(EVENT_FILTER_HEADER, Reserved, 3, 5)				\
	F(EVENT_FILTER_HEADER, InstanceId, 8, 8)			\
	F(EVENT_FILTER_HEADER, Size, 16, 4)				\
	F(EVENT_FILTER_HEADER, NextOffset, 20, 4)			\
	S(EVENT_FILTER_EVENT_ID, 6, 2)					\
	F(EVENT_FILTER_EVENT_ID, FilterIn, 0, 1)			\
	F(EVENT_FILTER_EVENT_ID, Reserved, 1, 1)			\
	F(EVENT_FILTER_EVENT_ID, Count, 2, 2)				\
	F(EVENT_FILTER_EVENT_ID, Events, 4, 2)				\
	S(EVENT_FILTER_EVENT_NAME, 24, 8)				\
	F(EVENT_FILTER_EVENT_NAME, MatchAnyKeyword, 0, 8)		\
	F(EVENT_FILTER_EVENT_NAME, MatchAllKeyword, 8, 8)		\
	F(EVENT_FILTER_EVENT_NAME, Level, 16, 1)			\
	F(EVENT_FILTER_EVENT_NAME, FilterIn, 17, 1)			\
	F(EVENT_FILTER_EVENT_NAME, NameCount, 18, 2)			\
	F(EVENT_FILTER_EVENT_NAME, Names, 20, 1)			\
	S(EVENT_FILTER_LEVEL_KW, 24, 8)					\
	F(EVENT_FILTER_LEVEL_KW, MatchAnyKeyword, 0, 8)			\
	F(EVENT_FILTER_LEVEL_KW, MatchAllKeyword, 8, 8)			\
	F(EVENT_FILTER_LEVEL_KW, Level, 16, 1)				\
	F(EVENT_FILTER_LEVEL_KW, FilterIn, 17, 1)

/* The first 120 bytes are the same in both versions. */
#define PROPERTIES(F, T)						\
	F(T, Wnode, 0, 48)						\
	F(T, BufferSize, 48, 4)						\
	F(T, MinimumBuffers, 52, 4)					\
	F(T, MaximumBuffers, 56, 4)					\
	F(T, MaximumFileSize, 60, 4)					\
	F(T, LogFileMode, 64, 4)					\
	F(T, FlushTimer, 68, 4)						\
	F(T, EnableFlags, 72, 4)					\
	F(T, AgeLimit, 76, 4)						\
	F(T, FlushThreshold, 76, 4)					\
	F(T, NumberOfBuffers, 80, 4)					\
	F(T, FreeBuffers, 84, 4)					\
	F(T, EventsLost, 88, 4)						\
	F(T, BuffersWritten, 92, 4)					\
	F(T, LogBuffersLost, 96, 4)					\
	F(T, RealTimeBuffersLost, 100, 4)				\
	F(T, LoggerThreadId, 104, 8)					\
	F(T, LogFileNameOffset, 112, 4)					\
	F(T, LoggerNameOffset, 116, 4)

#define ENABLE_PARAMETERS(F, T)						\
	F(T, Version, 0, 4)						\
	F(T, EnableProperty, 4, 4)					\
	F(T, ControlFlags, 8, 4)					\
	F(T, SourceId, 12, 16)						\
	F(T, EnableFilterDesc, 32, 8)

#define CONTROLLER(S, F)						\
	S(WNODE_HEADER, 48, 8)						\
	F(WNODE_HEADER, BufferSize, 0, 4)				\
	F(WNODE_HEADER, ProviderId, 4, 4)				\
	F(WNODE_HEADER, HistoricalContext, 8, 8)			\
	F(WNODE_HEADER, Version, 8, 4)					\
	F(WNODE_HEADER, Linkage, 12, 4)					\
	F(WNODE_HEADER, CountLost, 16, 4)				\
	F(WNODE_HEADER, KernelHandle, 16, 8)				\
	F(WNODE_HEADER, TimeStamp, 16, 8)				\
	F(WNODE_HEADER, Guid, 24, 16)					\
	F(WNODE_HEADER, ClientContext, 40, 4)				\
	F(WNODE_HEADER, Flags, 44, 4)					\
	S(EVENT_TRACE_PROPERTIES, 120, 8)				\
	PROPERTIES(F, EVENT_TRACE_PROPERTIES)				\
	S(EVENT_TRACE_PROPERTIES_V2, 144, 8)				\
	PROPERTIES(F, EVENT_TRACE_PROPERTIES_V2)			\
	F(EVENT_TRACE_PROPERTIES_V2, V2Control, 120, 4)			\
	F(EVENT_TRACE_PROPERTIES_V2, FilterDescCount, 124, 4)		\
	F(EVENT_TRACE_PROPERTIES_V2, FilterDesc, 128, 8)		\
	F(EVENT_TRACE_PROPERTIES_V2, V2Options, 136, 8)			\
	S(ENABLE_TRACE_PARAMETERS, 48, 8)				\
	ENABLE_PARAMETERS(F, ENABLE_TRACE_PARAMETERS)			\
	F(ENABLE_TRACE_PARAMETERS, FilterDescCount, 40, 4)		\
	S(ENABLE_TRACE_PARAMETERS_V1, 40, 8)				\
	ENABLE_PARAMETERS(F, ENABLE_TRACE_PARAMETERS_V1)

#define RECORD(S, F)							\
	S(EVENT_HEADER, 80, 8)						\
	F(EVENT_HEADER, Size, 0, 2)					\
	F(EVENT_HEADER, HeaderType, 2, 2)				\
	F(EVENT_HEADER, Flags, 4, 2)					\
	F(EVENT_HEADER, EventProperty, 6, 2)				\
	F(EVENT_HEADER, ThreadId, 8, 4)					\
	F(EVENT_HEADER, ProcessId, 12, 4)				\
	F(EVENT_HEADER, TimeStamp, 16, 8)				\
	F(EVENT_HEADER, ProviderId, 24, 16)				\
	F(EVENT_HEADER, EventDescriptor, 40, 16)			\
	F(EVENT_HEADER, KernelTime, 56, 4)				\
	F(EVENT_HEADER, UserTime, 60, 4)				\
	F(EVENT_HEADER, ProcessorTime, 56, 8)				\
	F(EVENT_HEADER, ActivityId, 64, 16)				\
	S(ETW_BUFFER_CONTEXT, 4, 2)					\
	F(ETW_BUFFER_CONTEXT, ProcessorNumber, 0, 1)			\
	F(ETW_BUFFER_CONTEXT, Alignment, 1, 1)				\
	F(ETW_BUFFER_CONTEXT, ProcessorIndex, 0, 2)			\
	F(ETW_BUFFER_CONTEXT, LoggerId, 2, 2)				\
	S(EVENT_HEADER_EXTENDED_DATA_ITEM, 16, 8)			\
	F(EVENT_HEADER_EXTENDED_DATA_ITEM, Reserved1, 0, 2)		\
	F(EVENT_HEADER_EXTENDED_DATA_ITEM, ExtType, 2, 2)		\
	F(EVENT_HEADER_EXTENDED_DATA_ITEM, DataSize, 6, 2)		\
	F(EVENT_HEADER_EXTENDED_DATA_ITEM, DataPtr, 8, 8)		\
	S(EVENT_RECORD, 112, 8)						\
	F(EVENT_RECORD, EventHeader, 0, 80)				\
	F(EVENT_RECORD, BufferContext, 80, 4)				\
	F(EVENT_RECORD, ExtendedDataCount, 84, 2)			\
	F(EVENT_RECORD, UserDataLength, 86, 2)				\
	F(EVENT_RECORD, ExtendedData, 88, 8)				\
	F(EVENT_RECORD, UserData, 96, 8)				\
	F(EVENT_RECORD, UserContext, 104, 8)

#define EXTENDED_ITEMS(S, F)						\
	S(EVENT_EXTENDED_ITEM_RELATED_ACTIVITYID, 16, 4)		\
	F(EVENT_EXTENDED_ITEM_RELATED_ACTIVITYID, RelatedActivityId, 0, 16) \
	S(EVENT_EXTENDED_ITEM_TS_ID, 4, 4)				\
	F(EVENT_EXTENDED_ITEM_TS_ID, SessionId, 0, 4)			\
	S(EVENT_EXTENDED_ITEM_INSTANCE, 24, 4)				\
	F(EVENT_EXTENDED_ITEM_INSTANCE, InstanceId, 0, 4)		\
	F(EVENT_EXTENDED_ITEM_INSTANCE, ParentInstanceId, 4, 4)		\
	F(EVENT_EXTENDED_ITEM_INSTANCE, ParentGuid, 8, 16)		\
	S(EVENT_EXTENDED_ITEM_STACK_TRACE32, 16, 8)			\
	F(EVENT_EXTENDED_ITEM_STACK_TRACE32, MatchId, 0, 8)		\
	F(EVENT_EXTENDED_ITEM_STACK_TRACE32, Address, 8, 4)		\
	S(EVENT_EXTENDED_ITEM_STACK_TRACE64, 16, 8)			\
	F(EVENT_EXTENDED_ITEM_STACK_TRACE64, MatchId, 0, 8)		\
	F(EVENT_EXTENDED_ITEM_STACK_TRACE64, Address, 8, 8)		\
	S(EVENT_EXTENDED_ITEM_STACK_KEY32, 16, 8)			\
	F(EVENT_EXTENDED_ITEM_STACK_KEY32, MatchId, 0, 8)		\
	F(EVENT_EXTENDED_ITEM_STACK_KEY32, StackKey, 8, 4)		\
	F(EVENT_EXTENDED_ITEM_STACK_KEY32, Padding, 12, 4)		\
	S(EVENT_EXTENDED_ITEM_STACK_KEY64, 16, 8)			\
	F(EVENT_EXTENDED_ITEM_STACK_KEY64, MatchId, 0, 8)		\
	F(EVENT_EXTENDED_ITEM_STACK_KEY64, StackKey, 8, 8)		\
	S(EVENT_EXTENDED_ITEM_PEBS_INDEX, 8, 8)				\
	F(EVENT_EXTENDED_ITEM_PEBS_INDEX, PebsIndex, 0, 8)		\
	S(EVENT_EXTENDED_ITEM_PMC_COUNTERS, 8, 8)			\
	F(EVENT_EXTENDED_ITEM_PMC_COUNTERS, Counter, 0, 8)		\
	S(EVENT_EXTENDED_ITEM_PROCESS_START_KEY, 8, 8)			\
	F(EVENT_EXTENDED_ITEM_PROCESS_START_KEY, ProcessStartKey, 0, 8)	\
	S(EVENT_EXTENDED_ITEM_EVENT_KEY, 8, 8)				\
	F(EVENT_EXTENDED_ITEM_EVENT_KEY, Key, 0, 8)

/* The same in both forms: names are pointers in both. */
#define LOGFILE(F, T)							\
	F(T, LogFileName, 0, 8)						\
	F(T, LoggerName, 8, 8)						\
	F(T, CurrentTime, 16, 8)					\
	F(T, BuffersRead, 24, 4)					\
	F(T, LogFileMode, 28, 4)					\
	F(T, ProcessTraceMode, 28, 4)					\
	F(T, CurrentEvent, 32, 88)					\
	F(T, LogfileHeader, 120, 280)					\
	F(T, BufferCallback, 400, 8)					\
	F(T, BufferSize, 408, 4)					\
	F(T, Filled, 412, 4)						\
	F(T, EventsLost, 416, 4)					\
	F(T, EventCallback, 424, 8)					\
	F(T, EventRecordCallback, 424, 8)				\
	F(T, IsKernelTrace, 432, 4)					\
	F(T, Context, 440, 8)

#define CONSUMER(S, F)							\
	S(EVENT_TRACE_LOGFILEW, 448, 8)					\
	LOGFILE(F, EVENT_TRACE_LOGFILEW)				\
	S(EVENT_TRACE_LOGFILEA, 448, 8)					\
	LOGFILE(F, EVENT_TRACE_LOGFILEA)				\
	S(TRACE_LOGFILE_HEADER, 280, 8)					\
	F(TRACE_LOGFILE_HEADER, BufferSize, 0, 4)			\
	F(TRACE_LOGFILE_HEADER, Version, 4, 4)				\
	F(TRACE_LOGFILE_HEADER, VersionDetail.MajorVersion, 4, 1)	\
	F(TRACE_LOGFILE_HEADER, VersionDetail.MinorVersion, 5, 1)	\
	F(TRACE_LOGFILE_HEADER, VersionDetail.SubVersion, 6, 1)		\
	F(TRACE_LOGFILE_HEADER, VersionDetail.SubMinorVersion, 7, 1)	\
	F(TRACE_LOGFILE_HEADER, ProviderVersion, 8, 4)			\
	F(TRACE_LOGFILE_HEADER, NumberOfProcessors, 12, 4)		\
	F(TRACE_LOGFILE_HEADER, EndTime, 16, 8)				\
	F(TRACE_LOGFILE_HEADER, TimerResolution, 24, 4)			\
	F(TRACE_LOGFILE_HEADER, MaximumFileSize, 28, 4)			\
	F(TRACE_LOGFILE_HEADER, LogFileMode, 32, 4)			\
	F(TRACE_LOGFILE_HEADER, BuffersWritten, 36, 4)			\
	F(TRACE_LOGFILE_HEADER, LogInstanceGuid, 40, 16)		\
	F(TRACE_LOGFILE_HEADER, StartBuffers, 40, 4)			\
	F(TRACE_LOGFILE_HEADER, PointerSize, 44, 4)			\
	F(TRACE_LOGFILE_HEADER, EventsLost, 48, 4)			\
	F(TRACE_LOGFILE_HEADER, CpuSpeedInMHz, 52, 4)			\
	F(TRACE_LOGFILE_HEADER, LoggerName, 56, 8)			\
	F(TRACE_LOGFILE_HEADER, LogFileName, 64, 8)			\
	F(TRACE_LOGFILE_HEADER, TimeZone, 72, 172)			\
	F(TRACE_LOGFILE_HEADER, BootTime, 248, 8)			\
	F(TRACE_LOGFILE_HEADER, PerfFreq, 256, 8)			\
	F(TRACE_LOGFILE_HEADER, StartTime, 264, 8)			\
	F(TRACE_LOGFILE_HEADER, ReservedFlags, 272, 4)			\
	F(TRACE_LOGFILE_HEADER, BuffersLost, 276, 4)			\
	S(EVENT_TRACE_HEADER, 48, 8)					\
	F(EVENT_TRACE_HEADER, Size, 0, 2)				\
	F(EVENT_TRACE_HEADER, FieldTypeFlags, 2, 2)			\
	F(EVENT_TRACE_HEADER, HeaderType, 2, 1)				\
	F(EVENT_TRACE_HEADER, MarkerFlags, 3, 1)			\
	F(EVENT_TRACE_HEADER, Version, 4, 4)				\
	F(EVENT_TRACE_HEADER, Class.Type, 4, 1)				\
	F(EVENT_TRACE_HEADER, Class.Level, 5, 1)			\
	F(EVENT_TRACE_HEADER, Class.Version, 6, 2)			\
	F(EVENT_TRACE_HEADER, ThreadId, 8, 4)				\
	F(EVENT_TRACE_HEADER, ProcessId, 12, 4)				\
	F(EVENT_TRACE_HEADER, TimeStamp, 16, 8)				\
	F(EVENT_TRACE_HEADER, Guid, 24, 16)				\
	F(EVENT_TRACE_HEADER, GuidPtr, 24, 8)				\
	F(EVENT_TRACE_HEADER, KernelTime, 40, 4)			\
	F(EVENT_TRACE_HEADER, UserTime, 44, 4)				\
	F(EVENT_TRACE_HEADER, ProcessorTime, 40, 8)			\
	F(EVENT_TRACE_HEADER, ClientContext, 40, 4)			\
	F(EVENT_TRACE_HEADER, Flags, 44, 4)				\
	S(EVENT_TRACE, 88, 8)						\
	F(EVENT_TRACE, Header, 0, 48)					\
	F(EVENT_TRACE, InstanceId, 48, 4)				\
	F(EVENT_TRACE, ParentInstanceId, 52, 4)				\
	F(EVENT_TRACE, ParentGuid, 56, 16)				\
	F(EVENT_TRACE, MofData, 72, 8)					\
	F(EVENT_TRACE, MofLength, 80, 4)				\
	F(EVENT_TRACE, ClientContext, 84, 4)				\
	F(EVENT_TRACE, BufferContext, 84, 4)				\
	S(ETW_BUFFER_HEADER, 72, 8)					\
	F(ETW_BUFFER_HEADER, Reserved1, 0, 16)				\
	F(ETW_BUFFER_HEADER, TimeStamp, 16, 8)				\
	F(ETW_BUFFER_HEADER, Reserved2, 24, 16)				\
	F(ETW_BUFFER_HEADER, ClientContext, 40, 4)			\
	F(ETW_BUFFER_HEADER, Reserved3, 44, 4)				\
	F(ETW_BUFFER_HEADER, FilledBytes, 48, 4)			\
	F(ETW_BUFFER_HEADER, Reserved4, 52, 20)				\
	S(ETW_BUFFER_CALLBACK_INFORMATION, 24, 8)			\
	F(ETW_BUFFER_CALLBACK_INFORMATION, TraceHandle, 0, 8)		\
	F(ETW_BUFFER_CALLBACK_INFORMATION, LogfileHeader, 8, 8)		\
	F(ETW_BUFFER_CALLBACK_INFORMATION, BuffersRead, 16, 4)		\
	S(ETW_OPEN_TRACE_OPTIONS, 40, 8)				\
	F(ETW_OPEN_TRACE_OPTIONS, ProcessTraceModes, 0, 4)		\
	F(ETW_OPEN_TRACE_OPTIONS, EventCallback, 8, 8)			\
	F(ETW_OPEN_TRACE_OPTIONS, EventCallbackContext, 16, 8)		\
	F(ETW_OPEN_TRACE_OPTIONS, BufferCallback, 24, 8)		\
	F(ETW_OPEN_TRACE_OPTIONS, BufferCallbackContext, 32, 8)		\
	S(ETW_TRACE_PARTITION_INFORMATION, 48, 8)			\
	F(ETW_TRACE_PARTITION_INFORMATION, ParentId, 16, 16)		\
	F(ETW_TRACE_PARTITION_INFORMATION, QpcOffsetFromRoot, 32, 8)	\
	F(ETW_TRACE_PARTITION_INFORMATION, PartitionType, 40, 4)	\
	S(ETW_TRACE_PARTITION_INFORMATION_V2, 32, 8)			\
	F(ETW_TRACE_PARTITION_INFORMATION_V2, PartitionType, 8, 4)	\
	F(ETW_TRACE_PARTITION_INFORMATION_V2, PartitionId, 16, 8)	\
	F(ETW_TRACE_PARTITION_INFORMATION_V2, ParentId, 24, 8)

/* evntrace.h: enumeration */
#define INFO(S, F)							\
	S(TRACE_GUID_PROPERTIES, 36, 4)					\
	F(TRACE_GUID_PROPERTIES, GuidType, 16, 4)			\
	F(TRACE_GUID_PROPERTIES, LoggerId, 20, 4)			\
	F(TRACE_GUID_PROPERTIES, EnableLevel, 24, 4)			\
	F(TRACE_GUID_PROPERTIES, EnableFlags, 28, 4)			\
	F(TRACE_GUID_PROPERTIES, IsEnable, 32, 1)			\
	S(TRACE_GUID_INFO, 8, 4)					\
	F(TRACE_GUID_INFO, InstanceCount, 0, 4)				\
	S(TRACE_PROVIDER_INSTANCE_INFO, 16, 4)				\
	F(TRACE_PROVIDER_INSTANCE_INFO, NextOffset, 0, 4)		\
	F(TRACE_PROVIDER_INSTANCE_INFO, EnableCount, 4, 4)		\
	F(TRACE_PROVIDER_INSTANCE_INFO, Pid, 8, 4)			\
	F(TRACE_PROVIDER_INSTANCE_INFO, Flags, 12, 4)			\
	S(TRACE_ENABLE_INFO, 32, 8)					\
	F(TRACE_ENABLE_INFO, Level, 4, 1)				\
	F(TRACE_ENABLE_INFO, LoggerId, 6, 2)				\
	F(TRACE_ENABLE_INFO, EnableProperty, 8, 4)			\
	F(TRACE_ENABLE_INFO, MatchAnyKeyword, 16, 8)			\
	F(TRACE_ENABLE_INFO, MatchAllKeyword, 24, 8)			\
	S(TRACE_PERIODIC_CAPTURE_STATE_INFO, 8, 4)			\
	F(TRACE_PERIODIC_CAPTURE_STATE_INFO, ProviderCount, 4, 2)	\
	S(TRACE_VERSION_INFO, 8, 4)					\
	S(CLASSIC_EVENT_ID, 24, 4)					\
	F(CLASSIC_EVENT_ID, Type, 16, 1)				\
	S(TRACE_PROFILE_INTERVAL, 8, 4)					\
	S(TRACE_GUID_REGISTRATION, 16, 8)				\
	S(EVENT_INSTANCE_INFO, 16, 8)					\
	F(EVENT_INSTANCE_INFO, InstanceId, 8, 4)			\
	S(EVENT_INSTANCE_HEADER, 56, 8)					\
	F(EVENT_INSTANCE_HEADER, RegHandle, 24, 8)			\
	F(EVENT_INSTANCE_HEADER, InstanceId, 32, 4)			\
	F(EVENT_INSTANCE_HEADER, Flags, 44, 4)				\
	F(EVENT_INSTANCE_HEADER, ParentRegHandle, 48, 8)		\
	S(MOF_FIELD, 16, 8)						\
	F(MOF_FIELD, Length, 8, 4)

/* Sources: Microsoft's pages of these names */
#define SECURITY(S, F)							\
	S(SID_IDENTIFIER_AUTHORITY, 6, 1)				\
	S(SID, 12, 4)							\
	F(SID, Revision, 0, 1)						\
	F(SID, SubAuthorityCount, 1, 1)					\
	F(SID, IdentifierAuthority, 2, 6)				\
	F(SID, SubAuthority, 8, 4)					\
	S(ACL, 8, 2)							\
	F(ACL, AclRevision, 0, 1)					\
	F(ACL, AclSize, 2, 2)						\
	F(ACL, AceCount, 4, 2)						\
	S(ACE_HEADER, 4, 2)						\
	F(ACE_HEADER, AceFlags, 1, 1)					\
	F(ACE_HEADER, AceSize, 2, 2)					\
	S(ACCESS_ALLOWED_ACE, 12, 4)					\
	F(ACCESS_ALLOWED_ACE, Mask, 4, 4)				\
	F(ACCESS_ALLOWED_ACE, SidStart, 8, 4)				\
	S(ACCESS_DENIED_ACE, 12, 4)					\
	S(SECURITY_DESCRIPTOR_RELATIVE, 20, 4)				\
	F(SECURITY_DESCRIPTOR_RELATIVE, Control, 2, 2)			\
	F(SECURITY_DESCRIPTOR_RELATIVE, Owner, 4, 4)			\
	F(SECURITY_DESCRIPTOR_RELATIVE, Group, 8, 4)			\
	F(SECURITY_DESCRIPTOR_RELATIVE, Sacl, 12, 4)			\
	F(SECURITY_DESCRIPTOR_RELATIVE, Dacl, 16, 4)			\
	S(EVENT_EXTENDED_ITEM_PID_NAMESPACE, 16, 4)

#define ALL(S, F)							\
	TYPES(S, F) PROVIDER(S, F) CONTROLLER(S, F) RECORD(S, F)	\
	EXTENDED_ITEMS(S, F) CONSUMER(S, F) INFO(S, F) SECURITY(S, F)

/* The compile-time check */
#define ASSERT_STRUCT(type, size, align)				\
	static_assert(sizeof(type) == (size), "size of " #type);	\
	static_assert(alignof(type) == (align), "alignment of " #type);
#define ASSERT_FIELD(type, field, offset, size)				\
	static_assert(offsetof(type, field) == (offset),		\
		      "offset of " #type "." #field);			\
	static_assert(sizeof(((type *)0)->field) == (size),		\
		      "size of " #type "." #field);

ALL(ASSERT_STRUCT, ASSERT_FIELD)

/* What an integer type must be: its size and whether it is signed */
#define ASSERT_INT(type, size, sign)					\
	static_assert(sizeof(type) == (size), "size of " #type);	\
	static_assert(((type)-1 < (type)1) == (sign), "sign of " #type);

ASSERT_INT(UCHAR, 1, 0)
ASSERT_INT(BOOLEAN, 1, 0)
ASSERT_INT(USHORT, 2, 0)
ASSERT_INT(WCHAR, 2, 0)
ASSERT_INT(LONG, 4, 1)
ASSERT_INT(BOOL, 4, 1)
ASSERT_INT(HRESULT, 4, 1)
ASSERT_INT(NTSTATUS, 4, 1)
ASSERT_INT(ULONG, 4, 0)
ASSERT_INT(DWORD, 4, 0)
ASSERT_INT(LONGLONG, 8, 1)
ASSERT_INT(ULONGLONG, 8, 0)
ASSERT_INT(ULONG64, 8, 0)
ASSERT_INT(ULONG_PTR, 8, 0)
ASSERT_INT(SIZE_T, 8, 0)
ASSERT_INT(REGHANDLE, 8, 0)
ASSERT_INT(TRACEHANDLE, 8, 0)
ASSERT_INT(CONTROLTRACE_ID, 8, 0)
ASSERT_INT(PROCESSTRACE_HANDLE, 8, 0)
static_assert(sizeof(HANDLE) == 8, "size of HANDLE");
static_assert(INVALID_PROCESSTRACE_HANDLE == 0xFFFFFFFFFFFFFFFFULL,
	      "INVALID_PROCESSTRACE_HANDLE");

static void test_descriptor_helpers(void)
{
	EVENT_DESCRIPTOR desc;
	int value = 7;
	EVENT_DATA_DESCRIPTOR data;

	EventDescCreate(&desc, 0x1234, 1, 2, 3, 0x5678, 4, 0x8000000000000001);
	ok(desc.Id == 0x1234 && desc.Version == 1 && desc.Channel == 2 &&
	   desc.Level == 3 && desc.Task == 0x5678 && desc.Opcode == 4 &&
	   desc.Keyword == 0x8000000000000001, "EventDescCreate");
	ok(EventDescGetId(&desc) == 0x1234 && EventDescGetVersion(&desc) == 1 &&
	   EventDescGetChannel(&desc) == 2 && EventDescGetLevel(&desc) == 3 &&
	   EventDescGetTask(&desc) == 0x5678 && EventDescGetOpcode(&desc) == 4 &&
	   EventDescGetKeyword(&desc) == 0x8000000000000001, "EventDescGet");

	EventDescZero(&desc);
	EventDescSetOpcode(EventDescSetLevel(&desc, 5), 6);
	EventDescSetTask(EventDescSetId(&desc, 7), 8);
	EventDescSetChannel(EventDescSetVersion(&desc, 9), 10);
	EventDescOrKeyword(EventDescSetKeyword(&desc, 0x10), 0x01);
	ok(desc.Level == 5 && desc.Opcode == 6 && desc.Id == 7 && desc.Task == 8 &&
	   desc.Version == 9 && desc.Channel == 10 && desc.Keyword == 0x11,
	   "EventDescSet and EventDescOrKeyword");

	memset(&data, 0xff, sizeof(data));
	EventDataDescCreate(&data, &value, sizeof(value));
	ok(data.Ptr == (ULONG_PTR)&value && data.Size == 4 && data.Reserved == 0 &&
	   data.Type == 0, "EventDataDescCreate");
}

static void test_processor_index(void)
{
	EVENT_RECORD rec;

	memset(&rec, 0, sizeof(rec));
	rec.BufferContext.ProcessorIndex = 0x0102;
	ok(GetEventProcessorIndex(&rec) == 2, "an 8-bit processor number");
	rec.EventHeader.Flags = EVENT_HEADER_FLAG_PROCESSOR_INDEX;
	ok(GetEventProcessorIndex(&rec) == 0x0102, "a 16-bit processor index");
}

static void test_bit_fields(void)
{
	EVENT_HEADER_EXTENDED_DATA_ITEM item;
	EVENT_TRACE_PROPERTIES_V2 props;
	unsigned char byte[2];

	memset(&item, 0, sizeof(item));
	item.Linkage = 1;
	memcpy(byte, (char *)&item + 4, 2);
	ok(byte[0] == 1 && byte[1] == 0, "Linkage is bit 0 at offset 4");

	memset(&props, 0, sizeof(props));
	props.VersionNumber = 2;
	props.ExcludeKernelStack = 1;
	ok(props.V2Control == 2 && props.V2Options == 8,
	   "VersionNumber and ExcludeKernelStack");
	props.V2Options = 2;
	ok(props.QpcDeltaTracking && !props.Wow && !props.LargeMdlPages,
	   "QpcDeltaTracking");
}

/* Text of a GUID in memory order of its fields, as on Windows */
static void test_guids(void)
{
	static const unsigned char trace[16] = {
		0x00, 0xd9, 0xfd, 0x68, 0x3e, 0x4a, 0xd1, 0x11,
		0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3
	};

	ok(!memcmp(&EventTraceGuid, trace, 16), "bytes of EventTraceGuid");
}

#define PRINT_STRUCT(type, size, align) ok(1, "layout of " #type);
#define PRINT_FIELD(type, field, offset, size)

int main(void)
{
	ALL(PRINT_STRUCT, PRINT_FIELD)
	test_descriptor_helpers();
	test_processor_index();
	test_bit_fields();
	test_guids();
	return done_testing();
}
