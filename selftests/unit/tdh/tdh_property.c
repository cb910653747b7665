// SPDX-License-Identifier: GPL-2.0-only
/* TdhGetProperty(), TdhGetPropertySize(), TdhGetEventMapInformation() */
#include "tdh_test.h"
#include "lib/tap.h"

#define ALL	0xFFFFFFFFu

static EVENT_RECORD record;

/* The bytes of a field; minus the error. */
static int get(const WCHAR *name, ULONG index, const WCHAR *member, ULONG inner, void *to,
	       ULONG room)
{
	PROPERTY_DATA_DESCRIPTOR way[2] = { { (uintptr_t)name, index, 0 },
					    { (uintptr_t)member, inner, 0 } };
	ULONG size = 0, ret;

	ret = TdhGetPropertySize(&record, 0, NULL, member ? 2 : 1, way, &size);
	if (!ret && size > room)
		return -1;
	if (!ret)
		ret = TdhGetProperty(&record, 0, NULL, member ? 2 : 1, way, size, to);
	return ret ? -(int)ret : (int)size;
}

#define GET(name, index, to)		get(W(name), index, NULL, 0, &(to), sizeof(to))
#define MEMBER(name, index, member, to)	get(W(name), index, W(member), ALL, &(to), sizeof(to))

static void test_top(void)
{
	unsigned short count;
	unsigned int numbers[2];
	short pair[2];
	WCHAR name[4];
	char data[8];
	unsigned long long tail;

	is(GET("Count", ALL, count), 2, "a number: its size");
	is(count, 2, "and value");
	is(GET("Count", 0, count), 2, "a field that is not an array is its own element 0");
	is(GET("Count", 1, count), -ERROR_NOT_FOUND, "and has no other");
	is(GET("Name", ALL, name), 8, "a string with its NUL");
	ok(same16(name, "Log"), "the string is right");
	is(GET("Numbers", ALL, numbers), 8, "an array as a whole");
	ok(numbers[0] == 10 && numbers[1] == 20, "both elements");
	is(GET("Numbers", 1, numbers), 4, "one element");
	is(numbers[0], 20, "the second");
	is(GET("Numbers", 2, numbers), -ERROR_NOT_FOUND, "there is no third");
	is(GET("Pair", 1, pair), 2, "of an array with a fixed count");
	is(pair[0], 2, "the second element");
	is(GET("Data", ALL, data), 3, "binary data by another field's length");
	ok(!memcmp(data, "xyz", 3), "these");
	is(GET("Tail", ALL, tail), 8, "after structures");
	is(tail, 0xbeef, "the last");
}

/* B211: two descriptors select the member of a structure; names are case-sensitive. */
static void test_members(void)
{
	unsigned char all[64];
	char label[8];
	int x;

	is(MEMBER("Points", 0, "X", x), 4, "a member of the first structure");
	is(x, 1, "its value");
	is(MEMBER("Points", 1, "X", x), 4, "of the second");
	is(x, -2, "its value");
	is(MEMBER("Points", ALL, "X", x), 4, "no index is the first");
	is(x, 1, "its value");
	is(MEMBER("Points", 1, "Label", label), 4, "a string in the second");
	ok(!strcmp(label, "two"), "that");
	is(MEMBER("Points", 2, "X", x), -ERROR_NOT_FOUND, "there is no third");
	is(MEMBER("One", 0, "B", all), 2, "of a structure that is no array");
	is(MEMBER("One", ALL, "B", all), 2, "with no index");
	is(all[0] | all[1] << 8, 0x109, "its value");
	is(GET("Points", ALL, all), 16, "all structures");
	ok(!memcmp(all, "\1\0\0\0one\0\xfe\xff\xff\xfftwo", 16), "as they lie there");
	is(GET("Points", 1, all), 8, "one structure");
	ok(!memcmp(all, "\xfe\xff\xff\xfftwo", 8), "the second");
	is(GET("One", ALL, all), 3, "a structure by itself");
	is(GET("count", ALL, all), -ERROR_NOT_FOUND, "names have a case");
	is(GET("X", ALL, all), -ERROR_NOT_FOUND, "a member is not at the top");
	is(MEMBER("Points", 0, "x", all), -ERROR_NOT_FOUND, "members have a case");
	is(MEMBER("Count", 0, "X", all), -ERROR_INVALID_PARAMETER,
	   "members of a field that is not a structure");
}

static void test_pointer(void)
{
	TDH_CONTEXT context = { 4, TDH_CONTEXT_POINTERSIZE, 0 };
	PROPERTY_DATA_DESCRIPTOR where = { (uintptr_t)W("Where"), ALL, 0 };
	EVENT_RECORD small = record;
	unsigned char bytes[8];
	ULONG size;

	is(TdhGetPropertySize(&record, 0, NULL, 1, &where, &size), 0, "a pointer");
	is(size, 8, "of the writer's 8 bytes");
	is(TdhGetPropertySize(&record, 1, &context, 1, &where, &size), 0, "with a context");
	is(size, 4, "of 4");
	/* B207: the record's pointer size, not ours */
	small.EventHeader.Flags = EVENT_HEADER_FLAG_32_BIT_HEADER;
	is(TdhGetPropertySize(&small, 0, NULL, 1, &where, &size), 0, "of a writer of 32 bits");
	is(size, 4, "4 bytes");
	is(TdhGetProperty(&record, 0, NULL, 1, &where, 7, bytes), ERROR_INSUFFICIENT_BUFFER,
	   "a buffer that is too small");
}

static void test_short(void)
{
	EVENT_RECORD full = record;
	unsigned char all[64];

	record.UserDataLength = 16;	/* within Numbers */
	is(GET("Count", ALL, all), 2, "a field within a short event");
	is(GET("Numbers", 0, all), -ERROR_EVT_INVALID_EVENT_DATA,
	   "the field that the event ends in");
	is(GET("Tail", ALL, all), -ERROR_EVT_INVALID_EVENT_DATA, "a field after the end");
	is(MEMBER("Points", 0, "X", all), -ERROR_EVT_INVALID_EVENT_DATA, "a member after the end");
	is(GET("Nothing", ALL, all), -ERROR_NOT_FOUND, "an unknown field");
	record.UserDataLength = 0;
	is(GET("Count", ALL, all), -ERROR_EVT_INVALID_EVENT_DATA, "an empty event");
	record = full;
}

static void test_arguments(void)
{
	PROPERTY_DATA_DESCRIPTOR way[20];
	unsigned char bytes[8];
	ULONG size, i;

	for (i = 0; i < 20; i++)
		way[i] = (PROPERTY_DATA_DESCRIPTOR){ (uintptr_t)W("Points"), 0, 0 };
	is(TdhGetPropertySize(NULL, 0, NULL, 1, way, &size), ERROR_INVALID_PARAMETER, "no event");
	is(TdhGetPropertySize(&record, 0, NULL, 0, way, &size), ERROR_INVALID_PARAMETER, "no way");
	is(TdhGetPropertySize(&record, 0, NULL, 1, NULL, &size), ERROR_INVALID_PARAMETER,
	   "no descriptors");
	is(TdhGetPropertySize(&record, 0, NULL, 1, way, NULL), ERROR_INVALID_PARAMETER, "no size");
	is(TdhGetPropertySize(&record, 1, NULL, 1, way, &size), ERROR_INVALID_PARAMETER,
	   "no contexts");
	is(TdhGetPropertySize(&record, 0, NULL, 20, way, &size), ERROR_NOT_FOUND, "a long way");
	is(TdhGetProperty(&record, 0, NULL, 1, way, 8, NULL), ERROR_INVALID_PARAMETER, "no buffer");
	is(TdhGetProperty(NULL, 0, NULL, 1, way, 8, bytes), ERROR_INVALID_PARAMETER, "no event");
	way[0].PropertyName = 0;
	is(TdhGetPropertySize(&record, 0, NULL, 1, way, &size), ERROR_INVALID_PARAMETER, "no name");
	record.EventHeader.EventDescriptor.Id = 99;
	way[0].PropertyName = (uintptr_t)W("Count");
	is(TdhGetPropertySize(&record, 0, NULL, 1, way, &size), ERROR_NOT_FOUND, "no schema");
	record = big_record();
}

/* The count fields that TdhGetEventInformation() shows can be read. */
static void test_counts(void)
{
	static unsigned char meta[] = "\x19\0\0" "Hi\0" "Arr\0\x46" "S\0\x98\x01" "L\0\x44\0";
	EVENT_HEADER_EXTENDED_DATA_ITEM item;
	EVENT_RECORD saved = record;
	unsigned short two[2];

	meta[0] = sizeof(meta) - 2;
	memset(&item, 0, sizeof(item));
	item.ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL;
	item.DataSize = meta[0];
	item.DataPtr = (uintptr_t)meta;
	record = test_record(0, 0, "\2\0\5\0\6\0\1\0\x08", 9);
	record.EventHeader.EventDescriptor.Channel = 11;
	record.ExtendedData = &item;
	record.ExtendedDataCount = 1;
	is(GET("Arr.Count", ALL, two), 2, "the count of an array");
	is(two[0], 2, "is stored before it");
	is(GET("Arr", ALL, two), 4, "the elements are without it");
	ok(two[0] == 5 && two[1] == 6, "these");
	is(MEMBER("S", ALL, "L.Count", two), 2, "in a structure");
	is(two[0], 1, "the count is the member's");
	is(GET("Hi.Count", ALL, two), -ERROR_NOT_FOUND, "other fields have no count");
	record = saved;
}

/* A TraceLogging event whose only field is a byte array with this name */
static void named_record(const char *name, size_t len)
{
	static unsigned char meta[4096];
	static EVENT_HEADER_EXTENDED_DATA_ITEM item;
	size_t size = 0;

	memset(meta, 0, sizeof(meta));
	memcpy(meta + 3, "Hi", 2);
	memcpy(meta + 6, name, len);
	size = 6 + len + 1;
	meta[size++] = TDH_INTYPE_UINT8 | 0x40;
	meta[0] = (unsigned char)size;
	meta[1] = (unsigned char)(size >> 8);
	memset(&item, 0, sizeof(item));
	item.ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL;
	item.DataSize = (USHORT)size;
	item.DataPtr = (uintptr_t)meta;
	record = test_record(0, 0, "\2\0\5\6", 4);
	record.EventHeader.EventDescriptor.Channel = 11;
	record.ExtendedData = &item;
	record.ExtendedDataCount = 1;
}

/* Every name that TdhGetEventInformation() returns is found. */
static void names_work(const char *name, size_t len, const char *what)
{
	unsigned char bytes[4];
	TRACE_EVENT_INFO *info;
	EVENT_PROPERTY_INFO *p;
	ULONG error;

	named_record(name, len);
	info = event_info(&record, &error);
	if (!ok(info && info->PropertyCount == 2, "%s: a count and an array", what))
		return;
	p = info->EventPropertyInfoArray;
	is(get(TEI_PROPERTY_NAME(info, &p[0]), ALL, NULL, 0, bytes, sizeof(bytes)), 2,
	   "the count by its name");
	is(bytes[0], 2, "is this");
	is(get(TEI_PROPERTY_NAME(info, &p[1]), ALL, NULL, 0, bytes, sizeof(bytes)), 2,
	   "the array by its name");
	is(bytes[1], 6, "is that");
	free(info);
}

/* Names may be long and may contain anything except NUL. */
static void test_odd_names(void)
{
	EVENT_RECORD saved = record;
	char name[3000];
	unsigned int i;

	names_work("Plain", 5, "plain");
	names_work("", 0, "empty");
	names_work(".Count", 6, "like a count");
	names_work("\xff" "a\xc3", 3, "no UTF-8");
	names_work("a\xf0\x9f\x98\x80", 5, "beyond 16 bits");
	for (i = 0; i + 1 < sizeof(name); i += 2)
		memcpy(name + i, "\xc3\xa4", 2);
	names_work(name, 254, "254 bytes");
	names_work(name, 256, "256 bytes");
	name[0] = 'a';
	memmove(name + 1, "\xc3\xa4", 2);
	for (i = 3; i + 1 < sizeof(name); i += 2)
		memcpy(name + i, "\xc3\xa4", 2);
	names_work(name, 257, "a character over the 256th byte");
	names_work(name, 2999, "2999 bytes");
	named_record("ab", 2);
	is(GET("a", ALL, name), -ERROR_NOT_FOUND, "the front of a name");
	is(GET("abc", ALL, name), -ERROR_NOT_FOUND, "more than a name");
	is(GET("ab.Coun", ALL, name), -ERROR_NOT_FOUND, "the front of a count's");
	record = saved;
}

static EVENT_MAP_INFO *map_info(PWSTR name, ULONG *error)
{
	EVENT_MAP_INFO *map;
	ULONG size = 0;

	*error = TdhGetEventMapInformation(&record, name, NULL, &size);
	if (*error != ERROR_INSUFFICIENT_BUFFER)
		return NULL;
	map = malloc(size);
	*error = TdhGetEventMapInformation(&record, name, map, &size);
	return map;
}

static void test_maps(void)
{
	EVENT_MAP_INFO *map;
	ULONG error, size = 0;

	map = map_info(W("Colors"), &error);
	if (ok(map && !error, "a value map")) {
		is(map->Flag, EVENTMAP_INFO_FLAG_MANIFEST_VALUEMAP, "is one");
		is(map->EntryCount, 2, "two entries");
		is(map->MapEntryValueType, EVENTMAP_ENTRY_VALUETYPE_ULONG, "of numbers");
		is(map->MapEntryArray[0].Value, 1, "the first value");
		ok(same16(EMI_MAP_NAME(map), "Colors"), "its name");
		ok(same16(EMI_MAP_OUTPUT(map, &map->MapEntryArray[0]), "Red "),
		   "its name ends with a blank");
		is(EMI_MAP_OUTPUT(map, &map->MapEntryArray[1])[2], 0xfc, "beyond ASCII");
	}
	free(map);
	map = map_info(W("Bits"), &error);
	if (ok(map && !error, "a bit map")) {
		is(map->Flag, EVENTMAP_INFO_FLAG_MANIFEST_BITMAP, "is one");
		is(map->MapEntryArray[1].Value, 4, "the second bit");
	}
	free(map);
	map = map_info(W("Sites"), &error);
	if (ok(map && !error, "a pattern map")) {
		is(map->Flag, EVENTMAP_INFO_FLAG_MANIFEST_PATTERNMAP, "is one");
		ok(same16(EMI_MAP_FORMAT(map), "winrxv1"), "its format");
		ok(same16(EMI_MAP_INPUT(map, &map->MapEntryArray[0]), "/(.*)/"), "the pattern");
		ok(same16(EMI_MAP_OUTPUT(map, &map->MapEntryArray[0]), "/www.${1}.com/ "),
		   "the replacement");
		ok(same16(EMI_MAP_OUTPUT(map, &map->MapEntryArray[1]), " "), "even with nothing");
	}
	free(map);
	is(TdhGetEventMapInformation(&record, W("colors"), NULL, &size), ERROR_NOT_FOUND,
	   "no such map");
	is(TdhGetEventMapInformation(NULL, W("Colors"), NULL, &size), ERROR_INVALID_PARAMETER,
	   "no event");
	is(TdhGetEventMapInformation(&record, NULL, NULL, &size), ERROR_INVALID_PARAMETER,
	   "no name");
	is(TdhGetEventMapInformation(&record, W("Colors"), NULL, NULL), ERROR_INVALID_PARAMETER,
	   "no size");
}

int main(void)
{
	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	is(load_test_manifest(), 0, "the manifest is good");
	record = big_record();
	test_top();
	test_members();
	test_pointer();
	test_short();
	test_arguments();
	test_counts();
	test_odd_names();
	test_maps();
	return done_testing();
}
