/* SPDX-License-Identifier: MIT */
/*
 * classic.h - the classic providers of this process
 */
#ifndef ETW_LIB_PROVIDER_CLASSIC_H
#define ETW_LIB_PROVIDER_CLASSIC_H

#include <evntrace.h>
#include "device/kdev.h"

/*
 * A session's handle as classic providers know it, the same as on Windows: logger id
 * (16 bits), level (8), zero (8), flags (32).
 */
#define ETW_LOGGER_HANDLE(id, level, flags) \
	((uint64_t)(flags) << 32 | (uint64_t)(uint8_t)(level) << 16 | (uint16_t)(id))
#define ETW_LOGGER_ID(handle)		((uint16_t)(handle))
#define ETW_LOGGER_LEVEL(handle)	((uint8_t)((handle) >> 16))
#define ETW_LOGGER_FLAGS(handle)	((uint32_t)((handle) >> 32))
/* The handle has the form that a session with this id gives out. */
#define ETW_LOGGER_VALID(handle)	(ETW_LOGGER_ID(handle) && !((handle) >> 24 & 0xFF))

/*
 * Write a record to the session of the handle, through any provider of this process
 * that the session enables. Returns a Win32 code.
 */
ULONG etw_classic_submit(TRACEHANDLE session, struct etw_classic_write *record);

/* The GUID of an event class; false: no class has this handle. */
bool etw_classic_guid(HANDLE reg_handle, struct etw_guid *guid);

#endif /* ETW_LIB_PROVIDER_CLASSIC_H */
