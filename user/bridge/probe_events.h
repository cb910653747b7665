/* SPDX-License-Identifier: MIT */
/*
 * probe_events.h - the dynamic trace events that this project makes, all in the group "etw"
 *
 * Their names end with the GUID of the provider and a hash of what they were made of, so that
 * equal ones are shared and others in the group are left alone.  Such an event lasts as long as
 * somebody has a counter on it, as the kernel says: a process by probe_event_hold(), etw.ko for
 * its sessions.  One without is left over, and whoever comes by removes it.
 *
 * The lock is one of all processes.  An event is made and held under it, and left-overs are
 * removed under it, so nobody removes what another one has just made.
 */
#ifndef ETW_BRIDGE_PROBE_EVENTS_H
#define ETW_BRIDGE_PROBE_EVENTS_H

#include <stdbool.h>
#include <etw/format.h>
#include "probe_spec.h"

#define PROBE_GROUP		"etw"
#define PROBE_EVENT_SIZE	64

/* The lock: a descriptor, or a negative errno; -ETIMEDOUT: another process keeps it. */
int probe_lock(void);
void probe_unlock(int lock);

/*
 * The name of the event of a provider.  readable: what a person should recognize it by; hashed:
 * the whole definition.
 */
void probe_event_name(const struct etw_guid *provider, const char *readable, const char *hashed,
		      char name[PROBE_EVENT_SIZE]);
/* The provider of an event of the group; false: another tool made it. */
bool probe_event_provider(const char *name, struct etw_guid *provider);

/*
 * Under the lock: have the kernel obey a line of kprobe_events or uprobe_events.  0, or a
 * negative errno, and what the kernel says about it in why, or "".  -EOPNOTSUPP: it has no such
 * file.
 */
int probe_event_define(bool kernel, const char *line, char why[PROBE_TEXT]);
/* Under the lock: hold an event.  A descriptor to close, or a negative errno. */
int probe_event_hold(const char *name);
/* Under the lock: 0; -EBUSY: somebody uses it; -ENOENT; -EOPNOTSUPP, as above. */
int probe_event_remove(const char *name);
/*
 * Call take() for each event of the group that this project made, until it returns false. Mounts
 * nothing.
 */
void probe_events_each(bool (*take)(void *context, const char *name,
				    const struct etw_guid *provider), void *context);
/* How often such a probe was passed and missed: the kernel was handling another one. */
unsigned long long probe_event_missed(const char *name);

#endif /* ETW_BRIDGE_PROBE_EVENTS_H */
