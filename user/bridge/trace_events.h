/* SPDX-License-Identifier: MIT */
/*
 * trace_events.h - the trace events of the running kernel, as tracefs has them
 */
#ifndef ETW_BRIDGE_TRACE_EVENTS_H
#define ETW_BRIDGE_TRACE_EVENTS_H

/* Names as "sched:sched_switch", sorted */
struct trace_events {
	char **names;
	unsigned int count;
};

/*
 * Those whose SYSTEM:NAME matches a pattern of the shell. 0, or a negative errno, after which
 * there is nothing to free: -ENOENT: no tracefs is mounted; -EACCES; -ENOMEM; -ELIBACC: libtracefs
 * is not installed. Finding none is no error.
 */
int trace_events_find(const char *pattern, struct trace_events *events);
void trace_events_free(struct trace_events *events);

#endif /* ETW_BRIDGE_TRACE_EVENTS_H */
