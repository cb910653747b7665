/* SPDX-License-Identifier: MIT */
/*
 * recording.h - etw record: a session for one file, as long as a command runs
 */
#ifndef ETW_CLI_RECORD_RECORDING_H
#define ETW_CLI_RECORD_RECORDING_H

#include <signal.h>
#include <time.h>
#include "cli/record/command.h"
#include "cli/input/log_contents.h"
#include "cli/request/enable_list.h"
#include "cli/sample.h"
#include "cli/session.h"
#include "cli/request/start_options.h"

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
	struct session session;		/* options to start it; then its state */
	struct enable_list providers;
	struct command command;
	struct log_contents contents;	/* of this recording; valid at the end if .. */
	bool counted;			/* .. they were read */
	uint64_t in_files;		/* events of this recording; valid at the end */
	uint64_t replaced;		/* events overwritten in a circular file */
	uint64_t bytes;			/* of all its files */
	uint32_t files;
	bool gone;			/* the last file was removed meanwhile */
	uint32_t duration_ms;		/* 0: no limit */
	bool json, quiet, progress;
	bool strict;		/* losses are an error */
	bool no_processes;	/* no names of them */
	bool private;		/* by private sessions of the command and its children */
	uint64_t rundown;	/* events that named them at the start */
	uint64_t uncounted;	/* missed calls of probes that the session did not count */
	bool with_manifests;
	unsigned int manifests;		/* embedded in each file */
	bool started;			/* the session runs */
	struct sample last;		/* the last known counters */
	struct timespec begin, end;	/* CLOCK_MONOTONIC */
	sigset_t signals, before;	/* signals to wait for; the mask before */
};

/* contents.c: read the complete files, for the report. */
void record_read(struct record *r);

/*
 * embed.c: once the file is complete: what the machine is, and the manifests if they are asked
 * for.  0, or the exit status; only manifests can fail.
 */
int record_embed(struct record *r);

/*
 * private.c: record by private sessions, which the command and its children start because the
 * environment asks for them.  Returns the exit status.
 */
void record_private_check(const struct record *r);
int record_private(struct record *r);

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

#endif /* ETW_CLI_RECORD_RECORDING_H */
