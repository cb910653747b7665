/* SPDX-License-Identifier: MIT */
/*
 * output_file.h - the file or folder that a command writes, see base/atomic_file.h
 */
#ifndef ETW_CLI_OUTPUT_FILE_H
#define ETW_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include "cli/input/inputs.h"
#include "base/atomic_file.h"

struct output_file {
	const char *path;	/* NULL: stdout */
	bool folder;
	bool replace;		/* what exists is not kept as FILE.old */
	bool quiet;		/* no note about that */
	const char *mark;	/* replace only a folder that is empty or has this file */
	struct etw_atomic_file file;	/* fd to write to; temp_path of a folder */
};

/*
 * Set path, folder, replace and mark, and catch the signals that end a command, before.
 * Refuses to write over one of the inputs.  Returns the exit status.
 */
int output_file_open(struct output_file *out, const struct inputs *inputs);
/* Returns the exit status; the output is removed if this fails.  Free file.kept after it. */
int output_file_commit(struct output_file *out);
/* Remove the output.  Also after an error of output_file_open(). */
void output_file_discard(struct output_file *out);

/* Why etw_older_move() could not move a file */
const char *older_file_error(int err);
/* Say that the older file or folder has another name; last: where an earlier one is gone. */
void older_file_note(const char *what, const char *moved, bool last);

#endif /* ETW_CLI_OUTPUT_FILE_H */
