/* SPDX-License-Identifier: MIT */
/*
 * session_guard.h - a process that stops the session of a command that was killed
 */
#ifndef ETW_CLI_RECORD_SESSION_GUARD_H
#define ETW_CLI_RECORD_SESSION_GUARD_H

#include <sys/types.h>
#include "cli/session.h"

/* Their names begin so; the pid of the command follows. */
#define SESSION_NAME_RECORD	"etw-record-"
#define SESSION_NAME_WATCH	"etw-watch-"
#define SESSION_NAME_TOP		"etw-top-"

/* Note the sessions whose command was killed. */
void session_guard_left(int fd);

/*
 * A small process that stops the session should this one be killed.  Call session_guard_begin()
 * before the session is started: its name and GUID, which must be set, identify it.
 */
struct session_guard {
	pid_t pid;
	int alive;		/* is closed when this process ends */
};

/* 0 or -errno */
int session_guard_begin(struct session_guard *guard, int fd, const char *name,
		      const struct etw_guid *guid);
/* The session is stopped, or was not started: the guard is not needed any more. */
void session_guard_end(struct session_guard *guard);

#endif /* ETW_CLI_RECORD_SESSION_GUARD_H */
