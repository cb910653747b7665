// SPDX-License-Identifier: GPL-2.0-only
//
// A controller as on Windows, with TCHAR: control start FILE | query | stop
//
#include <windows.h>
#include <stdio.h>
#include <tchar.h>
#include <strsafe.h>
#include <wmistr.h>
#include <evntrace.h>

#define SESSION_NAME _T("Courier Session")
#define MAX_NAME 1024

// {9E1F36E4-7D0B-47A7-A4C9-6C64E0C2E5A1}
static const GUID SessionGuid =
{ 0x9e1f36e4, 0x7d0b, 0x47a7, { 0xa4, 0xc9, 0x6c, 0x64, 0xe0, 0xc2, 0xe5, 0xa1 } };

// {6C8F1D0A-3E2B-4B6C-9A54-0D7C5E1F2B31}
static const GUID ProviderGuid =
{ 0x6c8f1d0a, 0x3e2b, 0x4b6c, { 0x9a, 0x54, 0x0d, 0x7c, 0x5e, 0x1f, 0x2b, 0x31 } };

// {A2D94C1E-51B7-4B0F-8E2A-93D5E0B7C642}, the driver of selftests/kmod/etw_ported
static const GUID DriverGuid =
{ 0xa2d94c1e, 0x51b7, 0x4b0f, { 0x8e, 0x2a, 0x93, 0xd5, 0xe0, 0xb7, 0xc6, 0x42 } };

static int Failed(LPCTSTR What, DWORD Error)
{
    LPTSTR Text = NULL;

    if (!FormatMessage(
            FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS,
            NULL, Error, MAKELANGID(LANG_NEUTRAL, SUBLANG_DEFAULT), (LPTSTR)&Text, 0, NULL))
    {
        Text = NULL;
    }
    _ftprintf(stderr, _T("%s failed with %lu: %s"), What, Error, Text ? Text : _T("?\n"));
    LocalFree(Text);
    return 1;
}

static PEVENT_TRACE_PROPERTIES NewProperties(VOID)
{
    ULONG Size = sizeof(EVENT_TRACE_PROPERTIES) + 2 * MAX_NAME * sizeof(TCHAR);
    PEVENT_TRACE_PROPERTIES Properties;

    Properties = (PEVENT_TRACE_PROPERTIES)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, Size);
    if (Properties == NULL)
        return NULL;
    Properties->Wnode.BufferSize = Size;
    Properties->Wnode.Flags = WNODE_FLAG_TRACED_GUID;
    Properties->Wnode.ClientContext = 1;    // QPC clock resolution
    Properties->Wnode.Guid = SessionGuid;
    Properties->LoggerNameOffset = sizeof(EVENT_TRACE_PROPERTIES);
    Properties->LogFileNameOffset = sizeof(EVENT_TRACE_PROPERTIES) + MAX_NAME * sizeof(TCHAR);
    return Properties;
}

static int Start(LPCTSTR File, PEVENT_TRACE_PROPERTIES Properties)
{
    const GUID *Guids[] = { &ProviderGuid, &DriverGuid };
    TRACEHANDLE Session = 0;
    HRESULT hr;
    ULONG Status;
    int i;

    Properties->LogFileMode = EVENT_TRACE_FILE_MODE_SEQUENTIAL;
    Properties->MaximumFileSize = 1;    // MB
    hr = StringCbCopy((LPTSTR)((PBYTE)Properties + Properties->LogFileNameOffset),
        MAX_NAME * sizeof(TCHAR), File);
    if (FAILED(hr))
        return Failed(_T("StringCbCopy"), HRESULT_CODE(hr));
    Status = StartTrace(&Session, SESSION_NAME, Properties);
    if (Status != ERROR_SUCCESS)
        return Failed(_T("StartTrace"), Status);
    for (i = 0; i < (int)_countof(Guids); i++)
    {
        Status = EnableTraceEx2(Session, Guids[i], EVENT_CONTROL_CODE_ENABLE_PROVIDER,
            TRACE_LEVEL_INFORMATION, 0, 0, 0, NULL);
        if (Status != ERROR_SUCCESS)
            return Failed(_T("EnableTraceEx2"), Status);
    }
    _tprintf(_T("Started \"%s\"\n"), SESSION_NAME);
    return 0;
}

static int Control(ULONG Code, PEVENT_TRACE_PROPERTIES Properties)
{
    ULONG Status = ControlTrace(0, SESSION_NAME, Properties, Code);
    TCHAR Line[256];

    if (Status != ERROR_SUCCESS)
        return Failed(_T("ControlTrace"), Status);
    _stprintf_s(Line, _countof(Line), _T("%-10s %s, %lu lost"),
        Code == EVENT_TRACE_CONTROL_STOP ? _T("stopped") : _T("running"),
        (LPTSTR)((PBYTE)Properties + Properties->LoggerNameOffset), Properties->EventsLost);
    _putts(Line);
    return 0;
}

int _tmain(int argc, _TCHAR *argv[])
{
    PEVENT_TRACE_PROPERTIES Properties = NewProperties();
    int ExitCode = 2;

    if (Properties == NULL)
        return Failed(_T("HeapAlloc"), ERROR_OUTOFMEMORY);
    if (argc == 3 && _tcsicmp(argv[1], _T("start")) == 0)
        ExitCode = Start(argv[2], Properties);
    else if (argc == 2 && _tcsicmp(argv[1], _T("query")) == 0)
        ExitCode = Control(EVENT_TRACE_CONTROL_QUERY, Properties);
    else if (argc == 2 && _tcsicmp(argv[1], _T("stop")) == 0)
        ExitCode = Control(EVENT_TRACE_CONTROL_STOP, Properties);
    else
        _fputts(_T("usage: control start FILE | query | stop\n"), stderr);
    HeapFree(GetProcessHeap(), 0, Properties);
    return ExitCode;
}
