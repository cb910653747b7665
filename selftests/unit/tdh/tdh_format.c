// SPDX-License-Identifier: GPL-2.0-only
/* TdhFormatProperty(): every type, maps, lengths, bytes consumed, errors */
#include <stdio.h>

#include "tdh_test.h"
#include "lib/tap.h"

static TRACE_EVENT_INFO any;

/* The text of a value in UTF-8 and the bytes consumed, or the error as text. */
static const char *format(EVENT_MAP_INFO *map, USHORT in, USHORT out, USHORT length,
			  const void *data, USHORT size, USHORT *consumed)
{
	static char text[512];
	WCHAR wide[256];
	ULONG room = sizeof(wide), room8 = sizeof(text), ret, i;
	USHORT again = 0;

	*consumed = 0xffff;
	ret = TdhFormatProperty(&any, map, 8, in, out, length, size,
				(PBYTE)(uintptr_t)data, &room, wide, consumed);
	if (ret) {
		snprintf(text, sizeof(text), "error %u", ret);
		return text;
	}
	ret = TdhFormatPropertyA(&any, map, 8, in, out, length, size,
				 (PBYTE)(uintptr_t)data, &room8, text, &again);
	ok(!ret && again == *consumed && room8 == strlen(text) + 1 && room % 2 == 0,
	   "both encodings agree on \"%s\"", text);
	for (i = 0; wide[i] && wide[i] < 0x80 && wide[i] == (unsigned char)text[i]; i++)
		;
	ok(wide[i] >= 0x80 || wide[i] == (unsigned char)text[i], "and on the text");
	return text;
}

static void value(USHORT in, USHORT out, USHORT length, const void *data, USHORT size,
		  USHORT takes, const char *want, const char *name)
{
	USHORT consumed;
	const char *got = format(NULL, in, out, length, data, size, &consumed);

	if (!ok(!strcmp(got, want), "%s: %s", name, want))
		printf("# got %s\n", got);
	if (strncmp(want, "error", 5))
		is(consumed, takes, "the bytes consumed");
}

#define VALUE(in, out, data, takes, want)				\
	value(TDH_INTYPE_##in, TDH_OUTTYPE_##out, 0, data, sizeof(data) - 1, takes, want, \
	      #in " " #out)
#define SIZED(in, out, length, data, takes, want)			\
	value(TDH_INTYPE_##in, TDH_OUTTYPE_##out, length, data, sizeof(data) - 1, takes, want, \
	      #in " " #out " " #length)

/* B210: more of the payload may follow; the bytes consumed give the next position. */
static void test_numbers(void)
{
	VALUE(INT8, NULL, "\xfe*", 1, "-2");
	VALUE(INT8, STRING, "A*", 1, "A");
	VALUE(UINT8, NULL, "\xfe*", 1, "254");
	VALUE(UINT8, HEXINT8, "\xfe*", 1, "0xfe");
	VALUE(UINT8, BOOLEAN, "\1*", 1, "true");
	VALUE(INT16, NULL, "\xfe\xff*", 2, "-2");
	VALUE(UINT16, NULL, "\xfe\xff*", 2, "65534");
	VALUE(UINT16, HEXINT16, "\xfe\xff*", 2, "0xfffe");
	VALUE(UINT16, PORT, "\0\x50*", 2, "80");
	VALUE(INT32, NULL, "\xfe\xff\xff\xff*", 4, "-2");
	VALUE(UINT32, NULL, "\xfe\xff\xff\xff*", 4, "4294967294");
	VALUE(UINT32, HEXINT32, "\xfe\xff\xff\xff*", 4, "0xfffffffe");
	VALUE(UINT32, PID, "\x07\0\0\0*", 4, "7");
	VALUE(UINT32, TID, "\x07\0\0\0*", 4, "7");
	VALUE(UINT32, IPV4, "\x7f\0\0\1*", 4, "127.0.0.1");
	VALUE(INT64, NULL, "\xfe\xff\xff\xff\xff\xff\xff\xff*", 8, "-2");
	VALUE(UINT64, NULL, "\xfe\xff\xff\xff\xff\xff\xff\xff*", 8, "18446744073709551614");
	VALUE(UINT64, HEXINT64, "\xfe\xff\0\0\0\0\0\0*", 8, "0xfffe");
	VALUE(HEXINT32, NULL, "\x10\0\0\0*", 4, "0x10");
	VALUE(HEXINT64, NULL, "\x10\0\0\0\0\0\0\0*", 8, "0x10");
	VALUE(POINTER, NULL, "\x10\0\0\0\0\0\0\0*", 8, "0x10");
	VALUE(SIZET, NULL, "\x10\0\0\0\0\0\0\0*", 8, "0x10");
	VALUE(FLOAT, NULL, "\0\0\x20\x40*", 4, "2.5");
	VALUE(DOUBLE, NULL, "\0\0\0\0\0\0\x04\xc0*", 8, "-2.5");
	VALUE(BOOLEAN, NULL, "\0\1\0\0*", 4, "true");
	VALUE(BOOLEAN, NULL, "\0\0\0\0*", 4, "false");
}

static void test_others(void)
{
	static const char guid[] =
		"\x67\x45\x23\x01\xab\x89\xef\xcd\x01\x23\x45\x67\x89\xab\xcd\xef*";

	VALUE(FILETIME, NULL, "\0\x80\x3e\xd5\xde\xb1\x9d\1*", 8, "1970-01-01T00:00:00.0000000Z");
	VALUE(SYSTEMTIME, NULL, "\xea\7\1\0\6\0\x1f\0\x0c\0\x22\0\x38\0\x7b\0*", 16,
	      "2026-01-31T12:34:56.123");
	VALUE(SID, NULL, "\1\1\0\0\0\0\0\5\x12\0\0\0*", 12, "S-1-5-18");
	VALUE(UNICODECHAR, NULL, "A\0*", 2, "A");
	VALUE(ANSICHAR, NULL, "A*", 1, "A");
	VALUE(HEXDUMP, NULL, "\2\0\0\0\1\xff*", 6, "0x01ff");
	VALUE(MANIFEST_COUNTEDBINARY, NULL, "\2\0\1\xff*", 4, "0x01ff");
	SIZED(BINARY, NULL, 3, "\1\2\3*", 3, "0x010203");
	SIZED(BINARY, IPV6, 16, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1*", 16, "::1");
	VALUE(BINARY, IPV6, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1*", 16, "::1");
	SIZED(BINARY, SOCKETADDRESS, 16, "\2\0\0\x50\x7f\0\0\1\0\0\0\0\0\0\0\0*", 16,
	      "127.0.0.1:80");
	VALUE(GUID, NULL, guid, 16, "{01234567-89ab-cdef-0123-456789abcdef}");
}

static void test_strings(void)
{
	VALUE(UNICODESTRING, NULL, "h\0i\0\0\0*", 6, "hi");
	VALUE(UNICODESTRING, NULL, "h\0i\0", 4, "hi");
	SIZED(UNICODESTRING, NULL, 2, "h\0i\0j\0", 4, "hi");
	VALUE(ANSISTRING, NULL, "hi\0*", 3, "hi");
	VALUE(ANSISTRING, NULL, "hi", 2, "hi");
	SIZED(ANSISTRING, NULL, 2, "hij", 2, "hi");
	VALUE(ANSISTRING, UTF8, "h\xc3\xa4\0*", 4, "h\xc3\xa4");
	VALUE(ANSISTRING, NULL, "h\xe4\0*", 3, "h\xc3\xa4");
	VALUE(ANSISTRING, JSON, "{}\0*", 3, "{}");
	VALUE(MANIFEST_COUNTEDSTRING, NULL, "\4\0h\0i\0*", 6, "hi");
	VALUE(MANIFEST_COUNTEDANSISTRING, NULL, "\2\0hi*", 4, "hi");
	VALUE(COUNTEDSTRING, NULL, "\4\0h\0i\0*", 6, "hi");
	VALUE(COUNTEDANSISTRING, NULL, "\2\0hi*", 4, "hi");
	VALUE(REVERSEDCOUNTEDSTRING, NULL, "\0\4h\0i\0*", 6, "hi");
	VALUE(REVERSEDCOUNTEDANSISTRING, NULL, "\0\2hi*", 4, "hi");
	VALUE(NONNULLTERMINATEDSTRING, NULL, "h\0i\0", 4, "hi");
	VALUE(NONNULLTERMINATEDANSISTRING, NULL, "hi", 2, "hi");
	VALUE(UNICODESTRING, NULL, "\0\0*", 2, "");
	VALUE(MANIFEST_COUNTEDSTRING, NULL, "\0\0*", 2, "");
	SIZED(BINARY, NULL, 0, "*", 0, "");
}

/* B205: the last string of an event may lack its NUL, or be absent. */
static void test_last(void)
{
	VALUE(UNICODESTRING, NULL, "h\0i\0", 4, "hi");
	VALUE(ANSISTRING, NULL, "hi", 2, "hi");
	VALUE(UNICODESTRING, NULL, "", 0, "");
	VALUE(ANSISTRING, NULL, "", 0, "");
	VALUE(UNICODESTRING, XML, "", 0, "");
	VALUE(ANSISTRING, UTF8, "", 0, "");
	SIZED(UNICODESTRING, NULL, 1, "", 0, "error 15005");
	SIZED(ANSISTRING, NULL, 1, "", 0, "error 15005");
	VALUE(MANIFEST_COUNTEDSTRING, NULL, "", 0, "error 15005");
}

static void test_short(void)
{
	VALUE(UINT32, NULL, "\1\2\3", 0, "error 15005");
	VALUE(UINT32, NULL, "", 0, "error 15005");
	VALUE(MANIFEST_COUNTEDSTRING, NULL, "\4\0h\0", 0, "error 15005");
	VALUE(MANIFEST_COUNTEDSTRING, NULL, "\4", 0, "error 15005");
	SIZED(UNICODESTRING, NULL, 3, "h\0i\0", 0, "error 15005");
	SIZED(BINARY, NULL, 4, "123", 0, "error 15005");
	VALUE(SID, NULL, "\1\2\0\0\0\0\0\5\x12\0\0\0", 0, "error 15005");
	VALUE(GUID, NULL, "123", 0, "error 15005");
	VALUE(NULL, NULL, "123", 0, "error 87");
	value(24, 0, 0, "123", 3, 0, "error 87", "a structure");
	value(311, 0, 0, "123", 3, 0, "error 87", "no such type");
	value(0xffff, 0, 0, "123", 3, 0, "error 87", "no such type");
}

static EVENT_MAP_INFO *map_of(PWSTR name)
{
	EVENT_RECORD record = big_record();
	EVENT_MAP_INFO *map;
	ULONG size = 0;

	TdhGetEventMapInformation(&record, name, NULL, &size);
	map = malloc(size);
	TdhGetEventMapInformation(&record, name, map, &size);
	return map;
}

static void mapped(EVENT_MAP_INFO *map, ULONG number, const char *want)
{
	USHORT consumed;
	const char *got = format(map, TDH_INTYPE_UINT32, 0, 0, &number, sizeof(number), &consumed);

	if (!ok(!strcmp(got, want), "%u is %s", number, want))
		printf("# got %s\n", got);
}

/* B209: names of a value map match exactly, each bit of a bit map has its own. */
static void test_maps(void)
{
	EVENT_MAP_INFO *colors = map_of(W("Colors")), *bits = map_of(W("Bits"));
	EVENT_MAP_INFO *sites = map_of(W("Sites"));
	USHORT consumed;

	mapped(colors, 1, "Red");
	mapped(colors, 2, "Gr\xc3\xbcn");
	mapped(colors, 3, "error 15005");
	mapped(bits, 1, "One");
	mapped(bits, 5, "One|Four");
	mapped(bits, 7, "error 15005");
	mapped(bits, 0, "error 15005");
	mapped(NULL, 3, "3");
	ok(!strcmp(format(colors, TDH_INTYPE_UINT8, 0, 0, "\1", 1, &consumed), "Red"),
	   "of a byte");
	is(consumed, 1, "which is consumed");
	ok(!strcmp(format(sites, TDH_INTYPE_ANSISTRING, 0, 0, "x", 2, &consumed), "error 15005"),
	   "a pattern map has no names");
	free(colors);
	free(bits);
	free(sites);
}

/* A map by hand: its entries are names of one letter, from "A" */
static EVENT_MAP_INFO *make_map(MAP_FLAGS flag, const ULONG *values, ULONG count)
{
	const size_t texts = sizeof(EVENT_MAP_INFO) + count * sizeof(EVENT_MAP_ENTRY);
	EVENT_MAP_INFO *map = calloc(1, texts + count * 2 * sizeof(WCHAR));
	ULONG i, at;

	map->Flag = flag;
	map->EntryCount = count;
	for (i = 0; i < count; i++) {
		at = (ULONG)texts + i * 2 * sizeof(WCHAR);
		map->MapEntryArray[i].Value = values[i];
		map->MapEntryArray[i].OutputOffset = at;
		*(WCHAR *)((char *)map + at) = 'A' + i;
	}
	return map;
}

static void mapped_as(EVENT_MAP_INFO *map, USHORT in, uint64_t number, USHORT size,
		      const char *want, const char *name)
{
	USHORT consumed;
	const char *got = format(map, in, 0, 0, &number, size, &consumed);

	if (!ok(!strcmp(got, want), "%s: %s", name, want))
		printf("# got %s\n", got);
}

/* The kernel's names are for fields of 8 bytes, too, and for several bits at once. */
static void test_wide_maps(void)
{
	static const ULONG values[] = { 0xFFFFFFFE, 2, 0 }, bits[] = { 0xC40, 0x40, 0x1, 0x0 };
	EVENT_MAP_INFO *map = make_map(EVENTMAP_INFO_FLAG_MANIFEST_VALUEMAP, values, 3);
	EVENT_MAP_INFO *groups = make_map(EVENTMAP_INFO_FLAG_MANIFEST_BITMAP, bits, 4);

	mapped_as(map, TDH_INTYPE_INT64, (uint64_t)-2, 8, "A", "below 0");
	mapped_as(map, TDH_INTYPE_INT64, 2, 8, "B", "8 bytes");
	mapped_as(map, TDH_INTYPE_UINT64, 0xFFFFFFFE, 8, "A", "without a sign");
	mapped_as(map, TDH_INTYPE_UINT64, (uint64_t)-2, 8, "error 15005", "more than 32 bits");
	mapped_as(map, TDH_INTYPE_UINT64, 0x100000002, 8, "error 15005", "a lower half");
	mapped_as(groups, TDH_INTYPE_UINT64, 0xC41, 8, "A|C", "a group of bits");
	mapped_as(groups, TDH_INTYPE_UINT32, 0x41, 4, "C|B", "some of its bits");
	mapped_as(groups, TDH_INTYPE_HEXINT64, 0, 8, "D", "none");
	mapped_as(groups, TDH_INTYPE_UINT64, 0x100000001, 8, "error 15005", "a bit above");
	free(map);
	free(groups);
}

static void test_buffers(void)
{
	ULONG number = 12345, size = 0, i, touched = 0;
	unsigned char wide[16];
	USHORT consumed = 0;

	is(TdhFormatProperty(&any, NULL, 8, TDH_INTYPE_UINT32, 0, 0, 4, (PBYTE)&number, &size, NULL,
			     &consumed), ERROR_INSUFFICIENT_BUFFER, "no buffer");
	is(size, 12, "bytes, the NUL included");
	is(consumed, 4, "the required size is returned");
	memset(wide, 0x5a, sizeof(wide));
	size = 11;
	is(TdhFormatProperty(&any, NULL, 8, TDH_INTYPE_UINT32, 0, 0, 4, (PBYTE)&number, &size,
			     (PWCHAR)(void *)wide, &consumed), ERROR_INSUFFICIENT_BUFFER,
	   "one byte too few");
	for (i = 0; i < sizeof(wide); i++)
		touched += wide[i] != 0x5a;
	is(touched, 0, "nothing was written");
	is(size, 12, "the required size is returned again");
	is(TdhFormatProperty(&any, NULL, 8, TDH_INTYPE_UINT32, 0, 0, 4, (PBYTE)&number, &size,
			     (PWCHAR)(void *)wide, &consumed), 0, "enough");
	size = 5;
	is(TdhFormatPropertyA(&any, NULL, 8, TDH_INTYPE_UINT32, 0, 0, 4, (PBYTE)&number, &size,
			      (PCHAR)wide, &consumed), ERROR_INSUFFICIENT_BUFFER, "in UTF-8");
	is(size, 6, "bytes");
}

static void test_arguments(void)
{
	ULONG number = 1, size = 64;
	USHORT consumed;
	WCHAR text[32];

	is(TdhFormatProperty(NULL, NULL, 8, 8, 0, 0, 4, (PBYTE)&number, &size, text, &consumed),
	   ERROR_INVALID_PARAMETER, "no schema");
	is(TdhFormatProperty(&any, NULL, 7, 8, 0, 0, 4, (PBYTE)&number, &size, text, &consumed),
	   ERROR_INVALID_PARAMETER, "a pointer of 7 bytes");
	is(TdhFormatProperty(&any, NULL, 8, 8, 0, 0, 4, NULL, &size, text, &consumed),
	   ERROR_INVALID_PARAMETER, "no data");
	is(TdhFormatProperty(&any, NULL, 8, 8, 0, 0, 4, (PBYTE)&number, NULL, text, &consumed),
	   ERROR_INVALID_PARAMETER, "no size");
	is(TdhFormatProperty(&any, NULL, 8, 8, 0, 0, 4, (PBYTE)&number, &size, NULL, &consumed),
	   ERROR_INVALID_PARAMETER, "no buffer");
	is(TdhFormatProperty(&any, NULL, 8, 8, 0, 0, 4, (PBYTE)&number, &size, text, NULL),
	   ERROR_INVALID_PARAMETER, "no pointer for the bytes consumed");
	is(TdhFormatProperty(&any, NULL, 4, TDH_INTYPE_POINTER, 0, 0, 4, (PBYTE)&number, &size,
			     text, &consumed), 0, "a pointer of 4 bytes");
	is(consumed, 4, "consumes these");
}

/* Lone surrogates pass unchanged. */
static void test_odd_text(void)
{
	static const unsigned char data[] = { 0x00, 0xd8, 'a', 0 };
	ULONG size = 64;
	USHORT consumed;
	WCHAR text[32];

	is(TdhFormatProperty(&any, NULL, 8, TDH_INTYPE_UNICODESTRING, 0, 0, sizeof(data),
			     (PBYTE)(uintptr_t)data, &size, text, &consumed), 0, "odd UTF-16");
	ok(text[0] == 0xd800 && text[1] == 'a' && !text[2], "is not changed");
}

int main(void)
{
	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	is(load_test_manifest(), 0, "the manifest is good");
	test_numbers();
	test_others();
	test_strings();
	test_last();
	test_short();
	test_maps();
	test_wide_maps();
	test_buffers();
	test_arguments();
	test_odd_text();
	return done_testing();
}
