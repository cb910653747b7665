// SPDX-License-Identifier: GPL-2.0-only
/*
 * scope.c - does an enablement select a process: the one that runs, in any context, or another
 *
 * In an interrupt the one that runs is the process that was interrupted.  The caller has
 * preemption disabled, which is an RCU read section, and RCU is watching.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/scope.h"
#include "cgroup.h"
#include "hot.h"
#include "scope.h"
#include "snapshot.h"

bool etw_scope_has_pid(const struct etw_scope *scope, const struct pid *tgid)
{
	u32 i;

	for (i = 0; i < scope->pid_count; i++)
		if (scope->pids[i] == tgid)
			return true;
	return false;
}

/*
 * Copy the text at from, which may be freed memory meanwhile, as far as it can be read.  Returns
 * its length.
 */
static u32 copy_text(char to[NAME_MAX + 1], const char *from)
{
	u32 done = 0, chunk, len;

	while (done < NAME_MAX) {
		/* Not across a page: what follows the text need not be there. */
		chunk = min_t(u32, NAME_MAX - done, 32 - ((unsigned long)(from + done) & 31));
		if (copy_from_kernel_nofault(to + done, from + done, chunk))
			break;
		len = strnlen(to + done, chunk);
		done += len;
		if (len < chunk)
			break;
	}
	to[done] = 0;
	return done;
}

/*
 * The name of the file that the process with this memory runs, in to; its length, 0: not known.
 * Another thread may replace the program meanwhile, and then the file may be another one already,
 * and its dentry free: so all of it is read without trust, and counts only if the program is still
 * that file.
 */
static u32 program_name(const struct mm_struct *mm, char to[NAME_MAX + 1])
{
	const struct dentry *dentry;
	const struct file *file;
	const char *name;
	u32 len;

	if (!mm)
		return 0;
	file = rcu_dereference_raw(mm->exe_file);
	if (!file ||
	    copy_from_kernel_nofault(&dentry, &file->f_path.dentry, sizeof(dentry)) || !dentry ||
	    copy_from_kernel_nofault(&name, &dentry->d_name.name, sizeof(name)))
		return 0;
	len = copy_text(to, name);
	return rcu_access_pointer(mm->exe_file) == file ? len : 0;
}

static noinline bool has_program(const char *names, const struct mm_struct *mm)
{
	char name[NAME_MAX + 1];
	u32 len = program_name(mm, name);

	return len && etw_scope_has_name(names, name, len);
}

static bool has_piece(const char *names, struct etw_piece piece)
{
	return etw_scope_has_name(names, piece.at, piece.len);
}

/* Do container, package and application select the processes of the control group at this path? */
bool etw_scope_has_cgroup(const struct etw_scope *scope, const char *path)
{
	return (!scope->container || etw_scope_has_container(scope->container, path)) &&
	       (!scope->package || has_piece(scope->package, etw_scope_package(path))) &&
	       (!scope->application ||
		has_piece(scope->application, etw_scope_application(path)));
}

static noinline bool has_group(const struct etw_scope *scope, struct task_struct *task)
{
	char path[ETW_CGROUP_PATH];

	etw_cgroup_path(task, path, sizeof(path));
	return etw_scope_has_cgroup(scope, path);
}

static __always_inline bool selects(const struct etw_scope *scope, struct task_struct *task,
				    const struct mm_struct *mm)
{
	/* Another task may be reaped meanwhile: then this is NULL, and in no scope. */
	if (scope->by_pid && !etw_scope_has_pid(scope, data_race(task_tgid(task))))
		return false;
	if (scope->executable && !has_program(scope->executable, mm))
		return false;
	return !(scope->container || scope->package || scope->application) ||
	       has_group(scope, task);
}

/*
 * Does current read the session's events?  Then each would cause more of them.  The pointers are
 * only compared; a reader holds its own.
 */
static bool read_by_current(const struct etw_session_hot *s)
{
	const struct pid *tgid = task_tgid(current);
	u32 i, count = READ_ONCE(s->reader_count);

	for (i = 0; i < count; i++)
		if (READ_ONCE(s->readers[i]) == tgid)
			return tgid;
	return false;
}

static bool excludes_current(const struct etw_snapshot_entry *entry)
{
	return (entry->scope && !selects(entry->scope, current, current->mm)) ||
	       (!(entry->filter.properties & ETW_ENABLE_READERS) && read_by_current(entry->session));
}

static u64 bit_of(const struct etw_snapshot_entry *entry)
{
	return BIT_ULL(entry->session->logger_id - 1);
}

/*
 * Does a session that has the provider enabled want what current does?  A session does not because
 * of its scope, or because current reads it.  *answer is for the writer, with preemption disabled
 * until it is done.
 */
bool etw_scope_ask(const struct etw_provider *provider, struct etw_scope_answer *answer)
{
	const struct etw_snapshot *snapshot = rcu_dereference_sched(provider->snapshot);
	const struct etw_snapshot_entry *entry;
	u64 wanted = 0;
	u32 i;

	answer->snapshot = snapshot;
	answer->all = true;
	if (!snapshot)
		return false;
	for (i = 0, entry = snapshot->entries; i < snapshot->count; i++, entry++) {
		if (excludes_current(entry))
			answer->all = false;
		else
			wanted |= bit_of(entry);
	}
	answer->excluded = ~wanted;
	return wanted;
}

/*
 * The sessions that want events about a process with this memory, also if it reads them; as bits.
 * The caller keeps task and mm.
 */
u64 etw_scope_wants(const struct etw_provider *provider, struct task_struct *task,
		    const struct mm_struct *mm)
{
	const struct etw_snapshot *snapshot = rcu_dereference_sched(provider->snapshot);
	const struct etw_snapshot_entry *entry;
	u64 wanted = 0;
	u32 i;

	for (i = 0; snapshot && i < snapshot->count; i++) {
		entry = &snapshot->entries[i];
		if (!entry->scope || selects(entry->scope, task, mm))
			wanted |= bit_of(entry);
	}
	return wanted;
}
