/* SPDX-License-Identifier: MIT */
/*
 * trace.h - open traces
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

#define ETW_TRACE_NAME_MAX	4096	/* units of a session's name or of a path */

/* The last loss of events, by CPU */
struct etw_trace_drops {
	struct {
		int64_t time;		/* raw; 0: no loss */
		int64_t sequence;	/* of the buffer that reported it */
	} *cpus;
	size_t count;
};

struct etw_trace {
	struct etw_trace *next;		/* list of all open traces */
	TRACEHANDLE handle;
	struct etw_source source;
	struct etw_block *head;		/* a session's header as a buffer */
	bool begun;			/* head was handed out */
	PETW_BUFFER_COMPLETION_CALLBACK completion;	/* of a stream; with */
	void *completion_context;
	bool processing;		/* a thread is in ProcessTrace() */
	unsigned int users;		/* threads between etw_trace_use() and -unuse() */
	_Atomic bool closing;		/* CloseTrace() was called during processing */
	bool ended;			/* the session has ended */
	/*
	 * The caller's structure, passed to BufferCallback. The A and the W struct
	 * differ only in the types of names and of that callback.
	 */
	union {
		EVENT_TRACE_LOGFILEW wide;
		EVENT_TRACE_LOGFILEA narrow;
	} logfile;
	bool is_wide;
	bool has_options;		/* opened with these; logfile holds its part of them */
	ETW_OPEN_TRACE_OPTIONS options;
	struct etw_block *shown;	/* the buffer passed to BufferCallback right now */
	struct etw_trace_drops drops;
	union {
		WCHAR wide[ETW_TRACE_NAME_MAX + 1];
		char narrow[ETW_TRACE_NAME_MAX + 1];
	} name;
	/* Scratch for the event being delivered */
	struct etw_event_items items;
};

/* Assign the trace a handle and make it findable. */
TRACEHANDLE etw_trace_publish(struct etw_trace *trace);
/* Free a trace that no thread can find; NULL is fine. */
void etw_trace_free(struct etw_trace *trace);
/* Does the handle exist, and is it a file's? */
bool etw_trace_look(TRACEHANDLE handle, bool *is_file);

/*
 * Open the trace that the struct describes, W or A, which have the same members and
 * sizes; options may be NULL. Fills in the output members.
 */
ULONG etw_trace_open(EVENT_TRACE_LOGFILEW *logfile, bool is_wide,
		     const ETW_OPEN_TRACE_OPTIONS *options, TRACEHANDLE *handle);

/*
 * Between lock and unlock, all traces are locked. The trace of a handle, or NULL; it
 * cannot be freed meanwhile, but it may be processed.
 */
struct etw_trace *etw_trace_lock(TRACEHANDLE handle);
void etw_trace_unlock(void);
/* The trace of a handle, which stays valid until etw_trace_unuse(), even if closed; or NULL. */
struct etw_trace *etw_trace_use(TRACEHANDLE handle);
void etw_trace_unuse(struct etw_trace *trace);
/* Lock the traces, to change members that other threads query. */
void etw_trace_lock_own(void);

/*
 * Begin processing a handle: ERROR_INVALID_HANDLE, ERROR_BUSY (another thread processes
 * it already), ERROR_WMI_INSTANCE_NOT_FOUND (its session has ended).
 */
ULONG etw_trace_begin(TRACEHANDLE handle, struct etw_trace **trace);
/* End processing; frees the trace if it was closed meanwhile. */
void etw_trace_end(struct etw_trace *trace, bool ended);

/* For a session: deliver its header's event before the first event. As etw_trace_deliver(). */
bool etw_trace_deliver_head(struct etw_trace *trace, int64_t first, int64_t last);

/* Deliver an event; false: the caller wants no more. */
bool etw_trace_deliver(struct etw_trace *trace, const struct etw_event *event,
		       int64_t first, int64_t last);

#endif /* ETW_LIB_CONSUMER_TRACE_H */
