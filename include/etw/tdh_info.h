/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tdh_info.h - what TDH tells of events, providers and maps
 *
 * Part of <tdh.h>; include that.  User space only.
 *
 * The big ones are blocks: an array ends the struct, names lie behind it, and the
 * offsets are in bytes from the start of the block.  Strings are UTF-16 with a NUL.
 * Offset 0: there is none.  The layout is that of 64-bit Windows.
 *
 * Semantics: Microsoft's pages "TRACE_EVENT_INFO structure", "EVENT_PROPERTY_INFO
 * structure", "EVENT_MAP_INFO structure", "PROVIDER_FIELD_INFOARRAY structure" and
 * those of the members.
 */
#ifndef ETW_TDH_INFO_H
#define ETW_TDH_INFO_H

#include <etw/tdhtypes.h>
#include <etw/wintypes.h>
#include <evntprov.h>

ETW_BEGIN_DECLS

typedef ULONG TDHSTATUS;	/* an ERROR_ code */
typedef enum _TDH_IN_TYPE TDH_IN_TYPE;
typedef enum _TDH_OUT_TYPE TDH_OUT_TYPE;

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
	ULONG OutputOffset;		/* what the value is called, then one blank */
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

ETW_END_DECLS

#endif /* ETW_TDH_INFO_H */
