/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process.h - an open file of /dev/etw and the registrations made on it
 *
 * The process that registers first owns the file's registrations: every other process,
 * such as a forked child, gets ESTALE.  They end when the owner exits or executes another
 * program, even if the file stays open: a child keeps it open by the mapping alone.
 *
 * Exit and exec do not take etw_control: they mark the registrations as gone, and a work
 * removes them.
 */
#ifndef ETW_PROVIDER_PROCESS_H
#define ETW_PROVIDER_PROCESS_H

#include <linux/bitmap.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/sched/signal.h>

#include "callback_user.h"
#include "provider.h"

struct etw_owner;

struct etw_process {
	struct etw_process_hot hot;
	struct kref ref;		/* for the file, end_work, and the owner's work */
	spinlock_t lock;
	/* under lock */
	struct etw_enable_entry *area;	/* ETW_ENABLE_AREA_SIZE bytes, vmalloc; set once */
	DECLARE_BITMAP(slots, ETW_REGISTRATIONS_MAX);	/* taken */
	struct etw_user *user;		/* charged for the file; set once */
	/* under etw_control */
	struct etw_owner *owner;	/* a reference; set once */
	struct pid *tgid;		/* the owner's */
	/* of process_exit.c, under its lock */
	struct list_head owned;		/* the owner's files; empty: none has it */
	u32 seen_program;

	struct work_struct end_work;	/* removes registrations that have left */
	struct list_head held_providers; /* of system/held_provider.c, under its lock */

	struct etw_callback_queue queue;
};

int etw_process_open(struct file *file);
void etw_process_flush(struct etw_process *p);
void etw_process_release(struct etw_process *p);
int etw_process_mmap(struct etw_process *p, struct vm_area_struct *vma);
void etw_process_end_left(struct etw_process *p);

int etw_process_register(struct etw_process *p, struct etw_registration *reg, u32 *slot);
int etw_process_unregister(struct etw_process *p, u32 slot, const struct etw_register *made);
struct etw_registration *etw_process_registration(struct etw_process *p, u32 slot);

/* The process that opened this file of /dev/etw. */
static inline struct etw_process *etw_process_of(const struct file *file)
{
	return container_of(file->private_data, struct etw_process, hot);
}

static inline bool etw_process_is_owner(const struct etw_process *p)
{
	return READ_ONCE(p->tgid) == task_tgid(current);
}

#endif /* ETW_PROVIDER_PROCESS_H */
