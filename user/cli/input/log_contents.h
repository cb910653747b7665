/* SPDX-License-Identifier: MIT */
/*
 * log_contents.h - what events a log file has: how many, of which providers, from when to when
 */
#ifndef ETW_CLI_LOG_CONTENTS_H
#define ETW_CLI_LOG_CONTENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <evntcons.h>
#include "etl/event.h"
#include "cli/provider_counts.h"

/*
 * Is it no event of a provider, but one about the trace: the header of a file, a record of a loss,
 * a piece of a schema, the machine?  Summaries of all commands leave these out of their number of
 * events.
 */
bool event_is_about_trace(const struct etw_event *event);
/* Does it describe the machine? Of those about the trace, these are shown only if asked for. */
bool event_is_about_machine(const struct etw_event *event);

/* Is it decoded by a manifest?  TraceLogging, strings and classic events are not. */
bool record_needs_manifest(const EVENT_RECORD *record);

/* All zero before the first file */
struct log_contents {
	struct provider_counts counts;
	uint64_t events;
	bool counts_names;	/* the caller's: events of Etw-Process are wanted as events ... */
	bool counts_images;	/* ... and those of Etw-Image ... */
	uint64_t names;		/* ... or are counted here */
	int64_t first, last;	/* FILETIME, if there are events */
	uint64_t lost_events, lost_buffers;	/* by the headers */
	unsigned int unclosed;	/* files */
};

/*
 * Add a file's events that are not earlier than since.  stop, or NULL: asked now and then whether
 * to end early.  0 or -errno; -EINTR: it was stopped.
 */
int log_contents_add(struct log_contents *contents, const char *path, int64_t since,
		     bool (*stop)(void));
/* Text behind the number of events: how many others only name processes; "" if none */
const char *log_contents_besides(uint64_t names);
void log_contents_free(struct log_contents *contents);

#endif /* ETW_CLI_LOG_CONTENTS_H */
