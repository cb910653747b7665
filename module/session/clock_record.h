/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock_record.h - the record of a change of a session's clock
 */
#ifndef ETW_SESSION_CLOCK_RECORD_H
#define ETW_SESSION_CLOCK_RECORD_H

#include "trace_session.h"

/* One moment on the clocks that sessions have. */
struct etw_moment {
	struct etw_clock_sync at;	/* clock: ticks of the TSC, as sessions count them */
	u64 asleep;			/* ns that the machine has slept since boot */
};

struct etw_clock_change {
	const char *cause;
	struct etw_moment from, to;
};

void etw_clock_record(struct etw_trace_session *s, const struct etw_clock_change *change);

#endif /* ETW_SESSION_CLOCK_RECORD_H */
