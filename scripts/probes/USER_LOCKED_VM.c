// SPDX-License-Identifier: GPL-2.0-only
/* The pages that a user has locked are counted; depends on the kernel's configuration. */
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/sched/user.h>

void etw_probe(void);
void etw_probe(void)
{
	struct user_struct *user = get_uid(current_user());

	atomic_long_inc(&user->locked_vm);
	free_uid(user);
}

MODULE_LICENSE("GPL");
