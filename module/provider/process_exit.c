// SPDX-License-Identifier: GPL-2.0-only
/*
 * process_exit.c - detect the end of tasks and of the programs of processes
 *
 * Tracepoints of the scheduler report it; they are not exported, so they are looked up
 * by name.  The probes run with preemption off.  Their types must be those that the
 * tracepoints declare, or a kernel with control-flow integrity (CFI) panics.
 */
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "compat.h"
#include "process.h"
#include "process_exit.h"
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

static struct {
	const char *name;
	void *probe;
	struct tracepoint *point;
} probes[] = {
	{ .name = "sched_process_exit", .probe = task_exits },
	{ .name = "sched_process_exec", .probe = program_changes },
};

static void process_exit_find(struct tracepoint *point, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(point->name, probes[i].name))
			probes[i].point = point;
}

static void unregister_first(int n)
{
	while (n--)
		tracepoint_probe_unregister(probes[n].point, probes[n].probe, NULL);
	tracepoint_synchronize_unregister();
}

int __init etw_process_exit_init(void)
{
	int i, err;

	/* The lookup by name has no types, so let the compiler check them. */
	check_trace_callback_type_sched_process_exit(task_exits);
	check_trace_callback_type_sched_process_exec(program_changes);
	for_each_kernel_tracepoint(process_exit_find, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		err = probes[i].point ?
		      tracepoint_probe_register(probes[i].point, probes[i].probe, NULL) :
		      -EOPNOTSUPP;
		if (err) {
			unregister_first(i);
			return err;
		}
	}
	return 0;
}

void etw_process_exit_exit(void)
{
	unregister_first(ARRAY_SIZE(probes));
}
