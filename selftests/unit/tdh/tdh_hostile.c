// SPDX-License-Identifier: GPL-2.0-only
/*
 * TDH with malformed events: metadata and payloads are changed at random, the same way in
 * each run. The output is valid, and nothing beyond the event is read, which the
 * sanitizers check: each event is in an allocation of its exact size.
 */
#include "tdh_test.h"
#include "lib/pick.h"
#include "lib/tap.h"

#define ROUNDS	20000

/* Metadata with everything: tags, arrays, binary data, nested structures */
static const unsigned char metadata[] =
	"\0\0" "\xab\x01" "Hi\0" "Id\0\x08" "Arr\0\x46" "Bin\0\x8e\x84\x0a" "S\0\xd8\x03"
	"M\0\x04" "L\0\x44" "T\0\x98\x02" "U\0\x01" "V\0\x02" "X\0\x65\x04\0ABCD" "Fix\0\x24\x03\0"
	"Sid\0\x13" "Str\0\x16" "Time\0\x12";

static unsigned char *changed(const void *from, size_t size, size_t *left)
{
	unsigned char *copy;
	unsigned int i;

	*left = pick(4) ? size : pick((unsigned int)size + 1);
	copy = malloc(*left ? *left : 1);
	memcpy(copy, from, *left);
	for (i = *left ? pick(6) : 0; i; i--)
		copy[pick((unsigned int)*left)] = (unsigned char)(pick(3) ? pick(256) : pick(4));
	return copy;
}

/* Every offset of a block is within it. */
static int sound(const TRACE_EVENT_INFO *info, ULONG size)
{
	ULONG head = offsetof(TRACE_EVENT_INFO, EventPropertyInfoArray) +
		     info->PropertyCount * sizeof(EVENT_PROPERTY_INFO), i;

	if (head > size || info->TopLevelPropertyCount > info->PropertyCount)
		return 0;
	for (i = 0; i < info->PropertyCount; i++) {
		const EVENT_PROPERTY_INFO *p = &info->EventPropertyInfoArray[i];

		if (p->NameOffset < head || p->NameOffset >= size)
			return 0;
		if (p->Flags & PropertyStruct &&
		    (ULONG)p->structType.StructStartIndex + p->structType.NumOfStructMembers >
		    info->PropertyCount)
			return 0;
		if (p->Flags & PropertyParamCount && p->countPropertyIndex >= i)
			return 0;
		if (p->Flags & PropertyHasCustomSchema &&
		    p->customSchemaType.CustomSchemaOffset >= size)
			return 0;
	}
	return 1;
}

/* Get all top-level fields by their names, and by walking through the payload. */
static void use(EVENT_RECORD *record, TRACE_EVENT_INFO *info)
{
	BYTE *data = record->UserData;
	USHORT left = record->UserDataLength, used;
	ULONG i, size;

	for (i = 0; i < info->TopLevelPropertyCount; i++) {
		EVENT_PROPERTY_INFO *p = &info->EventPropertyInfoArray[i];
		PROPERTY_DATA_DESCRIPTOR way[2] = {
			{ (uintptr_t)TEI_PROPERTY_NAME(info, p), pick(3) ? 0xFFFFFFFFu : pick(4), 0 },
			{ (uintptr_t)W("M"), 0xFFFFFFFFu, 0 } };
		WCHAR text[64];
		BYTE *bytes;

		if (!TdhGetPropertySize(record, 0, NULL, 1 + !pick(4), way, &size)) {
			bytes = malloc(size ? size : 1);
			TdhGetProperty(record, 0, NULL, 1, way, size, bytes);
			free(bytes);
		}
		size = sizeof(text);
		used = 0;
		TdhFormatProperty(info, NULL, 8, p->nonStructType.InType, p->nonStructType.OutType,
				  p->length, left, data, &size, text, &used);
		if (used > left) {
			ok(0, "more was consumed than is there");
			return;
		}
		data += used;
		left = (USHORT)(left - used);
	}
}

static unsigned int good, bad, unsound;

static void one(EVENT_RECORD *record)
{
	TRACE_EVENT_INFO *info;
	ULONG error, size = 0;

	info = event_info(record, &error);
	if (!info) {
		bad++;
		return;
	}
	TdhGetEventInformation(record, 0, NULL, NULL, &size);
	good++;
	unsound += !sound(info, size);
	use(record, info);
	free(info);
}

static void test_tracelogging(void)
{
	unsigned char payload[64], *meta, *data;
	EVENT_HEADER_EXTENDED_DATA_ITEM item;
	unsigned int i, round;
	EVENT_RECORD record;
	size_t size, left;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < sizeof(payload); i++)
			payload[i] = (unsigned char)(pick(2) ? pick(4) : pick(256));
		meta = changed(metadata, sizeof(metadata) - 1, &size);
		if (size > 1 && pick(8)) {
			meta[0] = (unsigned char)size;
			meta[1] = 0;
		}
		data = changed(payload, sizeof(payload), &left);
		memset(&item, 0, sizeof(item));
		item.ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL;
		item.DataSize = (USHORT)size;
		item.DataPtr = (uintptr_t)meta;
		record = test_record(0, 0, data, left);
		record.EventHeader.EventDescriptor.Channel = 11;
		record.ExtendedData = &item;
		record.ExtendedDataCount = 1;
		one(&record);
		free(meta);
		free(data);
	}
	ok(good > ROUNDS / 10 && bad > ROUNDS / 100, "%u events with a schema, %u without", good, bad);
	is(unsound, 0, "all blocks are sound");
}

static void test_by_manifest(void)
{
	unsigned int round;
	EVENT_RECORD record;
	unsigned char *data;
	size_t left;

	good = bad = unsound = 0;
	for (round = 0; round < ROUNDS; round++) {
		data = changed(big_payload, sizeof(big_payload) - 1, &left);
		record = big_record();
		record.UserData = data;
		record.UserDataLength = (USHORT)left;
		one(&record);
		free(data);
	}
	is(good, ROUNDS, "payloads that do not fit a manifest");
	is(unsound, 0, "all blocks are sound");
}

int main(void)
{
	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	is(load_test_manifest(), 0, "the manifest is good");
	test_tracelogging();
	test_by_manifest();
	return done_testing();
}
