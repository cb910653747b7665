/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * provider.h - GUIDs, who registered them, who enabled them
 *
 * A GUID exists while somebody has registered it or some session has it
 * enabled.  Each registration has its own composite and its own snapshot of
 * sessions, because a scope filter may have left it out of some, and because it
 * may be a member of a group, which sessions enable as they do a GUID.
 *
 * All of it is under etw_control, but for what the hot path reads: snapshots
 * (RCU, preemption disabled) and composites (racy by design, core/filter.c).
 */
#ifndef ETW_PROVIDER_H
#define ETW_PROVIDER_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <etw/kernel.h>

#include "core/filter.h"
#include "core/names.h"

struct cred;
struct etw_trace_session;
struct etw_traits;
struct etw_typed;
struct etw_process;
struct etw_user;

/*
 * Scope filters of an enablement, each NULL or names (core/scope.h): which
 * processes' registrations it goes for.
 */
struct etw_scope {
	char *executable;
	char *container;
	char *package;
	char *application;
};

/* Filter data on its way to callbacks, filter_data.c. */
struct etw_filter_data {
	refcount_t ref;
	u32 type;			/* ETW_FILTER_SCHEMATIZED or _TRACEHANDLE */
	u32 len;			/* bytes */
	u64 words[];
};

/* A payload filter's program, checked.  RCU. */
struct etw_payload_filter {
	struct rcu_head rcu;
	u64 program[];
};

/* A filter of event names, as it was compiled.  RCU. */
struct etw_name_filter {
	struct rcu_head rcu;
	struct etw_event_names names;	/* ends with an array */
};

/* Which events a session wants, and of which it wants the stack.  RCU. */
struct etw_event_filter {
	struct rcu_head rcu;
	struct etw_event_ids ids;
	struct etw_event_ids stack_ids;
	bool stack_level_given;
	bool stack_level_in;
	struct etw_enable_entry stack_level;
	struct etw_payload_filter *payload;	/* NULL: any payload */
	struct etw_name_filter *names;		/* NULL: none, as below */
	struct etw_name_filter *stack_names;
};

/* A session that has a GUID enabled; slots of struct etw_guid_entry. */
struct etw_enablement {
	struct etw_trace_session *session;	/* NULL: slot is free */
	struct etw_enable_entry filter;	/* normalised */
	u64 any;			/* as asked for */
	u64 all;
	u32 property;
	u8 level;
	bool pid_filtered;
	u64 order;			/* the latest has the highest */
	u32 filters;			/* of struct etw_provider_enable */
	struct etw_scope *scope;	/* NULL: every registration */
	struct etw_event_filter *events;	/* NULL: every event */
	struct etw_filter_data *data;	/* for callbacks, or NULL */
};

/* A provider's GUID, or that of a group: its registrations are the members'. */
struct etw_guid_entry {
	struct hlist_node node;
	struct etw_guid guid;
	bool is_group;
	struct list_head regs;
	struct etw_enablement slots[ETW_PROVIDER_SESSIONS];
};

/* What a writer needs to know of the sessions that enabled its provider. */
struct etw_snapshot_entry {
	struct etw_enable_entry filter;
	struct etw_trace_session *session;
	const struct etw_event_filter *events;	/* as of the slot */
};

/*
 * entries[] has the sessions, and behind them the wishes of those that enabled
 * both the provider and its group: they get what either takes.
 */
struct etw_snapshot {
	struct rcu_head rcu;
	u32 count;			/* sessions */
	bool special;			/* it is choosy, has types or traits */
	bool choosy;			/* more than level and keyword says who takes an event,
					 * or some session wants items or is shared
					 */
	bool shared;			/* some session has one buffer for all CPUs */
	bool types;			/* data descriptors have types */
	u8 also;			/* wishes behind the sessions */
	u8 also_of[ETW_PROVIDER_SESSIONS];	/* whose each of them is */
	const struct etw_traits *traits;	/* as of the registration */
	struct etw_snapshot_entry entries[];
};

/* Set once, and as long-lived as the registration. */
struct etw_traits {
	struct etw_user *user;		/* who was charged, NULL: nobody */
	bool has_group;
	bool has_decode;
	struct etw_guid group;
	struct etw_guid decode;
	u32 len;
	u8 blob[];
};

/* Somebody waits until a change has reached all callbacks. */
struct etw_waiter {
	refcount_t ref;
	atomic_t left;
	struct completion done;
};

/* An enable notification on its way to a callback. */
struct etw_notice {
	struct list_head node;		/* user mode: the process's queue */
	struct list_head reg_node;	/* the registration's */
	struct etw_registration *reg;	/* user mode */
	struct etw_guid source;
	u32 control;
	u8 level;
	u64 any;
	u64 all;
	struct etw_filter_data *filter;	/* a reference, or NULL */
	u32 logger_id;			/* of a classic registration's session */
	struct etw_waiter *waiter;	/* a reference, or NULL */
};

#define ETW_EXECUTABLE_MAX	256	/* of a name in a directory, with its NUL */
#define ETW_NOTICES_MAX		64	/* that wait, per registration */

struct etw_registration {
	struct etw_provider *provider;	/* a module's, or own */
	struct etw_provider own;	/* of processes and run-time handles */
	struct etw_guid_entry *entry;
	struct list_head node;		/* entry->regs */
	u8 scope;			/* bit i: slots[i] may enable it; classic: one */
	u8 group_scope;			/* likewise, of its group */
	bool types;			/* data descriptors have types; written under etw_control */
	struct etw_traits *traits;	/* NULL: none */
	struct etw_guid_entry *group;	/* NULL: none; never of a classic one */
	struct list_head group_node;	/* group->regs */
	bool registered;
	char *name;			/* may be NULL */
	u32 name_len;
	char module[sizeof_field(struct etw_provider_reg, module)];
	char executable[ETW_EXECUTABLE_MAX];	/* empty: not known */

	/* notices that wait: under process->lock if there is one */
	struct list_head notices;
	u32 queued;			/* how many */
	u32 dropped;			/* user mode: since the last one was fetched */

	/* kernel: the work handles them */
	etw_enable_fn callback;
	void *context;
	spinlock_t lock;		/* notices, queued */
	struct work_struct work;
	struct task_struct *running;	/* task inside callback; for -EDEADLK */

	/* user mode; process is NULL for the kernel's */
	struct etw_process *process;
	struct etw_enable_entry *area;	/* its entry of the enable area */
	struct etw_user *user;		/* who was charged */
	const struct cred *cred;	/* of who registered */
	struct pid *tgid;
	u64 cookie;
	u32 slot;
	u32 flags;			/* ETW_REGISTER_* */
	struct rcu_head rcu;
};

struct etw_enable_request {
	struct etw_trace_session *session;
	struct etw_guid provider;
	struct etw_guid source;
	u32 control;
	u32 property;
	u64 any;
	u64 all;
	u8 level;
	bool pid_filtered;
	u32 pid_count;
	struct pid *pids[ETW_PID_FILTER_MAX];
	u32 filters;			/* of struct etw_provider_enable */
	struct etw_scope *scope;	/* NULL or owned, until the request took it */
	struct etw_event_filter *events;	/* likewise */
	struct etw_filter_data *data;		/* likewise */
};

static inline bool etw_is_classic(const struct etw_registration *reg)
{
	return reg->flags & ETW_REGISTER_CLASSIC;
}

static inline bool etw_guid_is_null(const struct etw_guid *guid)
{
	return !memchr_inv(guid, 0, sizeof(*guid));
}

/* registration.c */
int etw_registration_add(struct etw_registration *reg);
void etw_registration_remove(struct etw_registration *reg);
void etw_registration_free(struct etw_registration *reg);
struct etw_registration *etw_registration_alloc(const char *name, u32 name_len);

/* guid_table.c */
#define ETW_GUID_BITS	8
extern struct hlist_head etw_guids[1 << ETW_GUID_BITS];
extern struct hlist_head etw_groups[1 << ETW_GUID_BITS];

#define etw_guid_for_each(bucket, entry)				\
	hash_for_each(etw_guids, bucket, entry, node)

struct etw_guid_entry *etw_guid_find(const struct etw_guid *guid);
struct etw_guid_entry *etw_guid_get(const struct etw_guid *guid);
struct etw_guid_entry *etw_group_find(const struct etw_guid *guid);
struct etw_guid_entry *etw_group_get(const struct etw_guid *guid);
void etw_guid_put(struct etw_guid_entry *entry);
int etw_entry_slot(const struct etw_guid_entry *entry, const struct etw_trace_session *s);

/* enable.c */
int etw_provider_enable(struct etw_enable_request *req, struct etw_waiter *waiter);
void etw_provider_session_stopped(struct etw_trace_session *s);
int etw_enable_registration(struct etw_registration *reg);
void etw_disable_registration(struct etw_registration *reg);

/* change.c */
int etw_enable_rescope(struct list_head *updates, struct etw_registration *reg, u8 scope,
		       u8 group_scope, bool told);
void etw_enable_rescoped(struct list_head *updates, int err);

/* classic.c */
u8 etw_classic_latest(const struct etw_enablement *slots, u8 scope);
void etw_classic_notice(struct etw_notice *notice, const struct etw_registration *reg);

/* enable_snapshot.c */
u64 etw_registration_sessions(const struct etw_registration *reg);

/* traits.c */
int etw_registration_set(struct etw_registration *reg, struct etw_traits *traits,
			 const bool *types);
void etw_traits_free(struct etw_traits *traits);
struct etw_traits *etw_traits_copy(const void *blob, u32 len);

/* groups.c */
bool etw_group_disallowed(const struct etw_trace_session *s,
			  const struct etw_registration *reg);

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

/* Which of the entry's slots may enable reg. */
static inline u8 etw_entry_scope(const struct etw_guid_entry *entry,
				 const struct etw_registration *reg)
{
	return entry->is_group ? reg->group_scope : reg->scope;
}

/* scope_filter.c */
void etw_scope_free(struct etw_scope *scope);
bool etw_scope_selects(const struct etw_scope *scope, const struct etw_registration *reg);
void etw_scope_executable(char *name);

/* filter_parse.c */
int etw_filters_read(struct etw_enable_request *req, u64 filters, u32 count);
void etw_filters_free(struct etw_enable_request *req);
void etw_event_filter_free(struct etw_event_filter *filter);

/* filter_data.c */
struct etw_filter_data *etw_filter_data_get(struct etw_filter_data *data);
void etw_filter_data_put(struct etw_filter_data *data);
int etw_filter_data_read(struct etw_enable_request *req, const struct etw_filter *f);
int etw_filter_data_bind(struct etw_enable_request *req);
int etw_filter_data_chain(const struct etw_filter_data *const *links, u32 count, gfp_t gfp,
			  struct etw_filter_data **chain);
bool etw_filter_data_fits(const struct etw_filter_data *data, const struct etw_notify *n);
int etw_filter_data_tell(const struct etw_filter_data *data, struct etw_notify *n);

/* callback_kernel.c */
extern struct workqueue_struct *etw_callback_wq;

void etw_notify_init(struct etw_registration *reg);
bool etw_notify_wanted(const struct etw_registration *reg);
struct etw_notice *etw_notice_alloc(gfp_t gfp);
void etw_notice_free(struct etw_notice *notice);
struct etw_notice *etw_notice_spare(struct etw_registration *reg);
void etw_notify_queue(struct etw_registration *reg, struct etw_notice *notice);
void etw_notify_drop(struct etw_registration *reg);
void etw_notify_cancel(struct etw_registration *reg);
struct etw_waiter *etw_waiter_alloc(void);
void etw_waiter_put(struct etw_waiter *waiter);
void etw_waiter_done(struct etw_waiter *waiter);
int etw_waiter_wait(struct etw_waiter *waiter, u32 timeout_ms);

#endif /* ETW_PROVIDER_H */
