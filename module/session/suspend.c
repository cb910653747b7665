// SPDX-License-Identifier: GPL-2.0-only
/*
 * suspend.c - before and after the machine sleeps
 */
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "deliver.h"
#include "epoch.h"
#include "suspend.h"

static int suspend_changes(struct notifier_block *block, unsigned long action, void *unused)
{
	switch (action) {
	case PM_SUSPEND_PREPARE:
		etw_epoch_sleep("suspend");
		break;
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		etw_epoch_sleep("hibernation");
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		etw_epoch_wake();
		break;
	default:
		return NOTIFY_DONE;
	}
	etw_deliver_flush_all();
	return NOTIFY_OK;
}

static struct notifier_block suspend_block = {
	.notifier_call = suspend_changes,
};

int __init etw_suspend_init(void)
{
	return register_pm_notifier(&suspend_block);
}

void etw_suspend_exit(void)
{
	unregister_pm_notifier(&suspend_block);
}
