/* SPDX-License-Identifier: MIT */
/*
 * output.h - several files that come to be together, or not at all
 */
#ifndef ETW_MC_OUTPUT_H
#define ETW_MC_OUTPUT_H

#include <stdio.h>

#include "base/atomic_file.h"

#define ETW_MC_FILES_MAX	80	/* the header, .rc, templates, a table per culture */

/* All zero is empty. */
struct etw_mc_files {
	struct etw_mc_file {
		char *path;		/* as its caller would call it */
		struct etw_atomic_file file;
		FILE *out;		/* NULL: closed */
	} list[ETW_MC_FILES_MAX];
	unsigned int count;
};

/* dir: NULL for here.  NULL: *error is -errno; -EEXIST: one of them is that file. */
FILE *etw_mc_file_open(struct etw_mc_files *files, const char *dir, const char *name,
		       int *error);

/* Put them all into their places.  0; or -errno, *path is which one failed, and all is as it was. */
int etw_mc_files_commit(struct etw_mc_files *files, const char **path);

/* Removes what was not committed, and frees all. */
void etw_mc_files_free(struct etw_mc_files *files);

#endif /* ETW_MC_OUTPUT_H */
