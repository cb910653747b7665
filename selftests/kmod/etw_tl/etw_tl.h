/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * etw_tl.h - events with every field type of TraceLogging, for a program and a module
 *
 * Both include TraceLoggingProvider.h first, define tl_provider with their own GUID and
 * TL_TRAITS, and call tl_write_all(). tl_expected[] has each event's expected bytes,
 * derived by hand from the wire format: the metadata without its size, and the payload,
 * in hexadecimal.
 */
#ifndef ETW_TL_LIST_H
#define ETW_TL_LIST_H

#define TL_PROGRAM_GUID	(0x7e577e57, 0x0001, 0x4c54, 0x80, 1, 2, 3, 4, 5, 6, 7)
#define TL_MODULE_GUID	(0x7e577e57, 0x0002, 0x4c54, 0x80, 1, 2, 3, 4, 5, 6, 7)
#define TL_TRAITS	TraceLoggingOptionTrait(200, "abc")
#define TL_NAME		"Tl-Test"
/* size, name, a trait of type 200 with three bytes */
#define TL_TRAITS_HEX	"1000 546c2d5465737400 0600 c8 616263"
#define TL_LEVEL	4
#define TL_KEYWORD	0x11

#ifdef __KERNEL__
#define TL_GUID		struct etw_guid
#define TL_FILETIME	struct tl_filetime
#define TL_SYSTEMTIME	struct tl_systemtime
struct tl_filetime { __u32 low, high; };
struct tl_systemtime { __u16 year, month, of_week, day, hour, minute, second, ms; };
#else
#define TL_GUID		GUID
#define TL_FILETIME	FILETIME
#define TL_SYSTEMTIME	SYSTEMTIME
#endif

struct tl_text { __u16 Length, MaximumLength; const char *Buffer; };
struct tl_wide { __u16 Length, MaximumLength; const etw_tl_wchar *Buffer; };

static const TL_GUID tl_id[2] = { { 1, 2, 3, { 4 } }, { 1, 2, 3, { 4 } } };
static const TL_FILETIME tl_ft[2] = { { 1, 2 }, { 3, 4 } };
static const TL_SYSTEMTIME tl_st[2] = { { 1, 2, 3, 4, 5, 6, 7, 8 }, { 1, 2, 3, 4, 5, 6, 7, 8 } };
static const __s8 tl_s8[2] = { 1, -1 };
static const __u8 tl_u8[2] = { 1, 255 };
static const __s16 tl_s16[2] = { 1, -1 };
static const __u16 tl_u16[2] = { 1, 65535 };
static const __s32 tl_s32[2] = { 1, -1 };
static const __u32 tl_u32[2] = { 1, ~0u };
static const __s64 tl_s64[2] = { 1, -1 };
static const __u64 tl_u64[2] = { 1, ~0ull };
static const long tl_sp[2] = { 1, -1 };
static const unsigned long tl_up[2] = { 1, ~0ul };
static const float tl_f32[2] = { 3.2f, -1 };
static const double tl_f64[2] = { -2.5, 1 };
static const void *const tl_p[2] = { (const void *)1, (const void *)~0ul };
static const char tl_c[4] = "abc";
static const etw_tl_char16 tl_c16[3] = { 'a', 0x20ac, 0 };
static const etw_tl_wchar tl_w[3] = { 'a', 0x20ac, 0 };
static const struct tl_text tl_text = { 2, 4, tl_c };
static const struct tl_wide tl_wide = { 4, 6, tl_w };
static const __u8 tl_bytes[20] = { 1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 33, 2, 0, 0, 99 };
#define TL_BYTES_16	"01020000000000052000000021020000"

#define TL_1	"01ff"
#define TL_2	"0100ffff"
#define TL_4	"01000000ffffffff"
#define TL_8	"0100000000000000ffffffffffffffff"
#define TL_ID	"01000000020003000400000000000000"
#define TL_FT	"0100000002000000"
#define TL_ST	"01000200030004000500060007000800"
#define TL_F32	"cdcc4c40"
#define TL_F64	"00000000000004c0"

/* X(number, field, its type in the metadata, payload): one value, two, a variable number */
#define TL_THREE(X, n, name, values, one, some, two, first, both)		\
	X(n##0, TraceLogging##name(values[0], "f"), one, first)			\
	X(n##1, TraceLogging##name##Array(values, 2, "f"), some, "0200" both)	\
	X(n##2, TraceLogging##name##FixedArray(values, 2, "f"), two "0200", both)

#define TL_LIST_ARRAYS(X)							\
	TL_THREE(X, 1, Int8, tl_s8, "03", "43", "23", "01", TL_1)		\
	TL_THREE(X, 2, UInt8, tl_u8, "04", "44", "24", "01", TL_1)		\
	TL_THREE(X, 3, Int16, tl_s16, "05", "45", "25", "0100", TL_2)		\
	TL_THREE(X, 4, UInt16, tl_u16, "06", "46", "26", "0100", TL_2)		\
	TL_THREE(X, 5, Int32, tl_s32, "07", "47", "27", "01000000", TL_4)	\
	TL_THREE(X, 6, UInt32, tl_u32, "08", "48", "28", "01000000", TL_4)	\
	TL_THREE(X, 7, Int64, tl_s64, "09", "49", "29", "0100000000000000", TL_8)	\
	TL_THREE(X, 8, UInt64, tl_u64, "0a", "4a", "2a", "0100000000000000", TL_8)	\
	TL_THREE(X, 9, IntPtr, tl_sp, "09", "49", "29", "0100000000000000", TL_8)	\
	TL_THREE(X, 10, UIntPtr, tl_up, "0a", "4a", "2a", "0100000000000000", TL_8)	\
	TL_THREE(X, 11, Long, tl_s32, "07", "47", "27", "01000000", TL_4)	\
	TL_THREE(X, 12, ULong, tl_u32, "08", "48", "28", "01000000", TL_4)	\
	TL_THREE(X, 13, HexInt8, tl_s8, "8404", "c404", "a404", "01", TL_1)	\
	TL_THREE(X, 14, HexUInt8, tl_u8, "8404", "c404", "a404", "01", TL_1)	\
	TL_THREE(X, 15, HexInt16, tl_s16, "8604", "c604", "a604", "0100", TL_2)	\
	TL_THREE(X, 16, HexUInt16, tl_u16, "8604", "c604", "a604", "0100", TL_2)	\
	TL_THREE(X, 17, HexInt32, tl_s32, "14", "54", "34", "01000000", TL_4)	\
	TL_THREE(X, 18, HexUInt32, tl_u32, "14", "54", "34", "01000000", TL_4)	\
	TL_THREE(X, 19, HexInt64, tl_s64, "15", "55", "35", "0100000000000000", TL_8)	\
	TL_THREE(X, 20, HexUInt64, tl_u64, "15", "55", "35", "0100000000000000", TL_8)	\
	TL_THREE(X, 21, HexIntPtr, tl_sp, "15", "55", "35", "0100000000000000", TL_8)	\
	TL_THREE(X, 22, HexUIntPtr, tl_up, "15", "55", "35", "0100000000000000", TL_8)	\
	TL_THREE(X, 23, HexLong, tl_s32, "14", "54", "34", "01000000", TL_4)	\
	TL_THREE(X, 24, HexULong, tl_u32, "14", "54", "34", "01000000", TL_4)	\
	TL_THREE(X, 25, Float32, tl_f32, "0b", "4b", "2b", TL_F32, TL_F32 "000080bf")	\
	TL_THREE(X, 26, Float64, tl_f64, "0c", "4c", "2c", TL_F64, TL_F64 "000000000000f03f")	\
	TL_THREE(X, 27, Boolean, tl_u8, "8403", "c403", "a403", "01", TL_1)	\
	TL_THREE(X, 28, Bool, tl_s32, "0d", "4d", "2d", "01000000", TL_4)	\
	TL_THREE(X, 29, Char, tl_c, "8402", "c402", "a402", "61", "6162")	\
	TL_THREE(X, 30, Char16, tl_c16, "8602", "c602", "a602", "6100", "6100ac20")	\
	TL_THREE(X, 31, WChar, tl_w, "8602", "c602", "a602", "6100", "6100ac20")	\
	TL_THREE(X, 32, Pointer, tl_p, "15", "55", "35", "0100000000000000", TL_8)	\
	TL_THREE(X, 33, CodePointer, tl_p, "9525", "d525", "b525", "0100000000000000", TL_8)	\
	TL_THREE(X, 34, FileTime, tl_ft, "11", "51", "31", TL_FT, TL_FT "0300000004000000")	\
	TL_THREE(X, 35, FileTimeUtc, tl_ft, "9126", "d126", "b126", TL_FT,	\
		 TL_FT "0300000004000000")					\
	TL_THREE(X, 36, SystemTime, tl_st, "12", "52", "32", TL_ST, TL_ST TL_ST)	\
	TL_THREE(X, 37, SystemTimeUtc, tl_st, "9226", "d226", "b226", TL_ST, TL_ST TL_ST)	\
	TL_THREE(X, 38, Guid, tl_id, "0f", "4f", "2f", TL_ID, TL_ID TL_ID)

#define TL_LIST_ONE(X)								\
	X(400, TraceLoggingPid(7, "f"), "8805", "07000000")			\
	X(401, TraceLoggingTid(7, "f"), "8806", "07000000")			\
	X(402, TraceLoggingPort(0x5000, "f"), "8607", "0050")			\
	X(403, TraceLoggingIPv4Address(0x0100007f, "f"), "8808", "7f000001")	\
	X(404, TraceLoggingIPv6Address(tl_bytes, "f"), "8e09", "1000" TL_BYTES_16)	\
	X(405, TraceLoggingSocketAddress(tl_bytes, 8, "f"), "8e0a", "0800 0102000000000005")	\
	X(406, TraceLoggingWinError(5, "f"), "880d", "05000000")		\
	X(407, TraceLoggingNTStatus(-5, "f"), "880e", "fbffffff")		\
	X(408, TraceLoggingHResult(-5, "f"), "870f", "fbffffff")		\
	X(409, TraceLoggingString(tl_c, "f"), "02", "61626300")			\
	X(410, TraceLoggingString(NULL, "f"), "02", "00")			\
	X(411, TraceLoggingUtf8String("\xe2\x82\xac", "f"), "8223", "e282ac00")	\
	X(412, TraceLoggingString16(tl_c16, "f"), "01", "6100ac200000")		\
	X(413, TraceLoggingWideString(tl_w, "f"), "01", "6100ac200000")		\
	X(414, TraceLoggingWideString(NULL, "f"), "01", "0000")			\
	X(415, TraceLoggingCountedString(tl_c, 2, "f"), "17", "0200 6162")	\
	X(416, TraceLoggingCountedUtf8String(tl_c, 2, "f"), "9723", "0200 6162")	\
	X(417, TraceLoggingCountedString16(tl_c16, 2, "f"), "16", "0400 6100ac20")	\
	X(418, TraceLoggingCountedWideString(tl_w, 2, "f"), "16", "0400 6100ac20")	\
	X(419, TraceLoggingAnsiString(&tl_text, "f"), "17", "0200 6162")	\
	X(420, TraceLoggingUnicodeString(&tl_wide, "f"), "16", "0400 6100ac20")	\
	X(421, TraceLoggingBinary(tl_bytes, 2, "f"), "0e", "0200 0102")		\
	X(422, TraceLoggingBinaryEx(tl_bytes, 2, TlgOutPKCS7_WITH_TYPE_INFO, "f"), "8e24",	\
	  "0200 0102")								\
	X(423, TraceLoggingBinaryBuffer(&tl_text, struct tl_text, "f"), "0e", "0200 6162")	\
	X(424, TraceLoggingBinaryBufferEx(&tl_text, struct tl_text, TlgOutIPV6, "f"), "8e09",	\
	  "0200 6162")								\
	X(425, TraceLoggingSid(tl_bytes, "f"), "13", TL_BYTES_16)		\
	X(426, TraceLoggingPackedField(tl_bytes, 2, TlgInINT16, "f"), "05", "0102")	\
	X(427, TraceLoggingPackedFieldEx(tl_bytes, 2, TlgInUINT16, TlgOutPORT, "f"), "8607",	\
	  "0102")								\
	X(428, TraceLoggingCustom(tl_bytes, 2, 5, (1, 2, 3), 3, "f"), "65 0300 010203",	\
	  "0200 0102")								\
	X(429, TraceLoggingInt8(1, "f", "described", 0xfedcbaf), "83 80 ffb7972f", "01")	\
	X(430, TraceLoggingValue(tl_s16[1], "f"), "05", "ffff")			\
	X(431, TraceLoggingValue(tl_u64[1], "f"), "0a", "ffffffffffffffff")	\
	X(432, TraceLoggingValue(tl_c, "f"), "02", "61626300")			\
	X(433, TraceLoggingValue(tl_id[0], "f"), "0f", TL_ID)			\
	X(434, TraceLoggingValue(tl_p[0], "f"), "15", "0100000000000000")		\
	X(435, TraceLoggingValue((const struct _SID *)tl_bytes, "f"), "13", TL_BYTES_16)	\
	X(436, TraceLoggingCustom(tl_bytes, 2, 24, (1, 2, 3), 3, "f"), "78 0300 010203",	\
	  "0200 0102")

#define TL_LIST(X)	TL_LIST_ARRAYS(X) TL_LIST_ONE(X)

#ifdef TL_WRITES

TRACELOGGING_DECLARE_PROVIDER(tl_provider);

/* One function per field: in one function the variables would add up in one stack frame. */
#define TL_WRITE_ONE(n, field, type, payload)					\
	static __attribute__((__noinline__)) void tl_write_##n(void)		\
	{									\
		TraceLoggingWrite(tl_provider, "e", TraceLoggingLevel(TL_LEVEL),	\
				  TraceLoggingKeyword(TL_KEYWORD), field);	\
	}
TL_LIST(TL_WRITE_ONE)

static int tl_evaluated;

static int tl_count(int value)
{
	tl_evaluated++;
	return value;
}

#define TL_A	TraceLoggingInt8(1, "a")
#define TL_10A	TL_A, TL_A, TL_A, TL_A, TL_A, TL_A, TL_A, TL_A, TL_A, TL_A

static __attribute__((__noinline__)) void tl_write_many(void)
{
	TraceLoggingWrite(tl_provider, "e", TL_10A, TL_10A, TL_10A, TL_10A, TL_10A, TL_10A,
			  TL_10A, TL_10A, TL_10A, TL_A, TL_A, TL_A, TL_A, TL_A, TL_A, TL_A,
			  TraceLoggingLevel(TL_LEVEL), TraceLoggingKeyword(TL_KEYWORD));
}

static __attribute__((__unused__)) void tl_write_all(void)
{
	static const TL_GUID related = { 9, 8, 7, { 6 } };

#define TL_CALL(n, field, type, payload)	tl_write_##n();
	TL_LIST(TL_CALL)
	TraceLoggingWriteActivity(tl_provider, "Activity", &tl_id[0], &related,
				  TraceLoggingLevel(TL_LEVEL), TraceLoggingKeyword(0x1),
				  TraceLoggingKeyword(0x10), TraceLoggingOpcode(1),
				  TraceLoggingEventTag(0x0004000),
				  TraceLoggingStruct(2, "s"),
				  TraceLoggingStruct(1, "t"),
				  TraceLoggingInt32(tl_count(1), "a"),
				  TraceLoggingInt32(tl_count(2), "b"),
				  TraceLoggingInt32(tl_count(3), "c"));
	tl_write_many();
	/* Disabled: level 5, and keyword 0x20 */
	TraceLoggingWrite(tl_provider, "no", TraceLoggingKeyword(TL_KEYWORD),
			  TraceLoggingInt32(tl_count(1), "a"));
	TraceLoggingWrite(tl_provider, "no", TraceLoggingLevel(TL_LEVEL),
			  TraceLoggingKeyword(0x20), TraceLoggingInt32(tl_count(1), "a"));
}

#endif /* TL_WRITES */

#endif /* ETW_TL_LIST_H */
