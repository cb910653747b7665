/* SPDX-License-Identifier: MIT */
/*
 * registered.h - what this process has registered, for EnumerateTraceGuidsEx()
 *
 * The provider side sets the function with its first registration, so that a controller does
 * not depend on it.
 */
#ifndef ETW_LIB_REGISTERED_H
#define ETW_LIB_REGISTERED_H

#include <stdatomic.h>
#include <stddef.h>
#include <evntprov.h>

/* The GUIDs of all registrations, each once, malloc()ed; NULL: no memory. */
typedef GUID *etw_registered_fn(size_t *count);

/* NULL: this process has never registered a provider. */
extern _Atomic(etw_registered_fn *) etw_registered;

#endif /* ETW_LIB_REGISTERED_H */
