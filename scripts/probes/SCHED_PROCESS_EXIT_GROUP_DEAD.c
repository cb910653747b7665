// SPDX-License-Identifier: GPL-2.0-only
/* The tracepoint of a task's exit has an argument: was it the last task of its process?  (6.16) */
#include <linux/module.h>
#include <trace/events/sched.h>

void etw_probe_exit(void *data, struct task_struct *task, bool group_dead);
void etw_probe(void);
void etw_probe(void)
{
	check_trace_callback_type_sched_process_exit(etw_probe_exit);
}

void etw_probe_exit(void *data, struct task_struct *task, bool group_dead)
{
}

MODULE_LICENSE("GPL");
