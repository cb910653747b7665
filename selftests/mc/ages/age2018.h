// SPDX-License-Identifier: GPL-2.0-only
//
// age2018.h - a header in the style of mc.exe of 2017 to 2019: overridable functions, traits
// of the provider in the first data descriptor
//
#pragma once
#include <Wmistr.h>
#include <Evntrace.h>
#include <Evntprov.h>

#if !defined(ETW_INLINE)
#define ETW_INLINE DECLSPEC_NOINLINE __inline
#endif

#if defined(__cplusplus)
extern "C" {
#endif

#ifndef MCGEN_DISABLE_PROVIDER_CODE_GENERATION
#ifndef MCGEN_EVENTREGISTER
#define MCGEN_EVENTREGISTER        EventRegister
#endif
#ifndef MCGEN_EVENTUNREGISTER
#define MCGEN_EVENTUNREGISTER      EventUnregister
#endif
#ifndef MCGEN_EVENTSETINFORMATION
#define MCGEN_EVENTSETINFORMATION  EventSetInformation
#endif
#ifndef MCGEN_EVENTWRITETRANSFER
#define MCGEN_EVENTWRITETRANSFER   EventWriteTransfer
#endif
#if !defined(MCGEN_HAVE_EVENTSETINFORMATION)
#if WINVER >= 0x0602 && defined(EVENT_FILTER_TYPE_SCHEMATIZED)
#define MCGEN_HAVE_EVENTSETINFORMATION 1
#else
#define MCGEN_HAVE_EVENTSETINFORMATION 2
#endif
#endif
#define MCGEN_ENABLE_CHECK(Context, Descriptor) (Context.IsEnabled && McGenEventEnabled(&Context, &Descriptor))

#if !defined(MCGEN_TRACE_CONTEXT_DEF)
#define MCGEN_TRACE_CONTEXT_DEF
typedef struct _MCGEN_TRACE_CONTEXT
{
    TRACEHANDLE            RegistrationHandle;
    TRACEHANDLE            Logger;      // Used as pointer to provider traits.
    ULONGLONG              MatchAnyKeyword;
    ULONGLONG              MatchAllKeyword;
    ULONG                  Flags;
    ULONG                  IsEnabled;
    UCHAR                  Level;
    UCHAR                  Reserve;
    USHORT                 EnableBitsCount;
    PULONG                 EnableBitMask;
    const ULONGLONG*       EnableKeyWords;
    const UCHAR*           EnableLevel;
} MCGEN_TRACE_CONTEXT, *PMCGEN_TRACE_CONTEXT;
#endif

FORCEINLINE
BOOLEAN
McGenLevelKeywordEnabled(
    _In_ PMCGEN_TRACE_CONTEXT EnableInfo,
    _In_ UCHAR Level,
    _In_ ULONGLONG Keyword
    )
{
    return (Level <= EnableInfo->Level || EnableInfo->Level == 0) &&
           (Keyword == 0 || ((Keyword & EnableInfo->MatchAnyKeyword) &&
            ((Keyword & EnableInfo->MatchAllKeyword) == EnableInfo->MatchAllKeyword)));
}

FORCEINLINE
BOOLEAN
McGenEventEnabled(
    _In_ PMCGEN_TRACE_CONTEXT EnableInfo,
    _In_ PCEVENT_DESCRIPTOR EventDescriptor
    )
{
    return McGenLevelKeywordEnabled(EnableInfo, EventDescriptor->Level, EventDescriptor->Keyword);
}

DECLSPEC_NOINLINE __inline
VOID
__stdcall
McGenControlCallbackV2(
    _In_ LPCGUID SourceId,
    _In_ ULONG ControlCode,
    _In_ UCHAR Level,
    _In_ ULONGLONG MatchAnyKeyword,
    _In_ ULONGLONG MatchAllKeyword,
    _In_opt_ PEVENT_FILTER_DESCRIPTOR FilterData,
    _Inout_opt_ PVOID CallbackContext
    )
{
    PMCGEN_TRACE_CONTEXT Ctx = (PMCGEN_TRACE_CONTEXT)CallbackContext;
    ULONG Ix;

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
        for (Ix = 0; Ix < Ctx->EnableBitsCount; Ix += 1) {
            if (McGenLevelKeywordEnabled(Ctx, Ctx->EnableLevel[Ix], Ctx->EnableKeyWords[Ix]) != FALSE) {
                Ctx->EnableBitMask[Ix >> 5] |= (1 << (Ix % 32));
            } else {
                Ctx->EnableBitMask[Ix >> 5] &= ~(1 << (Ix % 32));
            }
        }
    } else if (ControlCode == EVENT_CONTROL_CODE_DISABLE_PROVIDER) {
        Ctx->IsEnabled = EVENT_CONTROL_CODE_DISABLE_PROVIDER;
        RtlZeroMemory(Ctx->EnableBitMask, (((Ctx->EnableBitsCount - 1) / 32) + 1) * sizeof(ULONG));
    }
}

#ifndef McGenEventWrite_def
#define McGenEventWrite_def
DECLSPEC_NOINLINE __inline
ULONG __stdcall
McGenEventWrite(
    _In_ PMCGEN_TRACE_CONTEXT Context,
    _In_ PCEVENT_DESCRIPTOR Descriptor,
    _In_opt_ LPCGUID ActivityId,
    _In_range_(1, 128) ULONG EventDataCount,
    _Inout_updates_(EventDataCount) EVENT_DATA_DESCRIPTOR* EventData
    )
{
    const USHORT UNALIGNED* Traits;

    UNREFERENCED_PARAMETER(ActivityId);
    Traits = (const USHORT UNALIGNED*)(UINT_PTR)Context->Logger;
    if (Traits == NULL) {
        EventData[0].Ptr = 0;
        EventData[0].Size = 0;
        EventData[0].Reserved = 0;
    } else {
        EventData[0].Ptr = (ULONG_PTR)Traits;
        EventData[0].Size = *Traits;
        EventData[0].Reserved = 2;
    }
    return MCGEN_EVENTWRITETRANSFER(Context->RegistrationHandle, Descriptor, ActivityId, NULL,
                                    EventDataCount, EventData);
}
#endif

DECLSPEC_NOINLINE __inline
ULONG __stdcall
McGenEventRegister(
    _In_ LPCGUID ProviderId,
    _In_opt_ PENABLECALLBACK EnableCallback,
    _In_opt_ PVOID CallbackContext,
    _Inout_ PREGHANDLE RegHandle
    )
{
    if (*RegHandle) {
        return ERROR_SUCCESS;
    }
    return MCGEN_EVENTREGISTER(ProviderId, EnableCallback, CallbackContext, RegHandle);
}

DECLSPEC_NOINLINE __inline
ULONG __stdcall
McGenEventUnregister(_Inout_ PREGHANDLE RegHandle)
{
    ULONG Error = ERROR_SUCCESS;

    if (*RegHandle) {
        Error = MCGEN_EVENTUNREGISTER(*RegHandle);
        *RegHandle = (REGHANDLE)0;
    }
    return Error;
}

DECLSPEC_NOINLINE __inline
ULONG __stdcall
McGenEventSetInformation(
    _In_ REGHANDLE RegHandle,
    _In_ EVENT_INFO_CLASS InformationClass,
    _In_reads_bytes_(InformationLength) PVOID EventInformation,
    _In_ ULONG InformationLength
    )
{
    ULONG status = ERROR_NOT_SUPPORTED;

#if MCGEN_HAVE_EVENTSETINFORMATION == 1
    status = MCGEN_EVENTSETINFORMATION(RegHandle, InformationClass, EventInformation, InformationLength);
#elif MCGEN_HAVE_EVENTSETINFORMATION == 2
    HMODULE hEventing;
    if (GetModuleHandleExW(0, L"api-ms-win-eventing-provider-l1-1-0", &hEventing) ||
        GetModuleHandleExW(0, L"advapi32", &hEventing))
    {
        typedef ULONG (WINAPI* PFEventSetInformation)(
            _In_ REGHANDLE RegHandle,
            _In_ EVENT_INFO_CLASS InformationClass,
            _In_reads_bytes_opt_(InformationLength) PVOID EventInformation,
            _In_ ULONG InformationLength);
        PFEventSetInformation pfn = (PFEventSetInformation)GetProcAddress(hEventing, "EventSetInformation");
        if (pfn)
        {
            status = pfn(RegHandle, InformationClass, EventInformation, InformationLength);
        }
        FreeLibrary(hEventing);
    }
#endif
    return status;
}
#endif // MCGEN_DISABLE_PROVIDER_CODE_GENERATION

//
// Provider "Age-2018"
//
EXTERN_C __declspec(selectany) const GUID AGE_2018 = {0x41b0f2a1, 0x1003, 0x4e0a, {0x8a, 0x01, 0x20, 0x18, 0x00, 0x00, 0x00, 0x01}};

#ifndef AGE_2018_Traits
EXTERN_C __declspec(selectany) const char AGE_2018_TraitsData[] = "\x0b\x00" "Age-2018";
#define AGE_2018_Traits AGE_2018_TraitsData
#endif

EXTERN_C __declspec(selectany) const EVENT_DESCRIPTOR AgeNumber = {0x1, 0x0, 0x0, 0x4, 0x0, 0x0, 0x1};
#define AgeNumber_value 0x1
EXTERN_C __declspec(selectany) const EVENT_DESCRIPTOR AgeQuiet = {0x2, 0x0, 0x0, 0x5, 0x0, 0x0, 0x2};
#define AgeQuiet_value 0x2

#ifndef MCGEN_DISABLE_PROVIDER_CODE_GENERATION
EXTERN_C __declspec(selectany) DECLSPEC_CACHEALIGN ULONG Age_2018EnableBits[1];
EXTERN_C __declspec(selectany) const ULONGLONG Age_2018Keywords[2] = {0x1, 0x2};
EXTERN_C __declspec(selectany) const unsigned char Age_2018Levels[2] = {4, 5};
EXTERN_C __declspec(selectany) MCGEN_TRACE_CONTEXT AGE_2018_Context = {0, (ULONG_PTR)AGE_2018_Traits, 0, 0, 0, 0, 0, 0, 2, Age_2018EnableBits, Age_2018Keywords, Age_2018Levels};
#define Age_2018Handle (AGE_2018_Context.RegistrationHandle)

#ifndef EventRegisterByGuidAge_2018
#define EventRegisterByGuidAge_2018(Guid) McGenEventRegister(&(Guid), McGenControlCallbackV2, &AGE_2018_Context, &Age_2018Handle)
#endif
__inline ULONG EventRegisterAge_2018_Traits(void)
{
    ULONG Error = EventRegisterByGuidAge_2018(AGE_2018);
    if (Error == ERROR_SUCCESS) {
        McGenEventSetInformation(Age_2018Handle, (EVENT_INFO_CLASS)2, (PVOID)(UINT_PTR)AGE_2018_Context.Logger, *(const USHORT UNALIGNED*)(UINT_PTR)AGE_2018_Context.Logger);
    }
    return Error;
}
#define EventRegisterAge_2018() EventRegisterAge_2018_Traits()
#ifndef EventUnregisterAge_2018
#define EventUnregisterAge_2018() McGenEventUnregister(&Age_2018Handle)
#endif

#define EventEnabledAgeNumber() ((Age_2018EnableBits[0] & 0x00000001) != 0)
#define EventWriteAgeNumber(Number, Text) (EventEnabledAgeNumber() ? EventWriteAgeNumber_AssumeEnabled(Number, Text) : ERROR_SUCCESS)
#define EventWriteAgeNumber_AssumeEnabled(Number, Text) \
        McTemplateU0qz(&AGE_2018_Context, &AgeNumber, Number, Text)
#define EventEnabledAgeQuiet() ((Age_2018EnableBits[0] & 0x00000002) != 0)
#define EventWriteAgeQuiet() (EventEnabledAgeQuiet() ? McTemplateU0(&AGE_2018_Context, &AgeQuiet) : ERROR_SUCCESS)

#ifndef McTemplateU0qz_def
#define McTemplateU0qz_def
ETW_INLINE
ULONG
McTemplateU0qz(
    _In_ PMCGEN_TRACE_CONTEXT Context,
    _In_ PCEVENT_DESCRIPTOR Descriptor,
    _In_ const unsigned int  _Arg0,
    _In_opt_ PCWSTR  _Arg1
    )
{
#define McTemplateU0qz_ARGCOUNT 2
    EVENT_DATA_DESCRIPTOR EventData[McTemplateU0qz_ARGCOUNT + 1];

    EventDataDescCreate(&EventData[1],&_Arg0, sizeof(const unsigned int)  );
    EventDataDescCreate(&EventData[2],
                        (_Arg1 != NULL) ? _Arg1 : L"NULL",
                        (_Arg1 != NULL) ? (ULONG)((wcslen(_Arg1) + 1) * sizeof(WCHAR)) : (ULONG)sizeof(L"NULL"));
    return McGenEventWrite(Context, Descriptor, NULL, McTemplateU0qz_ARGCOUNT + 1, EventData);
}
#endif

#ifndef McTemplateU0_def
#define McTemplateU0_def
ETW_INLINE
ULONG
McTemplateU0(
    _In_ PMCGEN_TRACE_CONTEXT Context,
    _In_ PCEVENT_DESCRIPTOR Descriptor
    )
{
    EVENT_DATA_DESCRIPTOR EventData[1];

    return McGenEventWrite(Context, Descriptor, NULL, 1, EventData);
}
#endif
#endif // MCGEN_DISABLE_PROVIDER_CODE_GENERATION

#if defined(__cplusplus)
}
#endif
