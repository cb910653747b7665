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
#include "cli/request/start_options.h"
#include "session_guard.h"

struct live_session {
	int fd;				/* the device */
	const char *name;		/* set by an option, or by live_session_name() */
	char own_name[48];
	struct session session;		/* options to start it; then its state */
	bool no_processes;		/* set by an option: no names of them */
	struct enable_list providers;
	struct provider_counts counts;
	bool stopped;			/* by another process, found by live_session_stop() */
	struct session_guard guard;
};

/* The options of such a session, for the table of a command, whose own ones begin at END. */
enum { LIVE_SESSION_OPT_NAME = 0x180, LIVE_SESSION_OPT_END };

#define LIVE_SESSION_OPTIONS(live, prefix)					\
	{ "session", LIVE_SESSION_OPT_NAME, "NAME",				\
	  "name of the session; default: " prefix "PID", NULL },		\
	START_MORE_OPTIONS((live).session.s),					\
	START_NO_PROCESSES_OPTION((live).no_processes)

/* Take one of these, or of its providers; false: it is none of them. */
bool live_session_option(struct live_session *live, int option, char *value);
/* Give it a GUID, and a name, PREFIX and the pid, unless they are set. */
void live_session_name(struct live_session *live, const char *prefix);
/* Start it, and have it name processes unless no_processes.  Returns the exit status. */
int live_session_begin(struct live_session *live);
/* Disable the providers and flush: what was written before goes to the reader, and is counted. */
void live_session_quiesce(struct live_session *live);
void live_session_stop(struct live_session *live);
/* After the stop, or if it did not begin */
void live_session_end(struct live_session *live);
/* Count an event that came. */
void live_session_count(struct live_session *live, const struct etw_event *event);
/*
 * After the end: that another process stopped it, or a line for each provider without an event,
 * which may be what was expected, or a wrong name.  command_ended, done: as for provider_silent()
 */
void live_session_report(const struct live_session *live, bool command_ended, const char *done);
void live_session_free(struct live_session *live);
/* If nobody reads stdout any more, end as a write to it would.  After the device was closed. */
void live_session_end_unread(void);

#endif /* ETW_CLI_RECORD_LIVE_SESSION_H */
