/* SPDX-License-Identifier: MIT */
/*
 * sample.h - perf's counters as providers of samples
 *
 * Their names: profile:HZ, the clock of each CPU, so often a second; pmu:COUNTER and
 * pmu:COUNTER:PERIOD, each time that the counter has counted so much. The counters are those of
 * perf-list(1) that need no more than a name.
 */
#ifndef ETW_BRIDGE_SAMPLE_H
#define ETW_BRIDGE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include "trace_schema.h"

#define SAMPLE_NAME	64	/* bytes of a whole name, with its NUL */

bool sample_named(const char *text);
/* Where the name ends in NAME[:LEVEL[:KEYWORDS]] */
const char *sample_name_end(const char *text);
/* The counter at i, or NULL behind the last one */
const char *sample_counter(size_t i);

/*
 * The whole name, with its period, and what ETW_IOC_TRACE_EVENT wants to know. 0; -EINVAL: HZ or
 * PERIOD is none; -ENOENT: no such counter, here or on this machine; -EACCES: perf does not say
 * whether this machine has it, and all else is there; other errors of perf_event_open(2).
 */
int sample_read(const char *text, char name[SAMPLE_NAME], struct trace_schema *schema);

#endif /* ETW_BRIDGE_SAMPLE_H */
