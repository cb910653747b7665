/* SPDX-License-Identifier: MIT */
/*
 * list_bpf.c - which registrations are of BPF programs whose events go through a ring
 *
 * The process that forwards them says so by the name of a thread, which everybody can read.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <etw/bpf.h>
#include "list_bpf.h"

static bool thread_is(uint32_t pid, const char *thread, const char *name)
{
	char path[64], comm[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/task/%.20s/comm", pid, thread);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fgets(comm, sizeof(comm), file))
		comm[strcspn(comm, "\n")] = '\0';
	fclose(file);
	return !strcmp(comm, name);
}

bool list_forwards_bpf(const struct etw_provider_reg *reg, const struct etw_guid *provider)
{
	char path[64], name[16];
	const struct dirent *entry;
	bool found = false;
	DIR *dir;

	if (reg->flags & ETW_REG_KERNEL || !reg->pid)
		return false;
	snprintf(name, sizeof(name), ETW_BPF_THREAD "%08x", provider->data1);
	snprintf(path, sizeof(path), "/proc/%u/task", reg->pid);
	dir = opendir(path);
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)))
		found = entry->d_name[0] != '.' && thread_is(reg->pid, entry->d_name, name);
	closedir(dir);
	return found;
}
