/* SPDX-License-Identifier: MIT */
/*
 * tracelogging.c - register a provider of TraceLoggingProvider.h
 *
 * Semantics: Microsoft's page "TraceLoggingRegisterEx function".
 */
#include <etw/winerror.h>
#include <TraceLoggingProvider.h>
#include "core/traits.h"
#include "registration.h"

static uint16_t size_of(const unsigned char *traits)
{
	return traits[0] | traits[1] << 8;
}

ULONG etw_tl_register(LPCGUID id, const void *traits, PENABLECALLBACK callback,
		      PVOID context, PREGHANDLE handle,
		      const struct etw_enable_entry *const volatile **enable)
{
	struct etw_traits_view view;

	if (!traits || !enable || etw_traits_parse(traits, size_of(traits), &view))
		return ERROR_INVALID_PARAMETER;
	return etw_reg_add(&(struct etw_reg_new){
		.guid = id, .callback = callback, .context = context, .traits = traits,
		.handle = (uint64_t *)handle, .where = enable });
}
