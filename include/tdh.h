/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tdh.h - Trace Data Helper: decode the events of a trace
 *
 * Link with -ltdh.  In an EventRecordCallback:
 *
 *	TdhGetEventInformation()	the event's names and its fields' types
 *	TdhFormatProperty()		one value after another as text, or
 *	TdhGetProperty()		the bytes of a field by its name
 *
 * Schemas come from an event's own TraceLogging metadata, from manifests that are
 * installed ("etw manifest install") or loaded (TdhLoadManifest()), and from built-in
 * schemas of classic events.  For C programs that do not need Windows' functions,
 * <etw/decode.h> is shorter and faster; both use the same decoder.
 *
 * No length in an event is trusted: an event may contain anything.
 *
 * Functions return an ERROR_ code.  @BufferSize, in: bytes at the buffer, which may be
 * NULL if 0; out: bytes used or needed.  If the buffer is too small, a function returns
 * ERROR_INSUFFICIENT_BUFFER and writes nothing.  Any number of threads, and callbacks,
 * may call any function at once.  The caller owns every buffer.
 *
 * Semantics: Microsoft's pages of the functions.  Differences: WPP events are not
 * decoded, and ERROR_WMI_SERVER_UNAVAILABLE does not occur.
 */
#ifndef ETW_TDH_H
#define ETW_TDH_H

#include <evntcons.h>
#include <evntprov.h>
#include <evntrace.h>
#include <etw/winerror.h>
#include <etw/wintypes.h>

#ifndef TDHAPI
#define TDHAPI		ULONG WINAPI
#endif

ETW_BEGIN_DECLS

/* --------------------------------------------------------- types of fields */

/*
 * The in-type says how a field's bytes are laid out in the payload, the out-type how to
 * show its value; out-type 0 selects the in-type's default.
 *
 * Source: Microsoft's pages "EVENT_PROPERTY_INFO structure" and "InputType complex
 * type"; winmeta.xml uses the same values.
 */
typedef enum _TDH_IN_TYPE {
	TDH_INTYPE_NULL = 0,
	TDH_INTYPE_UNICODESTRING = 1,	/* UTF-16, to a NUL, or a length in units */
	TDH_INTYPE_ANSISTRING = 2,	/* bytes, to a NUL, or a length in bytes */
	TDH_INTYPE_INT8 = 3,
	TDH_INTYPE_UINT8 = 4,
	TDH_INTYPE_INT16 = 5,
	TDH_INTYPE_UINT16 = 6,
	TDH_INTYPE_INT32 = 7,
	TDH_INTYPE_UINT32 = 8,
	TDH_INTYPE_INT64 = 9,
	TDH_INTYPE_UINT64 = 10,
	TDH_INTYPE_FLOAT = 11,
	TDH_INTYPE_DOUBLE = 12,
	TDH_INTYPE_BOOLEAN = 13,	/* 4 bytes */
	TDH_INTYPE_BINARY = 14,		/* a length in bytes; IPv6: 16 */
	TDH_INTYPE_GUID = 15,
	TDH_INTYPE_POINTER = 16,	/* 4 or 8 bytes, as the writer's */
	TDH_INTYPE_FILETIME = 17,	/* 8 bytes: 100 ns since 1601, UTC */
	TDH_INTYPE_SYSTEMTIME = 18,	/* 16 bytes: eight 16-bit numbers */
	TDH_INTYPE_SID = 19,		/* 8 bytes and 4 for each sub-authority */
	TDH_INTYPE_HEXINT32 = 20,
	TDH_INTYPE_HEXINT64 = 21,
	TDH_INTYPE_MANIFEST_COUNTEDSTRING = 22,	/* u16 of bytes, then so many, UTF-16 */
	TDH_INTYPE_MANIFEST_COUNTEDANSISTRING = 23,	/* u16 of bytes, then so many */
	TDH_INTYPE_RESERVED24 = 24,	/* TraceLogging's structures */
	TDH_INTYPE_MANIFEST_COUNTEDBINARY = 25,	/* u16 of bytes, then so many */
	/* of classic (MOF) events */
	TDH_INTYPE_COUNTEDSTRING = 300,	/* as 22 */
	TDH_INTYPE_COUNTEDANSISTRING,	/* as 23 */
	TDH_INTYPE_REVERSEDCOUNTEDSTRING,	/* the u16 is big-endian */
	TDH_INTYPE_REVERSEDCOUNTEDANSISTRING,
	TDH_INTYPE_NONNULLTERMINATEDSTRING,	/* to the end of the event */
	TDH_INTYPE_NONNULLTERMINATEDANSISTRING,
	TDH_INTYPE_UNICODECHAR,		/* 2 bytes */
	TDH_INTYPE_ANSICHAR,		/* 1 byte */
	TDH_INTYPE_SIZET,		/* 4 or 8 bytes, as the writer's */
	TDH_INTYPE_HEXDUMP,		/* u32 of bytes, then so many */
	TDH_INTYPE_WBEMSID		/* two of the writer's pointers, then a SID */
} TDH_IN_TYPE;

typedef enum _TDH_OUT_TYPE {
	TDH_OUTTYPE_NULL = 0,
	TDH_OUTTYPE_STRING = 1,
	TDH_OUTTYPE_DATETIME = 2,
	TDH_OUTTYPE_BYTE = 3,
	TDH_OUTTYPE_UNSIGNEDBYTE = 4,
	TDH_OUTTYPE_SHORT = 5,
	TDH_OUTTYPE_UNSIGNEDSHORT = 6,
	TDH_OUTTYPE_INT = 7,
	TDH_OUTTYPE_UNSIGNEDINT = 8,
	TDH_OUTTYPE_LONG = 9,
	TDH_OUTTYPE_UNSIGNEDLONG = 10,
	TDH_OUTTYPE_FLOAT = 11,
	TDH_OUTTYPE_DOUBLE = 12,
	TDH_OUTTYPE_BOOLEAN = 13,
	TDH_OUTTYPE_GUID = 14,
	TDH_OUTTYPE_HEXBINARY = 15,
	TDH_OUTTYPE_HEXINT8 = 16,
	TDH_OUTTYPE_HEXINT16 = 17,
	TDH_OUTTYPE_HEXINT32 = 18,
	TDH_OUTTYPE_HEXINT64 = 19,
	TDH_OUTTYPE_PID = 20,
	TDH_OUTTYPE_TID = 21,
	TDH_OUTTYPE_PORT = 22,		/* big-endian */
	TDH_OUTTYPE_IPV4 = 23,		/* in network order */
	TDH_OUTTYPE_IPV6 = 24,
	TDH_OUTTYPE_SOCKETADDRESS = 25,	/* a sockaddr of Windows or Linux */
	TDH_OUTTYPE_CIMDATETIME = 26,
	TDH_OUTTYPE_ETWTIME = 27,
	TDH_OUTTYPE_XML = 28,
	TDH_OUTTYPE_ERRORCODE = 29,
	TDH_OUTTYPE_WIN32ERROR = 30,
	TDH_OUTTYPE_NTSTATUS = 31,
	TDH_OUTTYPE_HRESULT = 32,
	TDH_OUTTYPE_CULTURE_INSENSITIVE_DATETIME = 33,
	TDH_OUTTYPE_JSON = 34,
	TDH_OUTTYPE_UTF8 = 35,
	TDH_OUTTYPE_PKCS7_WITH_TYPE_INFO = 36,
	TDH_OUTTYPE_CODE_POINTER = 37,
	TDH_OUTTYPE_DATETIME_UTC = 38,
	TDH_OUTTYPE_REDUCEDSTRING = 300,
	TDH_OUTTYPE_NOPRINT = 301
} TDH_OUT_TYPE;

/*
 * The large structs are blocks: the struct ends in an array, names follow it, and offsets
 * are in bytes from the start of the block; offset 0 means none.  Strings are UTF-16 and
 * NUL-terminated.  The layout is that of 64-bit Windows.
 *
 * Semantics: Microsoft's pages "TRACE_EVENT_INFO structure", "EVENT_PROPERTY_INFO
 * structure", "EVENT_MAP_INFO structure", "PROVIDER_FIELD_INFOARRAY structure" and
 * those of the members.
 */

typedef ULONG TDHSTATUS;	/* an ERROR_ code */

/* ---------------------------------------------------------------- contexts */

/* TDH_CONTEXT.ParameterType */
typedef enum _TDH_CONTEXT_TYPE {
	TDH_CONTEXT_WPP_TMFFILE = 0,		/* of WPP; no meaning here, */
	TDH_CONTEXT_WPP_TMFSEARCHPATH = 1,	/* so for the next one */
	TDH_CONTEXT_WPP_GMT = 2,
	TDH_CONTEXT_POINTERSIZE = 3,	/* 4 or 8, whatever the header says */
	TDH_CONTEXT_PDB_PATH = 4,		/* of WPP */
	TDH_CONTEXT_MAXIMUM = 5
} TDH_CONTEXT_TYPE;

/* 16 bytes */
typedef struct _TDH_CONTEXT {
	ULONGLONG ParameterValue;
	TDH_CONTEXT_TYPE ParameterType;
	ULONG ParameterSize;		/* 0 */
} TDH_CONTEXT, *PTDH_CONTEXT;

/* ------------------------------------------------------------------- events */

/* EVENT_PROPERTY_INFO.Flags */
typedef enum _PROPERTY_FLAGS {
	PropertyStruct = 0x1,
	PropertyParamLength = 0x2,	/* lengthPropertyIndex instead of length */
	PropertyParamCount = 0x4,	/* countPropertyIndex instead of count */
	PropertyWBEMXmlFragment = 0x8,
	PropertyParamFixedLength = 0x10,	/* the schema gives a length */
	PropertyParamFixedCount = 0x20,	/* the schema gives a count: an array, even of 1 */
	PropertyHasTags = 0x40,
	PropertyHasCustomSchema = 0x80
} PROPERTY_FLAGS;

/* 24 bytes: a field, a structure, or a member of one */
typedef struct _EVENT_PROPERTY_INFO {
	PROPERTY_FLAGS Flags;
	ULONG NameOffset;
	union {
		struct {
			USHORT InType;		/* TDH_INTYPE_ */
			USHORT OutType;		/* TDH_OUTTYPE_ */
			ULONG MapNameOffset;
		} nonStructType;
		struct {
			USHORT StructStartIndex;	/* of its first member */
			USHORT NumOfStructMembers;
			ULONG padding;
		} structType;
		struct {
			USHORT InType;
			USHORT OutType;
			/* USHORT protocol, USHORT length in bytes, then the bytes */
			ULONG CustomSchemaOffset;
		} customSchemaType;
	};
	union {
		USHORT count;			/* elements */
		USHORT countPropertyIndex;	/* the field that holds it */
	};
	union {
		USHORT length;		/* UNICODESTRING: characters; others: bytes */
		USHORT lengthPropertyIndex;
	};
	union {
		ULONG Reserved;
		ETW_ANONYMOUS struct {
			ULONG Tags : 28;
		};
	};
} EVENT_PROPERTY_INFO;

typedef EVENT_PROPERTY_INFO *PEVENT_PROPERTY_INFO;

/* TRACE_EVENT_INFO.DecodingSource: where the schema comes from */
typedef enum _DECODING_SOURCE {
	DecodingSourceXMLFile = 0,	/* a manifest */
	DecodingSourceWbem = 1,		/* a classic event's, built in */
	DecodingSourceWPP = 2,		/* not here */
	DecodingSourceTlg = 3,		/* TraceLogging: of the event itself */
	DecodingSourceMax = 4
} DECODING_SOURCE;

/* TRACE_EVENT_INFO.Flags */
typedef enum _TEMPLATE_FLAGS {
	TEMPLATE_EVENT_DATA = 1,	/* the payload is a list of fields */
	TEMPLATE_USER_DATA = 2,		/* the template has UserData: XML around them */
	TEMPLATE_CONTROL_GUID = 4	/* EventGuid is the control GUID */
} TEMPLATE_FLAGS;

/*
 * The schema of an event, by DecodingSource:
 *
 * XMLFile: ProviderGuid is the GUID that decodes; EventGuid is the control GUID if
 * Flags has TEMPLATE_CONTROL_GUID, else that of the task, else zero.
 * Wbem: EventGuid, unless zero, decodes and ProviderGuid controls; the task's name
 * is that of the class, the opcode's that of its event type.
 * Tlg: ProviderGuid controls; the event's name is that of the task, too.
 *
 * The fields of the top level come first, members of structures behind them.
 */
typedef struct _TRACE_EVENT_INFO {
	GUID ProviderGuid;
	GUID EventGuid;
	EVENT_DESCRIPTOR EventDescriptor;
	DECODING_SOURCE DecodingSource;
	ULONG ProviderNameOffset;
	ULONG LevelNameOffset;
	ULONG ChannelNameOffset;
	ULONG KeywordsNameOffset;	/* one string for each, an empty one at the end */
	ULONG TaskNameOffset;
	ULONG OpcodeNameOffset;
	ULONG EventMessageOffset;	/* with %1 for the first field */
	ULONG ProviderMessageOffset;
	ULONG BinaryXMLOffset;		/* 0 here: templates are not kept in that form */
	ULONG BinaryXMLSize;
	union {
		ULONG EventNameOffset;
		ULONG ActivityIDNameOffset;	/* Wbem */
	};
	union {
		ULONG EventAttributesOffset;	/* "name=value;name=\"a;b\"" */
		ULONG RelatedActivityIDNameOffset;	/* Wbem */
	};
	ULONG PropertyCount;		/* of the array */
	ULONG TopLevelPropertyCount;
	union {
		TEMPLATE_FLAGS Flags;
		ETW_ANONYMOUS struct {
			ULONG Reserved : 4;	/* TEMPLATE_ */
			ULONG Tags : 28;
		};
	};
	EVENT_PROPERTY_INFO EventPropertyInfoArray[ANYSIZE_ARRAY];
} TRACE_EVENT_INFO, *PTRACE_EVENT_INFO;

/* Which property; 16 bytes */
typedef struct _PROPERTY_DATA_DESCRIPTOR {
	ULONGLONG PropertyName;		/* address of a WCHAR string */
	ULONG ArrayIndex;		/* ULONG_MAX: all of it, or no array */
	ULONG Reserved;			/* 0 */
} PROPERTY_DATA_DESCRIPTOR, *PPROPERTY_DATA_DESCRIPTOR;

/* --------------------------------------------------------------------- maps */

/* EVENT_MAP_INFO.Flag */
typedef enum _MAP_FLAGS {
	EVENTMAP_INFO_FLAG_MANIFEST_VALUEMAP = 0x1,
	EVENTMAP_INFO_FLAG_MANIFEST_BITMAP = 0x2,
	EVENTMAP_INFO_FLAG_MANIFEST_PATTERNMAP = 0x4,
	EVENTMAP_INFO_FLAG_WBEM_VALUEMAP = 0x8,
	EVENTMAP_INFO_FLAG_WBEM_BITMAP = 0x10,
	EVENTMAP_INFO_FLAG_WBEM_FLAG = 0x20,
	EVENTMAP_INFO_FLAG_WBEM_NO_MAP = 0x40
} MAP_FLAGS;

typedef enum _MAP_VALUETYPE {
	EVENTMAP_ENTRY_VALUETYPE_ULONG = 0,
	EVENTMAP_ENTRY_VALUETYPE_STRING = 1
} MAP_VALUETYPE;

typedef struct _EVENT_MAP_ENTRY {
	ULONG OutputOffset;		/* the name of the value, followed by a blank */
	union {
		ULONG Value;
		ULONG InputOffset;	/* PATTERNMAP */
	};
} EVENT_MAP_ENTRY, *PEVENT_MAP_ENTRY;

typedef struct _EVENT_MAP_INFO {
	ULONG NameOffset;
	MAP_FLAGS Flag;
	ULONG EntryCount;
	union {
		MAP_VALUETYPE MapEntryValueType;
		ULONG FormatStringOffset;	/* PATTERNMAP */
	};
	EVENT_MAP_ENTRY MapEntryArray[ANYSIZE_ARRAY];
} EVENT_MAP_INFO, *PEVENT_MAP_INFO;

/* ---------------------------------------------------------------- providers */

typedef struct _TRACE_PROVIDER_INFO {
	GUID ProviderGuid;
	ULONG SchemaSource;		/* 0: a manifest; 1: classic */
	ULONG ProviderNameOffset;
} TRACE_PROVIDER_INFO;

typedef struct _PROVIDER_ENUMERATION_INFO {
	ULONG NumberOfProviders;
	ULONG Reserved;
	TRACE_PROVIDER_INFO TraceProviderInfoArray[ANYSIZE_ARRAY];
} PROVIDER_ENUMERATION_INFO, *PPROVIDER_ENUMERATION_INFO;

typedef enum _EVENT_FIELD_TYPE {
	EventKeywordInformation = 0,
	EventLevelInformation = 1,
	EventChannelInformation = 2,
	EventTaskInformation = 3,
	EventOpcodeInformation = 4,
	EventInformationMax = 5
} EVENT_FIELD_TYPE;

typedef struct _PROVIDER_FIELD_INFO {
	ULONG NameOffset;
	ULONG DescriptionOffset;	/* its message */
	ULONGLONG Value;		/* of opcodes: bits 0 to 15 task, 16 to 23 opcode */
} PROVIDER_FIELD_INFO, *PPROVIDER_FIELD_INFO;

typedef struct _PROVIDER_FIELD_INFOARRAY {
	ULONG NumberOfElements;
	EVENT_FIELD_TYPE FieldType;
	PROVIDER_FIELD_INFO FieldInfoArray[ANYSIZE_ARRAY];
} PROVIDER_FIELD_INFOARRAY, *PPROVIDER_FIELD_INFOARRAY;

typedef struct _PROVIDER_EVENT_INFO {
	ULONG NumberOfEvents;
	ULONG Reserved;
	EVENT_DESCRIPTOR EventDescriptorsArray[ANYSIZE_ARRAY];
} PROVIDER_EVENT_INFO, *PPROVIDER_EVENT_INFO;

typedef struct _PROVIDER_FILTER_INFO {
	UCHAR Id;
	UCHAR Version;
	ULONG MessageOffset;
	ULONG Reserved;
	ULONG PropertyCount;
	EVENT_PROPERTY_INFO EventPropertyInfoArray[ANYSIZE_ARRAY];
} PROVIDER_FILTER_INFO, *PPROVIDER_FILTER_INFO;

/* ------------------------------------------------------- strings of a block */

/* The string at an offset; NULL: 0 */
static inline PWSTR etw_tdh_string(void *block, ULONG offset)
{
	return offset ? (PWSTR)(void *)((BYTE *)block + offset) : NULL;
}

static inline PWSTR EMI_MAP_NAME(PEVENT_MAP_INFO MapInfo)
{
	return etw_tdh_string(MapInfo, MapInfo->NameOffset);
}

/* Of a PATTERNMAP only */
static inline PWSTR EMI_MAP_FORMAT(PEVENT_MAP_INFO MapInfo)
{
	if (!(MapInfo->Flag & EVENTMAP_INFO_FLAG_MANIFEST_PATTERNMAP))
		return NULL;
	return etw_tdh_string(MapInfo, MapInfo->FormatStringOffset);
}

/* Of a PATTERNMAP only */
static inline PWSTR EMI_MAP_INPUT(PEVENT_MAP_INFO MapInfo, PEVENT_MAP_ENTRY Map)
{
	if (!(MapInfo->Flag & EVENTMAP_INFO_FLAG_MANIFEST_PATTERNMAP))
		return NULL;
	return etw_tdh_string(MapInfo, Map->InputOffset);
}

static inline PWSTR EMI_MAP_OUTPUT(PEVENT_MAP_INFO MapInfo, PEVENT_MAP_ENTRY Map)
{
	return etw_tdh_string(MapInfo, Map->OutputOffset);
}

static inline PWSTR TEI_PROPERTY_NAME(PTRACE_EVENT_INFO EventInfo,
				      PEVENT_PROPERTY_INFO Property)
{
	return etw_tdh_string(EventInfo, Property->NameOffset);
}

static inline PWSTR TEI_MAP_NAME(PTRACE_EVENT_INFO EventInfo, PEVENT_PROPERTY_INFO Property)
{
	return etw_tdh_string(EventInfo, Property->nonStructType.MapNameOffset);
}

static inline PWSTR TEI_PROVIDER_NAME(PTRACE_EVENT_INFO EventInfo)
{
	return etw_tdh_string(EventInfo, EventInfo->ProviderNameOffset);
}

static inline PWSTR TEI_LEVEL_NAME(PTRACE_EVENT_INFO EventInfo)
{
	return etw_tdh_string(EventInfo, EventInfo->LevelNameOffset);
}

static inline PWSTR TEI_CHANNEL_NAME(PTRACE_EVENT_INFO EventInfo)
{
	return etw_tdh_string(EventInfo, EventInfo->ChannelNameOffset);
}

static inline PWSTR TEI_KEYWORDS_NAME(PTRACE_EVENT_INFO EventInfo)
{
	return etw_tdh_string(EventInfo, EventInfo->KeywordsNameOffset);
}

static inline PWSTR TEI_TASK_NAME(PTRACE_EVENT_INFO EventInfo)
{
	return etw_tdh_string(EventInfo, EventInfo->TaskNameOffset);
}

static inline PWSTR TEI_OPCODE_NAME(PTRACE_EVENT_INFO EventInfo)
{
	return etw_tdh_string(EventInfo, EventInfo->OpcodeNameOffset);
}

static inline PWSTR TEI_EVENT_MESSAGE(PTRACE_EVENT_INFO EventInfo)
{
	return etw_tdh_string(EventInfo, EventInfo->EventMessageOffset);
}

static inline PWSTR TEI_PROVIDER_MESSAGE(PTRACE_EVENT_INFO EventInfo)
{
	return etw_tdh_string(EventInfo, EventInfo->ProviderMessageOffset);
}

static inline PWSTR TEI_ACTIVITYID_NAME(PTRACE_EVENT_INFO EventInfo)
{
	return etw_tdh_string(EventInfo, EventInfo->ActivityIDNameOffset);
}

static inline PWSTR TEI_RELATEDACTIVITYID_NAME(PTRACE_EVENT_INFO EventInfo)
{
	return etw_tdh_string(EventInfo, EventInfo->RelatedActivityIDNameOffset);
}

static inline PWSTR PEI_PROVIDER_NAME(PPROVIDER_ENUMERATION_INFO ProviderEnum,
				      TRACE_PROVIDER_INFO *ProviderInfo)
{
	return etw_tdh_string(ProviderEnum, ProviderInfo->ProviderNameOffset);
}

static inline PWSTR PFI_FIELD_NAME(PPROVIDER_FIELD_INFOARRAY FieldInfoArray,
				   PPROVIDER_FIELD_INFO FieldInfo)
{
	return etw_tdh_string(FieldInfoArray, FieldInfo->NameOffset);
}

static inline PWSTR PFI_FIELD_MESSAGE(PPROVIDER_FIELD_INFOARRAY FieldInfoArray,
				      PPROVIDER_FIELD_INFO FieldInfo)
{
	return etw_tdh_string(FieldInfoArray, FieldInfo->DescriptionOffset);
}

static inline PWSTR PFI_FILTER_MESSAGE(PPROVIDER_FILTER_INFO FilterInfo)
{
	return etw_tdh_string(FilterInfo, FilterInfo->MessageOffset);
}

static inline PWSTR PFI_PROPERTY_NAME(PPROVIDER_FILTER_INFO FilterInfo,
				      PEVENT_PROPERTY_INFO Property)
{
	return etw_tdh_string(FilterInfo, Property->NameOffset);
}

/* ---------------------------------------------------------------- decoding */

/**
 * TdhGetEventInformation() - the schema of an event
 * @Event: as passed to the callback
 * @TdhContextCount: contexts at @TdhContext; each type at most once
 * @TdhContext: only TDH_CONTEXT_POINTERSIZE has an effect; may be NULL if the count is 0
 * @Buffer: filled
 * @BufferSize: see above
 *
 * An event written by EventWriteString() has no schema.  It has the flag
 * EVENT_HEADER_FLAG_STRING_ONLY, and its payload is the string, in UTF-16.
 *
 * Return: ERROR_SUCCESS; ERROR_INSUFFICIENT_BUFFER; ERROR_NOT_FOUND: the event has no
 * known schema; ERROR_EVT_INVALID_EVENT_DATA: its own metadata is malformed;
 * ERROR_NOT_SUPPORTED: a WPP event; ERROR_INVALID_PARAMETER: a NULL pointer, a context
 * of an unknown type, twice or with a bad value; ERROR_NOT_ENOUGH_MEMORY.
 *
 * Semantics: Microsoft's page "TdhGetEventInformation function".
 */
ETW_API TDHSTATUS WINAPI TdhGetEventInformation(PEVENT_RECORD Event, ULONG TdhContextCount,
						PTDH_CONTEXT TdhContext,
						PTRACE_EVENT_INFO Buffer, ULONG *BufferSize);

/**
 * TdhGetEventMapInformation() - get the names of a field's values
 * @pEvent: as passed to the callback
 * @pMapName: see EVENT_PROPERTY_INFO: MapNameOffset
 * @pBuffer: filled; each name ends with a blank, as Windows has it
 * @pBufferSize: see above
 *
 * In a pattern map, InputOffset is the expression that matches a text and OutputOffset
 * its replacement.  The manifest schema defines pattern maps but documents that they are
 * not used; TdhFormatProperty() and the decoder ignore them too.
 *
 * Return: as TdhGetEventInformation(); ERROR_NOT_FOUND also: no such map.
 *
 * Semantics: Microsoft's page "TdhGetEventMapInformation function".
 */
ETW_API TDHSTATUS WINAPI TdhGetEventMapInformation(PEVENT_RECORD pEvent, PWSTR pMapName,
						   PEVENT_MAP_INFO pBuffer,
						   ULONG *pBufferSize);

/**
 * TdhGetPropertySize() - get the number of bytes that TdhGetProperty() returns
 * @pEvent: as passed to the callback
 * @TdhContextCount: as of TdhGetEventInformation()
 * @pTdhContext: likewise
 * @PropertyDataCount: 1, or one more for each structure around the field
 * @pPropertyData: the path to it, from the top level
 * @pPropertySize: bytes
 *
 * Return: as TdhGetProperty().
 *
 * Semantics: Microsoft's page "TdhGetPropertySize function".
 */
ETW_API TDHSTATUS WINAPI TdhGetPropertySize(PEVENT_RECORD pEvent, ULONG TdhContextCount,
					    PTDH_CONTEXT pTdhContext, ULONG PropertyDataCount,
					    PPROPERTY_DATA_DESCRIPTOR pPropertyData,
					    ULONG *pPropertySize);

/**
 * TdhGetProperty() - get the bytes of a field
 * @pEvent: as passed to the callback
 * @TdhContextCount: as of TdhGetEventInformation()
 * @pTdhContext: likewise
 * @PropertyDataCount: 1, or one more for each structure around the field
 * @pPropertyData: the path to it, from the top level.  ArrayIndex ULONG_MAX: all elements
 *	of an array, or a field that is not an array; for an enclosing structure, its
 *	first element
 * @BufferSize: bytes at @pBuffer
 * @pBuffer: receives the bytes as they are in the payload: counted strings include their
 *	count, other strings their NUL if they have one
 *
 * Return: ERROR_SUCCESS; ERROR_INSUFFICIENT_BUFFER; ERROR_NOT_FOUND: the event has no
 * known schema, no such field, or the array no such element;
 * ERROR_EVT_INVALID_EVENT_DATA: the payload ends before the field does, or does not fit
 * the schema; ERROR_INVALID_PARAMETER: a NULL pointer, no descriptor, a context as
 * above, members asked of what is no structure; ERROR_NOT_SUPPORTED: a WPP event;
 * ERROR_NOT_ENOUGH_MEMORY.
 *
 * Semantics: Microsoft's page "TdhGetProperty function".
 */
ETW_API TDHSTATUS WINAPI TdhGetProperty(PEVENT_RECORD pEvent, ULONG TdhContextCount,
					PTDH_CONTEXT pTdhContext, ULONG PropertyDataCount,
					PPROPERTY_DATA_DESCRIPTOR pPropertyData,
					ULONG BufferSize, PBYTE pBuffer);

/**
 * TdhFormatProperty() - format a value as text
 * @EventInfo: of the event
 * @MapInfo: names of the field's values; may be NULL
 * @PointerSize: of the event's writer: 4 or 8
 * @PropertyInType: TDH_INTYPE_
 * @PropertyOutType: TDH_OUTTYPE_; 0: the in-type's own
 * @PropertyLength: what the schema or another field says: UNICODESTRING: characters,
 *	ANSISTRING and BINARY: bytes; 0: none, the string ends with a NUL or the payload;
 *	16 for IPv6 addresses; of no meaning for others
 * @UserDataLength: bytes at @UserData
 * @UserData: where the value begins in the payload, which may be anywhere
 * @BufferSize: in bytes, the NUL included; see above
 * @Buffer: the text
 * @UserDataConsumed: bytes of the payload that the value takes
 *
 * Formats one value: the caller iterates over arrays and structures.
 *
 * Return: ERROR_SUCCESS; ERROR_INSUFFICIENT_BUFFER: *@UserDataConsumed is set
 * anyway; ERROR_EVT_INVALID_EVENT_DATA: there are too few bytes, or @MapInfo has no name
 * for the value (try without it); ERROR_INVALID_PARAMETER: a NULL pointer, another
 * pointer size, a type that does not exist or that needs a length and has none;
 * ERROR_NOT_ENOUGH_MEMORY.
 *
 * Semantics: Microsoft's page "TdhFormatProperty function".
 */
ETW_API TDHSTATUS WINAPI TdhFormatProperty(PTRACE_EVENT_INFO EventInfo, PEVENT_MAP_INFO MapInfo,
					   ULONG PointerSize, USHORT PropertyInType,
					   USHORT PropertyOutType, USHORT PropertyLength,
					   USHORT UserDataLength, PBYTE UserData,
					   PULONG BufferSize, PWCHAR Buffer,
					   PUSHORT UserDataConsumed);
/* The same with UTF-8 strings */
ETW_API TDHSTATUS WINAPI TdhFormatPropertyA(PTRACE_EVENT_INFO EventInfo,
					    PEVENT_MAP_INFO MapInfo,
					    ULONG PointerSize, USHORT PropertyInType,
					    USHORT PropertyOutType, USHORT PropertyLength,
					    USHORT UserDataLength, PBYTE UserData,
					    PULONG BufferSize, PCHAR Buffer,
					    PUSHORT UserDataConsumed);

/* ---------------------------------------------------------- decoding handles */

/* Handles only store parameters: their use is WPP, which is not decoded here. */
typedef HANDLE TDH_HANDLE, *PTDH_HANDLE;

/**
 * TdhOpenDecodingHandle() - create a handle for the functions below
 * @Handle: TdhCloseDecodingHandle() frees it
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: NULL; ERROR_NOT_ENOUGH_MEMORY.
 *
 * Semantics: Microsoft's page "TdhOpenDecodingHandle function".
 */
ETW_API TDHSTATUS WINAPI TdhOpenDecodingHandle(PTDH_HANDLE Handle);

/**
 * TdhSetDecodingParameter() - store a parameter
 * @Handle: from TdhOpenDecodingHandle(); used by one thread at a time
 * @TdhContext: one; TDH_CONTEXT_POINTERSIZE takes 4 and 8.  Strings are copied
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: a NULL pointer, a bad value;
 * ERROR_NOT_SUPPORTED: an unknown type; ERROR_NOT_ENOUGH_MEMORY.
 *
 * Semantics: Microsoft's page "TdhSetDecodingParameter function".
 */
ETW_API TDHSTATUS WINAPI TdhSetDecodingParameter(TDH_HANDLE Handle, PTDH_CONTEXT TdhContext);

/**
 * TdhGetDecodingParameter() - get a stored parameter
 * @Handle: from TdhOpenDecodingHandle(); used by one thread at a time
 * @TdhContext: ParameterType selects it; the rest is filled in.  The handle owns strings
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: a NULL pointer;
 * ERROR_NOT_SUPPORTED: an unknown type; ERROR_NOT_FOUND: it was not set.
 *
 * Semantics: Microsoft's page "TdhGetDecodingParameter function".
 */
ETW_API TDHSTATUS WINAPI TdhGetDecodingParameter(TDH_HANDLE Handle, PTDH_CONTEXT TdhContext);

/**
 * TdhGetWppProperty(), TdhGetWppMessage() - not supported: WPP's formats (TMF files, PDBs)
 * belong to Microsoft's compilers
 *
 * Return: ERROR_NOT_SUPPORTED; ERROR_INVALID_PARAMETER: a NULL pointer.
 *
 * Semantics: Microsoft's pages "TdhGetWppProperty function" and "TdhGetWppMessage
 * function".
 */
ETW_API TDHSTATUS WINAPI TdhGetWppProperty(TDH_HANDLE Handle, PEVENT_RECORD EventRecord,
					   PWSTR PropertyName, PULONG BufferSize,
					   PBYTE Buffer);
ETW_API TDHSTATUS WINAPI TdhGetWppMessage(TDH_HANDLE Handle, PEVENT_RECORD EventRecord,
					  PULONG BufferSize, PBYTE Buffer);

/**
 * TdhCloseDecodingHandle() - free a handle
 * @Handle: not in use by another function
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: NULL.
 *
 * Semantics: Microsoft's page "TdhCloseDecodingHandle function".
 */
ETW_API TDHSTATUS WINAPI TdhCloseDecodingHandle(TDH_HANDLE Handle);

/* --------------------------------------------------------------- manifests */

/**
 * TdhLoadManifest() - load a manifest into this process
 * @Manifest: path of the file, at most MAX_PATH (260) characters
 *
 * Loaded manifests take precedence over installed ones, and a later one over an earlier
 * one of the same provider.  Loading a file again replaces what was loaded from it.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: NULL, too long, or no UTF;
 * ERROR_FILE_NOT_FOUND; ERROR_ACCESS_DENIED; ERROR_XML_PARSE_ERROR: "etw manifest check"
 * prints the errors; ERROR_NOT_ENOUGH_MEMORY.
 *
 * Threads: any, at once.
 * Semantics: Microsoft's page "TdhLoadManifest function".
 */
ETW_API TDHSTATUS WINAPI TdhLoadManifest(PWSTR Manifest);
/* The same with UTF-8 strings */
ETW_API TDHSTATUS WINAPI TdhLoadManifestA(PCSTR Manifest);

/**
 * TdhLoadManifestFromMemory() - load a manifest from memory
 * @pData: the manifest; may be freed afterwards
 * @cbData: bytes
 *
 * Return: as TdhLoadManifest(), without its errors of files.
 *
 * Threads: any, at once.
 * Semantics: Microsoft's page "TdhLoadManifestFromMemory function".
 */
ETW_API TDHSTATUS WINAPI TdhLoadManifestFromMemory(LPCVOID pData, ULONG cbData);

/**
 * TdhLoadManifestFromBinary() - load a manifest from a program's resources
 * @BinaryPath: a Windows program (PE) that has a WEVT_TEMPLATE, and mostly a
 *	MESSAGETABLE, or a file of WEVT_TEMPLATE as "etw mc" writes it
 *
 * Return: as TdhLoadManifest(); ERROR_RESOURCE_NOT_FOUND: it has no such
 * resource; ERROR_INVALID_DATA: it is malformed.
 *
 * Threads: any, at once.
 * Semantics: Microsoft's page "TdhLoadManifestFromBinary function".
 */
ETW_API TDHSTATUS WINAPI TdhLoadManifestFromBinary(PWSTR BinaryPath);
/* The same with UTF-8 strings */
ETW_API TDHSTATUS WINAPI TdhLoadManifestFromBinaryA(PCSTR BinaryPath);

/**
 * TdhUnloadManifest() - unload a manifest
 * @Manifest: the path that it was loaded from, by TdhLoadManifest() or
 *	TdhLoadManifestFromBinary()
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER; ERROR_NOT_FOUND: none is loaded from
 * there.
 *
 * Threads: any, at once; decoding in progress keeps using the manifest.
 * Semantics: Microsoft's page "TdhUnloadManifest function".
 */
ETW_API TDHSTATUS WINAPI TdhUnloadManifest(PWSTR Manifest);
/* The same with UTF-8 strings */
ETW_API TDHSTATUS WINAPI TdhUnloadManifestA(PCSTR Manifest);

/**
 * TdhUnloadManifestFromMemory() - unload a manifest loaded from memory
 * @pData: the same bytes
 * @cbData: as many
 *
 * Return: as TdhUnloadManifest().
 *
 * Threads: any, at once.
 * Semantics: Microsoft's page "TdhUnloadManifestFromMemory function".
 */
ETW_API TDHSTATUS WINAPI TdhUnloadManifestFromMemory(LPCVOID pData, ULONG cbData);

/* -------------------------------------------------- what a manifest defines */

/*
 * The functions below share these: @pBufferSize: in: bytes at pBuffer, which may be
 * NULL if these are 0; out: bytes used, or needed.  ERROR_INSUFFICIENT_BUFFER: too
 * few, nothing was written; ERROR_INVALID_PARAMETER: a NULL pointer;
 * ERROR_NOT_ENOUGH_MEMORY.  Threads: any, at once.
 */

/**
 * TdhEnumerateProviders() - list the providers whose events this process can decode
 * @pBuffer: filled
 * @pBufferSize: see above
 *
 * The providers of installed and loaded manifests and the built-in classic ones, sorted
 * by name.  Reads all installed manifests.
 *
 * Return: ERROR_SUCCESS, and see above.
 *
 * Semantics: Microsoft's page "TdhEnumerateProviders function".
 */
ETW_API TDHSTATUS WINAPI TdhEnumerateProviders(PPROVIDER_ENUMERATION_INFO pBuffer,
					   ULONG *pBufferSize);

/**
 * TdhEnumerateProvidersForDecodingSource() - list the providers of one kind
 * @filter: DecodingSourceXMLFile or DecodingSourceWbem; others have none
 * @buffer: filled
 * @bufferSize: bytes at @buffer
 * @bufferRequired: bytes used, or needed
 *
 * Return: ERROR_SUCCESS, and see above; ERROR_INVALID_PARAMETER: @filter as well.
 *
 * Semantics: Microsoft's page "TdhEnumerateProvidersForDecodingSource function".
 */
ETW_API TDHSTATUS WINAPI
TdhEnumerateProvidersForDecodingSource(DECODING_SOURCE filter,
				       PROVIDER_ENUMERATION_INFO *buffer,
				       ULONG bufferSize, ULONG *bufferRequired);

/**
 * TdhEnumerateProviderFieldInformation() - list a provider's keywords, levels, ...
 * @pGuid: the provider
 * @EventFieldType: what to list
 * @pBuffer: filled, in the manifest's order
 * @pBufferSize: see above
 *
 * Those the manifest defines, and the standard levels, opcodes, tasks and keywords that
 * its events use.
 *
 * Return: ERROR_SUCCESS, and see above; ERROR_NOT_SUPPORTED: no such type;
 * ERROR_NOT_FOUND: unknown provider, or it has nothing of the kind.
 *
 * Semantics: Microsoft's page "TdhEnumerateProviderFieldInformation function".
 */
ETW_API TDHSTATUS WINAPI TdhEnumerateProviderFieldInformation(LPGUID pGuid,
							  EVENT_FIELD_TYPE EventFieldType,
							  PPROVIDER_FIELD_INFOARRAY pBuffer,
							  ULONG *pBufferSize);

/**
 * TdhQueryProviderFieldInformation() - get the name of a value
 * @pGuid: the provider
 * @EventFieldValue: the value; of keywords: each bit that is set; of opcodes: bits 0 to
 *	15 the task, 16 to 23 the opcode
 * @EventFieldType: of what
 * @pBuffer: filled
 * @pBufferSize: see above
 *
 * Return: as TdhEnumerateProviderFieldInformation(); ERROR_NOT_FOUND also: no such
 * value, or none of the bits has a name.
 *
 * Semantics: Microsoft's page "TdhQueryProviderFieldInformation function".
 */
ETW_API TDHSTATUS WINAPI TdhQueryProviderFieldInformation(LPGUID pGuid, ULONGLONG EventFieldValue,
						      EVENT_FIELD_TYPE EventFieldType,
						      PPROVIDER_FIELD_INFOARRAY pBuffer,
						      ULONG *pBufferSize);

/**
 * TdhEnumerateManifestProviderEvents() - list the events of a manifest
 * @ProviderGuid: the provider
 * @Buffer: filled, in the manifest's order
 * @BufferSize: see above
 *
 * Return: ERROR_SUCCESS, and see above; ERROR_FILE_NOT_FOUND: unknown
 * provider; ERROR_EMPTY: it has no events.
 *
 * Semantics: Microsoft's page "TdhEnumerateManifestProviderEvents function".
 */
ETW_API TDHSTATUS WINAPI TdhEnumerateManifestProviderEvents(LPGUID ProviderGuid,
							PPROVIDER_EVENT_INFO Buffer,
							ULONG *BufferSize);

/**
 * TdhGetManifestEventInformation() - get the schema of an event without having one
 * @ProviderGuid: the provider
 * @EventDescriptor: only Id and Version are used
 * @Buffer: filled
 * @BufferSize: see above
 *
 * Return: ERROR_SUCCESS, and see above; ERROR_FILE_NOT_FOUND: unknown
 * provider; ERROR_NOT_FOUND: it has no such event.
 *
 * Semantics: Microsoft's page "TdhGetManifestEventInformation function".
 */
ETW_API TDHSTATUS WINAPI TdhGetManifestEventInformation(LPGUID ProviderGuid,
						    PEVENT_DESCRIPTOR EventDescriptor,
						    PTRACE_EVENT_INFO Buffer,
						    ULONG *BufferSize);

/**
 * TdhEnumerateProviderFilters() - list the filters that a provider accepts
 * @pGuid: the provider
 * @TdhContextCount: not used
 * @pTdhContext: not used
 * @pFilterCount: how many blocks there are; 0 where the buffer is too small
 * @pBuffer: an array of so many addresses of blocks, which lie behind it
 * @pBufferSize: see above
 *
 * Return: ERROR_SUCCESS, and see above; ERROR_NOT_FOUND: unknown provider, or
 * it has no filters.
 *
 * Semantics: Microsoft's page "TdhEnumerateProviderFilters function".
 */
ETW_API TDHSTATUS WINAPI TdhEnumerateProviderFilters(LPGUID pGuid, ULONG TdhContextCount,
						 PTDH_CONTEXT pTdhContext,
						 ULONG *pFilterCount,
						 PPROVIDER_FILTER_INFO *pBuffer,
						 ULONG *pBufferSize);

/* --------------------------------------------------------- payload filters */

/*
 * Filter events by their payload:
 *
 *	TdhCreatePayloadFilter()	one filter for each event
 *	TdhAggregatePayloadFilters()	combines them into one descriptor
 *	EnableTraceEx2()		takes that descriptor in EnableFilterDesc
 *	TdhCleanupPayloadEventFilterDescriptor(), TdhDeletePayloadFilter()
 *
 * An event of the provider that has no filter passes.  The kernel tests the payload while
 * the event is written.
 *
 * Semantics: Microsoft's pages "PAYLOAD_FILTER_PREDICATE structure" and those of the
 * functions.
 */

#define MAX_PAYLOAD_PREDICATES		8
#define ETW_MAX_PAYLOAD_PREDICATES	MAX_PAYLOAD_PREDICATES

/* PAYLOAD_FILTER_PREDICATE.CompareOp */
typedef enum _PAYLOAD_OPERATOR {
	/* integers, FILETIME, BOOLEAN */
	PAYLOADFIELD_EQ = 0,
	PAYLOADFIELD_NE = 1,
	PAYLOADFIELD_LE = 2,
	PAYLOADFIELD_GT = 3,
	PAYLOADFIELD_LT = 4,
	PAYLOADFIELD_GE = 5,
	PAYLOADFIELD_BETWEEN = 6,	/* "low,high", both included */
	PAYLOADFIELD_NOTBETWEEN = 7,
	PAYLOADFIELD_MODULO = 8,	/* is a multiple of it */
	/* strings; case does not matter for ASCII letters */
	PAYLOADFIELD_CONTAINS = 20,
	PAYLOADFIELD_DOESNTCONTAIN = 21,
	/* strings, and GUIDs in braces */
	PAYLOADFIELD_IS = 30,
	PAYLOADFIELD_ISNOT = 31,
	PAYLOADFIELD_INVALID = 32
} PAYLOAD_OPERATOR;

/* One test, 24 bytes.  Value: decimal, hexadecimal after 0x, or text */
typedef struct _PAYLOAD_FILTER_PREDICATE {
	LPWSTR FieldName;		/* of the event's template; case counts */
	USHORT CompareOp;		/* PAYLOADFIELD_ */
	LPWSTR Value;
} PAYLOAD_FILTER_PREDICATE, *PPAYLOAD_FILTER_PREDICATE;

/* The same with UTF-8 strings */
typedef struct _PAYLOAD_FILTER_PREDICATEA {
	LPCSTR FieldName;
	USHORT CompareOp;
	LPCSTR Value;
} PAYLOAD_FILTER_PREDICATEA, *PPAYLOAD_FILTER_PREDICATEA;

/**
 * TdhCreatePayloadFilter() - create a filter for one event of a provider
 * @ProviderGuid: its manifest must be installed or loaded
 * @EventDescriptor: only Id and Version are used
 * @EventMatchANY: TRUE: one of the predicates is enough; FALSE: all must hold
 * @PayloadPredicateCount: 1 to MAX_PAYLOAD_PREDICATES
 * @PayloadPredicates: the predicates
 * @PayloadFilter: out: the filter; free it with TdhDeletePayloadFilter()
 *
 * A member of a structure is named "Structure.Member"; elements of arrays, floats,
 * binary data, pointers, SIDs and SYSTEMTIME cannot be tested, but fields after them
 * can.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: a NULL pointer, too many predicates
 * or none, or an operator or value that does not fit the field's type;
 * ERROR_FILE_NOT_FOUND: unknown provider; ERROR_NOT_FOUND: it has no such
 * event, or that no such field; ERROR_NOT_SUPPORTED: the field follows one whose
 * end the kernel cannot find; ERROR_INSUFFICIENT_BUFFER: the filter would be
 * larger than MAX_EVENT_FILTER_PAYLOAD_SIZE; ERROR_NOT_ENOUGH_MEMORY.
 * *@PayloadFilter is NULL then.
 *
 * Threads: any, at once.
 * Semantics: Microsoft's page "TdhCreatePayloadFilter function".
 */
ETW_API TDHSTATUS WINAPI TdhCreatePayloadFilter(LPCGUID ProviderGuid,
					    PCEVENT_DESCRIPTOR EventDescriptor,
					    BOOLEAN EventMatchANY,
					    ULONG PayloadPredicateCount,
					    PPAYLOAD_FILTER_PREDICATE PayloadPredicates,
					    PVOID *PayloadFilter);

/* The same with UTF-8 strings */
ETW_API TDHSTATUS WINAPI TdhCreatePayloadFilterA(LPCGUID ProviderGuid,
					     PCEVENT_DESCRIPTOR EventDescriptor,
					     BOOLEAN EventMatchANY,
					     ULONG PayloadPredicateCount,
					     PPAYLOAD_FILTER_PREDICATEA PayloadPredicates,
					     PVOID *PayloadFilter);

/**
 * TdhDeletePayloadFilter() - free a filter
 * @PayloadFilter: *@PayloadFilter may be NULL, and is set to NULL
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: @PayloadFilter is NULL.
 *
 * Threads: any, at once with other filters.
 * Semantics: Microsoft's page "TdhDeletePayloadFilter function".
 */
ETW_API TDHSTATUS WINAPI TdhDeletePayloadFilter(PVOID *PayloadFilter);

/**
 * TdhAggregatePayloadFilters() - combine filters into a descriptor for EnableTraceEx2()
 * @PayloadFilterCount: number of filters
 * @PayloadFilterPtrs: filters for events of one provider; the caller still owns them
 * @EventMatchALLFlags: NULL: all FALSE.  Of the filters for one event, every filter with
 *	TRUE must match and, if some have FALSE, at least one of those
 * @EventFilterDescriptor: out; free its data with TdhCleanupPayloadEventFilterDescriptor()
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: a NULL pointer, no filters, not
 * a filter, or more than 8 filters or 16 predicates of one event;
 * ERROR_INSUFFICIENT_BUFFER: over MAX_EVENT_FILTER_PAYLOAD_SIZE;
 * ERROR_NOT_ENOUGH_MEMORY.
 *
 * Threads: any, at once.
 * Semantics: Microsoft's page "TdhAggregatePayloadFilters function".
 */
ETW_API TDHSTATUS WINAPI TdhAggregatePayloadFilters(ULONG PayloadFilterCount,
						PVOID *PayloadFilterPtrs,
						PBOOLEAN EventMatchALLFlags,
						PEVENT_FILTER_DESCRIPTOR EventFilterDescriptor);

/**
 * TdhCleanupPayloadEventFilterDescriptor() - free a combined filter
 * @EventFilterDescriptor: zeroed; its Ptr may be 0
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: @EventFilterDescriptor is NULL, or
 * of another type.
 *
 * Threads: any, at once with other descriptors.
 * Semantics: Microsoft's page "TdhCleanupPayloadEventFilterDescriptor function".
 */
ETW_API TDHSTATUS WINAPI
TdhCleanupPayloadEventFilterDescriptor(PEVENT_FILTER_DESCRIPTOR EventFilterDescriptor);

ETW_END_DECLS

#endif /* ETW_TDH_H */
