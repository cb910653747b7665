/* SPDX-License-Identifier: MIT */
/*
 * event_record.c - an event of a session as an EVENT_RECORD
 *
 * Semantics: Microsoft's page "EVENT_RECORD structure".
 */
#include <stdlib.h>
#include <string.h>

#include "etl/record.h"
#include "event_record.h"

_Static_assert(sizeof(EVENT_HEADER) == sizeof(struct etw_event_header) &&
	       offsetof(EVENT_HEADER, EventDescriptor) ==
	       offsetof(struct etw_event_header, desc) &&
	       offsetof(EVENT_HEADER, ActivityId) ==
	       offsetof(struct etw_event_header, activity),
	       "the header is handed out as it lies in the buffer");

/* Move the items of the event before, if this event's have the same bytes. */
static bool repeat_items(struct etw_event_items *items, const struct etw_record_view *view)
{
	const uint64_t apart = (uintptr_t)view->ext - items->at;
	size_t i;

	items->repeated = items->len == view->ext_len &&
			  !memcmp(items->bytes, view->ext, view->ext_len);
	if (!items->repeated)
		return false;
	for (i = 0; i < items->count; i++)
		items->list[i].DataPtr += apart;
	items->at = (uintptr_t)view->ext;
	return true;
}

/* Keep the bytes of the items that were collected, unless there is no memory. */
static void keep_items(struct etw_event_items *items, const struct etw_record_view *view,
		       size_t count)
{
	void *bytes;

	items->len = 0;
	if (view->ext_len > items->bytes_room) {
		bytes = realloc(items->bytes, view->ext_len);
		if (!bytes)
			return;
		items->bytes = bytes;
		items->bytes_room = view->ext_len;
	}
	memcpy(items->bytes, view->ext, view->ext_len);
	items->len = view->ext_len;
	items->count = count;
	items->at = (uintptr_t)view->ext;
}

/* Collect a record's extended items into the array; returns their number. */
static USHORT collect_items(struct etw_event_items *items, const struct etw_record_view *view)
{
	struct etw_ext_view ext;
	uint32_t offset = 0;
	size_t n = 0;

	while (etw_ext_next(view, &offset, &ext) == 1) {
		EVENT_HEADER_EXTENDED_DATA_ITEM *item;

		if (n == items->room) {
			size_t room = n ? 2 * n : 8;

			item = realloc(items->list, room * sizeof(*item));
			if (!item)
				break;
			items->list = item;
			items->room = room;
		}
		item = &items->list[n];
		*item = (EVENT_HEADER_EXTENDED_DATA_ITEM){
			.ExtType = ext.type, .DataSize = (USHORT)ext.data_len,
			.DataPtr = (uintptr_t)ext.data,
		};
		if (n++)
			item[-1].Linkage = 1;
	}
	return n;
}

static USHORT take_items(struct etw_event_items *items, const struct etw_record_view *view)
{
	USHORT count;

	if (!view->ext_len) {
		items->len = 0;
		items->repeated = false;
		return 0;
	}
	if (!items->keeps)
		return collect_items(items, view);
	if (repeat_items(items, view))
		return (USHORT)items->count;
	count = collect_items(items, view);
	keep_items(items, view, count);
	return count;
}

static void fill_context(ETW_BUFFER_CONTEXT *context, const struct etw_event *event)
{
	context->ProcessorIndex = event->cpu;
	if (!(event->buffer->flags & ETW_BUFFER_PROCESSOR_INDEX))
		context->Alignment = 0;
	context->LoggerId = event->logger_id;
}

/* The flags that are not stored but follow from the record's location. */
static USHORT reader_flags(const struct etw_event *event)
{
	USHORT flags = etw_etl_type_is_32(event->record.header->type) ?
			ETW_EVENT_32_BIT_HEADER : ETW_EVENT_64_BIT_HEADER;

	if (event->buffer->flags & ETW_BUFFER_PROCESSOR_INDEX)
		flags |= ETW_EVENT_PROCESSOR_INDEX;
	return flags;
}

/*
 * Copy in the pieces in which the callback reads: a GUID read at once but written in
 * two halves stalls until both halves reach the cache.
 */
static void copy_header(EVENT_HEADER *to, const void *header)
{
	const char *from = header;

	memcpy(to, from, offsetof(EVENT_HEADER, ProviderId));
	memcpy(&to->ProviderId, from + offsetof(EVENT_HEADER, ProviderId), sizeof(GUID));
	memcpy(&to->EventDescriptor, from + offsetof(EVENT_HEADER, EventDescriptor),
	       sizeof(EVENT_DESCRIPTOR));
	memcpy(&to->ProcessorTime, from + offsetof(EVENT_HEADER, ProcessorTime),
	       sizeof(to->ProcessorTime));
	memcpy(&to->ActivityId, from + offsetof(EVENT_HEADER, ActivityId), sizeof(GUID));
}

void etw_event_record(EVENT_RECORD *record, const struct etw_event *event,
		      struct etw_event_items *items, bool raw_time)
{
	const struct etw_record_view *view = &event->record;

	copy_header(&record->EventHeader, view->header);
	record->EventHeader.Flags |= reader_flags(event);
	if (!raw_time)
		record->EventHeader.TimeStamp.QuadPart = event->time;
	memset(&record->BufferContext, 0, sizeof(record->BufferContext));
	fill_context(&record->BufferContext, event);
	record->ExtendedDataCount = take_items(items, view);
	record->ExtendedData = record->ExtendedDataCount ? items->list : NULL;
	record->UserDataLength = view->data_len;
	record->UserData = (void *)view->data;
	record->UserContext = NULL;
}

void etw_event_items_free(struct etw_event_items *items)
{
	free(items->list);
	free(items->bytes);
	memset(items, 0, sizeof(*items));
}
