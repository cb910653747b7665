/* SPDX-License-Identifier: MIT */
/*
 * output_file.h - the file or folder that a command writes, see base/atomic_file.h
 */
#ifndef ETW_CLI_OUTFILE_H
#define ETW_CLI_OUTFILE_H

#include <stdbool.h>
#include "inputs.h"
#include "base/atomic_file.h"

struct outfile {
	const char *path;	/* NULL: stdout */
	bool folder;
	bool replace;
	const char *mark;	/* replace only a folder that is empty or has this file */
	struct etw_atomic_file file;	/* fd to write to; temp_path of a folder */
};

/*
 * Set path, folder, replace and mark, and catch the signals that end a command, before.
 * Refuses to write over one of the inputs.  Returns the exit status.
 */
int outfile_open(struct outfile *out, const struct inputs *inputs);
/* Returns the exit status; the output is removed if this fails. */
int outfile_commit(struct outfile *out);
/* Remove the output.  Also after an error of outfile_open(). */
void outfile_discard(struct outfile *out);

#endif /* ETW_CLI_OUTFILE_H */
