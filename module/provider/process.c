// SPDX-License-Identifier: GPL-2.0-only
/*
 * process.c - registrations of processes: slots, the enable area
 *
 * Lock order: etw_control, process->setup, queue->lock (callback_user.c).  Writers find
 * a registration by slot under RCU.  mmap is called with mmap_lock held and takes setup
 * only: under etw_control static keys take cpus_read_lock, under which the kernel
 * takes mmap_lock elsewhere.
 */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "access/access.h"
#include "core/filter.h"
#include "alloc.h"
#include "compat.h"
#include "callback_user.h"
#include "log_rights.h"
#include "notice.h"
#include "process.h"
#include "registration.h"

/* Open files, by the owner of their registrations. */
static DEFINE_HASHTABLE(owners, 6);
static DEFINE_RAW_SPINLOCK(owners_lock);	/* taken in a tracepoint probe */

/* ------------------------------------------------------------ registrations */

/* Allocate area and slots when they are first needed. */
static int process_set_up(struct etw_process *p)
{
	struct etw_registration_hot __rcu **regs;
	void *area;
	int err = 0;

	mutex_lock(&p->setup);
	if (p->area)
		goto out;
	regs = kvcalloc(ETW_REGISTRATIONS_MAX, sizeof(*regs), ETW_GFP);
	area = __vmalloc(ETW_ENABLE_AREA_SIZE, ETW_GFP | __GFP_ZERO);
	if (!regs || !area) {
		kvfree(regs);
		vfree(area);
		err = -ENOMEM;
		goto out;
	}
	/* G: zeroed slots before the pointer; pairs with etw_process_find() */
	smp_store_release(&p->hot.regs, regs);
	p->area = area;
out:
	mutex_unlock(&p->setup);
	return err;
}

static void process_own(struct etw_process *p)
{
	unsigned long flags;

	if (p->tgid)
		return;
	WRITE_ONCE(p->tgid, get_pid(task_tgid(current)));
	raw_spin_lock_irqsave(&owners_lock, flags);
	hash_add(owners, &p->node, (unsigned long)p->tgid);
	raw_spin_unlock_irqrestore(&owners_lock, flags);
}

static int free_slot(const struct etw_process *p)
{
	u32 slot;

	for (slot = 0; slot < ETW_REGISTRATIONS_MAX; slot++)
		if (!rcu_access_pointer(p->hot.regs[slot]))
			return slot;
	return -ENOSPC;
}

/*
 * The entry of a slot without a registration.  A forked child may still read it: it must
 * ask for events, so that the child registers with its first one.
 */
static const struct etw_enable_entry ask_all = {
	.enabled = 1, .level = 255, .keyword0 = 1, .any = ~0ULL,
};

static void unregister_locked(struct etw_process *p, struct etw_registration *reg)
{
	lockdep_assert_held(&etw_control);
	RCU_INIT_POINTER(p->hot.regs[reg->slot], NULL);
	etw_filter_widen(reg->area, &ask_all);
	reg->area = NULL;
	etw_registration_remove(reg);
	etw_callback_queue_drop(reg);
	p->reg_count--;
	etw_registration_free(reg);
}

static struct etw_registration *process_slot(struct etw_process *p, u32 slot)
{
	struct etw_registration_hot *hot;

	hot = rcu_dereference_protected(p->hot.regs[slot], lockdep_is_held(&etw_control));
	return hot ? etw_registration_of(hot) : NULL;
}

/* End the registrations, or only those of programs that the owner has left. */
static void unregister_all(struct etw_process *p, bool left_only)
{
	struct etw_registration *reg;
	u32 slot;

	mutex_lock(&etw_control);
	for (slot = 0; p->reg_count && slot < ETW_REGISTRATIONS_MAX; slot++) {
		reg = process_slot(p, slot);
		if (reg && (!left_only || reg->program != READ_ONCE(p->program)))
			unregister_locked(p, reg);
		cond_resched();
	}
	mutex_unlock(&etw_control);
}

int etw_process_register(struct etw_process *p, struct etw_registration *reg)
{
	int slot, err;

	lockdep_assert_held(&etw_control);
	if (p->tgid && !etw_process_is_owner(p))
		return -ESTALE;
	if (!etw_access_granted(&reg->hot.own.guid, ETW_RIGHT_REGISTER_GUIDS))
		return -EPERM;
	if (etw_guid_reserved(&reg->hot.own.guid, reg->cred))
		return -EACCES;
	err = process_set_up(p);
	if (err)
		return err;
	slot = free_slot(p);
	if (slot < 0)
		return slot;
	reg->queue = &p->queue;
	reg->slot = slot;
	reg->program = READ_ONCE(p->program);
	reg->area = &p->area[slot];
	reg->hot.tgid = get_pid(task_tgid(current));
	memset(reg->area, 0, sizeof(*reg->area));
	err = etw_registration_add(reg);
	if (err)
		return err;
	process_own(p);
	p->reg_count++;
	/* G: the registration before its slot, see etw_process_find() */
	rcu_assign_pointer(p->hot.regs[slot], &reg->hot);
	return 0;
}

/*
 * Return the caller's registration in this slot.  -EBADF: there is none; -ESTALE: the
 * caller is not the owner.
 */
struct etw_registration *etw_process_registration(struct etw_process *p, u32 slot)
{
	struct etw_registration *reg = NULL;

	lockdep_assert_held(&etw_control);
	if (p->reg_count && slot < ETW_REGISTRATIONS_MAX)
		reg = process_slot(p, array_index_nospec(slot, ETW_REGISTRATIONS_MAX));
	if (!reg)
		return ERR_PTR(-EBADF);
	return etw_process_is_owner(p) ? reg : ERR_PTR(-ESTALE);
}

/* Unregister the slot; if made is not NULL, only if its cookie and GUID are those of made. */
int etw_process_unregister(struct etw_process *p, u32 slot, const struct etw_register *made)
{
	struct etw_registration *reg;
	int err = 0;

	mutex_lock(&etw_control);
	reg = etw_process_registration(p, slot);
	if (IS_ERR(reg))
		err = PTR_ERR(reg);
	else if (made && (reg->cookie != made->cookie ||
			  !etw_guid_equal(&reg->hot.own.guid, &made->provider)))
		err = -EBADF;
	else
		unregister_locked(p, reg);
	mutex_unlock(&etw_control);
	return err;
}

/* ---------------------------------------------------------------- the file */

static void process_free(struct kref *ref)
{
	struct etw_process *p = container_of(ref, struct etw_process, ref);

	mutex_destroy(&p->setup);
	etw_waiter_put(p->queue.waiter);
	put_pid(p->tgid);
	vfree(p->area);
	kvfree(p->hot.regs);
	kfree(p);
}

static void process_end_work(struct work_struct *work)
{
	struct etw_process *p = container_of(work, struct etw_process, end_work);

	unregister_all(p, true);
	kref_put(&p->ref, process_free);
}

int etw_process_open(struct file *file)
{
	struct etw_process *p = kzalloc(sizeof(*p), ETW_GFP);

	if (!p)
		return -ENOMEM;
	kref_init(&p->ref);
	mutex_init(&p->setup);
	INIT_HLIST_NODE(&p->node);
	INIT_WORK(&p->end_work, process_end_work);
	etw_callback_queue_init(&p->queue);
	file->private_data = &p->hot;
	return 0;
}

/* Is the task the last thread of its process, and exiting? */
static bool process_exits(const struct task_struct *task)
{
	return task->flags & PF_EXITING && !atomic_read(&task->signal->live);
}

/*
 * Called whenever a process closes a descriptor of the file.  If the owner closes it by
 * exiting, its registrations end before another process can see the exit.
 */
void etw_process_flush(struct etw_process *p)
{
	if (READ_ONCE(p->tgid) && etw_process_is_owner(p) && process_exits(current))
		unregister_all(p, false);
}

/*
 * Tracepoints sched_process_exit and sched_process_exec: end the registrations of an owner
 * that has no descriptor of the file left to close, see etw_process_flush().
 */
void etw_process_owner_gone(struct task_struct *task)
{
	struct pid *tgid = task_tgid(task);
	struct etw_process *p;
	unsigned long flags;

	if (task->flags & PF_EXITING && !process_exits(task))
		return;
	raw_spin_lock_irqsave(&owners_lock, flags);
	hash_for_each_possible(owners, p, node, (unsigned long)tgid) {
		if (p->tgid != tgid || !kref_get_unless_zero(&p->ref))
			continue;
		/* A program that the owner executes now may register before the work runs. */
		WRITE_ONCE(p->program, p->program + 1);
		if (!queue_work(etw_control_wq, &p->end_work))
			kref_put(&p->ref, process_free);
	}
	raw_spin_unlock_irqrestore(&owners_lock, flags);
}

void etw_process_release(struct etw_process *p)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&owners_lock, flags);
	hash_del(&p->node);
	raw_spin_unlock_irqrestore(&owners_lock, flags);
	unregister_all(p, false);
	etw_notice_free(p->queue.handled);
	kref_put(&p->ref, process_free);
}

/*
 * Map the enable area.  A forked child inherits the mapping; without the page its first
 * event would kill it.  The pages outlive the file if necessary.
 */
int etw_process_mmap(struct etw_process *p, struct vm_area_struct *vma)
{
	unsigned long at;
	int err;

	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != ETW_ENABLE_AREA_SIZE ||
	    !(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	etw_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);

	err = process_set_up(p);
	for (at = 0; !err && at < ETW_ENABLE_AREA_SIZE; at += PAGE_SIZE)
		err = vm_insert_page(vma, vma->vm_start + at,
				     vmalloc_to_page((u8 *)p->area + at));
	return err;
}
