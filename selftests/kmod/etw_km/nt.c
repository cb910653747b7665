// SPDX-License-Identifier: GPL-2.0-only
/*
 * nt.c - the functions of etw/nt/etw.h, used as in a Windows driver
 *
 * A session must have enabled ETW_KM_NT_GUID with level 4 and keyword 0x10.  Writes
 * events 1 to 4, then a string, for selftests/vm/provider/mc_km.c.
 */
#include <initguid.h>
#include <ntddk.h>
#include <WinMeta.h>
#include <Evntrace.h>
#include <EvntProv.h>
#include <sal.h>

#include <linux/delay.h>
#include "etw_km.h"
#include "module.h"

/* ETW_KM_NT_GUID */
DEFINE_GUID(NtProvider, 0x5d1b6a0f, 0x3f3c, 0x4c39, 0x9a, 0x51, 0x7b, 0xe0, 0xc1, 0xd2, 0xe3, 5);

static const EVENT_DESCRIPTOR NtEvent = {
	1, 0, 0, TRACE_LEVEL_INFORMATION, WINEVENT_OPCODE_START, 7, 0x10
};

static REGHANDLE NtHandle;
static ULONG NtCalls;
static NTSTATUS NtInside;

static ETWENABLECALLBACK NtCallback;

static VOID NTAPI NtCallback(_In_ LPCGUID SourceId, _In_ ULONG ControlCode, _In_ UCHAR Level,
			     _In_ ULONGLONG MatchAnyKeyword, _In_ ULONGLONG MatchAllKeyword,
			     _In_opt_ PEVENT_FILTER_DESCRIPTOR FilterData,
			     _Inout_opt_ PVOID CallbackContext)
{
	int i;

	UNREFERENCED_PARAMETER(SourceId);
	UNREFERENCED_PARAMETER(MatchAllKeyword);
	UNREFERENCED_PARAMETER(FilterData);
	PAGED_CODE();
	KM_CHECK(KeGetCurrentIrql() == PASSIVE_LEVEL);
	KM_CHECK(CallbackContext == &NtCalls);
	if (ControlCode == EVENT_CONTROL_CODE_ENABLE_PROVIDER)
		KM_CHECK(Level == 4 && MatchAnyKeyword == 0x10);
	/* The callback may run before EtwRegister() has returned. */
	for (i = 0; i < 1000 && !READ_ONCE(NtHandle); i++)
		msleep(20);
	NtInside = EtwUnregister(NtHandle);
	WRITE_ONCE(NtCalls, NtCalls + 1);
}

static void nt_write(void)
{
	EVENT_DESCRIPTOR event = NtEvent;
	static EVENT_DATA_DESCRIPTOR data[MAX_EVENT_DATA_DESCRIPTORS + 1];
	GUID activity, related = NtProvider;
	ULONG number = 0x11223344, i;

	EventDataDescCreate(&data[0], &number, sizeof(number));
	KM_CHECK(EtwEventEnabled(NtHandle, &event));
	KM_CHECK(EtwProviderEnabled(NtHandle, 4, 0x10) && EtwProviderEnabled(NtHandle, 0, 0));
	KM_CHECK(!EtwProviderEnabled(NtHandle, 5, 0x10));
	KM_CHECK(EtwActivityIdControl(EVENT_ACTIVITY_CTRL_CREATE_ID, &activity) == STATUS_SUCCESS);
	KM_CHECK(EtwActivityIdControl(77, &activity) == STATUS_INVALID_PARAMETER);
	KM_CHECK(EtwWrite(NtHandle, &event, &activity, 1, data) == STATUS_SUCCESS);
	EventDescSetId(&event, 2);
	KM_CHECK(EtwWriteTransfer(NtHandle, &event, NULL, &related, 1, data) == STATUS_SUCCESS);
	EventDescSetId(&event, 3);
	KM_CHECK(EtwWriteEx(NtHandle, &event, 0, EVENT_WRITE_FLAG_NO_FAULTING, NULL, NULL, 1,
			    data) == STATUS_SUCCESS);
	KM_CHECK(EtwWriteEx(NtHandle, &event, ~0ull, 0, NULL, NULL, 1, data) == STATUS_SUCCESS);
	for (i = 0; i < ARRAY_SIZE(data); i++)
		EventDataDescCreate(&data[i], &number, 1);
	EventDescSetId(&event, 4);
	KM_CHECK(EtwWrite(NtHandle, &event, NULL, 128, data) == STATUS_SUCCESS);
	KM_CHECK(EtwWrite(NtHandle, &event, NULL, 129, data) == STATUS_INVALID_PARAMETER);
	KM_CHECK(EtwWrite(NtHandle, &event, NULL, 1, NULL) == STATUS_INVALID_PARAMETER);
	KM_CHECK(EtwWrite(NtHandle, NULL, NULL, 1, data) == STATUS_INVALID_PARAMETER);
	EventDataDescCreate(&data[0], &number, 0x10000);
	KM_CHECK(EtwWrite(NtHandle, &event, NULL, 1, data) == STATUS_INTEGER_OVERFLOW);
	KM_CHECK(EtwWriteString(NtHandle, 4, 0x10, NULL, L"string") == STATUS_SUCCESS);
	KM_CHECK(EtwWriteString(NtHandle, 4, 0x10, NULL, NULL) == STATUS_INVALID_PARAMETER);
}

static void nt_information(void)
{
	static const UCHAR traits[] = { 5, 0, 'N', 't', 0 };
	BOOLEAN on = TRUE;

	KM_CHECK(EtwSetInformation(NtHandle, EventProviderUseDescriptorType, &on, sizeof(on)) ==
		 STATUS_SUCCESS);
	KM_CHECK(EtwSetInformation(NtHandle, EventProviderUseDescriptorType, &on, 2) ==
		 STATUS_INVALID_PARAMETER);
	KM_CHECK(EtwSetInformation(NtHandle, EventProviderSetTraits, (PVOID)traits, 4) ==
		 STATUS_INVALID_PARAMETER);
	KM_CHECK(EtwSetInformation(NtHandle, EventProviderSetTraits, (PVOID)traits, 5) ==
		 STATUS_SUCCESS);
	KM_CHECK(EtwSetInformation(NtHandle, EventProviderSetTraits, (PVOID)traits, 5) ==
		 STATUS_OBJECT_NAME_COLLISION);
	KM_CHECK(EtwSetInformation(NtHandle, EventProviderBinaryTrackInfo, NULL, 0) ==
		 STATUS_INVALID_DEVICE_REQUEST);
	KM_CHECK(EtwSetInformation(0, EventProviderSetTraits, (PVOID)traits, 5) ==
		 STATUS_INVALID_HANDLE);
}

static void nt_no_handle(void)
{
	static const GUID none;
	REGHANDLE handle = 7;

	KM_CHECK(EtwWrite(0, &NtEvent, NULL, 0, NULL) == STATUS_INVALID_HANDLE);
	KM_CHECK(EtwWriteString(0, 4, 0x10, NULL, L"x") == STATUS_INVALID_HANDLE);
	KM_CHECK(EtwUnregister(0) == STATUS_INVALID_HANDLE);
	KM_CHECK(!EtwEventEnabled(0, &NtEvent) && !EtwProviderEnabled(0, 0, 0));
	KM_CHECK(EtwRegister(&NtProvider, NULL, NULL, NULL) == STATUS_INVALID_PARAMETER);
	KM_CHECK(EtwRegister(NULL, NULL, NULL, &handle) == STATUS_INVALID_PARAMETER);
	KM_CHECK(EtwRegister(&none, NULL, NULL, &handle) == STATUS_INVALID_PARAMETER);
	KM_CHECK(handle == 7);
}

/* Every row of the table, in both directions where there are two */
static void nt_status_codes(void)
{
	static const struct {
		int err;
		NTSTATUS status;
		int back;
	} table[] = {
		{ 0, STATUS_SUCCESS, 0 },
		{ -EINVAL, STATUS_INVALID_PARAMETER, -EINVAL },
		{ -EBADF, STATUS_INVALID_HANDLE, -EBADF },
		{ -ENOMEM, STATUS_NO_MEMORY, -ENOMEM },
		{ -ENOBUFS, STATUS_NO_MEMORY, -ENOMEM },
		{ -EMSGSIZE, STATUS_BUFFER_OVERFLOW, -EIO },
		{ -EOVERFLOW, STATUS_INTEGER_OVERFLOW, -EIO },
		{ -EEXIST, STATUS_OBJECT_NAME_COLLISION, -EEXIST },
		{ -EBUSY, STATUS_OBJECT_NAME_COLLISION, -EEXIST },
		{ -EPERM, STATUS_ACCESS_DENIED, -EPERM },
		{ -EACCES, STATUS_ACCESS_DENIED, -EPERM },
		{ -ENOSPC, STATUS_INSUFFICIENT_RESOURCES, -ENOSPC },
		{ -ENAMETOOLONG, STATUS_NAME_TOO_LONG, -ENAMETOOLONG },
		{ -EDEADLK, STATUS_POSSIBLE_DEADLOCK, -EDEADLK },
		{ -EOPNOTSUPP, STATUS_NOT_SUPPORTED, -EOPNOTSUPP },
		{ -EIO, STATUS_UNSUCCESSFUL, -EIO },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		NTSTATUS status = etw_nt_status(table[i].err);

		KM_CHECK(status == table[i].status);
		KM_CHECK(NT_SUCCESS(status) == !table[i].err);
		KM_CHECK(etw_nt_errno(status) == table[i].back);
	}
}

static void nt_strings(void)
{
	DECLARE_CONST_UNICODE_STRING(constant, L"CVE-0000-0001");
	UNICODE_STRING text = { 1, 1, NULL };

	KM_CHECK(constant.Length == 26 && constant.MaximumLength == 28);
	RtlInitUnicodeString(&text, L"more");
	KM_CHECK(text.Length == 8 && text.MaximumLength == 10 && text.Buffer[3] == 'e');
	KM_CHECK(SeEtwWriteKMCveEvent(&constant, &text) == STATUS_SUCCESS);
	KM_CHECK(SeEtwWriteKMCveEvent(&constant, NULL) == STATUS_SUCCESS);
	KM_CHECK(SeEtwWriteKMCveEvent(NULL, &text) == STATUS_INVALID_PARAMETER);
	RtlInitUnicodeString(&text, NULL);
	KM_CHECK(text.Length == 0 && text.MaximumLength == 0 && !text.Buffer);
	KM_CHECK(SeEtwWriteKMCveEvent(&text, NULL) == STATUS_INVALID_PARAMETER);
}

static void nt_irqls(void)
{
	KM_CHECK(KeGetCurrentIrql() == PASSIVE_LEVEL);
	local_irq_disable();
	KM_CHECK(KeGetCurrentIrql() == DISPATCH_LEVEL);
	local_irq_enable();
}

int km_api(void)
{
	int i;

	nt_status_codes();
	nt_no_handle();
	nt_irqls();
	NtCalls = 0;
	NtHandle = 0;
	KM_CHECK(EtwRegister(&NtProvider, NtCallback, &NtCalls, &NtHandle) == STATUS_SUCCESS);
	nt_write();
	for (i = 0; i < 1000 && !READ_ONCE(NtCalls); i++)
		msleep(20);
	KM_CHECK(NtCalls > 0);
	KM_CHECK(NtInside == STATUS_POSSIBLE_DEADLOCK);
	nt_information();
	KM_CHECK(EtwUnregister(NtHandle) == STATUS_SUCCESS);
	nt_strings();
	return 0;
}
