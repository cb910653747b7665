/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * etw.h - ETW as Windows drivers know it, for kernel modules
 *
 *	#include <etw/nt/etw.h>		or, with include/win32-km on the path, <wdm.h>
 *
 *	static REGHANDLE provider;
 *
 *	init:	status = EtwRegister(&MyProviderGuid, NULL, NULL, &provider);
 *	use:	if (EtwEventEnabled(provider, &MyEvent)) {
 *			EVENT_DATA_DESCRIPTOR data[1];
 *
 *			EventDataDescCreate(&data[0], &value, sizeof(value));
 *			EtwWrite(provider, &MyEvent, NULL, 1, data);
 *		}
 *	exit:	EtwUnregister(provider);
 *
 * Windows' names, types, parameters and NTSTATUS codes, inline over <etw/kernel.h>;
 * types.h says how errnos become NTSTATUS and what an IRQL is here.  A provider of
 * EtwRegister() costs a load and a branch while nobody has enabled it; one that
 * "etw mc -km" generated from a manifest, or ETW_DEFINE_PROVIDER(), costs a patched-out
 * branch.
 *
 * A handle is a pointer, as on Windows: 0 is checked for, and one that was unregistered
 * must not be used.
 *
 * Semantics: Microsoft's pages "EtwRegister function", "EtwUnregister function",
 * "EtwWrite function", "EtwWriteEx function", "EtwWriteTransfer function",
 * "EtwWriteString function", "EtwEventEnabled function", "EtwProviderEnabled
 * function", "EtwActivityIdControl function", "EtwSetInformation function" and
 * "SeEtwWriteKMCveEvent function".
 */
#ifndef ETW_NTETW_H
#define ETW_NTETW_H

#include <etw/nt/types.h>

#include <linux/container_of.h>
#include <linux/slab.h>
#include <evntprov.h>
#include <etw/kernel.h>

/* The same bytes under two names */
static_assert(sizeof(GUID) == sizeof(struct etw_guid));
static_assert(sizeof(EVENT_DESCRIPTOR) == sizeof(struct etw_event_descriptor));
static_assert(offsetof(EVENT_DESCRIPTOR, Opcode) ==
	      offsetof(struct etw_event_descriptor, opcode));
static_assert(offsetof(EVENT_DESCRIPTOR, Keyword) ==
	      offsetof(struct etw_event_descriptor, keyword));
static_assert(sizeof(EVENT_DATA_DESCRIPTOR) == sizeof(struct etw_data_descriptor));
static_assert(offsetof(EVENT_DATA_DESCRIPTOR, Type) ==
	      offsetof(struct etw_data_descriptor, reserved));
static_assert(sizeof(EVENT_FILTER_HEADER) == sizeof(struct etw_filter_header));

/**
 * typedef ETWENABLECALLBACK - a session has enabled or disabled the provider
 * @SourceId: of the enabling call; all zero when it gave none
 * @ControlCode: EVENT_CONTROL_CODE_, the provider's state now, or CAPTURE_STATE
 * @Level: the highest of all enabling sessions
 * @MatchAnyKeyword: theirs or-ed together
 * @MatchAllKeyword: theirs and-ed together
 * @FilterData: what sessions told the provider, or NULL; during the call only
 * @CallbackContext: as given to EtwRegister()
 *
 * PASSIVE_LEVEL: on a workqueue, may sleep, one call at a time per registration.  May
 * write events.  etw_enable_fn says more.
 */
typedef VOID (NTAPI ETWENABLECALLBACK)(LPCGUID SourceId, ULONG ControlCode, UCHAR Level,
				       ULONGLONG MatchAnyKeyword,
				       ULONGLONG MatchAllKeyword,
				       PEVENT_FILTER_DESCRIPTOR FilterData,
				       PVOID CallbackContext);
typedef ETWENABLECALLBACK *PETWENABLECALLBACK;

/* What a handle of EtwRegister() leads to */
struct etw_nt_registration {
	struct etw_provider provider;
	PETWENABLECALLBACK callback;
	PVOID context;
};

static inline struct etw_provider *etw_nt_provider(REGHANDLE handle)
{
	return (struct etw_provider *)(uintptr_t)handle;
}

/* Calls a Windows callback with what the kernel's got. */
static inline void etw_nt_notify(PETWENABLECALLBACK callback, PVOID context,
				 const struct etw_guid *source, u32 control, u8 level,
				 u64 any, u64 all, const struct etw_filter *filter)
{
	EVENT_FILTER_DESCRIPTOR data = { 0 };

	if (filter) {
		data.Ptr = filter->ptr;
		data.Size = filter->len;
		data.Type = filter->type;
	}
	callback((LPCGUID)source, control, level, any, all, filter ? &data : NULL, context);
}

static void __maybe_unused etw_nt_callback(const struct etw_guid *source, u32 control,
					   u8 level, u64 any, u64 all,
					   const struct etw_filter *filter, void *context)
{
	const struct etw_nt_registration *reg = context;

	etw_nt_notify(reg->callback, reg->context, source, control, level, any, all, filter);
}

/**
 * EtwRegister() - register a provider
 * @ProviderId: its GUID
 * @EnableCallback: told of every change of the enable state, or NULL
 * @CallbackContext: passed to the callback
 * @RegHandle: out: the handle; unchanged when the call fails
 *
 * A module must unregister before it is unloaded.  PASSIVE_LEVEL.
 *
 * Return: STATUS_SUCCESS; STATUS_INVALID_PARAMETER (a NULL, or a GUID of zeroes);
 * STATUS_NO_MEMORY.
 */
static inline NTSTATUS EtwRegister(LPCGUID ProviderId, PETWENABLECALLBACK EnableCallback,
				   PVOID CallbackContext, PREGHANDLE RegHandle)
{
	struct etw_nt_registration *reg;
	int err;

	if (!ProviderId || !RegHandle)
		return STATUS_INVALID_PARAMETER;
	reg = kzalloc(sizeof(*reg), GFP_KERNEL);
	if (!reg)
		return STATUS_NO_MEMORY;
	memcpy(&reg->provider.guid, ProviderId, sizeof(*ProviderId));
	reg->callback = EnableCallback;
	reg->context = CallbackContext;
	err = etw_register(&reg->provider, NULL, EnableCallback ? etw_nt_callback : NULL, reg);
	if (err) {
		kfree(reg);
		return etw_nt_status(err);
	}
	*RegHandle = (uintptr_t)&reg->provider;
	return STATUS_SUCCESS;
}

/**
 * EtwUnregister() - end a registration
 * @RegHandle: of EtwRegister(), or of a generated EventRegister...()
 *
 * Waits for writes and for the callback; neither runs any more when this returns.
 * PASSIVE_LEVEL.
 *
 * Return: STATUS_SUCCESS; STATUS_INVALID_HANDLE (0); STATUS_POSSIBLE_DEADLOCK (from
 * the provider's own callback; nothing is done then).
 */
static inline NTSTATUS EtwUnregister(REGHANDLE RegHandle)
{
	struct etw_provider *provider = etw_nt_provider(RegHandle);
	bool made_here;
	int err;

	if (!provider)
		return STATUS_INVALID_HANDLE;
	made_here = !provider->key;
	err = etw_unregister(provider);
	if (!err && made_here)
		kfree(container_of(provider, struct etw_nt_registration, provider));
	return etw_nt_status(err);
}

/**
 * EtwEventEnabled() - would a session take this event?
 * @RegHandle: the provider
 * @EventDescriptor: its Level and Keyword are looked at
 *
 * Any IRQL.  TRUE is no promise: filters may still drop the event.
 *
 * Return: FALSE for handle 0 too.
 */
static __always_inline BOOLEAN EtwEventEnabled(REGHANDLE RegHandle,
					       PCEVENT_DESCRIPTOR EventDescriptor)
{
	const struct etw_provider *provider = etw_nt_provider(RegHandle);

	return provider && etw_entry_wants(&provider->enable, EventDescriptor->Level,
					   EventDescriptor->Keyword);
}

/**
 * EtwProviderEnabled() - would a session take events of this kind?
 * @RegHandle: the provider
 * @Level: of the events
 * @Keyword: of the events; with Level 0 and Keyword 0: does any session listen?
 *
 * Any IRQL.  Return: FALSE for handle 0 too.
 */
static inline BOOLEAN EtwProviderEnabled(REGHANDLE RegHandle, UCHAR Level, ULONGLONG Keyword)
{
	const struct etw_provider *provider = etw_nt_provider(RegHandle);

	return provider && etw_provider_enabled(provider, Level, Keyword);
}

/**
 * EtwWriteEx() - write an event to some of the sessions
 * @RegHandle: the provider
 * @EventDescriptor: what event it is
 * @Filter: or-ed InstanceIds (EVENT_FILTER_HEADER) of the sessions that must not get it
 * @Flags: EVENT_WRITE_FLAG_; data is never paged out here, so NO_FAULTING changes nothing
 * @ActivityId: the event's activity, NULL for the task's
 * @RelatedActivityId: goes along as an extended item, NULL for none
 * @UserDataCount: descriptors at @UserData, at most 128
 * @UserData: kernel memory, joined without padding
 *
 * Any IRQL, NMI included; takes no lock and never sleeps.
 *
 * Return: STATUS_SUCCESS, also while nobody listens; STATUS_INVALID_HANDLE;
 * STATUS_INVALID_PARAMETER (no descriptor; if a session wants the event, wrong flags
 * or count); the event is lost and counted: STATUS_INTEGER_OVERFLOW (over 64 KB),
 * STATUS_BUFFER_OVERFLOW (larger than a session's buffer), STATUS_NO_MEMORY.
 */
static inline NTSTATUS EtwWriteEx(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
				  ULONG64 Filter, ULONG Flags, LPCGUID ActivityId,
				  LPCGUID RelatedActivityId, ULONG UserDataCount,
				  PEVENT_DATA_DESCRIPTOR UserData)
{
	if (!RegHandle)
		return STATUS_INVALID_HANDLE;
	if (!EventDescriptor || (UserDataCount && !UserData))
		return STATUS_INVALID_PARAMETER;
	if (!EtwEventEnabled(RegHandle, EventDescriptor))
		return STATUS_SUCCESS;
	return etw_nt_status(etw_write_ex(etw_nt_provider(RegHandle),
					  (const struct etw_event_descriptor *)EventDescriptor,
					  Filter, Flags, (const struct etw_guid *)ActivityId,
					  (const struct etw_guid *)RelatedActivityId,
					  UserDataCount,
					  (const struct etw_data_descriptor *)UserData));
}

/* EtwWriteTransfer() - EtwWriteEx() to all sessions, without flags */
static inline NTSTATUS EtwWriteTransfer(REGHANDLE RegHandle,
					PCEVENT_DESCRIPTOR EventDescriptor,
					LPCGUID ActivityId, LPCGUID RelatedActivityId,
					ULONG UserDataCount, PEVENT_DATA_DESCRIPTOR UserData)
{
	return EtwWriteEx(RegHandle, EventDescriptor, 0, 0, ActivityId, RelatedActivityId,
			  UserDataCount, UserData);
}

/* EtwWrite() - EtwWriteTransfer() without a related activity */
static inline NTSTATUS EtwWrite(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
				LPCGUID ActivityId, ULONG UserDataCount,
				PEVENT_DATA_DESCRIPTOR UserData)
{
	return EtwWriteEx(RegHandle, EventDescriptor, 0, 0, ActivityId, NULL,
			  UserDataCount, UserData);
}

/**
 * EtwWriteString() - write a string as an event
 * @RegHandle: the provider
 * @Level: of the event
 * @Keyword: of the event
 * @ActivityId: the event's activity, NULL for the task's
 * @String: UTF-16, NUL-terminated; stored with its NUL
 *
 * Return and IRQL: as EtwWriteEx(); STATUS_INVALID_PARAMETER: no @String.
 */
static inline NTSTATUS EtwWriteString(REGHANDLE RegHandle, UCHAR Level, ULONGLONG Keyword,
				      LPCGUID ActivityId, PCWSTR String)
{
	if (!RegHandle)
		return STATUS_INVALID_HANDLE;
	if (!String)
		return STATUS_INVALID_PARAMETER;
	return etw_nt_status(etw_write_string(etw_nt_provider(RegHandle), Level, Keyword,
					      (const struct etw_guid *)ActivityId, String));
}

/**
 * EtwActivityIdControl() - read, set or make activity ids
 * @ControlCode: EVENT_ACTIVITY_CTRL_
 * @ActivityId: in, out or both
 *
 * The id is the task's.  GET_ID and CREATE_ID: any IRQL; else PASSIVE_LEVEL.
 *
 * Return: STATUS_SUCCESS; STATUS_INVALID_PARAMETER; STATUS_NO_MEMORY.
 */
static inline NTSTATUS EtwActivityIdControl(ULONG ControlCode, LPGUID ActivityId)
{
	return etw_nt_status(etw_activity_id_control(ControlCode,
						     (struct etw_guid *)ActivityId));
}

/**
 * EtwSetInformation() - say what a provider is
 * @RegHandle: the provider
 * @InformationClass: EventProviderSetTraits or EventProviderUseDescriptorType
 * @EventInformation: the traits, copied; or a BOOLEAN
 * @InformationLength: bytes of it
 *
 * PASSIVE_LEVEL.  The blob of traits is described at EventSetInformation().
 *
 * Return: STATUS_SUCCESS; STATUS_INVALID_HANDLE; STATUS_INVALID_PARAMETER (malformed, a
 * wrong length); STATUS_OBJECT_NAME_COLLISION (it has traits); STATUS_NO_MEMORY;
 * STATUS_INVALID_DEVICE_REQUEST (another class).
 */
static inline NTSTATUS EtwSetInformation(REGHANDLE RegHandle,
					 EVENT_INFO_CLASS InformationClass,
					 PVOID EventInformation, ULONG InformationLength)
{
	struct etw_provider *provider = etw_nt_provider(RegHandle);

	if (!provider)
		return STATUS_INVALID_HANDLE;
	if (!EventInformation && InformationLength)
		return STATUS_INVALID_PARAMETER;
	switch (InformationClass) {
	case EventProviderSetTraits:
		return etw_nt_status(etw_set_traits(provider, EventInformation,
						    InformationLength));
	case EventProviderUseDescriptorType:
		if (InformationLength != sizeof(BOOLEAN))
			return STATUS_INVALID_PARAMETER;
		return etw_nt_status(etw_use_descriptor_types(provider,
							      *(BOOLEAN *)EventInformation));
	default:
		return STATUS_INVALID_DEVICE_REQUEST;
	}
}

static const GUID etw_nt_audit_cve __maybe_unused = {
	0x85a62a0d, 0x7e17, 0x485f, { 0x9d, 0x4f, 0x74, 0x9a, 0x28, 0x71, 0x93, 0xa6 }
};

/**
 * SeEtwWriteKMCveEvent() - report an attempt to exploit a known vulnerability
 * @CveId: "CVE-2020-0601"
 * @AdditionalDetails: more text, or NULL
 *
 * Writes event 2, level 3 (warning), channel System, of the provider
 * {85a62a0d-7e17-485f-9d4f-749a287193a6} ("Microsoft-Windows-Audit-CVE"): both texts
 * as NUL-terminated UTF-16.  Registers and unregisters it each time, which takes
 * milliseconds.  PASSIVE_LEVEL.
 *
 * Return: as EtwWriteEx(); STATUS_INVALID_PARAMETER: no @CveId.
 */
static inline NTSTATUS SeEtwWriteKMCveEvent(PCUNICODE_STRING CveId,
					    PCUNICODE_STRING AdditionalDetails)
{
	static const EVENT_DESCRIPTOR event = { .Id = 2, .Channel = 8, .Level = 3 };
	static const WCHAR nul;
	EVENT_DATA_DESCRIPTOR data[4];
	REGHANDLE handle;
	NTSTATUS status;

	if (!CveId || !CveId->Buffer)
		return STATUS_INVALID_PARAMETER;
	status = EtwRegister(&etw_nt_audit_cve, NULL, NULL, &handle);
	if (!NT_SUCCESS(status))
		return status;
	EventDataDescCreate(&data[0], CveId->Buffer, CveId->Length);
	EventDataDescCreate(&data[1], &nul, sizeof(nul));
	EventDataDescCreate(&data[2], AdditionalDetails ? AdditionalDetails->Buffer : NULL,
			    AdditionalDetails ? AdditionalDetails->Length : 0);
	EventDataDescCreate(&data[3], &nul, sizeof(nul));
	status = EtwWrite(handle, &event, NULL, ARRAY_SIZE(data), data);
	EtwUnregister(handle);
	return status;
}

#ifdef ETW_TRACELOGGINGPROVIDER_H
#include <etw/tracelogging/nt.h>
#endif

#endif /* ETW_NTETW_H */
