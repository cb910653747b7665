/* SPDX-License-Identifier: MIT */
/*
 * atomic_file.h - write a file or folder under a temporary name, then rename it
 *
 * Internal to the library and the tools beside it; not installed.  The temporary name is
 * NAME.part-XXXXXX in the same folder, so nobody ever mistakes half a file for a whole one.
 *
 *	err = etw_atomic_file_open(&file, "out", 0);
 *	write(file.fd, ...);
 *	err = etw_atomic_file_commit(&file);
 *
 * An existing file is an error unless ETW_ATOMIC_KEEP or ETW_ATOMIC_REPLACE is given.
 *
 * KEEP renames it to FILE.old when the new one is committed, see older_file.h.  What is empty is
 * replaced.
 *
 * With REPLACE, a replaced file passes on its owner and its permissions, and nobody else can
 * read the new one before that.  Symbolic links are followed: the file that the link names is
 * replaced, and the link stays.
 *
 * Not handled:
 * - Access control lists are neither copied nor inherited.  The group of a file that has one
 *   loses its access.
 * - Two programs may replace the same file: the later commit wins.
 * - On file systems without RENAME_NOREPLACE, a file that somebody creates in the moment
 *   before the rename is overwritten.
 */
#ifndef ETW_BASE_ATOMIC_FILE_H
#define ETW_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "older_file.h"

#define ETW_ATOMIC_REPLACE	1u	/* replace what exists */
#define ETW_ATOMIC_FOLDER	2u	/* make a folder; fd is -1 */
#define ETW_ATOMIC_STREAM	4u	/* write pipes, terminals and devices in place */
#define ETW_ATOMIC_DEVICE	8u	/* not a new file: write devices in place, -ESPIPE for others */
#define ETW_ATOMIC_KEEP		16u	/* what exists becomes FILE.old; without REPLACE */

/* All zero is unused. */
struct etw_atomic_file {
	int fd;			/* for reading and writing; set it to -1 when you close it */
	char *path;		/* final name: absolute, no links */
	char *temp_path;	/* current name; NULL: written in place */
	char *backup;		/* the replaced file, until all files are committed */
	struct etw_older older;	/* with KEEP: the same */
	char *kept;		/* after the commit: FILE.old, which the caller frees, or NULL */
	bool kept_last;		/* ... and an earlier FILE.old is gone */
	const char *mark;	/* only folders that are empty or have this file are deleted */
	unsigned int flags;
	bool existed;		/* there was something to replace */
	bool placed;		/* renamed, can still be rolled back */
	dev_t dev;		/* of the temporary file, to know it again by name */
	ino_t ino;
	mode_t mode;		/* of the replaced file */
	uid_t uid;
	gid_t gid;
};

/*
 * Returns 0 or -errno: -EEXIST, -EISDIR or -ENOTDIR (what exists is of the other kind),
 * -ENOENT (dangling link), -EACCES (also if the replaced file is not writable), -ENOTSUP
 * (not a regular file).
 */
int etw_atomic_file_open(struct etw_atomic_file *file, const char *path, unsigned int flags);

/* Open a file again whose fd was closed.  -ESTALE: its temporary name is another file's now. */
int etw_atomic_file_reopen(struct etw_atomic_file *file);

/* Give the file its name.  After an error nothing is left of it. */
int etw_atomic_file_commit(struct etw_atomic_file *file);

/*
 * Commit files that belong together: all or none.  After an error, *failed is the index of
 * the file that caused it, and the caller rolls back each file.
 */
int etw_atomic_file_commit_all(struct etw_atomic_file *const *files, unsigned int count,
			       unsigned int *failed);

/*
 * Remove the new file and restore the replaced one.  Keeps errno.  Fails only if the
 * replaced file cannot be restored: then file->backup is its name, and the caller frees it.
 */
int etw_atomic_file_rollback(struct etw_atomic_file *file);

/* Write all of it to a descriptor.  0 or -errno; -EINTR: a signal came. */
int etw_write_all(int fd, const void *data, size_t size);

/* Move a file or an empty or full folder to a temporary name, which the caller frees. */
int etw_atomic_file_backup(const char *path, bool folder, char **backup);
/* Delete a file, or a folder with all that is in it.  0 or -errno */
int etw_atomic_file_remove(const char *path, bool folder);

#endif /* ETW_BASE_ATOMIC_FILE_H */
