/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_tracefs.h - the kernel's trace events, as tracefs has them
 */
#ifndef ETW_SELFTEST_VM_TRACEFS_H
#define ETW_SELFTEST_VM_TRACEFS_H

#include <stdio.h>
#include <string.h>

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

#endif /* ETW_SELFTEST_VM_TRACEFS_H */
