/* SPDX-License-Identifier: MIT */
/*
 * atomic_file.h - a file that has its name only once it is complete
 *
 * Internal to the library and the tools beside it; not installed.  Until then it lies in
 * the same directory as NAME.part-XXXXXX: whatever ends the program, and whoever looks
 * meanwhile, half a file is never taken for a whole one.
 *
 *	err = etw_atomic_file_open(&file, "out", false);
 *	write(file.fd, ...);
 *	err = etw_atomic_file_commit(&file);
 *
 * What exists is left alone, whenever it came to exist, unless it is to be replaced.
 * Links are followed: what a link leads to is replaced, with that one's owner and
 * permissions, and the link stays; one that leads nowhere is -ENOENT.  Until it is complete
 * nobody else may read what replaces something.
 */
#ifndef ETW_LIB_NEWFILE_H
#define ETW_LIB_NEWFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* All zero is none. */
struct etw_atomic_file {
	int fd;		/* to write and read; who closes it sets it to -1 */
	char *path;	/* the name that it gets, from the root, without links */
	char *part;	/* the one that it has; once it is placed, what it replaced has it */
	bool replace;	/* what is there at the end */
	bool old;	/* there was something when it was begun */
	bool placed;
	/* Which file it is, wherever its name leads */
	dev_t dev;
	ino_t ino;
	/* Of what is replaced: its access control list, too, or NULL */
	mode_t mode;
	uid_t uid;
	gid_t gid;
	void *acl;
	size_t acl_size;
};

/*
 * Begin one.  0; 1: there is a pipe or a device, which is to be replaced and cannot be:
 * nothing was begun; -EEXIST, -EISDIR, -EACCES (also if what is replaced may not be
 * written to) and what open(2) says.
 */
int etw_atomic_file_open(struct etw_atomic_file *file, const char *path, bool replace);

/*
 * Its fd was closed: open it again, to write and read.  It is the same file: -ELOOP, -ESTALE
 * if somebody has put something else there.
 */
int etw_atomic_file_reopen(struct etw_atomic_file *file);

/* Give it its name.  Gone in any case; after an error nothing of it is left. */
int etw_atomic_file_commit(struct etw_atomic_file *file);

/*
 * The same for several that belong together: place each, and when all are, settle each.
 * Until then undo, and drop, take it back: what was replaced has its name again.  -errno of
 * undo: it has not, and lies where part says, if there was something.
 */
int etw_atomic_file_place(struct etw_atomic_file *file);
void etw_atomic_file_settle(struct etw_atomic_file *file);
int etw_atomic_file_undo(struct etw_atomic_file *file);

/* As if it had not been begun.  Keeps errno. */
void etw_atomic_file_drop(struct etw_atomic_file *file);

/* A folder with such a name, to make something in: *part is to be freed; or -errno. */
int etw_atomic_file_folder(const char *path, char **part);

/* Give a folder the owner and the permissions of one that it replaces, if there is one. */
int etw_atomic_file_folder_like(const char *folder, const char *old);

/* Give what path names, no folder, such a name: *part is to be freed; or -errno. */
int etw_atomic_file_aside(const char *path, char **part);

/* Rename, unless there is something: -EEXIST then, and the like.  Of one file system. */
int etw_atomic_file_rename(const char *from, const char *to, bool folder);

#endif /* ETW_LIB_NEWFILE_H */
