/* SPDX-License-Identifier: MIT */
/*
 * start_options.h - the options of etw start, for the session and its log file
 */
#ifndef ETW_CLI_REQUEST_START_OPTIONS_H
#define ETW_CLI_REQUEST_START_OPTIONS_H

#include <stdbool.h>
#include "cli/session.h"

/* Values that cli_next() returns for them */
enum {
	START_OPT_BASE = 0x300,
	START_OPT_BUFFER_SIZE = START_OPT_BASE,
	START_OPT_MIN_BUFFERS,
	START_OPT_MAX_BUFFERS,
	START_OPT_FLUSH,
	START_OPT_CLOCK,
	START_OPT_BUFFERING,
	START_OPT_INDEPENDENT,
	START_OPT_SECURE,
	START_OPT_GUID,
	START_OPT_ONE_BUFFER,
	START_OPT_SEQUENCE,
};

/* --buffering is not among them: it goes with etw start alone. */
#define START_OPTIONS								\
	{ "buffer-size", START_OPT_BUFFER_SIZE, "KB", "size of one buffer, 4 to 16384; default 64" }, \
	{ "min-buffers", START_OPT_MIN_BUFFERS, "N", "buffers at the start; default and least: 2 per CPU" }, \
	{ "max-buffers", START_OPT_MAX_BUFFERS, "N", "buffers to grow to; default: 20 more" }, \
	{ "flush", START_OPT_FLUSH, "SECONDS", "deliver a buffer after that time, full or not" }, \
	{ "clock", START_OPT_CLOCK, "CLOCK", "qpc (default), system or cycles" }, \
	{ "independent", START_OPT_INDEPENDENT, NULL, "do not report losses to the writers" }, \
	{ "secure", START_OPT_SECURE, NULL, "only programs with the right \"log\" may write" }, \
	{ "guid", START_OPT_GUID, "GUID", "the session's GUID, for access lists; default: new" }, \
	{ "no-per-cpu", START_OPT_ONE_BUFFER, NULL, "one buffer for all CPUs" }, \
	{ "sequence", START_OPT_SEQUENCE, "SCOPE", "number classic messages: local or global" }

/* Take an option with its value; false: it is none of these. */
bool start_option(int option, const char *value, struct etw_session *s);

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
	{ "delay-open", OPT_FILE_BASE + 7, NULL, "create the file for the first events" },	\
	{ "sync", OPT_FILE_BASE + 8, "SECONDS", "sync the file to its disk this often" }

struct startfile {
	const char *path;	/* NULL: no file */
	bool real_time;
	bool flush;		/* of a session that has another one, or none */
	uint64_t max_size;	/* bytes; 0: none */
	uint32_t mode;		/* ETW_MODE_* of files */
	uint32_t first;		/* of --new-files; 0: 1 */
	uint32_t sync_ms;	/* 0: never */
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

void startfile_close(struct startfile *file, bool keep);

/* Print why START or FLUSH failed if it was the file; false: it was not. */
bool startfile_fail(const struct startfile *file, const char *name, int err);

/*
 * Start a session with its file, if it has one; the options were checked.  0, or a negative
 * errno after a message: -ENOSPC for too many sessions or buffers, -EDQUOT for a full disk.
 */
int start_session(int fd, const char *name, struct session *session, struct startfile *file);

#endif /* ETW_CLI_REQUEST_START_OPTIONS_H */
