/* SPDX-License-Identifier: MIT */
/*
 * classic.c - schemas of the classic events that describe the trace itself
 *
 * Sources: Microsoft's pages "EventTrace_Header class", "TRACE_LOGFILE_HEADER
 * structure", "TIME_ZONE_INFORMATION structure" and "RT_LostEvent class"; for types 5,
 * 8, 32 and 80 of the class EventTraceEvent, the names that tools show.
 */
#include <string.h>

#include "decoder.h"

#define NUMBER(what)	{ .name = what, .in_type = TDH_INTYPE_UINT32, \
			  .out_type = TDH_OUTTYPE_UNSIGNEDINT, .count = 1 }
#define SIGNED(what)	{ .name = what, .in_type = TDH_INTYPE_INT32, \
			  .out_type = TDH_OUTTYPE_INT, .count = 1 }
#define LONG64(what)	{ .name = what, .in_type = TDH_INTYPE_INT64, \
			  .out_type = TDH_OUTTYPE_LONG, .count = 1 }
#define SHORT16(what)	{ .name = what, .in_type = TDH_INTYPE_UINT16, \
			  .out_type = TDH_OUTTYPE_UNSIGNEDSHORT, .count = 1 }
#define HEX(what)	{ .name = what, .in_type = TDH_INTYPE_HEXINT32, \
			  .out_type = TDH_OUTTYPE_HEXINT32, .count = 1 }
#define POINTER(what)	{ .name = what, .in_type = TDH_INTYPE_POINTER, \
			  .out_type = TDH_OUTTYPE_HEXINT64, .count = 1 }
#define TIME(what)	{ .name = what, .in_type = TDH_INTYPE_FILETIME, \
			  .out_type = TDH_OUTTYPE_DATETIME, .count = 1 }
#define SYSTEMTIME(what)	{ .name = what, .in_type = TDH_INTYPE_SYSTEMTIME, \
			  .out_type = TDH_OUTTYPE_DATETIME, .count = 1 }
#define TEXT(what)	{ .name = what, .in_type = TDH_INTYPE_UNICODESTRING, \
			  .out_type = TDH_OUTTYPE_STRING, .count = 1 }
#define TEXT32(what)	{ .name = what, .in_type = TDH_INTYPE_UNICODESTRING, \
			  .out_type = TDH_OUTTYPE_STRING, .count = 1, \
			  .flags = ETW_MF_LENGTH_FIXED, .length = 32 }
#define STRUCT(what, at, n)	{ .name = what, .flags = ETW_MF_STRUCT, .count = 1, \
				  .first = (at), .members = (n) }

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

#define HEADER_TOP	23

static const struct etw_mf_field header_fields[] = {
	NUMBER("BufferSize"), HEX("Version"), NUMBER("ProviderVersion"),
	NUMBER("NumberOfProcessors"), TIME("EndTime"), NUMBER("TimerResolution"),
	NUMBER("MaxFileSize"), HEX("LogFileMode"), NUMBER("BuffersWritten"),
	NUMBER("StartBuffers"), NUMBER("PointerSize"), NUMBER("EventsLost"),
	NUMBER("CPUSpeed"), POINTER("LoggerName"), POINTER("LogFileName"),
	STRUCT("TimeZoneInformation", HEADER_TOP, 8),
	TIME("BootTime"), LONG64("PerfFreq"), TIME("StartTime"), NUMBER("ReservedFlags"),
	NUMBER("BuffersLost"), TEXT("SessionNameString"), TEXT("LogFileNameString"),
	/* TimeZoneInformation; the last member aligns the next field */
	SIGNED("Bias"), TEXT32("StandardName"), SYSTEMTIME("StandardDate"),
	SIGNED("StandardBias"), TEXT32("DaylightName"), SYSTEMTIME("DaylightDate"),
	SIGNED("DaylightBias"), HEX("Reserved"),
};

_Static_assert(COUNT(header_fields) == HEADER_TOP + 8, "members of TimeZoneInformation");

static const struct etw_mf_field extension_fields[] = {
	HEX("GroupMask1"), HEX("GroupMask2"), HEX("GroupMask3"), HEX("GroupMask4"),
	HEX("GroupMask5"), HEX("GroupMask6"), HEX("GroupMask7"), HEX("GroupMask8"),
	NUMBER("KernelEventVersion"),
};

static const struct etw_mf_field partition_fields[] = {
	SHORT16("EventVersion"), SHORT16("Reserved"), NUMBER("PartitionType"),
	LONG64("QpcOffsetFromRoot"), TEXT("PartitionId"), TEXT("ParentId"),
};

#define TEMPLATE(list, of_top)	\
	{ .id = "", .fields = (list), .count = COUNT(list), .top = (of_top) }

static const struct etw_mf_template header = TEMPLATE(header_fields, HEADER_TOP);
static const struct etw_mf_template extension =
	TEMPLATE(extension_fields, COUNT(extension_fields));
static const struct etw_mf_template partition =
	TEMPLATE(partition_fields, COUNT(partition_fields));

static const struct etw_mf_task event_trace = { .name = "EventTrace" };
static const struct etw_mf_task lost_event = { .name = "RT_LostEvent" };

static const struct etw_mf_named header_type = { .name = "Header" };
static const struct etw_mf_named extension_type = { .name = "Extension", .value = 5 };
static const struct etw_mf_named complete_type = { .name = "RDComplete", .value = 8 };
static const struct etw_mf_named end_type = { .name = "EndExtension", .value = 32 };
static const struct etw_mf_named partition_type = {
	.name = "PartitionInfoExtension", .value = 80
};
static const struct etw_mf_named lost_types[] = {
	{ .name = "RTLostEvent", .value = 32 },
	{ .name = "RTLostBuffer", .value = 33 },
	{ .name = "RTLostFile", .value = 34 },
};

#define EVENT(of_task, of_opcode, its_template)	\
	{ .task = (of_task), .opcode = (of_opcode), .template = (its_template) }

static const struct etw_mf_event trace_events[] = {
	EVENT(&event_trace, &header_type, &header),
	EVENT(&event_trace, &extension_type, &extension),
	EVENT(&event_trace, &complete_type, NULL),
	EVENT(&event_trace, &end_type, &extension),
	EVENT(&event_trace, &partition_type, &partition),
};

static const struct etw_mf_event lost_events[] = {
	EVENT(&lost_event, &lost_types[0], NULL),
	EVENT(&lost_event, &lost_types[1], NULL),
	EVENT(&lost_event, &lost_types[2], NULL),
};

/* The parent of both classes */
static const struct etw_mf_provider system_trace = {
	.name = "MSNT_SystemTrace",
	.guid = { 0x9e814aad, 0x3204, 0x11d2,
		  { 0x9a, 0x82, 0x00, 0x60, 0x08, 0xa8, 0x69, 0x39 } },
};

static const GUID trace_class = {
	0x68fdd900, 0x4a3e, 0x11d1, { 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3 }
};
static const GUID lost_class = {
	0x6a399ae0, 0x4bc6, 0x4de9, { 0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e }
};

static const struct etw_mf_event *of_type(const struct etw_mf_event *events, size_t count,
					  uint8_t type)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (events[i].opcode->value == type)
			return &events[i];
	return NULL;
}

const struct etw_mf_event *etw_classic_find(const GUID *guid, uint8_t type,
					    const struct etw_mf_provider **provider)
{
	*provider = &system_trace;
	if (guid->Data1 == trace_class.Data1 && !memcmp(guid, &trace_class, sizeof(*guid)))
		return of_type(trace_events, COUNT(trace_events), type);
	if (guid->Data1 == lost_class.Data1 && !memcmp(guid, &lost_class, sizeof(*guid)))
		return of_type(lost_events, COUNT(lost_events), type);
	return NULL;
}
