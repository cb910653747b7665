/* SPDX-License-Identifier: MIT */
/*
 * output_file.h - a file, or a folder, that is complete or not there
 *
 * It is made under another name beside its own, and gets its own when it is complete: of a
 * file base/atomic_file.h has the rules, those of a folder are the same.
 */
#ifndef ETW_CLI_OUTFILE_H
#define ETW_CLI_OUTFILE_H

#include <stdbool.h>
#include "inputs.h"
#include "base/atomic_file.h"

struct outfile {
	const char *path;	/* NULL: stdout */
	bool folder;
	bool replace;		/* what is there */
	const char *mark;	/* a folder is replaced only if it has this file, or nothing */
	/* set by outfile_open() */
	int fd;			/* to write to, unless it is a folder */
	struct etw_atomic_file file;
	const char *making;	/* the folder's name until it is complete; the caller makes it */
	char *folder_path;	/* the one that it gets, where links led when it was begun */
	char *part;		/* what the folder is made in */
	bool direct;		/* no regular file: written as it is */
};

/*
 * path, folder, replace and mark are set, and the signals that end a command are
 * caught.  Refuses one of inputs.  Returns the exit status.
 */
int outfile_open(struct outfile *out, const struct inputs *inputs);
/* It is complete.  Returns the exit status; discarded, if it fails. */
int outfile_commit(struct outfile *out);
/* It will not be; nothing stays.  Also after an error of outfile_open(). */
void outfile_discard(struct outfile *out);

#endif /* ETW_CLI_OUTFILE_H */
