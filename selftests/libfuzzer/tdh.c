// SPDX-License-Identifier: GPL-2.0-only
/*
 * tdh - TDH's blocks, properties and values, from TraceLogging metadata and payload
 *
 *	input := flags  u16 n  n bytes of metadata  payload
 */
#include <tdh.h>
#include "libfuzzer/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int truth)
{
	if (!truth)
		abort();
}

/* The sizes and offsets in the block are valid. */
static void check_block(TRACE_EVENT_INFO *info, ULONG size)
{
	ULONG head = offsetof(TRACE_EVENT_INFO, EventPropertyInfoArray) +
		     info->PropertyCount * sizeof(EVENT_PROPERTY_INFO), i;

	need(head <= size && info->TopLevelPropertyCount <= info->PropertyCount);
	for (i = 0; i < info->PropertyCount; i++) {
		const EVENT_PROPERTY_INFO *p = &info->EventPropertyInfoArray[i];

		need(p->NameOffset >= head && p->NameOffset < size);
		if (p->Flags & PropertyStruct)
			need((ULONG)p->structType.StructStartIndex +
			     p->structType.NumOfStructMembers <= info->PropertyCount);
		if (p->Flags & PropertyParamCount)
			need(p->countPropertyIndex < i);
	}
}

static void get(EVENT_RECORD *record, PWSTR name, ULONG index)
{
	PROPERTY_DATA_DESCRIPTOR way = { (uintptr_t)name, index, 0 };
	ULONG size = 0;
	void *to;

	if (TdhGetPropertySize(record, 0, NULL, 1, &way, &size))
		return;
	need(size <= record->UserDataLength || size == 2);
	to = malloc(size ? size : 1);
	need(!TdhGetProperty(record, 0, NULL, 1, &way, size, to));
	free(to);
}

/* The top-level fields that have values */
static void walk(EVENT_RECORD *record, TRACE_EVENT_INFO *info, ULONG pointer_size)
{
	BYTE *data = record->UserData;
	USHORT left = record->UserDataLength, used;
	WCHAR text[256];
	ULONG i, size;

	for (i = 0; i < info->TopLevelPropertyCount && i < 64; i++) {
		EVENT_PROPERTY_INFO *p = &info->EventPropertyInfoArray[i];

		get(record, TEI_PROPERTY_NAME(info, p), 0xFFFFFFFF);
		get(record, TEI_PROPERTY_NAME(info, p), i & 3);
		size = sizeof(text);
		used = 0;
		if (p->Flags & PropertyStruct ||
		    TdhFormatProperty(info, NULL, pointer_size, p->nonStructType.InType,
				      p->nonStructType.OutType, p->length, left, data, &size, text,
				      &used))
			continue;
		need(used <= left && size <= sizeof(text) && size >= sizeof(WCHAR) &&
		     !text[size / sizeof(WCHAR) - 1]);
		data += used;
		left = (USHORT)(left - used);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint8_t flags = take8(&in);
	size_t meta_size, payload_size;
	void *meta = take_block(&in, take16(&in), &meta_size);
	void *payload = take_block(&in, in.left, &payload_size);
	EVENT_HEADER_EXTENDED_DATA_ITEM item = {
		.ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL,
		.DataSize = (USHORT)meta_size, .DataPtr = (uintptr_t)meta,
	};
	EVENT_RECORD record = {
		.EventHeader.Flags = flags & 1 ? EVENT_HEADER_FLAG_32_BIT_HEADER : 0,
		.ExtendedData = &item, .ExtendedDataCount = 1,
		.UserData = payload, .UserDataLength = (USHORT)payload_size,
	};
	ULONG room = 0;
	void *block;

	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	if (TdhGetEventInformation(&record, 0, NULL, NULL, &room) == ERROR_INSUFFICIENT_BUFFER) {
		block = malloc(room);
		need(!TdhGetEventInformation(&record, 0, NULL, block, &room));
		check_block(block, room);
		walk(&record, block, flags & 1 ? 4 : 8);
		free(block);
	}
	free(meta);
	free(payload);
	return 0;
}
