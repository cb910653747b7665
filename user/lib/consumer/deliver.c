/* SPDX-License-Identifier: MIT */
/*
 * deliver.c - hand events to a consumer's callbacks
 *
 * Semantics: Microsoft's pages "EVENT_RECORD structure", "EVENT_TRACE structure",
 * "RT_LostEvent class", "SetTraceCallback function" and "RemoveTraceCallback function".
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"
#include "trace_header.h"

/* -------------------------------------------------- callbacks of one class */

struct class {
	struct class *next;
	GUID guid;
	PEVENT_CALLBACK callback;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct class *classes;		/* under lock; only a few */
static atomic_uint count;		/* number of classes */

/* The link to the class, or to the list's end. The lock is held. */
static struct class **find_class(const GUID *guid)
{
	struct class **p = &classes;

	while (*p && memcmp(&(*p)->guid, guid, sizeof(*guid)))
		p = &(*p)->next;
	return p;
}

/* The callback of a class, or NULL. Cheap if no callback is set. */
static PEVENT_CALLBACK class_callback(const GUID *class)
{
	PEVENT_CALLBACK callback = NULL;
	struct class *found;

	if (!atomic_load_explicit(&count, memory_order_relaxed))
		return NULL;
	pthread_mutex_lock(&lock);
	found = *find_class(class);
	if (found)
		callback = found->callback;
	pthread_mutex_unlock(&lock);
	return callback;
}

ULONG SetTraceCallback(LPCGUID pGuid, PEVENT_CALLBACK EventCallback)
{
	struct class *found, *spare;

	if (!pGuid || !EventCallback)
		return ERROR_INVALID_PARAMETER;
	spare = malloc(sizeof(*spare));
	if (!spare)
		return ERROR_NOT_ENOUGH_MEMORY;
	pthread_mutex_lock(&lock);
	found = *find_class(pGuid);
	if (found) {
		found->callback = EventCallback;
	} else {
		*spare = (struct class){ classes, *pGuid, EventCallback };
		classes = spare;
		spare = NULL;
		atomic_fetch_add(&count, 1);
	}
	pthread_mutex_unlock(&lock);
	free(spare);
	return ERROR_SUCCESS;
}

ULONG RemoveTraceCallback(LPCGUID pGuid)
{
	struct class **p, *found;

	if (!pGuid)
		return ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&lock);
	p = find_class(pGuid);
	found = *p;
	if (found) {
		*p = found->next;
		atomic_fetch_sub(&count, 1);
	}
	pthread_mutex_unlock(&lock);
	if (!found)
		return ERROR_WMI_GUID_NOT_FOUND;
	free(found);
	return ERROR_SUCCESS;
}

/* ------------------------------------------------------------------ delivery */

/* Class RT_LostEvent and its types */
static const GUID lost_guid = {
	0x6a399ae0, 0x4bc6, 0x4de9, { 0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e }
};

#define LOST_EVENT	32
#define LOST_BUFFER	33
#define LOST_FILE	34

/* Set the instance ids, if the event carries them. */
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

/* Convert the event for a consumer of classic events. */
static void fill_classic(const EVENT_RECORD *record, EVENT_TRACE *classic)
{
	const EVENT_HEADER *header = &record->EventHeader;
	ULONG size = sizeof(EVENT_TRACE_HEADER) + record->UserDataLength;

	memset(classic, 0, sizeof(*classic));
	classic->Header.Size = size > UINT16_MAX ? UINT16_MAX : size;
	classic->Header.Class.Type = header->EventDescriptor.Opcode;
	classic->Header.Class.Level = header->EventDescriptor.Level;
	/* For a message, the version field holds its number. */
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
	PEVENT_CALLBACK of_class;

	if (logfile->ProcessTraceMode & PROCESS_TRACE_MODE_EVENT_RECORD) {
		if (logfile->EventRecordCallback)
			logfile->EventRecordCallback(record);
		return;
	}
	fill_classic(record, &logfile->CurrentEvent);
	if (logfile->EventCallback)
		logfile->EventCallback(&logfile->CurrentEvent);
	if (!(record->EventHeader.Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER))
		return;
	of_class = class_callback(&record->EventHeader.ProviderId);
	if (of_class) {
		/* The caller's structure: the other callback may have changed it. */
		fill_classic(record, &logfile->CurrentEvent);
		of_class(&logfile->CurrentEvent);
	}
}

/* Report a loss, at the time of the event after the gap. */
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

/* Pass the buffer itself to a BufferCallback, which may keep it. */
static bool show_buffer(struct etw_trace *trace, const struct etw_event *event)
{
	struct etw_block *block = etw_block_of(event->buffer);
	ETW_BUFFER_CALLBACK_INFORMATION info = {
		.TraceHandle = trace->handle,
		.LogfileHeader = &trace->logfile.wide.LogfileHeader,
		.BuffersRead = trace->logfile.wide.BuffersRead,
	};
	const struct etw_buffer_header *header = (const void *)block->data;
	BOOL more;

	etw_trace_lock_own();
	trace->shown = block;
	etw_trace_unlock();
	more = trace->options.BufferCallback((const ETW_BUFFER_HEADER *)header,
					     header->buffer_size, &info,
					     trace->options.BufferCallbackContext);
	etw_trace_lock_own();
	trace->shown = NULL;
	etw_trace_unlock();
	return more;
}

/* Update the header: of a session up to what has been read, of a file to its end. */
static void update_header(struct etw_trace *trace, const struct etw_event *event)
{
	EVENT_TRACE_LOGFILEW *logfile = &trace->logfile.wide;
	struct etw_consumer_info info;
	struct etw_reader *reader = etw_source_session(&trace->source);
	bool known = reader && !etw_reader_stat(reader, &info);

	etw_trace_lock_own();
	logfile->BuffersRead++;
	logfile->Filled = event->buffer->offset;
	if (reader)
		logfile->LogfileHeader.BuffersWritten = logfile->BuffersRead;
	if (known) {
		logfile->LogfileHeader.EventsLost = info.events_lost;
		logfile->LogfileHeader.BuffersLost = info.buffers_lost;
	}
	etw_trace_unlock();
}

static bool call_buffer(struct etw_trace *trace, const struct etw_event *event)
{
	EVENT_TRACE_LOGFILEW *logfile = &trace->logfile.wide;

	update_header(trace, event);
	if (trace->has_options)
		return !trace->options.BufferCallback || show_buffer(trace, event);
	if (!logfile->BufferCallback)
		return true;
	if (trace->is_wide)
		return logfile->BufferCallback(logfile) != FALSE;
	return trace->logfile.narrow.BufferCallback(&trace->logfile.narrow) != FALSE;
}

/* Events were lost before the events of this buffer. */
static void note_drop(struct etw_trace *trace, const struct etw_event *event)
{
	struct etw_trace_drops *drops = &trace->drops;
	size_t cpu = event->cpu;
	void *cpus;

	if (cpu < drops->count && drops->cpus[cpu].time &&
	    drops->cpus[cpu].sequence == event->buffer->sequence)
		return;
	etw_trace_lock_own();
	if (cpu >= drops->count) {
		cpus = realloc(drops->cpus, (cpu + 1) * sizeof(*drops->cpus));
		if (!cpus)
			goto out;
		drops->cpus = cpus;
		memset(&drops->cpus[drops->count], 0,
		       (cpu + 1 - drops->count) * sizeof(*drops->cpus));
		drops->count = cpu + 1;
	}
	drops->cpus[cpu].time = event->record.header->timestamp;
	drops->cpus[cpu].sequence = event->buffer->sequence;
out:
	etw_trace_unlock();
}

/* A stream's header has arrived. */
static void take_header(struct etw_trace *trace)
{
	const struct etw_etl_info *info = etw_bufstream_info(etw_source_stream(&trace->source));

	etw_trace_lock_own();
	trace->logfile.wide.LogfileHeader = info->header;
	trace->logfile.wide.BufferSize = info->header.BufferSize;
	etw_trace_unlock();
}

bool etw_trace_deliver(struct etw_trace *trace, const struct etw_event *event,
		       int64_t first, int64_t last)
{
	const EVENT_TRACE_LOGFILEW *logfile = &trace->logfile.wide;
	EVENT_RECORD record;

	if (event->buffer->flags & ETW_BUFFER_EVENTS_LOST)
		note_drop(trace, event);
	if (etw_source_stream(&trace->source) && event->buffer->type == ETW_BUFFER_TYPE_HEADER)
		take_header(trace);
	if (event->time >= first && event->time <= last) {
		etw_event_record(&record, event, &trace->items,
				 logfile->ProcessTraceMode & PROCESS_TRACE_MODE_RAW_TIMESTAMP);
		record.UserContext = logfile->Context;
		trace->logfile.wide.CurrentTime = event->time;
		if (event->lost_file)
			announce_loss(trace, &record, LOST_FILE);
		if (event->lost_buffers)
			announce_loss(trace, &record, LOST_BUFFER);
		if (event->lost_events)
			announce_loss(trace, &record, LOST_EVENT);
		call_back(trace, &record);
	}
	return !event->buffer_done || call_buffer(trace, event);
}

bool etw_trace_deliver_head(struct etw_trace *trace, int64_t first, int64_t last)
{
	struct etw_event event;

	if (!trace->head || trace->begun)
		return true;
	trace->begun = true;
	etw_tracehead_event(trace->head, trace->logfile.wide.LogfileHeader.StartTime.QuadPart,
			    &event);
	event.buffer_done = trace->has_options;
	return etw_trace_deliver(trace, &event, first, last);
}
