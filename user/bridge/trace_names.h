/* SPDX-License-Identifier: MIT */
/*
 * trace_names.h - the names of a trace event's flags and symbols, as maps of a manifest
 */
#ifndef ETW_BRIDGE_TRACE_NAMES_H
#define ETW_BRIDGE_TRACE_NAMES_H

#include <etw/format.h>
#include "trace_schema.h"

struct tep_event;
struct etw_text;

/*
 * Describe in schema->names what the event's text calls the values of its fields, by
 * __print_flags() and __print_symbolic(): the sections of a manifest's provider from <maps> on,
 * with one event, called name. Empty if it has no such names. Maps that exceed the room are left
 * out. -ENOMEM.
 */
int trace_names_find(const struct tep_event *event, const char *name, struct trace_schema *schema);

/* Append the whole manifest of a provider with these sections. */
void trace_names_manifest(struct etw_text *to, const char *provider, const struct etw_guid *guid,
			  const char *names);

#endif /* ETW_BRIDGE_TRACE_NAMES_H */
