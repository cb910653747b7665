/* SPDX-License-Identifier: MIT */
/*
 * classic.c - schemas of the classic events that describe the trace itself
 *
 * Sources: Microsoft's pages "EventTrace_Header class", "TRACE_LOGFILE_HEADER
 * structure", "TIME_ZONE_INFORMATION structure" and "RT_LostEvent class"; for the other
 * types of the class EventTraceEvent, wmicore.mof of the WDK.
 */
#include <string.h>

#include "decoder.h"
#include "tdh/kernel_logger/kernel_logger.h"

#define SYSTEMTIME(what)	KERNEL_FIELD(what, SYSTEMTIME, DATETIME)
#define STRUCT(what, at, n)	{ .name = what, .flags = ETW_MF_STRUCT, .count = 1, \
				  .first = (at), .members = (n) }

#define HEADER_TOP	23

static const struct etw_mf_field header_fields[] = {
	U32("BufferSize"), X32("Version"), U32("ProviderVersion"),
	U32("NumberOfProcessors"), FILE_TIME("EndTime"), U32("TimerResolution"),
	U32("MaxFileSize"), X32("LogFileMode"), U32("BuffersWritten"),
	U32("StartBuffers"), U32("PointerSize"), U32("EventsLost"),
	U32("CPUSpeed"), POINTER("LoggerName"), POINTER("LogFileName"),
	STRUCT("TimeZoneInformation", HEADER_TOP, 8),
	FILE_TIME("BootTime"), S64("PerfFreq"), FILE_TIME("StartTime"), U32("ReservedFlags"),
	U32("BuffersLost"), TEXT16("SessionNameString"), TEXT16("LogFileNameString"),
	/* TimeZoneInformation; the last member aligns the next field */
	S32("Bias"), CHARS16("StandardName", 32), SYSTEMTIME("StandardDate"),
	S32("StandardBias"), CHARS16("DaylightName", 32), SYSTEMTIME("DaylightDate"),
	S32("DaylightBias"), X32("Reserved"),
};

_Static_assert(KERNEL_COUNT(header_fields) == HEADER_TOP + 8, "members of TimeZoneInformation");

static const struct etw_mf_template header = {
	.id = "", .fields = header_fields, .count = KERNEL_COUNT(header_fields), .top = HEADER_TOP,
};

#define MASKS								\
	X32("GroupMask1"), X32("GroupMask2"), X32("GroupMask3"),	\
	X32("GroupMask4"), X32("GroupMask5"), X32("GroupMask6"),	\
	X32("GroupMask7"), X32("GroupMask8")

KERNEL_TEMPLATE(extension_v1, MASKS);
KERNEL_TEMPLATE(extension, MASKS, U32("KernelEventVersion"));
KERNEL_TEMPLATE(debug_id, UUID("Guid"), U32("Age"), TEXT8("PdbName"));
KERNEL_TEMPLATE(build_info, TEXT8("BuildString"));
KERNEL_TEMPLATE(binary_path,
	U32("GuidCount"), KERNEL_COUNTED("Guid", GUID, GUID, 0), TEXT16("BinaryPath"));

#define PARTITION	U16("EventVersion"), U16("Reserved"), U32("PartitionType"), \
			S64("QpcOffsetFromRoot")

KERNEL_TEMPLATE(partition, PARTITION, UUID("PartitionId"), UUID("ParentId"));
KERNEL_TEMPLATE(partition_v2, PARTITION, TEXT16("PartitionId"), TEXT16("ParentId"));
KERNEL_TEMPLATE(dropped_times,
	U32("TimeStampCount"), U32("Padding"), KERNEL_COUNTED("TimeStamp", UINT64, UNSIGNEDLONG, 0));

static const struct etw_mf_task event_trace = { .name = "EventTrace" };
static const struct etw_mf_task lost_event = { .name = "RT_LostEvent" };

static const struct etw_kernel_type trace_events[] = {
	KERNEL_TYPE(event_trace, 0, 0, 255, "Header", header),
	KERNEL_TYPE(event_trace, 5, 0, 1, "Extension", extension_v1),
	KERNEL_TYPE(event_trace, 5, 2, 255, "Extension", extension),
	KERNEL_BARE(event_trace, 8, 0, 255, "RDComplete"),
	KERNEL_TYPE(event_trace, 32, 0, 1, "EndExtension", extension_v1),
	KERNEL_TYPE(event_trace, 32, 2, 255, "EndExtension", extension),
	KERNEL_TYPE(event_trace, 64, 0, 255, "DbgIdRSDS", debug_id),
	KERNEL_TYPE(event_trace, 66, 0, 255, "BuildInfo", build_info),
	KERNEL_TYPE(event_trace, 67, 0, 255, "ProviderBinaryPath", binary_path),
	KERNEL_TYPE(event_trace, ETW_PARTITION_TYPE, 0, 1, "PartitionInfoExtension", partition),
	KERNEL_TYPE(event_trace, ETW_PARTITION_TYPE, 2, 255, "PartitionInfoExtensionV2",
		    partition_v2),
	KERNEL_TYPE(event_trace, 82, 0, 255, "LastDroppedTimes", dropped_times),
};

static const struct etw_kernel_type lost_events[] = {
	KERNEL_BARE(lost_event, 32, 0, 255, "RTLostEvent"),
	KERNEL_BARE(lost_event, 33, 0, 255, "RTLostBuffer"),
	KERNEL_BARE(lost_event, 34, 0, 255, "RTLostFile"),
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

bool etw_classic_is_own(const GUID *guid)
{
	return guid->Data1 == trace_class.Data1 || guid->Data1 == lost_class.Data1;
}

static const struct etw_mf_event *of_type(const struct etw_kernel_type *types, size_t count,
					  uint8_t type, uint8_t version)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (types[i].type == type && types[i].first <= version && version <= types[i].last)
			return &types[i].event;
	return NULL;
}

const struct etw_mf_event *etw_classic_find(const GUID *guid, uint8_t type, uint8_t version,
					    const struct etw_mf_provider **provider)
{
	*provider = &system_trace;
	if (guid->Data1 == trace_class.Data1 && !memcmp(guid, &trace_class, sizeof(*guid)))
		return of_type(trace_events, KERNEL_COUNT(trace_events), type, version);
	if (guid->Data1 == lost_class.Data1 && !memcmp(guid, &lost_class, sizeof(*guid)))
		return of_type(lost_events, KERNEL_COUNT(lost_events), type, version);
	return NULL;
}

uint8_t etw_classic_version(const EVENT_RECORD *record)
{
	const EVENT_HEADER *header = &record->EventHeader;
	uint16_t own;

	if (header->EventDescriptor.Opcode != ETW_PARTITION_TYPE ||
	    header->ProviderId.Data1 != trace_class.Data1 || !record->UserData ||
	    record->UserDataLength < sizeof(own))
		return header->EventDescriptor.Version;
	memcpy(&own, record->UserData, sizeof(own));
	return own > UINT8_MAX ? UINT8_MAX : (uint8_t)own;
}

/* Do the fields use exactly the whole payload? */
static bool fits(const struct etw_mf_template *template, const EVENT_RECORD *record,
		 unsigned int pointer_size)
{
	const uint8_t *p = record->UserData;
	size_t left = record->UserDataLength;
	struct etw_field_step step;
	struct etw_field field;
	unsigned int i;

	for (i = 0; i < template->count; i++) {
		etw_step_fill(&step, &template->fields[i]);
		if (etw_value_read(&step, template->fields[i].length, pointer_size, p, left, &field))
			return false;
		/* A text has its NUL, and a SID its revision. */
		if ((step.how == ETW_HOW_NUL8 || step.how == ETW_HOW_NUL16) &&
		    field.length == field.size)
			return false;
		if (field.value_kind == ETW_VALUE_SID && *(const uint8_t *)field.data != 1)
			return false;
		p += field.length;
		left -= field.length;
	}
	return !left;
}

bool etw_kernel_sizes_pointers(const struct etw_mf_event *event)
{
	const struct etw_mf_template *template = event->template;
	unsigned int i;

	for (i = 0; template && i < template->count; i++)
		if (template->fields[i].in_type == TDH_INTYPE_WBEMSID)
			return true;
	return false;
}

unsigned int etw_kernel_pointer(const struct etw_mf_event *event, const EVENT_RECORD *record,
				unsigned int own)
{
	unsigned int other = own == 4 ? 8 : 4;

	if (!record->UserData || fits(event->template, record, own))
		return own;
	return fits(event->template, record, other) ? other : own;
}
