/* SPDX-License-Identifier: MIT */
/* cli_run.h - run the command without a device, and compare its output */
#ifndef ETW_UNIT_CLI_RUN_H
#define ETW_UNIT_CLI_RUN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char run_out[1 << 18], run_err[8192];

static inline void run_slurp(const char *path, char *to, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(to, 1, size - 1, f) : 0;

	to[n] = '\0';
	if (f)
		fclose(f);
	unlink(path);
}

/* Run "build/etw" with these arguments in a shell; returns the exit status. */
static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline int run(const char *format, ...)
{
	char command[4096], all[4400];
	va_list args;
	int status;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(all, sizeof(all), "TZ=UTC ETW_DEVICE=/nonexistent build/etw %s "
		 ">/tmp/etw-run.%d.out 2>/tmp/etw-run.%d.err", command, getpid(), getpid());
	status = system(all);
	snprintf(all, sizeof(all), "/tmp/etw-run.%d.out", getpid());
	run_slurp(all, run_out, sizeof(run_out));
	snprintf(all, sizeof(all), "/tmp/etw-run.%d.err", getpid());
	run_slurp(all, run_err, sizeof(run_err));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* stdout has these lines as words; if not, show it. */
static inline bool run_printed(const char *want)
{
	char *p;

	for (p = run_out; *p; p++)
		if (*p == '\n')
			*p = ' ';
	if (p > run_out && p[-1] == ' ')
		p[-1] = '\0';
	if (!strcmp(run_out, want))
		return true;
	printf("# got  %s\n# want %s\n# %s\n", run_out, want, run_err);
	return false;
}

/* stderr has exactly this text */
static inline bool run_reported(const char *want)
{
	if (*want ? strstr(run_err, want) != NULL : !run_err[0])
		return true;
	printf("# got %s\n", run_err);
	return false;
}

#endif /* ETW_UNIT_CLI_RUN_H */
