/* SPDX-License-Identifier: MIT */
/*
 * session_conf.h - the file of an autologger session, split into commands and words
 *
 *	# Keep the last 200 MB of each of the last four boots.
 *	start --guid 01234567-89ab-cdef-0123-456789abcdef --circular --max-size 200M --file-max 4
 *	enable 89abcdef-0123-4567-89ab-cdef01234567 --level info --exe bash
 *
 * Each line is a command with the options of etw start or etw enable.  A # begins a comment.
 * Words are quoted as in a shell: '...', "...", and \ before a character; a \ at the end of
 * a line continues it.  Nothing is expanded.
 *
 * This parser knows commands and words only; conf_files.c and start.c parse the options.
 * It has no state, so threads may parse at the same time.
 */
#ifndef ETW_CLI_AUTOLOGGER_SESSION_CONF_H
#define ETW_CLI_AUTOLOGGER_SESSION_CONF_H

#include <stddef.h>

#define ETW_AUTOLOG_DIR		"/etc/etw/autologger.d"
#define ETW_AUTOLOG_SUFFIX	".conf"
#define ETW_AUTOLOG_PROVIDERS	1024	/* of one session */
#define ETW_AUTOLOG_WORDS	256	/* of one command */
#define ETW_AUTOLOG_FILES	16	/* --file-max */

/* A command: argv[0] is "start" or "enable"; argv[argc] is NULL. */
struct etw_autolog_command {
	unsigned int line;	/* where it begins, from 1; 0: there is none */
	int argc;
	char **argv;
};

struct etw_autolog_conf {
	struct etw_autolog_command start;
	struct etw_autolog_command *enables;
	size_t enable_count;
	char *words;		/* the bytes of all words */
};

struct etw_autolog_error {
	unsigned int line;	/* 0: it concerns the whole file */
	char what[192];
};

typedef void etw_autolog_report_fn(void *context, const struct etw_autolog_error *error);

/*
 * Parse a file and report every error, in the order of lines.  -EINVAL: there were some, and
 * conf has the commands that are correct; -ENOMEM.  Free conf in any case.
 */
int etw_autolog_parse(const char *text, size_t len, struct etw_autolog_conf *conf,
		      etw_autolog_report_fn *report, void *context);
void etw_autolog_free(struct etw_autolog_conf *conf);

#endif /* ETW_CLI_AUTOLOGGER_SESSION_CONF_H */
