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

/* Takes NULL. */
void etw_scope_free(struct etw_scope *scope)
{
	if (!scope)
		return;
	kfree(scope->executable);
	kfree(scope->container);
	kfree(scope->package);
	kfree(scope->application);
	kfree(scope);
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

static bool has_piece(const char *names, struct etw_piece piece)
{
	return etw_scope_has_name(names, piece.at, piece.len);
}

/*
 * NULL selects every registration; any other scope selects none of kernel modules.
 * sees_addresses: whoever enables may see the kernel's addresses.
 */
bool etw_scope_selects(const struct etw_scope *scope, bool sees_addresses,
		       const struct etw_registration *reg)
{
	char path[ETW_CGROUP_PATH];

	if (reg->shows_addresses && !sees_addresses)
		return false;
	if (!scope)
		return true;
	if (!etw_is_user(reg))
		return false;
	if (scope->executable &&
	    !etw_scope_has_name(scope->executable, reg->executable, strlen(reg->executable)))
		return false;
	if (!scope->container && !scope->package && !scope->application)
		return true;
	return scope_cgroup(reg, path) &&
	       (!scope->container || etw_scope_has_container(scope->container, path)) &&
	       (!scope->package || has_piece(scope->package, etw_scope_package(path))) &&
	       (!scope->application ||
		has_piece(scope->application, etw_scope_application(path)));
}
