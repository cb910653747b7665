/* SPDX-License-Identifier: MIT */
/*
 * screen.c - the terminal that stdout may be: its width, its colours, and a pager for it
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "screen.h"

#define WIDTH_USUAL	80

static pid_t pager;

unsigned int screen_width(void)
{
	struct winsize size = { .ws_col = 0 };

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return WIDTH_USUAL;
	return size.ws_col;
}

bool screen_has_colour(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
}

/* NULL: none is wanted. */
static const char *pager_command(void)
{
	const char *command = getenv("ETW_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
	return *command && strcmp(command, "cat") ? command : NULL;
}

/* In the child; only an error returns, written to the pipe that exec() closes. */
static _Noreturn void run_pager(const char *command, int input, int failed)
{
	char *const words[] = { (char *)command, NULL };
	int err;

	dup2(input, STDIN_FILENO);
	/* Colours pass, and a single page is left on the screen. */
	setenv("LESS", "FRX", 0);
	if (strpbrk(command, " \t\n|&;<>()$`\\\"'*?[#~=%"))
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	else
		execvp(command, words);
	err = errno;
	if (write(failed, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

/* At exit: the last output must reach the pager, and the shell waits for it as we do. */
static void end_pager(void)
{
	fflush(stdout);
	fflush(stderr);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}

void screen_page(void)
{
	const char *command = pager_command();
	int output[2], failed[2], err;

	if (!command || pipe2(output, O_CLOEXEC))
		return;
	if (pipe2(failed, O_CLOEXEC)) {
		close(output[0]);
		close(output[1]);
		return;
	}
	fflush(stdout);
	pager = fork();
	if (!pager)
		run_pager(command, output[0], failed[1]);
	close(output[0]);
	close(failed[1]);
	/* Without a pager the terminal gets the output itself. */
	if (pager > 0 && read(failed[0], &err, sizeof(err)) <= 0) {
		dup2(output[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO))
			dup2(output[1], STDERR_FILENO);
		/* Ctrl-C is for the pager, whose end then ends this command. */
		signal(SIGINT, SIG_IGN);
		atexit(end_pager);
	} else if (pager > 0) {
		waitpid(pager, NULL, 0);
	}
	close(output[1]);
	close(failed[0]);
}

bool screen_is_unread(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	return poll(&out, 1, 0) == 1 && out.revents & (POLLERR | POLLHUP);
}
