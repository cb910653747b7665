/* SPDX-License-Identifier: MIT */
/*
 * end_time.c - end the reading of a session at a time, even if no event comes
 */
#include <limits.h>
#include "cli/print/clock.h"
#include "cli/session.h"
#include "device/kdev.h"
#include "end_time.h"

#define TICKS_PER_MS	10000	/* of a FILETIME */
#define FLUSH_MS	1000	/* of a session that the user may not query */

/* Deliver what was written before; or how long it takes until that happens, in ms. */
static uint32_t deliver(int fd, uint64_t handle)
{
	struct etw_session flushed = { .handle = handle };
	static struct session session;

	if (session_by_handle(fd, handle, &session)) {
		session.s.flush_ms = FLUSH_MS;
		session.s.mode = 0;
	}
	/* One that buffers delivers what it has only if it is asked to. */
	if (session.s.mode & ETW_MODE_BUFFERING || !etw_kdev_session_flush(fd, &flushed))
		return 0;
	return session.s.flush_ms;
}

int end_time_wait(struct end_time *end, int fd, uint64_t session)
{
	const int64_t now = clock_now();
	uint32_t more;

	if (end->at == INT64_MAX)
		return INT_MAX;
	if (now <= end->at)
		return end->at - now < (int64_t)INT_MAX * TICKS_PER_MS ?
		       (int)((end->at - now) / TICKS_PER_MS) + 1 : INT_MAX;
	more = end->owned || end->late ? 0 : deliver(fd, session);
	if (!more) {
		end->at = INT64_MAX;
		return 0;
	}
	end->late = true;
	end->at = now + (int64_t)more * TICKS_PER_MS;
	return (int)more;
}
