/* SPDX-License-Identifier: MIT */
/*
 * traits.c - a provider's traits and types, set later or by TraceLogging's registration
 *
 * Semantics: Microsoft's pages "EventSetInformation function", "Provider Traits" and
 * "TraceLoggingRegisterEx function".
 */

#include <etw/winerror.h>
#include <TraceLoggingProvider.h>
#include "callback.h"
#include "core/traits.h"
#include "registration.h"

/* The lock is held. reg takes ownership of the traits once the device has them. */
static ULONG set_traits(struct etw_fork_state *proc, struct etw_reg *reg, const void *traits)
{
	struct etw_provider_set info = { .flags = ETW_SET_TRAITS };
	unsigned char *copy;
	int ret;

	if (atomic_load(&reg->traits))
		return ERROR_ALREADY_EXISTS;
	copy = etw_traits_copy(traits);
	if (!copy)
		return ERROR_NOT_ENOUGH_MEMORY;
	info.traits = (uintptr_t)copy;
	info.traits_len = etw_traits_size(copy);
	ret = etw_reg_set(proc, reg, &info);
	if (ret) {
		etw_traits_free(copy);
		return etw_win32_from_errno(ret);
	}
	atomic_store(&reg->types, ETW_TYPES_UNSAID);
	etw_traits_put(reg, copy);
	return ERROR_SUCCESS;
}

/* The lock is held. */
static ULONG set_types(struct etw_fork_state *proc, struct etw_reg *reg, bool on)
{
	struct etw_provider_set info = { .flags = ETW_SET_TYPES, .types = on };
	int ret = etw_reg_set(proc, reg, &info);

	if (!ret)
		atomic_store(&reg->types, on ? ETW_TYPES_ON : ETW_TYPES_OFF);
	return etw_win32_from_errno(ret);
}

static ULONG check(EVENT_INFO_CLASS class, const void *information, ULONG length)
{
	struct etw_traits_view view;

	switch (class) {
	case EventProviderSetTraits:
		return information && length <= UINT16_MAX &&
		       !etw_traits_parse(information, length, &view) ?
		       ERROR_SUCCESS : ERROR_INVALID_PARAMETER;
	case EventProviderUseDescriptorType:
		return information && length == sizeof(BOOLEAN) ?
		       ERROR_SUCCESS : ERROR_INVALID_PARAMETER;
	default:
		return ERROR_NOT_SUPPORTED;
	}
}

ULONG EventSetInformation(REGHANDLE RegHandle, EVENT_INFO_CLASS InformationClass,
			  PVOID EventInformation, ULONG InformationLength)
{
	struct etw_fork_state *proc = etw_fork_state_get();
	struct etw_reg *reg;
	struct etw_fork_state_saved saved;
	ULONG ret;

	ret = check(InformationClass, EventInformation, InformationLength);
	if (ret || !RegHandle)
		return ret;
	if (!proc)
		return ERROR_NOT_ENOUGH_MEMORY;
	if (etw_is_guest(proc))
		return ERROR_NOT_SUPPORTED;
	etw_fork_state_lock(proc, &saved);
	reg = etw_reg_find(RegHandle);
	if (!reg || reg->classic)
		ret = ERROR_INVALID_PARAMETER;
	else if (InformationClass == EventProviderSetTraits)
		ret = set_traits(proc, reg, EventInformation);
	else
		ret = set_types(proc, reg, *(const BOOLEAN *)EventInformation);
	/* Keep this last: it may drop the lock, and reg may be reused. */
	if (proc->callbacks && proc->fd >= 0)
		etw_callback_start(proc);
	etw_fork_state_unlock(proc, &saved);
	return ret;
}

ULONG etw_tl_register(LPCGUID id, const void *traits, PENABLECALLBACK callback,
		      PVOID context, PREGHANDLE handle,
		      const struct etw_enable_entry *const volatile **enable)
{
	struct etw_traits_view view;

	if (!traits || !enable || etw_traits_parse(traits, etw_traits_size(traits), &view))
		return ERROR_INVALID_PARAMETER;
	return etw_reg_add(&(struct etw_reg_new){
		.guid = id, .callback = callback, .context = context, .traits = traits,
		.handle = (uint64_t *)handle, .where = enable });
}
