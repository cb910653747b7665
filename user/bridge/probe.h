/* SPDX-License-Identifier: MIT */
/*
 * probe.h - probes of functions and programs as trace events: find them, make them, remove them
 *
 * probe_events.h says how long such an event lasts.
 */
#ifndef ETW_BRIDGE_PROBE_H
#define ETW_BRIDGE_PROBE_H

#include "base/suggest.h"
#include "probe_events.h"
#include "probe_spec.h"
#include "trace_schema.h"

#define PROBE_NO_TRACEFS "tracefs is not mounted: mount -t tracefs tracefs /sys/kernel/tracing"
#define PROBE_MAX	100	/* that one pattern may make */

/* Names of probes, sorted, each once */
struct probe_names {
	char **list;
	size_t count;
	char near[PROBE_TEXT];	/* if there are none: one that may have been meant, or "" */
};

/*
 * Those that a name or pattern stands for.  0, or a negative errno, after which there is nothing
 * to free: if why is not "", it says what is wrong; -ENOEXEC and others of elf_file_open();
 * -EACCES.  Finding none is no error.
 */
int probe_find(const char *pattern, struct probe_names *names, char why[PROBE_TEXT]);
void probe_names_free(struct probe_names *names);

/* A process has the probe in place while this is open. */
struct probe_hold {
	int fd;
	char event[PROBE_EVENT_SIZE];
	bool kernel;
	struct etw_guid provider;
	unsigned long long missed;	/* the kernel's count when it was last read */
};

/*
 * Make the probe of this name, no pattern, a trace event, or find the one it is, and hold it.
 * note: what is left out of it, or "".  0, or a negative errno, and in why what it means, or "".
 */
int probe_make(const char *name, const struct etw_guid *provider, struct trace_schema *schema,
	       struct probe_hold *hold, char note[PROBE_TEXT], char why[PROBE_TEXT]);
/* How often did the kernel miss it since it was made, or since the last call? */
unsigned long long probe_missed(struct probe_hold *hold);
/* Let go.  Returns likewise. */
unsigned long long probe_let_go(struct probe_hold *hold);

/*
 * What a provider is to its event: a user, perhaps a moment before the kernel knows it; one that
 * lets go of it soon; or none.
 */
enum probe_use { PROBE_UNUSED, PROBE_ENDING, PROBE_USED };

/* Remove the events that nobody uses.  Returns how many are in use, but not for long. */
unsigned int probe_collect(enum probe_use (*use_of)(void *context, const struct etw_guid *provider),
			   void *context);

#endif /* ETW_BRIDGE_PROBE_H */
