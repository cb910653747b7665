/* SPDX-License-Identifier: MIT */
/*
 * trace.h - opened traces
 */
#ifndef ETW_LIB_TRACE_H
#define ETW_LIB_TRACE_H

#include <stdbool.h>

#include <evntcons.h>
#include <evntrace.h>
#include "rtreader.h"

struct etw_trace {
	struct etw_trace *next;		/* list of all opened ones */
	TRACEHANDLE handle;
	struct etw_rt_reader *reader;
	bool processing;		/* a thread is in ProcessTrace() */
	bool closing;			/* CloseTrace() was called meanwhile */
	bool ended;			/* the session is gone */
	/*
	 * What the caller gave and BufferCallback gets; the A and the W struct
	 * differ in the types of names and of that callback only.
	 */
	union {
		EVENT_TRACE_LOGFILEW wide;
		EVENT_TRACE_LOGFILEA narrow;
	} logfile;
	bool is_wide;
	union {
		WCHAR wide[ETW_NAME_MAX + 1];
		char narrow[ETW_NAME_MAX + 1];
	} name;
	/* Scratch of the event being delivered */
	EVENT_HEADER_EXTENDED_DATA_ITEM *items;
	size_t item_room;
};

/*
 * Begin processing a handle: ERROR_INVALID_HANDLE, ERROR_BUSY (another thread
 * does already), ERROR_WMI_INSTANCE_NOT_FOUND (its session is gone).
 */
ULONG etw_trace_begin(TRACEHANDLE handle, struct etw_trace **trace);
/* End it; frees the trace if it was closed meanwhile. */
void etw_trace_end(struct etw_trace *trace, bool ended);

/* Deliver an event; false: the caller wants no more. */
bool etw_trace_deliver(struct etw_trace *trace, const struct etw_rt_event *event,
		       int64_t first, int64_t last);

#endif /* ETW_LIB_TRACE_H */
