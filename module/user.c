// SPDX-License-Identifier: GPL-2.0-only
/*
 * user.c - limits per user: anybody may register, so not without end
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/slab.h>

#include "gfp.h"
#include "process.h"
#include "session.h"

struct etw_user {
	struct list_head node;
	kuid_t uid;
	u32 charged;
};

unsigned int etw_max_user_registrations = 16384;

static LIST_HEAD(users);	/* under etw_control; as long as they pay */

static void user_free(struct etw_user *user)
{
	list_del(&user->node);
	kfree(user);
}

/* Charge the caller one registration: the user to uncharge, or an error. */
struct etw_user *etw_user_charge(void)
{
	kuid_t uid = current_uid();
	struct etw_user *user;

	lockdep_assert_held(&etw_control);
	list_for_each_entry(user, &users, node)
		if (uid_eq(user->uid, uid))
			goto found;
	user = kzalloc(sizeof(*user), ETW_GFP);
	if (!user)
		return ERR_PTR(-ENOMEM);
	user->uid = uid;
	list_add(&user->node, &users);
found:
	if (user->charged >= READ_ONCE(etw_max_user_registrations) &&
	    !capable(CAP_SYS_RESOURCE)) {
		if (!user->charged)
			user_free(user);
		return ERR_PTR(-ENOSPC);
	}
	user->charged++;
	return user;
}

void etw_user_uncharge(struct etw_user *user)
{
	lockdep_assert_held(&etw_control);
	if (--user->charged)
		return;
	user_free(user);
}
