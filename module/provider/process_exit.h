/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process_exit.h - the processes that own registrations, and the end of tasks and programs
 */
#ifndef ETW_PROVIDER_PROCESS_EXIT_H
#define ETW_PROVIDER_PROCESS_EXIT_H

#include <linux/types.h>

struct etw_owner;
struct etw_process;
struct task_struct;

struct etw_owner *etw_owner_alloc(void);
void etw_owner_put(struct etw_owner *owner);
void etw_owner_join(struct etw_process *p, u32 *program, struct etw_owner **spare);
void etw_owner_leave(struct etw_process *p);
bool etw_process_exits(const struct task_struct *task);

int etw_process_exit_init(void);
void etw_process_exit_exit(void);

#endif /* ETW_PROVIDER_PROCESS_EXIT_H */
