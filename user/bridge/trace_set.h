/* SPDX-License-Identifier: MIT */
/*
 * trace_set.h - the providers that one name of trace events or probes stands for
 *
 * Functions return 0 or a negative errno.
 */
#ifndef ETW_BRIDGE_TRACE_SET_H
#define ETW_BRIDGE_TRACE_SET_H

#include <stdbool.h>
#include <etw/format.h>

#define TRACE_EVENT_PREFIX	"tracepoint:"

struct etw_text;
struct trace_schema;

/* All zero is none. */
struct trace_set {
	char **names;		/* of the providers, "tracepoint:..." */
	struct etw_guid *guids;
	char **fields;		/* of those that were made, as --fields describes them; or NULL */
	char **value_names;	/* likewise, as in struct trace_schema */
	unsigned int count;
};

/* Add a provider that the set does not have. */
int trace_set_append(struct trace_set *set, const char *name, const struct etw_guid *guid);
/* Add a provider, unless the set has it: classes may share an event. */
int trace_set_add(struct trace_set *set, const char *name);
/*
 * Add the trace events whose SYSTEM:NAME matches a pattern of the shell; there may be none.
 * Also errors of trace_events_find().
 */
int trace_set_add_events(struct trace_set *set, const char *pattern);
/* Remove the element at i. */
void trace_set_drop(struct trace_set *set, unsigned int i);
bool trace_set_has(const struct trace_set *set, const struct etw_guid *guid);
void trace_set_free(struct trace_set *set);

/*
 * Make the one at i a provider that lasts while fd is open and while a session has it enabled.
 * Errors are those of ETW_IOC_TRACE_EVENT, and -ENOMEM.
 */
int trace_set_register(int fd, struct trace_set *set, unsigned int i,
		       const struct trace_schema *schema);

/* Append the manifest that names the values of the one at i: nothing if they have no names. */
void trace_set_manifest(const struct trace_set *set, unsigned int i, struct etw_text *to);

#endif /* ETW_BRIDGE_TRACE_SET_H */
