/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * field.h - TraceLogging: options of an event, strings, binaries, structures
 *
 * [name] stands for [, "name"[, "description"[, tags]]] as in scalar.h.
 *
 * Source: Microsoft's page "TraceLogging Wrapper Macros", and those of the macros by
 * their names.
 */
#ifndef ETW_TRACELOGGING_FIELD_H
#define ETW_TRACELOGGING_FIELD_H

#include <etw/tracelogging/scalar.h>

/* ------------------------------------------------------------------- options */

/*
 * All arguments are constants.  Defaults: level 5 (verbose), opcode 0, channel 11, no
 * keyword, no tags.  Level, opcode and channel are 0 to 255; tags are 28 bits.  If an event
 * has several of an option, keywords and tags are or-ed, and the last of the others counts.
 * Descriptions and attributes are for readers of the source only.
 */
#define TraceLoggingLevel(level)	(EtwTlNone, (), EtwTlNone, (), EtwTlLevel, (level))
#define TraceLoggingOpcode(opcode)	(EtwTlNone, (), EtwTlNone, (), EtwTlOpcode, (opcode))
#define TraceLoggingChannel(channel)	(EtwTlNone, (), EtwTlNone, (), EtwTlChannel, (channel))
#define TraceLoggingKeyword(keyword)	(EtwTlNone, (), EtwTlNone, (), EtwTlKeyword, (keyword))
#define TraceLoggingEventTag(tags)	(EtwTlNone, (), EtwTlNone, (), EtwTlTag, (tags))
#define TraceLoggingDescription(text)	(EtwTlNone, (), EtwTlNone, (), EtwTlNone, ())
#define TraceLoggingCustomAttribute(key, value)	(EtwTlNone, (), EtwTlNone, (), EtwTlNone, ())

/* ------------------------------------------------------------------- strings */

/* Each of these makes a tuple (for_each.h) from expanded arguments. */
#define ETW_TL_STR8(...)	ETW_TL_STR8_(__VA_ARGS__)
#define ETW_TL_STR8_(in, out, value, name, tags) \
	(EtwTlField, (name, in, out, tags), EtwTlStr8, (value), ETW_TL_NONE)
#define ETW_TL_STR16(...)	ETW_TL_STR16_(__VA_ARGS__)
#define ETW_TL_STR16_(ctype, value, name, tags) \
	(EtwTlField, (name, TlgInUNICODESTRING, 0, tags), EtwTlStr16, (ctype, value), ETW_TL_NONE)
#define ETW_TL_COUNTED(...)	ETW_TL_COUNTED_(__VA_ARGS__)
#define ETW_TL_COUNTED_(ctype, unit, in, out, p, n, name, tags) \
	(EtwTlField, (name, in, out, tags), EtwTlCounted, (ctype, unit, p, n), ETW_TL_NONE)
#define ETW_TL_BUFFER(...)	ETW_TL_BUFFER_(__VA_ARGS__)
#define ETW_TL_BUFFER_(ctype, in, out, p, name, tags) \
	(EtwTlField, (name, in, out, tags), EtwTlBuffer, (ctype, p), ETW_TL_NONE)

/*
 * NUL-terminated strings, stored with the NUL; a NULL pointer is an empty string.  String
 * is in the writer's code page, Utf8String in UTF-8, the others in UTF-16.  The units of
 * WideString are WCHAR: wchar_t with -fshort-wchar, else char16_t; u16 in a kernel module.
 * (value[name])
 */
#define TraceLoggingString(...) \
	ETW_TL_STR8(TlgInANSISTRING, 0, ETW_TL_FIRST(__VA_ARGS__), \
		    ETW_TL_NDT(#__VA_ARGS__, __VA_ARGS__))
#define TraceLoggingUtf8String(...) \
	ETW_TL_STR8(TlgInANSISTRING, TlgOutUTF8, ETW_TL_FIRST(__VA_ARGS__), \
		    ETW_TL_NDT(#__VA_ARGS__, __VA_ARGS__))
#define TraceLoggingString16(...) \
	ETW_TL_STR16(etw_tl_char16, ETW_TL_FIRST(__VA_ARGS__), \
		     ETW_TL_NDT(#__VA_ARGS__, __VA_ARGS__))
#define TraceLoggingWideString(...) \
	ETW_TL_STR16(etw_tl_wchar, ETW_TL_FIRST(__VA_ARGS__), \
		     ETW_TL_NDT(#__VA_ARGS__, __VA_ARGS__))

/* count units at p, which may be NULL if there are none; 65,535 bytes at most: (p, count[name]) */
#define TraceLoggingCountedString(p, ...) \
	ETW_TL_COUNTED(char, 1, TlgInCOUNTEDANSISTRING, 0, p, ETW_TL_FIRST(__VA_ARGS__), \
		       ETW_TL_NDT(#p, __VA_ARGS__))
#define TraceLoggingCountedUtf8String(p, ...) \
	ETW_TL_COUNTED(char, 1, TlgInCOUNTEDANSISTRING, TlgOutUTF8, p, \
		       ETW_TL_FIRST(__VA_ARGS__), ETW_TL_NDT(#p, __VA_ARGS__))
#define TraceLoggingCountedString16(p, ...) \
	ETW_TL_COUNTED(etw_tl_char16, 2, TlgInCOUNTEDSTRING, 0, p, ETW_TL_FIRST(__VA_ARGS__), \
		       ETW_TL_NDT(#p, __VA_ARGS__))
#define TraceLoggingCountedWideString(p, ...) \
	ETW_TL_COUNTED(etw_tl_wchar, 2, TlgInCOUNTEDSTRING, 0, p, ETW_TL_FIRST(__VA_ARGS__), \
		       ETW_TL_NDT(#p, __VA_ARGS__))

/* A non-NULL pointer to a struct with Length, in bytes, and Buffer: (p[name]) */
#define TraceLoggingAnsiString(...) \
	ETW_TL_BUFFER(__typeof__(*(ETW_TL_FIRST(__VA_ARGS__))), TlgInCOUNTEDANSISTRING, 0, \
		      ETW_TL_FIRST(__VA_ARGS__), ETW_TL_NDT(#__VA_ARGS__, __VA_ARGS__))
#define TraceLoggingUnicodeString(...) \
	ETW_TL_BUFFER(__typeof__(*(ETW_TL_FIRST(__VA_ARGS__))), TlgInCOUNTEDSTRING, 0, \
		      ETW_TL_FIRST(__VA_ARGS__), ETW_TL_NDT(#__VA_ARGS__, __VA_ARGS__))

/* ------------------------------------------------------------------ binaries */

/* size bytes at p, 65,535 at most: (p, size[name]), (p, size, out-type[name]) */
#define TraceLoggingBinary(p, ...) \
	ETW_TL_COUNTED(void, 1, TlgInBINARY, 0, p, ETW_TL_FIRST(__VA_ARGS__), \
		       ETW_TL_NDT(#p, __VA_ARGS__))
#define TraceLoggingBinaryEx(p, size, ...) \
	ETW_TL_COUNTED(void, 1, TlgInBINARY, ETW_TL_FIRST(__VA_ARGS__), p, size, \
		       ETW_TL_NDT(#p, __VA_ARGS__))

/* Buffer and Length, in bytes, of the struct at p: (p, type[name]), (p, type, out-type[name]) */
#define TraceLoggingBinaryBuffer(p, ...) \
	ETW_TL_BUFFER(ETW_TL_FIRST(__VA_ARGS__), TlgInBINARY, 0, p, ETW_TL_NDT(#p, __VA_ARGS__))
#define TraceLoggingBinaryBufferEx(p, ctype, ...) \
	ETW_TL_BUFFER(ctype, TlgInBINARY, ETW_TL_FIRST(__VA_ARGS__), p, \
		      ETW_TL_NDT(#p, __VA_ARGS__))

/* A struct sockaddr of any family, in the writer's format: (p, size[name]) */
#define TraceLoggingSocketAddress(p, ...) \
	ETW_TL_COUNTED(void, 1, TlgInBINARY, TlgOutSOCKETADDRESS, p, ETW_TL_FIRST(__VA_ARGS__), \
		       ETW_TL_NDT(#p, __VA_ARGS__))
/* 16 bytes in network order; IPv4Address and Port are in scalar.h: (p[name]) */
#define TraceLoggingIPv6Address(...) \
	ETW_TL_COUNTED(void, 1, TlgInBINARY, TlgOutIPV6, ETW_TL_FIRST(__VA_ARGS__), 16, \
		       ETW_TL_NDT(#__VA_ARGS__, __VA_ARGS__))
/* A SID; p must not be NULL: (p[name]) */
#define TraceLoggingSid(...) \
	ETW_TL_SID(ETW_TL_FIRST(__VA_ARGS__), ETW_TL_NDT(#__VA_ARGS__, __VA_ARGS__))
#define ETW_TL_SID(...)		ETW_TL_SID_(__VA_ARGS__)
#define ETW_TL_SID_(p, name, tags) \
	(EtwTlField, (name, TlgInSID, 0, tags), EtwTlSid, (p), ETW_TL_NONE)

/* ---------------------------------------------------------------- structures */

/* The next count (1 to 127) fields are members; a nested structure counts as one: (count, name) */
#define TraceLoggingStruct(count, ...) \
	ETW_TL_META(TlgInSTRUCT, count, ETW_TL_NDT("", count, __VA_ARGS__))
#define ETW_TL_META(...)	ETW_TL_META_(__VA_ARGS__)
#define ETW_TL_META_(in, out, name, tags) \
	(EtwTlField, (name, in, out, tags), EtwTlNone, (), ETW_TL_NONE)

/* ----------------------------------------------------- metadata and data apart */

/*
 * Metadata and bytes of fields given separately, in the same order, for types that the
 * macros above do not have, such as arrays of strings or structures.
 * An array starts with a u16, the number of its elements.
 *	PackedField(p, size, in-type[name]), PackedFieldEx(p, size, in-type, out-type[name])
 *	PackedMetadata(in-type, "name"...), PackedMetadataEx(in-type, out-type, "name"...)
 *	PackedStruct(count, "name"...), PackedStructArray(count, "name"...)
 *	PackedData(p, size), PackedDataEx(p, size, type of data descriptor)
 */
#define TraceLoggingPackedField(p, size, ...) \
	ETW_TL_PACKED(p, size, ETW_TL_FIRST(__VA_ARGS__), 0, ETW_TL_NDT(#p, __VA_ARGS__))
#define TraceLoggingPackedFieldEx(p, size, in, ...) \
	ETW_TL_PACKED(p, size, in, ETW_TL_FIRST(__VA_ARGS__), ETW_TL_NDT(#p, __VA_ARGS__))
#define TraceLoggingPackedMetadata(in, ...) \
	ETW_TL_META(in, 0, ETW_TL_NDT("", in, __VA_ARGS__))
#define TraceLoggingPackedMetadataEx(in, out, ...) \
	ETW_TL_META(in, out, ETW_TL_NDT("", out, __VA_ARGS__))
#define TraceLoggingPackedStruct(count, ...) \
	ETW_TL_META(TlgInSTRUCT, count, ETW_TL_NDT("", count, __VA_ARGS__))
#define TraceLoggingPackedStructArray(count, ...) \
	ETW_TL_META(TlgInSTRUCT | TlgInVcount, count, ETW_TL_NDT("", count, __VA_ARGS__))
#define TraceLoggingPackedData(p, size) \
	(EtwTlNone, (), EtwTlBytes, (p, size, ETW_DATA_PAYLOAD), ETW_TL_NONE)
#define TraceLoggingPackedDataEx(p, size, type) \
	(EtwTlNone, (), EtwTlBytes, (p, size, type), ETW_TL_NONE)
#define ETW_TL_PACKED(...)	ETW_TL_PACKED_(__VA_ARGS__)
#define ETW_TL_PACKED_(p, size, in, out, name, tags) \
	(EtwTlField, (name, in, out, tags), EtwTlBytes, (p, size, ETW_DATA_PAYLOAD), ETW_TL_NONE)

/*
 * size bytes at p in a custom protocol (5 to 31; 0 to 4 are Microsoft's).  The schema,
 * bytes in parentheses such as (0x1, 0x2), becomes part of the metadata:
 * (p, size, protocol, schema, bytes of schema[name])
 */
#define TraceLoggingCustom(p, size, protocol, schema, ...) \
	ETW_TL_CUSTOM(p, size, protocol, schema, ETW_TL_FIRST(__VA_ARGS__), \
		      ETW_TL_NDT(#p, __VA_ARGS__))
#define ETW_TL_CUSTOM(...)	ETW_TL_CUSTOM_(__VA_ARGS__)
#define ETW_TL_CUSTOM_(p, size, protocol, schema, cb, name, tags)		\
	(EtwTlSchema, (name, (protocol) & 31, schema, cb, tags), EtwTlCounted,	\
	 (void, 1, p, size), ETW_TL_NONE)

#endif /* ETW_TRACELOGGING_FIELD_H */
