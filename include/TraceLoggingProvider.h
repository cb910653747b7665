/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * TraceLoggingProvider.h - events that say themselves what is in them
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
 * are string literals in UTF-8.  Each event carries its name and those of its fields, so
 * that no manifest is needed to read it; they are constants of the program, made by the
 * compiler, and lie in its section etw_tl (<etw/tracelogging/base.h>).
 *
 * While no session wants an event its macro costs a test, in a kernel module a patched-out
 * branch, and none of its arguments is evaluated.  Before a provider is registered, and
 * after it was unregistered, events do nothing.  Registering and unregistering one
 * provider is for one thread at a time; everything else is for any thread at any time.
 *
 * In a program a callback is libetw's own affair only where one was given: without, there
 * is no thread, and a child that was forked is enabled as its parent was.  A kernel module
 * gets a negative errno where a driver of Windows gets an NTSTATUS; one that includes
 * <etw/nt/etw.h>, or <wdm.h>, has Windows' types and the NTSTATUS
 * (<etw/tracelogging/nt.h>).
 *
 *	<etw/tracelogging/provider.h>	providers: defining, registering, asking
 *	<etw/tracelogging/write.h>	TraceLoggingWrite() and its like
 *	<etw/tracelogging/scalar.h>	fields: one value, arrays of values
 *	<etw/tracelogging/field.h>	options of events; strings, binaries, structures
 *	<etw/tracelogging/value.h>	TraceLoggingValue()
 *	<etw/tracelogging/nt.h>	differences in a module written as a Windows driver
 *	<TraceLoggingActivity.h>	activities, for C++
 *
 * A source may name functions to be called in place of libetw's: TLG_EVENT_REGISTER,
 * _UNREGISTER, _WRITE_TRANSFER, _WRITE_EX and _SET_INFORMATION, as for Windows' header
 * (<etw/tracelogging/provider.h>; in a kernel module <etw/tracelogging/nt.h>).
 *
 * Semantics: Microsoft's pages below "TraceLogging API" and "TraceLogging Wrapper Macros";
 * what lies in an event is that of TraceLoggingProvider.h of the Windows SDK.
 */
#ifndef ETW_TRACELOGGINGPROVIDER_H
#define ETW_TRACELOGGINGPROVIDER_H

#include <etw/tracelogging/write.h>
#ifdef ETW_NTETW_H
#include <etw/tracelogging/nt.h>
#endif

#endif /* ETW_TRACELOGGINGPROVIDER_H */
