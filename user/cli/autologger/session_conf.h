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
 * This parser knows commands and words only; conf_files.c parses the options.
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
	unsigned int line;	/* where it begins, from 1 */
	int argc;
	char *argv[ETW_AUTOLOG_WORDS + 1];
};

struct etw_autolog_parser {
	char *text;		/* and the words of all commands behind it */
	const char *at;
	unsigned int line;	/* of at, from 1 */
	char *out;		/* where the next word goes */
	/* the last error, and its line */
	unsigned int error_line;
	char what[192];
};

/* Begin with a copy of the text.  0, -ENOMEM, or -EINVAL: it has control characters. */
int etw_autolog_begin(struct etw_autolog_parser *parser, const char *text, size_t len);
/*
 * Take the next command, whose words stay until etw_autolog_free().  1; 0: there is none;
 * -EINVAL: a line is wrong, and the next call goes on behind it.
 */
int etw_autolog_next(struct etw_autolog_parser *parser, struct etw_autolog_command *command);
/* Also after an error */
void etw_autolog_free(struct etw_autolog_parser *parser);

#endif /* ETW_CLI_AUTOLOGGER_SESSION_CONF_H */
