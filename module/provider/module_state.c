// SPDX-License-Identifier: GPL-2.0-only
/*
 * module_state.c - end the registrations that a module leaves behind
 *
 * A registration must not outlive its module: it points to the module's provider, static
 * key and callback, and the next change of what is enabled would use them.  The kernel
 * announces GOING after the module's exit function, or after its init function failed, and
 * frees its memory only afterwards.  It announces LIVE before it frees the init section.
 */
#include <linux/module.h>
#include <linux/notifier.h>

#include "module_state.h"
#include "registration.h"

static int module_changes(struct notifier_block *block, unsigned long state, void *module)
{
	if (state == MODULE_STATE_LIVE)
		etw_registration_adopt(module);
	else if (state == MODULE_STATE_GOING)
		etw_registration_end_left(module);
	return NOTIFY_OK;
}

/* Before jump_label's, so that the static keys of the module still work. */
static struct notifier_block module_block = {
	.notifier_call = module_changes,
	.priority = INT_MAX,
};

int __init etw_module_state_init(void)
{
	return register_module_notifier(&module_block);
}

void etw_module_state_exit(void)
{
	unregister_module_notifier(&module_block);
}
