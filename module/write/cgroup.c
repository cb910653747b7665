// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup.c - the path of a task's control group, in any context
 *
 * The groups of the default hierarchy (v2) are never renamed, and a task's group and
 * all its ancestors exist while the task is in it.  So their names can be read without
 * a lock.
 */
#include <linux/cgroup.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "cgroup.h"

#ifdef CONFIG_CGROUPS

/*
 * Collect the names of the task's outermost groups, from the inside out, and return
 * their number.  Dropping the innermost groups keeps a task from choosing how its path
 * begins by nesting groups beyond the limit.
 */
static int cgroup_names(struct task_struct *task, const char **names, int room)
{
	struct cgroup *cgrp = task_dfl_cgroup(task);
	int n = min(cgrp->level, room), i;

	/* Do not walk all parents: there may be any number of them. */
	for (i = 0; i < n; i++)
		names[i] = (__force const char *)READ_ONCE(cgroup_ancestor(cgrp, n - i)->kn->name);
	return n;
}

#else

static int cgroup_names(struct task_struct *task, const char **names, int room)
{
	return 0;
}

#endif

/*
 * Write the path, with its NUL, to the size bytes at path and return its length.  A
 * path that does not fit loses whole components at its end.  task is current, or the
 * caller keeps it alive.
 */
u32 etw_cgroup_path(struct task_struct *task, char *path, u32 size)
{
	const char *names[ETW_CGROUP_DEPTH];
	u32 len = 0, n;
	int i;

	rcu_read_lock();
	for (i = cgroup_names(task, names, ARRAY_SIZE(names)) - 1; i >= 0; i--) {
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
