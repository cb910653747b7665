// SPDX-License-Identifier: GPL-2.0-only
/* TdhGetEventInformation() and TdhGetManifestEventInformation(): blocks as documented */
#include "tdh_test.h"
#include "lib/tap.h"

/* All offsets are within the block, and strings end in it. */
static int block_ok(const TRACE_EVENT_INFO *info, ULONG size)
{
	const ULONG *offsets = &info->ProviderNameOffset;
	ULONG head = offsetof(TRACE_EVENT_INFO, EventPropertyInfoArray) +
		     info->PropertyCount * sizeof(EVENT_PROPERTY_INFO), i;

	if (head > size || info->TopLevelPropertyCount > info->PropertyCount)
		return 0;
	for (i = 0; i < 12; i++)
		if (i != 9 && offsets[i] && (offsets[i] < head || offsets[i] >= size || offsets[i] & 1))
			return 0;
	for (i = 0; i < info->PropertyCount; i++) {
		const EVENT_PROPERTY_INFO *p = &info->EventPropertyInfoArray[i];

		if (p->NameOffset < head || p->NameOffset >= size)
			return 0;
		if (p->Flags & PropertyStruct) {
			if ((ULONG)p->structType.StructStartIndex +
			    p->structType.NumOfStructMembers > info->PropertyCount ||
			    p->structType.StructStartIndex < info->TopLevelPropertyCount)
				return 0;
		}
		if (p->Flags & PropertyParamCount && p->countPropertyIndex >= info->PropertyCount)
			return 0;
		if (p->Flags & PropertyParamLength && p->lengthPropertyIndex >= info->PropertyCount)
			return 0;
	}
	return 1;
}

/* B200: size 0 and a size that is too small return the required size, and write nothing. */
static void test_two_calls(void)
{
	EVENT_RECORD record = big_record();
	ULONG size = 0, need, i, touched = 0;
	unsigned char *buffer;

	is(TdhGetEventInformation(&record, 0, NULL, NULL, &size), ERROR_INSUFFICIENT_BUFFER,
	   "no buffer: too small");
	need = size;
	ok(need > sizeof(TRACE_EVENT_INFO), "the required size is returned");
	buffer = malloc(need);
	memset(buffer, 0x5a, need);
	size = need - 1;
	is(TdhGetEventInformation(&record, 0, NULL, (void *)buffer, &size),
	   ERROR_INSUFFICIENT_BUFFER, "one byte too few");
	is(size, need, "the required size is returned again");
	for (i = 0; i < need; i++)
		touched += buffer[i] != 0x5a;
	is(touched, 0, "nothing was written");
	size = need;
	is(TdhGetEventInformation(&record, 0, NULL, (void *)buffer, &size), 0, "enough");
	is(size, need, "as much was used");
	ok(block_ok((void *)buffer, size), "the block is sound");
	free(buffer);
	buffer = malloc(need + 100);
	size = need + 100;
	is(TdhGetEventInformation(&record, 0, NULL, (void *)buffer, &size), 0, "more than enough");
	is(size, need, "the used size is returned");
	free(buffer);
}

/* B201: an unknown event gives NOT_FOUND. */
static void test_unknown(void)
{
	EVENT_RECORD record = test_record(99, 0, NULL, 0);
	ULONG size = 0;

	is(TdhGetEventInformation(&record, 0, NULL, NULL, &size), ERROR_NOT_FOUND,
	   "an event that the provider has not");
	record = test_record(1, 3, NULL, 0);
	is(TdhGetEventInformation(&record, 0, NULL, NULL, &size), ERROR_NOT_FOUND,
	   "an unknown version");
	record = test_record(1, 2, NULL, 0);
	record.EventHeader.ProviderId = other_guid;
	is(TdhGetEventInformation(&record, 0, NULL, NULL, &size), ERROR_NOT_FOUND,
	   "an unknown provider");
	record = test_record(0, 0, "h\0i\0\0", 6);
	record.EventHeader.Flags |= EVENT_HEADER_FLAG_STRING_ONLY;
	is(TdhGetEventInformation(&record, 0, NULL, NULL, &size), ERROR_NOT_FOUND,
	   "a string of EventWriteString()");
	record.EventHeader.Flags = EVENT_HEADER_FLAG_TRACE_MESSAGE;
	is(TdhGetEventInformation(&record, 0, NULL, NULL, &size), ERROR_NOT_SUPPORTED,
	   "an event of WPP");
}

static void test_arguments(void)
{
	TDH_CONTEXT contexts[2] = { { 8, TDH_CONTEXT_POINTERSIZE, 0 },
				    { 8, TDH_CONTEXT_POINTERSIZE, 0 } };
	EVENT_RECORD record = big_record();
	ULONG size = 0;

	is(TdhGetEventInformation(NULL, 0, NULL, NULL, &size), ERROR_INVALID_PARAMETER, "no event");
	is(TdhGetEventInformation(&record, 0, NULL, NULL, NULL), ERROR_INVALID_PARAMETER,
	   "no size");
	size = 100;
	is(TdhGetEventInformation(&record, 0, NULL, NULL, &size), ERROR_INVALID_PARAMETER,
	   "a size and no buffer");
	size = 0;
	is(TdhGetEventInformation(&record, 1, NULL, NULL, &size), ERROR_INVALID_PARAMETER,
	   "contexts that are not there");
	is(TdhGetEventInformation(&record, 2, contexts, NULL, &size), ERROR_INVALID_PARAMETER,
	   "the same context twice");
	contexts[0].ParameterValue = 5;
	is(TdhGetEventInformation(&record, 1, contexts, NULL, &size), ERROR_INVALID_PARAMETER,
	   "a pointer of 5 bytes");
	contexts[0].ParameterType = TDH_CONTEXT_MAXIMUM;
	is(TdhGetEventInformation(&record, 1, contexts, NULL, &size), ERROR_INVALID_PARAMETER,
	   "a context of no type");
	contexts[0] = (TDH_CONTEXT){ 4, TDH_CONTEXT_POINTERSIZE, 0 };
	is(TdhGetEventInformation(&record, 1, contexts, NULL, &size), ERROR_INSUFFICIENT_BUFFER,
	   "a good one");
}

/* B208, B214: the list of keyword names ends with an empty one; attributes are unchanged. */
static void test_names(void)
{
	EVENT_RECORD record = big_record();
	TRACE_EVENT_INFO *info;
	const WCHAR *keyword;
	ULONG error;

	info = event_info(&record, &error);
	if (!ok(info != NULL, "the schema of an event"))
		return;
	ok(!memcmp(&info->ProviderGuid, &test_guid, sizeof(GUID)), "ProviderGuid decodes");
	ok(!memcmp(&info->EventGuid, &read_guid, sizeof(GUID)), "EventGuid is the task's");
	ok(!memcmp(&info->EventDescriptor, &record.EventHeader.EventDescriptor,
		   sizeof(EVENT_DESCRIPTOR)), "the event's descriptor");
	is(info->DecodingSource, DecodingSourceXMLFile, "of a manifest");
	ok(same16(TEI_PROVIDER_NAME(info), "Test-Tdh"), "provider");
	ok(same16(TEI_PROVIDER_MESSAGE(info), "A provider of tests"), "its message");
	ok(same16(TEI_LEVEL_NAME(info), "Error"), "level");
	ok(same16(TEI_CHANNEL_NAME(info), "Test-Tdh/Operational"), "channel");
	ok(same16(TEI_TASK_NAME(info), "Read"), "task");
	ok(same16(TEI_OPCODE_NAME(info), "Half"), "an opcode of the task");
	ok(same16(TEI_EVENT_MESSAGE(info), "%3 has %1 of %2%n"), "the message, unchanged");
	ok(same16(etw_tdh_string(info, info->EventNameOffset), "TheBig"), "the event's own name");
	ok(same16(etw_tdh_string(info, info->EventAttributesOffset), "FILE=\"a;b.c\";LINE=12"),
	   "attributes, with their quotes");
	keyword = TEI_KEYWORDS_NAME(info);
	if (ok(same16(keyword, "Disk"), "the first keyword")) {
		keyword += 5;
		ok(same16(keyword, "The network"), "the second one's message");
		keyword += 12;
		ok(same16(keyword, "Test-Tdh/Operational"), "the channel, by its bit");
		keyword += 21;
		is(*keyword, 0, "and no more");
	}
	is(info->Flags & 0xf, TEMPLATE_EVENT_DATA, "fields");
	is(info->BinaryXMLOffset, 0, "no binary XML");
	free(info);
}

static EVENT_PROPERTY_INFO *property(TRACE_EVENT_INFO *info, ULONG i, const char *name)
{
	EVENT_PROPERTY_INFO *p = &info->EventPropertyInfoArray[i];

	ok(same16(TEI_PROPERTY_NAME(info, p), name), "%s is where it should be", name);
	return p;
}

/* B202: members of structures follow all top-level fields. */
static void test_fields(void)
{
	EVENT_RECORD record = big_record();
	EVENT_PROPERTY_INFO *p;
	TRACE_EVENT_INFO *info;
	ULONG error;

	info = event_info(&record, &error);
	if (!info)
		return;
	is(info->TopLevelPropertyCount, 12, "fields of the top level");
	is(info->PropertyCount, 16, "and members of structures");
	p = property(info, 0, "Count");
	is(p->Flags, 0, "nothing special");
	is(p->nonStructType.InType, TDH_INTYPE_UINT16, "its type");
	is(p->nonStructType.OutType, TDH_OUTTYPE_UNSIGNEDSHORT, "its out-type");
	is(p->count, 1, "one of it");
	is(p->length, 2, "of two bytes");
	p = property(info, 2, "Name");
	is(p->length, 0, "a string has no length");
	p = property(info, 3, "Numbers");
	is(p->Flags, PropertyParamCount, "counted by another field");
	is(p->countPropertyIndex, 0, "by the first");
	p = property(info, 4, "Pair");
	is(p->Flags, PropertyParamFixedCount, "a fixed count");
	is(p->count, 2, "of two");
	p = property(info, 5, "Data");
	is(p->Flags, PropertyParamLength, "its length is another field's");
	is(p->lengthPropertyIndex, 1, "the second's");
	p = property(info, 6, "Color");
	ok(same16(TEI_MAP_NAME(info, p), "Colors"), "it has a map");
	p = property(info, 8, "Points");
	is(p->Flags, PropertyStruct | PropertyParamCount, "structures");
	is(p->structType.StructStartIndex, 12, "members after the top level");
	is(p->structType.NumOfStructMembers, 2, "two of them");
	p = property(info, 9, "Where");
	is(p->length, 8, "a pointer of the writer's");
	p = property(info, 10, "One");
	is(p->Flags, PropertyStruct, "one structure");
	is(p->structType.StructStartIndex, 14, "after the other's members");
	property(info, 12, "X");
	property(info, 13, "Label");
	property(info, 14, "A");
	property(info, 15, "B");
	free(info);
}

static void test_sources(void)
{
	EVENT_RECORD record = test_record(3, 0, NULL, 0);
	TRACE_EVENT_INFO *info;
	ULONG error;

	info = event_info(&record, &error);
	if (ok(info != NULL, "an event without fields")) {
		is(info->PropertyCount, 0, "has no properties");
		is(info->KeywordsNameOffset, 0, "no keywords");
		is(info->EventMessageOffset, 0, "no message");
		is(info->TaskNameOffset, 0, "no task");
		is(info->ChannelNameOffset, 0, "0 is no channel");
		is(info->OpcodeNameOffset, 0, "nor an opcode");
		free(info);
	}
	record = test_record(2, 0, "\1\0\0\0", 4);
	record.EventHeader.EventDescriptor.Level = 16;
	record.EventHeader.EventDescriptor.Opcode = 21;
	record.EventHeader.EventDescriptor.Task = 2;
	info = event_info(&record, &error);
	if (ok(info != NULL, "names by messages")) {
		ok(same16(TEI_LEVEL_NAME(info), "Very loud"), "level");
		ok(same16(TEI_TASK_NAME(info), "Writing"), "task");
		ok(same16(TEI_OPCODE_NAME(info), "Our own"), "opcode");
		free(info);
	}
}

/* Event metadata: tags, "Hi", a field of 4 bytes, an array, binary data, a structure */
static const unsigned char metadata[] =
	"\x3e\0" "\xab\x01" "Hi\0" "Id\0\x08" "Arr\0\x46" "Bin\0\x8e\x84\x0a" "S\0\x98\x02"
	"M\0\x04" "L\0\x44" "X\0\x65\x04\0ABCD" "Fix\0\x24\x03\0";
static const char tl_payload[] =
	"\1\0\0\0" "\2\0" "\5\0\6\0" "\2\0zz" "\x09" "\1\0\x08" "\1\0q" "123";

/* An event with it; meta: its metadata, a copy to modify. */
static EVENT_RECORD tl_record(unsigned char *meta, EVENT_HEADER_EXTENDED_DATA_ITEM *item)
{
	EVENT_RECORD record = test_record(0, 0, tl_payload, sizeof(tl_payload) - 1);

	memcpy(meta, metadata, sizeof(metadata));
	meta[0] = sizeof(metadata) - 1;
	memset(item, 0, sizeof(*item));
	item->ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL;
	item->DataSize = sizeof(metadata) - 1;
	item->DataPtr = (uintptr_t)meta;
	record.EventHeader.ProviderId = other_guid;
	record.EventHeader.EventDescriptor.Channel = 11;
	record.ExtendedDataCount = 1;
	record.ExtendedData = item;
	return record;
}

static void check_tl_fields(TRACE_EVENT_INFO *info)
{
	EVENT_PROPERTY_INFO *p;

	property(info, 0, "Id");
	p = property(info, 1, "Arr.Count");
	is(p->nonStructType.InType, TDH_INTYPE_UINT16, "the count before the elements");
	p = property(info, 2, "Arr");
	is(p->Flags, PropertyParamCount, "an array");
	is(p->countPropertyIndex, 1, "counted by that");
	p = property(info, 3, "Bin");
	is(p->nonStructType.InType, TDH_INTYPE_MANIFEST_COUNTEDBINARY, "its length lies before it");
	is(p->Flags, PropertyHasTags, "it has tags");
	is(p->Tags, 0x0a << 21, "these");
	p = property(info, 4, "S");
	is(p->structType.StructStartIndex, 7, "its members");
	is(p->structType.NumOfStructMembers, 3, "a count among them");
	p = property(info, 5, "X");
	is(p->Flags, PropertyHasCustomSchema, "a custom schema");
	ok(p->customSchemaType.CustomSchemaOffset &&
	   !memcmp((char *)info + p->customSchemaType.CustomSchemaOffset, "\5\0\4\0ABCD", 8),
	   "protocol, length and bytes of it");
	p = property(info, 6, "Fix");
	is(p->Flags, PropertyParamFixedCount, "a fixed array");
	is(p->count, 3, "of three");
	property(info, 7, "M");
	property(info, 8, "L.Count");
	p = property(info, 9, "L");
	is(p->countPropertyIndex, 8, "counted in the structure");
}

/* B201, B202, B215: TraceLogging's own schema; counts and tags of fields. */
static void test_tracelogging(void)
{
	EVENT_HEADER_EXTENDED_DATA_ITEM item;
	unsigned char meta[sizeof(metadata)];
	EVENT_RECORD record = tl_record(meta, &item);
	TRACE_EVENT_INFO *info;
	ULONG error;

	info = event_info(&record, &error);
	if (!ok(info != NULL, "an event with its own schema"))
		return;
	is(info->DecodingSource, DecodingSourceTlg, "of TraceLogging");
	ok(!memcmp(&info->ProviderGuid, &other_guid, sizeof(GUID)), "its provider");
	ok(same16(TEI_TASK_NAME(info), "Hi"), "its name is the task's");
	ok(same16(etw_tdh_string(info, info->EventNameOffset), "Hi"), "and the event's");
	is(info->Tags, 0x2b << 21 | 1 << 14, "tags of the event");
	is(info->TopLevelPropertyCount, 7, "fields, and a count");
	is(info->PropertyCount, 10, "and members, and a count of theirs");
	check_tl_fields(info);
	free(info);
	meta[0] = 0xff;
	info = event_info(&record, &error);
	ok(!info && error == ERROR_EVT_INVALID_EVENT_DATA,
	   "metadata that are longer than they are");
}

static void test_classic(void)
{
	EVENT_RECORD record = test_record(0, 0, NULL, 0);
	TRACE_EVENT_INFO *info;
	ULONG error;

	record.EventHeader.ProviderId = EventTraceGuid;
	record.EventHeader.Flags |= EVENT_HEADER_FLAG_CLASSIC_HEADER;
	info = event_info(&record, &error);
	if (!ok(info != NULL, "the trace's own header event"))
		return;
	is(info->DecodingSource, DecodingSourceWbem, "is classic");
	ok(!memcmp(&info->EventGuid, &EventTraceGuid, sizeof(GUID)), "EventGuid decodes");
	ok(!memcmp(&info->ProviderGuid, &SystemTraceControlGuid, sizeof(GUID)),
	   "ProviderGuid controls");
	ok(same16(TEI_TASK_NAME(info), "EventTrace"), "the class is the task");
	ok(same16(TEI_OPCODE_NAME(info), "Header"), "its type the opcode");
	is(info->ActivityIDNameOffset, 0, "no field is marked as an activity");
	free(info);
}

static void test_manifest_event(void)
{
	EVENT_DESCRIPTOR desc = { .Id = 1, .Version = 2 };
	TRACE_EVENT_INFO *info, *other;
	EVENT_RECORD record = big_record();
	GUID guid = test_guid;
	ULONG size = 0, error;

	is(TdhGetManifestEventInformation(NULL, &desc, NULL, &size), ERROR_INVALID_PARAMETER,
	   "no GUID");
	is(TdhGetManifestEventInformation(&guid, NULL, NULL, &size), ERROR_INVALID_PARAMETER,
	   "no descriptor");
	is(TdhGetManifestEventInformation(&guid, &desc, NULL, NULL), ERROR_INVALID_PARAMETER,
	   "no size");
	is(TdhGetManifestEventInformation(&guid, &desc, NULL, &size), ERROR_INSUFFICIENT_BUFFER,
	   "no buffer");
	info = malloc(size);
	is(TdhGetManifestEventInformation(&guid, &desc, info, &size), 0,
	   "a schema without an event");
	other = event_info(&record, &error);
	ok(other && !memcmp(info, other, size), "it equals the event's");
	free(other);
	free(info);
	desc.Id = 77;
	size = 0;
	is(TdhGetManifestEventInformation(&guid, &desc, NULL, &size), ERROR_NOT_FOUND,
	   "no such event");
	guid = other_guid;
	is(TdhGetManifestEventInformation(&guid, &desc, NULL, &size), ERROR_FILE_NOT_FOUND,
	   "no such provider");
}

int main(void)
{
	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	setenv("LC_ALL", "C", 1);
	is(load_test_manifest(), 0, "the manifest is good");
	test_two_calls();
	test_unknown();
	test_arguments();
	test_names();
	test_fields();
	test_sources();
	test_tracelogging();
	test_classic();
	test_manifest_event();
	return done_testing();
}
