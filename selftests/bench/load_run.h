/* SPDX-License-Identifier: GPL-2.0-only */
/* load_run.h - what etw report and etw dump take for a log file of load.h, each in turn */
#ifndef BENCH_LOAD_RUN_H
#define BENCH_LOAD_RUN_H

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/child.h"
#include "bench/load.h"
#include "bench/sort.h"

#define LOAD_ROUNDS	9	/* at most */

struct load_cost {
	double dump, report;	/* CPU seconds of all threads: the least of the rounds */
	double ratio;		/* of report to dump: the median of the rounds */
	double mb, page_mb;	/* the largest resident size of report; of what it wrote */
};

/* Run a command without output. false: it failed. */
static bool load_spawn(char *const argv[], struct child_cost *cost)
{
	pid_t pid = fork();
	int null;

	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, 1);
		dup2(null, 2);
		execv(argv[0], argv);
		_exit(127);
	}
	return child_wait(pid, cost);
}

/* The least so far; 0: none yet */
static void load_least(double *least, double value)
{
	if (!*least || value < *least)
		*least = value;
}

/* etw: the command; path: the log file, beside which a page is written and removed */
static bool load_measure(const char *etw, const char *path, unsigned int rounds,
			 struct load_cost *cost)
{
	char page[4200];
	char *const dump_words[] = { (char *)etw, (char *)"dump", (char *)path, NULL };
	char *const report_words[] = {
		(char *)etw, (char *)"report", (char *)"-q", (char *)"--replace", (char *)"-o", page,
		(char *)path, NULL,
	};
	struct child_cost dump, report;
	double ratios[LOAD_ROUNDS];
	struct stat st;

	memset(cost, 0, sizeof(*cost));
	snprintf(page, sizeof(page), "%s.html", path);
	for (unsigned int i = 0; i < rounds; i++) {
		if (!load_spawn(dump_words, &dump) || !load_spawn(report_words, &report) ||
		    stat(page, &st))
			return false;
		load_least(&cost->dump, dump.cpu);
		load_least(&cost->report, report.cpu);
		ratios[i] = report.cpu / (dump.cpu > 0.001 ? dump.cpu : 0.001);
		cost->mb = report.mb > cost->mb ? report.mb : cost->mb;
		cost->page_mb = (double)st.st_size / 1e6;
	}
	unlink(page);
	sort_figures(ratios, rounds);
	cost->ratio = ratios[rounds / 2];
	return true;
}

#endif /* BENCH_LOAD_RUN_H */
