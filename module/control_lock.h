/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control_lock.h - etw_control: held to register, enable and control; writing an event never takes it
 *
 * etw_control guards the table of sessions, the GUIDs, the access lists, and who has
 * enabled what.  Only the locks of system/held_provider.c are taken before it.  What its
 * holder may do: see control_lock.c.
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
