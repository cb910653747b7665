/* SPDX-License-Identifier: MIT */
/*
 * write_at.h - write an event that happened before: to the sessions of the kernel, and to the
 * private ones of this process
 *
 * Each session has its clock, so one write with a time is for sessions that have the same.
 */
#ifndef ETW_LIB_PROVIDER_WRITE_AT_H
#define ETW_LIB_PROVIDER_WRITE_AT_H

#include <evntprov.h>
#include <stdint.h>

#include "lib/private/clock.h"

/*
 * To sessions of the kernel but those of the mask; as EventWriteEx(), without private sessions.
 * 0, or a negative errno: lost, and counted, by some.
 */
int etw_write_kernel_at(uint64_t handle, const EVENT_DESCRIPTOR *desc, uint64_t excluded,
			uint32_t count, const EVENT_DATA_DESCRIPTOR *data);
/* To private sessions, to each with the time of its clock. The provider has traits. */
int etw_write_private_at(uint64_t handle, const EVENT_DESCRIPTOR *desc,
			 const uint64_t times[PRIVATE_CLOCKS], uint32_t count,
			 const EVENT_DATA_DESCRIPTOR *data);

#endif /* ETW_LIB_PROVIDER_WRITE_AT_H */
