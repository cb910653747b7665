/* SPDX-License-Identifier: MIT */
/*
 * traits.c - what a provider says of itself
 *
 * It is kept with the registration, for whoever registers anew: a forked child,
 * or the process itself once it has lost the device.  Traits lie in pages of
 * their own, since a child of a raw clone must not use the heap.
 *
 * Semantics: Microsoft's pages "EventSetInformation function" and "Provider
 * Traits".
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <etw/winerror.h>
#include "callback.h"
#include "core/traits.h"
#include "registration.h"

static uint16_t size_of(const unsigned char *traits)
{
	return traits[0] | traits[1] << 8;
}

/* A copy of the traits, which say their size; NULL: no memory. */
static unsigned char *keep(const void *traits)
{
	size_t size = size_of(traits);
	int saved = errno;
	void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED) {
		errno = saved;
		return NULL;
	}
	return memcpy(copy, traits, size);
}

static void drop(unsigned char *traits)
{
	int saved = errno;

	if (traits && munmap(traits, size_of(traits)))
		errno = saved;
}

bool etw_traits_fill(struct etw_provider_set *set, const struct etw_reg *reg)
{
	const unsigned char *traits = atomic_load(&reg->traits);
	enum etw_types types = atomic_load(&reg->types);

	set->flags = (traits ? ETW_SET_TRAITS : 0) | (types ? ETW_SET_TYPES : 0);
	set->types = types == ETW_TYPES_ON;
	set->traits = (uintptr_t)traits;
	set->traits_len = traits ? size_of(traits) : 0;
	return set->flags;
}

/* The registration has ended, and the device knows. */
void etw_traits_forget(struct etw_reg *reg)
{
	drop(atomic_exchange(&reg->traits, NULL));
	atomic_store(&reg->types, ETW_TYPES_UNSAID);
}

void etw_traits_prepare(struct etw_reg *reg, const void *traits)
{
	unsigned char *copy = keep(traits);

	atomic_store(&reg->types, copy ? ETW_TYPES_UNSAID : ETW_TYPES_ON);
	atomic_store(&reg->traits, copy);
}

bool etw_traits_give_up(struct etw_reg *reg)
{
	unsigned char *traits = atomic_exchange(&reg->traits, NULL);

	if (!traits)
		return false;
	drop(traits);
	atomic_store(&reg->types, ETW_TYPES_ON);
	return true;
}

/* With the lock held.  They are reg's once the device has them. */
static ULONG set_traits(struct etw_fork_state *proc, struct etw_reg *reg, const void *traits)
{
	struct etw_provider_set info = { .flags = ETW_SET_TRAITS };
	unsigned char *copy;
	int ret;

	if (atomic_load(&reg->traits))
		return ERROR_ALREADY_EXISTS;
	copy = keep(traits);
	if (!copy)
		return ERROR_NOT_ENOUGH_MEMORY;
	info.traits = (uintptr_t)copy;
	info.traits_len = size_of(copy);
	ret = etw_reg_tell(proc, reg, &info);
	if (ret) {
		drop(copy);
		return etw_win32_from_errno(ret);
	}
	atomic_store(&reg->types, ETW_TYPES_UNSAID);
	atomic_store(&reg->traits, copy);
	return ERROR_SUCCESS;
}

/* With the lock held. */
static ULONG set_types(struct etw_fork_state *proc, struct etw_reg *reg, bool on)
{
	struct etw_provider_set info = { .flags = ETW_SET_TYPES, .types = on };
	int ret = etw_reg_tell(proc, reg, &info);

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
	etw_fork_state_lock(proc, &saved);
	reg = etw_reg_find(RegHandle);
	if (!reg || reg->classic)
		ret = ERROR_INVALID_PARAMETER;
	else if (InformationClass == EventProviderSetTraits)
		ret = set_traits(proc, reg, EventInformation);
	else
		ret = set_types(proc, reg, *(const BOOLEAN *)EventInformation);
	/* Last: it may drop the lock, and reg may then be another registration. */
	if (proc->callbacks && proc->fd >= 0)
		etw_callback_start(proc);
	etw_fork_state_unlock(proc, &saved);
	return ret;
}
