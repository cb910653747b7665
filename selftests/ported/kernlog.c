// SPDX-License-Identifier: GPL-2.0-only
//
// A controller of the NT Kernel Logger as on Windows: kernlog FILE COMMAND
//
// Traces processes, disk requests and context switches while the command runs, then
// context switches only while it runs once more, and counts what is in the file.
//
#define INITGUID
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strsafe.h>
#include <wmistr.h>
#include <evntrace.h>
#include <evntcons.h>

static ULONG Events;

static VOID WINAPI OnEvent(PEVENT_RECORD Event)
{
    if (memcmp(&Event->EventHeader.ProviderId, &EventTraceGuid, sizeof(GUID)) != 0)
        Events++;
}

static int Failed(LPCWSTR What, ULONG Error)
{
    fwprintf(stderr, L"%s failed with %lu\n", What, Error);
    return 1;
}

static int Count(LPWSTR File)
{
    EVENT_TRACE_LOGFILEW Log;
    TRACEHANDLE Trace;
    ULONG Status;

    ZeroMemory(&Log, sizeof(Log));
    Log.LogFileName = File;
    Log.ProcessTraceMode = PROCESS_TRACE_MODE_EVENT_RECORD;
    Log.EventRecordCallback = OnEvent;
    Trace = OpenTraceW(&Log);
    if (Trace == INVALID_PROCESSTRACE_HANDLE)
        return Failed(L"OpenTrace", GetLastError());
    Status = ProcessTrace(&Trace, 1, NULL, NULL);
    CloseTrace(Trace);
    if (Status != ERROR_SUCCESS)
        return Failed(L"ProcessTrace", Status);
    wprintf(L"kernel trace: %s, events: %s\n", Log.IsKernelTrace ? L"yes" : L"no",
        Events > 0 ? L"yes" : L"no");
    return 0;
}

int wmain(int argc, wchar_t *argv[])
{
    ULONG BufferSize = sizeof(EVENT_TRACE_PROPERTIES) + sizeof(KERNEL_LOGGER_NAME) +
        MAX_PATH * sizeof(WCHAR);
    PEVENT_TRACE_PROPERTIES Properties;
    TRACEHANDLE Session = 0;
    char Command[MAX_PATH];
    ULONG Status;

    if (argc != 3)
        return 2;
    snprintf(Command, sizeof(Command), "%ls", argv[2]);
    Properties = (PEVENT_TRACE_PROPERTIES)calloc(1, BufferSize);
    if (Properties == NULL)
        return Failed(L"calloc", ERROR_OUTOFMEMORY);
    Properties->Wnode.BufferSize = BufferSize;
    Properties->Wnode.Flags = WNODE_FLAG_TRACED_GUID;
    Properties->Wnode.ClientContext = 1;
    Properties->Wnode.Guid = SystemTraceControlGuid;
    Properties->EnableFlags = EVENT_TRACE_FLAG_PROCESS | EVENT_TRACE_FLAG_DISK_IO |
        EVENT_TRACE_FLAG_CSWITCH;
    Properties->LogFileMode = EVENT_TRACE_FILE_MODE_SEQUENTIAL;
    Properties->LoggerNameOffset = sizeof(EVENT_TRACE_PROPERTIES);
    Properties->LogFileNameOffset = sizeof(EVENT_TRACE_PROPERTIES) + sizeof(KERNEL_LOGGER_NAME);
    StringCbCopyW((LPWSTR)((PBYTE)Properties + Properties->LogFileNameOffset),
        MAX_PATH * sizeof(WCHAR), argv[1]);

    Status = StartTraceW(&Session, KERNEL_LOGGER_NAME, Properties);
    if (Status == ERROR_ALREADY_EXISTS)
        wprintf(L"The NT Kernel Logger session is already in use.\n");
    if (Status != ERROR_SUCCESS)
        return Failed(L"StartTrace", Status);
    if (system(Command) != 0)
        return Failed(L"the command", 1);
    Status = ControlTraceW(0, KERNEL_LOGGER_NAME, Properties, EVENT_TRACE_CONTROL_QUERY);
    if (Status != ERROR_SUCCESS)
        return Failed(L"QueryTrace", Status);
    wprintf(L"flags %08lx\n", Properties->EnableFlags);
    Properties->EnableFlags = EVENT_TRACE_FLAG_CSWITCH;
    Properties->LogFileNameOffset = 0;
    Status = ControlTraceW(Session, KERNEL_LOGGER_NAME, Properties, EVENT_TRACE_CONTROL_UPDATE);
    if (Status != ERROR_SUCCESS)
        return Failed(L"UpdateTrace", Status);
    wprintf(L"flags %08lx\n", Properties->EnableFlags);
    if (system(Command) != 0)
        return Failed(L"the command", 1);
    Status = ControlTraceW(Session, KERNEL_LOGGER_NAME, Properties, EVENT_TRACE_CONTROL_STOP);
    if (Status != ERROR_SUCCESS)
        return Failed(L"StopTrace", Status);
    free(Properties);
    return Count(argv[1]);
}
