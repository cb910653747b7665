/* SPDX-License-Identifier: MIT */
/*
 * registration_guids.h - list the providers that this process has registered
 */
#ifndef ETW_LIB_PROVIDER_REGISTRATION_GUIDS_H
#define ETW_LIB_PROVIDER_REGISTRATION_GUIDS_H

#include <stddef.h>
#include <evntprov.h>

/* Each GUID once, malloc()ed; NULL: no memory. */
GUID *etw_registration_guids(size_t *count);

#endif /* ETW_LIB_PROVIDER_REGISTRATION_GUIDS_H */
