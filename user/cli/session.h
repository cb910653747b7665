/* SPDX-License-Identifier: MIT */
/*
 * session.h - find sessions, show them
 */
#ifndef ETW_CLI_SESSION_H
#define ETW_CLI_SESSION_H

#include <etw/abi.h>
#include "cli.h"
#include "text.h"
#include "lib/controller/log_target.h"

struct session {
	struct etw_session s;
	struct etw_log_status log;	/* log.name_len is 0: no file */
	char name[ETW_NAME_MAX + 1];
	bool processes;		/* an option to start it: record the names of processes ... */
	bool images;		/* ... and which files they map, for the names in their stacks */
};

/* One of the etw_kdev_session_*() functions. */
typedef int (*session_command)(int fd, struct etw_session *session);

int session_do(int fd, session_command command, const char *name,
	       struct session *session);
/* Open the device and query a session; the descriptor, or -1 after a message. */
int session_open(const char *name, struct session *session);
int session_by_handle(int fd, uint64_t handle, struct session *session);
int session_list(int fd, struct session **list, unsigned int *count);
/* Report that there is no such session, and which one may be meant.  Returns the exit status. */
int session_missing(const char *name);
int session_fail(const char *name, int err, const char *takes);
/* Reading it could not begin. */
int session_read_fail(int fd, const char *name, int err);
int session_too_large(const char *name);
/* What the option --flush sets */
#define CLI_FLUSH(to)	CLI_MILLIS(to, 1, 86400)

const char *session_mode(const struct session *session);
void session_print(const struct session *session);
/* The members of its JSON object */
void session_json(struct etw_text *to, const struct session *session);
/* As text, or as a line of JSON */
void session_show(const struct session *session, bool json);
/* Its log file, if there is one, in one line */
void session_print_file(const struct session *session);
/* Did an error make a file of the session incomplete? */
bool session_file_failed(const struct session *session);
/* Report it: why a file of the session is incomplete; 0: all are complete as far as is known. */
int session_file_error(const struct session *session);

#endif /* ETW_CLI_SESSION_H */
