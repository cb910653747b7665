// SPDX-License-Identifier: GPL-2.0-only
/*
 * tl.c - TraceLogging, used as in a Windows driver
 *
 * A session must have enabled ETW_KM_TL_GUID with level 4 and keyword 0x10.  Writes
 * "Plain", "Activity" and "Ex", for selftests/vm/provider/mc_km.c.
 */
#include <ntddk.h>
#include "module.h"

static ULONG TlCalls, TlWrites;

/* Called in place of EtwWriteEx() */
static NTSTATUS TlWriteEx(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
			  ULONG64 Filter, ULONG Flags, LPCGUID ActivityId,
			  LPCGUID RelatedActivityId, ULONG UserDataCount,
			  PEVENT_DATA_DESCRIPTOR UserData)
{
	TlWrites++;
	return EtwWriteEx(RegHandle, EventDescriptor, Filter, Flags, ActivityId,
			  RelatedActivityId, UserDataCount, UserData);
}

#define TLG_EVENT_WRITE_EX	TlWriteEx

#include <TraceLoggingProvider.h>

#include <linux/delay.h>
#include "etw_km.h"

/* ETW_KM_TL_GUID */
TRACELOGGING_DEFINE_PROVIDER(TlProvider, "Etw.Km.TraceLogging",
	(0x5d1b6a0f, 0x3f3c, 0x4c39, 0x9a, 0x51, 0x7b, 0xe0, 0xc1, 0xd2, 0xe3, 7));

static VOID NTAPI TlCallback(_In_ LPCGUID SourceId, _In_ ULONG ControlCode, _In_ UCHAR Level,
			     _In_ ULONGLONG MatchAnyKeyword, _In_ ULONGLONG MatchAllKeyword,
			     _In_opt_ PEVENT_FILTER_DESCRIPTOR FilterData,
			     _Inout_opt_ PVOID CallbackContext)
{
	UNREFERENCED_PARAMETER(SourceId);
	UNREFERENCED_PARAMETER(MatchAllKeyword);
	UNREFERENCED_PARAMETER(FilterData);
	KM_CHECK(CallbackContext == &TlCalls);
	if (ControlCode == EVENT_CONTROL_CODE_ENABLE_PROVIDER)
		KM_CHECK(Level == 4 && MatchAnyKeyword == 0x10);
	WRITE_ONCE(TlCalls, TlCalls + 1);
}

static void tl_write(void)
{
	GUID Activity = ETW_KM_TL_ACTIVITY, Related = TraceLoggingProviderId(TlProvider);
	static const SID Sid = { 1, 1, { { 0, 0, 0, 0, 0, 5 } }, { 18 } };
	FILETIME Time = { 1, 2 };

	KM_CHECK(TraceLoggingProviderEnabled(TlProvider, 4, 0x10));
	TraceLoggingWrite(TlProvider, "Plain", TraceLoggingLevel(4), TraceLoggingKeyword(0x10),
			  TraceLoggingNTStatus(STATUS_NO_MEMORY, "Status"));
	TraceLoggingWriteActivity(TlProvider, "Activity", &Activity, &Related,
				  TraceLoggingLevel(4), TraceLoggingKeyword(0x10),
				  TraceLoggingValue(Activity, "Id"), TraceLoggingValue(Time, "Time"),
				  TraceLoggingValue(&Sid, "Sid"));
	TraceLoggingWriteEx(TlProvider, "Ex", 0, 0, &Activity, NULL, TraceLoggingLevel(4),
			    TraceLoggingKeyword(0x10), TraceLoggingLong(1, "One"));
	KM_CHECK(TlWrites == 1);
}

int km_tracelogging(void)
{
	static const UCHAR Traits[] = { 5, 0, 'T', 'l', 0 };
	BOOLEAN On = TRUE;
	int i;

	TlCalls = 0;
	TlWrites = 0;
	KM_CHECK(TraceLoggingSetInformation(TlProvider, EventProviderUseDescriptorType, &On,
					    sizeof(On)) == STATUS_INVALID_HANDLE);
	KM_CHECK(TraceLoggingRegisterEx(TlProvider, TlCallback, &TlCalls) == STATUS_SUCCESS);
	KM_CHECK(TraceLoggingRegister(TlProvider) == STATUS_OBJECT_NAME_COLLISION);
	tl_write();
	for (i = 0; i < 1000 && !READ_ONCE(TlCalls); i++)
		msleep(20);
	KM_CHECK(TlCalls > 0);
	KM_CHECK(TraceLoggingSetInformation(TlProvider, EventProviderSetTraits, (PVOID)Traits,
					    sizeof(Traits)) == STATUS_OBJECT_NAME_COLLISION);
	KM_CHECK(TraceLoggingSetInformation(TlProvider, EventProviderUseDescriptorType, &On,
					    sizeof(On)) == STATUS_SUCCESS);
	TraceLoggingUnregister(TlProvider);
	KM_CHECK(!TraceLoggingProviderEnabled(TlProvider, 0, 0));
	TraceLoggingUnregister(TlProvider);
	KM_CHECK(TraceLoggingRegister(TlProvider) == STATUS_SUCCESS);
	TraceLoggingUnregister(TlProvider);
	return 0;
}
