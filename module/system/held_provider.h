/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * held_provider.h - kernel providers that a process made through its open file
 */
#ifndef ETW_SYSTEM_HELD_PROVIDER_H
#define ETW_SYSTEM_HELD_PROVIDER_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <etw/kernel.h>

struct etw_held_kind;
struct etw_process;

/**
 * struct etw_held_provider - a provider that a process made; part of what its kind has
 * @node: in the list of all
 * @kind: what it writes, and how
 * @provider: its registration, for which events are written
 * @holds: open files that made it; under the lock of the list
 * @made: events can be described, and it is in the list; or it is not made after all
 * @lock: for @leaving, @described, @undescribed, and what the kind starts and stops
 * @leaving: it is not in the list any more
 * @described: number of the last enablement whose session was to get what @describe writes
 * @undescribed: those of these sessions that lost a part, as bits of their logger ids
 */
struct etw_held_provider {
	struct list_head node;
	struct etw_held_kind *kind;
	struct etw_provider *provider;
	u32 holds;
	struct completion made;
	struct mutex lock;
	bool leaving;
	u64 described;
	u64 undescribed;
};

/**
 * struct etw_held_kind - one way in which such providers come by their events
 * @max: how many there may be
 * @one_event: each has only one, so that filters by its fields can be made
 * @count: how many there are; under the lock of the list
 * @same: does the second one describe the same events?
 * @free: one that was never registered, or that no writer uses any more
 * @publish: it is registered now: let writers find it; 0 or an error.  Under the lock of the
 *	list.  NULL: nothing to do.
 * @withdraw: let no more writers find it.  Under the lock of the list.  NULL: nothing to do.
 * @describe: sessions, as bits of their logger ids, have enabled it, or one captures its state:
 *	write for them what its events mean.  Under its lock.  NULL: nothing to do.
 *	False: one of them lost a part, unless it is INDEPENDENT, which hides that.
 * @start: a session has enabled it.  Under its lock.  NULL: nothing to do.
 * @stop: no session has, or it is removed; also if it was not started.  Under its lock.
 * @active: is there something to stop?  Without a lock, so only a hint.
 *
 * @start, @stop and @active are all there or all NULL.
 */
struct etw_held_kind {
	u32 max;
	bool one_event;
	u32 count;
	bool (*same)(const struct etw_held_provider *a, const struct etw_held_provider *b);
	void (*free)(struct etw_held_provider *p);
	int (*publish)(struct etw_held_provider *p);
	void (*withdraw)(struct etw_held_provider *p);
	bool (*describe)(struct etw_held_provider *p, u64 sessions);
	void (*start)(struct etw_held_provider *p);
	void (*stop)(struct etw_held_provider *p);
	bool (*active)(const struct etw_held_provider *p);
};

void etw_held_provider_prepare(struct etw_held_provider *p, struct etw_held_kind *kind);
struct etw_held_provider *etw_held_provider_make(struct etw_process *holder,
						 const struct etw_guid *guid, const char *name,
						 struct etw_held_provider *new);
void etw_held_provider_release(struct etw_process *holder);
void etw_held_provider_for_each(const struct etw_held_kind *kind,
				void (*call)(struct etw_held_provider *p));
void etw_held_provider_exit(void);

#endif /* ETW_SYSTEM_HELD_PROVIDER_H */
