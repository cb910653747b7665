/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * user.h - the common part of the headers that "etw mc -um" generates
 *
 * A program includes the header generated from its manifest, which includes this one.
 * common.h lists the macros that may be defined before that.  In addition:
 *
 *	MCGEN_EVENTENABLED
 *		function to call instead of EventEnabled(), for which mc.exe has no macro;
 *		called in forked children, see _mcgen_ENABLED
 *
 * EventData[0] of MCGEN_CALLOUT is the provider's traits or empty, the others are the payload.
 */
#ifndef ETW_MCGEN_H
#define ETW_MCGEN_H

#include <pthread.h>
#include <string.h>
#include <evntprov.h>
#include <etw/windeclspec.h>
#include <etw/winsec.h>

#ifndef MCGEN_USE_KERNEL_MODE_APIS
#define MCGEN_USE_KERNEL_MODE_APIS	0
#endif
#ifndef MCGEN_EVENTREGISTER
#define MCGEN_EVENTREGISTER		EventRegister
#endif
#ifndef MCGEN_EVENTUNREGISTER
#define MCGEN_EVENTUNREGISTER		EventUnregister
#endif
#ifndef MCGEN_EVENTSETINFORMATION
#define MCGEN_EVENTSETINFORMATION	EventSetInformation
#endif
#ifndef MCGEN_EVENTWRITETRANSFER
#define MCGEN_EVENTWRITETRANSFER	EventWriteTransfer
#endif
#ifndef MCGEN_EVENTENABLED
#define MCGEN_EVENTENABLED		EventEnabled
#endif
#ifndef MCGEN_PENABLECALLBACK
#define MCGEN_PENABLECALLBACK		PENABLECALLBACK
#endif
#ifndef MCGEN_GETLENGTHSID
#define MCGEN_GETLENGTHSID(Sid)		_mcgen_SidSize((const SID *)(Sid))
#endif
/* The macro's name in headers of older compilers */
#if defined(_mcgen_EVENT_BIT_SET) && !defined(MCGEN_EVENT_BIT_SET)
#define MCGEN_EVENT_BIT_SET(EnableBits, BitPosition)			\
	_mcgen_EVENT_BIT_SET(EnableBits, BitPosition)
#endif
/* One load and one test; EnableBits: ULONG[] */
#ifndef MCGEN_EVENT_BIT_SET
#define MCGEN_EVENT_BIT_SET(EnableBits, BitPosition)			\
	__builtin_expect((_mcgen_LOAD((EnableBits)[(BitPosition) >> 5]) >>	\
			  ((BitPosition) & 31)) & 1, 0)
#endif
/*
 * The test of an event.  A forked child has no thread for callbacks until it has written
 * an event.  Until then all its bits are set, and each test calls EventEnabled().
 */
#define _mcgen_ENABLED(EnableBits, BitPosition, Context, Descriptor)	\
	(MCGEN_EVENT_BIT_SET(EnableBits, BitPosition) && _mcgen_Sure(&(Context), &(Descriptor)))

/* MCGEN_TRACE_CONTEXT.Flags: inherited by fork; only EventEnabled() knows the state */
#define _mcgen_FORKED	0x1

#define _mcgen_LOAD(object)		__atomic_load_n(&(object), __ATOMIC_RELAXED)
#define _mcgen_STORE(object, value)	__atomic_store_n(&(object), value, __ATOMIC_RELAXED)
#define _mcgen_KNOWN(Context)						\
	((void)__atomic_fetch_and(&(Context)->Flags, ~(ULONG)_mcgen_FORKED, __ATOMIC_RELAXED))
#define _mcgen_MEMBERS							\
	struct _MCGEN_TRACE_CONTEXT *Next;	/* in the list of registered contexts */

ETW_BEGIN_DECLS

static inline VOID _mcgen_Forget(PREGHANDLE RegHandle);

#include <etw/mc/common.h>

static inline BOOLEAN _mcgen_Sure(PMCGEN_TRACE_CONTEXT Context, PCEVENT_DESCRIPTOR Descriptor)
{
	if (__builtin_expect(!(_mcgen_LOAD(Context->Flags) & _mcgen_FORKED), 1))
		return TRUE;
	return MCGEN_EVENTENABLED(_mcgen_LOAD(Context->RegistrationHandle), Descriptor);
}

static inline BOOLEAN McGenEventEnabled(PMCGEN_TRACE_CONTEXT EnableInfo,
					PCEVENT_DESCRIPTOR EventDescriptor)
{
	return McGenLevelKeywordEnabled(EnableInfo, EventDescriptor->Level,
					EventDescriptor->Keyword) &&
	       _mcgen_Sure(EnableInfo, EventDescriptor);
}

/* The registered contexts of this program or shared object. */
typedef struct _mcgen_Contexts {
	pthread_mutex_t Lock;
	PMCGEN_TRACE_CONTEXT First;
	int Watched;		/* the fork handlers below are installed */
} _mcgen_Contexts;

EXTERN_C __declspec(selectany) _mcgen_Contexts _mcgen_Registered = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

static inline void _mcgen_BeforeFork(void)
{
	pthread_mutex_lock(&_mcgen_Registered.Lock);
}

static inline void _mcgen_AfterFork(void)
{
	pthread_mutex_unlock(&_mcgen_Registered.Lock);
}

/* Set all bits, so that _mcgen_Sure() calls EventEnabled() for every event. */
static inline void _mcgen_InChild(void)
{
	PMCGEN_TRACE_CONTEXT context;
	ULONG i;

	for (context = _mcgen_Registered.First; context; context = context->Next) {
		context->Flags |= _mcgen_FORKED;
		context->Level = 0;
		context->MatchAnyKeyword = ~0ULL;
		context->MatchAllKeyword = 0;
		context->IsEnabled = 1;
		for (i = 0; i < (context->EnableBitsCount + 31u) / 32; i++)
			context->EnableBitMask[i] = ~0u;
	}
	pthread_mutex_unlock(&_mcgen_Registered.Lock);
}

/*
 * Runs when the program or shared object is loaded, before any code can take the lock: a
 * fork without the handlers could leave it locked in the child forever.
 */
__attribute__((constructor)) static VOID _mcgen_Watch(void)
{
	if (!_mcgen_Registered.Watched)
		_mcgen_Registered.Watched = !pthread_atfork(_mcgen_BeforeFork, _mcgen_AfterFork,
							    _mcgen_InChild);
}

/* A context unregistered without McGenEventUnregister() is still listed: remove it first. */
static inline VOID _mcgen_Remember(PMCGEN_TRACE_CONTEXT Context)
{
	PMCGEN_TRACE_CONTEXT *at;

	pthread_mutex_lock(&_mcgen_Registered.Lock);
	for (at = &_mcgen_Registered.First; *at && *at != Context; at = &(*at)->Next)
		;
	if (*at)
		*at = Context->Next;
	Context->Next = _mcgen_Registered.First;
	_mcgen_Registered.First = Context;
	pthread_mutex_unlock(&_mcgen_Registered.Lock);
}

static inline VOID _mcgen_Forget(PREGHANDLE RegHandle)
{
	PMCGEN_TRACE_CONTEXT *at;

	pthread_mutex_lock(&_mcgen_Registered.Lock);
	for (at = &_mcgen_Registered.First; *at; at = &(*at)->Next) {
		if (&(*at)->RegistrationHandle == RegHandle) {
			*at = (*at)->Next;
			break;
		}
	}
	pthread_mutex_unlock(&_mcgen_Registered.Lock);
}

/*
 * Register once: if *RegHandle is not 0, return ERROR_SUCCESS and do nothing.
 * CallbackContext must be a PMCGEN_TRACE_CONTEXT if RegHandle points to the handle in it.
 */
static inline ULONG McGenEventRegister(LPCGUID ProviderId, MCGEN_PENABLECALLBACK EnableCallback,
				       PVOID CallbackContext, PREGHANDLE RegHandle)
{
	PMCGEN_TRACE_CONTEXT context = (PMCGEN_TRACE_CONTEXT)CallbackContext;
	ULONG error;

	if (*RegHandle != 0)
		return ERROR_SUCCESS;
	error = MCGEN_EVENTREGISTER(ProviderId, EnableCallback, CallbackContext, RegHandle);
	if (error == ERROR_SUCCESS && context && &context->RegistrationHandle == RegHandle)
		_mcgen_Remember(context);
	return error;
}

/*
 * Set the traits of a registered provider.  If they are refused (a group that the process
 * may not join), the provider still writes, and its events carry the traits.
 */
static inline ULONG McGenEventSetInformation(PMCGEN_TRACE_CONTEXT Context)
{
	ULONG error = ERROR_SUCCESS;
#if MCGEN_HAVE_EVENTSETINFORMATION
	BOOLEAN typed = TRUE;
	USHORT size;

	if (!Context->Traits)
		return error;
	memcpy(&size, Context->Traits, sizeof(size));
	error = MCGEN_EVENTSETINFORMATION(Context->RegistrationHandle, EventProviderSetTraits,
					  (PVOID)(ULONG_PTR)Context->Traits, size);
	/* Without types, the traits in each event's data would become payload. */
	if (error != ERROR_SUCCESS)
		MCGEN_EVENTSETINFORMATION(Context->RegistrationHandle,
					  EventProviderUseDescriptorType, &typed,
					  sizeof(typed));
#else
	(void)Context;
#endif
	return error;
}

/* Like McGenEventRegister(), with traits.  ERROR_INVALID_PARAMETER: already registered. */
static inline ULONG McGenEventRegisterContext(LPCGUID ProviderId,
					      MCGEN_PENABLECALLBACK EnableCallback,
					      PMCGEN_TRACE_CONTEXT Context)
{
	ULONG error;

	if (Context->RegistrationHandle != 0)
		return ERROR_INVALID_PARAMETER;
	error = McGenEventRegister(ProviderId, EnableCallback, Context,
				   &Context->RegistrationHandle);
	if (error == ERROR_SUCCESS)
		(void)McGenEventSetInformation(Context);
	return error;
}

static inline ULONG McGenEventUnregister(PREGHANDLE RegHandle)
{
	ULONG error;

	if (*RegHandle == 0)
		return ERROR_SUCCESS;
	_mcgen_Forget(RegHandle);
	error = MCGEN_EVENTUNREGISTER(*RegHandle);
	*RegHandle = 0;
	return error;
}

static inline ULONG McGenEventWrite(PMCGEN_TRACE_CONTEXT Context, PCEVENT_DESCRIPTOR Descriptor,
				    LPCGUID ActivityId, ULONG EventDataCount,
				    PEVENT_DATA_DESCRIPTOR EventData)
{
	USHORT size = 0;

	EventDataDescCreate(&EventData[0], NULL, 0);
#if MCGEN_HAVE_EVENTSETINFORMATION
	if (Context->Traits) {
		memcpy(&size, Context->Traits, sizeof(size));
		EventDataDescCreate(&EventData[0], Context->Traits, size);
		EventData[0].Reserved = EVENT_DATA_DESCRIPTOR_TYPE_PROVIDER_METADATA;
	}
#else
	(void)size;
#endif
	return MCGEN_EVENTWRITETRANSFER(Context->RegistrationHandle, Descriptor, ActivityId, NULL,
					EventDataCount, EventData);
}

/* --------------------------------------------- pieces of an event's payload */

static inline ULONG _mcgen_SidSize(const SID *Sid)
{
	return 8 + 4u * Sid->SubAuthorityCount;
}

/* NUL-terminated strings, written with the NUL; NULL is written as "NULL". */
static inline VOID _mcgen_DataZ(PEVENT_DATA_DESCRIPTOR Data, PCWSTR String)
{
	size_t n = 0;

	if (!String)
		String = ETW_WIDE("NULL");
	while (String[n])
		n++;
	EventDataDescCreate(Data, String, (ULONG)((n + 1) * sizeof(*String)));
}

static inline VOID _mcgen_DataS(PEVENT_DATA_DESCRIPTOR Data, PCSTR String)
{
	if (!String)
		String = "NULL";
	EventDataDescCreate(Data, String, (ULONG)(strlen(String) + 1));
}

ETW_END_DECLS

#endif /* ETW_MCGEN_H */
