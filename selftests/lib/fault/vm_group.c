// SPDX-License-Identifier: GPL-2.0-only
/* vm_group.c - cgroups with a memory controller */
#include "lib/fault/vm_group.h"

bool vm_put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

const char *vm_group_path(const char *group, const char *file)
{
	static char path[256];

	snprintf(path, sizeof(path), VM_GROUP "%s%s%s%s", *group ? "/" : "", group,
		 *file ? "/" : "", file);
	return path;
}

const char *vm_group_make(const char *group)
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

long long vm_group_value(const char *group, const char *file)
{
	FILE *f = fopen(vm_group_path(group, file), "re");
	long long value;

	if (!f || fscanf(f, "%lld", &value) != 1)
		value = -1;
	if (f)
		fclose(f);
	return value;
}

long long vm_group_number(const char *group, const char *file, const char *key)
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
