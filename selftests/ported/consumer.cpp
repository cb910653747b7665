// SPDX-License-Identifier: GPL-2.0-only
//
// A consumer as on Windows: consumer [-m:MANIFEST]... FILE...
// Each property is formatted by TdhFormatProperty, but for IPv6 addresses, which the function
// of ntdll formats, and SIDs.
//
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN 1
#endif

#include <windows.h>
#include <in6addr.h>

#define INITGUID
#include <evntrace.h>
#undef INITGUID

#include <evntcons.h>
#include <objbase.h>
#include <sddl.h>
#include <tdh.h>
#include <vector>
#include <wchar.h>

#pragma comment(lib, "tdh.lib")
#pragma comment(lib, "ole32.lib")

typedef PWSTR (NTAPI *PIPV6ADDRTOSTRING)(const IN6_ADDR *Addr, PWSTR S);

static PIPV6ADDRTOSTRING g_Ipv6ToString;
static TRACEHANDLE g_Trace = INVALID_PROCESSTRACE_HANDLE;

class Printer
{
public:
    void PrintEvent(_In_ EVENT_RECORD *pEvent)
    {
        ULONG cb = static_cast<ULONG>(m_info.size());
        ULONG status;

        if (pEvent->EventHeader.ProviderId == EventTraceGuid &&
            pEvent->EventHeader.EventDescriptor.Opcode == EVENT_TRACE_TYPE_INFO)
        {
            return;     // the header of the file
        }
        m_pEvent = pEvent;
        m_pData = static_cast<BYTE const *>(pEvent->UserData);
        m_pEnd = m_pData + pEvent->UserDataLength;
        if (pEvent->EventHeader.Flags & EVENT_HEADER_FLAG_STRING_ONLY)
        {
            wprintf(L"string: %.*ls\n", (int)(pEvent->UserDataLength / sizeof(WCHAR)),
                static_cast<LPCWSTR>(pEvent->UserData));
            return;
        }
        while ((status = TdhGetEventInformation(pEvent, 0, nullptr, Info(), &cb)) ==
               ERROR_INSUFFICIENT_BUFFER)
        {
            m_info.resize(cb);
        }
        if (status != ERROR_SUCCESS)
        {
            LPWSTR pGuid = nullptr;

            if (SUCCEEDED(StringFromCLSID(pEvent->EventHeader.ProviderId, &pGuid)))
                wprintf(L"%s: no manifest, error %lu\n", pGuid, status);
            CoTaskMemFree(pGuid);
            return;
        }
        wprintf(L"%ls %hu, %u properties\n", String(Info()->ProviderNameOffset),
            Info()->EventDescriptor.Id, Info()->TopLevelPropertyCount);
        if (Info()->EventMessageOffset)
            wprintf(L"  \"%ls\"\n", String(Info()->EventMessageOffset));
        m_integers.clear();
        m_integers.resize(Info()->PropertyCount);
        PrintProperties(0, Info()->TopLevelPropertyCount, 2);
    }

private:
    TRACE_EVENT_INFO *Info()
    {
        return reinterpret_cast<TRACE_EVENT_INFO *>(m_info.data());
    }

    _Ret_z_ LPCWSTR String(unsigned offset)
    {
        return reinterpret_cast<LPCWSTR>(m_info.data() + offset);
    }

    void PrintProperties(unsigned begin, unsigned end, int indent)
    {
        for (unsigned i = begin; i != end; i++)
        {
            EVENT_PROPERTY_INFO const &epi = Info()->EventPropertyInfoArray[i];
            USHORT count = (epi.Flags & PropertyParamCount) ?
                m_integers[epi.countPropertyIndex] : epi.count;

            if (!(epi.Flags & PropertyStruct) && m_pEnd - m_pData >= 2)
                m_integers[i] = *reinterpret_cast<USHORT const UNALIGNED *>(m_pData);
            for (unsigned k = 0; k != count; k++)
            {
                wprintf(L"%*ls%ls", indent, L"", String(epi.NameOffset));
                if (count > 1)
                    wprintf(L"[%lu]", k);
                if (epi.Flags & PropertyStruct)
                {
                    wprintf(L"\n");
                    PrintProperties(epi.structType.StructStartIndex,
                        epi.structType.StructStartIndex + epi.structType.NumOfStructMembers,
                        indent + 2);
                    continue;
                }
                wprintf(L" = ");
                PrintValue(epi);
                _putws(L"");
            }
        }
    }

    void PrintValue(EVENT_PROPERTY_INFO const &epi)
    {
        USHORT length = (epi.Flags & PropertyParamLength) ?
            m_integers[epi.lengthPropertyIndex] : epi.length;
        ULONG cb = static_cast<ULONG>(m_text.size() * sizeof(WCHAR));
        USHORT used = 0;
        ULONG status;

        if (epi.nonStructType.OutType == TDH_OUTTYPE_IPV6 && length == sizeof(IN6_ADDR))
        {
            WCHAR text[46];

            g_Ipv6ToString(reinterpret_cast<IN6_ADDR const *>(m_pData), text);
            wprintf(L"%s", text);
            m_pData += length;
            return;
        }
        if (epi.nonStructType.InType == TDH_INTYPE_SID)
        {
            PrintSid();
            return;
        }
        do
        {
            status = TdhFormatProperty(Info(), Map(epi), PointerSize(),
                epi.nonStructType.InType, epi.nonStructType.OutType, length,
                static_cast<USHORT>(m_pEnd - m_pData), const_cast<PBYTE>(m_pData), &cb,
                m_text.data(), &used);
            if (status == ERROR_INSUFFICIENT_BUFFER)
                m_text.resize(cb / sizeof(WCHAR) + 1);
        } while (status == ERROR_INSUFFICIENT_BUFFER);
        if (status == ERROR_SUCCESS)
            wprintf(L"%ls", m_text.data());
        else
            wprintf(L"[TdhFormatProperty: %lu]", status);
        m_pData += used;
    }

    void PrintSid()
    {
        PSID pSid = const_cast<PBYTE>(m_pData);
        LPWSTR szSid = nullptr;

        if (ConvertSidToStringSidW(pSid, &szSid))
            wprintf(L"%ls", szSid);
        LocalFree(szSid);
        m_pData += GetLengthSid(pSid);
    }

    PEVENT_MAP_INFO Map(EVENT_PROPERTY_INFO const &epi)
    {
        ULONG cb = static_cast<ULONG>(m_map.size());
        ULONG status = ERROR_INSUFFICIENT_BUFFER;

        if (epi.nonStructType.MapNameOffset == 0)
            return nullptr;
        while (status == ERROR_INSUFFICIENT_BUFFER)
        {
            m_map.resize(cb);
            status = TdhGetEventMapInformation(m_pEvent,
                const_cast<LPWSTR>(String(epi.nonStructType.MapNameOffset)),
                reinterpret_cast<PEVENT_MAP_INFO>(m_map.data()), &cb);
        }
        return status == ERROR_SUCCESS ? reinterpret_cast<PEVENT_MAP_INFO>(m_map.data()) : nullptr;
    }

    ULONG PointerSize() const
    {
        return (m_pEvent->EventHeader.Flags & EVENT_HEADER_FLAG_32_BIT_HEADER) ? 4 : 8;
    }

    EVENT_RECORD *m_pEvent = nullptr;
    BYTE const *m_pData = nullptr;
    BYTE const *m_pEnd = nullptr;
    std::vector<BYTE> m_info;
    std::vector<BYTE> m_map;
    std::vector<WCHAR> m_text = std::vector<WCHAR>(8);
    std::vector<USHORT> m_integers;
};

static void WINAPI EventRecordCallback(_In_ EVENT_RECORD *pEvent)
{
    static_cast<Printer *>(pEvent->UserContext)->PrintEvent(pEvent);
}

static BOOL WINAPI ConsoleHandler(DWORD type)
{
    if (type != CTRL_C_EVENT)
        return FALSE;
    CloseTrace(g_Trace);
    return TRUE;
}

static ULONG ProcessFile(_In_ LPWSTR szFile)
{
    EVENT_TRACE_LOGFILEW logfile = {};
    Printer printer;
    ULONG status;

    logfile.LogFileName = szFile;
    logfile.ProcessTraceMode = PROCESS_TRACE_MODE_EVENT_RECORD;
    logfile.EventRecordCallback = EventRecordCallback;
    logfile.Context = &printer;
    g_Trace = OpenTraceW(&logfile);
    if (g_Trace == INVALID_PROCESSTRACE_HANDLE)
    {
        wprintf(L"ERROR: OpenTraceW error %u for file: %ls\n", GetLastError(), szFile);
        return GetLastError();
    }
    status = ProcessTrace(&g_Trace, 1, nullptr, nullptr);
    if (status != ERROR_SUCCESS)
        wprintf(L"ERROR: ProcessTrace error %u for file: %ls\n", status, szFile);
    CloseTrace(g_Trace);
    return status;
}

int __cdecl wmain(int argc, _In_count_(argc) LPWSTR argv[])
{
    ULONG status = ERROR_SUCCESS;
    HMODULE hNtdll = GetModuleHandle(L"ntdll");

    g_Ipv6ToString = hNtdll == NULL ? NULL :
        (PIPV6ADDRTOSTRING)GetProcAddress(hNtdll, "RtlIpv6AddressToStringW");
    if (g_Ipv6ToString == NULL)
    {
        wprintf(L"ERROR: GetProcAddress error %u\n", GetLastError());
        return 1;
    }
    SetConsoleCtrlHandler(ConsoleHandler, TRUE);
    for (int i = 1; i < argc && status == ERROR_SUCCESS; i++)
    {
        if (_wcsnicmp(argv[i], L"-m:", 3) != 0)
            status = ProcessFile(argv[i]);
        else if ((status = TdhLoadManifest(argv[i] + 3)) != ERROR_SUCCESS)
            wprintf(L"ERROR: TdhLoadManifest error %u for manifest: %ls\n", status, argv[i] + 3);
    }
    return status == ERROR_SUCCESS ? 0 : 1;
}
