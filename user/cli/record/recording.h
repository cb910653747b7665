/* SPDX-License-Identifier: MIT */
/*
 * recording.h - etw record: a session for one file, as long as a command runs
 */
#ifndef ETW_CLI_RECORDING_H
#define ETW_CLI_RECORDING_H

#include <signal.h>
#include <time.h>
#include "cli/command.h"
#include "cli/request/enable_list.h"
#include "cli/sample.h"
#include "cli/session.h"
#include "cli/request/start_options.h"

/* The file that had the name before, see file.c */
struct record_old {
	char path[ETW_FILE_NAME_MAX + 1];	/* of the first file of this recording */
	char moved[ETW_FILE_NAME_MAX + 5];	/* FILE.old; empty: nothing was moved */
	char *backup;				/* where the earlier FILE.old is, or NULL */
	bool empty;				/* there was an empty file */
	bool existed;
};

/* Why the recording ended */
enum record_end {
	RECORD_COMMAND,		/* the command has ended */
	RECORD_ASKED,		/* a signal, or --duration is over */
	RECORD_FULL,		/* the file is full */
	RECORD_STOPPED,		/* another process stopped the session */
};

struct record {
	int fd;				/* the device */
	const char *name;		/* of the session */
	char own_name[32];		/* if none was given */
	struct startfile file;
	struct record_old old;
	struct session session;		/* options to start it; then its state */
	struct enable_list providers;
	struct command command;
	uint64_t in_files;		/* events of this recording; valid at the end */
	uint64_t replaced;		/* events overwritten in a circular file */
	uint64_t bytes;			/* of all its files */
	uint32_t files;
	bool gone;			/* the last file was removed meanwhile */
	uint32_t duration_ms;		/* 0: no limit */
	bool json, quiet, progress;
	bool strict;		/* losses are an error */
	bool with_manifests;
	unsigned int manifests;		/* embedded in each file */
	bool started;			/* the session runs */
	struct sample last;		/* the last known counters */
	struct timespec begin, end;	/* CLOCK_MONOTONIC */
	sigset_t signals, before;	/* signals to wait for; the mask before */
};

/*
 * file.c: rename an earlier file; restore it because nothing was recorded; or remove the
 * backup of FILE.old because the recording runs.  0, or the exit status.
 */
int record_backup_create(struct record *r);
void record_backup_restore(struct record *r);
void record_backup_remove(struct record *r);
/* The name of one of --new-files; false: it is too long. */
bool record_file_number(const char *pattern, uint32_t number, char out[ETW_FILE_NAME_MAX + 1]);

/* embed.c: once the file is complete.  0, or the exit status. */
int record_embed(struct record *r);

/* run.c: block the signals that end a recording, so that record_wait() gets them. */
void record_hold_signals(struct record *r);
void record_release_signals(const struct record *r);
enum record_end record_wait(struct record *r);

/* report.c */
void record_show_progress(const struct record *r, const struct sample *before);
void record_clear_progress(const struct record *r);
/* Count what is in the files, and print it. */
void record_report(struct record *r, enum record_end end);
void record_report_json(const struct record *r, int status);

#endif /* ETW_CLI_RECORDING_H */
