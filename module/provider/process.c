// SPDX-License-Identifier: GPL-2.0-only
/*
 * process.c - registrations of processes: slots, the enable area
 *
 * Lock order: etw_control, then process->lock or queue->lock (callback_user.c).  Writers
 * find a registration by slot under RCU.  mmap is called with mmap_lock held, takes
 * process->lock only, and waits for nobody.
 *
 * A slot is taken before etw_control and given back after it; the registration in it
 * changes under both locks.  An exit and the last close take process->lock only: they
 * declare the registrations gone and leave their removal to a work.
 */
#include <linux/bitmap.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "access/access.h"
#include "access/user_limits.h"
#include "core/enable_entry.h"
#include "alloc.h"
#include "compat.h"
#include "callback_user.h"
#include "capture.h"
#include "log_rights.h"
#include "notice.h"
#include "process.h"
#include "process_exit.h"
#include "registration.h"

/* ------------------------------------------------------------ registrations */

/*
 * Allocate area and slots when they are first needed, and charge the user for them.  Threads may
 * do it at the same time.  may_wait: for another file of the user to be closed completely.
 */
static int process_set_up(struct etw_process *p, bool may_wait)
{
	struct etw_registration_hot __rcu **regs;
	struct etw_user *user;
	void *area;
	int err = 0;

	if (READ_ONCE(p->area))
		return 0;
	user = etw_user_charge(ETW_USER_FILES, 1, may_wait);
	if (IS_ERR(user))
		return READ_ONCE(p->area) ? 0 : PTR_ERR(user);
	regs = kvcalloc(ETW_REGISTRATIONS_MAX, sizeof(*regs), ETW_GFP);
	area = __vmalloc(ETW_ENABLE_AREA_SIZE, ETW_GFP | __GFP_ZERO);
	spin_lock(&p->lock);
	if (!p->area && regs && area) {
		/* G: zeroed slots before the pointer; pairs with etw_process_find() */
		smp_store_release(&p->hot.regs, regs);
		WRITE_ONCE(p->area, area);
		p->user = user;
		user = NULL;
		regs = NULL;
		area = NULL;
	} else if (!p->area) {
		err = -ENOMEM;
	}
	spin_unlock(&p->lock);
	kvfree(regs);
	vfree(area);
	etw_user_uncharge(user, ETW_USER_FILES, 1);
	return err;
}

/* Take the lowest free slot; -ENOSPC: there is none. */
static int slot_take(struct etw_process *p)
{
	u32 slot;

	spin_lock(&p->lock);
	slot = find_first_zero_bit(p->slots, ETW_REGISTRATIONS_MAX);
	if (slot < ETW_REGISTRATIONS_MAX)
		__set_bit(slot, p->slots);
	spin_unlock(&p->lock);
	return slot < ETW_REGISTRATIONS_MAX ? slot : -ENOSPC;
}

/* Give the slot back; no new write finds the registration in it. */
static void slot_give(struct etw_process *p, u32 slot)
{
	spin_lock(&p->lock);
	if (rcu_access_pointer(p->hot.regs[slot]))
		RCU_INIT_POINTER(p->hot.regs[slot], NULL);
	__clear_bit(slot, p->slots);
	spin_unlock(&p->lock);
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
	etw_filter_widen(reg->area, &ask_all);
	reg->area = NULL;
	slot_give(p, reg->slot);
	etw_registration_remove(reg);
	etw_callback_queue_drop(reg);
	etw_registration_free(reg);
}

static struct etw_registration *process_slot(struct etw_process *p, u32 slot)
{
	struct etw_registration_hot *hot;

	hot = rcu_dereference_protected(p->hot.regs[slot], lockdep_is_held(&etw_control) ||
							   lockdep_is_held(&p->lock));
	return hot ? etw_registration_of(hot) : NULL;
}

#define LEFT_AT_ONCE	32		/* then others may have etw_control */

/* Unregister what has left. */
static void unregister_left(struct etw_process *p)
{
	struct etw_registration *reg;
	u32 slot, count = 0;

	if (!smp_load_acquire(&p->hot.regs))	/* G */
		return;
	mutex_lock(&etw_control);
	for (slot = 0; slot < ETW_REGISTRATIONS_MAX; slot++) {
		reg = process_slot(p, slot);
		if (!reg || !etw_registration_has_left(reg))
			continue;
		if (reg->hot.flags & ETW_REGISTER_FORWARDS)
			etw_capture_forwarder_died(reg);
		unregister_locked(p, reg);
		if (++count % LEFT_AT_ONCE)
			continue;
		mutex_unlock(&etw_control);
		cond_resched();
		mutex_lock(&etw_control);
	}
	mutex_unlock(&etw_control);
}

/* From now on all registrations have left.  Their memory still takes a while. */
static void process_leave(struct etw_process *p)
{
	struct etw_registration *reg;
	u32 slot;

	spin_lock(&p->lock);
	WRITE_ONCE(p->queue.gone, true);
	for_each_set_bit(slot, p->slots, ETW_REGISTRATIONS_MAX) {
		reg = process_slot(p, slot);
		if (reg)
			etw_registration_leaves(reg);
	}
	spin_unlock(&p->lock);
}

/* The registration has its slot.  *spare: an owner if the file has none. */
static int register_locked(struct etw_process *p, struct etw_registration *reg,
			   struct etw_owner **spare, struct etw_memory *memory)
{
	int err;

	lockdep_assert_held(&etw_control);
	if (p->tgid && !etw_process_is_owner(p))
		return -ESTALE;
	if (!etw_access_granted(&reg->hot.own.guid, ETW_RIGHT_REGISTER_GUIDS))
		return -EPERM;
	if (etw_guid_reserved(&reg->hot.own.guid, reg->cred))
		return -EACCES;
	reg->queue = &p->queue;
	reg->program = p->owner ? READ_ONCE(*p->queue.program) : 0;
	reg->area = &p->area[reg->slot];
	memset(reg->area, 0, sizeof(*reg->area));
	err = etw_registration_add(reg, memory);
	if (err)
		return err;
	if (!p->owner)
		etw_owner_join(p, &reg->program, spare);
	/* G: the registration before its slot, see etw_process_find() */
	spin_lock(&p->lock);
	rcu_assign_pointer(p->hot.regs[reg->slot], &reg->hot);
	spin_unlock(&p->lock);
	return 0;
}

/* *at: the slot.  Another thread may unregister it before this returns. */
int etw_process_register(struct etw_process *p, struct etw_registration *reg, u32 *at)
{
	struct etw_owner *spare = NULL;
	struct etw_memory memory = { };
	int slot, err;

	if (READ_ONCE(p->tgid) && !etw_process_is_owner(p))
		return -ESTALE;
	err = process_set_up(p, true);
	if (err)
		return err;
	if (!READ_ONCE(p->tgid)) {
		spare = etw_owner_alloc();
		if (!spare)
			return -ENOMEM;
	}
	slot = slot_take(p);
	if (slot < 0) {
		etw_owner_put(spare);
		return slot;
	}
	reg->slot = slot;
	reg->hot.tgid = get_pid(task_tgid(current));
	*at = slot;
	do {
		mutex_lock(&etw_control);
		err = register_locked(p, reg, &spare, &memory);
		mutex_unlock(&etw_control);
	} while (etw_memory_again(&memory, &err, ETW_GFP));
	etw_memory_free(&memory);
	etw_owner_put(spare);
	if (err)
		slot_give(p, slot);
	return err;
}

/*
 * Return the caller's registration in this slot.  -EBADF: there is none; -ESTALE: the
 * caller is not the owner.
 */
struct etw_registration *etw_process_registration(struct etw_process *p, u32 slot)
{
	struct etw_registration *reg = NULL;

	lockdep_assert_held(&etw_control);
	if (smp_load_acquire(&p->hot.regs) && slot < ETW_REGISTRATIONS_MAX)	/* G */
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

	etw_waiter_put(p->queue.waiter);
	etw_owner_put(p->owner);
	etw_user_left(p->user, ETW_USER_FILES, 1);
	vfree(p->area);
	kvfree(p->hot.regs);
	kfree(p);
}

/* Unregister what has left, and put the caller's reference.  Sleeps. */
void etw_process_end_left(struct etw_process *p)
{
	unregister_left(p);
	kref_put(&p->ref, process_free);
}

static void process_end_work(struct work_struct *work)
{
	etw_process_end_left(container_of(work, struct etw_process, end_work));
}

/* Start the work, which takes over the caller's reference. */
static void process_end(struct etw_process *p)
{
	if (!queue_work(etw_control_wq, &p->end_work))
		kref_put(&p->ref, process_free);
}

int etw_process_open(struct file *file)
{
	struct etw_process *p = kzalloc(sizeof(*p), ETW_GFP);

	if (!p)
		return -ENOMEM;
	kref_init(&p->ref);
	spin_lock_init(&p->lock);
	INIT_LIST_HEAD(&p->owned);
	INIT_WORK(&p->end_work, process_end_work);
	INIT_LIST_HEAD(&p->held_providers);
	etw_callback_queue_init(&p->queue);
	file->private_data = &p->hot;
	return 0;
}

/*
 * Called whenever a process closes a descriptor of the file.  If the owner closes it by
 * exiting, its registrations leave before another process can see the exit.
 */
void etw_process_flush(struct etw_process *p)
{
	if (!READ_ONCE(p->tgid) || !etw_process_is_owner(p) || !etw_process_exits(current))
		return;
	process_leave(p);
	kref_get(&p->ref);
	process_end(p);
}

void etw_process_release(struct etw_process *p)
{
	etw_owner_leave(p);
	etw_user_leaves(p->user, ETW_USER_FILES, 1);
	process_leave(p);
	if (bitmap_empty(p->slots, ETW_REGISTRATIONS_MAX))
		kref_put(&p->ref, process_free);
	else
		process_end(p);
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

	/* Under mmap_lock */
	err = process_set_up(p, false);
	for (at = 0; !err && at < ETW_ENABLE_AREA_SIZE; at += PAGE_SIZE)
		err = vm_insert_page(vma, vma->vm_start + at,
				     vmalloc_to_page((u8 *)p->area + at));
	return err;
}
