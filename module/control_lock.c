// SPDX-License-Identifier: GPL-2.0-only
/*
 * control_lock.c - etw_control: held to register, enable and control; writing an event never takes it
 *
 * Everybody who registers, enables, starts or queries anything takes etw_control, and any user
 * may register.  So its holder only computes: others wait as long as its loops run, and never for
 * anybody's memory, disk or CPU.  While it is held, nobody
 *
 *  - waits for memory: what a change takes is allocated before, or taken without waiting and
 *    then, if there was none, allocated after releasing the lock (alloc.c).
 *    A control group at its limit reclaims, is throttled and kills its processes meanwhile;
 *  - copies from or to user space: a page there may take for ever to arrive;
 *  - waits for a grace period: who made the change does so afterwards;
 *  - changes a static key, which interrupts all CPUs: see provider/change.c;
 *  - calls or waits for an enable callback, or any other code of a driver.
 *
 * The end of a process does not take it: the registrations leave at once and a work removes
 * them (provider/process.c).  A loop over everything that the lock guards may be long, so it
 * has a cond_resched().
 */
#include <linux/init.h>
#include <linux/sched/mm.h>

#include "control_lock.h"

DEFINE_MUTEX(etw_control);

struct workqueue_struct *etw_control_wq;

/* Teach lockdep the first rule: as if memory were reclaimed by someone who takes the lock. */
void __init etw_control_lock_init(void)
{
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(&etw_control);
	fs_reclaim_release(GFP_KERNEL);
}
