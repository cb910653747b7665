/* SPDX-License-Identifier: MIT */
/*
 * older_file.c - keep the file that has a name when a new one takes the name
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "atomic_file.h"
#include "older_file.h"

static bool has_file(const char *folder, const char *name)
{
	struct stat st;
	bool found;
	char *path;

	if (!name || asprintf(&path, "%s/%s", folder, name) < 0)
		return false;
	found = !lstat(path, &st) && S_ISREG(st.st_mode);
	free(path);
	return found;
}

/* Files and links may be moved, or folders; devices and pipes have users who count on the name. */
static int check_kind(const char *path, bool folder)
{
	struct stat st;

	if (lstat(path, &st))
		return -errno;
	if (S_ISLNK(st.st_mode))
		return 0;
	if (folder != S_ISDIR(st.st_mode))
		return folder ? -ENOTDIR : -EISDIR;
	return folder || S_ISREG(st.st_mode) ? 0 : -ESPIPE;
}

/* Move an earlier FILE.old away; 0 or -errno. */
static int clear(struct etw_older *o, const char *mark)
{
	int err = check_kind(o->moved, o->folder);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (o->folder && !rmdir(o->moved))
		return 0;
	if (o->folder && !has_file(o->moved, mark))
		return -ENOTEMPTY;
	return etw_atomic_file_backup(o->moved, o->folder, &o->backup);
}

void etw_older_forget(struct etw_older *o)
{
	free(o->path);
	free(o->moved);
	free(o->backup);
	memset(o, 0, sizeof(*o));
}

static int move(struct etw_older *o, const char *mark)
{
	int err = clear(o, mark);

	if (err || !rename(o->path, o->moved))
		return err;
	err = -errno;
	if (o->backup)
		rename(o->backup, o->moved);
	return err;
}

int etw_older_move(struct etw_older *older, const char *path, bool folder, bool keep,
		   const char *mark)
{
	int err = check_kind(path, folder);

	memset(older, 0, sizeof(*older));
	if (err)
		return err;
	err = -ENOMEM;
	older->folder = folder;
	older->path = strdup(path);
	if (keep && older->path && asprintf(&older->moved, "%s" ETW_OLDER_SUFFIX, path) < 0)
		older->moved = NULL;
	if (older->moved)
		err = move(older, mark);
	else if (older->path && !keep)
		err = etw_atomic_file_backup(path, folder, &older->backup);
	if (err)
		etw_older_forget(older);
	return err;
}

int etw_older_restore(struct etw_older *older)
{
	if (!older->path)
		return 0;
	if (rename(older->moved ? older->moved : older->backup, older->path) ||
	    (older->moved && older->backup && rename(older->backup, older->moved)))
		return -errno;
	etw_older_forget(older);
	return 0;
}

int etw_older_drop(struct etw_older *older)
{
	int err = older->backup ? etw_atomic_file_remove(older->backup, older->folder) : 0;

	etw_older_forget(older);
	return err;
}
