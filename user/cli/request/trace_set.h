/* SPDX-License-Identifier: MIT */
/*
 * trace_set.h - the providers that one name of trace events or probes stands for
 */
#ifndef ETW_CLI_REQUEST_TRACE_SET_H
#define ETW_CLI_REQUEST_TRACE_SET_H

#include <stdbool.h>
#include <etw/format.h>

struct trace_schema;

/* All zero is none. */
struct trace_set {
	char **names;		/* of the providers, "tracepoint:..." */
	struct etw_guid *guids;
	char **fields;		/* of those that were made, as --fields describes them; or NULL */
	unsigned int count;
};

/* Add a provider that the set does not have. */
void trace_set_append(struct trace_set *set, const char *name, const struct etw_guid *guid);
/* Add a provider, unless the set has it: classes may share an event. */
void trace_set_add(struct trace_set *set, const char *name);
/* Take out the element at i. */
void trace_set_drop(struct trace_set *set, unsigned int i);
bool trace_set_has(const struct trace_set *set, const struct etw_guid *guid);
void trace_set_free(struct trace_set *set);

/* Make the one at i a provider that lasts while fd is open.  0 or a negative errno. */
int trace_set_register(int fd, struct trace_set *set, unsigned int i,
		       const struct trace_schema *schema);
/* Print why that failed. */
void trace_set_fail(const char *name, int err);

#endif /* ETW_CLI_REQUEST_TRACE_SET_H */
