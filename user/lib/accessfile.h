/* SPDX-License-Identifier: MIT */
/*
 * accessfile.h - the file of the access lists: read it, replace it
 */
#ifndef ETW_LIB_ACCESSFILE_H
#define ETW_LIB_ACCESSFILE_H

#include <stddef.h>

/* A file, open for changing; others wait until it is closed. */
struct etw_access_file {
	int dir;
	int lock;
	char *name;		/* in dir */
	char *text;		/* NUL-terminated; empty where there is no file */
	size_t len;
};

/* 0 or a negative errno, as all here. */
int etw_access_file_read(const char *path, char **text, size_t *len);
int etw_access_file_open(const char *path, struct etw_access_file *file);
/* Put text beside the file; _commit() puts it in its place, _close() without that drops it. */
int etw_access_file_prepare(struct etw_access_file *file, const char *text);
int etw_access_file_commit(struct etw_access_file *file);
void etw_access_file_close(struct etw_access_file *file);

#endif /* ETW_LIB_ACCESSFILE_H */
