// SPDX-License-Identifier: GPL-2.0-only
/*
 * types.c - one event of each kind, written by the generated macros
 *
 * selftests/vm/provider/mc_km.c expects these values, see etw_km.h.
 */
#include <linux/bits.h>
#include <linux/string.h>
#include "etw_km_events.h"
#include "etw_km.h"
#include "module.h"

/* Arrays of all types; etw_km.h defines the elements */
#define N	ETW_KM_ELEMENTS
#define LOW(bits, i)	(ETW_KM_VALUE(i) & GENMASK_ULL((bits) - 1, 0))
#define ALL(bits)	{ LOW(bits, 0), LOW(bits, 1), LOW(bits, 2) }
#define ALL_S(t, bits)	{ (t)LOW(bits, 0), (t)LOW(bits, 1), (t)LOW(bits, 2) }

static const signed char i8s[N] = ALL_S(s8, 8);
static const unsigned char u8s[N] = ALL(8);
static const short i16s[N] = ALL_S(s16, 16);
static const unsigned short u16s[N] = ALL(16);
static const int i32s[N] = ALL_S(s32, 32);
static const unsigned int u32s[N] = ALL(32);
static const long long i64s[N] = ALL_S(s64, 64);
static const unsigned long long u64s[N] = ALL(64);
static const float floats[N] = { ETW_KM_FLOAT(0), ETW_KM_FLOAT(1), ETW_KM_FLOAT(2) };
static const double doubles[N] = { ETW_KM_DOUBLE(0), ETW_KM_DOUBLE(1), ETW_KM_DOUBLE(2) };
static const void *pointers[N] = ALL_S(void *, 64);
#define TIME(i)	{ LOW(32, i), ETW_KM_VALUE(i) >> 32 }
static const FILETIME filetimes[N] = { TIME(0), TIME(1), TIME(2) };
static const SYSTEMTIME systemtimes[N] = {
	{ 2026, 1, 4, 15, 12, 34, 56, 789 }, { 2027, 1, 4, 15, 12, 34, 56, 789 },
	{ 2028, 1, 4, 15, 12, 34, 56, 789 },
};
static const GUID guids[N] = {
	ETW_KM_GUID, ETW_KM_DECODE_GUID, ETW_KM_CONTROL_GUID
};
static const unsigned char sids[] = { 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
				      1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x20, 2, 0, 0 };
static const unsigned char sid[] = ETW_KM_SID;
static const unsigned char bytes[9] = { 11, 12, 13, 14, 15, 16, 17, 18, 19 };

static NTSTATUS write_scalars(void)
{
	return EventWriteKmScalars(NULL, i8s[0], u8s[0], i16s[0], u16s[0], i32s[0], u32s[0],
				   i64s[0], u64s[0], ETW_KM_FLOAT(0), ETW_KM_DOUBLE(0), true,
				   &guids[0], pointers[0], &filetimes[0], &systemtimes[0],
				   i32s[1], i64s[1]);
}

static NTSTATUS write_strings(void)
{
	return EventWriteKmStrings(NULL, L"w\xef" L"de", "narrow", NULL, NULL, (const SID *)sid,
				   0x1234);
}

static NTSTATUS write_lengths(void)
{
	static const unsigned char ipv6[16] = { 0x20, 1, 0xd, 0xb8, [15] = 1 };

	return EventWriteKmLengths(NULL, L"four", "abc", bytes, ipv6);
}

static NTSTATUS write_field_lengths(void)
{
	return EventWriteKmFieldLengths(NULL, 2, L"two", 4, "abcdef", bytes);
}

static NTSTATUS write_counted(void)
{
	return EventWriteKmCounted(NULL, 3, L"abcdef", 2, "xyz", 4, bytes, 0x12345678);
}

static NTSTATUS write_arrays(void)
{
	return EventWriteKmArrays(NULL, i8s, u8s, i16s, u16s, i32s, u32s, i64s, u64s, floats,
				  doubles, i32s, guids, pointers, filetimes, systemtimes, i32s,
				  i64s, bytes);
}

static NTSTATUS write_field_counts(void)
{
	return EventWriteKmFieldCounts(NULL, N, i8s, u8s, i16s, u16s, i32s, u32s, i64s, u64s,
				       floats, doubles, i32s, guids, pointers, filetimes,
				       systemtimes, i32s, i64s, bytes);
}

/* Packed by the caller, who passes their length: in characters, or in bytes of SIDs */
static NTSTATUS write_packed_arrays(void)
{
	static const WCHAR counted[] = { 2, 'a', 4, 'b', 'c' };

	return EventWriteKmPackedArrays(NULL, 4, L"a\0b", 5, "ab\0c", sizeof(sids), sids,
					ARRAY_SIZE(counted), counted, 2, 4, "x\0y");
}

static NTSTATUS write_structs(void)
{
	static const struct {
		u32 a;
		u16 b;
	} __packed one = { 0x01020304, 0x0506 };
	static const struct {
		u16 a;
		char text[2];
		u16 b;
		char more[3];
	} __packed two = { 7, "x", 8, "yz" };

	return EventWriteKmStructs(NULL, sizeof(one), &one, sizeof(two), &two, 3, 3, bytes, 9);
}

#define TEXT(i)		"text number " #i
#define TEN(m, a)	m(a##0), m(a##1), m(a##2), m(a##3), m(a##4), m(a##5), m(a##6), \
			m(a##7), m(a##8), m(a##9)
#define NUMBER(i)	ETW_KM_VALUE(1##i - 100)
/* Expand the arguments first, so that the event's macro counts them. */
#define MANY(...)	EventWriteKmMany(__VA_ARGS__)

static NTSTATUS write_many(void)
{
	return MANY(NULL, TEN(TEXT, 0), TEN(TEXT, 1), TEN(TEXT, 2), TEN(TEXT, 3),
		    TEN(NUMBER, 0), TEN(NUMBER, 1), TEN(NUMBER, 2), TEN(NUMBER, 3));
}

/* All events except Elsewhere, Quiet and Unwanted, in order */
int km_write_types(void)
{
	static const GUID activity = ETW_KM_GROUP_GUID;

	KM_CHECK(write_scalars() == STATUS_SUCCESS);
	KM_CHECK(write_strings() == STATUS_SUCCESS);
	KM_CHECK(write_lengths() == STATUS_SUCCESS);
	KM_CHECK(write_field_lengths() == STATUS_SUCCESS);
	KM_CHECK(write_counted() == STATUS_SUCCESS);
	KM_CHECK(write_arrays() == STATUS_SUCCESS);
	KM_CHECK(write_field_counts() == STATUS_SUCCESS);
	KM_CHECK(write_packed_arrays() == STATUS_SUCCESS);
	KM_CHECK(write_structs() == STATUS_SUCCESS);
	KM_CHECK(EventWriteKmNames(NULL, ETW_KM_GREEN, 0x80000001, 3) == STATUS_SUCCESS);
	KM_CHECK(write_many() == STATUS_SUCCESS);
	KM_CHECK(EventWriteKmNothing(&activity) == STATUS_SUCCESS);
	return 0;
}
