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
#include "tdh/kernel_logger/kernel_logger.h"

#define TIME(what)	KERNEL_FIELD(what, FILETIME, DATETIME)
#define SYSTEMTIME(what)	KERNEL_FIELD(what, SYSTEMTIME, DATETIME)
#define STRUCT(what, at, n)	{ .name = what, .flags = ETW_MF_STRUCT, .count = 1, \
				  .first = (at), .members = (n) }

#define HEADER_TOP	23

static const struct etw_mf_field header_fields[] = {
	U32("BufferSize"), X32("Version"), U32("ProviderVersion"),
	U32("NumberOfProcessors"), TIME("EndTime"), U32("TimerResolution"),
	U32("MaxFileSize"), X32("LogFileMode"), U32("BuffersWritten"),
	U32("StartBuffers"), U32("PointerSize"), U32("EventsLost"),
	U32("CPUSpeed"), POINTER("LoggerName"), POINTER("LogFileName"),
	STRUCT("TimeZoneInformation", HEADER_TOP, 8),
	TIME("BootTime"), S64("PerfFreq"), TIME("StartTime"), U32("ReservedFlags"),
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

KERNEL_TEMPLATE(extension,
		X32("GroupMask1"), X32("GroupMask2"), X32("GroupMask3"), X32("GroupMask4"),
		X32("GroupMask5"), X32("GroupMask6"), X32("GroupMask7"), X32("GroupMask8"),
		U32("KernelEventVersion"));

KERNEL_TEMPLATE(partition,
		U16("EventVersion"), U16("Reserved"), U32("PartitionType"),
		S64("QpcOffsetFromRoot"), TEXT16("PartitionId"), TEXT16("ParentId"));

static const struct etw_mf_task event_trace = { .name = "EventTrace" };
static const struct etw_mf_task lost_event = { .name = "RT_LostEvent" };

#define EVENT(of_task, of_type, called, its_template)					\
	{										\
		.task = &(of_task), .template = (its_template),				\
		.opcode = &(const struct etw_mf_named){ .name = (called), .value = (of_type) },	\
	}

static const struct etw_mf_event trace_events[] = {
	EVENT(event_trace, 0, "Header", &header),
	EVENT(event_trace, 5, "Extension", &extension),
	EVENT(event_trace, 8, "RDComplete", NULL),
	EVENT(event_trace, 32, "EndExtension", &extension),
	EVENT(event_trace, 80, "PartitionInfoExtension", &partition),
};

static const struct etw_mf_event lost_events[] = {
	EVENT(lost_event, 32, "RTLostEvent", NULL),
	EVENT(lost_event, 33, "RTLostBuffer", NULL),
	EVENT(lost_event, 34, "RTLostFile", NULL),
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
		return of_type(trace_events, KERNEL_COUNT(trace_events), type);
	if (guid->Data1 == lost_class.Data1 && !memcmp(guid, &lost_class, sizeof(*guid)))
		return of_type(lost_events, KERNEL_COUNT(lost_events), type);
	return NULL;
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

unsigned int etw_kernel_pointer(const struct etw_mf_event *event, const EVENT_RECORD *record,
				unsigned int own)
{
	const struct etw_mf_template *template = event->template;
	unsigned int other = own == 4 ? 8 : 4, i;

	/* Only if a match cannot be accidental: a SID is recognised by its form. */
	for (i = 0; i < template->count; i++)
		if (template->fields[i].in_type == TDH_INTYPE_WBEMSID)
			break;
	if (i == template->count || !record->UserData || fits(template, record, own))
		return own;
	return fits(template, record, other) ? other : own;
}
