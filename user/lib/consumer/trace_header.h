/* SPDX-License-Identifier: MIT */
/*
 * trace_header.h - the first buffer of a running session's trace
 *
 * A log file begins with a buffer that tells of it (etw/format.h); a session has
 * none, so its readers are given this one.
 */
#ifndef ETW_LIB_CONSUMER_TRACE_HEADER_H
#define ETW_LIB_CONSUMER_TRACE_HEADER_H

#include <evntrace.h>
#include "etl/merge.h"
#include "etl/event.h"

/* NULL: no memory.  The block is freed with etw_block_release(). */
struct etw_block *etw_tracehead_make(const struct etw_session_info *info,
				     const TRACE_LOGFILE_HEADER *header);

/* Its one event: class EventTrace, opcode 0, of the session's start. */
void etw_tracehead_event(struct etw_block *block, int64_t start, struct etw_event *event);

#endif /* ETW_LIB_CONSUMER_TRACE_HEADER_H */
