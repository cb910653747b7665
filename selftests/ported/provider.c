// SPDX-License-Identifier: GPL-2.0-only
//
// A provider as on Windows, with CR LF.  courier.h is what the message compiler makes of
// courier.man; one event is written by its macro, the others by EventWrite.
//
#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>
#include <ws2ipdef.h>
#include <windows.h>
#include <stdio.h>
#include <sddl.h>
#include <evntprov.h>
#include "courier.h"

#pragma comment(lib, "advapi32.lib")

#define STOPS 3
#define FRAGILE 0x1
#define EXPRESS 0x2

typedef struct _STOP {
    LPCWSTR Town;
    USHORT Minutes;
} STOP, *PSTOP;

static ULONG WriteSent(REGHANDLE Handle)
{
    EVENT_DATA_DESCRIPTOR Data[6 + 2 * STOPS];
    STOP Stops[STOPS] = { { L"K\x00F6ln", 20 }, { L"Li\x00E8ge", 95 }, { L"", 0 } };
    LPCWSTR Address = L"12 Rue du Pont, \x20AC 4";
    ULONG Number = 4711;
    ULONG Size = 2;
    ULONG Traits = FRAGILE | EXPRESS;
    PVOID Image = (PVOID)(ULONG_PTR)0x7FFE1234;
    USHORT Count = STOPS;
    ULONG i = 0;
    int j;

    EventDataDescCreate(&Data[i++], &Number, sizeof(ULONG));
    EventDataDescCreate(&Data[i++], Address, (ULONG)((wcslen(Address) + 1) * sizeof(WCHAR)));
    EventDataDescCreate(&Data[i++], &Size, sizeof(ULONG));
    EventDataDescCreate(&Data[i++], &Traits, sizeof(ULONG));
    EventDataDescCreate(&Data[i++], &Image, sizeof(PVOID));
    EventDataDescCreate(&Data[i++], &Count, sizeof(USHORT));

    // The members of a structure are written one by one.
    for (j = 0; j < STOPS; j++)
    {
        EventDataDescCreate(&Data[i++], Stops[j].Town,
            (ULONG)((wcslen(Stops[j].Town) + 1) * sizeof(WCHAR)));
        EventDataDescCreate(&Data[i++], &Stops[j].Minutes, sizeof(USHORT));
    }
    return EventWrite(Handle, &EventParcelSent, i, Data);
}

static ULONG WriteRouted(VOID)
{
    GUID Id = { 0x01234567, 0x89AB, 0xCDEF, { 0, 1, 2, 3, 4, 5, 6, 7 } };
    SYSTEMTIME Time = { 2024, 2, 4, 29, 12, 30, 15, 250 };
    SOCKADDR_IN6 Socket;
    IN6_ADDR Hop6 = IN6ADDR_LOOPBACK_INIT;
    IN_ADDR Hop4;
    FILETIME Due;
    PSID Sender = NULL;
    ULONG Status;

    if (!ConvertStringSidToSid(TEXT("S-1-5-32-544"), &Sender) ||
        !SystemTimeToFileTime(&Time, &Due))
    {
        return GetLastError();
    }
    Hop4.S_un.S_un_b.s_b1 = 192;
    Hop4.S_un.S_un_b.s_b2 = 0;
    Hop4.S_un.S_un_b.s_b3 = 2;
    Hop4.S_un.S_un_b.s_b4 = 17;
    Hop6.u.Word[0] = htons(0x2001);
    Hop6.u.Word[1] = htons(0x0DB8);
    ZeroMemory(&Socket, sizeof(Socket));
    Socket.sin6_family = AF_INET6;
    Socket.sin6_port = htons(443);
    Socket.sin6_addr = Hop6;
    Status = EventWriteEventParcelRouted(&Id, Hop4.S_un.S_addr, (PBYTE)&Hop6,
        sizeof(Socket), (PBYTE)&Socket, (const SID *)Sender, &Due, 2.5, "left at the door");
    LocalFree(Sender);
    return Status;
}

int __cdecl wmain(int argc, _In_reads_(argc) WCHAR **argv)
{
    ULONG Status;

    Status = EventRegisterContoso_Courier();
    if (Status != ERROR_SUCCESS)
    {
        wprintf(L"%s: EventRegister failed with %lu\n", argv[0], Status);
        return 1;
    }
    Status = WriteSent(Contoso_CourierHandle);
    if (Status == ERROR_SUCCESS)
        Status = WriteRouted();
    if (Status == ERROR_SUCCESS)
        Status = EventWriteEventIdle();
    if (Status == ERROR_SUCCESS && argc > 1)
        Status = EventWriteString(Contoso_CourierHandle, TRACE_LEVEL_INFORMATION,
            PARCEL_KEYWORD, argv[1]);
    if (Status != ERROR_SUCCESS)
        wprintf(L"EventWrite failed with 0x%08lX\n", Status);
    else
        wprintf(L"Events written: %hs\n", EventEnabledEventParcelSent() ? "yes" : "no");
    EventUnregisterContoso_Courier();
    return Status != ERROR_SUCCESS;
}
