/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ran.h - CPU time of a program and of the threads that write log files
 *
 * In ns; under "scripts/vm --icount" in instructions.
 */
#ifndef BENCH_RAN_H
#define BENCH_RAN_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static inline double ran_self(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* Read the first line of file @name in a task's /proc folder; "" if it cannot be read. */
static inline void ran_read(const char *task, const char *name, char *to, int size)
{
	char path[300];
	FILE *f;

	*to = 0;
	snprintf(path, sizeof(path), "/proc/%.100s/%s", task, name);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(to, size, f))
		*to = 0;
	fclose(f);
}

/*
 * All sessions' threads together.  They must be asleep: the kernel does not account the
 * time since a thread was last scheduled.  0: no thread, or the kernel has no such
 * account.
 */
static inline double ran_log_threads(void)
{
	unsigned long long ns;
	struct dirent *entry;
	double sum = 0;
	char text[64];
	DIR *proc = opendir("/proc");

	while (proc && (entry = readdir(proc)) != NULL) {
		ran_read(entry->d_name, "comm", text, sizeof(text));
		if (strncmp(text, "etw/", 4))
			continue;
		ran_read(entry->d_name, "schedstat", text, sizeof(text));
		if (sscanf(text, "%llu", &ns) == 1)
			sum += (double)ns;
	}
	if (proc)
		closedir(proc);
	return sum;
}

#endif /* BENCH_RAN_H */
