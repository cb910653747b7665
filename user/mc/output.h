/* SPDX-License-Identifier: MIT */
/*
 * output.h - the files that a message compiler run writes: all of them or none
 */
#ifndef ETW_MC_OUTPUT_H
#define ETW_MC_OUTPUT_H

#include <stdio.h>

#include "base/atomic_file.h"

#define ETW_MC_FILES_MAX	80	/* the header, .rc, templates, a table per culture */

/* All zero is empty. */
struct etw_mc_files {
	struct etw_mc_file {
		char *path;		/* as the user gave it */
		struct etw_atomic_file file;
		FILE *out;		/* NULL: closed */
	} list[ETW_MC_FILES_MAX];
	unsigned int count;
};

/* dir: NULL for the current one.  NULL: *error is -errno; -EEXIST: two names are one file. */
FILE *etw_mc_file_open(struct etw_mc_files *files, const char *dir, const char *name,
		       int *error);

/* Returns 0, or -errno: *path is the file that failed, and the caller rolls back each file. */
int etw_mc_files_commit(struct etw_mc_files *files, const char **path);

/* Remove files that were not committed, and free everything. */
void etw_mc_files_free(struct etw_mc_files *files);

#endif /* ETW_MC_OUTPUT_H */
