/* SPDX-License-Identifier: MIT */
/*
 * start_options.h - the options of etw start, for the session and its log file
 */
#ifndef ETW_CLI_REQUEST_START_OPTIONS_H
#define ETW_CLI_REQUEST_START_OPTIONS_H

#include <stdbool.h>
#include "cli/session.h"
#include "base/older_file.h"

/* Values that cli_next() returns for those that start_option() takes */
enum {
	START_OPT_BASE = 0x300,
	START_OPT_CLOCK = START_OPT_BASE,
	START_OPT_BUFFERING,
	START_OPT_GUID,
	START_OPT_SEQUENCE,
	START_OPT_MAX_SIZE,
};

/* s: the struct etw_session.  --buffering is not among them: it goes with etw start alone. */
#define START_OPTIONS(s)							\
	{ "buffer-size", 0, "SIZE", "of one buffer, 4K to 16M; default 64K",	\
	  CLI_KILOBYTES((s).buffer_kb, ETW_BUFFER_KB_MIN, ETW_BUFFER_KB_MAX) },	\
	{ "max-buffers", 0, "N", "buffers to grow to; default: 20 more",	\
	  CLI_NUMBER((s).max_buffers, 1, ETW_BUFFERS_MAX) },			\
	{ "flush", 0, "TIME", "deliver a buffer after that time: 1ms, 5s, 2m", \
	  CLI_FLUSH((s).flush_ms) }

#define START_MORE_OPTIONS(s)							\
	{ "min-buffers", 0, "N", "buffers at the start; default and least: 2 per CPU", \
	  CLI_NUMBER((s).min_buffers, 1, ETW_BUFFERS_MAX) },			\
	{ "clock", START_OPT_CLOCK, "CLOCK", "qpc (default), system or cycles", NULL }, \
	{ "independent", 0, NULL, "do not report losses to the writers",	\
	  CLI_BITS((s).mode, ETW_MODE_INDEPENDENT) },				\
	{ "secure", 0, NULL, "only programs with the right \"log\" may write",	\
	  CLI_BITS((s).mode, ETW_MODE_SECURE) },				\
	{ "guid", START_OPT_GUID, "GUID", "the session's GUID, for access lists; default: new", NULL }, \
	{ "no-per-cpu", 0, NULL, "one buffer for all CPUs",			\
	  CLI_BITS((s).mode, ETW_MODE_NO_PER_PROCESSOR) },			\
	{ "sequence", START_OPT_SEQUENCE, "SCOPE", "number classic messages: local or global", NULL }, \
	{ "user-budget", 0, "SIZE", "most a second from each user's programs: 512K", \
	  CLI_KILOBYTES((s).user_budget_kb, 1, ETW_BUDGET_NONE - 1) }

/*
 * The names of processes, see process_events.h; session: a struct session.  A program that reads
 * the session of etw start may not expect them.  etw record and watch know what they are.
 */
#define START_PROCESSES_OPTION(session)						\
	{ "processes", 0, NULL, "record the names of all processes, too", CLI_FLAG((session).processes) }
#define START_NO_PROCESSES_OPTION(to)						\
	{ "no-processes", 0, NULL, "do not record the names of processes", CLI_FLAG(to) }

/* f: the struct startfile */
#define STARTFILE_OPTIONS(f)							\
	{ "file", 0, "FILE", "write a log file; no readers unless --real-time",	\
	  CLI_TEXT((f).path) }, \
	STARTFILE_SIZE_OPTIONS(f)

/* Of a command that has a file in any case */
#define STARTFILE_SIZE_OPTIONS(f)						\
	{ "real-time", 0, NULL, "allow readers besides the file", CLI_FLAG((f).real_time) }, \
	{ "max-size", START_OPT_MAX_SIZE, "SIZE", "largest file: 64K, 100M, 2G; default: no limit", NULL }, \
	{ "circular", 0, NULL, "overwrite the oldest events at that size",	\
	  CLI_BITS((f).mode, ETW_MODE_CIRCULAR) }

#define STARTFILE_MORE_OPTIONS(f)						\
	{ "new-files", 0, NULL, "begin another file at that size: FILE has %d",	\
	  CLI_BITS((f).mode, ETW_MODE_NEWFILE) },				\
	{ "append", 0, NULL, "append to an existing file", CLI_BITS((f).mode, ETW_MODE_APPEND) }, \
	{ "replace", 0, NULL, "do not keep an older file as FILE.old", CLI_FLAG((f).replace) }, \
	{ "preallocate", 0, NULL, "allocate the space at once",			\
	  CLI_BITS((f).mode, ETW_MODE_PREALLOCATE) },				\
	{ "delay-open", 0, NULL, "create the file for the first events",	\
	  CLI_BITS((f).mode, ETW_MODE_DELAY_OPEN) },				\
	{ "sync", 0, "TIME", "sync the file to its disk this often: 500ms, 1m",	\
	  CLI_MILLIS((f).sync_ms, ETW_SYNC_MS_MIN, 86400) }

/* The file that had the name before, see older_log.c */
struct older_log {
	char path[ETW_FILE_NAME_MAX + 1];	/* of the first file that is written */
	struct etw_older older;
	bool empty;				/* there was an empty file */
	bool existed;
	bool kept;				/* as FILE.old, for good */
	bool last;				/* ... and an earlier FILE.old is gone */
};

struct startfile {
	const char *path;	/* NULL: no file */
	bool real_time;
	bool replace;		/* an older file is not kept */
	bool at_once;		/* move it away even if the session buffers: record flushes it */
	struct older_log old;
	bool flush;		/* of a session that has another one, or none */
	uint64_t max_size;	/* bytes; 0: none */
	uint32_t mode;		/* ETW_MODE_* of files */
	uint32_t first;		/* of --new-files; 0: 1 */
	uint32_t sync_ms;	/* 0: never */
	struct etw_log_target target;
};

/* Take an option that cli_next() returns; false: it is none of these.  file: NULL has no options. */
bool start_option(int option, const char *value, struct etw_session *s, struct startfile *file);

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
 * start_session.c: start a session with its file, unless that is NULL or has no path; the options
 * were checked.  An older file is moved away, and the caller calls older_log_drop() or
 * older_log_restore().  0, or a negative errno after a message: -ENOSPC for too many sessions or
 * buffers, -EDQUOT for a full disk.
 */
int start_session(int fd, const char *name, struct session *session, struct startfile *file);

/*
 * older_log.c: can this name be a log file's?  A device, a pipe or a folder cannot, nor a link to one
 * or to a descriptor.  0, or -errno after a message.
 */
int older_log_check(const struct startfile *file, const char *session);
/*
 * Rename an older file, or choose the first number of several; 0 or -errno after a
 * message.  Then restore it because nothing is written after all, begun: something was, or leave it
 * at its new name for good.
 */
int older_log_move(int fd, struct startfile *file, const char *session);
void older_log_restore(struct startfile *file, bool begun);
void older_log_drop(struct startfile *file);
/*
 * Does this file belong to no file of the session, whose own file of this name was renamed?
 * All files of a session have its start in their headers.
 */
bool older_log_is_of_another(const char *path, const struct session *session);
/* After older_log_drop(): its new name, or NULL; the same as a note */
const char *older_log_kept(const struct startfile *file);
void older_log_note(const struct startfile *file);
/* The name of one of --new-files; false: it is too long. */
bool log_file_number(const char *pattern, uint32_t number, char out[ETW_FILE_NAME_MAX + 1]);

#endif /* ETW_CLI_REQUEST_START_OPTIONS_H */
