/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * nt.h - TraceLogging in a kernel module that is written as a Windows driver
 *
 * In effect if both <etw/nt/etw.h> and <TraceLoggingProvider.h> are included, in any
 * order.  The macros then use Windows' types: activity ids are GUIDs, a callback is a
 * PETWENABLECALLBACK, results are NTSTATUS, and TraceLoggingSetInformation() exists.
 * Activity ids may also be struct etw_guid.
 *
 * A driver may first define TLG_EVENT_WRITE_TRANSFER, TLG_EVENT_WRITE_EX,
 * TLG_EVENT_UNREGISTER and TLG_EVENT_SET_INFORMATION as functions to call instead of
 * Etw...().
 *
 * Source: Microsoft's pages "TraceLoggingRegisterEx function", "TraceLoggingUnregister
 * function", "TraceLoggingSetInformation function" and "TraceLoggingProviderId function".
 */
#ifndef ETW_TRACELOGGING_NT_H
#define ETW_TRACELOGGING_NT_H

#ifndef TLG_EVENT_UNREGISTER
#define TLG_EVENT_UNREGISTER		EtwUnregister
#endif
#ifndef TLG_EVENT_SET_INFORMATION
#define TLG_EVENT_SET_INFORMATION	EtwSetInformation
#endif
#ifndef TLG_EVENT_WRITE_TRANSFER
#define TLG_EVENT_WRITE_TRANSFER	EtwWriteTransfer
#endif
#ifndef TLG_EVENT_WRITE_EX
#define TLG_EVENT_WRITE_EX		EtwWriteEx
#endif

/* An activity id of either type */
typedef union {
	LPCGUID nt;
	const struct etw_guid *etw;
} etw_tl_nt_guid __attribute__((__transparent_union__));

ETW_TL_INLINE LPCGUID etw_tl_nt_id(etw_tl_nt_guid id)
{
	return id.nt;
}

ETW_TL_INLINE REGHANDLE etw_tl_nt_handle(const struct _tlgProvider_t *handle)
{
	return (uintptr_t)&handle->provider;
}

#undef ETW_TL_SEND
#define ETW_TL_SEND(activity, related)						\
	TLG_EVENT_WRITE_TRANSFER(etw_tl_nt_handle(etw_tl_p),			\
				 (PCEVENT_DESCRIPTOR)&etw_tl_desc,		\
				 etw_tl_nt_id(activity), etw_tl_nt_id(related),	\
				 ETW_TL_PIECES, (PEVENT_DATA_DESCRIPTOR)etw_tl_pieces)
#undef ETW_TL_SEND_EX
#define ETW_TL_SEND_EX(filter, flags, activity, related)			\
	TLG_EVENT_WRITE_EX(etw_tl_nt_handle(etw_tl_p),				\
			   (PCEVENT_DESCRIPTOR)&etw_tl_desc, (filter), (flags),	\
			   etw_tl_nt_id(activity), etw_tl_nt_id(related),	\
			   ETW_TL_PIECES, (PEVENT_DATA_DESCRIPTOR)etw_tl_pieces)

#undef ETW_TL_GENERIC_STRUCTS
#define ETW_TL_GENERIC_STRUCTS							\
	struct etw_guid : TlgInGUID, GUID : TlgInGUID, FILETIME : TlgInFILETIME,	\
	SYSTEMTIME : TlgInSYSTEMTIME

static void __maybe_unused etw_tl_nt_callback(const struct etw_guid *source, u32 control,
					      u8 level, u64 any, u64 all,
					      const struct etw_filter *filter, void *context)
{
	const struct _tlgProvider_t *p = context;

	etw_nt_notify((PETWENABLECALLBACK)p->callback, p->context, source, control, level, any,
		      all, filter);
}

/**
 * TraceLoggingRegisterEx() - register a provider with a Windows callback
 * @handle: the provider
 * @callback: PETWENABLECALLBACK, or NULL
 * @context: passed to @callback
 *
 * PASSIVE_LEVEL, may sleep.
 *
 * Return: STATUS_SUCCESS; STATUS_OBJECT_NAME_COLLISION: the provider is registered already,
 * and stays registered unchanged; STATUS_NO_MEMORY; STATUS_INVALID_PARAMETER: its GUID is
 * zero.
 */
#undef TraceLoggingRegisterEx
#define TraceLoggingRegisterEx(handle, callback, context)			\
	etw_tl_nt_register((handle), THIS_MODULE, (callback), (context))

ETW_TL_INLINE NTSTATUS etw_tl_nt_register(TraceLoggingHProvider handle, struct module *owner,
					  PETWENABLECALLBACK callback, PVOID context)
{
	if (READ_ONCE(handle->provider.reg))
		return STATUS_OBJECT_NAME_COLLISION;
	handle->callback = (void (*)(void))callback;
	handle->context = context;
	return etw_nt_status(etw_tl_register(handle, owner, callback ? etw_tl_nt_callback : NULL,
					     handle));
}

ETW_TL_INLINE VOID etw_tl_nt_unregister(TraceLoggingHProvider handle)
{
	TLG_EVENT_UNREGISTER(etw_tl_nt_handle(handle));
}
#define TraceLoggingUnregister(handle)	etw_tl_nt_unregister(handle)

/* Like EtwSetInformation(); STATUS_INVALID_HANDLE: handle is not registered.  PASSIVE_LEVEL */
ETW_TL_INLINE NTSTATUS TraceLoggingSetInformation(TraceLoggingHProvider handle,
						  EVENT_INFO_CLASS informationClass,
						  PVOID information, ULONG size)
{
	return TLG_EVENT_SET_INFORMATION(etw_tl_nt_handle(handle), informationClass, information,
					 size);
}

ETW_TL_INLINE GUID etw_tl_nt_provider_id(const struct _tlgProvider_t *handle)
{
	GUID id;

	memcpy(&id, &handle->provider.guid, sizeof(id));
	return id;
}
#define TraceLoggingProviderId(handle)	etw_tl_nt_provider_id(handle)

#endif /* ETW_TRACELOGGING_NT_H */
