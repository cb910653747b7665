/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tdhtypes.h - the types that a field of an event can have
 *
 * For kernel modules too.  The in-type says how the bytes lie in the payload, the
 * out-type how the value is meant to be shown; 0 is the in-type's own way.
 *
 * Source: Microsoft's pages "EVENT_PROPERTY_INFO structure" and "InputType complex
 * type"; the values of winmeta.xml are the same.
 */
#ifndef ETW_TDHTYPES_H
#define ETW_TDHTYPES_H

enum _TDH_IN_TYPE {
	TDH_INTYPE_NULL = 0,
	TDH_INTYPE_UNICODESTRING = 1,	/* UTF-16, to a NUL, or a length in units */
	TDH_INTYPE_ANSISTRING = 2,	/* bytes, to a NUL, or a length in bytes */
	TDH_INTYPE_INT8 = 3,
	TDH_INTYPE_UINT8 = 4,
	TDH_INTYPE_INT16 = 5,
	TDH_INTYPE_UINT16 = 6,
	TDH_INTYPE_INT32 = 7,
	TDH_INTYPE_UINT32 = 8,
	TDH_INTYPE_INT64 = 9,
	TDH_INTYPE_UINT64 = 10,
	TDH_INTYPE_FLOAT = 11,
	TDH_INTYPE_DOUBLE = 12,
	TDH_INTYPE_BOOLEAN = 13,	/* 4 bytes */
	TDH_INTYPE_BINARY = 14,		/* a length in bytes; IPv6: 16 */
	TDH_INTYPE_GUID = 15,
	TDH_INTYPE_POINTER = 16,	/* 4 or 8 bytes, as the writer's */
	TDH_INTYPE_FILETIME = 17,	/* 8 bytes: 100 ns since 1601, UTC */
	TDH_INTYPE_SYSTEMTIME = 18,	/* 16 bytes: eight 16-bit numbers */
	TDH_INTYPE_SID = 19,		/* 8 bytes and 4 for each sub-authority */
	TDH_INTYPE_HEXINT32 = 20,
	TDH_INTYPE_HEXINT64 = 21,
	TDH_INTYPE_MANIFEST_COUNTEDSTRING = 22,	/* u16 of bytes, then so many, UTF-16 */
	TDH_INTYPE_MANIFEST_COUNTEDANSISTRING = 23,	/* u16 of bytes, then so many */
	TDH_INTYPE_RESERVED24 = 24,	/* TraceLogging's structures */
	TDH_INTYPE_MANIFEST_COUNTEDBINARY = 25,	/* u16 of bytes, then so many */
	/* of classic (MOF) events */
	TDH_INTYPE_COUNTEDSTRING = 300,	/* as 22 */
	TDH_INTYPE_COUNTEDANSISTRING,	/* as 23 */
	TDH_INTYPE_REVERSEDCOUNTEDSTRING,	/* the u16 is big-endian */
	TDH_INTYPE_REVERSEDCOUNTEDANSISTRING,
	TDH_INTYPE_NONNULLTERMINATEDSTRING,	/* to the end of the event */
	TDH_INTYPE_NONNULLTERMINATEDANSISTRING,
	TDH_INTYPE_UNICODECHAR,		/* 2 bytes */
	TDH_INTYPE_ANSICHAR,		/* 1 byte */
	TDH_INTYPE_SIZET,		/* 4 or 8 bytes, as the writer's */
	TDH_INTYPE_HEXDUMP,		/* u32 of bytes, then so many */
	TDH_INTYPE_WBEMSID		/* two of the writer's pointers, then a SID */
};

enum _TDH_OUT_TYPE {
	TDH_OUTTYPE_NULL = 0,
	TDH_OUTTYPE_STRING = 1,
	TDH_OUTTYPE_DATETIME = 2,
	TDH_OUTTYPE_BYTE = 3,
	TDH_OUTTYPE_UNSIGNEDBYTE = 4,
	TDH_OUTTYPE_SHORT = 5,
	TDH_OUTTYPE_UNSIGNEDSHORT = 6,
	TDH_OUTTYPE_INT = 7,
	TDH_OUTTYPE_UNSIGNEDINT = 8,
	TDH_OUTTYPE_LONG = 9,
	TDH_OUTTYPE_UNSIGNEDLONG = 10,
	TDH_OUTTYPE_FLOAT = 11,
	TDH_OUTTYPE_DOUBLE = 12,
	TDH_OUTTYPE_BOOLEAN = 13,
	TDH_OUTTYPE_GUID = 14,
	TDH_OUTTYPE_HEXBINARY = 15,
	TDH_OUTTYPE_HEXINT8 = 16,
	TDH_OUTTYPE_HEXINT16 = 17,
	TDH_OUTTYPE_HEXINT32 = 18,
	TDH_OUTTYPE_HEXINT64 = 19,
	TDH_OUTTYPE_PID = 20,
	TDH_OUTTYPE_TID = 21,
	TDH_OUTTYPE_PORT = 22,		/* big-endian */
	TDH_OUTTYPE_IPV4 = 23,		/* in network order */
	TDH_OUTTYPE_IPV6 = 24,
	TDH_OUTTYPE_SOCKETADDRESS = 25,	/* a sockaddr as Windows has it */
	TDH_OUTTYPE_CIMDATETIME = 26,
	TDH_OUTTYPE_ETWTIME = 27,
	TDH_OUTTYPE_XML = 28,
	TDH_OUTTYPE_ERRORCODE = 29,
	TDH_OUTTYPE_WIN32ERROR = 30,
	TDH_OUTTYPE_NTSTATUS = 31,
	TDH_OUTTYPE_HRESULT = 32,
	TDH_OUTTYPE_CULTURE_INSENSITIVE_DATETIME = 33,
	TDH_OUTTYPE_JSON = 34,
	TDH_OUTTYPE_UTF8 = 35,
	TDH_OUTTYPE_PKCS7_WITH_TYPE_INFO = 36,
	TDH_OUTTYPE_CODE_POINTER = 37,
	TDH_OUTTYPE_DATETIME_UTC = 38,
	TDH_OUTTYPE_REDUCEDSTRING = 300,
	TDH_OUTTYPE_NOPRINT = 301
};

#endif /* ETW_TDHTYPES_H */
