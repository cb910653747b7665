/* SPDX-License-Identifier: MIT */
/*
 * verify.h - is a trace complete? of log files and of running sessions
 */
#ifndef ETW_CLI_VERIFY_H
#define ETW_CLI_VERIFY_H

#include <stdbool.h>
#include "cli/sample.h"
#include "cli/text.h"
#include "etl/verify/verify.h"

#define VERIFY_EXIT_LOST	3	/* something is missing */

#define CLI_OPTION_STRICT(to) \
	{ "strict", 0, NULL, "exit with 3 if something was lost", CLI_FLAG(to) }

/* print.c: the verdict on a file, as text or as a line of JSON */
void verify_print(const char *path, const struct etw_verdict *verdict);
void verify_print_json(const char *path, const struct etw_verdict *verdict);

/* files.c: judge log files.  NULL: print nothing.  Returns the exit status, 0, 1 or 3. */
typedef void verify_print_fn(const char *path, const struct etw_verdict *verdict);
int verify_files(char **paths, verify_print_fn *print);
/* The same for --strict: notes which files are incomplete. */
int verify_strict(char **paths);
/* Report an error of etw_etl_verify().  Returns the exit status. */
int verify_fail(const char *path, int err);

/* session.c: what a session has lost so far, from the beginning */

struct verify_loss {
	const char *key;	/* for programs */
	const char *text;
	uint64_t events, buffers;	/* both 0: not known */
	uint32_t pid;		/* of the reader that lost them, or 0 */
	int error;		/* errno of the log file, or 0 */
	bool unwritten;		/* text says only why they were lost when written */
};

struct verify_losses {
	struct verify_loss list[ETW_DROP_CAUSES + ETW_CONSUMERS_MAX + 8];
	unsigned int count;
	uint64_t overwritten;	/* events, as a buffering session is asked to do */
};

/* stat: its counters, maybe some time before; or NULL */
void verify_session(const struct session *session, const struct etw_session_stat *stat,
		    struct verify_losses *losses);
/* Judge a running session and print that.  Returns the exit status. */
int verify_session_named(const char *name, bool json);

#endif /* ETW_CLI_VERIFY_H */
