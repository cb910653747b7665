// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl.c - running a command: copy in once, check the size, run, copy out
 */
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "ioctl.h"
#include <etw/abi.h>

/*
 * Copy in a struct whose size in this kernel is known.  A caller may know a shorter one, down
 * to the first that was published; what that lacks is 0.  Every value of user space is read
 * once: the struct is copied as a whole, and the size in the copy is the one that was checked.
 */
int etw_ioctl_struct_in(void *to, size_t first, size_t known, const void __user *from)
{
	u32 size;
	int err;

	if (get_user(size, (const u32 __user *)from))
		return -EFAULT;
	if (size < first)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(to, known, from, size);
	if (!err)
		*(u32 *)to = size;
	return err;
}

long etw_ioctl_run(const struct etw_ioctl *table, size_t count, struct file *file,
		   unsigned int cmd, void __user *arg)
{
	u64 words[ETW_IOCTL_WORDS];
	const struct etw_ioctl *op;
	size_t size;
	long ret;

	for (op = table; op < table + count && op->cmd != cmd; op++)
		;
	if (op == table + count)
		return -ENOTTY;
	ret = etw_ioctl_struct_in(words, op->first ?: op->size, op->size, arg);
	if (ret)
		return ret;
	if (op->in_only)
		return op->run(file, words);
	/* The caller has room for no more than it knows. */
	size = min(*(u32 *)words, op->size);
	/* Do nothing if the results could not be copied out. */
	if (copy_to_user(arg, words, size))
		return -EFAULT;
	if (op->run_user)
		return op->run_user(file, words, arg);
	ret = op->run(file, words);
	if (ret < 0 && !op->always)
		return ret;
	if (copy_to_user(arg, words, size)) {
		if (op->undo)
			op->undo(file, words);
		return -EFAULT;
	}
	return ret;
}

/*
 * Copy in a name: 1 to ETW_NAME_MAX bytes, without NUL.  The caller frees it.
 */
int etw_ioctl_name_in(u64 ptr, u32 len, char **name)
{
	char *copy;

	if (!len)
		return -EINVAL;
	if (len > ETW_NAME_MAX)
		return -ENAMETOOLONG;
	copy = memdup_user_nul(u64_to_user_ptr(ptr), len);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	if (memchr(copy, 0, len)) {
		kfree(copy);
		return -EINVAL;
	}
	*name = copy;
	return 0;
}

/* Can a name be written there?  To be asked before anything is changed. */
int etw_ioctl_name_room(u64 ptr, u32 cap)
{
	cap = min_t(u32, cap, ETW_NAME_MAX);
	if (!ptr || !cap)
		return 0;
	return fault_in_safe_writeable(u64_to_user_ptr(ptr), cap) ? -EFAULT : 0;
}

/* Copy what fits of a name to the caller's cap bytes at ptr, if there are any. */
int etw_ioctl_name_out(u64 ptr, u32 cap, const char *name, u32 len)
{
	len = min(cap, len);
	if (!ptr || !len)
		return 0;
	return copy_to_user(u64_to_user_ptr(ptr), name, len) ? -EFAULT : 0;
}
