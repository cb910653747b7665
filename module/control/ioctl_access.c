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
#include "provider/log_rights.h"

/* A list was changed: apply that to registrations, or undo it. */
static int access_settle(const struct etw_guid *guid, struct etw_access_list *old)
{
	int err = etw_log_rights_apply();

	if (err)
		etw_access_restore(guid, old);
	else
		etw_access_free(old);
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
	struct etw_access_list *old;
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
		mutex_lock(&etw_control);
		err = etw_access_set(&a->guid, entries, a->count, &old);
		if (!err)
			err = access_settle(&a->guid, old);
		mutex_unlock(&etw_control);
	}
	kfree(entries);
	return err;
}

long etw_ioctl_access_remove(struct file *file, void *arg)
{
	const struct etw_access *a = arg;
	struct etw_access_list *old;
	long err = 0;

	if (a->flags || a->entries || a->count || a->capacity || a->own || a->reserved ||
	    etw_guid_is_null(&a->guid))
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	mutex_lock(&etw_control);
	old = etw_access_take(&a->guid);
	if (old)
		err = access_settle(&a->guid, old);
	mutex_unlock(&etw_control);
	return err;
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
