/* SPDX-License-Identifier: MIT */
/*
 * inputs.h - log files that a command reads, merged by time
 *
 * An error in a file is reported on stderr, with its offset; reading goes on with the
 * next buffer.
 */
#ifndef ETW_CLI_INPUTS_H
#define ETW_CLI_INPUTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include "base/table.h"
#include "etl/loss.h"
#include "etl/source.h"
#include "cli/machine/machine.h"
#include "cli/stacks.h"

struct input;
struct symbols;

/* In a command's table of options; to: inputs->apart */
#define CLI_OPTION_STACK_EVENTS(to)	\
	{ "stack-events", 0, NULL, "show stacks that Windows recorded apart as events", CLI_FLAG(to) }

/* All zero is none. */
struct inputs {
	struct input *list;
	unsigned int count;
	/* the merge's own */
	struct etw_source **merge;
	unsigned int left;
	struct etw_source *current;
	bool bounded;		/* by inputs_until() */
	int64_t until;
	uint64_t late, look;	/* events later than that; at how many to look for the end */
	struct etw_interner losses;	/* with a record so far */
	bool apart;		/* the caller's: leave recorded stacks events of their own */
	bool again;		/* the caller's: what is wrong with the files was reported */
	struct etw_stacks stacks;
	bool has_stacks;	/* a file has stacks, from here on */
	bool buffer_done;	/* the last event read was the last of its buffer */
	bool begun;
	int ended;		/* what the files' end returned; 1: not yet */
};

/* paths ends with NULL.  Returns the exit status; call inputs_close() in any case. */
int inputs_open(struct inputs *inputs, char **paths);
void inputs_close(struct inputs *inputs);

/*
 * The next event of all files, by time.  Files that were split from one trace have the same
 * records of losses: copies are left out.  Stacks that Windows' kernel logger recorded
 * become items of their events, unless inputs->apart is set.  1: *event, valid until the
 * next call, of the file with index *source; 0: that was all; -1: reading failed, after a
 * message.
 */
int inputs_next(struct inputs *inputs, const struct etw_event **event,
		unsigned int *source);

/*
 * Events later than this FILETIME are not wanted: inputs_next() may return 0 when all
 * remaining events are later.  Until then it may return later events, because a single
 * event with a wrong time is not the end.
 */
void inputs_until(struct inputs *inputs, int64_t time);

/*
 * Of all events, those before this FILETIME are not wanted: buffers without others are left out, if
 * inputs_are_ordered() was true when the files were read before.
 */
void inputs_skip_until(struct inputs *inputs, int64_t time);
/* The events read so far came in the order of their times, as buffers say them, without stacks. */
bool inputs_are_ordered(const struct inputs *inputs);

/* Report that reading one has failed.  Returns the exit status. */
int inputs_fail(const struct inputs *inputs, unsigned int source, int err);

/* Decode events by the schemas that are embedded in the files. */
void inputs_schemas(const struct inputs *inputs);

/* Add the machines that the files describe; returns how many files describe none. */
unsigned int inputs_machines(const struct inputs *inputs, struct machines *machines);

/*
 * Let symbols know what the files say about the kernel and the functions in their stacks. machines
 * and undescribed: from inputs_machines().
 */
void inputs_symbols(const struct inputs *inputs, struct symbols *symbols,
		    const struct machines *machines, unsigned int undescribed);

/*
 * Call take for each loss that the files record, without copies, until it does not return 0.
 * Reads all of each file.  0 or what take returned; other errors are reported.
 */
int inputs_losses_ahead(const struct inputs *inputs,
			int (*take)(void *context, const struct etw_loss *loss), void *context);

/* The command has printed the record of a loss: inputs_report() will say so. */
void inputs_shown(struct inputs *inputs, unsigned int source, const struct etw_loss *loss);
/* What to add to a number of lost events of which so many were shown; to the next call */
const char *inputs_shown_text(uint64_t shown, uint64_t all);

/* Print what the headers say about losses and missing buffers, a line each. */
void inputs_report(const struct inputs *inputs);

/* Were all of them recorded since this machine was booted? */
bool inputs_are_of_boot(const struct inputs *inputs);
const char *inputs_path(const struct inputs *inputs, unsigned int source);
struct etw_etl_file *inputs_file(const struct inputs *inputs, unsigned int source);
/* Is this one of them? */
bool inputs_have(const struct inputs *inputs, const struct stat *file);
/* FILE.old must be none of them: FILE would take its name.  Returns the exit status. */
int inputs_check_older(const struct inputs *inputs, const char *path);
/* One that lies in this folder, however deep, itself or as a link; or NULL. */
const char *inputs_within(const struct inputs *inputs, const struct stat *folder);
/* How much of all files was read, of 1000; they are of different sizes. */
unsigned int inputs_progress(const struct inputs *inputs);
/* The start time of the earliest, FILETIME */
int64_t inputs_start(const struct inputs *inputs);
/* The end of the latest: see etw_etl_end_time() */
int64_t inputs_end(const struct inputs *inputs);
/* Losses that the headers count and those found while reading; running totals */
void inputs_losses(const struct inputs *inputs, uint64_t *events, uint64_t *buffers);

#endif /* ETW_CLI_INPUTS_H */
