/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scope.h - which processes an enablement is for
 */
#ifndef ETW_WRITE_SCOPE_H
#define ETW_WRITE_SCOPE_H

#include <linux/rcupdate.h>
#include <linux/types.h>
#include <etw/abi.h>

struct etw_provider;
struct etw_snapshot;
struct mm_struct;
struct pid;
struct task_struct;

/*
 * Those that each filter selects that is there.  Which registrations of processes that means is
 * found when they are made or enabled.  The kernel's own events come from all processes, so their
 * writer asks each time.  Freed under RCU.
 */
struct etw_scope {
	struct rcu_head rcu;
	/* each NULL or names (core/scope.h) */
	char *executable;
	char *container;
	char *package;
	char *application;
	bool by_pid;
	u32 pid_count;
	struct pid *pids[ETW_PID_FILTER_MAX];	/* of processes; held */
};

/*
 * Which sessions want what current does.  A session that enables the provider after it was asked
 * is among the excluded, because nobody has asked for that one.
 */
struct etw_scope_answer {
	const struct etw_snapshot *snapshot;	/* which was asked */
	u64 excluded;	/* all other sessions, as etw_write_ex() takes them */
	bool all;	/* every session of the snapshot wants it */
};

bool etw_scope_has_pid(const struct etw_scope *scope, const struct pid *tgid);
bool etw_scope_has_cgroup(const struct etw_scope *scope, const char *path);
bool etw_scope_ask(const struct etw_provider *provider, struct etw_scope_answer *answer);
u64 etw_scope_wants(const struct etw_provider *provider, struct task_struct *task,
		    const struct mm_struct *mm);

#endif /* ETW_WRITE_SCOPE_H */
