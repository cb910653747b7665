/* SPDX-License-Identifier: MIT */
/*
 * own_session.h - sessions that a command starts for itself, and has to stop
 */
#ifndef ETW_CLI_RECORD_OWN_SESSION_H
#define ETW_CLI_RECORD_OWN_SESSION_H

#include <sys/types.h>
#include "cli/session.h"

/* Their names begin so; the pid of the command follows. */
#define OWN_SESSION_RECORD	"etw-record-"
#define OWN_SESSION_WATCH	"etw-watch-"
#define OWN_SESSION_TOP		"etw-top-"

/* Note the sessions whose command was killed. */
void own_sessions_left(int fd);

/*
 * A small process that stops the session should this one be killed.  Call own_session_guard()
 * before the session is started: its name and GUID, which must be set, identify it.
 */
struct own_session_guard {
	pid_t pid;
	int alive;		/* is closed when this process ends */
};

/* 0 or -errno */
int own_session_guard(struct own_session_guard *guard, int fd, const char *name,
		      const struct etw_guid *guid);
/* The session is stopped, or was not started: the guard is not needed any more. */
void own_session_unguard(struct own_session_guard *guard);

#endif /* ETW_CLI_RECORD_OWN_SESSION_H */
