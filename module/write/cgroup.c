// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup.c - the path of a task's control group, in any context
 *
 * The groups of the default hierarchy (v2) are never renamed, and a task's own
 * one, with all above it, stays while the task is in it; so names may be read
 * without a lock.
 */
#include <linux/cgroup.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "extended_items.h"

#ifdef CONFIG_CGROUPS

/*
 * The names of the outermost groups of the task, from the inner to the outer
 * ones; returns how many there are.  Who nests groups beyond the limit must not
 * get to choose how his path begins.
 */
static int collect(struct task_struct *task, const char **names, int room)
{
	struct cgroup *cgrp = task_dfl_cgroup(task);
	int n = min(cgrp->level, room), i;

	/* Not by way of all parents: there may be any number of them. */
	for (i = 0; i < n; i++)
		names[i] = (__force const char *)READ_ONCE(cgroup_ancestor(cgrp, n - i)->kn->name);
	return n;
}

#else

static int collect(struct task_struct *task, const char **names, int room)
{
	return 0;
}

#endif

/*
 * Write the path, with its NUL, to path of size bytes; its length.  What does
 * not fit is cut off at its end, whole components.  task is current, or the
 * caller keeps it from going away.
 */
u32 etw_cgroup_path(struct task_struct *task, char *path, u32 size)
{
	const char *names[ETW_CGROUP_DEPTH];
	u32 len = 0, n;
	int i;

	rcu_read_lock();
	for (i = collect(task, names, ARRAY_SIZE(names)) - 1; i >= 0; i--) {
		n = strlen(names[i]);
		if (len + n + 2 > size)
			break;
		path[len++] = '/';
		memcpy(path + len, names[i], n);
		len += n;
	}
	rcu_read_unlock();
	if (!len)
		path[len++] = '/';
	path[len] = 0;
	return len;
}
