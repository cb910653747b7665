/* SPDX-License-Identifier: MIT */
/*
 * registered.h - the provider GUIDs that this process has registered, for
 * EnumerateTraceGuidsEx()
 *
 * The provider side sets the function at its first registration, so the controller does
 * not depend on the provider.
 */
#ifndef ETW_LIB_REGISTERED_H
#define ETW_LIB_REGISTERED_H

#include <stdatomic.h>
#include <stddef.h>
#include <evntprov.h>

/* The GUIDs of all registrations, without duplicates, malloc()ed; NULL: out of memory. */
typedef GUID *etw_registered_fn(size_t *count);

/* NULL: this process has never registered a provider. */
extern _Atomic(etw_registered_fn *) etw_registered;

#endif /* ETW_LIB_REGISTERED_H */
