// SPDX-License-Identifier: GPL-2.0-only
//
// age2022.h - a header in the style of mc.exe of 2020 on: names of functions that depend on
// the overridden ones, checks of those names, contexts of the caller's own
//
#pragma once
#include <wmistr.h>
#include <evntrace.h>
#include <evntprov.h>

#if !defined(ETW_INLINE)
#ifdef _ETW_KM_
#define ETW_INLINE DECLSPEC_NOINLINE __inline
#else
#define ETW_INLINE __inline
#endif
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
#ifndef MCGEN_EVENT_ENABLED
#define MCGEN_EVENT_ENABLED(EventName) EventEnabled##EventName()
#endif
#ifndef MCGEN_EVENT_ENABLED_FORCONTEXT
#define MCGEN_EVENT_ENABLED_FORCONTEXT(pContext, EventName) EventEnabled##EventName##_ForContext(pContext)
#endif
#ifndef _mcgen_PENABLECALLBACK
#define _mcgen_PENABLECALLBACK     PENABLECALLBACK
#endif
#if !defined(_mcgen_PASTE2)
#define _mcgen_PASTE2(a, b) _mcgen_PASTE2_imp(a, b)
#define _mcgen_PASTE2_imp(a, b) a##b
#endif

// The macro is a plain identifier, is not redefined, and takes no arguments:
struct _mcgen_PASTE2(MCGEN_EVENTREGISTER_definition_must_be_an_unqualified_identifier_, MCGEN_EVENTREGISTER);
typedef struct _mcgen_PASTE2(MCGEN_EVENTREGISTER_definition_must_be_an_unqualified_identifier_, MCGEN_EVENTREGISTER)
    MCGEN_EVENTREGISTER_must_not_be_redefined_between_headers;
typedef void MCGEN_EVENTREGISTER_must_not_be_a_functionLike_macro_MCGEN_EVENTREGISTER;
typedef int _mcgen_PASTE2(MCGEN_EVENTREGISTER_must_not_be_a_functionLike_macro_, MCGEN_EVENTREGISTER);
struct _mcgen_PASTE2(MCGEN_EVENTWRITETRANSFER_definition_must_be_an_unqualified_identifier_, MCGEN_EVENTWRITETRANSFER);
typedef struct _mcgen_PASTE2(MCGEN_EVENTWRITETRANSFER_definition_must_be_an_unqualified_identifier_, MCGEN_EVENTWRITETRANSFER)
    MCGEN_EVENTWRITETRANSFER_must_not_be_redefined_between_headers;;

#define McGenEventWrite _mcgen_PASTE2(McGenEventWrite_, MCGEN_EVENTWRITETRANSFER)
#define McGenEventRegister _mcgen_PASTE2(McGenEventRegister_, MCGEN_EVENTREGISTER)
#define McGenEventUnregister _mcgen_PASTE2(McGenEventUnregister_, MCGEN_EVENTUNREGISTER)
#define McGenEventSetInformation _mcgen_PASTE2(McGenEventSetInformation_, MCGEN_EVENTSETINFORMATION)

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
    _Pre_cap_(EventDataCount) EVENT_DATA_DESCRIPTOR* EventData
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
    _In_opt_ _mcgen_PENABLECALLBACK EnableCallback,
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
    _In_opt_bytecount_(InformationLength) PVOID EventInformation,
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
// Provider "Age-2022"
//
EXTERN_C __declspec(selectany) const GUID AGE_2022 = {0x41b0f2a1, 0x1004, 0x4e0a, {0x8a, 0x01, 0x20, 0x18, 0x00, 0x00, 0x00, 0x01}};

#ifndef AGE_2022_Traits
EXTERN_C __declspec(selectany) const char AGE_2022_TraitsData[] = "\x0b\x00" "Age-2022";
#define AGE_2022_Traits AGE_2022_TraitsData
#endif

EXTERN_C __declspec(selectany) const EVENT_DESCRIPTOR AgeNumber = {0x1, 0x0, 0x0, 0x4, 0x0, 0x0, 0x1};
#define AgeNumber_value 0x1
EXTERN_C __declspec(selectany) const EVENT_DESCRIPTOR AgeQuiet = {0x2, 0x0, 0x0, 0x5, 0x0, 0x0, 0x2};
#define AgeQuiet_value 0x2

#ifndef MCGEN_DISABLE_PROVIDER_CODE_GENERATION
EXTERN_C __declspec(selectany) DECLSPEC_CACHEALIGN ULONG Age_2022EnableBits[1];
EXTERN_C __declspec(selectany) const ULONGLONG Age_2022Keywords[2] = {0x1, 0x2};
EXTERN_C __declspec(selectany) const unsigned char Age_2022Levels[2] = {4, 5};
EXTERN_C __declspec(selectany) MCGEN_TRACE_CONTEXT AGE_2022_Context = {0, (ULONG_PTR)AGE_2022_Traits, 0, 0, 0, 0, 0, 0, 2, Age_2022EnableBits, Age_2022Keywords, Age_2022Levels};
#define Age_2022Handle (AGE_2022_Context.RegistrationHandle)

#ifndef EventRegisterByGuidAge_2022
#define EventRegisterByGuidAge_2022(Guid) McGenEventRegister(&(Guid), McGenControlCallbackV2, &AGE_2022_Context, &Age_2022Handle)
#endif
__inline ULONG EventRegisterAge_2022_Traits(void)
{
    ULONG Error = EventRegisterByGuidAge_2022(AGE_2022);
    if (Error == ERROR_SUCCESS) {
        McGenEventSetInformation(Age_2022Handle, (EVENT_INFO_CLASS)2, (PVOID)(UINT_PTR)AGE_2022_Context.Logger, *(const USHORT UNALIGNED*)(UINT_PTR)AGE_2022_Context.Logger);
    }
    return Error;
}
#define EventRegisterAge_2022() EventRegisterAge_2022_Traits()
#ifndef EventUnregisterAge_2022
#define EventUnregisterAge_2022() McGenEventUnregister(&Age_2022Handle)
#endif

#ifndef _mcgen_EVENT_BIT_SET
#if defined(_M_IX86) || defined(_M_X64)
#define _mcgen_EVENT_BIT_SET(EnableBits, BitPosition) ((((const unsigned char*)EnableBits)[BitPosition >> 3] & (1u << (BitPosition & 7))) != 0)
#else
#define _mcgen_EVENT_BIT_SET(EnableBits, BitPosition) ((EnableBits[BitPosition >> 5] & (1u << (BitPosition & 31))) != 0)
#endif
#endif

#ifdef MCGEN_ENABLE_FORCONTEXT_CODE_GENERATION
typedef struct tagMcGenContext_Age_2022 {
    MCGEN_TRACE_CONTEXT Context;
    ULONG EnableBits[1];
} McGenContext_Age_2022;

#define EventRegisterAge_2022_ForContext(pContext) _mcgen_PASTE2(_mcgen_RegisterForContext_Age_2022_, MCGEN_EVENTREGISTER)(&AGE_2022, pContext)
#define EventUnregisterAge_2022_ForContext(pContext) McGenEventUnregister(&(pContext)->Context.RegistrationHandle)

__inline
ULONG __stdcall
_mcgen_PASTE2(_mcgen_RegisterForContext_Age_2022_, MCGEN_EVENTREGISTER)(
    _In_ LPCGUID pProviderId,
    _Out_ McGenContext_Age_2022* pContext)
{
    RtlZeroMemory(pContext, sizeof(*pContext));
    pContext->Context.Logger = (ULONG_PTR)AGE_2022_Traits;
    pContext->Context.EnableBitsCount = 2;
    pContext->Context.EnableBitMask = pContext->EnableBits;
    pContext->Context.EnableKeyWords = Age_2022Keywords;
    pContext->Context.EnableLevel = Age_2022Levels;
    return McGenEventRegister(pProviderId, McGenControlCallbackV2, &pContext->Context,
                              &pContext->Context.RegistrationHandle);
}

FORCEINLINE
_Ret_ McGenContext_Age_2022*
_mcgen_CheckContextType_Age_2022(_In_ McGenContext_Age_2022* pContext)
{
    return pContext;
}

#define EventEnabledAgeQuiet_ForContext(pContext) _mcgen_EVENT_BIT_SET(_mcgen_CheckContextType_Age_2022(pContext)->EnableBits, 1)
#define EventWriteAgeQuiet_ForContext(pContext) \
        MCGEN_EVENT_ENABLED_FORCONTEXT(pContext, AgeQuiet) \
        ? McTemplateU0(&(pContext)->Context, &AgeQuiet) \
        : ERROR_SUCCESS
#endif // MCGEN_ENABLE_FORCONTEXT_CODE_GENERATION

#define EventEnabledAgeNumber() _mcgen_EVENT_BIT_SET(Age_2022EnableBits, 0)
#define EventWriteAgeNumber(Number, Text) \
        MCGEN_EVENT_ENABLED(AgeNumber) \
        ? EventWriteAgeNumber_AssumeEnabled(Number, Text) : ERROR_SUCCESS
#define EventWriteAgeNumber_AssumeEnabled(Number, Text) \
        McTemplateU0qz(&AGE_2022_Context, &AgeNumber, Number, Text)
#define EventEnabledAgeQuiet() _mcgen_EVENT_BIT_SET(Age_2022EnableBits, 1)
#define EventWriteAgeQuiet() (EventEnabledAgeQuiet() ? McTemplateU0(&AGE_2022_Context, &AgeQuiet) : ERROR_SUCCESS)

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
