/* SPDX-License-Identifier: MIT */
/*
 * start_file.h - the options of etw start for a log file
 */
#ifndef ETW_CLI_REQUEST_START_FILE_H
#define ETW_CLI_REQUEST_START_FILE_H

#include <stdbool.h>
#include "cli/session.h"

/* Where an option of a command begins that has these */
#define OPT_FILE_BASE	0x400
#define OPT_FILE_MAX_SIZE	(OPT_FILE_BASE + 2)
#define STARTFILE_OPTIONS							\
	{ "file", OPT_FILE_BASE, "FILE", "write a log file; no readers unless --real-time" }, \
	STARTFILE_MORE_OPTIONS

/* Of a command that has a file in any case */
#define STARTFILE_MORE_OPTIONS							\
	{ "real-time", OPT_FILE_BASE + 1, NULL, "allow readers besides the file" },	\
	{ "max-size", OPT_FILE_BASE + 2, "SIZE", "largest file: 64K, 100M, 2G; default: no limit" }, \
	{ "circular", OPT_FILE_BASE + 3, NULL, "overwrite the oldest events at that size" },	\
	{ "new-files", OPT_FILE_BASE + 4, NULL, "begin another file at that size: FILE has %d" }, \
	{ "append", OPT_FILE_BASE + 5, NULL, "append to an existing file" },		\
	{ "preallocate", OPT_FILE_BASE + 6, NULL, "allocate the space at once" },		\
	{ "delay-open", OPT_FILE_BASE + 7, NULL, "create the file for the first events" }

struct startfile {
	const char *path;	/* NULL: no file */
	bool real_time;
	bool flush;		/* of a session that has another one, or none */
	uint64_t max_size;	/* bytes; 0: none */
	uint32_t mode;		/* ETW_MODE_* of files */
	uint32_t first;		/* of --new-files; 0: 1 */
	struct etw_log_target target;
};

/* false: it is none of these options. */
bool startfile_option(struct startfile *file, int option, const char *arg);

/* Check the options together; wrong usage ends the command. */
void startfile_check(const struct startfile *file, const struct session *session);

/*
 * Set the session's mode to that of a file.  Returns the file's size, in MB, or in KB if the
 * mode has ETW_MODE_KBYTES; 0: no limit.
 */
uint32_t startfile_mode(struct startfile *file, struct session *session);

/*
 * Check the options, open the file, and put it into what the session is started with.
 * 0, or the exit status.
 */
int startfile_open(struct startfile *file, struct session *session);
void startfile_close(struct startfile *file, bool keep);

/* Why START failed if it was the file; false: it was not. */
bool startfile_fail(const struct startfile *file, const char *name, int err);

#endif /* ETW_CLI_REQUEST_START_FILE_H */
