/* SPDX-License-Identifier: MIT */
/*
 * conf_file.h - the file of the access lists: read it, replace it
 */
#ifndef ETW_LIB_ACCESS_CONF_FILE_H
#define ETW_LIB_ACCESS_CONF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A file, open for changing; others wait until it is closed. */
struct etw_access_file {
	int dir;
	int lock;
	char *name;		/* in dir */
	char *text;		/* NUL-terminated; empty where there is no file */
	size_t len;
	bool old;		/* there is a file; of it: */
	mode_t mode;
	uid_t uid;
	gid_t gid;
};

/* 0 or a negative errno, as all here. */
/* Not to be changed, and not locked; links: may be one.  To be closed, too. */
int etw_access_file_look(const char *path, bool links, struct etw_access_file *file);
/* -ELOOP: it is a symbolic link, which a new file would take the place of, or the lock is. */
int etw_access_file_open(const char *path, struct etw_access_file *file);
/*
 * Put text beside the file, with the mode and the owner of that; _commit() puts it
 * in its place, _close() without that drops it.  -EFBIG: none could read it again.
 */
int etw_access_file_prepare(struct etw_access_file *file, const char *text, size_t len);
int etw_access_file_commit(struct etw_access_file *file);
void etw_access_file_close(struct etw_access_file *file);

#endif /* ETW_LIB_ACCESS_CONF_FILE_H */
