/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * intsafe.h - sums, products and conversions that report an overflow
 *
 * They return S_OK, or INTSAFE_E_ARITHMETIC_OVERFLOW and set the result to all ones.
 *
 * Semantics: Microsoft's pages of the functions of intsafe.h.
 */
#ifndef ETW_WIN32_INTSAFE_H
#define ETW_WIN32_INTSAFE_H

#include <windows.h>

#define INTSAFE_E_ARITHMETIC_OVERFLOW	((HRESULT)0x80070216)

#define BYTE_MAX		0xff
#define SHORT_MAX		32767
#define USHORT_MAX		0xffff
#define WORD_MAX		USHORT_MAX
#define DWORD_MAX		0xffffffffu
#define LONGLONG_MAX		0x7fffffffffffffffll
#define ULONGLONG_MAX		0xffffffffffffffffull
#define DWORDLONG_MAX		ULONGLONG_MAX
#define ULONG64_MAX		ULONGLONG_MAX
#define DWORD64_MAX		ULONGLONG_MAX
#define SIZE_T_MAX		((SIZE_T)-1)
#define ULONG_PTR_MAX		((ULONG_PTR)-1)
#define DWORD_PTR_MAX		((DWORD_PTR)-1)

ETW_BEGIN_DECLS

#define ETW_INTSAFE_OPERATION(name, type, operation)					\
static inline HRESULT name(type first, type second, type *result)			\
{											\
	if (!__builtin_##operation##_overflow(first, second, result))			\
		return S_OK;								\
	*result = (type)-1;								\
	return INTSAFE_E_ARITHMETIC_OVERFLOW;						\
}

#define ETW_INTSAFE(name, type)								\
	ETW_INTSAFE_OPERATION(name##Add, type, add)					\
	ETW_INTSAFE_OPERATION(name##Sub, type, sub)					\
	ETW_INTSAFE_OPERATION(name##Mult, type, mul)

#define ETW_INTSAFE_CONVERT(name, from, to)						\
static inline HRESULT name(from operand, to *result)					\
{											\
	if (!__builtin_add_overflow(operand, 0, result))				\
		return S_OK;								\
	*result = (to)-1;								\
	return INTSAFE_E_ARITHMETIC_OVERFLOW;						\
}

ETW_INTSAFE(UInt8, UINT8)
ETW_INTSAFE(UShort, USHORT)
ETW_INTSAFE(UInt, UINT)
ETW_INTSAFE(ULong, ULONG)
ETW_INTSAFE(ULongLong, ULONGLONG)
ETW_INTSAFE(ULongPtr, ULONG_PTR)
ETW_INTSAFE(SizeT, SIZE_T)
ETW_INTSAFE(Int, INT)
ETW_INTSAFE(Long, LONG)
ETW_INTSAFE(LongLong, LONGLONG)

ETW_INTSAFE_CONVERT(ULongToUChar, ULONG, UCHAR)
ETW_INTSAFE_CONVERT(ULongToUShort, ULONG, USHORT)
ETW_INTSAFE_CONVERT(ULongToLong, ULONG, LONG)
ETW_INTSAFE_CONVERT(LongToULong, LONG, ULONG)
ETW_INTSAFE_CONVERT(ULongLongToULong, ULONGLONG, ULONG)
ETW_INTSAFE_CONVERT(LongLongToULong, LONGLONG, ULONG)
ETW_INTSAFE_CONVERT(SizeTToUShort, SIZE_T, USHORT)
ETW_INTSAFE_CONVERT(SizeTToULong, SIZE_T, ULONG)
ETW_INTSAFE_CONVERT(SizeTToInt, SIZE_T, INT)

ETW_END_DECLS

#define IntToDWord		LongToULong
#define WordAdd			UShortAdd
#define WordSub			UShortSub
#define WordMult		UShortMult
#define DWordAdd		ULongAdd
#define DWordSub		ULongSub
#define DWordMult		ULongMult
#define DWordToWord		ULongToUShort
#define UInt16Add		UShortAdd
#define UInt32Add		UIntAdd
#define UInt32Mult		UIntMult
#define UInt64Add		ULongLongAdd
#define UInt64Mult		ULongLongMult
#define SizeTToDWord		SizeTToULong
#define SizeTToUInt32		SizeTToULong

#endif /* ETW_WIN32_INTSAFE_H */
