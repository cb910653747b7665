/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tl_own.h - TraceLogging with functions that the program supplies, TLG_...; for C and
 * C++
 *
 * It calls no function of libetw: the program links without it.
 */
#include <stdio.h>
#include <string.h>
#include <evntprov.h>
#include "lib/tap.h"

struct own_state {
	unsigned int registers, unregisters, transfers, writes, sets;
	LPCGUID id;
	PENABLECALLBACK callback;
	PVOID context;
	ULONG error;			/* of the next registration */
	ULONG pieces;
	ULONG64 filter;
	const void *traits;
	ULONG traits_size;
	EVENT_INFO_CLASS what;
};

static struct own_state own;

static ULONG own_register(LPCGUID id, PENABLECALLBACK callback, PVOID context, PREGHANDLE handle)
{
	own.registers++;
	own.id = id;
	own.callback = callback;
	own.context = context;
	*handle = 0x77;
	return own.error;
}

static ULONG own_unregister(REGHANDLE handle)
{
	own.unregisters += handle == 0x77;
	return ERROR_SUCCESS;
}

static ULONG own_transfer(REGHANDLE handle, PCEVENT_DESCRIPTOR desc, LPCGUID activity,
			  LPCGUID related, ULONG count, PEVENT_DATA_DESCRIPTOR data)
{
	own.transfers += handle == 0x77 && desc->Channel == 11 && data[0].Type == 2 &&
			 !activity == !related;
	own.pieces = count;
	return ERROR_SUCCESS;
}

static ULONG own_write(REGHANDLE handle, PCEVENT_DESCRIPTOR desc, ULONG64 filter, ULONG flags,
		       LPCGUID activity, LPCGUID related, ULONG count,
		       PEVENT_DATA_DESCRIPTOR data)
{
	own.writes += own_transfer(handle, desc, activity, related, count, data) == 0 && !flags;
	own.filter = filter;
	return ERROR_SUCCESS;
}

static ULONG own_set(REGHANDLE handle, EVENT_INFO_CLASS what, PVOID information, ULONG size)
{
	own.sets += handle == 0x77;
	own.what = what;
	own.traits = information;
	own.traits_size = size;
	return ERROR_ACCESS_DENIED;
}

/* Function-like macros work, too. */
#define TLG_EVENT_REGISTER		own_register
#define TLG_EVENT_UNREGISTER		own_unregister
#define TLG_EVENT_WRITE_TRANSFER(h, d, a, r, n, p)	own_transfer(h, d, a, r, n, p)
#define TLG_EVENT_WRITE_EX		own_write
#define TLG_EVENT_SET_INFORMATION	own_set
#define TLG_HAVE_EVENT_SET_INFORMATION	1

#include <TraceLoggingProvider.h>

TRACELOGGING_DEFINE_PROVIDER(tl_provider, "Own", (7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));

static unsigned int calls;

static VOID NTAPI on_enable(LPCGUID source, ULONG control, UCHAR level, ULONGLONG any,
			    ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	(void)source, (void)filter;
	calls += control == EVENT_CONTROL_CODE_CAPTURE_STATE || level == 4 ? context == &calls : 0;
	calls += any == 0xFFFF || all == 0xFFFF;
}

static void notify(ULONG control, UCHAR level, ULONGLONG any, ULONGLONG all)
{
	own.callback(own.id, control, level, any, all, NULL, own.context);
}

/* The number of events written: one of level 4 and keyword 1, one of level 5, one of level 0 */
static unsigned int written(void)
{
	unsigned int before = own.transfers, sum;

	TraceLoggingWrite(tl_provider, "e", TraceLoggingLevel(4), TraceLoggingKeyword(1));
	sum = own.transfers - before;
	TraceLoggingWrite(tl_provider, "e", TraceLoggingKeyword(1));
	sum += 10 * (own.transfers - before - sum);
	before = own.transfers;
	TraceLoggingWrite(tl_provider, "e", TraceLoggingLevel(0));
	return sum + 100 * (own.transfers - before);
}

static void registering(void)
{
	own.error = ERROR_ACCESS_DENIED;
	is(TraceLoggingRegister(tl_provider), E_ACCESSDENIED, "a refusal");
	is(own.sets, 0, "has no traits");
	notify(EVENT_CONTROL_CODE_ENABLE_PROVIDER, 5, 0, 0);
	is(written(), 0, "and no events");
	own.error = 0;
	is(TraceLoggingRegisterEx(tl_provider, on_enable, &calls), S_OK, "register");
	ok(own.registers == 2 && own.id->Data1 == 7, "by the program's function");
	ok(own.sets == 1 && own.what == EventProviderSetTraits && own.traits_size == 6 &&
	   !memcmp(own.traits, "\6\0Own", 6), "with traits");
	is(TraceLoggingRegister(tl_provider), E_UNEXPECTED, "once");
}

int main(void)
{
	registering();
	is(written(), 0, "not enabled");
	notify(EVENT_CONTROL_CODE_ENABLE_PROVIDER, 4, 0, 0);
	is(written(), 101, "enabled for level 4");
	is(calls, 1, "and the callback ran");
	notify(EVENT_CONTROL_CODE_CAPTURE_STATE, 0, 0xFFFF, 0);
	is(calls, 3, "of a request as well");
	is(written(), 101, "which changes nothing");
	notify(EVENT_CONTROL_CODE_ENABLE_PROVIDER, 0, 0xF0, 0);
	is(written(), 100, "enabled for another keyword");
	ok(TraceLoggingProviderEnabled(tl_provider, 255, 0x10) &&
	   !TraceLoggingProviderEnabled(tl_provider, 1, 1), "TraceLoggingProviderEnabled()");
	notify(EVENT_CONTROL_CODE_ENABLE_PROVIDER, 0, 3, 3);
	is(written(), 100, "for all of two keywords");
	notify(EVENT_CONTROL_CODE_ENABLE_PROVIDER, 5, 0, 0);
	is(written(), 111, "for everything");
	TraceLoggingWriteEx(tl_provider, "e", 9, 0, NULL, NULL, TraceLoggingInt8(1, "f"));
	ok(own.writes == 1 && own.filter == 9 && own.pieces == 3, "TraceLoggingWriteEx()");
	is(TraceLoggingSetInformation(tl_provider, EventProviderUseDescriptorType, &own, 1),
	   E_ACCESSDENIED, "TraceLoggingSetInformation()");
	is(own.sets, 2, "calls the program's function");
	notify(EVENT_CONTROL_CODE_DISABLE_PROVIDER, 0, 0, 0);
	is(written(), 0, "disabled");
	TraceLoggingUnregister(tl_provider);
	is(own.unregisters, 1, "unregister");
	notify(EVENT_CONTROL_CODE_ENABLE_PROVIDER, 5, 0, 0);
	is(written(), 0, "no event after that");
	return done_testing();
}
