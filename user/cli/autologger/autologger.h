/* SPDX-License-Identifier: MIT */
/*
 * autologger.h - etw autologger: the sessions of /etc/etw/autologger.d
 */
#ifndef ETW_CLI_AUTOLOGGER_AUTOLOGGER_H
#define ETW_CLI_AUTOLOGGER_AUTOLOGGER_H

#include <stdbool.h>
#include <stdint.h>
#include "cli/request/enable_request.h"
#include "cli/session.h"
#include "cli/request/start_options.h"
#include "base/atomic_file.h"
#include "session_conf.h"

#define AUTOLOGGER_DIR_ENV	"ETW_AUTOLOGGER_DIR"	/* replaces it; ignored in set-uid programs */
#define AUTOLOGGER_RUN		"/run/etw/autologger"	/* the result of each start */
#define AUTOLOGGER_STATE	"/var/lib/etw/autologger"	/* the number of each one's last file */
#define AUTOLOGGER_LOGS		"/var/log/etw"		/* files of sessions without --file */

/* The result of a start; Win32 codes, as Windows writes them into its registry */
struct autologger_result {
	uint32_t status;
	struct etw_guid guid;
	char file[ETW_FILE_NAME_MAX + 1];	/* empty: none */
	char what[192];				/* the error in words; empty: there are none */
	struct autologger_provider {
		char *name;
		uint32_t status;
	} *providers;
	size_t provider_count;
};

/* An enable line, with its options */
struct autologger_enable {
	unsigned int line;
	struct enable_request request;
};

/* A file of the directory, with the options of its lines */
struct autologger_conf {
	char name[256];			/* of the session */
	char path[4096];
	struct etw_autolog_parser parser;	/* owns the words */
	unsigned int start_line;	/* 0: it is missing */
	bool manual;			/* is not started at boot */
	uint32_t file_max;		/* --file-max; 0: one file, overwritten at each start */
	bool no_limit;			/* --max-size none */
	struct session session;		/* the GUID is set even if other options are wrong */
	struct startfile file;		/* path is NULL: the session has no file */
	char default_path[ETW_FILE_NAME_MAX + 1];
	struct autologger_enable **enables;	/* the lines that are correct */
	size_t enable_count;
	uint32_t status;		/* ERROR_SUCCESS, or that of the first error */
	char what[192];			/* the first error */
};

/* conf_files.c */
const char *autologger_dir(void);
/* Read a file; report: print its errors.  False: it has some, see status and what. */
bool autologger_load(const char *name, struct autologger_conf *to, bool report);
void autologger_unload(struct autologger_conf *conf);
/* Further messages name this line, or the file if it is 0; cli_begin() ends that. */
void autologger_at(const struct autologger_conf *conf, unsigned int line);

/* check.c: print everything that is wrong; returns the exit status. */
int autologger_check(char **names);

/*
 * start.c.  False: the session does not run, or lacks a provider.  That is printed and
 * recorded.
 */
bool autologger_start(int fd, struct autologger_conf *conf);

/* state.c */
bool autologger_write_result(const char *name, const struct autologger_result *result);
/* False: it was not started since boot. */
bool autologger_read_result(const char *name, struct autologger_result *result);
void autologger_forget(const char *name);
void autologger_result_free(struct autologger_result *result);
/* Does a session of this name with this GUID run?  0, -ENOENT, or another error */
int autologger_find(int fd, const char *name, const struct etw_guid *guid);
/*
 * The number of its next file, 1 to max; 0: it cannot be stored, which was printed.
 * autologger_end_file() makes it the last one's number, if the session was started; false:
 * that failed, which was printed.
 */
uint32_t autologger_next_file(const char *name, uint32_t max, struct etw_atomic_file *state);
bool autologger_end_file(const char *name, struct etw_atomic_file *state, bool started);

/* list.c: returns the exit status. */
int autologger_list(char **names, bool json);

#endif /* ETW_CLI_AUTOLOGGER_AUTOLOGGER_H */
