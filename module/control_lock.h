/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control_lock.h - the lock of everything that is not an event's way
 *
 * etw_control guards the table of sessions, the GUIDs, the access lists, and who has
 * enabled what.  It is taken before every other lock of the module.  What its holder may
 * do: see control_lock.c.
 */
#ifndef ETW_CONTROL_LOCK_H
#define ETW_CONTROL_LOCK_H

#include <linux/mutex.h>
#include <linux/workqueue.h>

extern struct mutex etw_control;

/* For work that takes etw_control; delivery has a queue of its own and never waits for it. */
extern struct workqueue_struct *etw_control_wq;

void etw_control_lock_init(void);

#endif /* ETW_CONTROL_LOCK_H */
