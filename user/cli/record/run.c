/* SPDX-License-Identifier: MIT */
/*
 * run.c - wait for what ends a recording: the command, a signal, the time
 *
 * Signals are blocked and waited for, so that none interrupts a step.
 */
#include <errno.h>
#include "cli/cli.h"
#include "recording.h"
#include "device/kdev.h"

#define TICK_MS		500

void record_hold_signals(struct record *r)
{
	command_signals(&r->signals);
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

/* Update the counters and the progress line.  False: the session is gone. */
static bool tick(struct record *r)
{
	static struct session now;
	struct sample before = r->last;

	if (r->private)		/* its sessions have no counters here */
		return true;
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
	siginfo_t info;
	int number;

	while ((now = since_begin_ms(r)) < over) {
		number = next <= now ? 0 : next_signal(r, (next < over ? next : over) - now, &info);
		if (number == SIGCHLD) {
			if (command_has_ended(&r->command))
				return RECORD_COMMAND;
		} else if (number) {
			if (command_signal(&r->command, &info))
				return RECORD_ASKED;
		} else if (since_begin_ms(r) >= next) {
			if (!tick(r))
				return RECORD_STOPPED;
			if (r->last.session.log.log.full && !r->command.pid)
				return RECORD_FULL;
			next = since_begin_ms(r) + TICK_MS;
		}
	}
	return RECORD_ASKED;
}
