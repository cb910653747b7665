/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * provider.h - TraceLogging: define and register a provider
 *
 *	TRACELOGGING_DECLARE_PROVIDER(handle);			in a header
 *	TRACELOGGING_DEFINE_PROVIDER(handle, "Name",		in one source file
 *		(0x01234567, 0x89ab, 0xcdef, 0, 1, 2, 3, 4, 5, 6, 7)
 *		[, TraceLoggingOptionGroup(eleven numbers)][, TraceLoggingOptionTrait(...)]);
 *
 * Name and options become the provider's traits.  TRACELOGGING_DEFINE_PROVIDER_STORAGE()
 * defines a static object, whose address is the handle; it may be used in a function.
 *
 * Source: Microsoft's pages "TRACELOGGING_DEFINE_PROVIDER macro", "TRACELOGGING_DEFINE_
 * PROVIDER_STORAGE macro" and "Provider Traits", and of the functions by their names.
 */
#ifndef ETW_TRACELOGGING_PROVIDER_H
#define ETW_TRACELOGGING_PROVIDER_H

#include <etw/tracelogging/pass.h>
#include <etw/tracelogging/scalar.h>

/* ------------------------------------------------------------------- options */

/* The provider's group */
#define TraceLoggingOptionGroup(d1, d2, d3, b0, b1, b2, b3, b4, b5, b6, b7)	\
	(EtwTlTrait, (ETW_TRAIT_GROUP, struct etw_guid,				\
		      (ETW_GUID(d1, d2, d3, b0, b1, b2, b3, b4, b5, b6, b7))),	\
	 EtwTlNone, (), EtwTlNone, ())

/*
 * Any trait: (type, "bytes"), stored without the NUL; or (type, C type, (initial value)),
 * stored as the bytes of the C type.  Types from 128 on belong to the provider.
 */
#define TraceLoggingOptionTrait(type, ...)					\
	ETW_TL_CAT(ETW_TL_TRAIT, ETW_TL_COUNT(type, __VA_ARGS__))(type, __VA_ARGS__)
#define ETW_TL_TRAIT1(type, text)						\
	(EtwTlText, (type, text), EtwTlNone, (), EtwTlNone, ())
#define ETW_TL_TRAIT2(type, ctype, value)					\
	(EtwTlTrait, (type, ctype, value), EtwTlNone, (), EtwTlNone, ())

/* A literal without its NUL, with which C++ cannot initialize an array. */
#ifdef __cplusplus
template <size_t n> struct __attribute__((__packed__)) etw_tl_chars {
	char c[n];

	template <size_t m> constexpr etw_tl_chars(const char (&text)[m]) : c()
	{
		for (size_t i = 0; i < n; i++)
			c[i] = text[i];
	}
};
#define ETW_TL_CHARS(text)	etw_tl_chars<sizeof(text) - 1>
#define ETW_TL_CHARS_MEMBER(text, name)	ETW_TL_CHARS(text) name
#else
#define ETW_TL_CHARS_MEMBER(text, name)	char name[sizeof(text) - 1]
#endif

/* ---------------------------------------------------------------- definition */

#define ETW_TL_APPLY(f, args)	f args
#define ETW_TL_GUID(...)	ETW_TL_APPLY(ETW_GUID, ETW_TL_FIRST(__VA_ARGS__))

/*
 * A provider's entry in the section etw_tl: its head, the GUID, traits from etw_tl_size_
 * on.  The first of ... is the GUID in parentheses, the others are options.
 */
#define ETW_TL_PROVIDER_META(var, name, ...)					\
	ETW_TL_CONST struct __attribute__((__packed__)) {			\
		char etw_tl_signature_[4];						\
		__u16 etw_tl_head_size_;						\
		__u16 etw_tl_zero_;							\
		__u64 etw_tl_magic_;							\
		__u8 etw_tl_type_;							\
		struct etw_guid etw_tl_id_;						\
		__u16 etw_tl_size_;							\
		char etw_tl_text_[sizeof(name)];					\
		ETW_TL_EACH(MEMBER, __VA_ARGS__)				\
	} var ETW_TL_SECTION = {						\
		{ 'E', 'T', 'W', '0' }, 16, 0, ETW_TL_MAGIC, ETW_TL_PROVIDER,	\
		ETW_TL_GUID(__VA_ARGS__), (__u16)(sizeof(var) - ETW_TL_PROVIDER_HEAD), name	\
		ETW_TL_EACH(INIT, __VA_ARGS__)					\
	};									\
	ETW_TL_ASSERT(sizeof(var) - ETW_TL_PROVIDER_HEAD <= 0xFFFF, "traits over 65,535 bytes")

#ifdef __KERNEL__

/* Only etw.ko can switch on the static key that a write tests, and knows the traits. */
#ifdef TLG_EVENT_REGISTER
#error "TLG_EVENT_REGISTER: a kernel module's provider is registered by etw.ko alone"
#endif
#if defined(TLG_HAVE_EVENT_SET_INFORMATION) && TLG_HAVE_EVENT_SET_INFORMATION == 0
#error "TLG_HAVE_EVENT_SET_INFORMATION 0: without it an event cannot say what is in it"
#endif

/*
 * A provider of a kernel module.  A handle defined or declared by the macros is an
 * array, so that its address is constant and the test of a write is a patched branch.
 * Through any other pointer the test is a load and a branch.  All members are private.
 */
struct _tlgProvider_t {
	struct etw_provider provider;
	struct static_key_false key;
	const void *traits;
	__u32 traits_size;
	void (*callback)(void);		/* nt.h: a PETWENABLECALLBACK, and its context */
	void *context;
};
typedef struct _tlgProvider_t *TraceLoggingHProvider;

#define TRACELOGGING_DECLARE_PROVIDER(handle)	extern struct _tlgProvider_t handle[1]

#define ETW_TL_PROVIDER_INIT(var, meta, ...)					\
	{									\
		.provider = { .key = &(var).key.key, .guid = ETW_TL_GUID(__VA_ARGS__) },	\
		.key = STATIC_KEY_FALSE_INIT,					\
		.traits = &(meta).etw_tl_size_,						\
		.traits_size = sizeof(meta) - ETW_TL_PROVIDER_HEAD,				\
	}

#define TRACELOGGING_DEFINE_PROVIDER(handle, name, ...)			\
	ETW_TL_PROVIDER_META(handle##_etw_tl, name, __VA_ARGS__);	\
	TRACELOGGING_DECLARE_PROVIDER(handle);					\
	struct _tlgProvider_t handle[1] = {					\
		ETW_TL_PROVIDER_INIT(handle[0], handle##_etw_tl, __VA_ARGS__)		\
	}

#define TRACELOGGING_DEFINE_PROVIDER_STORAGE(object, name, ...)		\
	ETW_TL_PROVIDER_META(object##_etw_tl, name, __VA_ARGS__);	\
	static struct _tlgProvider_t object =					\
		ETW_TL_PROVIDER_INIT(object, object##_etw_tl, __VA_ARGS__)

/*
 * Register a provider that is not registered.  Process context, may sleep; not under
 * cpus_read_lock().  0 or a negative errno, see __etw_register_traits().
 */
#define TraceLoggingRegister(handle)						\
	TraceLoggingRegisterEx(handle, NULL, NULL)
#define TraceLoggingRegisterEx(handle, callback, context)			\
	etw_tl_register((handle), THIS_MODULE, (callback), (context))

ETW_TL_INLINE int etw_tl_register(TraceLoggingHProvider handle, struct module *owner,
				  etw_enable_fn callback, void *context)
{
	return __etw_register_traits(&handle->provider, owner, handle->traits,
				     handle->traits_size, callback, context);
}

/*
 * Does nothing if the provider is not registered.  Process context, sleeps; not under
 * cpus_read_lock(), not from the provider's callback.
 */
ETW_TL_INLINE void TraceLoggingUnregister(TraceLoggingHProvider handle)
{
	etw_unregister(&handle->provider);
}

/* Like etw_provider_enabled().  Any context. */
ETW_TL_INLINE bool TraceLoggingProviderEnabled(const struct _tlgProvider_t *handle, __u8 level,
					       __u64 keyword)
{
	return level || keyword ? etw_entry_wants(&handle->provider.enable, level, keyword) :
				  READ_ONCE(handle->provider.enable.enabled);
}

ETW_TL_INLINE struct etw_guid TraceLoggingProviderId(const struct _tlgProvider_t *handle)
{
	return handle->provider.guid;
}

#else /* programs */

/*
 * The functions that the macros call, with the names of Windows' header.  A source file
 * may define them before it includes this header; all source files of a program must
 * define the same ones.
 *
 * If TLG_EVENT_REGISTER or TLG_EVENT_SET_INFORMATION is defined, every provider has a
 * callback, and writes test the state that the callback received last.  The traits are
 * passed to TLG_EVENT_SET_INFORMATION; its failure is ignored.
 */
#if defined(TLG_EVENT_REGISTER) || defined(TLG_EVENT_SET_INFORMATION)
#define ETW_TL_OWN_REGISTER
#endif
#ifndef TLG_EVENT_REGISTER
#define TLG_EVENT_REGISTER		EventRegister
#endif
#ifndef TLG_EVENT_UNREGISTER
#define TLG_EVENT_UNREGISTER		EventUnregister
#endif
#ifndef TLG_EVENT_WRITE_TRANSFER
#define TLG_EVENT_WRITE_TRANSFER	EventWriteTransfer
#endif
#ifndef TLG_EVENT_WRITE_EX
#define TLG_EVENT_WRITE_EX		EventWriteEx
#endif
#ifndef TLG_EVENT_SET_INFORMATION
#define TLG_EVENT_SET_INFORMATION	EventSetInformation
#endif
/* On Windows: whether to find EventSetInformation() at run time, and how */
#if defined(TLG_HAVE_EVENT_SET_INFORMATION) && TLG_HAVE_EVENT_SET_INFORMATION == 0
#error "TLG_HAVE_EVENT_SET_INFORMATION 0: without it an event cannot say what is in it"
#endif

/*
 * A provider of a program.  enable points to the library's pointer to the registration's
 * enable entry; both *enable and the entry change at run time.  The members after id are
 * for ETW_TL_OWN_REGISTER.  All members are private.
 */
struct _tlgProvider_t {
	const struct etw_enable_entry *const volatile *enable;
	REGHANDLE RegHandle;
	const void *traits;
	ULONG traits_size;
	const GUID *id;
	const struct etw_enable_entry *own;	/* &entry */
	PENABLECALLBACK callback;
	PVOID context;
	struct etw_enable_entry entry;
};
typedef struct _tlgProvider_t const *TraceLoggingHProvider;

ETW_BEGIN_DECLS

/*
 * For TraceLoggingRegisterEx(): EventRegister() and EventSetInformation() with the traits
 * in one step.  If the traits are refused, events still carry them, but the provider does
 * not join their group.  *enable is set when *handle is.
 */
ETW_API ULONG etw_tl_register(LPCGUID id, const void *traits, PENABLECALLBACK callback,
			      PVOID context, PREGHANDLE handle,
			      const struct etw_enable_entry *const volatile **enable);

ETW_END_DECLS

/* The enable entry of a provider that is not registered */
static const struct etw_enable_entry etw_tl_nobody ETW_UNUSED = { 0, 0, 0, 0, 0, 0, 0, 0, 0 };
static const struct etw_enable_entry *const volatile etw_tl_unregistered ETW_UNUSED =
	&etw_tl_nobody;

#ifdef __cplusplus
#define ETW_TL_EXTERN_C		extern "C"
#else
#define ETW_TL_EXTERN_C		extern
#endif

#define TRACELOGGING_DECLARE_PROVIDER(handle)					\
	ETW_TL_EXTERN_C const TraceLoggingHProvider handle

#define ETW_TL_PROVIDER_OBJECT(object, name, ...)				\
	ETW_TL_PROVIDER_META(object##_etw_tl, name, __VA_ARGS__);	\
	static const GUID object##_etw_id = ETW_TL_GUID(__VA_ARGS__);		\
	static struct _tlgProvider_t object = {					\
		&etw_tl_unregistered, 0, &object##_etw_tl.etw_tl_size_,			\
		sizeof(object##_etw_tl) - ETW_TL_PROVIDER_HEAD, &object##_etw_id,	\
		NULL, NULL, NULL, { 0, 0, 0, 0, 0, 0, 0, 0, 0 }			\
	}

#define TRACELOGGING_DEFINE_PROVIDER(handle, name, ...)			\
	TRACELOGGING_DECLARE_PROVIDER(handle);					\
	ETW_TL_PROVIDER_OBJECT(handle##_etw, name, __VA_ARGS__);	\
	const TraceLoggingHProvider handle = &handle##_etw

#define TRACELOGGING_DEFINE_PROVIDER_STORAGE(object, name, ...)		\
	ETW_TL_PROVIDER_OBJECT(object, name, __VA_ARGS__)

#ifdef ETW_TL_OWN_REGISTER
/*
 * Set the enable entry from the callback's arguments: level 0 is all levels, keyword 0 all
 * keywords.  A concurrent reader may test some members of the old state and some of the
 * new one.
 */
static void NTAPI ETW_UNUSED etw_tl_on_enable(LPCGUID source, ULONG control, UCHAR level,
					      ULONGLONG any, ULONGLONG all,
					      PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	struct _tlgProvider_t *p = (struct _tlgProvider_t *)context;
	volatile struct etw_enable_entry *entry = &p->entry;

	if (control == EVENT_CONTROL_CODE_ENABLE_PROVIDER) {
		entry->any = any ? any : ~(__u64)0;
		entry->all = all;
		entry->level = level ? level : 255;
		entry->keyword0 = 1;
		entry->enabled = 1;
	} else if (control == EVENT_CONTROL_CODE_DISABLE_PROVIDER) {
		entry->enabled = 0;
		entry->keyword0 = 0;
		entry->any = 0;
		entry->level = 0;
	}
	if (p->callback)
		p->callback(source, control, level, any, all, filter, p->context);
}

/* Register with the functions that the program named. */
static ULONG ETW_UNUSED etw_tl_register_own(struct _tlgProvider_t *p, PENABLECALLBACK callback,
					    PVOID context)
{
	ULONG error;

	memset(&p->entry, 0, sizeof(p->entry));
	p->own = &p->entry;
	p->callback = callback;
	p->context = context;
	__atomic_store_n(&p->enable, &p->own, __ATOMIC_RELEASE);
	error = TLG_EVENT_REGISTER(p->id, etw_tl_on_enable, p, &p->RegHandle);
	if (!error)
		TLG_EVENT_SET_INFORMATION(p->RegHandle, EventProviderSetTraits,
					  (PVOID)p->traits, p->traits_size);
	else
		p->RegHandle = 0;
	return error;
}
#endif

/*
 * Register a provider.  S_OK; E_UNEXPECTED: it is registered already; or the error of
 * EventRegister() as an HRESULT: the provider stays unregistered and writes nothing.  The
 * callback is called as PENABLECALLBACK documents; writes already test the new state then.
 */
ETW_TL_INLINE HRESULT TraceLoggingRegisterEx(TraceLoggingHProvider hProvider,
					     PENABLECALLBACK pEnableCallback,
					     PVOID pCallbackContext)
{
	struct _tlgProvider_t *p = (struct _tlgProvider_t *)hProvider;
	ULONG error;

	if (p->RegHandle)
		return E_UNEXPECTED;
#ifdef ETW_TL_OWN_REGISTER
	error = etw_tl_register_own(p, pEnableCallback, pCallbackContext);
#else
	error = etw_tl_register(p->id, p->traits, pEnableCallback, pCallbackContext,
				&p->RegHandle, &p->enable);
#endif
	if (error)
		__atomic_store_n(&p->enable, &etw_tl_unregistered, __ATOMIC_RELAXED);
	return HRESULT_FROM_WIN32(error);
}

ETW_TL_INLINE HRESULT TraceLoggingRegister(TraceLoggingHProvider hProvider)
{
	return TraceLoggingRegisterEx(hProvider, NULL, NULL);
}

/* Like EventUnregister(); does nothing if the provider is not registered. */
ETW_TL_INLINE VOID TraceLoggingUnregister(TraceLoggingHProvider hProvider)
{
	struct _tlgProvider_t *p = (struct _tlgProvider_t *)hProvider;
	REGHANDLE handle = p->RegHandle;

	__atomic_store_n(&p->enable, &etw_tl_unregistered, __ATOMIC_RELAXED);
	__atomic_store_n(&p->RegHandle, 0, __ATOMIC_RELAXED);
	TLG_EVENT_UNREGISTER(handle);
}

/* Like EventSetInformation(), with an HRESULT */
ETW_TL_INLINE HRESULT TraceLoggingSetInformation(TraceLoggingHProvider hProvider,
						 EVENT_INFO_CLASS informationClass,
						 PVOID information, ULONG size)
{
	ULONG error = TLG_EVENT_SET_INFORMATION(hProvider->RegHandle, informationClass,
						information, size);

	return HRESULT_FROM_WIN32(error);
}

ETW_TL_INLINE int etw_tl_wants(TraceLoggingHProvider p, __u8 level, __u64 keyword)
{
	return etw_entry_wants(*ETW_LOAD(p->enable), level, keyword);
}

/* Like EventProviderEnabled(); level 0 and keyword 0: has any session enabled the provider? */
ETW_TL_INLINE BOOLEAN TraceLoggingProviderEnabled(TraceLoggingHProvider hProvider,
						  UCHAR eventLevel, ULONGLONG eventKeyword)
{
	if (!eventLevel && !eventKeyword)
		return ETW_LOAD((*ETW_LOAD(hProvider->enable))->enabled) != 0;
	return etw_tl_wants(hProvider, eventLevel, eventKeyword) != 0;
}

ETW_TL_INLINE GUID TraceLoggingProviderId(TraceLoggingHProvider hProvider)
{
	return *hProvider->id;
}

#endif /* programs */

#endif /* ETW_TRACELOGGING_PROVIDER_H */
