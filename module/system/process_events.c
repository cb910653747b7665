// SPDX-License-Identifier: GPL-2.0-only
/*
 * process_events.c - the provider Etw-Process: which process an id stands for
 *
 * Its events are described in format.h.  The tracepoints have probes only while a session
 * has enabled the provider.
 *
 * A process that starts during the rundown has an event of its own.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#include <TraceLoggingProvider.h>
#include <etw/format.h>

#include "access/user_limits.h"
#include "compat.h"
#include "process_events.h"
#include "processes.h"
#include "tracepoints.h"
#include "write/extended_items.h"
#include "write/fair.h"
#include "write/hotpath.h"
#include "write/loss.h"
#include "write/write_kernel.h"

#define LEVEL_INFO	4
#define ENDED_BITS	10

TRACELOGGING_DEFINE_PROVIDER(process_provider, "Etw-Process",
	(0x35c3c148, 0xe03f, 0x57d1, 0x43, 0x49, 0x73, 0x22, 0x64, 0xb0, 0x0b, 0x22));

struct process_event {
	struct etw_process_payload id;
	char name[TASK_COMM_LEN];
	const char *path;
};

/*
 * A process can fork, execute and change its name as fast as it writes events of its own, so its
 * user pays for either.
 */
static u64 process_payer(void)
{
	return current->flags & PF_KTHREAD ? 0 : ETW_PAYER(etw_user_number_current(), 0);
}

#undef ETW_TL_SEND
#define ETW_TL_SEND(activity, related)							\
	etw_write_paid(process_payer(), &etw_tl_p->provider, &etw_tl_desc, ETW_TL_PIECES,	\
		       etw_tl_pieces)

/* The members of etw_process_payload, in its order */
#define PROCESS_WRITE(_name, _opcode, _event, ...)					\
	TraceLoggingWrite(process_provider, _name, TraceLoggingLevel(LEVEL_INFO),	\
		TraceLoggingKeyword(ETW_PROCESS_KEYWORD), TraceLoggingOpcode(_opcode),	\
		TraceLoggingPid((_event)->id.pid, "ProcessId"),				\
		TraceLoggingPid((_event)->id.parent, "ParentId"),			\
		TraceLoggingHexUInt64((_event)->id.start_key, "StartKey"),		\
		TraceLoggingFileTime((_event)->id.start, "StartTime"),			\
		TraceLoggingPid((_event)->id.namespace_pid, "NamespaceProcessId"),	\
		TraceLoggingUInt32((_event)->id.uid, "UserId"),				\
		TraceLoggingUtf8String((_event)->name, "Name"),				\
		TraceLoggingUtf8String((_event)->path, "Path"), ##__VA_ARGS__)

#define PROCESS_WANTED()	TraceLoggingProviderEnabled(process_provider, LEVEL_INFO, \
							    ETW_PROCESS_KEYWORD)

/* ---------------------------------------------------------------- describing */

static s64 process_start_time(const struct task_struct *leader)
{
	u64 age = ktime_get_boottime_ns() - leader->start_boottime;

	return (s64)(ktime_get_real_ns() - age) / 100 + ETW_UNIX_EPOCH_100NS;
}

/* leader: the first thread of a process, which the caller keeps from being freed. */
static void process_describe(struct process_event *event, struct task_struct *leader)
{
	struct pid_namespace *ns;

	memset(event, 0, sizeof(*event));
	event->id.pid = leader->tgid;
	event->id.start_key = etw_process_start_key(leader);
	event->id.start = process_start_time(leader);
	event->id.uid = from_kuid(&init_user_ns, task_uid(leader));
	event->id.parent = task_ppid_nr(leader);
	rcu_read_lock();
	ns = task_active_pid_ns(leader);
	if (ns)		/* NULL: it has been reaped */
		event->id.namespace_pid = task_tgid_nr_ns(leader, ns);
	rcu_read_unlock();
	/* Without its lock, which a renamer holds: a name that changes may be mixed of two. */
	data_race(strscpy(event->name, leader->comm, sizeof(event->name)));
	event->path = "";
}

/* What this memory executes.  NULL: a kernel thread, or a process that ends. */
static const char *process_path(struct mm_struct *mm, char buffer[ETW_PATH_SIZE])
{
	struct file *file = mm ? etw_exe_file_get(mm) : NULL;
	const char *path;

	if (!file)
		return "";
	path = etw_file_path(file, buffer);
	fput(file);
	return path;
}

/* -------------------------------------------------------------------- probes */

static void process_forks(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct process_event event;
	char buffer[ETW_PATH_SIZE];

	if (!PROCESS_WANTED() || !thread_group_leader(child))
		return;
	process_describe(&event, child);
	/* It does not run yet, so its memory is there. */
	if (!(child->flags & PF_KTHREAD))
		event.path = process_path(child->mm, buffer);
	PROCESS_WRITE("ProcessStart", ETW_PROCESS_START, &event);
}

static void process_executes(void *data, struct task_struct *task, pid_t old_pid,
			     struct linux_binprm *program)
{
	struct process_event event;
	char buffer[ETW_PATH_SIZE];

	if (!PROCESS_WANTED())
		return;
	process_describe(&event, task);
	event.path = process_path(task->mm, buffer);
	PROCESS_WRITE("ProcessExec", ETW_PROCESS_EXEC, &event);
}

static void process_renames(void *data, struct task_struct *task, const char *name)
{
	struct process_event event;

	if (!PROCESS_WANTED() || !thread_group_leader(task) || !strcmp(task->comm, name))
		return;
	process_describe(&event, task);
	strscpy(event.name, name, sizeof(event.name));
	PROCESS_WRITE("ProcessRename", ETW_PROCESS_RENAME, &event);
}

/*
 * The kernel has counted a thread out before its probe runs, so each of several threads that
 * end at once may find none left.  Has none of them reported the process yet?  Another process
 * with the same hash that ends in between can make this true twice.
 */
static bool process_ends_now(const struct task_struct *task)
{
	static u64 ended[1 << ENDED_BITS];	/* start keys, which are never 0 */
	u64 key;

	if (atomic_read(&task->signal->live))
		return false;
	key = etw_process_start_key(task->group_leader);
	return xchg(&ended[hash_64(key, ENDED_BITS)], key) != key;
}

static void process_ends(ETW_EXIT_PROBE_ARGS)
{
	struct process_event event;
	u32 status;

	if (!PROCESS_WANTED() || !process_ends_now(task))
		return;
	process_describe(&event, task->group_leader);
	status = task->signal->flags & SIGNAL_GROUP_EXIT ? task->signal->group_exit_code :
							   task->exit_code;
	PROCESS_WRITE("ProcessStop", ETW_PROCESS_STOP, &event,
		      TraceLoggingInt32(status >> 8 & 0xff, "ExitCode"),
		      TraceLoggingUInt32(status & 0x7f, "ExitSignal"));
}

/* Names are those that a process claims, and not checked further. */
void etw_process_events_provider(const struct etw_guid *provider, const char *name)
{
	if (!TraceLoggingProviderEnabled(process_provider, LEVEL_INFO, ETW_PROCESS_PROVIDERS) ||
	    !*name || strlen(name) > ETW_NAME_MAX)
		return;
	TraceLoggingWrite(process_provider, "ProviderName", TraceLoggingLevel(LEVEL_INFO),
			  TraceLoggingKeyword(ETW_PROCESS_PROVIDERS),
			  TraceLoggingOpcode(ETW_PROCESS_PROVIDER),
			  TraceLoggingGuid(*provider, "Provider"),
			  TraceLoggingUtf8String(name, "Name"));
}

static struct etw_probe probes[] = {
	{ .name = "sched_process_fork", .probe = process_forks },
	{ .name = "sched_process_exec", .probe = process_executes },
	{ .name = "sched_process_exit", .probe = process_ends },
	{ .name = "task_rename", .probe = process_renames },
};

static bool probing;	/* changed by the callback, of which there is one call at a time */

/* Without probes, sessions record that they lack an unknown number of events from now on. */
static void process_probe(void)
{
	static const struct etw_event_descriptor desc = {
		.channel = ETW_CHANNEL_TRACELOGGING, .level = LEVEL_INFO,
		.keyword = ETW_PROCESS_KEYWORD,
	};
	int err;

	if (probing)
		return;
	err = etw_probes_register(probes, ARRAY_SIZE(probes));
	if (err) {
		etw_hotpath_drop_events(&process_provider->provider, &desc, NULL, ETW_DROP_PROBE,
					ETW_LOSS_UNCOUNTED);
		pr_warn_once("etw: Etw-Process: no events of processes: error %d\n", err);
	}
	probing = !err;
}

static void process_unprobe(void)
{
	if (probing)
		etw_probes_unregister(probes, ARRAY_SIZE(probes));
	probing = false;
}

/* ------------------------------------------------------------------- rundown */

static void process_rundown(void)
{
	struct process_event event;
	struct task_struct *task;
	struct mm_struct *mm;
	char buffer[ETW_PATH_SIZE];
	pid_t nr = 1;

	while (PROCESS_WANTED() && (task = etw_process_next(&nr))) {
		process_describe(&event, task);
		mm = etw_process_mm(task);
		event.path = process_path(mm, buffer);
		PROCESS_WRITE("ProcessRundown", ETW_PROCESS_RUNDOWN, &event);
		if (mm)
			mmput_async(mm);
		put_task_struct(task);
		cond_resched();
	}
}

static void process_enable(const struct etw_guid *source, u32 control, u8 level, u64 any, u64 all,
			   const struct etw_filter *filter, void *context)
{
	switch (control) {
	case ETW_CONTROL_ENABLE:
		process_probe();
		break;
	case ETW_CONTROL_DISABLE:
		process_unprobe();
		break;
	case ETW_CONTROL_CAPTURE:
		process_rundown();
		break;
	}
}

int __init etw_process_events_init(void)
{
	static const struct etw_guid guid = ETW_PROCESS_GUID;

	check_trace_callback_type_sched_process_fork(process_forks);
	check_trace_callback_type_sched_process_exec(process_executes);
	check_trace_callback_type_sched_process_exit(process_ends);
	check_trace_callback_type_task_rename(process_renames);
	BUILD_BUG_ON(sizeof(struct etw_process_payload) != 32);
	if (WARN_ON_ONCE(memcmp(&process_provider->provider.guid, &guid, sizeof(guid))))
		return -EINVAL;
	return TraceLoggingRegisterEx(process_provider, process_enable, NULL);
}

void etw_process_events_exit(void)
{
	TraceLoggingUnregister(process_provider);
	process_unprobe();
}
