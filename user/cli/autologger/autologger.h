/* SPDX-License-Identifier: MIT */
/*
 * autologger.h - etw autologger: the sessions of /etc/etw/autologger.d
 */
#ifndef ETW_CLI_AUTOLOGGER_AUTOLOGGER_H
#define ETW_CLI_AUTOLOGGER_AUTOLOGGER_H

#include <stdbool.h>
#include <stdint.h>
#include "session_conf.h"

#define AUTOLOGGER_DIR_ENV	"ETW_AUTOLOGGER_DIR"	/* another one; not in set-uid programs */
#define AUTOLOGGER_RUN		"/run/etw/autologger"	/* what became of each */
#define AUTOLOGGER_STATE	"/var/lib/etw/autologger"	/* FileCounter of each */
#define AUTOLOGGER_LOGS		"/var/log/etw"		/* files without a FileName */

/* What became of a session; Win32 codes, as Windows writes them into its registry */
struct autologger_result {
	uint32_t status;
	struct etw_guid guid;
	char file[ETW_FILE_NAME_MAX + 1];	/* empty: none */
	char what[192];				/* was wrong; empty: nothing, or no words for it */
	struct autologger_provider {
		char *name;
		uint32_t status;
	} *providers;
	size_t provider_count;
};

/* A file of the directory, read */
struct autologger_conf {
	char name[256];			/* of the session */
	char path[4096];
	struct etw_autolog_conf conf;
	struct etw_guid guid;		/* of the session, even if other things are wrong; or zero */
	uint32_t status;		/* ERROR_SUCCESS, or why conf is empty */
	char what[192];
};

/* Errors of a file that are told on stderr; of all of them conf has what was right */
enum autologger_tell { AUTOLOGGER_TELL_NONE, AUTOLOGGER_TELL_FIRST, AUTOLOGGER_TELL_ALL };

/* conf_files.c: names as scandir(3) has them; *list is to be freed with them. */
const char *autologger_dir(void);
int autologger_names(const char *dir, const char *suffix, char ***list);
void autologger_names_free(char **list, int count);
/* False: what is wrong first is in it. */
bool autologger_load(const char *name, struct autologger_conf *to, enum autologger_tell tell);
void autologger_unload(struct autologger_conf *conf);

/* check.c: tells all that is wrong; exit status */
int autologger_check(char **names);

/* start.c.  False: options of providers are wrong, which was told. */
bool autologger_check_options(const struct autologger_conf *conf);
bool autologger_start(int fd, const struct autologger_conf *conf);

/* state.c */
bool autologger_write_result(const char *name, const struct autologger_result *result);
/* False: it was never started since boot. */
bool autologger_read_result(const char *name, struct autologger_result *result);
void autologger_forget(const char *name);
void autologger_result_free(struct autologger_result *result);
/*
 * The number that its next file has, 1 to max; 0: it cannot be kept, and that was told.
 * It is the last one from the end on, if the session was started.  False: that failed, and
 * was told.
 */
uint32_t autologger_next_file(const char *name, uint32_t max);
bool autologger_end_file(const char *name, bool started);

/* list.c: exit status */
int autologger_list(char **names, bool json);

#endif /* ETW_CLI_AUTOLOGGER_AUTOLOGGER_H */
