/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * activity.h - activity ids of tasks
 */
#ifndef ETW_WRITE_ACTIVITY_H
#define ETW_WRITE_ACTIVITY_H

#include <linux/jump_label.h>

struct etw_guid;
struct task_struct;

/* Some task has set an id since the module was loaded. */
DECLARE_STATIC_KEY_FALSE(etw_activity_used);

const struct etw_guid *etw_activity_current(struct etw_guid *room);
void etw_activity_init(void);
void etw_activity_task_exits(struct task_struct *task);
void etw_activity_exit(void);

#endif /* ETW_WRITE_ACTIVITY_H */
