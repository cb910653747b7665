/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_tracefs.h - the kernel's trace events, as tracefs has them
 */
#ifndef ETW_SELFTEST_VM_TRACEFS_H
#define ETW_SELFTEST_VM_TRACEFS_H

#include <stdio.h>
#include <string.h>

#include "lib/vm_dev.h"

#define VM_TRACEFS	"/sys/kernel/tracing/"

/* The number of SYSTEM/NAME or SYSTEM:NAME; 0: there is none, or it cannot be read. */
static inline unsigned int vm_event_id(const char *event)
{
	unsigned int id = 0;
	char path[256];
	char *colon;
	FILE *f;

	snprintf(path, sizeof(path), VM_TRACEFS "events/%s/id", event);
	colon = strchr(path, ':');
	if (colon)
		*colon = '/';
	f = fopen(path, "re");
	if (!f || fscanf(f, "%u", &id) != 1)
		id = 0;
	if (f)
		fclose(f);
	return id;
}

/*
 * To make what has this number a provider: events "e" with the begin of the kernel's record as a
 * number, "a"
 */
static inline struct etw_trace_event vm_trace_event_id(struct etw_guid provider, unsigned int id)
{
	static const unsigned char schema[] = { 9, 0, 0, 'e', 0, 'a', 0, 10, 0 };
	static const struct etw_trace_piece head = { .offset = 0, .size = 8, .kind = ETW_TRACE_COPY };

	return (struct etw_trace_event){
		.size = sizeof(struct etw_trace_event), .provider = provider,
		.name = VM_PTR("Test-Trace"), .name_len = 10, .id = id,
		.schema = VM_PTR(schema), .schema_len = sizeof(schema),
		.pieces = VM_PTR(&head), .piece_count = 1, .level = 4,
	};
}

static inline struct etw_trace_event vm_trace_event(struct etw_guid provider, const char *event)
{
	return vm_trace_event_id(provider, vm_event_id(event));
}

#endif /* ETW_SELFTEST_VM_TRACEFS_H */
