/* SPDX-License-Identifier: MIT */
/*
 * deliver.c - hand events to a consumer's callbacks
 *
 * Semantics: Microsoft's pages "EVENT_RECORD structure", "EVENT_TRACE
 * structure" and "RT_LostEvent class".
 */
#include <stdlib.h>
#include <string.h>

#include "trace.h"

_Static_assert(sizeof(EVENT_HEADER) == sizeof(struct etw_event_header) &&
	       offsetof(EVENT_HEADER, EventDescriptor) ==
	       offsetof(struct etw_event_header, desc) &&
	       offsetof(EVENT_HEADER, ActivityId) ==
	       offsetof(struct etw_event_header, activity),
	       "the header is handed out as it lies in the buffer");

/* Class RT_LostEvent and its types */
static const GUID lost_guid = {
	0x6a399ae0, 0x4bc6, 0x4de9, { 0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e }
};

#define LOST_EVENT	32
#define LOST_BUFFER	33

/* Extended items of a record, in the trace's scratch array; how many. */
static USHORT collect_items(struct etw_trace *trace, const struct etw_record_view *view)
{
	struct etw_ext_view ext;
	uint32_t offset = 0;
	size_t n = 0;

	while (etw_ext_next(view, &offset, &ext) == 1) {
		EVENT_HEADER_EXTENDED_DATA_ITEM *item;

		if (n == trace->item_room) {
			size_t room = n ? 2 * n : 8;

			item = realloc(trace->items, room * sizeof(*item));
			if (!item)
				break;
			trace->items = item;
			trace->item_room = room;
		}
		item = &trace->items[n];
		memset(item, 0, sizeof(*item));
		item->ExtType = ext.type;
		item->DataSize = ext.data_len;
		item->DataPtr = (uintptr_t)ext.data;
		if (n++)
			item[-1].Linkage = 1;
	}
	return n;
}

static void fill_context(ETW_BUFFER_CONTEXT *context, const struct etw_rt_event *event)
{
	context->ProcessorIndex = event->cpu;
	if (!(event->buffer->flags & ETW_BUFFER_PROCESSOR_INDEX))
		context->Alignment = 0;
	context->LoggerId = event->logger_id;
}

/* The flags that are not stored but follow from where the record lies. */
static USHORT reader_flags(const struct etw_rt_event *event)
{
	USHORT flags, type = event->record.header->type;

	flags = type == ETW_TYPE_EVENT32 || type == ETW_TYPE_FULL32 ||
		type == ETW_TYPE_INSTANCE32 ? ETW_EVENT_32_BIT_HEADER :
					      ETW_EVENT_64_BIT_HEADER;

	if (event->buffer->flags & ETW_BUFFER_PROCESSOR_INDEX)
		flags |= ETW_EVENT_PROCESSOR_INDEX;
	return flags;
}

static void fill_record(struct etw_trace *trace, const struct etw_rt_event *event,
			EVENT_RECORD *record)
{
	const EVENT_TRACE_LOGFILEW *logfile = &trace->logfile.wide;
	const struct etw_record_view *view = &event->record;

	memset(record, 0, sizeof(*record));
	memcpy(&record->EventHeader, view->header, sizeof(record->EventHeader));
	record->EventHeader.Flags |= reader_flags(event);
	if (!(logfile->ProcessTraceMode & PROCESS_TRACE_MODE_RAW_TIMESTAMP))
		record->EventHeader.TimeStamp.QuadPart = event->time;
	fill_context(&record->BufferContext, event);
	record->ExtendedDataCount = collect_items(trace, view);
	if (record->ExtendedDataCount)
		record->ExtendedData = trace->items;
	record->UserDataLength = view->data_len;
	record->UserData = (void *)view->data;
	record->UserContext = logfile->Context;
}

/* Of which instance it tells, if it does. */
static void fill_instance(const EVENT_RECORD *record, EVENT_TRACE *classic)
{
	EVENT_EXTENDED_ITEM_INSTANCE instance;
	USHORT i;

	for (i = 0; i < record->ExtendedDataCount; i++) {
		const EVENT_HEADER_EXTENDED_DATA_ITEM *item = &record->ExtendedData[i];

		if (item->ExtType != EVENT_HEADER_EXT_TYPE_INSTANCE_INFO ||
		    item->DataSize < sizeof(instance))
			continue;
		memcpy(&instance, (const void *)(uintptr_t)item->DataPtr, sizeof(instance));
		classic->InstanceId = instance.InstanceId;
		classic->ParentInstanceId = instance.ParentInstanceId;
		classic->ParentGuid = instance.ParentGuid;
	}
}

/* The same event as a consumer of classic events sees it. */
static void fill_classic(const EVENT_RECORD *record, EVENT_TRACE *classic)
{
	const EVENT_HEADER *header = &record->EventHeader;
	ULONG size = sizeof(EVENT_TRACE_HEADER) + record->UserDataLength;

	memset(classic, 0, sizeof(*classic));
	classic->Header.Size = size > UINT16_MAX ? UINT16_MAX : size;
	classic->Header.Class.Type = header->EventDescriptor.Opcode;
	classic->Header.Class.Level = header->EventDescriptor.Level;
	/* A message has its number where an event of a class has its version. */
	classic->Header.Class.Version = header->Flags & EVENT_HEADER_FLAG_TRACE_MESSAGE ?
					header->EventDescriptor.Id :
					header->EventDescriptor.Version;
	classic->Header.ThreadId = header->ThreadId;
	classic->Header.ProcessId = header->ProcessId;
	classic->Header.TimeStamp = header->TimeStamp;
	classic->Header.Guid = header->ProviderId;
	classic->Header.ProcessorTime = header->ProcessorTime;
	classic->MofData = record->UserData;
	classic->MofLength = record->UserDataLength;
	classic->BufferContext = record->BufferContext;
	fill_instance(record, classic);
}

static void call_back(struct etw_trace *trace, EVENT_RECORD *record)
{
	EVENT_TRACE_LOGFILEW *logfile = &trace->logfile.wide;

	if (logfile->ProcessTraceMode & PROCESS_TRACE_MODE_EVENT_RECORD) {
		if (logfile->EventRecordCallback)
			logfile->EventRecordCallback(record);
		return;
	}
	fill_classic(record, &logfile->CurrentEvent);
	if (logfile->EventCallback)
		logfile->EventCallback(&logfile->CurrentEvent);
}

/* Tell, at the time of the event after the gap, that something is missing. */
static void announce_loss(struct etw_trace *trace, const EVENT_RECORD *next, UCHAR type)
{
	EVENT_RECORD record = { .UserContext = next->UserContext };

	record.EventHeader.Size = sizeof(EVENT_HEADER);
	record.EventHeader.Flags = EVENT_HEADER_FLAG_CLASSIC_HEADER |
				   EVENT_HEADER_FLAG_64_BIT_HEADER |
				   (next->EventHeader.Flags &
				    EVENT_HEADER_FLAG_PROCESSOR_INDEX);
	record.EventHeader.TimeStamp = next->EventHeader.TimeStamp;
	record.EventHeader.ProviderId = lost_guid;
	record.EventHeader.EventDescriptor.Opcode = type;
	record.BufferContext = next->BufferContext;
	call_back(trace, &record);
}

static bool call_buffer(struct etw_trace *trace, const struct etw_rt_event *event)
{
	EVENT_TRACE_LOGFILEW *logfile = &trace->logfile.wide;

	logfile->BuffersRead++;
	logfile->Filled = event->buffer->offset;
	logfile->LogfileHeader.BuffersWritten = logfile->BuffersRead;
	if (!logfile->BufferCallback)
		return true;
	if (trace->is_wide)
		return logfile->BufferCallback(logfile) != FALSE;
	return trace->logfile.narrow.BufferCallback(&trace->logfile.narrow) != FALSE;
}

bool etw_trace_deliver(struct etw_trace *trace, const struct etw_rt_event *event,
		       int64_t first, int64_t last)
{
	EVENT_RECORD record;

	if (event->time >= first && event->time <= last) {
		fill_record(trace, event, &record);
		trace->logfile.wide.CurrentTime = event->time;
		if (event->lost_buffers)
			announce_loss(trace, &record, LOST_BUFFER);
		if (event->lost_events)
			announce_loss(trace, &record, LOST_EVENT);
		call_back(trace, &record);
	}
	return !event->buffer_done || call_buffer(trace, event);
}
