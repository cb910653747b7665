/* SPDX-License-Identifier: MIT */
/*
 * system_events.h - the operating system's own events in a session: what EnableFlags and
 * PERFINFO_GROUPMASK select becomes providers that the session enables
 */
#ifndef ETW_LIB_CONTROLLER_SYSTEM_EVENTS_H
#define ETW_LIB_CONTROLLER_SYSTEM_EVENTS_H

#include <etw/abi.h>
#include <etw/wintypes.h>
#include "bridge/trace_set.h"

#define ETW_SAMPLE_INTERVAL	10000	/* 100 ns; the usual one, as on Windows */

/* The interval for sessions that this process starts, see TraceSampledProfileIntervalInfo. */
ULONG etw_sample_interval(void);
void etw_sample_interval_set(ULONG interval);

/*
 * Make what these flags stand for providers, which last while fd is open; before the session
 * is started, to find out whether the caller may.  On failure the set is empty.
 */
ULONG etw_system_make(int fd, ULONG flags, ULONG interval, struct trace_set *set);

/* Have the new session, of this handle, enable them and remember the flags. */
ULONG etw_system_begin(int fd, uint64_t session, ULONG flags, ULONG interval,
		       const struct trace_set *set);

/*
 * Change what a system session has enabled, by enabling and disabling only what differs; on
 * failure it has what it had.  words: how many of enable are meant, the others stay; interval:
 * 0: the same.  ERROR_INVALID_PARAMETER: it is no system session.
 */
ULONG etw_system_change(int fd, uint64_t session, const ULONG *enable, unsigned int words,
			ULONG interval);

/* What a system session has.  *interval is not 0. */
ULONG etw_system_query(int fd, uint64_t session, ULONG enable[ETW_SYSTEM_WORDS], ULONG *interval);

/* Have the processes that run recorded by a system session. */
ULONG etw_system_rundown(int fd, uint64_t session, ULONG timeout_ms);

#endif /* ETW_LIB_CONTROLLER_SYSTEM_EVENTS_H */
