// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl_access.c - the commands on access lists
 */
#include <linux/capability.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "access/access.h"
#include "alloc.h"
#include "control_lock.h"
#include "core/access.h"
#include "guid.h"
#include "handlers.h"
#include "provider/change.h"
#include "provider/log_rights.h"

/* Give the GUID that list, or none if list is NULL.  On success *list becomes the old one. */
static int access_change(const struct etw_guid *guid, struct etw_access_list **list,
			 struct etw_memory *memory)
{
	struct etw_access_list *old;
	int err = 0;

	lockdep_assert_held(&etw_control);
	if (*list)
		err = etw_access_set(*list, &old);
	else
		old = etw_access_take(guid);
	if (err || (!*list && !old))
		return err;
	err = etw_log_rights_apply(memory);
	if (err)
		etw_access_restore(guid, old);
	else
		*list = old;
	return err;
}

/* The same, with the memory that it takes.  Frees list or the old one. */
static int access_replace(const struct etw_guid *guid, struct etw_access_list *list)
{
	struct etw_memory memory = { };
	int err;

	do {
		mutex_lock(&etw_control);
		err = access_change(guid, &list, &memory);
		mutex_unlock(&etw_control);
	} while (etw_memory_again(&memory, &err, ETW_GFP));
	etw_memory_free(&memory);
	etw_access_free(list);
	etw_static_keys_settle();
	return err;
}

static bool entries_ok(const struct etw_access_entry *entries, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (!etw_access_entry_ok(&entries[i]) ||
		    (entries[i].who == ETW_ACCESS_CAPABILITY && !cap_valid(entries[i].id)))
			return false;
	return true;
}

long etw_ioctl_access_set(struct file *file, void *arg)
{
	const struct etw_access *a = arg;
	struct etw_access_entry *entries;
	struct etw_access_list *list;
	long err = -EINVAL;

	if (a->flags || a->capacity || a->own || a->reserved || etw_guid_is_null(&a->guid))
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (a->count > ETW_ACCESS_ENTRIES_MAX)
		return -ENOSPC;
	/* An empty list is valid; it grants nothing to anybody. */
	entries = kmalloc_array(a->count ?: 1, sizeof(*entries), ETW_GFP);
	if (!entries)
		return -ENOMEM;
	if (copy_from_user(entries, u64_to_user_ptr(a->entries), a->count * sizeof(*entries))) {
		kfree(entries);
		return -EFAULT;
	}
	if (entries_ok(entries, a->count)) {
		list = etw_access_alloc(&a->guid, entries, a->count);
		err = list ? access_replace(&a->guid, list) : -ENOMEM;
	}
	kfree(entries);
	return err;
}

long etw_ioctl_access_remove(struct file *file, void *arg)
{
	const struct etw_access *a = arg;

	if (a->flags || a->entries || a->count || a->capacity || a->own || a->reserved ||
	    etw_guid_is_null(&a->guid))
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return access_replace(&a->guid, NULL);
}

/* Find the requested list, and copy it. */
static int access_look(struct etw_access *a, struct etw_access_entry *copy)
{
	const struct etw_access_entry *entries;
	const struct etw_guid *guid = &a->guid;
	struct etw_access_scan scan;
	bool own;

	lockdep_assert_held(&etw_control);
	if (a->flags & ETW_ACCESS_NEXT) {
		etw_access_scan(&scan, ETW_RIGHT_QUERY);
		guid = etw_access_next(&scan, guid);
		if (!guid)
			return scan.others ? -ESRCH : -EPERM;
	} else if (!etw_access_granted(guid, ETW_RIGHT_QUERY)) {
		return -EPERM;
	}
	entries = etw_access_list(guid, &a->count, &own);
	memcpy(copy, entries, a->count * sizeof(*entries));
	a->guid = *guid;
	a->own = own;
	return 0;
}

long etw_ioctl_access_query(struct file *file, void *arg)
{
	struct etw_access *a = arg;
	struct etw_access_entry *copy;
	long err;
	u32 n;

	if (a->flags & ~ETW_ACCESS_NEXT || a->count || a->own || a->reserved ||
	    (!a->flags && etw_guid_is_null(&a->guid)))
		return -EINVAL;
	copy = kmalloc_array(ETW_ACCESS_ENTRIES_MAX, sizeof(*copy), ETW_GFP);
	if (!copy)
		return -ENOMEM;
	mutex_lock(&etw_control);
	err = access_look(a, copy);
	mutex_unlock(&etw_control);
	n = err ? 0 : min(a->count, a->capacity);
	if (n && copy_to_user(u64_to_user_ptr(a->entries), copy, n * sizeof(*copy)))
		err = -EFAULT;
	kfree(copy);
	return err;
}
