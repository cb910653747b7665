/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tl_fields.h - every field macro of TraceLogging, with its expected bytes
 *
 * The bytes were derived by hand from the wire format: FIELD(macro, metadata after the
 * name "f", payload), in hexadecimal.  Arguments whose names start with an underscore
 * belong to the caller.
 */
#ifndef TL_FIELDS_H
#define TL_FIELDS_H

#include <etw/winsec.h>
#include "tl_bytes.h"

/* The event's name is "e": 00 65 00, then the field "f": 66 00. */
#define FIELD(field, type, payload)						\
	do {									\
		tl_forget();							\
		TraceLoggingWrite(tl_provider, "e", field);			\
		ok(tl_is("00 6500 6600" type, payload), "%s", #field);		\
	} while (0)

static void tl_integers(void)
{
	INT8 i8 = -8;
	UINT8 u8 = 0xF8;
	INT16 i16 = -16;
	UINT16 u16 = 0xFFF0;
	INT32 i32 = -32;
	UINT32 u32 = 0xFFFFFFE0;
	INT64 i64 = -64;
	UINT64 u64 = 0x0123456789ABCDEF;
	INT_PTR ip = -2;
	UINT_PTR up = 3;

	FIELD(TraceLoggingInt8(i8, "f"), "03", "f8");
	FIELD(TraceLoggingUInt8(u8, "f"), "04", "f8");
	FIELD(TraceLoggingInt16(i16, "f"), "05", "f0ff");
	FIELD(TraceLoggingUInt16(u16, "f"), "06", "f0ff");
	FIELD(TraceLoggingInt32(i32, "f"), "07", "e0ffffff");
	FIELD(TraceLoggingUInt32(u32, "f"), "08", "e0ffffff");
	FIELD(TraceLoggingInt64(i64, "f"), "09", "c0ffffffffffffff");
	FIELD(TraceLoggingUInt64(u64, "f"), "0a", "efcdab8967452301");
	FIELD(TraceLoggingIntPtr(ip, "f"), "09", "feffffffffffffff");
	FIELD(TraceLoggingUIntPtr(up, "f"), "0a", "0300000000000000");
	FIELD(TraceLoggingLong(i32, "f"), "07", "e0ffffff");
	FIELD(TraceLoggingULong(u32, "f"), "08", "e0ffffff");
	FIELD(TraceLoggingHexInt8(i8, "f"), "84 04", "f8");
	FIELD(TraceLoggingHexUInt8(u8, "f"), "84 04", "f8");
	FIELD(TraceLoggingHexInt16(i16, "f"), "86 04", "f0ff");
	FIELD(TraceLoggingHexUInt16(u16, "f"), "86 04", "f0ff");
	FIELD(TraceLoggingHexInt32(i32, "f"), "14", "e0ffffff");
	FIELD(TraceLoggingHexUInt32(u32, "f"), "14", "e0ffffff");
	FIELD(TraceLoggingHexInt64(i64, "f"), "15", "c0ffffffffffffff");
	FIELD(TraceLoggingHexUInt64(u64, "f"), "15", "efcdab8967452301");
	FIELD(TraceLoggingHexIntPtr(ip, "f"), "15", "feffffffffffffff");
	FIELD(TraceLoggingHexUIntPtr(up, "f"), "15", "0300000000000000");
	FIELD(TraceLoggingHexLong(i32, "f"), "14", "e0ffffff");
	FIELD(TraceLoggingHexULong(u32, "f"), "14", "e0ffffff");
	FIELD(TraceLoggingPid(u32, "f"), "88 05", "e0ffffff");
	FIELD(TraceLoggingTid(u32, "f"), "88 06", "e0ffffff");
	FIELD(TraceLoggingPort(u16, "f"), "86 07", "f0ff");
	FIELD(TraceLoggingIPv4Address(0x0100007F, "f"), "88 08", "7f000001");
	FIELD(TraceLoggingWinError(5, "f"), "88 0d", "05000000");
	FIELD(TraceLoggingNTStatus((NTSTATUS)0xC000000D, "f"), "88 0e", "0d0000c0");
	FIELD(TraceLoggingHResult((HRESULT)0x80070005, "f"), "87 0f", "05000780");
}

static const GUID tl_guid = { 0x8C73E5F1, 0xD48C, 0x5CD7,
			      { 0x6E, 0xED, 0x84, 0xFB, 0xCE, 0x74, 0, 0xF } };
static const FILETIME tl_filetime = { 0x11223344, 0x55667788 };
static const SYSTEMTIME tl_systemtime = { 2024, 2, 4, 29, 23, 58, 59, 999 };
#define GUID_HEX	"f1e5738c8cd4d75c6eed84fbce74000f"
#define FILETIME_HEX	"4433221188776655"
#define SYSTEMTIME_HEX	"e807020004001d0017003a003b00e703"

static void tl_values(void)
{
	const void *p = (const void *)(ULONG_PTR)0x1122334455667788;

	FIELD(TraceLoggingFloat32(3.2f, "f"), "0b", "cdcc4c40");
	FIELD(TraceLoggingFloat64(-2.5, "f"), "0c", "00000000000004c0");
	FIELD(TraceLoggingBoolean(TRUE, "f"), "84 03", "01");
	FIELD(TraceLoggingBool(FALSE, "f"), "0d", "00000000");
	FIELD(TraceLoggingChar('d', "f"), "84 02", "64");
	FIELD(TraceLoggingChar16(u'\u20ac', "f"), "86 02", "ac20");
	FIELD(TraceLoggingWChar('d', "f"), "86 02", "6400");
	FIELD(TraceLoggingPointer(p, "f"), "15", "8877665544332211");
	FIELD(TraceLoggingCodePointer(p, "f"), "95 25", "8877665544332211");
	FIELD(TraceLoggingFileTime(tl_filetime, "f"), "11", FILETIME_HEX);
	FIELD(TraceLoggingFileTimeUtc(tl_filetime, "f"), "91 26", FILETIME_HEX);
	FIELD(TraceLoggingSystemTime(tl_systemtime, "f"), "12", SYSTEMTIME_HEX);
	FIELD(TraceLoggingSystemTimeUtc(tl_systemtime, "f"), "92 26", SYSTEMTIME_HEX);
	FIELD(TraceLoggingGuid(tl_guid, "f"), "0f", GUID_HEX);
}

/* Array: 0x40 in the type, count in the payload; FixedArray: 0x20, count in the metadata */
#define ARRAYS(macro, values, in, out, payload)					\
	do {									\
		FIELD(macro##Array(values, two, "f"), "c" in out, "0200" payload);	\
		FIELD(macro##FixedArray(values, 2, "f"), "a" in out "0200", payload);	\
	} while (0)
/* The same without an out-type */
#define PLAIN_ARRAYS(macro, values, in0, in, payload)				\
	do {									\
		FIELD(macro##Array(values, two, "f"), in0, "0200" payload);	\
		FIELD(macro##FixedArray(values, 2, "f"), in "0200", payload);	\
	} while (0)

static int two = 2;

static void tl_integer_arrays(void)
{
	static const INT8 i8[] = { 1, -1 };
	static const UINT8 u8[] = { 1, 255 };
	static const INT16 i16[] = { 1, -1 };
	static const UINT16 u16[] = { 1, 0xFFFF };
	static const INT32 i32[] = { 1, -1 };
	static const UINT32 u32[] = { 1, ~0u };
	static const LONG64 i64[] = { 1, -1 };
	static const UINT64 u64[] = { 1, ~0ULL };
	static const INT_PTR ip[] = { 1, -1 };
	static const UINT_PTR up[] = { 1, ~0UL };
#define B1	"01ff"
#define B2	"0100ffff"
#define B4	"01000000ffffffff"
#define B8	"0100000000000000ffffffffffffffff"

	PLAIN_ARRAYS(TraceLoggingInt8, i8, "43", "23", B1);
	PLAIN_ARRAYS(TraceLoggingUInt8, u8, "44", "24", B1);
	PLAIN_ARRAYS(TraceLoggingInt16, i16, "45", "25", B2);
	PLAIN_ARRAYS(TraceLoggingUInt16, u16, "46", "26", B2);
	PLAIN_ARRAYS(TraceLoggingInt32, i32, "47", "27", B4);
	PLAIN_ARRAYS(TraceLoggingUInt32, u32, "48", "28", B4);
	PLAIN_ARRAYS(TraceLoggingInt64, i64, "49", "29", B8);
	PLAIN_ARRAYS(TraceLoggingUInt64, u64, "4a", "2a", B8);
	PLAIN_ARRAYS(TraceLoggingIntPtr, ip, "49", "29", B8);
	PLAIN_ARRAYS(TraceLoggingUIntPtr, up, "4a", "2a", B8);
	PLAIN_ARRAYS(TraceLoggingLong, i32, "47", "27", B4);
	PLAIN_ARRAYS(TraceLoggingULong, u32, "48", "28", B4);
	ARRAYS(TraceLoggingHexInt8, i8, "4", "04", B1);
	ARRAYS(TraceLoggingHexUInt8, u8, "4", "04", B1);
	ARRAYS(TraceLoggingHexInt16, i16, "6", "04", B2);
	ARRAYS(TraceLoggingHexUInt16, u16, "6", "04", B2);
	PLAIN_ARRAYS(TraceLoggingHexInt32, i32, "54", "34", B4);
	PLAIN_ARRAYS(TraceLoggingHexUInt32, u32, "54", "34", B4);
	PLAIN_ARRAYS(TraceLoggingHexInt64, i64, "55", "35", B8);
	PLAIN_ARRAYS(TraceLoggingHexUInt64, u64, "55", "35", B8);
	PLAIN_ARRAYS(TraceLoggingHexIntPtr, ip, "55", "35", B8);
	PLAIN_ARRAYS(TraceLoggingHexUIntPtr, up, "55", "35", B8);
	PLAIN_ARRAYS(TraceLoggingHexLong, i32, "54", "34", B4);
	PLAIN_ARRAYS(TraceLoggingHexULong, u32, "54", "34", B4);
	FIELD(TraceLoggingInt32Array((const INT32 *)NULL, 0, "f"), "47", "0000");
}

static void tl_value_arrays(void)
{
	static const float f32[] = { 3.2f, -1 };
	static const double f64[] = { -2.5, 1 };
	static const BOOLEAN b8[] = { 1, 0 };
	static const BOOL b32[] = { 1, 0 };
	static const char c[] = { 'a', 'b' };
	static const char16_t c16[] = { u'a', u'b' };
	static const WCHAR w[] = { 'a', 'b' };
	static const void *const p[] = { NULL, (const void *)1 };
	static const FILETIME ft[] = { { 1, 2 }, { 3, 4 } };
	static const SYSTEMTIME st[] = { { 1, 2, 3, 4, 5, 6, 7, 8 }, { 1, 2, 3, 4, 5, 6, 7, 8 } };
	static const GUID id[] = { { 1, 2, 3, { 4 } }, { 1, 2, 3, { 4 } } };
#define P2	"00000000000000000100000000000000"
#define FT2	"01000000020000000300000004000000"
#define ST1	"01000200030004000500060007000800"
#define ID1	"01000000020003000400000000000000"

	PLAIN_ARRAYS(TraceLoggingFloat32, f32, "4b", "2b", "cdcc4c40 000080bf");
	PLAIN_ARRAYS(TraceLoggingFloat64, f64, "4c", "2c", "00000000000004c0 000000000000f03f");
	ARRAYS(TraceLoggingBoolean, b8, "4", "03", "0100");
	PLAIN_ARRAYS(TraceLoggingBool, b32, "4d", "2d", "0100000000000000");
	ARRAYS(TraceLoggingChar, c, "4", "02", "6162");
	ARRAYS(TraceLoggingChar16, c16, "6", "02", "61006200");
	ARRAYS(TraceLoggingWChar, w, "6", "02", "61006200");
	PLAIN_ARRAYS(TraceLoggingPointer, p, "55", "35", P2);
	FIELD(TraceLoggingCodePointerArray(p, two, "f"), "d5 25", "0200" P2);
	FIELD(TraceLoggingCodePointerFixedArray(p, 2, "f"), "b5 25 0200", P2);
	PLAIN_ARRAYS(TraceLoggingFileTime, ft, "51", "31", FT2);
	FIELD(TraceLoggingFileTimeUtcArray(ft, two, "f"), "d1 26", "0200" FT2);
	FIELD(TraceLoggingFileTimeUtcFixedArray(ft, 2, "f"), "b1 26 0200", FT2);
	PLAIN_ARRAYS(TraceLoggingSystemTime, st, "52", "32", ST1 ST1);
	FIELD(TraceLoggingSystemTimeUtcArray(st, two, "f"), "d2 26", "0200" ST1 ST1);
	FIELD(TraceLoggingSystemTimeUtcFixedArray(st, 2, "f"), "b2 26 0200", ST1 ST1);
	PLAIN_ARRAYS(TraceLoggingGuid, id, "4f", "2f", ID1 ID1);
}

struct tl_ansi { USHORT Length, MaximumLength; char *Buffer; };
struct tl_unicode { USHORT Length, MaximumLength; WCHAR *Buffer; };
struct tl_blob { const void *Buffer; SIZE_T Length; };

static void tl_strings(void)
{
	static char text[] = "abc";
	static WCHAR wide[] = { 'a', 0x20AC, 0 };
	static const char16_t c16[] = { u'x', u'y', 0 };
	struct tl_ansi ansi = { 2, 4, text };
	struct tl_unicode unicode = { 4, 6, wide };
	const char *none = NULL;
	const WCHAR *wide_none = NULL;
	const char16_t *none16 = NULL;

	FIELD(TraceLoggingString(text, "f"), "02", "61626300");
	FIELD(TraceLoggingString(none, "f"), "02", "00");
	FIELD(TraceLoggingUtf8String("\xe2\x82\xac", "f"), "82 23", "e282ac00");
	FIELD(TraceLoggingUtf8String(none, "f"), "82 23", "00");
	FIELD(TraceLoggingString16(c16, "f"), "01", "780079000000");
	FIELD(TraceLoggingString16(none16, "f"), "01", "0000");
	FIELD(TraceLoggingWideString(wide, "f"), "01", "6100ac200000");
	FIELD(TraceLoggingWideString(wide_none, "f"), "01", "0000");
	FIELD(TraceLoggingCountedString(text, 2, "f"), "17", "0200 6162");
	FIELD(TraceLoggingCountedString(none, 0, "f"), "17", "0000");
	FIELD(TraceLoggingCountedUtf8String(text, 3, "f"), "97 23", "0300 616263");
	FIELD(TraceLoggingCountedString16(c16, 2, "f"), "16", "0400 78007900");
	FIELD(TraceLoggingCountedWideString(wide, 1, "f"), "16", "0200 6100");
	FIELD(TraceLoggingAnsiString(&ansi, "f"), "17", "0200 6162");
	FIELD(TraceLoggingUnicodeString(&unicode, "f"), "16", "0400 6100ac20");
}

static void tl_binaries(void)
{
	static const unsigned char bytes[] = {
		0x30, 0x31, 0x32, 0x33, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const unsigned char sid[] = {
		1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 33, 2, 0, 0, 99 };
	struct tl_blob blob = { bytes, 3 };

	FIELD(TraceLoggingBinary(bytes, 4, "f"), "0e", "0400 30313233");
	FIELD(TraceLoggingBinary(NULL, 0, "f"), "0e", "0000");
	FIELD(TraceLoggingBinaryEx(bytes, 2, TlgOutPKCS7_WITH_TYPE_INFO, "f"), "8e 24",
	      "0200 3031");
	FIELD(TraceLoggingBinaryBuffer(&blob, struct tl_blob, "f"), "0e", "0300 303132");
	FIELD(TraceLoggingBinaryBufferEx(&blob, struct tl_blob, TlgOutIPV6, "f"), "8e 09",
	      "0300 303132");
	FIELD(TraceLoggingSocketAddress(bytes, 6, "f"), "8e 0a", "0600 303132330405");
	FIELD(TraceLoggingIPv6Address(bytes, "f"), "8e 09",
	      "1000 303132330405060708090a0b0c0d0e0f");
	FIELD(TraceLoggingSid(sid, "f"), "13", "01020000000000052000000021020000");
	FIELD(TraceLoggingPackedField(bytes, 2, TlgInINT16, "f"), "05", "3031");
	FIELD(TraceLoggingPackedFieldEx(bytes, 2, TlgInUINT16, TlgOutPORT, "f"), "86 07", "3031");
	FIELD(TraceLoggingPackedMetadata(TlgInINT8 | TlgInVcount, "f"), "43", "");
	FIELD(TraceLoggingPackedMetadataEx(TlgInUINT8, TlgOutHEX, "f"), "84 04", "");
	FIELD(TraceLoggingCustom(bytes, 3, 5, (0x12, 0x23, 0x34), 3, "f"), "65 0300 122334",
	      "0300 303132");
	FIELD(TraceLoggingCustom(bytes, 1, 24, (7), 1, "f"), "78 0100 07", "0100 30");
	FIELD(TraceLoggingCustom(bytes, 1, 31, (7), 1, "f"), "7f 0100 07", "0100 30");
}

static void tl_any(void)
{
	static const char *const text = "abc";
	static char change[] = "ab";
	static const char16_t *const c16 = u"x";
	const char *none = NULL;
	const int *pointer = (const int *)(ULONG_PTR)0x10;
	const PSID psid = (PSID)(ULONG_PTR)0x10;
	static SID sid = { 1, 1, { { 0, 0, 0, 0, 0, 5 } }, { 18 } };
	const SID *same = &sid;
	enum { TL_RED = 7 } colour = TL_RED;

	FIELD(TraceLoggingValue((INT8)-1, "f"), "03", "ff");
	FIELD(TraceLoggingValue((UINT8)1, "f"), "04", "01");
	FIELD(TraceLoggingValue((INT16)-1, "f"), "05", "ffff");
	FIELD(TraceLoggingValue((UINT16)1, "f"), "06", "0100");
	FIELD(TraceLoggingValue(-1, "f"), "07", "ffffffff");
	FIELD(TraceLoggingValue(1u, "f"), "08", "01000000");
	FIELD(TraceLoggingValue(-1L, "f"), "09", "ffffffffffffffff");
	FIELD(TraceLoggingValue(1UL, "f"), "0a", "0100000000000000");
	FIELD(TraceLoggingValue(-1LL, "f"), "09", "ffffffffffffffff");
	FIELD(TraceLoggingValue(1ULL, "f"), "0a", "0100000000000000");
	FIELD(TraceLoggingValue(3.2f, "f"), "0b", "cdcc4c40");
	FIELD(TraceLoggingValue(-2.5, "f"), "0c", "00000000000004c0");
	FIELD(TraceLoggingValue((char)'d', "f"), "84 02", "64");
	FIELD(TraceLoggingValue(tl_guid, "f"), "0f", GUID_HEX);
	FIELD(TraceLoggingValue(tl_filetime, "f"), "11", FILETIME_HEX);
	FIELD(TraceLoggingValue(tl_systemtime, "f"), "12", SYSTEMTIME_HEX);
	FIELD(TraceLoggingValue(text, "f"), "02", "61626300");
	FIELD(TraceLoggingValue(change, "f"), "02", "616200");
	FIELD(TraceLoggingValue("lit", "f"), "02", "6c697400");
	FIELD(TraceLoggingValue(none, "f"), "02", "00");
	FIELD(TraceLoggingValue(c16, "f"), "01", "78000000");
	FIELD(TraceLoggingValue(pointer, "f"), "15", "1000000000000000");
	FIELD(TraceLoggingValue(colour, "f"), "08", "07000000");
	FIELD(TraceLoggingValue(&sid, "f"), "13", "010100000000000512000000");
	FIELD(TraceLoggingValue(same, "f"), "13", "010100000000000512000000");
	FIELD(TraceLoggingValue(psid, "f"), "15", "1000000000000000");
#ifdef __cplusplus
	FIELD(TraceLoggingValue(true, "f"), "84 03", "01");
	FIELD(TraceLoggingValue(u'a', "f"), "86 02", "6100");
#else
	FIELD(TraceLoggingValue((_Bool)1, "f"), "84 03", "01");
#endif
#if __SIZEOF_WCHAR_T__ == 2
	FIELD(TraceLoggingValue(L"wide", "f"), "01", "77006900640065000000");
#endif
}

static void tl_fields(void)
{
	tl_integers();
	tl_values();
	tl_integer_arrays();
	tl_value_arrays();
	tl_strings();
	tl_binaries();
	tl_any();
}

#endif /* TL_FIELDS_H */
