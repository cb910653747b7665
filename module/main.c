// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - loading and unloading
 *
 * Running sessions, open files and loaded provider modules each hold a reference on the
 * module, so it can be unloaded only without them.
 */
#include <linux/init.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>

#include "access/access.h"
#include "access/user_limits.h"
#include "control/device.h"
#include "control_lock.h"
#include "provider/callback_kernel.h"
#include "provider/guid_table.h"
#include "provider/module_state.h"
#include "provider/process_exit.h"
#include "session/account.h"
#include "session/clock.h"
#include "session/deliver.h"
#include "session/hotplug.h"
#include "session/session.h"
#include "session/shrink.h"
#include "session/suspend.h"
#include "system/bpf_provider.h"
#include "system/counter_events.h"
#include "system/held_provider.h"
#include "system/image_events.h"
#include "system/process_events.h"
#include "system/trace_event.h"
#include "write/activity.h"
#include "write/extended_items.h"
#include "write/hotpath.h"

module_param_named(max_sessions, etw_max_sessions, uint, 0444);
MODULE_PARM_DESC(max_sessions, "sessions that can run at once, 1 to 64 (default 64)");
module_param_named(max_user_registrations, etw_user_max[ETW_USER_REGISTRATIONS], uint, 0644);
MODULE_PARM_DESC(max_user_registrations,
		 "provider registrations per user, all processes together (default 16384)");
module_param_named(max_user_traits, etw_user_max[ETW_USER_TRAIT_BYTES], uint, 0644);
MODULE_PARM_DESC(max_user_traits,
		 "bytes of provider traits per user, all processes together (default 4194304)");
module_param_named(max_user_files, etw_user_max[ETW_USER_FILES], uint, 0644);
MODULE_PARM_DESC(max_user_files,
		 "open files with registrations per user, all processes together (default 4096)");

static int get_max_memory(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%lu\n", etw_account_limit() >> (20 - PAGE_SHIFT));
}

static const struct kernel_param_ops max_memory_ops = {
	.set = param_set_uint,
	.get = get_max_memory,
};

module_param_cb(max_memory_mb, &max_memory_ops, &etw_max_memory_mb, 0644);
MODULE_PARM_DESC(max_memory_mb,
		 "MB that the buffers of all sessions may take (default 0: a quarter of the memory)");

static int set_nothing(const char *value, const struct kernel_param *param)
{
	return -EPERM;
}

static int get_memory(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%lu\n", etw_account_used() << (PAGE_SHIFT - 10));
}

static const struct kernel_param_ops memory_ops = {
	.set = set_nothing,
	.get = get_memory,
};

module_param_cb(memory_kb, &memory_ops, NULL, 0444);
MODULE_PARM_DESC(memory_kb, "KB that the buffers of all sessions take; to be read");

static int set_nesting_max(const char *value, const struct kernel_param *param)
{
	return param_set_uint_minmax(value, param, 0, ETW_NESTING_LIMIT);
}

static const struct kernel_param_ops nesting_max_ops = {
	.set = set_nesting_max,
	.get = param_get_uint,
};

module_param_cb(nesting_max, &nesting_max_ops, &etw_nesting_max, 0644);
MODULE_PARM_DESC(nesting_max,
		 "writers nested on one CPU before events of tasks are dropped, 0 to 16 (default 8)");
module_param_named(trust_tsc, etw_trust_tsc, bool, 0444);
MODULE_PARM_DESC(trust_tsc,
		 "use the TSC even if the CPU does not declare it invariant (default off)");

static int get_bpf(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%s\n", etw_bpf_kfuncs_state());
}

static const struct kernel_param_ops bpf_ops = {
	.set = set_nothing,
	.get = get_bpf,
};

module_param_cb(bpf, &bpf_ops, NULL, 0444);
MODULE_PARM_DESC(bpf, "types of BPF programs that can write events; to be read");

/* Delivery has a queue of its own, so it never waits for etw_control. */
static int __init make_queues(void)
{
	etw_wq = alloc_workqueue("etw", WQ_UNBOUND, 0);
	etw_control_wq = alloc_workqueue("etw_control", WQ_UNBOUND, 0);
	etw_callback_wq = alloc_workqueue("etw_callback", WQ_UNBOUND, 0);
	return etw_wq && etw_control_wq && etw_callback_wq ? 0 : -ENOMEM;
}

static void end_queues(void)
{
	if (etw_callback_wq)
		destroy_workqueue(etw_callback_wq);
	if (etw_control_wq)
		destroy_workqueue(etw_control_wq);
	if (etw_wq)
		destroy_workqueue(etw_wq);
}

/* The providers that are etw.ko's own */
static int __init own_providers_init(void)
{
	int err = etw_process_events_init();

	if (err)
		return err;
	err = etw_image_events_init();
	if (err)
		goto err_processes;
	err = etw_counter_events_init();
	if (err)
		goto err_images;
	return 0;

err_images:
	etw_image_events_exit();
err_processes:
	etw_process_events_exit();
	return err;
}

static void own_providers_exit(void)
{
	etw_counter_events_exit();
	etw_image_events_exit();
	etw_process_events_exit();
}

static int __init etw_init(void)
{
	int err;

	if (!etw_max_sessions || etw_max_sessions > ETW_SESSIONS_MAX)
		pr_warn("etw: max_sessions=%u is not between 1 and %u\n",
			etw_max_sessions, ETW_SESSIONS_MAX);
	etw_max_sessions = clamp(etw_max_sessions, 1U, (unsigned int)ETW_SESSIONS_MAX);
	etw_control_lock_init();
	etw_activity_init();
	etw_items_init();
	etw_guid_table_init();
	err = make_queues();
	if (err)
		goto err_queues;
	err = etw_hotplug_init();
	if (err)
		goto err_queues;
	err = etw_suspend_init();
	if (err)
		goto err_hotplug;
	err = etw_process_exit_init();
	if (err)
		goto err_suspend;
	err = etw_module_state_init();
	if (err)
		goto err_exits;
	err = etw_shrink_init();
	if (err)
		goto err_modules;
	err = own_providers_init();
	if (err)
		goto err_shrink;
	err = etw_trace_counters_init();
	if (err)
		goto err_providers;
	err = etw_device_init();
	if (err)
		goto err_traces;
	etw_bpf_kfuncs_init();
	return 0;

err_traces:
	etw_trace_counters_exit();
err_providers:
	own_providers_exit();
err_shrink:
	etw_shrink_exit();
err_modules:
	etw_module_state_exit();
err_exits:
	etw_process_exit_exit();
err_suspend:
	etw_suspend_exit();
err_hotplug:
	etw_hotplug_exit();
err_queues:
	end_queues();
	return err;
}

static void __exit etw_exit(void)
{
	etw_device_exit();
	etw_trace_counters_exit();
	etw_held_provider_exit();
	etw_trace_record_exit();
	own_providers_exit();
	etw_shrink_exit();
	etw_module_state_exit();
	etw_process_exit_exit();
	etw_suspend_exit();
	etw_hotplug_exit();
	end_queues();
	etw_activity_exit();
	etw_items_exit();
	etw_access_exit();
	rcu_barrier();		/* for call_rcu() in registration.c */
}

module_init(etw_init);
module_exit(etw_exit);

MODULE_DESCRIPTION("Event Tracing for Windows, on Linux");
MODULE_AUTHOR("The ETW for Linux authors");
MODULE_LICENSE("GPL v2");
