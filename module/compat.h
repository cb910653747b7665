/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - differences between kernels from 6.1 on
 *
 * HAVE_* come from compile probes (scripts/probes), not from version numbers.
 */
#ifndef ETW_COMPAT_H
#define ETW_COMPAT_H

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/timer.h>
#include <linux/version.h>

#include "etw_probes.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "etw needs Linux 6.1 or later"
#endif

#ifndef HAVE_VM_FLAGS_SET
static inline void etw_vm_flags_mod(struct vm_area_struct *vma,
				    unsigned long set, unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#else
static inline void etw_vm_flags_mod(struct vm_area_struct *vma,
				    unsigned long set, unsigned long clear)
{
	vm_flags_mod(vma, set, clear);
}
#endif

/* The parameters of a probe of the tracepoint sched_process_exit. */
#ifdef HAVE_SCHED_PROCESS_EXIT_GROUP_DEAD
#define ETW_EXIT_PROBE_ARGS	void *data, struct task_struct *task, bool group_dead
#else
#define ETW_EXIT_PROBE_ARGS	void *data, struct task_struct *task
#endif

/* With the inode's lock held. */
static inline int etw_notify_change(struct file *file, struct iattr *attr)
{
#ifdef HAVE_FILE_MNT_IDMAP
	return notify_change(file_mnt_idmap(file), file_dentry(file), attr, NULL);
#else
	return notify_change(file_mnt_user_ns(file), file_dentry(file), attr, NULL);
#endif
}

/* The rest is for the test modules. */

static inline void etw_hrtimer_setup(struct hrtimer *timer,
				     enum hrtimer_restart (*function)(struct hrtimer *),
				     clockid_t clock, enum hrtimer_mode mode)
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

static inline int etw_timer_delete_sync(struct timer_list *timer)
{
#ifdef HAVE_TIMER_DELETE_SYNC
	return timer_delete_sync(timer);
#else
	return del_timer_sync(timer);
#endif
}

#endif /* ETW_COMPAT_H */
