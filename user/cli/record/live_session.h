/* SPDX-License-Identifier: MIT */
/*
 * live_session.h - a session that exists as long as the command runs, with its providers
 *
 * In order: name, begin, and enable_list_enable() once it has a reader; then quiesce, stop and end.
 * However the command ends, SIGKILL included, the session is stopped.
 */
#ifndef ETW_CLI_RECORD_LIVE_SESSION_H
#define ETW_CLI_RECORD_LIVE_SESSION_H

#include "cli/provider_counts.h"
#include "cli/request/enable_list.h"
#include "own_session.h"

struct live_session {
	int fd;				/* the device */
	const char *name;		/* set by an option, or by live_session_name() */
	char own_name[48];
	struct session session;		/* options to start it; then its state */
	struct enable_list providers;
	bool stopped;			/* by another process, found by live_session_stop() */
	struct own_session_guard guard;
};

/* Give it a GUID, and a name, PREFIX and the pid, unless they are set. */
void live_session_name(struct live_session *live, const char *prefix);
/* Start it, and have it name processes if session.processes is set.  Returns the exit status. */
int live_session_begin(struct live_session *live);
/* Disable the providers and flush: what was written before goes to the reader, and is counted. */
void live_session_quiesce(struct live_session *live);
void live_session_stop(struct live_session *live);
/* After the stop, or if it did not begin */
void live_session_end(struct live_session *live);
/*
 * A line for each provider without an event: that may be what was expected, or a wrong name.
 * command_ended, done: as for provider_silent()
 */
void live_session_report(const struct live_session *live, const struct provider_counts *counts,
			 bool command_ended, const char *done);

#endif /* ETW_CLI_RECORD_LIVE_SESSION_H */
