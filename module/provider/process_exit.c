// SPDX-License-Identifier: GPL-2.0-only
/*
 * process_exit.c - detect the end of tasks and of the programs of processes
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <trace/events/sched.h>

#include "compat.h"
#include "process.h"
#include "process_exit.h"
#include "tracepoints.h"
#include "write/activity.h"
#include "write/hotpath.h"

static void task_exits(ETW_EXIT_PROBE_ARGS)
{
	etw_hotpath_task_exits();
	etw_activity_task_exits(task);
	etw_process_owner_gone(task);
}

static void program_changes(void *data, struct task_struct *task, pid_t old_pid,
			    struct linux_binprm *program)
{
	etw_process_owner_gone(task);
}

static struct etw_probe probes[] = {
	{ .name = "sched_process_exit", .probe = task_exits },
	{ .name = "sched_process_exec", .probe = program_changes },
};

int __init etw_process_exit_init(void)
{
	check_trace_callback_type_sched_process_exit(task_exits);
	check_trace_callback_type_sched_process_exec(program_changes);
	return etw_probes_register(probes, ARRAY_SIZE(probes));
}

void etw_process_exit_exit(void)
{
	etw_probes_unregister(probes, ARRAY_SIZE(probes));
}
