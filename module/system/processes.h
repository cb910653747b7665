/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * processes.h - which processes there are, and the paths of their files, for the providers
 * that tell of them
 */
#ifndef ETW_SYSTEM_PROCESSES_H
#define ETW_SYSTEM_PROCESSES_H

#include <linux/types.h>

struct file;
struct task_struct;

#define ETW_PATH_SIZE	256	/* with its NUL; on the stack of a task that executes or maps it */

struct task_struct *etw_process_next(pid_t *nr);
struct mm_struct *etw_process_mm(struct task_struct *leader);
bool etw_process_has_mm(const struct task_struct *leader, const struct mm_struct *mm);
const char *etw_file_path(struct file *file, char buffer[ETW_PATH_SIZE]);

#endif /* ETW_SYSTEM_PROCESSES_H */
