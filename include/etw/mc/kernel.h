/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * kernel.h - the common part of the headers that "etw mc -km" generates
 *
 * A kernel module includes the header generated from its manifest, which includes this
 * one.  For a provider with symbol SYM and name NAME, and an event X, it defines:
 *
 *	EventRegisterNAME(), EventUnregisterNAME()	process context, may sleep
 *	EventEnabledX()			may a session want event X?  Any context
 *	EventWriteX(Activity, ...)	write event X; any context, including NMI.  The
 *					arguments are evaluated once, and only if it is enabled
 *	EventWriteX_AssumeEnabled(Activity, ...)	the same without testing first
 *	SYM_Provider			the provider for the functions of etw/kernel.h
 *	SYM_Context			its state, and its handle for those of etw/nt/etw.h
 *
 * Activity is a GUID *, or NULL for the task's activity id.  The functions that register,
 * unregister and write return an NTSTATUS; see etw/nt/etw.h.
 * While no session has enabled the provider, EventWriteX() costs a patched-out branch.  All
 * files of a module that include the header share the provider's objects.
 * A write uses 24 bytes of stack for each string, array, structure and SID, and for each
 * number 8 bytes plus its size.  The compiler rejects a template that needs more than
 * 1,792 bytes in total, so that no stack frame exceeds 2,048.
 *
 * common.h lists the macros that may be defined before the header is included, alike in all
 * files of a module.  MCGEN_EVENT_BIT_SET replaces the patched-out branch.  EventData of
 * MCGEN_CALLOUT is only the payload, and Count may be 0.
 *
 * Differences from Windows:
 *	The macros pass a float or double to the generated function by address, because
 *	kernel code has no floating-point registers.
 *	EnableBits change in the enable callback, which runs on a workqueue.  Events are
 *	tested by the sessions' current state instead, unless MCGEN_EVENT_BIT_SET or
 *	MCGEN_EVENTREGISTER is defined.
 *	There is no first data descriptor for the traits, because etw.ko has them, and
 *	adjacent numbers share one descriptor.  MCGEN_EVENTWRITETRANSFER gets these
 *	descriptors.
 *	SYM_Context is registered with itself as the CallbackContext.
 */
#ifndef ETW_MCGEN_KM_H
#define ETW_MCGEN_KM_H

#include <etw/nt/etw.h>
#include <linux/overflow.h>
#include <linux/sizes.h>

/* The macro's name in headers of older compilers */
#if defined(_mcgen_EVENT_BIT_SET) && !defined(MCGEN_EVENT_BIT_SET)
#define MCGEN_EVENT_BIT_SET(EnableBits, BitPosition)			\
	_mcgen_EVENT_BIT_SET(EnableBits, BitPosition)
#endif
/* What the module replaces: the test, registering, setting traits, writing */
#if defined(MCGEN_EVENT_BIT_SET) || defined(MCGEN_EVENTREGISTER)
#define _mcgen_km_BITS			1
#else
#define _mcgen_km_BITS			0
#endif
#ifdef MCGEN_EVENTREGISTER
#define _mcgen_km_REGISTERS		1
#else
#define _mcgen_km_REGISTERS		0
#define MCGEN_EVENTREGISTER		EtwRegister
#endif
#ifdef MCGEN_EVENTSETINFORMATION
#define _mcgen_km_SETS			1
#else
#define _mcgen_km_SETS			0
#define MCGEN_EVENTSETINFORMATION	EtwSetInformation
#endif
#ifdef MCGEN_EVENTWRITETRANSFER
#define _mcgen_km_WRITES		1
#else
#define _mcgen_km_WRITES		0
#define MCGEN_EVENTWRITETRANSFER	EtwWriteTransfer
#endif

#ifndef MCGEN_USE_KERNEL_MODE_APIS
#define MCGEN_USE_KERNEL_MODE_APIS	1
#endif
#ifndef MCGEN_EVENTUNREGISTER
#define MCGEN_EVENTUNREGISTER		EtwUnregister
#endif
#ifndef MCGEN_PENABLECALLBACK
#define MCGEN_PENABLECALLBACK		PETWENABLECALLBACK
#endif
#ifndef MCGEN_EVENT_BIT_SET
#define MCGEN_EVENT_BIT_SET(EnableBits, BitPosition)			\
	((READ_ONCE((EnableBits)[(BitPosition) >> 5]) >> ((BitPosition) & 31)) & 1)
#endif
#ifndef MCGEN_GETLENGTHSID
#define MCGEN_GETLENGTHSID(Sid)		RtlLengthSid(Sid)
#endif
#define _mcgen_LOAD(object)		READ_ONCE(object)
#define _mcgen_STORE(object, value)	WRITE_ONCE(object, value)
#define _mcgen_KNOWN(Context)		((void)0)
#define _mcgen_MEMBERS							\
	struct etw_provider *Provider;	/* tested by the macros; NULL: the handle's */	\
	const char *Name;		/* the provider's name */	\
	PETWENABLECALLBACK Callback;	/* set while the provider is registered */

static inline VOID _mcgen_Forget(PREGHANDLE RegHandle)
{
}

#include <etw/mc/common.h>

/*
 * ETW_DEFINE_PROVIDER() for a header that several files include.  The linker keeps one
 * key and one provider; the branches of all files refer to this key and are patched with
 * it.
 */
#define _mcgen_km_PROVIDER(_name, ...)					\
	ETW_DECLARE_PROVIDER(_name);					\
	struct static_key_false _name##_etw_key __weak = STATIC_KEY_FALSE_INIT;	\
	struct etw_provider _name __weak = {				\
		.key = &_name##_etw_key.key,				\
		.guid = __VA_ARGS__,					\
	}

/* May a session that has enabled the provider want this event?  Any context. */
static inline BOOLEAN McGenEventEnabled(const MCGEN_TRACE_CONTEXT *Context,
					PCEVENT_DESCRIPTOR Descriptor)
{
	if (_mcgen_km_BITS)
		return McGenLevelKeywordEnabled(Context, Descriptor->Level,
						Descriptor->Keyword);
	return EtwEventEnabled(READ_ONCE(Context->RegistrationHandle), Descriptor);
}

/* The same for an event of _name, or of the module's own context at pContext */
#if _mcgen_km_BITS
#define _mcgen_km_ENABLED(EnableBits, BitPosition, _name, _level, _keyword)	\
	MCGEN_EVENT_BIT_SET(EnableBits, BitPosition)
#define _mcgen_km_ENABLED_BY(pContext, BitPosition, Descriptor)		\
	MCGEN_EVENT_BIT_SET((pContext)->EnableBits, BitPosition)
#else
#define _mcgen_km_ENABLED(EnableBits, BitPosition, _name, _level, _keyword)	\
	ETW_ENABLED(_name, _level, _keyword)
#define _mcgen_km_ENABLED_BY(pContext, BitPosition, Descriptor)		\
	McGenEventEnabled(&(pContext)->Context, &(Descriptor))
#endif

static void __maybe_unused _mcgen_km_callback(const struct etw_guid *source, u32 control,
					      u8 level, u64 any, u64 all,
					      const struct etw_filter *filter, void *context)
{
	PMCGEN_TRACE_CONTEXT own = context;

	if (own->Callback)
		etw_nt_notify(own->Callback, own, source, control, level, any, all, filter);
}

static inline USHORT _mcgen_km_traits_size(const VOID *Traits)
{
	USHORT size;

	memcpy(&size, Traits, sizeof(size));
	return size;
}

/* Does the context have traits to set? */
static inline BOOLEAN _mcgen_km_has_traits(const MCGEN_TRACE_CONTEXT *Context)
{
	return MCGEN_HAVE_EVENTSETINFORMATION && Context->Traits;
}

/*
 * Register the provider of the macros, with its traits from the first event on.  Traits
 * include the name.  Set the handle first, because a session may want events before the
 * registration returns.
 */
static inline NTSTATUS _mcgen_km_register(LPCGUID ProviderId, PETWENABLECALLBACK Callback,
					  PMCGEN_TRACE_CONTEXT Context)
{
	struct etw_provider *provider = Context->Provider;
	int err;

	memcpy(&provider->guid, ProviderId, sizeof(*ProviderId));
	Context->Callback = Callback;
	WRITE_ONCE(Context->RegistrationHandle, (uintptr_t)provider);
	if (_mcgen_km_has_traits(Context) && !_mcgen_km_SETS)
		err = __etw_register_traits(provider, THIS_MODULE, Context->Traits,
					    _mcgen_km_traits_size(Context->Traits),
					    _mcgen_km_callback, Context);
	else
		err = etw_register(provider, Context->Name, _mcgen_km_callback, Context);
	if (err)
		WRITE_ONCE(Context->RegistrationHandle, 0);
	return etw_nt_status(err);
}

/*
 * Register once: if *RegHandle is not 0, return STATUS_SUCCESS and do nothing.
 * CallbackContext must be a PMCGEN_TRACE_CONTEXT if RegHandle points to the handle in it.
 * Process context, may sleep.
 */
static inline NTSTATUS McGenEventRegister(LPCGUID ProviderId,
					  MCGEN_PENABLECALLBACK EnableCallback,
					  PVOID CallbackContext, PREGHANDLE RegHandle)
{
#if !_mcgen_km_REGISTERS
	PMCGEN_TRACE_CONTEXT context = CallbackContext;
#endif

	if (*RegHandle)
		return STATUS_SUCCESS;
#if !_mcgen_km_REGISTERS
	if (context && &context->RegistrationHandle == RegHandle && context->Provider)
		return _mcgen_km_register(ProviderId, EnableCallback, context);
#endif
	return MCGEN_EVENTREGISTER(ProviderId, EnableCallback, CallbackContext, RegHandle);
}

/* Set the traits of a registered provider.  Process context, may sleep. */
static inline NTSTATUS McGenEventSetInformation(PMCGEN_TRACE_CONTEXT Context)
{
	if (!_mcgen_km_has_traits(Context))
		return STATUS_SUCCESS;
	return MCGEN_EVENTSETINFORMATION(Context->RegistrationHandle, EventProviderSetTraits,
					 (PVOID)Context->Traits,
					 _mcgen_km_traits_size(Context->Traits));
}

/*
 * Like McGenEventRegister(), with the context's traits.  STATUS_INVALID_PARAMETER: already
 * registered.  If McGenEventSetInformation() fails, the provider stays registered.
 */
static inline NTSTATUS McGenEventRegisterContext(LPCGUID ProviderId,
						 MCGEN_PENABLECALLBACK EnableCallback,
						 PMCGEN_TRACE_CONTEXT Context)
{
	NTSTATUS status;

	if (Context->RegistrationHandle)
		return STATUS_INVALID_PARAMETER;
	status = McGenEventRegister(ProviderId, EnableCallback, Context,
				    &Context->RegistrationHandle);
	/* _mcgen_km_register() has set the traits of the provider of the macros. */
	if (NT_SUCCESS(status) && (!Context->Provider || _mcgen_km_REGISTERS || _mcgen_km_SETS))
		McGenEventSetInformation(Context);
	return status;
}

static inline NTSTATUS McGenEventUnregister(PREGHANDLE RegHandle)
{
	NTSTATUS status;

	if (!*RegHandle)
		return STATUS_SUCCESS;
	status = MCGEN_EVENTUNREGISTER(*RegHandle);
	if (NT_SUCCESS(status))
		WRITE_ONCE(*RegHandle, 0);
	return status;
}

static inline NTSTATUS McGenEventWrite(PMCGEN_TRACE_CONTEXT Context,
				       PCEVENT_DESCRIPTOR Descriptor, LPCGUID ActivityId,
				       ULONG EventDataCount,
				       PEVENT_DATA_DESCRIPTOR EventData)
{
	struct etw_provider *provider = etw_nt_provider(READ_ONCE(Context->RegistrationHandle));

	if (_mcgen_km_WRITES)
		return MCGEN_EVENTWRITETRANSFER(READ_ONCE(Context->RegistrationHandle),
						Descriptor, ActivityId, NULL,
						EventDataCount, EventData);
	if (!provider)
		return STATUS_INVALID_HANDLE;
	return etw_nt_status(etw_write_transfer(provider,
						(const struct etw_event_descriptor *)Descriptor,
						(const struct etw_guid *)ActivityId, NULL,
						EventDataCount,
						(const struct etw_data_descriptor *)EventData));
}

/* The same, of a payload in one piece whose size is a constant */
static __always_inline NTSTATUS McGenEventWriteFixed(PMCGEN_TRACE_CONTEXT Context,
						     PCEVENT_DESCRIPTOR Descriptor,
						     LPCGUID ActivityId, const VOID *Payload,
						     ULONG Size)
{
	struct etw_provider *provider = etw_nt_provider(READ_ONCE(Context->RegistrationHandle));
	EVENT_DATA_DESCRIPTOR data;

	if (!_mcgen_km_WRITES && provider && !ActivityId)
		return etw_nt_status(etw_write_fixed(provider,
						     (const struct etw_event_descriptor *)Descriptor,
						     Payload, Size));
	EventDataDescCreate(&data, Payload, Size);
	return McGenEventWrite(Context, Descriptor, ActivityId, 1, &data);
}

/* --------------------------------------------- pieces of an event's payload */

/* NUL-terminated strings, written with the NUL; NULL is written as "NULL". */
static noinline __maybe_unused void _mcgen_km_text16(PEVENT_DATA_DESCRIPTOR Data, PCWSTR String)
{
	if (!String)
		String = L"NULL";
	EventDataDescCreate(Data, String, (wcslen(String) + 1) * sizeof(*String));
}

static noinline __maybe_unused void _mcgen_km_text8(PEVENT_DATA_DESCRIPTOR Data, PCSTR String)
{
	if (!String)
		String = "NULL";
	EventDataDescCreate(Data, String, strlen(String) + 1);
}

static inline void _mcgen_km_sid(PEVENT_DATA_DESCRIPTOR Data, const SID *Sid)
{
	EventDataDescCreate(Data, Sid, Sid ? MCGEN_GETLENGTHSID(Sid) : 0);
}

/* Write nothing for a NULL pointer, whatever Size is. */
static inline void _mcgen_km_bytes(PEVENT_DATA_DESCRIPTOR Data, const VOID *Bytes, ULONG Size)
{
	EventDataDescCreate(Data, Bytes, Bytes ? Size : 0);
}

/* Bytes of counted data, at most the 65,535 that fit its length field */
static inline USHORT _mcgen_km_counted(SIZE_T unit, ULONG n)
{
	return min_t(SIZE_T, unit * n, U16_MAX / unit * unit);
}

static inline void _mcgen_km_copy(VOID *to, const VOID *from, SIZE_T size)
{
	if (from)
		memcpy(to, from, size);
	else
		memset(to, 0, size);
}

/* size * n, at most 64 KB, which is too large for any event; n: any integer type */
static inline u64 _mcgen_km_product(u64 size, u64 n)
{
	u64 product;

	return check_mul_overflow(size, n, &product) || product > SZ_64K ? SZ_64K : product;
}

#endif /* ETW_MCGEN_KM_H */
