/* SPDX-License-Identifier: MIT */
/*
 * run.c - wait for what ends a recording: the command, a signal, the time
 *
 * Signals are blocked and waited for, so that none interrupts a step.  Ctrl-C reaches both the
 * command and this process.  The first one is for the command: recording ends when the command
 * ends.  A signal that was sent only to this process is passed on.
 */
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/cli.h"
#include "recording.h"
#include "device/kdev.h"

#define TICK_MS		500

/* Signals that would end this process, but not the session */
static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };

void record_hold_signals(struct record *r)
{
	size_t i;

	sigemptyset(&r->signals);
	for (i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		sigaddset(&r->signals, ending[i]);
	sigaddset(&r->signals, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);	/* ignored, the command's status would be lost */
	signal(SIGPIPE, SIG_IGN);	/* a closed stderr must not end the recording */
	sigprocmask(SIG_BLOCK, &r->signals, &r->before);
}

void record_release_signals(const struct record *r)
{
	sigprocmask(SIG_SETMASK, &r->before, NULL);
	signal(SIGPIPE, SIG_DFL);
}

int record_spawn(struct record *r)
{
	posix_spawnattr_t attr;
	sigset_t defaults;
	int err;

	if (!r->command)
		return 0;
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	err = posix_spawnattr_init(&attr);
	if (!err) {
		posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
		posix_spawnattr_setsigmask(&attr, &r->before);
		posix_spawnattr_setsigdefault(&attr, &defaults);
		err = posix_spawnp(&r->pid, r->command[0], NULL, &attr, r->command, environ);
		posix_spawnattr_destroy(&attr);
	}
	if (!err)
		return 0;
	r->pid = 0;
	cli_fail("%s: cannot be run: %s", cli_quote(r->command[0]), strerror(err));
	/* The same codes as the shell and time(1) */
	return err == ENOENT ? 127 : 126;
}

static bool has_ended(struct record *r)
{
	pid_t pid = r->pid ? waitpid(r->pid, &r->status, WNOHANG) : 0;

	if (pid <= 0)
		return false;
	r->pid = 0;
	return true;
}

/* Does this signal end the recording?  Only the second Ctrl-C does. */
static bool take_signal(struct record *r, const siginfo_t *info, unsigned int *interrupts)
{
	if (!r->pid)
		return true;
	/* The terminal has sent it to the command itself. */
	if (info->si_code != SI_KERNEL)
		kill(r->pid, info->si_signo);
	switch (info->si_signo) {
	case SIGUSR1:
	case SIGUSR2:
		return false;
	case SIGINT:
	case SIGQUIT:
		return ++*interrupts > 1;
	default:
		r->ending = true;
		return true;
	}
}

/* Update the counters and the progress line.  False: the session is gone. */
static bool tick(struct record *r)
{
	static struct session now;
	struct sample before = r->last;

	if (session_by_handle(r->fd, r->last.session.s.handle, &now) ||
	    sample_take(r->fd, &now, &r->last))
		return false;
	if (r->progress)
		record_show_progress(r, &before);
	return true;
}

static int64_t since_begin_ms(const struct record *r)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - r->begin.tv_sec) * 1000 +
	       (now.tv_nsec - r->begin.tv_nsec) / 1000000;
}

/* Wait for a signal, at most ms.  Returns its number, or 0. */
static int next_signal(const struct record *r, int64_t ms, siginfo_t *info)
{
	struct timespec timeout = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	int number = sigtimedwait(&r->signals, info, &timeout);

	return number > 0 ? number : 0;
}

enum record_end record_wait(struct record *r)
{
	int64_t over = r->duration_ms ? r->duration_ms : INT64_MAX, next = TICK_MS, now;
	unsigned int interrupts = 0;
	siginfo_t info;
	int number;

	while ((now = since_begin_ms(r)) < over) {
		number = next <= now ? 0 : next_signal(r, (next < over ? next : over) - now, &info);
		if (number == SIGCHLD) {
			if (has_ended(r))
				return RECORD_COMMAND;
		} else if (number) {
			if (take_signal(r, &info, &interrupts))
				return RECORD_ASKED;
		} else if (since_begin_ms(r) >= next) {
			if (!tick(r))
				return RECORD_STOPPED;
			if (r->last.session.log.log.full && !r->pid)
				return RECORD_FULL;
			next = since_begin_ms(r) + TICK_MS;
		}
	}
	return RECORD_ASKED;
}

int record_command_status(struct record *r, bool end)
{
	if (!r->command)
		return 0;
	if (r->pid && end && !r->ending)
		kill(r->pid, SIGTERM);
	while (r->pid) {
		if (waitpid(r->pid, &r->status, 0) == r->pid || errno != EINTR)
			r->pid = 0;
	}
	return WIFEXITED(r->status) ? WEXITSTATUS(r->status) : 128 + WTERMSIG(r->status);
}
