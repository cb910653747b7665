// SPDX-License-Identifier: GPL-2.0-only
/*
 * tdh_layout.c - tdh.h's structs have the layout of 64-bit Windows, and its constants
 * have their values
 *
 * Everything is asserted when this file is compiled, as C11 or C++17; the program runs
 * the inline helpers.
 */
#include <assert.h>
#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include <tdh.h>

#include "lib/tap.h"

#define S(type, size, align)						\
	static_assert(sizeof(type) == (size), "size of " #type);	\
	static_assert(alignof(type) == (align), "alignment of " #type);
#define F(type, field, offset, size)					\
	static_assert(offsetof(type, field) == (offset),		\
		      "offset of " #type "." #field);			\
	static_assert(sizeof(((type *)0)->field) == (size),		\
		      "size of " #type "." #field);
#define V(name, value)	static_assert((long long)(name) == (value), #name);

S(TRACE_EVENT_INFO, 136, 8)
F(TRACE_EVENT_INFO, ProviderGuid, 0, 16)
F(TRACE_EVENT_INFO, EventGuid, 16, 16)
F(TRACE_EVENT_INFO, EventDescriptor, 32, 16)
F(TRACE_EVENT_INFO, DecodingSource, 48, 4)
F(TRACE_EVENT_INFO, ProviderNameOffset, 52, 4)
F(TRACE_EVENT_INFO, LevelNameOffset, 56, 4)
F(TRACE_EVENT_INFO, ChannelNameOffset, 60, 4)
F(TRACE_EVENT_INFO, KeywordsNameOffset, 64, 4)
F(TRACE_EVENT_INFO, TaskNameOffset, 68, 4)
F(TRACE_EVENT_INFO, OpcodeNameOffset, 72, 4)
F(TRACE_EVENT_INFO, EventMessageOffset, 76, 4)
F(TRACE_EVENT_INFO, ProviderMessageOffset, 80, 4)
F(TRACE_EVENT_INFO, BinaryXMLOffset, 84, 4)
F(TRACE_EVENT_INFO, BinaryXMLSize, 88, 4)
F(TRACE_EVENT_INFO, EventNameOffset, 92, 4)
F(TRACE_EVENT_INFO, ActivityIDNameOffset, 92, 4)
F(TRACE_EVENT_INFO, EventAttributesOffset, 96, 4)
F(TRACE_EVENT_INFO, RelatedActivityIDNameOffset, 96, 4)
F(TRACE_EVENT_INFO, PropertyCount, 100, 4)
F(TRACE_EVENT_INFO, TopLevelPropertyCount, 104, 4)
F(TRACE_EVENT_INFO, Flags, 108, 4)
F(TRACE_EVENT_INFO, EventPropertyInfoArray, 112, 24)

S(EVENT_PROPERTY_INFO, 24, 4)
F(EVENT_PROPERTY_INFO, Flags, 0, 4)
F(EVENT_PROPERTY_INFO, NameOffset, 4, 4)
F(EVENT_PROPERTY_INFO, nonStructType.InType, 8, 2)
F(EVENT_PROPERTY_INFO, nonStructType.OutType, 10, 2)
F(EVENT_PROPERTY_INFO, nonStructType.MapNameOffset, 12, 4)
F(EVENT_PROPERTY_INFO, structType.StructStartIndex, 8, 2)
F(EVENT_PROPERTY_INFO, structType.NumOfStructMembers, 10, 2)
F(EVENT_PROPERTY_INFO, structType.padding, 12, 4)
F(EVENT_PROPERTY_INFO, customSchemaType.InType, 8, 2)
F(EVENT_PROPERTY_INFO, customSchemaType.OutType, 10, 2)
F(EVENT_PROPERTY_INFO, customSchemaType.CustomSchemaOffset, 12, 4)
F(EVENT_PROPERTY_INFO, count, 16, 2)
F(EVENT_PROPERTY_INFO, countPropertyIndex, 16, 2)
F(EVENT_PROPERTY_INFO, length, 18, 2)
F(EVENT_PROPERTY_INFO, lengthPropertyIndex, 18, 2)
F(EVENT_PROPERTY_INFO, Reserved, 20, 4)

S(PROPERTY_DATA_DESCRIPTOR, 16, 8)
F(PROPERTY_DATA_DESCRIPTOR, PropertyName, 0, 8)
F(PROPERTY_DATA_DESCRIPTOR, ArrayIndex, 8, 4)
F(PROPERTY_DATA_DESCRIPTOR, Reserved, 12, 4)
S(PAYLOAD_FILTER_PREDICATE, 24, 8)
F(PAYLOAD_FILTER_PREDICATE, FieldName, 0, 8)
F(PAYLOAD_FILTER_PREDICATE, CompareOp, 8, 2)
F(PAYLOAD_FILTER_PREDICATE, Value, 16, 8)
S(PROVIDER_EVENT_INFO, 24, 8)
F(PROVIDER_EVENT_INFO, NumberOfEvents, 0, 4)
F(PROVIDER_EVENT_INFO, Reserved, 4, 4)
F(PROVIDER_EVENT_INFO, EventDescriptorsArray, 8, 16)
F(PROVIDER_FILTER_INFO, Id, 0, 1)
F(PROVIDER_FILTER_INFO, Version, 1, 1)
F(PROVIDER_FILTER_INFO, MessageOffset, 4, 4)
F(PROVIDER_FILTER_INFO, Reserved, 8, 4)
F(PROVIDER_FILTER_INFO, PropertyCount, 12, 4)
F(PROVIDER_FILTER_INFO, EventPropertyInfoArray, 16, 24)
F(PROVIDER_ENUMERATION_INFO, NumberOfProviders, 0, 4)
F(PROVIDER_ENUMERATION_INFO, Reserved, 4, 4)
F(PROVIDER_ENUMERATION_INFO, TraceProviderInfoArray, 8, 24)
S(TRACE_PROVIDER_INFO, 24, 4)
F(TRACE_PROVIDER_INFO, ProviderGuid, 0, 16)
F(TRACE_PROVIDER_INFO, SchemaSource, 16, 4)
F(TRACE_PROVIDER_INFO, ProviderNameOffset, 20, 4)
F(PROVIDER_FIELD_INFOARRAY, NumberOfElements, 0, 4)
F(PROVIDER_FIELD_INFOARRAY, FieldType, 4, 4)
F(PROVIDER_FIELD_INFOARRAY, FieldInfoArray, 8, 16)
S(PROVIDER_FIELD_INFO, 16, 8)
F(PROVIDER_FIELD_INFO, NameOffset, 0, 4)
F(PROVIDER_FIELD_INFO, DescriptionOffset, 4, 4)
F(PROVIDER_FIELD_INFO, Value, 8, 8)
F(EVENT_MAP_INFO, NameOffset, 0, 4)
F(EVENT_MAP_INFO, Flag, 4, 4)
F(EVENT_MAP_INFO, EntryCount, 8, 4)
F(EVENT_MAP_INFO, MapEntryValueType, 12, 4)
F(EVENT_MAP_INFO, FormatStringOffset, 12, 4)
F(EVENT_MAP_INFO, MapEntryArray, 16, 8)
S(EVENT_MAP_ENTRY, 8, 4)
F(EVENT_MAP_ENTRY, OutputOffset, 0, 4)
F(EVENT_MAP_ENTRY, Value, 4, 4)
F(EVENT_MAP_ENTRY, InputOffset, 4, 4)
S(TDH_CONTEXT, 16, 8)
F(TDH_CONTEXT, ParameterValue, 0, 8)
F(TDH_CONTEXT, ParameterType, 8, 4)
F(TDH_CONTEXT, ParameterSize, 12, 4)

V(TDH_INTYPE_MANIFEST_COUNTEDBINARY, 25)
V(TDH_INTYPE_COUNTEDSTRING, 300)
V(TDH_INTYPE_COUNTEDANSISTRING, 301)
V(TDH_INTYPE_REVERSEDCOUNTEDSTRING, 302)
V(TDH_INTYPE_REVERSEDCOUNTEDANSISTRING, 303)
V(TDH_INTYPE_NONNULLTERMINATEDSTRING, 304)
V(TDH_INTYPE_NONNULLTERMINATEDANSISTRING, 305)
V(TDH_INTYPE_UNICODECHAR, 306)
V(TDH_INTYPE_ANSICHAR, 307)
V(TDH_INTYPE_SIZET, 308)
V(TDH_INTYPE_HEXDUMP, 309)
V(TDH_INTYPE_WBEMSID, 310)
V(TDH_OUTTYPE_DATETIME_UTC, 38)
V(TDH_OUTTYPE_REDUCEDSTRING, 300)
V(TDH_OUTTYPE_NOPRINT, 301)
V(DecodingSourceXMLFile, 0)
V(DecodingSourceWbem, 1)
V(DecodingSourceWPP, 2)
V(DecodingSourceTlg, 3)
V(EventKeywordInformation, 0)
V(EventLevelInformation, 1)
V(EventChannelInformation, 2)
V(EventTaskInformation, 3)
V(EventOpcodeInformation, 4)
V(TEMPLATE_EVENT_DATA, 1)
V(TEMPLATE_USER_DATA, 2)
V(TEMPLATE_CONTROL_GUID, 4)
V(PropertyStruct, 1)
V(PropertyParamLength, 2)
V(PropertyParamCount, 4)
V(PropertyWBEMXmlFragment, 8)
V(PropertyParamFixedLength, 0x10)
V(PropertyParamFixedCount, 0x20)
V(PropertyHasTags, 0x40)
V(PropertyHasCustomSchema, 0x80)
V(EVENTMAP_INFO_FLAG_MANIFEST_PATTERNMAP, 4)
V(EVENTMAP_INFO_FLAG_WBEM_VALUEMAP, 8)
V(EVENTMAP_INFO_FLAG_WBEM_NO_MAP, 0x40)
V(EVENTMAP_ENTRY_VALUETYPE_STRING, 1)
V(PAYLOADFIELD_EQ, 0)
V(PAYLOADFIELD_NE, 1)
V(PAYLOADFIELD_LE, 2)
V(PAYLOADFIELD_GT, 3)
V(PAYLOADFIELD_LT, 4)
V(PAYLOADFIELD_GE, 5)
V(PAYLOADFIELD_BETWEEN, 6)
V(PAYLOADFIELD_NOTBETWEEN, 7)
V(PAYLOADFIELD_MODULO, 8)
V(PAYLOADFIELD_CONTAINS, 20)
V(PAYLOADFIELD_DOESNTCONTAIN, 21)
V(PAYLOADFIELD_IS, 30)
V(PAYLOADFIELD_ISNOT, 31)
V(PAYLOADFIELD_INVALID, 32)
V(MAX_PAYLOAD_PREDICATES, 8)
V(TDH_CONTEXT_POINTERSIZE, 3)
V(TDH_CONTEXT_MAXIMUM, 5)

/* Tags share a word with the flags. */
static void test_bits(void)
{
	TRACE_EVENT_INFO info;
	EVENT_PROPERTY_INFO property;

	memset(&info, 0, sizeof(info));
	memset(&property, 0, sizeof(property));
	info.Tags = 0xFEDCBA9;
	is((unsigned int)info.Flags, 0xFEDCBA90u, "tags of an event are the upper 28 bits");
	property.Tags = 0xFEDCBA9;
	is(property.Reserved, 0xFEDCBA9, "tags of a field the lower ones");
}

static void test_strings(void)
{
	struct {
		EVENT_MAP_INFO map;
		WCHAR text[4];
	} block;

	memset(&block, 0, sizeof(block));
	block.text[0] = 'x';
	ok(!EMI_MAP_NAME(&block.map), "offset 0 is no string");
	block.map.NameOffset = sizeof(block.map);
	ok(EMI_MAP_NAME(&block.map) == block.text, "an offset from the start of the block");
	block.map.FormatStringOffset = sizeof(block.map);
	ok(!EMI_MAP_FORMAT(&block.map), "only pattern maps have a format");
	block.map.Flag = EVENTMAP_INFO_FLAG_MANIFEST_PATTERNMAP;
	ok(EMI_MAP_FORMAT(&block.map) == block.text, "they do");
	block.map.MapEntryArray[0].InputOffset = sizeof(block.map);
	ok(EMI_MAP_INPUT(&block.map, &block.map.MapEntryArray[0]) == block.text, "and input");
}

int main(void)
{
	test_bits();
	test_strings();
	return done_testing();
}
