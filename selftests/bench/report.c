// SPDX-License-Identifier: GPL-2.0-only
/*
 * report - how long etw report takes, compared with etw dump, and how much memory
 *
 *	report [--json FILE] [--events N] [--only LOAD] [--rounds N]
 *
 * Each load is a log file that the library writes (load.h): what traces have most of, and one that
 * is made to take as much memory as possible. Both commands read it in turn, so many rounds, three
 * by default. CPU time is user and system time of all threads.
 *
 * JSON goes to FILE or to the file named in $ETW_BENCH_JSON; the default of --events is
 * $ETW_BENCH_EVENTS or 10,000,000, of which the last load has at most 1,200,000. The files take up
 * to 3 GB in $TMPDIR, one at a time.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>

#include "lib/vm_dev.h"
#include "bench/load_run.h"

static unsigned int events = 10000000, rounds = 3;
static const char *only;
static char etw[4096], path[4096];
static struct load_cost costs[LOADS];

static bool is_wanted(const struct load *load)
{
	return !only || !strcmp(only, load->key);
}

static int measure(void)
{
	const char *tmp = getenv("TMPDIR");
	int failed = 0, err;

	snprintf(path, sizeof(path), "%s/etw-load-%d.etl", tmp ? tmp : "/tmp", (int)getpid());
	for (unsigned int i = 0; i < LOADS && !failed; i++) {
		if (!is_wanted(&loads[i]))
			continue;
		err = load_write(path, &loads[i], events);
		failed = err || !load_measure(etw, path, rounds, &costs[i]);
		if (failed)
			fprintf(stderr, "report: %s: %s\n", loads[i].key,
				err ? strerror(-err) : "etw failed");
		unlink(path);
	}
	return failed;
}

static void print_table(void)
{
	printf("\n%-34s %9s %12s %12s %7s %5s %5s\n", "etw report, CPU seconds", "events", "dump",
	       "report", "ratio", "MB", "page");
	for (unsigned int i = 0; i < LOADS; i++)
		if (costs[i].dump > 0)
			printf("%-34s %9u %12.2f %12.2f %7.2f %5.0f %5.1f\n", loads[i].title,
			       load_events(&loads[i], events), costs[i].dump, costs[i].report,
			       costs[i].ratio, costs[i].mb, costs[i].page_mb);
}

static int print_json(const char *to)
{
	FILE *f = fopen(to, "we");
	const char *comma = "";

	if (!f) {
		perror(to);
		return 1;
	}
	fprintf(f, "{\n    \"unit\": \"CPU seconds\",\n    \"rows\": [");
	for (unsigned int i = 0; i < LOADS; i++) {
		if (costs[i].dump <= 0)
			continue;
		fprintf(f, "%s\n      {\"key\": \"%s\", \"events\": %u, \"dump\": %.3f, \"report\": %.3f, "
			"\"ratio\": %.3f, \"mb\": %.1f, \"page_mb\": %.2f}", comma, loads[i].key,
			load_events(&loads[i], events), costs[i].dump, costs[i].report,
			costs[i].ratio, costs[i].mb, costs[i].page_mb);
		comma = ",";
	}
	fprintf(f, "\n    ]\n  }\n");
	return fclose(f) != 0;
}

int main(int argc, char **argv)
{
	const char *json = getenv("ETW_BENCH_JSON"), *n = getenv("ETW_BENCH_EVENTS");
	int i;

	if (n && atoi(n) > 0)
		events = (unsigned int)atoi(n);
	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--json"))
			json = argv[i + 1];
		else if (!strcmp(argv[i], "--only"))
			only = argv[i + 1];
		else if (!strcmp(argv[i], "--events") && atoi(argv[i + 1]) > 0)
			events = (unsigned int)atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--rounds") && atoi(argv[i + 1]) > 0 &&
			 atoi(argv[i + 1]) <= LOAD_ROUNDS)
			rounds = (unsigned int)atoi(argv[i + 1]);
		else
			break;
	}
	if (i < argc) {
		fprintf(stderr, "usage: report [--json FILE] [--events N] [--only LOAD] [--rounds N]\n");
		return 2;
	}
	snprintf(etw, sizeof(etw), "%s/etw", vm_build());
	if (access(etw, X_OK)) {
		fprintf(stderr, "report: build/etw is missing: make cli\n");
		return 1;
	}
	if (measure())
		return 1;
	print_table();
	return json ? print_json(json) : 0;
}
