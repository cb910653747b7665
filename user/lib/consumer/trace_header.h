/* SPDX-License-Identifier: MIT */
/*
 * trace_header.h - the first buffer of a running session's trace
 *
 * A log file begins with a buffer that describes it (etw/format.h). A session has none,
 * so its readers receive this one.
 */
#ifndef ETW_LIB_CONSUMER_TRACE_HEADER_H
#define ETW_LIB_CONSUMER_TRACE_HEADER_H

#include <evntrace.h>
#include "etl/merge.h"
#include "etl/event.h"

/* NULL: out of memory. Free the block with etw_block_release(). */
struct etw_block *etw_tracehead_make(const struct etw_session_info *info,
				     const TRACE_LOGFILE_HEADER *header);

/* The block's only event: class EventTrace, opcode 0, at the session's start. */
void etw_tracehead_event(struct etw_block *block, int64_t start, struct etw_event *event);

#endif /* ETW_LIB_CONSUMER_TRACE_HEADER_H */
