/* SPDX-License-Identifier: MIT */
/*
 * cli_fake.h - run the etw command over the model of the device
 */
#ifndef ETW_UNIT_CLI_FAKE_H
#define ETW_UNIT_CLI_FAKE_H

#include "unit/lib/lib_fake.h"

#include <stdio.h>
#include <sys/wait.h>

#include "cli/cli.h"

static char out[8192], err[2048];

static void take(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	text[n < 0 ? 0 : n] = '\0';
	close(fd);
}

/*
 * Run a subcommand in a process of its own; returns the exit status, and stdout and
 * stderr in out and err.
 */
static int run(int (*command)(int argc, char **argv), char **argv)
{
	int fds[2] = { memfd_create("out", 0), memfd_create("err", 0) }, argc = 0, status;
	pid_t child;

	while (argv[argc])
		argc++;
	fflush(stdout);
	child = fork();
	if (!child) {
		dup2(fds[0], 1);
		dup2(fds[1], 2);
		cli_restart(argv[0]);
		_exit(cli_finish(command(argc, argv)));
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	take(fds[0], out, sizeof(out));
	take(fds[1], err, sizeof(err));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define RUN(command, ...)	run(command, (char *[]){ __VA_ARGS__, NULL })

#endif /* ETW_UNIT_CLI_FAKE_H */
