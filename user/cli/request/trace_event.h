/* SPDX-License-Identifier: MIT */
/*
 * trace_event.h - providers that the kernel's own trace events are made
 *
 * Their names: tracepoint:SYSTEM:NAME, each of which may be a pattern of the shell;
 * tracepoint:SYSTEM stands for all of the system's; system:CLASS,... for what the classes have.
 * The names of probes, kprobe:FUNCTION and so on, are in bridge/probe_spec.h.
 */
#ifndef ETW_CLI_REQUEST_TRACE_EVENT_H
#define ETW_CLI_REQUEST_TRACE_EVENT_H

#include <stdbool.h>
#include <etw/format.h>
#include "cli/text.h"
#include "bridge/trace_set.h"

/* Is it such a name?  No manifest and no registration decides what it stands for. */
bool trace_event_named(const char *provider);
bool trace_event_is_class(const char *provider);	/* system:CLASS,... */
/* Where the name ends in NAME[:LEVEL[:KEYWORDS]] */
const char *trace_event_name_end(const char *text);
/*
 * Make all of them providers, which they stay while fd is open and while a session has them
 * enabled.  False after printing what is wrong; then the set is empty.
 */
bool trace_event_make(int fd, const char *provider, struct trace_set *set);
/* Their names, without making them providers; the pattern as above.  False: see above. */
bool trace_event_list(const char *provider, struct trace_set *set);
/* Those of them that are providers now; false if there are none. */
bool trace_event_registered(int fd, const char *provider, struct trace_set *set);
/* What such a name looks like, of one that is its first word only; NULL: the word is none. */
const char *trace_event_form(const char *word);

#endif /* ETW_CLI_REQUEST_TRACE_EVENT_H */
