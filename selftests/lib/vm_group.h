/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_group.h - cgroups with a memory controller
 *
 * All groups of a test lie under t-etw, and are named by their path from
 * there; "" is t-etw itself.
 */
#ifndef ETW_SELFTEST_VM_GROUP_H
#define ETW_SELFTEST_VM_GROUP_H

#include "vm_dev.h"

#include <sys/mount.h>
#include <sys/stat.h>

#define VM_GROUPS	"/sys/fs/cgroup"
#define VM_GROUP	VM_GROUPS "/t-etw"

static inline bool vm_put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

static inline const char *vm_group_path(const char *group, const char *file)
{
	static char path[256];

	snprintf(path, sizeof(path), VM_GROUP "%s%s%s%s", *group ? "/" : "", group,
		 *file ? "/" : "", file);
	return path;
}

static inline bool vm_group_put(const char *group, const char *file, const char *text)
{
	return vm_put_text(vm_group_path(group, file), text);
}

/* Make a group; NULL or why there is none. */
static inline const char *vm_group_make(const char *group)
{
	if (access(VM_GROUPS "/cgroup.procs", F_OK) &&
	    mount("none", VM_GROUPS, "cgroup2", 0, NULL))
		return "no cgroup2";
	vm_put_text(VM_GROUPS "/cgroup.subtree_control", "+memory");
	if (mkdir(vm_group_path(group, ""), 0755) && errno != EEXIST)
		return "no cgroup can be made";
	return access(vm_group_path(group, "memory.max"), W_OK) ?
		"no memory controller" : NULL;
}

/* The calling process becomes a member. */
static inline bool vm_group_join(const char *group)
{
	return vm_group_put(group, "cgroup.procs", "0");
}

static inline void vm_group_leave(void)
{
	vm_put_text(VM_GROUPS "/cgroup.procs", "0");
}

/* Once nobody is in it: its last member may still be on its way out. */
static inline bool vm_group_remove(const char *group)
{
	return vm_until(!rmdir(vm_group_path(group, "")) || errno == ENOENT);
}

/* The number after key in a file of the group; -1 if there is none. */
static inline long long vm_group_number(const char *group, const char *file,
					const char *key)
{
	FILE *f = fopen(vm_group_path(group, file), "re");
	long long number, found = -1;
	char name[64];

	while (f && fscanf(f, "%63s %lld", name, &number) == 2)
		if (!strcmp(name, key))
			found = number;
	if (f)
		fclose(f);
	return found;
}

#endif /* ETW_SELFTEST_VM_GROUP_H */
