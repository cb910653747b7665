// SPDX-License-Identifier: GPL-2.0-only
/*
 * scope_filter.c - match registrations against a session's scope filters
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/scope.h"
#include "scope_filter.h"
#include "write/cgroup.h"

static void scope_free(struct rcu_head *rcu)
{
	struct etw_scope *scope = container_of(rcu, struct etw_scope, rcu);

	while (scope->pid_count)
		put_pid(scope->pids[--scope->pid_count]);
	kfree(scope->executable);
	kfree(scope->container);
	kfree(scope->package);
	kfree(scope->application);
	kfree(scope);
}

/* Writers may still use it.  Takes NULL. */
void etw_scope_free(struct etw_scope *scope)
{
	if (scope)
		call_rcu(&scope->rcu, scope_free);
}

/*
 * Store the name of the caller's program, for a registration: ETW_EXECUTABLE_MAX bytes.  A
 * process runs the same program while its registrations exist, except after
 * prctl(PR_SET_MM_EXE_FILE), which this does not follow.
 */
void etw_scope_executable(char *name)
{
	struct name_snapshot snapshot;
	struct file *file;

	name[0] = 0;
	if (!current->mm)
		return;
	/*
	 * Lock for writing: until 6.6 the kernel drops the old program with the lock
	 * held for reading, so only a writer can rely on the pointer.
	 */
	if (mmap_write_lock_killable(current->mm))
		return;
	file = rcu_dereference_protected(current->mm->exe_file,
					 lockdep_is_held(&current->mm->mmap_lock));
	if (file) {
		take_dentry_name_snapshot(&snapshot, file->f_path.dentry);
		strscpy(name, snapshot.name.name, ETW_EXECUTABLE_MAX);
		release_dentry_name_snapshot(&snapshot);
	}
	mmap_write_unlock(current->mm);
}

/* Get the path of the process's control group; false: the process is gone. */
static bool scope_cgroup(const struct etw_registration *reg, char *path)
{
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(reg->hot.tgid, PIDTYPE_TGID);
	if (task)
		etw_cgroup_path(task, path, ETW_CGROUP_PATH);
	rcu_read_unlock();
	return task;
}

static bool has_names(const struct etw_scope *scope, const struct etw_registration *reg)
{
	char path[ETW_CGROUP_PATH];

	if (scope->executable &&
	    !etw_scope_has_name(scope->executable, reg->executable, strlen(reg->executable)))
		return false;
	if (!scope->container && !scope->package && !scope->application)
		return true;
	return scope_cgroup(reg, path) && etw_scope_has_cgroup(scope, path);
}

/*
 * NULL selects every registration; any other scope selects none of kernel modules, but all of the
 * kernel's own events.  One that is ending is never selected.  sees_addresses: whoever enables may
 * see the kernel's addresses.
 */
bool etw_scope_selects(const struct etw_scope *scope, bool sees_addresses,
		       const struct etw_registration *reg)
{
	if (reg->ending)
		return false;
	if (reg->of_system)
		return sees_addresses;
	if (!scope)
		return true;
	return etw_is_user(reg) && (!scope->by_pid || etw_scope_has_pid(scope, reg->hot.tgid)) &&
	       has_names(scope, reg);
}

/* The same for a registration that the slot did not have: processes are selected once. */
bool etw_scope_selects_new(const struct etw_enablement *slot, const struct etw_registration *reg)
{
	return (reg->of_system || !slot->scope || !slot->scope->by_pid) &&
	       etw_scope_selects(slot->scope, slot->sees_addresses, reg);
}
