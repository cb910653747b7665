/* SPDX-License-Identifier: MIT */
/*
 * probe_classes.h - probes that a class of trace events has on kernels that lack an event
 */
#ifndef ETW_CLI_REQUEST_PROBE_CLASSES_H
#define ETW_CLI_REQUEST_PROBE_CLASSES_H

#include <stddef.h>
#include "bridge/trace_set.h"

/*
 * Add them to a set that has what system_class_add() adds for the class, of len bytes; those of
 * functions that this kernel lacks, or lets nobody trace, are left out.  0 or -ENOMEM
 */
int probe_classes_add(struct trace_set *set, const char *class, size_t len);

#endif /* ETW_CLI_REQUEST_PROBE_CLASSES_H */
