/* SPDX-License-Identifier: MIT */
/*
 * activity.c - activity ids
 *
 * A new id consists of 61 random bits, drawn once per process, and a 60-bit counter. A
 * forked child draws new random bits. Version 0 and variant 7, which no GUID generator
 * produces, keep the ids distinct from real GUIDs.
 */
#include <errno.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <etw/winerror.h>
#include <evntprov.h>
#include "base/cancel.h"
#include "registration.h"

__thread GUID etw_activity_id;

/* Never returns 0. */
static uint64_t draw(void)
{
	int saved = errno, cancel = etw_cancel_hold();
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed)) {
		struct timespec now;

		/*
		 * getrandom() fails only early in the boot; with few processes, the
		 * clock is enough.
		 */
		clock_gettime(CLOCK_MONOTONIC, &now);
		seed = (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
		seed = seed * 0x9E3779B97F4A7C15 + getpid();
	}
	etw_cancel_allow(cancel);
	errno = saved;
	return seed | (uint64_t)7 << 61;
}

static void create(GUID *id)
{
	struct etw_fork_state *proc = etw_fork_state_get();
	uint64_t seed, none = 0, count;
	int i;

	if (proc) {
		seed = atomic_load(&proc->activity_seed);
		if (!seed) {
			seed = draw();
			if (!atomic_compare_exchange_strong(&proc->activity_seed,
							    &none, seed))
				seed = none;
		}
		count = atomic_fetch_add(&proc->activity_count, 1) + 1;
	} else {
		seed = draw();
		count = draw();
	}
	id->Data1 = count;
	id->Data2 = count >> 32;
	id->Data3 = count >> 48 & 0x0FFF;
	for (i = 0; i < 8; i++)
		id->Data4[i] = seed >> (56 - 8 * i);
}

ULONG EventActivityIdControl(ULONG ControlCode, LPGUID ActivityId)
{
	GUID id;

	if (!ActivityId)
		return ERROR_INVALID_PARAMETER;
	switch (ControlCode) {
	case EVENT_ACTIVITY_CTRL_GET_ID:
		*ActivityId = etw_activity_id;
		break;
	case EVENT_ACTIVITY_CTRL_SET_ID:
		etw_activity_id = *ActivityId;
		break;
	case EVENT_ACTIVITY_CTRL_CREATE_ID:
		create(ActivityId);
		break;
	case EVENT_ACTIVITY_CTRL_GET_SET_ID:
		id = *ActivityId;
		*ActivityId = etw_activity_id;
		etw_activity_id = id;
		break;
	case EVENT_ACTIVITY_CTRL_CREATE_SET_ID:
		create(&id);
		*ActivityId = etw_activity_id;
		etw_activity_id = id;
		break;
	default:
		return ERROR_INVALID_PARAMETER;
	}
	return ERROR_SUCCESS;
}
