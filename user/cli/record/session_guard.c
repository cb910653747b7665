/* SPDX-License-Identifier: MIT */
/*
 * session_guard.c - a process that stops the session of a command that was killed
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/cli.h"
#include "session_guard.h"
#include "device/kdev.h"

/* The command's word if the name is one of those above, and its process does not exist */
static const char *left_by(const char *name)
{
	static const struct {
		const char *prefix, *command;
	} own[] = {
		{ SESSION_NAME_RECORD, "record" }, { SESSION_NAME_WATCH, "watch" },
		{ SESSION_NAME_TOP, "top" },
	};
	size_t i, len;
	char *end;
	long pid;

	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		len = strlen(own[i].prefix);
		if (strncmp(name, own[i].prefix, len))
			continue;
		pid = strtol(name + len, &end, 10);
		if (pid > 0 && pid <= INT32_MAX && (!*end || *end == '-') &&
		    kill((pid_t)pid, 0) && errno == ESRCH)
			return own[i].command;
	}
	return NULL;
}

void session_guard_left(int fd)
{
	struct session *list;
	unsigned int count, i;
	const char *command;

	if (session_list(fd, &list, &count))
		return;
	for (i = 0; i < count; i++) {
		command = left_by(list[i].name);
		if (command)
			cli_note("%s still runs, though its etw %s is gone: etw stop %s",
				 cli_quote(list[i].name), command, cli_quote(list[i].name));
	}
	free(list);
}

/* Another session of that name is somebody else's. */
static void stop_session(int fd, const char *name, const struct etw_guid *guid)
{
	static struct session session;

	if (session_do(fd, etw_kdev_session_query, name, &session) ||
	    !guid_equal(&session.s.guid, guid))
		return;
	session.s = (struct etw_session){ .handle = session.s.handle };
	etw_kdev_session_stop(fd, &session.s);
}

/* All but these two, and the first three */
static void close_others(unsigned int a, unsigned int b)
{
	unsigned int low = a < b ? a : b, high = a < b ? b : a;

	if (low > 3)
		close_range(3, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

/* The guard: nothing of the terminal or the pipes of this process may stay open in it. */
static _Noreturn void guard(int alive, int fd, const char *name, const struct etw_guid *guid)
{
	sigset_t all;
	char byte;
	int null;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "etw-guard");
	/* Standard descriptors that were closed may be these. */
	alive = fcntl(alive, F_DUPFD_CLOEXEC, 3);
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (alive < 0 || fd < 0 || chdir("/"))
		_exit(1);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	close_others((unsigned int)alive, (unsigned int)fd);
	/* A byte: all is well.  The end without one: this process is gone. */
	if (!read(alive, &byte, 1))
		stop_session(fd, name, guid);
	_exit(0);
}

int session_guard_begin(struct session_guard *own, int fd, const char *name,
		      const struct etw_guid *guid)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	own->pid = fork();
	if (!own->pid) {
		close(ends[1]);
		guard(ends[0], fd, name, guid);
	}
	close(ends[0]);
	own->alive = ends[1];
	if (own->pid > 0)
		return 0;
	close(own->alive);
	return -errno;
}

void session_guard_end(struct session_guard *own)
{
	if (own->pid <= 0)
		return;
	if (write(own->alive, "", 1) != 1)
		kill(own->pid, SIGKILL);
	close(own->alive);
	while (waitpid(own->pid, NULL, 0) < 0 && errno == EINTR)
		;
	own->pid = 0;
}
