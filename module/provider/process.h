/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process.h - an open file of /dev/etw and the registrations made on it
 *
 * The process that registers first owns the file as far as registrations go:
 * for any other one, a forked child above all, they are ESTALE.  They end when
 * the owner exits or executes another program, whoever else keeps the file
 * alive: a child does so by the mapping alone.
 */
#ifndef ETW_PROCESS_H
#define ETW_PROCESS_H

#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/mm_types.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "provider.h"

struct etw_user;

struct etw_process {
	struct kref ref;		/* of the file, and of end_work */
	struct mutex setup;
	/* set once, under setup, by the first registration or mmap */
	struct etw_enable_entry *area;	/* ETW_ENABLE_AREA_SIZE bytes, vmalloc */
	struct etw_registration __rcu **regs;	/* by slot; written under etw_control */
	/* under etw_control */
	struct pid *tgid;		/* owner; set once */
	struct hlist_node node;		/* owners, also under its lock */
	u32 reg_count;
	struct work_struct end_work;	/* the owner is gone */

	spinlock_t lock;		/* the rest */
	struct list_head notices;
	struct etw_notice *handled;	/* the one user space is working on */
	struct task_struct *handler;	/* who took it; only compared */
	struct etw_waiter *waiter;	/* of an ENABLE that a signal ended, or NULL */
	wait_queue_head_t wait;
};

int etw_process_open(struct file *file);
void etw_process_flush(struct file *file);
void etw_process_release(struct file *file);
void etw_process_owner_gone(struct task_struct *task);
struct etw_registration *etw_process_registration(struct etw_process *p, u32 slot);
int etw_process_mmap(struct file *file, struct vm_area_struct *vma);

static inline bool etw_process_is_owner(const struct etw_process *p)
{
	return READ_ONCE(p->tgid) == task_tgid(current);
}

/* callback_user.c */
struct etw_waiter *etw_process_keep(struct etw_process *p, struct etw_waiter *waiter);
void etw_process_queue(struct etw_process *process, struct etw_notice *notice);
void etw_process_drop(struct etw_registration *reg);
__poll_t etw_process_poll(struct file *file, poll_table *pt);

/* write_user.c */
struct etw_registration *etw_process_find(struct etw_process *p, u32 slot);
int etw_gather(u8 *to, const struct etw_data_descriptor *pieces, u32 count);

/* user_limits.c: what one user may take */
extern unsigned int etw_max_user_registrations;
extern unsigned int etw_max_user_traits;
struct etw_user *etw_user_charge(u32 registrations, u32 trait_bytes);
void etw_user_uncharge(struct etw_user *user, u32 registrations, u32 trait_bytes);

#endif /* ETW_PROCESS_H */
