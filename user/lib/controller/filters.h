/* SPDX-License-Identifier: MIT */
/*
 * filters.h - the filters of EnableTraceEx2, checked and in the kernel's form
 */
#ifndef ETW_LIB_CONTROLLER_FILTERS_H
#define ETW_LIB_CONTROLLER_FILTERS_H

#include <evntrace.h>
#include "device/kdev.h"

/* Owns the copies of converted strings; the caller owns the rest. */
struct etw_filters {
	struct etw_filter list[ETW_FILTERS_MAX];
	char *names[ETW_FILTERS_MAX];
	ULONG count;
};

/*
 * ERROR_INVALID_PARAMETER: malformed or duplicate; ERROR_NOT_SUPPORTED: a type that is
 * not supported yet; ERROR_NOT_ENOUGH_MEMORY. On failure there is nothing to free.
 */
ULONG etw_filters_take(struct etw_filters *to, const EVENT_FILTER_DESCRIPTOR *from,
		       ULONG count);
void etw_filters_free(struct etw_filters *filters);

#endif /* ETW_LIB_CONTROLLER_FILTERS_H */
