/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * base.h - TraceLogging: types and helpers for programs and kernel modules
 *
 * Hides the differences between the two: headers, types, data descriptors.  Registration,
 * the enable test and the write call are in provider.h and write.h.
 */
#ifndef ETW_TRACELOGGING_BASE_H
#define ETW_TRACELOGGING_BASE_H

#include <etw/filter.h>
#include <etw/format.h>

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/string.h>
#include <etw/kernel.h>
#else
#ifndef __cplusplus
#include <uchar.h>
#endif
#include <string.h>
#include <evntprov.h>
#endif

#define ETW_TL_INLINE	static inline __attribute__((__always_inline__, __unused__))

#ifdef __cplusplus
#define ETW_TL_CONST		static constexpr
#define ETW_TL_ASSERT(cond, why)	static_assert(cond, why)
#else
#define ETW_TL_CONST		static const
#define ETW_TL_ASSERT(cond, why)	_Static_assert(cond, why)
#endif

/*
 * The section etw_tl of a program or module holds the metadata of all its providers and
 * events, for tools that list what a file may write.  Entries follow one another without
 * alignment, possibly with zero bytes in between.  The first byte of an entry is its kind:
 *	'E'	16 bytes: "ETW0", u16 16, u16 0, u64 ETW_TL_MAGIC; before providers
 *	4	a provider: u8 4, GUID, traits (format.h), which start with their size
 *	6	an event: u8 6, u8 channel, u8 level, u8 opcode, u64 keyword, metadata
 *		(format.h), which start with their size
 */
#define ETW_TL_MAGIC		0xBB8A052B88040E86ULL
#define ETW_TL_PROVIDER		4
#define ETW_TL_EVENT		6
#define ETW_TL_EVENT_HEAD	12	/* bytes of an event before its metadata */
#define ETW_TL_PROVIDER_HEAD	33	/* bytes of 'E' and a provider before its traits */

/*
 * g++ rejects a named section whose variables have different linkage, as the variables of
 * inline functions and templates have.  So each variable gets a section name that g++
 * considers unique; for the assembler the name ends before the quote.
 */
#if defined(__cplusplus) && defined(__GNUC__) && !defined(__clang__)
#if defined(__x86_64__) || defined(__i386__)
#define ETW_TL_NAMED(n)	__section__("etw_tl,\"a\",@progbits#" __FILE__ ETW_TL_TEXT(n)),
#elif defined(__aarch64__)
#define ETW_TL_NAMED(n)	__section__("etw_tl,\"a\",%progbits//" __FILE__ ETW_TL_TEXT(n)),
#else
#define ETW_TL_NAMED(n)
#endif
#define ETW_TL_TEXT_(n)		#n
#define ETW_TL_TEXT(n)		ETW_TL_TEXT_(n)
#define ETW_TL_SECTION		__attribute__((ETW_TL_NAMED(__COUNTER__) __aligned__(1)))
#else
#define ETW_TL_SECTION		__attribute__((__section__("etw_tl"), __aligned__(1)))
#endif

/* --------------------------------------------------------- types of fields */

/* Encoding of a value in the payload: bits 0 to 4 of a field's type */
enum TlgIn_t {
	TlgInNULL = 0,
	TlgInUNICODESTRING = 1,
	TlgInANSISTRING = 2,
	TlgInINT8 = 3,
	TlgInUINT8 = 4,
	TlgInINT16 = 5,
	TlgInUINT16 = 6,
	TlgInINT32 = 7,
	TlgInUINT32 = 8,
	TlgInINT64 = 9,
	TlgInUINT64 = 10,
	TlgInFLOAT = 11,
	TlgInDOUBLE = 12,
	TlgInBOOL32 = 13,
	TlgInBINARY = 14,
	TlgInGUID = 15,
	TlgInFILETIME = 17,
	TlgInSYSTEMTIME = 18,
	TlgInSID = 19,
	TlgInHEXINT32 = 20,
	TlgInHEXINT64 = 21,
	TlgInCOUNTEDSTRING = 22,
	TlgInCOUNTEDANSISTRING = 23,
	TlgInSTRUCT = 24,		/* the out-type is the number of members */
	TlgInCOUNTEDBINARY = 25,
	TlgInINTPTR = sizeof(void *) == 8 ? TlgInINT64 : TlgInINT32,
	TlgInUINTPTR = sizeof(void *) == 8 ? TlgInUINT64 : TlgInUINT32,
	TlgInPOINTER = sizeof(void *) == 8 ? TlgInHEXINT64 : TlgInHEXINT32,
	TlgInLONG = TlgInINT32,		/* LONG, as on Windows */
	TlgInULONG = TlgInUINT32,
	TlgInHEXLONG = TlgInHEXINT32,
	TlgInTypeMask = 31,
	/* bits 5 and 6: one value, constant count, count in the payload, opaque */
	TlgInCcount = 32,
	TlgInVcount = 64,
	TlgInCustom = 96,
	TlgInChain = 128		/* the out-type follows */
};

/* Format for display; from 32 on the numbers are those of tdh.h */
enum TlgOut_t {
	TlgOutNULL = 0,
	TlgOutNOPRINT = 1,
	TlgOutSTRING = 2,
	TlgOutBOOLEAN = 3,
	TlgOutHEX = 4,
	TlgOutPID = 5,
	TlgOutTID = 6,
	TlgOutPORT = 7,
	TlgOutIPV4 = 8,
	TlgOutIPV6 = 9,
	TlgOutSOCKETADDRESS = 10,
	TlgOutXML = 11,
	TlgOutJSON = 12,
	TlgOutWIN32ERROR = 13,
	TlgOutNTSTATUS = 14,
	TlgOutHRESULT = 15,
	TlgOutFILETIME = 16,
	TlgOutSIGNED = 17,
	TlgOutUNSIGNED = 18,
	TlgOutUTF8 = 35,
	TlgOutPKCS7_WITH_TYPE_INFO = 36,
	TlgOutCODE_POINTER = 37,
	TlgOutDATETIME_UTC = 38,
	TlgOutChain = 128		/* tags follow */
};

/* ------------------------------------------------------ pieces of an event */

#ifdef __KERNEL__
typedef struct etw_data_descriptor etw_tl_piece;
typedef __u16 etw_tl_char16;
typedef __u16 etw_tl_wchar;
#else
typedef EVENT_DATA_DESCRIPTOR etw_tl_piece;
typedef char16_t etw_tl_char16;
typedef WCHAR etw_tl_wchar;
#endif

ETW_TL_INLINE etw_tl_piece etw_tl_typed(const void *data, __u32 size, __u8 type)
{
	etw_tl_piece piece;

#ifdef __KERNEL__
	piece.ptr = (unsigned long)data;
	piece.size = size;
	piece.reserved = type;
#else
	piece.Ptr = (ULONG_PTR)data;
	piece.Size = size;
	piece.Reserved = type;
#endif
	return piece;
}

ETW_TL_INLINE etw_tl_piece etw_tl_data(const void *data, __u32 size)
{
	return etw_tl_typed(data, size, ETW_DATA_PAYLOAD);
}

/* The string with its NUL; NULL is an empty string. */
ETW_TL_INLINE etw_tl_piece etw_tl_str8(const char *s)
{
	return etw_tl_data(s ? s : "", s ? (__u32)strlen(s) + 1 : 1);
}

/* A string of 16-bit units at any alignment, with its NUL; NULL is an empty string. */
ETW_TL_INLINE etw_tl_piece etw_tl_str16(const void *s)
{
	const unsigned char *at = (const unsigned char *)s;
	__u32 size = 2;

	if (!s)
		return etw_tl_data("\0", 2);
	for (; at[0] || at[1]; at += 2)
		size += 2;
	return etw_tl_data(s, size);
}

ETW_TL_INLINE etw_tl_piece etw_tl_sid(const void *sid)
{
	return etw_tl_data(sid, 8 + 4 * ((const unsigned char *)sid)[1]);
}

/* Cut to the limits: an array has at most 65,535 elements, a string or binary 65,535 bytes. */
ETW_TL_INLINE __u16 etw_tl_elements(size_t count)
{
	return (__u16)(count < 0xFFFF ? count : 0xFFFF);
}

ETW_TL_INLINE __u16 etw_tl_bytes(size_t count, size_t unit)
{
	return (__u16)((count < 0xFFFF / unit ? count : 0xFFFF / unit) * unit);
}

#endif /* ETW_TRACELOGGING_BASE_H */
