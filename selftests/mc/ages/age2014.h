// SPDX-License-Identifier: GPL-2.0-only
//
// age2014.h - a header in the style of mc.exe of 2012 to 2016: EnableBits of a context,
// functions of the common code by name
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
    USHORT                 EnableBitsCount;
    PULONG                 EnableBitMask;
    const ULONGLONG*       EnableKeyWords;
    const UCHAR*           EnableLevel;
} MCGEN_TRACE_CONTEXT, *PMCGEN_TRACE_CONTEXT;
#endif

#if !defined(MCGEN_LEVEL_KEYWORD_ENABLED_DEF)
#define MCGEN_LEVEL_KEYWORD_ENABLED_DEF
FORCEINLINE
BOOLEAN
McGenLevelKeywordEnabled(
    _In_ PMCGEN_TRACE_CONTEXT EnableInfo,
    _In_ UCHAR Level,
    _In_ ULONGLONG Keyword
    )
{
    if ((Level <= EnableInfo->Level) || (EnableInfo->Level == 0)) {
        if ((Keyword == (ULONGLONG)0) ||
            ((Keyword & EnableInfo->MatchAnyKeyword) &&
             ((Keyword & EnableInfo->MatchAllKeyword) == EnableInfo->MatchAllKeyword))) {
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
#ifndef MCGEN_PRIVATE_ENABLE_CALLBACK_V2
    UNREFERENCED_PARAMETER(SourceId);
    UNREFERENCED_PARAMETER(FilterData);
#endif

    if (Ctx == NULL) {
        return;
    }
    switch (ControlCode) {
        case EVENT_CONTROL_CODE_ENABLE_PROVIDER:
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
            break;
        case EVENT_CONTROL_CODE_DISABLE_PROVIDER:
            Ctx->IsEnabled = EVENT_CONTROL_CODE_DISABLE_PROVIDER;
            Ctx->Level = 0;
            Ctx->MatchAnyKeyword = 0;
            Ctx->MatchAllKeyword = 0;
            if (Ctx->EnableBitsCount > 0) {
                RtlZeroMemory(Ctx->EnableBitMask, (((Ctx->EnableBitsCount - 1) / 32) + 1) * sizeof(ULONG));
            }
            break;
        default:
            break;
    }
#ifdef MCGEN_PRIVATE_ENABLE_CALLBACK_V2
    MCGEN_PRIVATE_ENABLE_CALLBACK_V2(SourceId, ControlCode, Level, MatchAnyKeyword,
                                     MatchAllKeyword, FilterData, CallbackContext);
#endif
    return;
}
#endif

#if !defined(McGenEventRegister_def)
#define McGenEventRegister_def
#pragma warning(push)
#pragma warning(disable:6103)
DECLSPEC_NOINLINE __inline
ULONG __stdcall
McGenEventRegister(
    _In_ LPCGUID ProviderId,
    _In_opt_ PENABLECALLBACK EnableCallback,
    _In_opt_ PVOID CallbackContext,
    _Inout_ PREGHANDLE RegHandle
    )
{
    ULONG Error;

    if (*RegHandle) {
        return ERROR_SUCCESS;
    }
    Error = EventRegister(ProviderId, EnableCallback, CallbackContext, RegHandle);
    return Error;
}
#pragma warning(pop)

DECLSPEC_NOINLINE __inline
ULONG __stdcall
McGenEventUnregister(_Inout_ PREGHANDLE RegHandle)
{
    ULONG Error;

    if (!(*RegHandle)) {
        return ERROR_SUCCESS;
    }
    Error = EventUnregister(*RegHandle);
    *RegHandle = (REGHANDLE)0;
    return Error;
}
#endif
#endif // MCGEN_DISABLE_PROVIDER_CODE_GENERATION

//
// Provider Age-2014
//
EXTERN_C __declspec(selectany) const GUID AGE_2014 = {0x41b0f2a1, 0x1002, 0x4e0a, {0x8a, 0x01, 0x20, 0x14, 0x00, 0x00, 0x00, 0x01}};

#define AGE_CHANNEL 0x10
EXTERN_C __declspec(selectany) const EVENT_DESCRIPTOR AgeNumber = {0x1, 0x0, 0x10, 0x4, 0x0, 0x0, 0x8000000000000001};
#define AgeNumber_value 0x1
EXTERN_C __declspec(selectany) const EVENT_DESCRIPTOR AgeQuiet = {0x2, 0x0, 0x10, 0x5, 0x0, 0x0, 0x8000000000000002};
#define AgeQuiet_value 0x2

EXTERN_C __declspec(selectany) REGHANDLE Age_2014Handle = (REGHANDLE)0;
EXTERN_C __declspec(selectany) DECLSPEC_CACHEALIGN ULONG Age_2014EnableBits[1];
EXTERN_C __declspec(selectany) const ULONGLONG Age_2014Keywords[2] = {0x8000000000000001, 0x8000000000000002};
EXTERN_C __declspec(selectany) const UCHAR Age_2014Levels[2] = {4, 5};
EXTERN_C __declspec(selectany) MCGEN_TRACE_CONTEXT AGE_2014_Context = {0, 0, 0, 0, 0, 0, 0, 0, 2, Age_2014EnableBits, Age_2014Keywords, Age_2014Levels};

#if !defined(MCGEN_DISABLE_PROVIDER_CODE_GENERATION)
#ifndef EventRegisterAge_2014
#define EventRegisterAge_2014() McGenEventRegister(&AGE_2014, McGenControlCallbackV2, &AGE_2014_Context, &Age_2014Handle)
#endif
#ifndef EventUnregisterAge_2014
#define EventUnregisterAge_2014() McGenEventUnregister(&Age_2014Handle)
#endif

#define EventEnabledAgeNumber() ((Age_2014EnableBits[0] & 0x00000001) != 0)
#define EventWriteAgeNumber(Number, Text)\
        EventEnabledAgeNumber() ?\
        Template_qz(Age_2014Handle, &AgeNumber, Number, Text)\
        : ERROR_SUCCESS
#define EventEnabledAgeQuiet() ((Age_2014EnableBits[0] & 0x00000002) != 0)
#define EventWriteAgeQuiet()\
        EventEnabledAgeQuiet() ?\
        TemplateEventDescriptor(Age_2014Handle, &AgeQuiet)\
        : ERROR_SUCCESS

#ifndef Template_qz_def
#define Template_qz_def
ETW_INLINE
ULONG
Template_qz(
    _In_ REGHANDLE RegHandle,
    _In_ PCEVENT_DESCRIPTOR Descriptor,
    _In_ const unsigned int  _Arg0,
    _In_opt_ PCWSTR  _Arg1
    )
{
#define ARGUMENT_COUNT_qz 2
    EVENT_DATA_DESCRIPTOR EventData[ARGUMENT_COUNT_qz];

    EventDataDescCreate(&EventData[0], &_Arg0, sizeof(const unsigned int)  );
    EventDataDescCreate(&EventData[1],
                        (_Arg1 != NULL) ? _Arg1 : L"NULL",
                        (_Arg1 != NULL) ? (ULONG)((wcslen(_Arg1) + 1) * sizeof(WCHAR)) : (ULONG)sizeof(L"NULL"));
    return EventWrite(RegHandle, Descriptor, ARGUMENT_COUNT_qz, EventData);
}
#endif

#ifndef TemplateEventDescriptor_def
#define TemplateEventDescriptor_def
ETW_INLINE
ULONG
TemplateEventDescriptor(
    _In_ REGHANDLE RegHandle,
    _In_ PCEVENT_DESCRIPTOR Descriptor
    )
{
    return EventWrite(RegHandle, Descriptor, 0, NULL);
}
#endif
#endif

#if defined(__cplusplus)
};
#endif

#define MSG_Keyword_IO 0x10000001L
