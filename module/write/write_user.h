/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * write_user.h - writing events of processes
 */
#ifndef ETW_WRITE_USER_H
#define ETW_WRITE_USER_H

#include <linux/fs.h>
#include <linux/uaccess.h>
#include <etw/abi.h>

struct etw_process_hot;
struct etw_registration_hot;
struct etw_typed;

/*
 * Copy size bytes of the process, in words: for so few, copy_from_user() costs more than the copy.
 * May fault and sleep.
 */
static __always_inline bool etw_user_read(u8 *to, const u8 __user *from, u32 size)
{
	u64 word;
	u32 at;

	if (!user_access_begin(from, size))
		return false;
	for (at = 0; size - at >= sizeof(word); at += sizeof(word)) {
		unsafe_get_user(word, (const u64 __user *)(from + at), fault);
		__builtin_memcpy(to + at, &word, sizeof(word));
	}
	if (size >= sizeof(word) && at < size) {
		unsafe_get_user(word, (const u64 __user *)(from + size - sizeof(word)), fault);
		__builtin_memcpy(to + size - sizeof(word), &word, sizeof(word));
		at = size;
	}
	for (; at < size; at++)
		unsafe_get_user(to[at], from + at, fault);
	user_access_end();
	return true;
fault:
	user_access_end();
	return false;
}

bool etw_write_small(struct etw_process_hot *p, const struct etw_event_write *w, int *result);
long etw_write_command(struct file *file, const void __user *arg);
long etw_write_many(struct file *file, void *arg);
int etw_write_copied(struct etw_process_hot *p, const struct etw_event_write *w,
		     const void *payload, u32 len, const struct etw_typed *typed,
		     const u64 *stack);
struct etw_registration_hot *etw_process_find(struct etw_process_hot *p, u32 slot);
int etw_registration_check(struct etw_registration_hot *reg, bool by_owner);
int etw_process_may_write(struct etw_process_hot *p, u32 slot);
int etw_gather(u8 *to, const struct etw_data_descriptor *pieces, u32 count);

#endif /* ETW_WRITE_USER_H */
