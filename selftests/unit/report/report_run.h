/* SPDX-License-Identifier: MIT */
/* report_run.h - run etw report, and compare parts of its JSON, named by Python's expressions */
#ifndef ETW_UNIT_REPORT_RUN_H
#define ETW_UNIT_REPORT_RUN_H

#include "lib/tap.h"
#include "unit/cli/cli_run.h"

/* Is this what an expression makes of the report r in /tmp/etw-report.PID.json? */
__attribute__((__unused__))
static void said(const char *expression, const char *want, const char *name)
{
	int status = run("--version >/dev/null; python3 -c \"import json; r = json.load(open('/tmp/etw-report.%d.json')); "
			 "print(%s)\"", getpid(), expression);

	ok(!status && run_printed(want), "%s", name);
	run("--version >/dev/null; rm -f /tmp/etw-report.%d.json", getpid());
}

/* The same of the report on a file, without options */
__attribute__((__unused__))
static void says(const char *path, const char *expression, const char *want, const char *name)
{
	if (run("report --replace -o /tmp/etw-report.%d.json %s", getpid(), path))
		printf("# %s\n", run_err);
	said(expression, want, name);
}

#endif /* ETW_UNIT_REPORT_RUN_H */
