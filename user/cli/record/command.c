/* SPDX-License-Identifier: MIT */
/*
 * command.c - the command that runs while its events are recorded or watched
 */
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/cli.h"
#include "command.h"

void command_signals(sigset_t *signals)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, 0 };
	struct sigaction now;
	const int *number;

	sigemptyset(signals);
	for (number = all; *number; number++)
		if (!sigaction(*number, NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(signals, *number);
}

static int spawn(struct command *c, const sigset_t *mask, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults;
	int err = posix_spawnattr_init(&attr);

	if (err)
		return err;
	err = posix_spawn_file_actions_init(&actions);
	if (!err) {
		if (c->to_stderr)
			err = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO,
							       STDOUT_FILENO);
		sigemptyset(&defaults);
		sigaddset(&defaults, SIGPIPE);
		posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
		posix_spawnattr_setsigmask(&attr, mask);
		posix_spawnattr_setsigdefault(&attr, &defaults);
		if (!err)
			err = posix_spawnp(pid, c->argv[0], &actions, &attr, c->argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	posix_spawnattr_destroy(&attr);
	return err;
}

int command_spawn(struct command *c, const sigset_t *mask)
{
	pid_t pid = 0;
	int err;

	if (!c->argv)
		return 0;
	err = spawn(c, mask, &pid);
	if (!err) {
		c->pid = pid;
		return 0;
	}
	cli_fail("%s: cannot be run: %s", cli_quote(c->argv[0]), strerror(err));
	/* The same codes as the shell and time(1) */
	return err == ENOENT ? 127 : 126;
}

/* A signal must not be passed on to another process that gets the pid. */
static bool reap(struct command *c, int flags)
{
	siginfo_t info = { 0 };
	pid_t pid = c->pid;

	if (!pid || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | flags) || !info.si_pid)
		return false;
	c->pid = 0;
	waitpid(pid, &c->status, 0);
	return true;
}

bool command_has_ended(struct command *c)
{
	return reap(c, WNOHANG);
}

bool command_signal(struct command *c, const siginfo_t *info)
{
	if (!c->pid)
		return true;
	/* The terminal has sent it to the command itself. */
	if (info->si_code != SI_KERNEL)
		kill(c->pid, info->si_signo);
	switch (info->si_signo) {
	case SIGUSR1:
	case SIGUSR2:
		return false;
	case SIGINT:
	case SIGQUIT:
		return ++c->interrupts > 1;
	default:
		c->ending = true;
		return true;
	}
}

int command_status(struct command *c, bool end)
{
	if (!c->argv)
		return 0;
	if (c->pid && end && !c->ending)
		kill(c->pid, SIGTERM);
	while (c->pid && !reap(c, 0) && errno == EINTR)
		;
	return WIFEXITED(c->status) ? WEXITSTATUS(c->status) : 128 + WTERMSIG(c->status);
}
