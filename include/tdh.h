/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tdh.h - Trace Data Helper: what the events of a trace mean
 *
 * Link with -ltdh.  In an EventRecordCallback:
 *
 *	TdhGetEventInformation()	names of the event, and its fields' types
 *	TdhFormatProperty()		one value after the other as text, or
 *	TdhGetProperty()		the bytes of a field by its name
 *
 * Schemas come from the TraceLogging metadata within an event, from manifests that are
 * installed ("etw manifest install") or loaded (TdhLoadManifest()), and from those of
 * classic events that are built in.  C programs that need not be Windows' will find
 * <etw/decode.h> shorter and faster; both stand on the same decoder.
 *
 * Parts of an event are found by their lengths, and no length is trusted: an event may
 * hold anything.
 *
 * Functions return an ERROR_ code.  Those with @BufferSize: in: bytes at the buffer,
 * which may be NULL if these are 0; out: bytes used, or needed.  Where there are too
 * few they return ERROR_INSUFFICIENT_BUFFER and write nothing.  All of them may be
 * called from any number of threads at once, and from callbacks.
 *
 * Semantics: Microsoft's pages of the functions.  What is different here: WPP events
 * are not decoded, and ERROR_WMI_SERVER_UNAVAILABLE does not occur.
 */
#ifndef ETW_TDH_H
#define ETW_TDH_H

#include <evntcons.h>
#include <evntprov.h>
#include <evntrace.h>
#include <etw/tdh_info.h>
#include <etw/tdh_payload.h>
#include <etw/tdh_provider.h>
#include <etw/winerror.h>
#include <etw/wintypes.h>

#ifndef TDHAPI
#define TDHAPI		ULONG WINAPI
#endif

ETW_BEGIN_DECLS

/**
 * TdhGetEventInformation() - the schema of an event
 * @Event: as the callback got it
 * @TdhContextCount: contexts at @TdhContext; each type at most once
 * @TdhContext: only TDH_CONTEXT_POINTERSIZE has a meaning here; may be NULL for 0
 * @Buffer: filled
 * @BufferSize: see above
 *
 * An event written by EventWriteString() has no schema, but the flag
 * EVENT_HEADER_FLAG_STRING_ONLY: its payload is the string, in UTF-16.
 *
 * Return: ERROR_SUCCESS; ERROR_INSUFFICIENT_BUFFER; ERROR_NOT_FOUND: nobody knows the
 * event; ERROR_EVT_INVALID_EVENT_DATA: its own metadata are malformed;
 * ERROR_NOT_SUPPORTED: a WPP event; ERROR_INVALID_PARAMETER: a NULL pointer, a context
 * of an unknown type, twice or with a bad value; ERROR_NOT_ENOUGH_MEMORY.
 *
 * Semantics: Microsoft's page "TdhGetEventInformation function".
 */
ETW_API TDHSTATUS WINAPI TdhGetEventInformation(PEVENT_RECORD Event, ULONG TdhContextCount,
						PTDH_CONTEXT TdhContext,
						PTRACE_EVENT_INFO Buffer, ULONG *BufferSize);

/**
 * TdhGetEventMapInformation() - the names of a field's values
 * @pEvent: as the callback got it
 * @pMapName: see EVENT_PROPERTY_INFO: MapNameOffset
 * @pBuffer: filled; each name ends with a blank, as Windows has it
 * @pBufferSize: see above
 *
 * Of a pattern map, InputOffset is the expression that finds a text, OutputOffset the
 * one that replaces it.  The schema of manifests has them, but says that nobody uses
 * them: TdhFormatProperty() and the decoder do not, either.
 *
 * Return: as TdhGetEventInformation(); ERROR_NOT_FOUND also: no such map.
 *
 * Semantics: Microsoft's page "TdhGetEventMapInformation function".
 */
ETW_API TDHSTATUS WINAPI TdhGetEventMapInformation(PEVENT_RECORD pEvent, PWSTR pMapName,
						   PEVENT_MAP_INFO pBuffer,
						   ULONG *pBufferSize);

/**
 * TdhGetPropertySize() - how many bytes TdhGetProperty() gives
 * @pEvent: as the callback got it
 * @TdhContextCount: as of TdhGetEventInformation()
 * @pTdhContext: likewise
 * @PropertyDataCount: 1, or one more for each structure around the field
 * @pPropertyData: the way to it, from the top level
 * @pPropertySize: bytes
 *
 * Return: as TdhGetProperty().
 *
 * Semantics: Microsoft's page "TdhGetPropertySize function".
 */
ETW_API TDHSTATUS WINAPI TdhGetPropertySize(PEVENT_RECORD pEvent, ULONG TdhContextCount,
					    PTDH_CONTEXT pTdhContext, ULONG PropertyDataCount,
					    PPROPERTY_DATA_DESCRIPTOR pPropertyData,
					    ULONG *pPropertySize);

/**
 * TdhGetProperty() - the bytes of a field
 * @pEvent: as the callback got it
 * @TdhContextCount: as of TdhGetEventInformation()
 * @pTdhContext: likewise
 * @PropertyDataCount: 1, or one more for each structure around the field
 * @pPropertyData: the way to it, from the top level.  ArrayIndex ULONG_MAX: all elements
 *	of an array, or what is none; of a structure around it: the first element
 * @BufferSize: bytes at @pBuffer
 * @pBuffer: the bytes as they are in the payload: counted strings have their count,
 *	other strings their NUL, if there is one
 *
 * Return: ERROR_SUCCESS; ERROR_INSUFFICIENT_BUFFER; ERROR_NOT_FOUND: nobody knows the
 * event, it has no such field, or the array no such element;
 * ERROR_EVT_INVALID_EVENT_DATA: the payload ends before the field does, or does not fit
 * the schema; ERROR_INVALID_PARAMETER: a NULL pointer, no descriptor, a context as
 * above, members asked of what is no structure; ERROR_NOT_SUPPORTED: a WPP event;
 * ERROR_NOT_ENOUGH_MEMORY.
 *
 * Semantics: Microsoft's page "TdhGetProperty function".
 */
ETW_API TDHSTATUS WINAPI TdhGetProperty(PEVENT_RECORD pEvent, ULONG TdhContextCount,
					PTDH_CONTEXT pTdhContext, ULONG PropertyDataCount,
					PPROPERTY_DATA_DESCRIPTOR pPropertyData,
					ULONG BufferSize, PBYTE pBuffer);

/**
 * TdhFormatProperty() - a value as text
 * @EventInfo: of the event
 * @MapInfo: names of the field's values; may be NULL
 * @PointerSize: of the event's writer: 4 or 8
 * @PropertyInType: TDH_INTYPE_
 * @PropertyOutType: TDH_OUTTYPE_; 0: the in-type's own
 * @PropertyLength: what the schema or another field says: UNICODESTRING: characters,
 *	ANSISTRING and BINARY: bytes; 0: none, the string ends with a NUL or the payload;
 *	16 for IPv6 addresses; of no meaning for others
 * @UserDataLength: bytes at @UserData
 * @UserData: where the value begins in the payload, which may be anywhere
 * @BufferSize: in bytes, the NUL included; see above
 * @Buffer: the text
 * @UserDataConsumed: bytes of the payload that the value takes
 *
 * One value at a time: the caller walks through arrays and structures.
 *
 * Return: ERROR_SUCCESS; ERROR_INSUFFICIENT_BUFFER: *@UserDataConsumed is set all the
 * same; ERROR_EVT_INVALID_EVENT_DATA: there are too few bytes, or @MapInfo has no name
 * for the value (try without it); ERROR_INVALID_PARAMETER: a NULL pointer, another
 * pointer size, a type that does not exist or that needs a length and has none;
 * ERROR_NOT_ENOUGH_MEMORY.
 *
 * Semantics: Microsoft's page "TdhFormatProperty function".
 */
ETW_API TDHSTATUS WINAPI TdhFormatProperty(PTRACE_EVENT_INFO EventInfo, PEVENT_MAP_INFO MapInfo,
					   ULONG PointerSize, USHORT PropertyInType,
					   USHORT PropertyOutType, USHORT PropertyLength,
					   USHORT UserDataLength, PBYTE UserData,
					   PULONG BufferSize, PWCHAR Buffer,
					   PUSHORT UserDataConsumed);
/* The same in UTF-8 */
ETW_API TDHSTATUS WINAPI TdhFormatPropertyA(PTRACE_EVENT_INFO EventInfo,
					    PEVENT_MAP_INFO MapInfo,
					    ULONG PointerSize, USHORT PropertyInType,
					    USHORT PropertyOutType, USHORT PropertyLength,
					    USHORT UserDataLength, PBYTE UserData,
					    PULONG BufferSize, PCHAR Buffer,
					    PUSHORT UserDataConsumed);

/* ---------------------------------------------------------- decoding handles */

/* Made for WPP, which is not decoded here; keeps parameters, that is all. */
typedef HANDLE TDH_HANDLE, *PTDH_HANDLE;

/**
 * TdhOpenDecodingHandle() - a handle for the functions below
 * @Handle: TdhCloseDecodingHandle() frees it
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: NULL; ERROR_NOT_ENOUGH_MEMORY.
 *
 * Semantics: Microsoft's page "TdhOpenDecodingHandle function".
 */
ETW_API TDHSTATUS WINAPI TdhOpenDecodingHandle(PTDH_HANDLE Handle);

/**
 * TdhSetDecodingParameter() - keep a parameter
 * @Handle: as TdhOpenDecodingHandle() gave it; of one thread at a time
 * @TdhContext: one; TDH_CONTEXT_POINTERSIZE takes 4 and 8.  Strings are copied
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: a NULL pointer, a bad value;
 * ERROR_NOT_SUPPORTED: an unknown type; ERROR_NOT_ENOUGH_MEMORY.
 *
 * Semantics: Microsoft's page "TdhSetDecodingParameter function".
 */
ETW_API TDHSTATUS WINAPI TdhSetDecodingParameter(TDH_HANDLE Handle, PTDH_CONTEXT TdhContext);

/**
 * TdhGetDecodingParameter() - what was kept
 * @Handle: as TdhOpenDecodingHandle() gave it; of one thread at a time
 * @TdhContext: ParameterType says what; the rest is filled.  Strings are the handle's
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: a NULL pointer;
 * ERROR_NOT_SUPPORTED: an unknown type; ERROR_NOT_FOUND: it was not set.
 *
 * Semantics: Microsoft's page "TdhGetDecodingParameter function".
 */
ETW_API TDHSTATUS WINAPI TdhGetDecodingParameter(TDH_HANDLE Handle, PTDH_CONTEXT TdhContext);

/**
 * TdhGetWppProperty(), TdhGetWppMessage() - not here: WPP's formats (TMF files, PDBs) are
 * of Microsoft's compilers
 *
 * Return: ERROR_NOT_SUPPORTED; ERROR_INVALID_PARAMETER: a NULL pointer.
 *
 * Semantics: Microsoft's pages "TdhGetWppProperty function" and "TdhGetWppMessage
 * function".
 */
ETW_API TDHSTATUS WINAPI TdhGetWppProperty(TDH_HANDLE Handle, PEVENT_RECORD EventRecord,
					   PWSTR PropertyName, PULONG BufferSize,
					   PBYTE Buffer);
ETW_API TDHSTATUS WINAPI TdhGetWppMessage(TDH_HANDLE Handle, PEVENT_RECORD EventRecord,
					  PULONG BufferSize, PBYTE Buffer);

/**
 * TdhCloseDecodingHandle() - free a handle
 * @Handle: no other function uses it
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: NULL.
 *
 * Semantics: Microsoft's page "TdhCloseDecodingHandle function".
 */
ETW_API TDHSTATUS WINAPI TdhCloseDecodingHandle(TDH_HANDLE Handle);

ETW_END_DECLS

#endif /* ETW_TDH_H */
