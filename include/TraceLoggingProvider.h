/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * TraceLoggingProvider.h - events that carry their own description
 *
 *	#include <TraceLoggingProvider.h>
 *
 *	TRACELOGGING_DEFINE_PROVIDER(provider, "Company.Component",
 *		(0x01234567, 0x89ab, 0xcdef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef));
 *
 *	TraceLoggingRegister(provider);
 *	TraceLoggingWrite(provider, "Request",
 *			  TraceLoggingLevel(WINEVENT_LEVEL_INFO),
 *			  TraceLoggingKeyword(0x1),
 *			  TraceLoggingUInt32(size, "Size"),
 *			  TraceLoggingString(path, "Path"));
 *	TraceLoggingUnregister(provider);
 *
 * For programs, in C11 and C++17, linked with -letw; and for kernel modules, in C.  Names
 * are string literals in UTF-8.  Each event carries its name and the names of its fields,
 * so readers need no manifest.  The compiler stores the names as constants in the section
 * etw_tl (tracelogging/base.h).
 *
 * While no session wants an event, its macro costs one test (in a kernel module a
 * patched-out branch) and evaluates no argument.  Before a provider is registered, and
 * after it is unregistered, its macros write nothing.  Only one thread at a time may
 * register or unregister a provider; all other functions may be called by any thread at
 * any time.
 *
 * In a program, libetw starts a thread only for a provider with a callback.  Without a
 * callback, a forked child is enabled like its parent.  In a kernel module, functions
 * return a negative errno instead of an NTSTATUS; a module that includes <etw/nt/etw.h> or
 * <wdm.h> gets Windows' types and NTSTATUS (tracelogging/nt.h).
 *
 *	<etw/tracelogging/provider.h>	providers: define, register, test
 *	<etw/tracelogging/write.h>	TraceLoggingWrite() and its variants
 *	<etw/tracelogging/scalar.h>	fields: one value, arrays of values
 *	<etw/tracelogging/field.h>	options of events; strings, binaries, structures
 *	<etw/tracelogging/value.h>	TraceLoggingValue()
 *	<etw/tracelogging/nt.h>		modules written as Windows drivers
 *	<TraceLoggingActivity.h>	activities, for C++
 *
 * A source file may name functions to call instead of libetw's, with the macros of
 * Windows' header: TLG_EVENT_REGISTER, _UNREGISTER, _WRITE_TRANSFER, _WRITE_EX and
 * _SET_INFORMATION (tracelogging/provider.h; in a kernel module tracelogging/nt.h).
 *
 * Semantics: Microsoft's pages below "TraceLogging API" and "TraceLogging Wrapper Macros";
 * the bytes of an event are those of TraceLoggingProvider.h in the Windows SDK.
 */
#ifndef ETW_TRACELOGGINGPROVIDER_H
#define ETW_TRACELOGGINGPROVIDER_H

#ifdef __cplusplus
extern "C++" {	/* templates, which code may include inside extern "C" { } */
#endif
#include <etw/tracelogging/write.h>
#ifdef __cplusplus
}
#endif
#ifdef ETW_NTETW_H
#include <etw/tracelogging/nt.h>
#endif

#endif /* ETW_TRACELOGGINGPROVIDER_H */
