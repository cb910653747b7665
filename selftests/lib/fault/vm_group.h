/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_group.h - cgroups with a memory controller
 *
 * All groups of a test lie under t-etw, and are named by their path from
 * there; "" is t-etw itself.
 */
#ifndef ETW_SELFTEST_VM_GROUP_H
#define ETW_SELFTEST_VM_GROUP_H

#include "lib/vm_dev.h"

#include <sys/mount.h>
#include <sys/stat.h>

#define VM_GROUPS	"/sys/fs/cgroup"
#define VM_GROUP	VM_GROUPS "/t-etw"

bool vm_put_text(const char *path, const char *text);

const char *vm_group_path(const char *group, const char *file);

static inline bool vm_group_put(const char *group, const char *file, const char *text)
{
	return vm_put_text(vm_group_path(group, file), text);
}

/* Make a group; NULL, or the reason why that is impossible. */
const char *vm_group_make(const char *group);

/* Move the calling process into the group. */
static inline bool vm_group_join(const char *group)
{
	return vm_group_put(group, "cgroup.procs", "0");
}

static inline void vm_group_leave(void)
{
	vm_put_text(VM_GROUPS "/cgroup.procs", "0");
}

/* Remove a group when it is empty: its last member may still be exiting. */
static inline bool vm_group_remove(const char *group)
{
	return vm_until(!rmdir(vm_group_path(group, "")) || errno == ENOENT);
}

/* The number that a file of the group consists of; -1: it cannot be read. */
long long vm_group_value(const char *group, const char *file);
/* The number after key in a file of the group; -1 if the key is missing. */
long long vm_group_number(const char *group, const char *file, const char *key);

#endif /* ETW_SELFTEST_VM_GROUP_H */
