/* SPDX-License-Identifier: MIT */
/*
 * trace_pair.h - pairs of trace events that start and stop an operation
 */
#ifndef ETW_BRIDGE_TRACE_PAIR_H
#define ETW_BRIDGE_TRACE_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include "trace_schema.h"

/*
 * The name of the event that ends what this one begins, or the reverse, if its name is of
 * such a form; *ends: this one ends it. index: 0, 1, ... for the names that are possible.
 * false: there are no more.
 */
bool trace_pair_name(const char *name, unsigned int index, char *other, size_t size, bool *ends);
/* Set the schema's opcode and task if tracefs has the other event. */
void trace_pair_find(const char *system, const char *name, struct trace_schema *schema);

#endif /* ETW_BRIDGE_TRACE_PAIR_H */
