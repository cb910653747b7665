/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * provider.h - GUIDs, their registrations, and the sessions that have them enabled
 *
 * A GUID has an entry while it has a registration or a session has it enabled.  Each
 * registration has its own composite filter and its own snapshot of sessions: a scope
 * filter may exclude it from some sessions, and it may be a member of a group, which
 * sessions enable in the same way as a GUID.
 *
 * Everything is under etw_control, except the data that the hot path reads: snapshots (RCU,
 * preemption disabled) and composites (racy by design, core/enable_entry.c).
 */
#ifndef ETW_PROVIDER_PROVIDER_H
#define ETW_PROVIDER_PROVIDER_H

#include <linux/list.h>
#include <linux/pid.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "control_lock.h"
#include "enabler.h"
#include "guid.h"
#include "write/hot.h"
#include "write/scope.h"
#include "write/snapshot.h"
#include <etw/kernel.h>

struct cred;
struct etw_callback_queue;
struct etw_notice;
struct etw_registration;
struct etw_user;

/* Filter data for callbacks, see filter_data.c. */
struct etw_filter_data {
	refcount_t ref;
	u32 type;			/* ETW_FILTER_SCHEMATIZED or _TRACEHANDLE */
	u32 len;			/* bytes */
	u64 words[];
};

/* What the kernel missed of a probe, as ETW_IOC_SESSION_MISSED has passed it last. */
struct etw_missed {
	bool begun;
	u64 count;
	u64 time;			/* of the session's clock */
};

/* A session that has a GUID enabled: a slot of struct etw_guid_entry. */
struct etw_enablement {
	struct etw_enabler *session;	/* NULL: slot is free */
	struct etw_enable_entry filter;	/* normalised */
	u64 any;			/* as given */
	u64 all;
	u32 property;
	u8 level;
	bool sees_addresses;
	u64 order;			/* the latest has the highest */
	u32 filters;			/* of struct etw_provider_enable */
	struct etw_scope *scope;	/* NULL: every process */
	struct etw_event_filter *events;	/* NULL: every event */
	struct etw_filter_data *data;	/* for callbacks, or NULL */
	struct etw_missed missed;
};

/* The GUID of a provider, or of a group: then its registrations are the members. */
struct etw_guid_entry {
	struct hlist_node node;
	struct etw_guid guid;
	bool is_group;
	u32 kernel_regs;		/* how many of regs are kernel modules' */
	struct list_head regs;
	struct etw_enablement slots[ETW_PROVIDER_SESSIONS];
};

/* The change of one registration, see change.h. */
struct etw_update {
	struct list_head node;
	struct etw_registration *reg;
	/* the registration's future state; initially its present state */
	const struct etw_guid_entry *group;
	const struct etw_traits *traits;
	bool types;
	bool refused;
	u8 scope;
	u8 group_scope;
	u8 left_out;			/* slots of group_scope that disallow it */
	bool notify;			/* call its callback */
	/* built from that state */
	struct etw_snapshot *snapshot;	/* NULL: disabled */
	struct etw_enable_entry composite;
	struct etw_filter_data *filter;	/* for its callback, or NULL */
	/* the latest update with filters, and the one before that */
	struct etw_update *filter_head, *filter_next;
};

#define ETW_EXECUTABLE_MAX	256	/* of a name in a directory, with its NUL */

struct etw_registration {
	struct etw_registration_hot hot;
	struct etw_provider *provider;	/* a module's, or hot.own */
	struct etw_guid_entry *entry;
	struct list_head node;		/* entry->regs */
	u8 scope;			/* bit i: slots[i] may enable it; classic: one */
	u8 group_scope;			/* the same for the slots of its group */
	struct etw_traits *traits;	/* NULL: none */
	struct etw_update change;	/* while one is made, so that it needs no memory */
	struct etw_guid_entry *group;	/* NULL: none; always for a classic one */
	struct list_head group_node;	/* group->regs */
	bool registered;
	bool ending;			/* disabled, and nobody enables it any more */
	const char *name;		/* may be NULL */
	u32 name_len;
	bool name_in_traits;
	bool of_system;			/* see etw_registration_of_kernel() */
	bool one_event;			/* likewise */
	char module[sizeof_field(struct etw_provider_reg, module)];
	char executable[ETW_EXECUTABLE_MAX];	/* empty: not known */

	/* under queue->lock if there is a queue */
	struct list_head notices;	/* waiting */
	struct list_head idle;		/* the other ones of its memory */
	u32 queued;			/* length of notices */
	u32 dropped;			/* user mode: since the last one was fetched */
	struct etw_notice *notice_memory;	/* NULL: no callback */

	/* kernel: the work handles the notices */
	struct list_head kernel_node;	/* all registrations of modules */
	struct list_head key_node;	/* its static key is to change, see change.c */
	const struct module *owner;	/* holds no reference; NULL: not given */
	unsigned long caller;		/* return address of the function that registered */
	etw_enable_fn callback;
	void *context;
	spinlock_t lock;		/* notices, idle, queued */
	struct delayed_work work;
	struct task_struct *running;	/* task inside callback; for -EDEADLK */
	struct etw_notice *handled;	/* the one that callback is called for */
	bool callback_died;		/* its thread ended inside: never call it again */
	bool was_last;			/* of modules' for its GUID, when it ended */

	/* user mode */
	struct etw_callback_queue *queue;	/* of its process; NULL: a kernel module's */
	struct etw_enable_entry *area;	/* its entry of the enable area */
	struct etw_user *user;		/* charged for it */
	const struct cred *cred;	/* of the registering task */
	u64 cookie;
	u32 slot;
	u32 program;			/* of the process at that time */
	bool leaving;			/* see etw_registration_leaves() */
	struct list_head forward_node;	/* etw_forwarders, or empty */
	struct rcu_head rcu;
};

struct etw_enable_request {
	struct etw_enabler *session;
	struct etw_guid provider;
	struct etw_guid source;
	u32 control;
	u32 property;
	u64 any;
	u64 all;
	u8 level;
	bool sees_addresses;		/* the caller may see the kernel's */
	u32 filters;			/* of struct etw_provider_enable */
	/* owned by the request until an enablement takes them; or NULL */
	struct etw_scope *scope;
	struct etw_event_filter *events;
	struct etw_filter_data *data;
};

static inline bool etw_is_classic(const struct etw_registration *reg)
{
	return etw_hot_is_classic(&reg->hot);
}

/* A process's registration, not a kernel module's? */
static inline bool etw_is_user(const struct etw_registration *reg)
{
	return reg->queue;
}

static inline struct etw_registration *etw_registration_of(struct etw_registration_hot *hot)
{
	return container_of(hot, struct etw_registration, hot);
}

/* Does the session exclude the registration from its groups? */
static inline bool etw_group_disallowed(const struct etw_enabler *session,
					const struct etw_registration *reg)
{
	lockdep_assert_held(&etw_control);
	return session && etw_disallowed_has(session->disallowed, &reg->provider->guid);
}

static inline struct etw_registration *
etw_entry_next(const struct etw_guid_entry *entry, const struct etw_registration *reg)
{
	const struct list_head *at = &entry->regs;

	if (reg)
		at = entry->is_group ? &reg->group_node : &reg->node;
	if (at->next == &entry->regs)
		return NULL;
	return entry->is_group ? list_entry(at->next, struct etw_registration, group_node) :
				 list_entry(at->next, struct etw_registration, node);
}

/* The registrations of a GUID, or the members of a group. */
#define etw_entry_for_each(reg, entry)					\
	for (reg = etw_entry_next(entry, NULL); reg; reg = etw_entry_next(entry, reg))

/* Return the entry's slots that may enable reg. */
static inline u8 etw_entry_scope(const struct etw_guid_entry *entry,
				 const struct etw_registration *reg)
{
	return entry->is_group ? reg->group_scope : reg->scope;
}

#endif /* ETW_PROVIDER_PROVIDER_H */
