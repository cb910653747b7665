// SPDX-License-Identifier: GPL-2.0-only
/* etw_left.c - a module that ends without unregistering its providers */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/lockdep.h>
#include <linux/module.h>

#include <etw/kernel.h>

#include "etw_left.h"

static unsigned int what;
module_param(what, uint, 0400);
static bool fails;
module_param(fails, bool, 0400);
static unsigned int sleep;
module_param(sleep, uint, 0600);
static bool dies;
module_param(dies, bool, 0600);
static bool oops;
module_param(oops, bool, 0600);
static bool runs;
module_param(runs, bool, 0400);

ETW_DEFINE_PROVIDER(left_provider, ETW_LEFT_GUID);

static struct etw_provider *left_handle;

/* No name, and a chunk with the group's GUID. */
static const struct __packed {
	u16 size;
	u8 name;
	u16 chunk_size;
	u8 chunk_type;
	struct etw_guid group;
} left_traits = {
	.size = sizeof(left_traits),
	.chunk_size = 3 + sizeof(struct etw_guid),
	.chunk_type = ETW_TRAIT_GROUP,
	.group = ETW_LEFT_GROUP_GUID,
};

/* Lockdep would report that the thread dies in a callback: it has that, and no lock, to forget. */
static void forget_locks(void)
{
#ifdef CONFIG_LOCKDEP
	current->lockdep_depth = 0;
	current->curr_chain_key = INITIAL_CHAIN_KEY;
#endif
}

static void left_callback(const struct etw_guid *source, u32 control, u8 level, u64 any, u64 all,
			  const struct etw_filter *filter, void *context)
{
	WRITE_ONCE(runs, true);
	msleep(READ_ONCE(sleep));
	if (READ_ONCE(dies)) {
		forget_locks();
		kthread_complete_and_exit(NULL, 0);
	}
	if (READ_ONCE(oops))
		BUG();
	WRITE_ONCE(runs, false);
}

static int __init left_init(void)
{
	etw_enable_fn callback = what & ETW_LEFT_CALLBACK ? left_callback : NULL;
	struct module *owner = what & ETW_LEFT_ANONYMOUS ? NULL : THIS_MODULE;
	static const struct etw_guid guid = ETW_LEFT_HANDLE_GUID;
	int err = 0;

	if (what & ETW_LEFT_STATIC)
		err = __etw_register(&left_provider, owner, ETW_LEFT_NAME, callback, NULL);
	if (!err && what & ETW_LEFT_HANDLE)
		err = __etw_register_handle(&guid, owner, NULL, callback, NULL, &left_handle);
	if (!err && what & ETW_LEFT_TRAITS)
		err = etw_set_traits(left_handle, &left_traits, sizeof(left_traits));
	if (err)
		return err;
	return fails ? -ENODEV : 0;
}

static void __exit left_exit(void)
{
}

module_init(left_init);
module_exit(left_exit);

MODULE_DESCRIPTION("Module that leaves its providers registered");
MODULE_LICENSE("GPL");
