/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup.h - the path of a task's control group
 */
#ifndef ETW_WRITE_CGROUP_H
#define ETW_WRITE_CGROUP_H

#include <linux/types.h>

struct task_struct;

#define ETW_CGROUP_DEPTH	32	/* groups of a path */
#define ETW_CGROUP_PATH		512	/* bytes of a path, including the NUL */

u32 etw_cgroup_path(struct task_struct *task, char *path, u32 size);

#endif /* ETW_WRITE_CGROUP_H */
