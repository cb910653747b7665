// SPDX-License-Identifier: GPL-2.0-only
/*
 * activity.c - activity ids of tasks
 *
 * task_struct has no field for an activity id, so ids are in a hash table keyed by task.
 * Only the task itself changes its entry, by replacing it; a reader in an interrupt of
 * that task sees the old entry or the new one.  An entry is removed when the task sets a
 * zero id or exits.  Its start time distinguishes it from a later task at the same
 * address.
 */
#include <linux/export.h>
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "activity.h"
#include "alloc.h"
#include <etw/kernel.h>

#define BITS	8

struct activity {
	struct hlist_node node;
	struct rcu_head rcu;
	const struct task_struct *task;
	u64 start;
	struct etw_guid id;
};

DEFINE_STATIC_KEY_FALSE(etw_activity_used);

static struct hlist_head table[1 << BITS];
static DEFINE_RAW_SPINLOCK(table_lock);	/* for changes; taken in a tracepoint probe too */
static atomic64_t created;
static u64 seed __ro_after_init;

static struct activity *activity_find(const struct task_struct *task)
{
	struct activity *a;

	hlist_for_each_entry_rcu(a, &table[hash_ptr(task, BITS)], node,
				 rcu_read_lock_any_held())
		if (a->task == task && a->start == task->start_boottime)
			return a;
	return NULL;
}

/* Copy the current task's id to room and return that; NULL: it has none. */
const struct etw_guid *etw_activity_current(struct etw_guid *room)
{
	struct activity *a;

	/* A replaced id stays readable for a grace period. */
	rcu_read_lock_sched_notrace();
	a = activity_find(current);
	if (a)
		*room = a->id;
	rcu_read_unlock_sched_notrace();
	return a ? room : NULL;
}

static void activity_replace(struct task_struct *task, struct activity *fresh)
{
	struct activity *old;
	unsigned long flags;

	raw_spin_lock_irqsave(&table_lock, flags);
	rcu_read_lock();
	old = activity_find(task);
	if (old && fresh)
		hlist_replace_rcu(&old->node, &fresh->node);
	else if (old)
		hlist_del_rcu(&old->node);
	else if (fresh)
		hlist_add_head_rcu(&fresh->node, &table[hash_ptr(task, BITS)]);
	rcu_read_unlock();
	raw_spin_unlock_irqrestore(&table_lock, flags);
	if (old)
		kfree_rcu(old, rcu);
}

/* Tracepoint sched_process_exit. */
void etw_activity_task_exits(struct task_struct *task)
{
	if (static_branch_unlikely(&etw_activity_used))
		activity_replace(task, NULL);
}

static int activity_set(const struct etw_guid *id)
{
	struct activity *fresh = NULL;

	if (memchr_inv(id, 0, sizeof(*id))) {
		fresh = kmalloc(sizeof(*fresh), ETW_GFP);
		if (!fresh)
			return -ENOMEM;
		fresh->task = current;
		fresh->start = current->start_boottime;
		fresh->id = *id;
		/* Leave it on: a program that sets ids will do so again. */
		static_branch_enable(&etw_activity_used);
	}
	activity_replace(current, fresh);
	return 0;
}

static void activity_get(struct etw_guid *id)
{
	if (!etw_activity_current(id))
		memset(id, 0, sizeof(*id));
}

/*
 * Unique since boot: a counter, and a random number drawn when the module was loaded.
 * RFC 4122 reserves these variant bits, so no real GUID is equal.
 */
static void activity_create(struct etw_guid *id)
{
	u64 count = atomic64_inc_return(&created);

	memcpy(id, &count, sizeof(count));
	memcpy(id->data4, &seed, sizeof(seed));
	id->data4[0] |= 0xe0;
}

/**
 * etw_activity_id_control() - get, set or create the task's activity id
 * @control: ETW_ACTIVITY_*
 * @id: read, written or both, as @control says; kernel memory
 *
 * A task's id is all zero until it is set, and ends with the task.  Events written
 * without an id of their own get it, including those from interrupts of the task.
 * Created ids are unique since boot.
 *
 * Process context, may sleep; ETW_ACTIVITY_CREATE and _GET in any context.
 *
 * Return: 0; -EINVAL: bad @control or @id is NULL; -ENOMEM: @id is unchanged.
 */
int etw_activity_id_control(u32 control, struct etw_guid *id)
{
	struct etw_guid old, fresh;
	int err;

	if (!id)
		return -EINVAL;
	switch (control) {
	case ETW_ACTIVITY_GET:
		activity_get(id);
		return 0;
	case ETW_ACTIVITY_SET:
		return activity_set(id);
	case ETW_ACTIVITY_CREATE:
		activity_create(id);
		return 0;
	case ETW_ACTIVITY_GET_SET:
		fresh = *id;
		break;
	case ETW_ACTIVITY_CREATE_SET:
		activity_create(&fresh);
		break;
	default:
		return -EINVAL;
	}
	activity_get(&old);
	err = activity_set(&fresh);
	if (!err)
		*id = old;
	return err;
}
EXPORT_SYMBOL_GPL(etw_activity_id_control);

void __init etw_activity_init(void)
{
	get_random_bytes(&seed, sizeof(seed));
}

/* At module exit, when no caller is left. */
void etw_activity_exit(void)
{
	struct hlist_node *tmp;
	struct activity *a;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		hlist_for_each_entry_safe(a, tmp, &table[i], node) {
			hlist_del_rcu(&a->node);
			kfree_rcu(a, rcu);
		}
}
