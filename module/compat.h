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
#include <linux/shrinker.h>
#include <linux/slab.h>
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

/* Exported to modules, but declared in a header of RCU's own only.  Tiny RCU does not wait. */
#ifdef CONFIG_TINY_RCU
static inline void rcu_expedite_gp(void) { }
static inline void rcu_unexpedite_gp(void) { }
#else
void rcu_expedite_gp(void);
void rcu_unexpedite_gp(void);
#endif

/* The parameters of a probe of the tracepoint sched_process_exit. */
#ifdef HAVE_SCHED_PROCESS_EXIT_GROUP_DEAD
#define ETW_EXIT_PROBE_ARGS	void *data, struct task_struct *task, bool group_dead
#else
#define ETW_EXIT_PROBE_ARGS	void *data, struct task_struct *task
#endif

/* The program that a process executes, with a reference; NULL: none. */
static inline struct file *etw_exe_file_get(struct mm_struct *mm)
{
	struct file *file;

	rcu_read_lock();
#ifdef HAVE_GET_FILE_RCU_ADDRESS
	file = get_file_rcu(&mm->exe_file);
#else
	file = rcu_dereference(mm->exe_file);
	if (file && !get_file_rcu(file))
		file = NULL;
#endif
	rcu_read_unlock();
	return file;
}

/* The path by which its user opened a file, be it one of overlayfs that is mapped. */
static inline const struct path *etw_file_user_path(struct file *file)
{
#ifdef HAVE_FILE_USER_PATH
	return file_user_path(file);
#else
	return &file->f_path;
#endif
}

/* A shrinker with these functions; NULL: no memory. */
static inline struct shrinker *
etw_shrinker_register(unsigned long (*count)(struct shrinker *, struct shrink_control *),
		      unsigned long (*scan)(struct shrinker *, struct shrink_control *))
{
	struct shrinker *shrinker;

#ifdef HAVE_SHRINKER_ALLOC
	shrinker = shrinker_alloc(0, "etw");
#else
	shrinker = kzalloc(sizeof(*shrinker), GFP_KERNEL);
#endif
	if (!shrinker)
		return NULL;
	shrinker->count_objects = count;
	shrinker->scan_objects = scan;
	shrinker->seeks = DEFAULT_SEEKS;
#ifdef HAVE_SHRINKER_ALLOC
	shrinker_register(shrinker);
#else
	if (register_shrinker(shrinker, "etw")) {
		kfree(shrinker);
		return NULL;
	}
#endif
	return shrinker;
}

/* No function of it runs when this returns. */
static inline void etw_shrinker_unregister(struct shrinker *shrinker)
{
#ifdef HAVE_SHRINKER_ALLOC
	shrinker_free(shrinker);
#else
	unregister_shrinker(shrinker);
	kfree(shrinker);
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

/* vfs_iocb_iter_write() with protection from freezing, which it must not have twice. */
static inline ssize_t etw_iocb_iter_write(struct file *file, struct kiocb *iocb,
					  struct iov_iter *from)
{
	ssize_t n;

#ifndef HAVE_FILE_WRITE_NOT_STARTED
	file_start_write(file);
#endif
	n = vfs_iocb_iter_write(file, iocb, from);
#ifndef HAVE_FILE_WRITE_NOT_STARTED
	file_end_write(file);
#endif
	return n;
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
