// SPDX-License-Identifier: GPL-2.0-only
/* vm_clock.c - the clock that a session must have, and the one it has */
#include "lib/vm_clock.h"

#include <sys/klog.h>

/* Do all lines of the file that begin with this key contain that word? */
static bool vm_lines_have(const char *path, const char *begin, const char *word)
{
	static char line[8192];
	FILE *f = fopen(path, "re");
	char *token, *rest;
	bool all = true, found, any = false;

	while (f && all && fgets(line, sizeof(line), f)) {
		if (strncmp(line, begin, strlen(begin)))
			continue;
		for (rest = line, found = false; (token = strsep(&rest, " \t\n"));)
			found |= !strcmp(token, word);
		any = true;
		all = found;
	}
	if (f)
		fclose(f);
	return any && all;
}

bool vm_tsc_unstable(void)
{
	enum { READ_ALL = 3, SIZE_BUFFER = 10 };
	int size = klogctl(SIZE_BUFFER, NULL, 0), len;
	char *log = size > 0 ? malloc(size + 1) : NULL;
	bool found;

	len = log ? klogctl(READ_ALL, log, size) : -1;
	if (len < 0) {
		perror("# klogctl");
		free(log);
		return false;
	}
	log[len] = '\0';
	found = strstr(log, "Marking TSC unstable");
	free(log);
	return found;
}

bool vm_tsc_trusted(void)
{
	static const char cpus[] = "/proc/cpuinfo";
	static const char trust[] = "/sys/module/etw/parameters/trust_tsc";

	if (!vm_lines_have(cpus, "flags", "tsc") || vm_tsc_unstable())
		return false;
	return vm_lines_have(trust, "", "Y") || vm_lines_have(cpus, "flags", "tsc_reliable") ||
	       (vm_lines_have(cpus, "flags", "constant_tsc") &&
		vm_lines_have(cpus, "flags", "nonstop_tsc"));
}

int64_t vm_filetime(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 10000000LL + ts.tv_nsec / 100 + ETW_UNIX_EPOCH_100NS;
}

struct vm_clocks vm_clocks(void)
{
	struct vm_clocks c = { 0, 0, 0 };
	struct timespec ts;

#if defined(__x86_64__) || defined(__i386__)
	c.tsc = __builtin_ia32_rdtsc();
#endif
	clock_gettime(CLOCK_BOOTTIME, &ts);
	c.mono = ts.tv_sec * VM_MONO_FREQ + ts.tv_nsec;
	c.wall = vm_filetime();
	return c;
}
