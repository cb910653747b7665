// SPDX-License-Identifier: GPL-2.0-only
/*
 * process.c - registrations of processes: slots, the enable area
 *
 * Locking: etw_control, then process->setup, then process->lock (callback_user.c).  Writers
 * find a registration by slot under RCU.  mmap comes with mmap_lock held and takes
 * setup only: under etw_control static keys take cpus_read_lock, under which
 * the kernel takes mmap_lock elsewhere.
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
#include "compat.h"
#include "alloc.h"
#include "ioctl.h"
#include "process.h"
#include "session/session.h"

/* Files by the owner of their registrations. */
static DEFINE_HASHTABLE(owners, 6);
static DEFINE_RAW_SPINLOCK(owners_lock);	/* taken inside a tracepoint */

/* ------------------------------------------------------------ registrations */

/* Area and slots, made when they are first needed. */
static int set_up(struct etw_process *p)
{
	struct etw_registration __rcu **regs;
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
	smp_store_release(&p->regs, regs);
	p->area = area;
out:
	mutex_unlock(&p->setup);
	return err;
}

static void own(struct etw_process *p)
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
		if (!rcu_access_pointer(p->regs[slot]))
			return slot;
	return -ENOSPC;
}

static int register_locked(struct etw_process *p, struct etw_registration *reg)
{
	int slot, err;

	lockdep_assert_held(&etw_control);
	if (p->tgid && !etw_process_is_owner(p))
		return -ESTALE;
	if (!etw_access_granted(&reg->own.guid, ETW_RIGHT_REGISTER_GUIDS))
		return -EPERM;
	err = set_up(p);
	if (err)
		return err;
	slot = free_slot(p);
	if (slot < 0)
		return slot;
	reg->process = p;
	reg->slot = slot;
	reg->area = &p->area[slot];
	reg->tgid = get_pid(task_tgid(current));
	err = etw_registration_add(reg);
	if (err)
		return err;
	own(p);
	p->reg_count++;
	/* G: the registration before its slot, see etw_process_find() */
	rcu_assign_pointer(p->regs[slot], reg);
	return 0;
}

static void unregister_locked(struct etw_process *p, struct etw_registration *reg)
{
	lockdep_assert_held(&etw_control);
	RCU_INIT_POINTER(p->regs[reg->slot], NULL);
	etw_registration_remove(reg);
	etw_process_drop(reg);
	p->reg_count--;
	etw_registration_free(reg);
}

static void unregister_all(struct etw_process *p)
{
	struct etw_registration *reg;
	u32 slot;

	mutex_lock(&etw_control);
	for (slot = 0; p->reg_count && slot < ETW_REGISTRATIONS_MAX; slot++) {
		reg = rcu_dereference_protected(p->regs[slot], lockdep_is_held(&etw_control));
		if (reg)
			unregister_locked(p, reg);
		cond_resched();
	}
	mutex_unlock(&etw_control);
}

long etw_ioctl_register(struct file *file, void *arg)
{
	struct etw_register *r = arg;
	struct etw_registration *reg;
	char comm[TASK_COMM_LEN];
	struct etw_user *user;
	char *name = NULL;
	int err;

	if (r->flags & ~(ETW_REGISTER_NOTIFY | ETW_REGISTER_CLASSIC) ||
	    etw_guid_is_null(&r->provider))
		return -EINVAL;
	if (r->name_len) {
		err = etw_ioctl_name_in(r->name, r->name_len, &name);
		if (err)
			return err;
	}
	reg = etw_registration_alloc(name, r->name_len);
	kfree(name);
	if (!reg)
		return -ENOMEM;
	reg->own.guid = r->provider;
	reg->flags = r->flags;
	reg->cookie = r->cookie;
	reg->cred = etw_access_cred(current_cred());
	get_task_comm(comm, current->group_leader);
	strscpy(reg->module, comm, sizeof(reg->module));
	etw_scope_executable(reg->executable);

	user = etw_user_charge(1, 0);
	if (IS_ERR(user)) {
		etw_registration_free(reg);
		return PTR_ERR(user);
	}
	reg->user = user;
	mutex_lock(&etw_control);
	err = register_locked(file->private_data, reg);
	if (!err)
		r->slot = reg->slot;	/* another thread may unregister it next */
	mutex_unlock(&etw_control);
	if (err)
		etw_registration_free(reg);
	return err;
}

/* The caller's registration in that slot; -EBADF: there is none; -ESTALE. */
struct etw_registration *etw_process_registration(struct etw_process *p, u32 slot)
{
	struct etw_registration *reg = NULL;

	lockdep_assert_held(&etw_control);
	if (p->reg_count && slot < ETW_REGISTRATIONS_MAX)
		reg = rcu_dereference_protected(p->regs[array_index_nospec(slot,
								ETW_REGISTRATIONS_MAX)],
						lockdep_is_held(&etw_control));
	if (!reg)
		return ERR_PTR(-EBADF);
	return etw_process_is_owner(p) ? reg : ERR_PTR(-ESTALE);
}

/* made: only if it is this one, which the caller made. */
static long unregister_slot(struct etw_process *p, u32 slot,
			    const struct etw_register *made)
{
	struct etw_registration *reg;
	long err = 0;

	mutex_lock(&etw_control);
	reg = etw_process_registration(p, slot);
	if (IS_ERR(reg))
		err = PTR_ERR(reg);
	else if (made && (reg->cookie != made->cookie ||
			  memcmp(&reg->own.guid, &made->provider, sizeof(made->provider))))
		err = -EBADF;
	else
		unregister_locked(p, reg);
	mutex_unlock(&etw_control);
	return err;
}

long etw_ioctl_unregister(struct file *file, void *arg)
{
	struct etw_unregister *u = arg;

	return unregister_slot(file->private_data, u->slot, NULL);
}

/* The caller could not be told its slot. */
void etw_ioctl_unregister_undo(struct file *file, void *arg)
{
	struct etw_register *r = arg;

	unregister_slot(file->private_data, r->slot, r);
}

/* ---------------------------------------------------------------- the file */

static void process_free(struct kref *ref)
{
	struct etw_process *p = container_of(ref, struct etw_process, ref);

	mutex_destroy(&p->setup);
	etw_waiter_put(p->waiter);
	put_pid(p->tgid);
	vfree(p->area);
	kvfree(p->regs);
	kfree(p);
}

static void end_work(struct work_struct *work)
{
	struct etw_process *p = container_of(work, struct etw_process, end_work);

	unregister_all(p);
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
	INIT_WORK(&p->end_work, end_work);
	spin_lock_init(&p->lock);
	INIT_LIST_HEAD(&p->notices);
	init_waitqueue_head(&p->wait);
	file->private_data = p;
	return 0;
}

/* The last thread of its process, on its way out. */
static bool process_exits(const struct task_struct *task)
{
	return task->flags & PF_EXITING && !atomic_read(&task->signal->live);
}

/*
 * Called whenever some process closes a descriptor of the file.  When the owner
 * does so because it exits, its registrations are gone before anybody can see
 * that it has exited.
 */
void etw_process_flush(struct file *file)
{
	struct etw_process *p = file->private_data;

	if (READ_ONCE(p->tgid) && etw_process_is_owner(p) && process_exits(current))
		unregister_all(p);
}

/*
 * Tracepoints sched_process_exit and sched_process_exec: for an owner that has
 * no descriptor of the file left to close, see etw_process_flush().
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
		if (!queue_work(etw_control_wq, &p->end_work))
			kref_put(&p->ref, process_free);
	}
	raw_spin_unlock_irqrestore(&owners_lock, flags);
}

void etw_process_release(struct file *file)
{
	struct etw_process *p = file->private_data;
	unsigned long flags;

	raw_spin_lock_irqsave(&owners_lock, flags);
	hash_del(&p->node);
	raw_spin_unlock_irqrestore(&owners_lock, flags);
	unregister_all(p);
	etw_notice_free(p->handled);
	kref_put(&p->ref, process_free);
}

/*
 * The enable area.  A forked child inherits it, for a page that vanished would
 * kill the child at its first event.  The pages outlive the file if need be.
 */
int etw_process_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct etw_process *p = file->private_data;
	unsigned long at;
	int err;

	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != ETW_ENABLE_AREA_SIZE ||
	    !(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	etw_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);

	err = set_up(p);
	for (at = 0; !err && at < ETW_ENABLE_AREA_SIZE; at += PAGE_SIZE)
		err = vm_insert_page(vma, vma->vm_start + at,
				     vmalloc_to_page((u8 *)p->area + at));
	return err;
}
