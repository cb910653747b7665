/* SPDX-License-Identifier: MIT */
/*
 * write_at.h - write an event that happened before to the private sessions of this process
 */
#ifndef ETW_LIB_PROVIDER_WRITE_AT_H
#define ETW_LIB_PROVIDER_WRITE_AT_H

#include <evntprov.h>
#include <stdint.h>

#include "lib/private/clock.h"

/* To private sessions, to each with the time of its clock. The provider has traits. */
int etw_write_private_at(uint64_t handle, const EVENT_DESCRIPTOR *desc,
			 const uint64_t times[PRIVATE_CLOCKS], uint32_t count,
			 const EVENT_DATA_DESCRIPTOR *data);

#endif /* ETW_LIB_PROVIDER_WRITE_AT_H */
