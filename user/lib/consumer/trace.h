/* SPDX-License-Identifier: MIT */
/*
 * trace.h - opened traces
 */
#ifndef ETW_LIB_CONSUMER_TRACE_H
#define ETW_LIB_CONSUMER_TRACE_H

#include <stdbool.h>

#include <evntcons.h>
#include <evntrace.h>
#include "buffer_stream.h"
#include "etl/source.h"
#include "event_record.h"
#include "session_reader.h"

#define ETW_TRACE_NAME_MAX	4096	/* units of a name: a session's, or a path */

/* By CPU, when events were lost last */
struct etw_trace_drops {
	struct {
		int64_t time;		/* raw; 0: none were */
		int64_t sequence;	/* of the buffer that told it */
	} *cpus;
	size_t count;
};

struct etw_trace {
	struct etw_trace *next;		/* list of all opened ones */
	TRACEHANDLE handle;
	struct etw_source source;
	struct etw_block *head;		/* of a session: its header as a buffer */
	bool begun;			/* head was handed out */
	PETW_BUFFER_COMPLETION_CALLBACK completion;	/* of a stream, with */
	void *completion_context;
	bool processing;		/* a thread is in ProcessTrace() */
	unsigned int users;		/* others, between etw_trace_use() and -unuse() */
	_Atomic bool closing;		/* CloseTrace() was called meanwhile */
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
	bool has_options;		/* opened with these; logfile has its part of them */
	ETW_OPEN_TRACE_OPTIONS options;
	struct etw_block *shown;	/* what its BufferCallback has just now */
	struct etw_trace_drops drops;
	union {
		WCHAR wide[ETW_TRACE_NAME_MAX + 1];
		char narrow[ETW_TRACE_NAME_MAX + 1];
	} name;
	/* Scratch of the event being delivered */
	struct etw_event_items items;
};

/* Make it findable by a handle, which it gets. */
TRACEHANDLE etw_trace_publish(struct etw_trace *trace);
/* One that nobody can find; NULL is fine. */
void etw_trace_free(struct etw_trace *trace);
/* Is there such a handle, and is it of a file? */
bool etw_trace_look(TRACEHANDLE handle, bool *is_file);

/*
 * Open what the struct asks for, W or A, which have the same members and sizes; options
 * may be NULL.  Fills in what is out.
 */
ULONG etw_trace_open(EVENT_TRACE_LOGFILEW *logfile, bool is_wide,
		     const ETW_OPEN_TRACE_OPTIONS *options, TRACEHANDLE *handle);

/*
 * All traces are locked between these.  The trace of a handle, or NULL; nobody frees it
 * meanwhile, but it may be processed.
 */
struct etw_trace *etw_trace_lock(TRACEHANDLE handle);
void etw_trace_unlock(void);
/* The trace of a handle, which stays until it is unused, even if it is closed; or NULL. */
struct etw_trace *etw_trace_use(TRACEHANDLE handle);
void etw_trace_unuse(struct etw_trace *trace);
/* What those who ask see of a trace is changed under the lock, too. */
void etw_trace_lock_own(void);

/*
 * Begin processing a handle: ERROR_INVALID_HANDLE, ERROR_BUSY (another thread
 * does already), ERROR_WMI_INSTANCE_NOT_FOUND (its session is gone).
 */
ULONG etw_trace_begin(TRACEHANDLE handle, struct etw_trace **trace);
/* End it; frees the trace if it was closed meanwhile. */
void etw_trace_end(struct etw_trace *trace, bool ended);

/* Of a session, before its first event: that of its header.  As etw_trace_deliver(). */
bool etw_trace_deliver_head(struct etw_trace *trace, int64_t first, int64_t last);

/* Deliver an event; false: the caller wants no more. */
bool etw_trace_deliver(struct etw_trace *trace, const struct etw_event *event,
		       int64_t first, int64_t last);

#endif /* ETW_LIB_CONSUMER_TRACE_H */
