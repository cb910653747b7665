/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * common.h - what the headers that "etw mc" generates have in both modes
 *
 * Only user.h and kernel.h include this.  Before, they define
 *
 *	_mcgen_LOAD(object), _mcgen_STORE(object, value)	as one word, without order
 *	_mcgen_MEMBERS		the last members of the context
 *	_mcgen_KNOWN(Context)	the context's state is that of its sessions again
 *
 * and declare _mcgen_Forget().  These macros may be defined before the generated header is
 * included, alike in the whole program or module:
 *
 *	MCGEN_EVENTREGISTER, MCGEN_EVENTUNREGISTER, MCGEN_EVENTSETINFORMATION,
 *	MCGEN_EVENTWRITETRANSFER
 *		names of functions to call instead of those of libetw or etw/nt/etw.h
 *	MCGEN_PENABLECALLBACK
 *		the type of the callback that MCGEN_EVENTREGISTER takes
 *	MCGEN_HAVE_EVENTSETINFORMATION
 *		0: do not set traits; 1, 2: set them for every provider with traits
 *	MCGEN_PRIVATE_ENABLE_CALLBACK_V2(SourceId, ControlCode, Level,
 *			MatchAnyKeyword, MatchAllKeyword, FilterData, CallbackContext)
 *		called at the end of each enable callback; define it in the file
 *		that registers.  CallbackContext is the provider's PMCGEN_TRACE_CONTEXT
 *	MCGEN_GETLENGTHSID(Sid)
 *		bytes of a SID
 *	MCGEN_EVENT_ENABLED(EventName)
 *		the test in EventWrite[EventName](), before it evaluates its arguments
 *	MCGEN_EVENT_ENABLED_FORCONTEXT(pContext, EventName)
 *	MCGEN_EVENT_BIT_SET(EnableBits, BitPosition), or _mcgen_EVENT_BIT_SET
 *	MCGEN_ENABLE_CHECK(Context, Descriptor)
 *	MCGEN_CALLOUT(RegHandle, Descriptor, Count, EventData)
 *		called after each write in code of "mc -co"
 *	MCGEN_DISABLE_PROVIDER_CODE_GENERATION
 *		generate only the constants and descriptors
 *
 * Names that begin with _mcgen_ are for generated code only.
 *
 * Semantics: Microsoft's page "MC.exe" and the documented names of its output.
 */
#ifndef ETW_MCGEN_COMMON_H
#define ETW_MCGEN_COMMON_H

#ifndef MCGEN_HAVE_EVENTSETINFORMATION
#define MCGEN_HAVE_EVENTSETINFORMATION	1
#endif
#ifndef MCGEN_EVENT_ENABLED
#define MCGEN_EVENT_ENABLED(EventName)	EventEnabled##EventName()
#endif
#ifndef MCGEN_EVENT_ENABLED_FORCONTEXT
#define MCGEN_EVENT_ENABLED_FORCONTEXT(pContext, EventName)		\
	EventEnabled##EventName##_ForContext(pContext)
#endif
#ifndef MCGEN_ENABLE_CHECK
#define MCGEN_ENABLE_CHECK(Context, Descriptor)				\
	((Context).IsEnabled && McGenEventEnabled(&(Context), &(Descriptor)))
#endif
#ifndef ETW_INLINE
#define ETW_INLINE			static inline
#endif

/* a##b after macro expansion of both */
#define _mcgen_PASTE2(a, b)		_mcgen_PASTE2_imp(a, b)
#define _mcgen_PASTE2_imp(a, b)		a##b

/*
 * The state of a provider after its last enable callback, which writes it, one call at a
 * time.  Any thread reads it, one word at a time, without a lock.
 */
typedef struct _MCGEN_TRACE_CONTEXT {
	REGHANDLE RegistrationHandle;	/* 0: not registered */
	ETW_ANONYMOUS union {
		const void *Traits;	/* NULL, or the provider's traits */
		ULONGLONG Logger;
	};
	ULONGLONG MatchAnyKeyword;
	ULONGLONG MatchAllKeyword;
	ULONG Flags;
	ULONG IsEnabled;
	UCHAR Level;
	UCHAR Reserve;
	USHORT EnableBitsCount;		/* bits, and elements of the next two */
	PULONG EnableBitMask;
	const ULONGLONG *EnableKeyWords;
	const UCHAR *EnableLevel;
	_mcgen_MEMBERS
} MCGEN_TRACE_CONTEXT, *PMCGEN_TRACE_CONTEXT;

/* May a session want this, by the state of the last enable callback?  Any context. */
static inline BOOLEAN McGenLevelKeywordEnabled(const MCGEN_TRACE_CONTEXT *EnableInfo,
					       UCHAR Level, ULONGLONG Keyword)
{
	UCHAR most = _mcgen_LOAD(EnableInfo->Level);
	ULONGLONG any, all;

	if (Level > most && most)
		return FALSE;
	if (!Keyword)
		return TRUE;
	any = _mcgen_LOAD(EnableInfo->MatchAnyKeyword);
	all = _mcgen_LOAD(EnableInfo->MatchAllKeyword);
	return (Keyword & any) && (Keyword & all) == all;
}

/* Store whole words, so that an event that stays enabled never looks disabled. */
static inline VOID _mcgen_UpdateBits(PMCGEN_TRACE_CONTEXT Context)
{
	ULONG count = Context->EnableBitsCount, i, word = 0;

	for (i = 0; i < count; i++) {
		if (Context->IsEnabled &&
		    McGenLevelKeywordEnabled(Context, Context->EnableLevel[i],
					     Context->EnableKeyWords[i]))
			word |= 1u << (i & 31);
		if ((i & 31) == 31 || i + 1 == count) {
			_mcgen_STORE(Context->EnableBitMask[i >> 5], word);
			word = 0;
		}
	}
}

/* The enable callback; CallbackContext: a PMCGEN_TRACE_CONTEXT, or NULL. */
static inline VOID NTAPI McGenControlCallbackV2(LPCGUID SourceId, ULONG ControlCode,
						UCHAR Level, ULONGLONG MatchAnyKeyword,
						ULONGLONG MatchAllKeyword,
						PEVENT_FILTER_DESCRIPTOR FilterData,
						PVOID CallbackContext)
{
	PMCGEN_TRACE_CONTEXT context = (PMCGEN_TRACE_CONTEXT)CallbackContext;
	BOOLEAN on = ControlCode == EVENT_CONTROL_CODE_ENABLE_PROVIDER;

	(void)SourceId;
	(void)FilterData;
	if (!context)
		return;
	if (on || ControlCode == EVENT_CONTROL_CODE_DISABLE_PROVIDER) {
		_mcgen_STORE(context->Level, on ? Level : 0);
		_mcgen_STORE(context->MatchAnyKeyword, on ? MatchAnyKeyword : 0);
		_mcgen_STORE(context->MatchAllKeyword, on ? MatchAllKeyword : 0);
		_mcgen_STORE(context->IsEnabled, ControlCode);
		_mcgen_KNOWN(context);
		_mcgen_UpdateBits(context);
	}
#ifdef MCGEN_PRIVATE_ENABLE_CALLBACK_V2
	MCGEN_PRIVATE_ENABLE_CALLBACK_V2(SourceId, ControlCode, Level, MatchAnyKeyword,
					 MatchAllKeyword, FilterData, CallbackContext);
#endif
}

/* Initialize the caller's own context: the same events under another registration. */
static inline VOID _mcgen_InitContext(PMCGEN_TRACE_CONTEXT Context,
				      const MCGEN_TRACE_CONTEXT *Like, PULONG Bits)
{
	_mcgen_Forget(&Context->RegistrationHandle);
	memset(Context, 0, sizeof(*Context));
	memset(Bits, 0, (Like->EnableBitsCount + 31u) / 32 * sizeof(*Bits));
	Context->Traits = Like->Traits;
	Context->EnableBitsCount = Like->EnableBitsCount;
	Context->EnableBitMask = Bits;
	Context->EnableKeyWords = Like->EnableKeyWords;
	Context->EnableLevel = Like->EnableLevel;
}

#endif /* ETW_MCGEN_COMMON_H */
