// SPDX-License-Identifier: GPL-2.0-only
//
// age2008.h - a header in the style of mc.exe of 2008, made with -mof: it looks at run time
// for the functions of Windows Vista, and falls back to classic events
//
#include <wmistr.h>
#include <evntrace.h>
#include "evntprov.h"

#if !defined(ETW_INLINE)
#define ETW_INLINE DECLSPEC_NOINLINE __inline
#endif

#if defined(__cplusplus)
extern "C" {
#endif

#ifndef MCGEN_DISABLE_PROVIDER_CODE_GENERATION

#if !defined(McGenDebug)
#define McGenDebug(a, b)
#endif

#if !defined(MCGEN_TRACE_CONTEXT_DEF)
#define MCGEN_TRACE_CONTEXT_DEF
typedef struct _MCGEN_TRACE_CONTEXT
{
    TRACEHANDLE            RegistrationHandle;
    TRACEHANDLE            Logger;
    ULONGLONG              MatchAnyKeyword;
    ULONGLONG              MatchAllKeyword;
    ULONG                  Flags;
    ULONG                  IsEnabled;
    UCHAR                  Level;
    UCHAR                  Reserve;
} MCGEN_TRACE_CONTEXT, *PMCGEN_TRACE_CONTEXT;
#endif

#if !defined(MCGEN_TRACING_DLL)
#define MCGEN_TRACING_DLL TEXT("Advapi32.dll")
#endif

typedef ULONG (__stdcall *PFN_EVENT_REGISTER)(
    __in LPCGUID ProviderId,
    __in_opt PENABLECALLBACK EnableCallback,
    __in_opt PVOID CallbackContext,
    __out PREGHANDLE RegHandle);
typedef ULONG (__stdcall *PFN_EVENT_UNREGISTER)(__in REGHANDLE RegHandle);
typedef ULONG (__stdcall *PFN_EVENT_WRITE)(
    __in REGHANDLE RegHandle,
    __in PCEVENT_DESCRIPTOR EventDescriptor,
    __in ULONG UserDataCount,
    __in_ecount_opt(UserDataCount) PEVENT_DATA_DESCRIPTOR UserData);

EXTERN_C __declspec(selectany) PFN_EVENT_REGISTER PfnEventRegister = NULL;
EXTERN_C __declspec(selectany) PFN_EVENT_UNREGISTER PfnEventUnregister = NULL;
EXTERN_C __declspec(selectany) PFN_EVENT_WRITE PfnEventWrite = NULL;
EXTERN_C __declspec(selectany) BOOLEAN McGenTracingSupportInit = FALSE;
EXTERN_C __declspec(selectany) BOOLEAN McGenPreVista = FALSE;

#if !defined(McGenInitTracingSupport_def)
#define McGenInitTracingSupport_def
DECLSPEC_NOINLINE __inline
VOID
McGenInitTracingSupport(void)
{
    OSVERSIONINFO osInfo = {0};
    HMODULE module = NULL;

    if (McGenTracingSupportInit) {
        return;
    }
    osInfo.dwOSVersionInfoSize = sizeof(osInfo);
#pragma warning(suppress: 28159)
    if (!GetVersionEx(&osInfo)) {
        return;
    }
    if (osInfo.dwMajorVersion < 6) {
        McGenPreVista = TRUE;
        McGenTracingSupportInit = TRUE;
        return;
    }
    module = GetModuleHandle(MCGEN_TRACING_DLL);
    if (module != NULL) {
        PfnEventRegister = (PFN_EVENT_REGISTER)GetProcAddress(module, "EventRegister");
        PfnEventUnregister = (PFN_EVENT_UNREGISTER)GetProcAddress(module, "EventUnregister");
        PfnEventWrite = (PFN_EVENT_WRITE)GetProcAddress(module, "EventWrite");
    }
    if (PfnEventRegister == NULL || PfnEventUnregister == NULL || PfnEventWrite == NULL) {
        McGenPreVista = TRUE;
    }
    McGenTracingSupportInit = TRUE;
}
#endif

#if !defined(MCGEN_EVENT_ENABLED_DEF)
#define MCGEN_EVENT_ENABLED_DEF
FORCEINLINE
BOOLEAN __stdcall
McGenEventTracingEnabled(
    __in PMCGEN_TRACE_CONTEXT EnableInfo,
    __in PCEVENT_DESCRIPTOR EventDescriptor
    )
{
    if (!EnableInfo || !EnableInfo->IsEnabled) {
        return FALSE;
    }
    if ((EventDescriptor->Level <= EnableInfo->Level) || (EnableInfo->Level == 0)) {
        if ((EventDescriptor->Keyword == (ULONGLONG)0) ||
            ((EventDescriptor->Keyword & EnableInfo->MatchAnyKeyword) &&
             ((EventDescriptor->Keyword & EnableInfo->MatchAllKeyword) == EnableInfo->MatchAllKeyword))) {
            return TRUE;
        }
    }
    return FALSE;
}
#endif

#if !defined(MCGEN_CONTROL_CALLBACK)
#define MCGEN_CONTROL_CALLBACK
DECLSPEC_NOINLINE __inline
VOID
__stdcall
McGenControlCallbackV2(
    __in LPCGUID SourceId,
    __in ULONG ControlCode,
    __in UCHAR Level,
    __in ULONGLONG MatchAnyKeyword,
    __in ULONGLONG MatchAllKeyword,
    __in_opt PEVENT_FILTER_DESCRIPTOR FilterData,
    __inout_opt PVOID CallbackContext
    )
{
    PMCGEN_TRACE_CONTEXT Ctx = (PMCGEN_TRACE_CONTEXT)CallbackContext;

    UNREFERENCED_PARAMETER(SourceId);
    UNREFERENCED_PARAMETER(FilterData);
    if (Ctx == NULL) {
        return;
    }
    if (ControlCode == EVENT_CONTROL_CODE_ENABLE_PROVIDER) {
        Ctx->Level = Level;
        Ctx->MatchAnyKeyword = MatchAnyKeyword;
        Ctx->MatchAllKeyword = MatchAllKeyword;
        Ctx->IsEnabled = EVENT_CONTROL_CODE_ENABLE_PROVIDER;
        McGenDebug(1, L"enabled");
    } else if (ControlCode == EVENT_CONTROL_CODE_DISABLE_PROVIDER) {
        Ctx->IsEnabled = EVENT_CONTROL_CODE_DISABLE_PROVIDER;
        Ctx->Level = 0;
    }
}

DECLSPEC_NOINLINE __inline
ULONG
__stdcall
McGenControlCallback(
    __in WMIDPREQUESTCODE RequestCode,
    __in PVOID Context,
    __inout ULONG *Reserved,
    __inout PVOID Header
    )
{
    PMCGEN_TRACE_CONTEXT Ctx = (PMCGEN_TRACE_CONTEXT)Context;

    UNREFERENCED_PARAMETER(Reserved);
    if (Ctx == NULL) {
        return ERROR_INVALID_PARAMETER;
    }
    switch (RequestCode) {
    case WMI_ENABLE_EVENTS:
        Ctx->Logger = GetTraceLoggerHandle(Header);
        Ctx->Level = GetTraceEnableLevel(Ctx->Logger);
        Ctx->Flags = GetTraceEnableFlags(Ctx->Logger);
        Ctx->IsEnabled = TRUE;
        break;
    case WMI_DISABLE_EVENTS:
        Ctx->IsEnabled = FALSE;
        break;
    default:
        return ERROR_INVALID_PARAMETER;
    }
    return ERROR_SUCCESS;
}
#endif

//
// Provider Age-2008
//
EXTERN_C __declspec(selectany) const GUID AGE_2008 = {0x41b0f2a1, 0x1001, 0x4e0a, {0x8a, 0x01, 0x20, 0x08, 0x00, 0x00, 0x00, 0x01}};
EXTERN_C __declspec(selectany) const GUID AGE_2008_EventGuid = {0x41b0f2a1, 0x1001, 0x4e0a, {0x8a, 0x01, 0x20, 0x08, 0x00, 0x00, 0x00, 0x02}};

#define AGE_KEYWORD_IO 0x1
EXTERN_C __declspec(selectany) const EVENT_DESCRIPTOR AgeNumber = {0x1, 0x0, 0x0, 0x4, 0x0, 0x0, 0x1};
#define AgeNumber_value 0x1
EXTERN_C __declspec(selectany) const EVENT_DESCRIPTOR AgeQuiet = {0x2, 0x0, 0x0, 0x5, 0x0, 0x0, 0x2};
#define AgeQuiet_value 0x2

EXTERN_C __declspec(selectany) REGHANDLE Age_2008Handle = (REGHANDLE)0;
EXTERN_C __declspec(selectany) MCGEN_TRACE_CONTEXT AGE_2008_Context = {0};

#if !defined(McGenEventTracingRegister_def)
#define McGenEventTracingRegister_def
__inline
ULONG __stdcall
McGenEventTracingRegister(
    __in LPCGUID ProviderId,
    __in_opt PVOID CallbackContext,
    __inout PREGHANDLE RegHandle
    )
{
    TRACE_GUID_REGISTRATION TraceGuidReg;

    if (*RegHandle) {
        return ERROR_SUCCESS;
    }
    McGenInitTracingSupport();
    if (McGenPreVista) {
        TraceGuidReg.Guid = &AGE_2008_EventGuid;
        TraceGuidReg.RegHandle = NULL;
        return RegisterTraceGuids((WMIDPREQUEST)McGenControlCallback, CallbackContext, ProviderId,
                                  1, &TraceGuidReg, NULL, NULL, RegHandle);
    }
    return PfnEventRegister(ProviderId, McGenControlCallbackV2, CallbackContext, RegHandle);
}
#endif

#ifndef EventRegisterAge_2008
#define EventRegisterAge_2008() McGenEventTracingRegister(&AGE_2008, &AGE_2008_Context, &Age_2008Handle)
#endif
#ifndef EventUnregisterAge_2008
#define EventUnregisterAge_2008() McGenEventTracingUnregister(&Age_2008Handle)
#endif

__inline
ULONG __stdcall
McGenEventTracingUnregister(__inout PREGHANDLE RegHandle)
{
    ULONG Error = ERROR_SUCCESS;

    if (*RegHandle == 0) {
        return ERROR_SUCCESS;
    }
    Error = McGenPreVista ? UnregisterTraceGuids(*RegHandle) : PfnEventUnregister(*RegHandle);
    *RegHandle = 0;
    return Error;
}

#define EventEnabledAgeNumber() McGenEventTracingEnabled(&AGE_2008_Context, &AgeNumber)
#define EventWriteAgeNumber(Number, Text)\
        EventEnabledAgeNumber() ?\
        Template_qz(Age_2008Handle, &AgeNumber, Number, Text)\
        : ERROR_SUCCESS
#define EventEnabledAgeQuiet() McGenEventTracingEnabled(&AGE_2008_Context, &AgeQuiet)
#define EventWriteAgeQuiet()\
        EventEnabledAgeQuiet() ?\
        TemplateEventDescriptor(Age_2008Handle, &AgeQuiet)\
        : ERROR_SUCCESS

#ifndef Template_qz_def
#define Template_qz_def
ETW_INLINE
ULONG
Template_qz(
    __in REGHANDLE RegHandle,
    __in PCEVENT_DESCRIPTOR Descriptor,
    __in const unsigned int _Arg0,
    __in_opt LPCWSTR _Arg1
    )
{
#define ARGUMENT_COUNT_qz 2
    EVENT_DATA_DESCRIPTOR EventData[ARGUMENT_COUNT_qz];

    EventDataDescCreate(&EventData[0], &_Arg0, sizeof(const unsigned int));
    EventDataDescCreate(&EventData[1],
                        (_Arg1 != NULL) ? _Arg1 : L"NULL",
                        (_Arg1 != NULL) ? (ULONG)((wcslen(_Arg1) + 1) * sizeof(WCHAR)) : (ULONG)sizeof(L"NULL"));
    return PfnEventWrite(RegHandle, Descriptor, ARGUMENT_COUNT_qz, EventData);
}
#endif

#ifndef TemplateEventDescriptor_def
#define TemplateEventDescriptor_def
ETW_INLINE
ULONG
TemplateEventDescriptor(
    __in REGHANDLE RegHandle,
    __in PCEVENT_DESCRIPTOR Descriptor
    )
{
    return PfnEventWrite(RegHandle, Descriptor, 0, NULL);
}
#endif

#endif // MCGEN_DISABLE_PROVIDER_CODE_GENERATION

#if defined(__cplusplus)
};
#endif

#define MSG_level_Informational 0x50000004L
#define MSG_AgeNumber 0x00000001L
