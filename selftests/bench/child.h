/* SPDX-License-Identifier: GPL-2.0-only */
/* child.h - what a process took */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

struct child_cost {
	double cpu;	/* seconds of all threads, user and system */
	double mb;	/* largest resident size */
};

/* Wait for a child; -1: fork() has failed. false: it failed. */
static bool child_wait(pid_t pid, struct child_cost *cost)
{
	struct rusage usage;
	int status;

	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return false;
	cost->cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		    1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	cost->mb = (double)usage.ru_maxrss / 1024;
	return true;
}

#endif /* BENCH_CHILD_H */
