/* SPDX-License-Identifier: MIT */
/*
 * threads.h - wait for the other threads of a test program
 *
 * Instead of a pause that may be too short: for a condition, or until a thread sleeps in
 * the kernel, because it has nothing to do or waits for another.
 */
#ifndef ETW_THREADS_H
#define ETW_THREADS_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UNTIL_LIMIT_MS	60000

/* Wait until cond holds; false if it does not within a minute. */
#define until(cond) ({							\
	int _ms = 0;							\
	bool _ok;							\
	while (!(_ok = !!(cond)) && _ms++ < UNTIL_LIMIT_MS)		\
		usleep(1000);						\
	_ok; })

/* The letter of the thread's state in /proc; 'X' if it has ended. */
static char thread_state(pid_t tid)
{
	char path[64], line[256] = "", *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "re");
	if (!f)
		return 'X';
	end = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return end ? end[2] : 'X';
}

static bool others_sleep_now(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *d;
	bool sleep = true;

	if (!dir)
		abort();
	while ((d = readdir(dir))) {
		pid_t tid = atoi(d->d_name);

		if (tid > 0 && tid != syscall(SYS_gettid) && !strchr("SXZ", thread_state(tid)))
			sleep = false;
	}
	closedir(dir);
	return sleep;
}

/* Wait until all other threads sleep. */
__attribute__((__unused__))
static bool others_sleep(void)
{
	return until(others_sleep_now());
}

/* Wait until the main thread sleeps. */
__attribute__((__unused__))
static bool main_sleeps(void)
{
	return until(thread_state(getpid()) == 'S');
}

#endif /* ETW_THREADS_H */
