/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * scalar.h - TraceLogging: fields that are one value or an array of values
 *
 *	TraceLoggingInt32(value[, "name"[, "description"[, tags]]])
 *	TraceLoggingInt32Array(pointer, count[, "name"...])	count may vary
 *	TraceLoggingInt32FixedArray(pointer, count[, "name"...])	count is a constant
 *
 * and so on.  The default name is the source text of the value or pointer.  Tags are 28
 * bits defined by the provider; the description is for readers of the source only.
 * An array has at most 65,535 elements; pointer may be NULL if there are none.
 *
 * Types: Long and ULong have 32 bits, as on Windows; IntPtr and UIntPtr have the size of a
 * pointer.  Boolean has 8 bits, Bool 32.  Char is a byte shown as a character, Char16 and
 * WChar a UTF-16 unit.  In a kernel module, FileTime, SystemTime and Guid take any type
 * of their size (8, 16, 16 bytes); Float32 and Float64 take only values in memory.
 *
 * Source: Microsoft's page "TraceLogging Wrapper Macros".
 */
#ifndef ETW_TRACELOGGING_SCALAR_H
#define ETW_TRACELOGGING_SCALAR_H

#include <etw/tracelogging/base.h>
#include <etw/tracelogging/for_each.h>

/* ---------------------------------------------------------------- the tuples */

/* "name, tags" of (text, last required argument[, name[, description[, tags]]]) */
#define ETW_TL_NDT_(a, b, c, d, n, ...)	n
#define ETW_TL_NDT_COUNT(...)		ETW_TL_NDT_(__VA_ARGS__, 4, 3, 2, 1, 0)
#define ETW_TL_NDT1(text, x)		text, 0
#define ETW_TL_NDT2(text, x, name)	name, 0
#define ETW_TL_NDT3(text, x, name, description)	name, 0
#define ETW_TL_NDT4(text, x, name, description, tags)	name, tags
#define ETW_TL_NDT(text, ...) \
	ETW_TL_CAT(ETW_TL_NDT, ETW_TL_NDT_COUNT(__VA_ARGS__))(text, __VA_ARGS__)

#define ETW_TL_NONE	EtwTlNone, ()

/* type is "ctype, in-type, out-type"; text is the default name */
#define ETW_TL_SCALAR(type, text, ...) \
	ETW_TL_SCALAR_(type, ETW_TL_FIRST(__VA_ARGS__), ETW_TL_NDT(text, __VA_ARGS__))
#define ETW_TL_SCALAR_(...)	ETW_TL_SCALAR__(__VA_ARGS__)
#define ETW_TL_SCALAR__(ctype, in, out, value, name, tags) \
	(EtwTlField, (name, in, out, tags), EtwTlVal, (ctype, value), ETW_TL_NONE)

#define ETW_TL_ARRAY(type, text, p, ...) \
	ETW_TL_ARRAY_(type, p, ETW_TL_FIRST(__VA_ARGS__), ETW_TL_NDT(text, __VA_ARGS__))
#define ETW_TL_ARRAY_(...)	ETW_TL_ARRAY__(__VA_ARGS__)
#define ETW_TL_ARRAY__(ctype, in, out, p, n, name, tags) \
	(EtwTlField, (name, (in) | TlgInVcount, out, tags), EtwTlArray, (ctype, p, n), ETW_TL_NONE)

#define ETW_TL_FIXED(type, text, p, ...) \
	ETW_TL_FIXED_(type, p, ETW_TL_FIRST(__VA_ARGS__), ETW_TL_NDT(text, __VA_ARGS__))
#define ETW_TL_FIXED_(...)	ETW_TL_FIXED__(__VA_ARGS__)
#define ETW_TL_FIXED__(ctype, in, out, p, n, name, tags) \
	(EtwTlFixed, (name, in, out, tags, n), EtwTlElements, (ctype, p, n), ETW_TL_NONE)

#ifdef __KERNEL__
/* "size, in-type, out-type" */
#define ETW_TL_SIZED_TYPE(ctype, size)	size
#define ETW_TL_SIZED(type, text, ...) \
	ETW_TL_SIZED_(type, ETW_TL_FIRST(__VA_ARGS__), ETW_TL_NDT(text, __VA_ARGS__))
#define ETW_TL_SIZED_(...)	ETW_TL_SIZED__(__VA_ARGS__)
#define ETW_TL_SIZED__(size, in, out, value, name, tags) \
	(EtwTlField, (name, in, out, tags), EtwTlSized, (size, value), ETW_TL_NONE)
#define ETW_TL_SIZED_ARRAY(type, text, p, ...) \
	ETW_TL_SIZED_ARRAY_(type, p, ETW_TL_FIRST(__VA_ARGS__), ETW_TL_NDT(text, __VA_ARGS__))
#define ETW_TL_SIZED_ARRAY_(...)	ETW_TL_SIZED_ARRAY__(__VA_ARGS__)
#define ETW_TL_SIZED_ARRAY__(size, in, out, p, n, name, tags)			\
	(EtwTlField, (name, (in) | TlgInVcount, out, tags), EtwTlSizedArray,	\
	 (size, p, n), ETW_TL_NONE)
#define ETW_TL_SIZED_FIXED(type, text, p, ...) \
	ETW_TL_SIZED_FIXED_(type, p, ETW_TL_FIRST(__VA_ARGS__), ETW_TL_NDT(text, __VA_ARGS__))
#define ETW_TL_SIZED_FIXED_(...)	ETW_TL_SIZED_FIXED__(__VA_ARGS__)
#define ETW_TL_SIZED_FIXED__(size, in, out, p, n, name, tags) \
	(EtwTlFixed, (name, in, out, tags, n), EtwTlSizedElements, (size, p, n), ETW_TL_NONE)
#else
#define ETW_TL_SIZED_TYPE(ctype, size)	ctype
#define ETW_TL_SIZED		ETW_TL_SCALAR
#define ETW_TL_SIZED_ARRAY	ETW_TL_ARRAY
#define ETW_TL_SIZED_FIXED	ETW_TL_FIXED
#endif

/* ----------------------------------------------------------------- the types */

#define ETW_TL_T_Int8		__s8, TlgInINT8, 0
#define ETW_TL_T_UInt8		__u8, TlgInUINT8, 0
#define ETW_TL_T_Int16		__s16, TlgInINT16, 0
#define ETW_TL_T_UInt16		__u16, TlgInUINT16, 0
#define ETW_TL_T_Int32		__s32, TlgInINT32, 0
#define ETW_TL_T_UInt32		__u32, TlgInUINT32, 0
#define ETW_TL_T_Int64		__s64, TlgInINT64, 0
#define ETW_TL_T_UInt64		__u64, TlgInUINT64, 0
#define ETW_TL_T_IntPtr		long, TlgInINTPTR, 0
#define ETW_TL_T_UIntPtr	unsigned long, TlgInUINTPTR, 0
#define ETW_TL_T_Long		__s32, TlgInLONG, 0
#define ETW_TL_T_ULong		__u32, TlgInULONG, 0
#define ETW_TL_T_HexInt8	__s8, TlgInUINT8, TlgOutHEX
#define ETW_TL_T_HexUInt8	__u8, TlgInUINT8, TlgOutHEX
#define ETW_TL_T_HexInt16	__s16, TlgInUINT16, TlgOutHEX
#define ETW_TL_T_HexUInt16	__u16, TlgInUINT16, TlgOutHEX
#define ETW_TL_T_HexInt32	__s32, TlgInHEXINT32, 0
#define ETW_TL_T_HexUInt32	__u32, TlgInHEXINT32, 0
#define ETW_TL_T_HexInt64	__s64, TlgInHEXINT64, 0
#define ETW_TL_T_HexUInt64	__u64, TlgInHEXINT64, 0
#define ETW_TL_T_HexIntPtr	long, TlgInPOINTER, 0
#define ETW_TL_T_HexUIntPtr	unsigned long, TlgInPOINTER, 0
#define ETW_TL_T_HexLong	__s32, TlgInHEXLONG, 0
#define ETW_TL_T_HexULong	__u32, TlgInHEXLONG, 0
#define ETW_TL_T_Float32	float, TlgInFLOAT, 0
#define ETW_TL_T_Float64	double, TlgInDOUBLE, 0
#define ETW_TL_T_Boolean	__u8, TlgInUINT8, TlgOutBOOLEAN
#define ETW_TL_T_Bool		__s32, TlgInBOOL32, 0
#define ETW_TL_T_Char		char, TlgInUINT8, TlgOutSTRING
#define ETW_TL_T_Char16		etw_tl_char16, TlgInUINT16, TlgOutSTRING
#define ETW_TL_T_WChar		etw_tl_wchar, TlgInUINT16, TlgOutSTRING
#define ETW_TL_T_Pointer	void const *, TlgInPOINTER, 0
#define ETW_TL_T_CodePointer	void const *, TlgInPOINTER, TlgOutCODE_POINTER
#define ETW_TL_T_FileTime	ETW_TL_SIZED_TYPE(FILETIME, 8), TlgInFILETIME, 0
#define ETW_TL_T_FileTimeUtc	ETW_TL_SIZED_TYPE(FILETIME, 8), TlgInFILETIME, TlgOutDATETIME_UTC
#define ETW_TL_T_SystemTime	ETW_TL_SIZED_TYPE(SYSTEMTIME, 16), TlgInSYSTEMTIME, 0
#define ETW_TL_T_SystemTimeUtc \
	ETW_TL_SIZED_TYPE(SYSTEMTIME, 16), TlgInSYSTEMTIME, TlgOutDATETIME_UTC
#define ETW_TL_T_Guid		ETW_TL_SIZED_TYPE(GUID, 16), TlgInGUID, 0
#define ETW_TL_T_Pid		__u32, TlgInUINT32, TlgOutPID
#define ETW_TL_T_Tid		__u32, TlgInUINT32, TlgOutTID
#define ETW_TL_T_IPv4Address	__u32, TlgInUINT32, TlgOutIPV4
#define ETW_TL_T_Port		__u16, TlgInUINT16, TlgOutPORT
#define ETW_TL_T_WinError	__u32, TlgInUINT32, TlgOutWIN32ERROR
#define ETW_TL_T_NTStatus	__s32, TlgInUINT32, TlgOutNTSTATUS
#define ETW_TL_T_HResult	__s32, TlgInINT32, TlgOutHRESULT

/* ---------------------------------------------------------------- one value */

#define TraceLoggingInt8(...)		ETW_TL_SCALAR(ETW_TL_T_Int8, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingUInt8(...)		ETW_TL_SCALAR(ETW_TL_T_UInt8, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingInt16(...)		ETW_TL_SCALAR(ETW_TL_T_Int16, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingUInt16(...)		ETW_TL_SCALAR(ETW_TL_T_UInt16, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingInt32(...)		ETW_TL_SCALAR(ETW_TL_T_Int32, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingUInt32(...)		ETW_TL_SCALAR(ETW_TL_T_UInt32, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingInt64(...)		ETW_TL_SCALAR(ETW_TL_T_Int64, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingUInt64(...)		ETW_TL_SCALAR(ETW_TL_T_UInt64, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingIntPtr(...)		ETW_TL_SCALAR(ETW_TL_T_IntPtr, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingUIntPtr(...)	ETW_TL_SCALAR(ETW_TL_T_UIntPtr, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingLong(...)		ETW_TL_SCALAR(ETW_TL_T_Long, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingULong(...)		ETW_TL_SCALAR(ETW_TL_T_ULong, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingHexInt8(...)	ETW_TL_SCALAR(ETW_TL_T_HexInt8, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingHexUInt8(...)	ETW_TL_SCALAR(ETW_TL_T_HexUInt8, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingHexInt16(...)	ETW_TL_SCALAR(ETW_TL_T_HexInt16, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingHexUInt16(...)	ETW_TL_SCALAR(ETW_TL_T_HexUInt16, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingHexInt32(...)	ETW_TL_SCALAR(ETW_TL_T_HexInt32, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingHexUInt32(...)	ETW_TL_SCALAR(ETW_TL_T_HexUInt32, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingHexInt64(...)	ETW_TL_SCALAR(ETW_TL_T_HexInt64, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingHexUInt64(...)	ETW_TL_SCALAR(ETW_TL_T_HexUInt64, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingHexIntPtr(...)	ETW_TL_SCALAR(ETW_TL_T_HexIntPtr, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingHexUIntPtr(...) \
	ETW_TL_SCALAR(ETW_TL_T_HexUIntPtr, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingHexLong(...)	ETW_TL_SCALAR(ETW_TL_T_HexLong, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingHexULong(...)	ETW_TL_SCALAR(ETW_TL_T_HexULong, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingFloat32(...)	ETW_TL_SCALAR(ETW_TL_T_Float32, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingFloat64(...)	ETW_TL_SCALAR(ETW_TL_T_Float64, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingBoolean(...)	ETW_TL_SCALAR(ETW_TL_T_Boolean, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingBool(...)		ETW_TL_SCALAR(ETW_TL_T_Bool, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingChar(...)		ETW_TL_SCALAR(ETW_TL_T_Char, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingChar16(...)		ETW_TL_SCALAR(ETW_TL_T_Char16, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingWChar(...)		ETW_TL_SCALAR(ETW_TL_T_WChar, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingPointer(...)	ETW_TL_SCALAR(ETW_TL_T_Pointer, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingCodePointer(...) \
	ETW_TL_SCALAR(ETW_TL_T_CodePointer, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingPid(...)		ETW_TL_SCALAR(ETW_TL_T_Pid, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingTid(...)		ETW_TL_SCALAR(ETW_TL_T_Tid, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingIPv4Address(...) \
	ETW_TL_SCALAR(ETW_TL_T_IPv4Address, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingPort(...)		ETW_TL_SCALAR(ETW_TL_T_Port, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingWinError(...)	ETW_TL_SCALAR(ETW_TL_T_WinError, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingNTStatus(...)	ETW_TL_SCALAR(ETW_TL_T_NTStatus, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingHResult(...)	ETW_TL_SCALAR(ETW_TL_T_HResult, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingFileTime(...)	ETW_TL_SIZED(ETW_TL_T_FileTime, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingFileTimeUtc(...) \
	ETW_TL_SIZED(ETW_TL_T_FileTimeUtc, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingSystemTime(...)	ETW_TL_SIZED(ETW_TL_T_SystemTime, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingSystemTimeUtc(...) \
	ETW_TL_SIZED(ETW_TL_T_SystemTimeUtc, #__VA_ARGS__, __VA_ARGS__)
#define TraceLoggingGuid(...)		ETW_TL_SIZED(ETW_TL_T_Guid, #__VA_ARGS__, __VA_ARGS__)

/* ------------------------------------------------------------------- arrays */

#define TraceLoggingInt8Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_Int8, #p, p, __VA_ARGS__)
#define TraceLoggingInt8FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_Int8, #p, p, __VA_ARGS__)
#define TraceLoggingUInt8Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_UInt8, #p, p, __VA_ARGS__)
#define TraceLoggingUInt8FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_UInt8, #p, p, __VA_ARGS__)
#define TraceLoggingInt16Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_Int16, #p, p, __VA_ARGS__)
#define TraceLoggingInt16FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_Int16, #p, p, __VA_ARGS__)
#define TraceLoggingUInt16Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_UInt16, #p, p, __VA_ARGS__)
#define TraceLoggingUInt16FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_UInt16, #p, p, __VA_ARGS__)
#define TraceLoggingInt32Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_Int32, #p, p, __VA_ARGS__)
#define TraceLoggingInt32FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_Int32, #p, p, __VA_ARGS__)
#define TraceLoggingUInt32Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_UInt32, #p, p, __VA_ARGS__)
#define TraceLoggingUInt32FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_UInt32, #p, p, __VA_ARGS__)
#define TraceLoggingInt64Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_Int64, #p, p, __VA_ARGS__)
#define TraceLoggingInt64FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_Int64, #p, p, __VA_ARGS__)
#define TraceLoggingUInt64Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_UInt64, #p, p, __VA_ARGS__)
#define TraceLoggingUInt64FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_UInt64, #p, p, __VA_ARGS__)
#define TraceLoggingIntPtrArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_IntPtr, #p, p, __VA_ARGS__)
#define TraceLoggingIntPtrFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_IntPtr, #p, p, __VA_ARGS__)
#define TraceLoggingUIntPtrArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_UIntPtr, #p, p, __VA_ARGS__)
#define TraceLoggingUIntPtrFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_UIntPtr, #p, p, __VA_ARGS__)
#define TraceLoggingLongArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_Long, #p, p, __VA_ARGS__)
#define TraceLoggingLongFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_Long, #p, p, __VA_ARGS__)
#define TraceLoggingULongArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_ULong, #p, p, __VA_ARGS__)
#define TraceLoggingULongFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_ULong, #p, p, __VA_ARGS__)
#define TraceLoggingHexInt8Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_HexInt8, #p, p, __VA_ARGS__)
#define TraceLoggingHexInt8FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_HexInt8, #p, p, __VA_ARGS__)
#define TraceLoggingHexUInt8Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_HexUInt8, #p, p, __VA_ARGS__)
#define TraceLoggingHexUInt8FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_HexUInt8, #p, p, __VA_ARGS__)
#define TraceLoggingHexInt16Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_HexInt16, #p, p, __VA_ARGS__)
#define TraceLoggingHexInt16FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_HexInt16, #p, p, __VA_ARGS__)
#define TraceLoggingHexUInt16Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_HexUInt16, #p, p, __VA_ARGS__)
#define TraceLoggingHexUInt16FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_HexUInt16, #p, p, __VA_ARGS__)
#define TraceLoggingHexInt32Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_HexInt32, #p, p, __VA_ARGS__)
#define TraceLoggingHexInt32FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_HexInt32, #p, p, __VA_ARGS__)
#define TraceLoggingHexUInt32Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_HexUInt32, #p, p, __VA_ARGS__)
#define TraceLoggingHexUInt32FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_HexUInt32, #p, p, __VA_ARGS__)
#define TraceLoggingHexInt64Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_HexInt64, #p, p, __VA_ARGS__)
#define TraceLoggingHexInt64FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_HexInt64, #p, p, __VA_ARGS__)
#define TraceLoggingHexUInt64Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_HexUInt64, #p, p, __VA_ARGS__)
#define TraceLoggingHexUInt64FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_HexUInt64, #p, p, __VA_ARGS__)
#define TraceLoggingHexIntPtrArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_HexIntPtr, #p, p, __VA_ARGS__)
#define TraceLoggingHexIntPtrFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_HexIntPtr, #p, p, __VA_ARGS__)
#define TraceLoggingHexUIntPtrArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_HexUIntPtr, #p, p, __VA_ARGS__)
#define TraceLoggingHexUIntPtrFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_HexUIntPtr, #p, p, __VA_ARGS__)
#define TraceLoggingHexLongArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_HexLong, #p, p, __VA_ARGS__)
#define TraceLoggingHexLongFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_HexLong, #p, p, __VA_ARGS__)
#define TraceLoggingHexULongArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_HexULong, #p, p, __VA_ARGS__)
#define TraceLoggingHexULongFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_HexULong, #p, p, __VA_ARGS__)
#define TraceLoggingFloat32Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_Float32, #p, p, __VA_ARGS__)
#define TraceLoggingFloat32FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_Float32, #p, p, __VA_ARGS__)
#define TraceLoggingFloat64Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_Float64, #p, p, __VA_ARGS__)
#define TraceLoggingFloat64FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_Float64, #p, p, __VA_ARGS__)
#define TraceLoggingBooleanArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_Boolean, #p, p, __VA_ARGS__)
#define TraceLoggingBooleanFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_Boolean, #p, p, __VA_ARGS__)
#define TraceLoggingBoolArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_Bool, #p, p, __VA_ARGS__)
#define TraceLoggingBoolFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_Bool, #p, p, __VA_ARGS__)
#define TraceLoggingCharArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_Char, #p, p, __VA_ARGS__)
#define TraceLoggingCharFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_Char, #p, p, __VA_ARGS__)
#define TraceLoggingChar16Array(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_Char16, #p, p, __VA_ARGS__)
#define TraceLoggingChar16FixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_Char16, #p, p, __VA_ARGS__)
#define TraceLoggingWCharArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_WChar, #p, p, __VA_ARGS__)
#define TraceLoggingWCharFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_WChar, #p, p, __VA_ARGS__)
#define TraceLoggingPointerArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_Pointer, #p, p, __VA_ARGS__)
#define TraceLoggingPointerFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_Pointer, #p, p, __VA_ARGS__)
#define TraceLoggingCodePointerArray(p, ...) \
	ETW_TL_ARRAY(ETW_TL_T_CodePointer, #p, p, __VA_ARGS__)
#define TraceLoggingCodePointerFixedArray(p, ...) \
	ETW_TL_FIXED(ETW_TL_T_CodePointer, #p, p, __VA_ARGS__)
#define TraceLoggingFileTimeArray(p, ...) \
	ETW_TL_SIZED_ARRAY(ETW_TL_T_FileTime, #p, p, __VA_ARGS__)
#define TraceLoggingFileTimeFixedArray(p, ...) \
	ETW_TL_SIZED_FIXED(ETW_TL_T_FileTime, #p, p, __VA_ARGS__)
#define TraceLoggingFileTimeUtcArray(p, ...) \
	ETW_TL_SIZED_ARRAY(ETW_TL_T_FileTimeUtc, #p, p, __VA_ARGS__)
#define TraceLoggingFileTimeUtcFixedArray(p, ...) \
	ETW_TL_SIZED_FIXED(ETW_TL_T_FileTimeUtc, #p, p, __VA_ARGS__)
#define TraceLoggingSystemTimeArray(p, ...) \
	ETW_TL_SIZED_ARRAY(ETW_TL_T_SystemTime, #p, p, __VA_ARGS__)
#define TraceLoggingSystemTimeFixedArray(p, ...) \
	ETW_TL_SIZED_FIXED(ETW_TL_T_SystemTime, #p, p, __VA_ARGS__)
#define TraceLoggingSystemTimeUtcArray(p, ...) \
	ETW_TL_SIZED_ARRAY(ETW_TL_T_SystemTimeUtc, #p, p, __VA_ARGS__)
#define TraceLoggingSystemTimeUtcFixedArray(p, ...) \
	ETW_TL_SIZED_FIXED(ETW_TL_T_SystemTimeUtc, #p, p, __VA_ARGS__)
#define TraceLoggingGuidArray(p, ...) \
	ETW_TL_SIZED_ARRAY(ETW_TL_T_Guid, #p, p, __VA_ARGS__)
#define TraceLoggingGuidFixedArray(p, ...) \
	ETW_TL_SIZED_FIXED(ETW_TL_T_Guid, #p, p, __VA_ARGS__)

#endif /* ETW_TRACELOGGING_SCALAR_H */
