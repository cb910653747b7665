// SPDX-License-Identifier: GPL-2.0-only
/*
 * processes.c - which processes there are, and the paths of their files
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "compat.h"
#include "processes.h"

/**
 * etw_process_next() - the next process by ascending id
 * @nr: the least id; becomes the one after that of the process
 *
 * A caller that begins with 1 and goes on until NULL misses no process that lives all the time.
 * Process context.
 *
 * Return: its first thread, with a reference; NULL: there is none.
 */
struct task_struct *etw_process_next(pid_t *nr)
{
	struct task_struct *task = NULL;
	struct pid *pid;

	rcu_read_lock();
	while (!task && (pid = find_ge_pid(*nr, &init_pid_ns))) {
		*nr = pid_nr(pid) + 1;
		task = pid_task(pid, PIDTYPE_TGID);
	}
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	return task;
}

/**
 * etw_process_mm() - the memory of a process
 * @leader: its first thread, which may have ended before the others
 *
 * Process context. The caller ends its use by mmput_async(): where the process has died meanwhile,
 * what mmput() waits for may never end.
 *
 * Return: the memory, with a reference; NULL: of a kernel thread, or the process ends.
 */
struct mm_struct *etw_process_mm(struct task_struct *leader)
{
	struct mm_struct *mm = get_task_mm(leader);
	struct task_struct *thread;

	if (mm || leader->flags & PF_KTHREAD)
		return mm;
	rcu_read_lock();
	for_each_thread(leader, thread) {
		mm = get_task_mm(thread);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
}

/* Has a thread of the process this memory, so that the process has not executed another program? */
bool etw_process_has_mm(const struct task_struct *leader, const struct mm_struct *mm)
{
	const struct task_struct *thread;
	bool found = false;

	rcu_read_lock();
	for_each_thread(leader, thread) {
		/* A thread that executes a program or ends at this moment counts either way. */
		found = data_race(thread->mm) == mm;
		if (found)
			break;
	}
	rcu_read_unlock();
	return found;
}

/**
 * etw_file_path() - a file's path as the running task sees it
 * @file: the file
 * @buffer: room for the path
 *
 * Process context with or without preemption; takes spin locks of the dcache.
 *
 * Return: the path, or its last part if it is too long; within @buffer.
 */
const char *etw_file_path(struct file *file, char buffer[ETW_PATH_SIZE])
{
	const struct path *of = etw_file_user_path(file);
	const char *path = d_path(of, buffer, ETW_PATH_SIZE);
	struct name_snapshot snapshot;

	if (!IS_ERR(path))
		return path;
	take_dentry_name_snapshot(&snapshot, of->dentry);
	strscpy(buffer, snapshot.name.name, ETW_PATH_SIZE);
	release_dentry_name_snapshot(&snapshot);
	return buffer;
}
