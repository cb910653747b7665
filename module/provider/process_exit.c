// SPDX-License-Identifier: GPL-2.0-only
/*
 * process_exit.c - when a task or the program of a process ends
 *
 * The scheduler's tracepoints tell; they are not exported, so they are looked
 * up by name.  The probes run with preemption off.  They are called through
 * pointers to what the tracepoints declare: one that is anything else ends a
 * kernel that checks that (CFI).
 */
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "compat.h"
#include "control/device.h"
#include "process.h"
#include "write/hotpath.h"

static void task_exits(ETW_EXIT_PROBE_ARGS)
{
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

static void match(struct tracepoint *point, void *unused)
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

int __init etw_exits_init(void)
{
	int i, err;

	/* The compiler's word for it; they are looked up without their types. */
	check_trace_callback_type_sched_process_exit(task_exits);
	check_trace_callback_type_sched_process_exec(program_changes);
	for_each_kernel_tracepoint(match, NULL);
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

void etw_exits_exit(void)
{
	unregister_first(ARRAY_SIZE(probes));
}
