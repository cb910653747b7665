/* SPDX-License-Identifier: MIT */
/*
 * conf_file.h - read and replace the file of access lists
 */
#ifndef ETW_LIB_ACCESS_CONF_FILE_H
#define ETW_LIB_ACCESS_CONF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A file opened for changing; other writers wait until it is closed. */
struct etw_access_file {
	int dir;
	int lock;
	char *name;		/* in dir */
	char *text;		/* NUL-terminated; empty if there is no file */
	size_t len;
	bool old;		/* the file exists; its attributes: */
	mode_t mode;
	uid_t uid;
	gid_t gid;
};

/* All functions return 0 or a negative errno. */
/* Open for reading, without a lock; links: it may be a symbolic link. Close it too. */
int etw_access_file_look(const char *path, bool links, struct etw_access_file *file);
/* -ELOOP: the file or its lock is a symbolic link; a new file would replace the link. */
int etw_access_file_open(const char *path, struct etw_access_file *file);
/*
 * Write text beside the file, with the file's mode and owner; _commit() renames it over
 * the file, _close() without _commit() removes it. -EFBIG: too large to be read again.
 */
int etw_access_file_prepare(struct etw_access_file *file, const char *text, size_t len);
int etw_access_file_commit(struct etw_access_file *file);
void etw_access_file_close(struct etw_access_file *file);

#endif /* ETW_LIB_ACCESS_CONF_FILE_H */
