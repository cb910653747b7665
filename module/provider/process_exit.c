// SPDX-License-Identifier: GPL-2.0-only
/*
 * process_exit.c - the processes that own registrations, and the end of tasks and programs
 *
 * An owner has the open files by which its process has registered.  When the process exits or
 * executes another program, a tracepoint probe only counts up the owner's program, by which all
 * registrations have left, and queues a work, whatever the number of files.  The work looks at
 * one file after another: those that it has not looked at since then come first in the list.
 *
 * owners_lock guards the table, the lists, and which program a file was looked at for; it is
 * taken with etw_control, or without.
 */
#include <linux/hashtable.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <trace/events/sched.h>

#include "alloc.h"
#include "compat.h"
#include "process.h"
#include "process_exit.h"
#include "tracepoints.h"
#include "write/activity.h"
#include "write/hotpath.h"

#define FILES_AT_ONCE	16		/* then other works have their turn */

struct etw_owner {
	struct hlist_node node;
	refcount_t ref;			/* of its files, and of the work */
	struct pid *tgid;
	u32 program;			/* how many it has left */
	struct list_head files;		/* by etw_process.owned */
	struct work_struct work;
};

static DEFINE_HASHTABLE(owners, 10);
static DEFINE_RAW_SPINLOCK(owners_lock);	/* taken in a tracepoint probe */

static struct etw_owner *owner_find(const struct pid *tgid)
{
	struct etw_owner *owner;

	lockdep_assert_held(&owners_lock);
	hash_for_each_possible(owners, owner, node, (unsigned long)tgid)
		if (owner->tgid == tgid)
			return owner;
	return NULL;
}

void etw_owner_put(struct etw_owner *owner)
{
	if (!owner || !refcount_dec_and_test(&owner->ref))
		return;
	put_pid(owner->tgid);
	kfree(owner);
}

/* The next file that may have registrations of a program that has ended, with a reference */
static struct etw_process *owner_next_file(struct etw_owner *owner)
{
	struct etw_process *p;
	unsigned long flags;

	raw_spin_lock_irqsave(&owners_lock, flags);
	p = list_first_entry_or_null(&owner->files, struct etw_process, owned);
	if (p && p->seen_program != owner->program) {
		p->seen_program = owner->program;
		list_move_tail(&p->owned, &owner->files);
		kref_get(&p->ref);
	} else {
		p = NULL;
	}
	raw_spin_unlock_irqrestore(&owners_lock, flags);
	return p;
}

/* The owner has a reference for the work. */
static void owner_work(struct work_struct *work)
{
	struct etw_owner *owner = container_of(work, struct etw_owner, work);
	struct etw_process *p;
	unsigned int i;

	for (i = 0; i < FILES_AT_ONCE; i++) {
		p = owner_next_file(owner);
		if (!p)
			break;
		etw_process_end_left(p);
		cond_resched();
	}
	if (i < FILES_AT_ONCE || !queue_work(etw_control_wq, &owner->work))
		etw_owner_put(owner);
}

/* One for etw_owner_join(), or NULL.  May sleep. */
struct etw_owner *etw_owner_alloc(void)
{
	struct etw_owner *owner = kzalloc(sizeof(*owner), ETW_GFP);

	if (!owner)
		return NULL;
	refcount_set(&owner->ref, 1);
	owner->tgid = get_pid(task_tgid(current));
	INIT_LIST_HEAD(&owner->files);
	INIT_WORK(&owner->work, owner_work);
	return owner;
}

/*
 * The current process becomes the owner of the file, which has none.  *program: how many programs
 * it has left.  *spare is used, and NULL then, if this is its first file.
 */
void etw_owner_join(struct etw_process *p, u32 *program, struct etw_owner **spare)
{
	struct etw_owner *owner;
	unsigned long flags;

	lockdep_assert_held(&etw_control);
	raw_spin_lock_irqsave(&owners_lock, flags);
	owner = owner_find(task_tgid(current));
	if (owner) {
		refcount_inc(&owner->ref);
	} else {
		owner = *spare;
		*spare = NULL;
		hash_add(owners, &owner->node, (unsigned long)owner->tgid);
	}
	*program = owner->program;
	p->seen_program = owner->program;
	list_add_tail(&p->owned, &owner->files);
	raw_spin_unlock_irqrestore(&owners_lock, flags);
	p->owner = owner;
	WRITE_ONCE(p->queue.program, &owner->program);
	WRITE_ONCE(p->tgid, owner->tgid);
}

/* The file is closed.  It keeps its reference to the owner. */
void etw_owner_leave(struct etw_process *p)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&owners_lock, flags);
	if (!list_empty(&p->owned)) {
		list_del_init(&p->owned);
		if (list_empty(&p->owner->files))
			hash_del(&p->owner->node);
	}
	raw_spin_unlock_irqrestore(&owners_lock, flags);
}

/* Is the task the last thread of its process, and exiting? */
bool etw_process_exits(const struct task_struct *task)
{
	return task->flags & PF_EXITING && !atomic_read(&task->signal->live);
}

/*
 * End the registrations of an owner whose program ends, and that may have no descriptor of the
 * file left to close, see etw_process_flush().
 */
static void owner_gone(struct task_struct *task)
{
	struct etw_owner *owner;
	unsigned long flags;

	if (task->flags & PF_EXITING && !etw_process_exits(task))
		return;
	raw_spin_lock_irqsave(&owners_lock, flags);
	owner = owner_find(task_tgid(task));
	if (owner) {
		/* A program that the owner executes now may register before the work runs. */
		WRITE_ONCE(owner->program, owner->program + 1);
		refcount_inc(&owner->ref);
		if (!queue_work(etw_control_wq, &owner->work))
			refcount_dec(&owner->ref);	/* a file has another */
	}
	raw_spin_unlock_irqrestore(&owners_lock, flags);
}

static void task_exits(ETW_EXIT_PROBE_ARGS)
{
	etw_hotpath_task_exits();
	etw_activity_task_exits(task);
	owner_gone(task);
}

static void program_changes(void *data, struct task_struct *task, pid_t old_pid,
			    struct linux_binprm *program)
{
	owner_gone(task);
}

static struct etw_probe probes[] = {
	{ .name = "sched_process_exit", .probe = task_exits },
	{ .name = "sched_process_exec", .probe = program_changes },
};

int __init etw_process_exit_init(void)
{
	check_trace_callback_type_sched_process_exit(task_exits);
	check_trace_callback_type_sched_process_exec(program_changes);
	return etw_probes_register(probes, ARRAY_SIZE(probes));
}

void etw_process_exit_exit(void)
{
	etw_probes_unregister(probes, ARRAY_SIZE(probes));
}
