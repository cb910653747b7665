/* SPDX-License-Identifier: MIT */
/*
 * file.c - rename an earlier recording before a new one takes its name
 *
 * An earlier FILE becomes FILE.old, as with perf.  An earlier FILE.old is deleted only once
 * the new recording runs; if it cannot start, both are restored.  --append adds to FILE,
 * and --new-files starts at the first free number.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/cli.h"
#include "recording.h"
#include "base/atomic_file.h"

#define NUMBERS_MAX	1000000u

bool record_file_number(const char *pattern, uint32_t number, char out[ETW_FILE_NAME_MAX + 1])
{
	const char *place = strstr(pattern, "%d");
	int len;

	len = snprintf(out, ETW_FILE_NAME_MAX + 1, "%.*s%u%s", (int)(place - pattern), pattern,
		       number, place + 2);
	return len <= ETW_FILE_NAME_MAX;
}

/* The first number of a file that does not exist yet; 0: none is free. */
static uint32_t free_number(const char *pattern, char path[ETW_FILE_NAME_MAX + 1])
{
	struct stat st;
	uint32_t number;

	for (number = 1; number < NUMBERS_MAX; number++) {
		if (!record_file_number(pattern, number, path) || (lstat(path, &st) && errno == ENOENT))
			return number;
	}
	return 0;
}

/* A session would go on writing to a renamed file.  0, or the exit status. */
static int check_idle(const struct record *r, const struct stat *st)
{
	struct session *list;
	unsigned int count, i;
	struct stat own;
	int status = 0;

	if (session_list(r->fd, &list, &count))
		return 0;
	for (i = 0; i < count && !status; i++)
		if (list[i].log.log.name_len && !stat(list[i].log.name, &own) &&
		    own.st_dev == st->st_dev && own.st_ino == st->st_ino)
			status = cli_fail("%s: session %s writes to this file", cli_quote(r->old.path),
					  cli_quote(list[i].name));
	free(list);
	return status;
}

/* Move FILE.old away; 0 or -errno. */
static int move_old(struct record_old *old)
{
	struct stat st;

	if (lstat(old->moved, &st))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return etw_atomic_file_backup(old->moved, false, &old->backup);
}

static bool move_back(const char *from, const char *to)
{
	if (!rename(from, to))
		return true;
	cli_fail("%s: cannot be moved back to %s: %s", cli_quote(from), cli_quote(to),
		 strerror(errno));
	return false;
}

static void forget(struct record_old *old)
{
	free(old->backup);
	memset(old, 0, sizeof(*old));
}

static int move(struct record *r)
{
	struct record_old *old = &r->old;
	int err;

	snprintf(old->moved, sizeof(old->moved), "%s.old", old->path);
	err = move_old(old);
	if (!err && rename(old->path, old->moved)) {
		err = -errno;
		if (old->backup)
			move_back(old->backup, old->moved);
	}
	if (!err)
		return 0;
	cli_fail("%s: cannot be moved to %s: %s", cli_quote(old->path), cli_quote(old->moved),
		 strerror(-err));
	forget(old);
	return 1;
}

/* Is this a link to an open descriptor, as /dev/stdout is? */
static bool is_descriptor(const char *path)
{
	static const char fds[] = "/proc/self/fd/";
	char to[sizeof(fds) - 1];

	return readlink(path, to, sizeof(to)) == sizeof(to) && !memcmp(to, fds, sizeof(to));
}

/* Can this be a log file?  0, or the exit status. */
static int check_kind(const struct record *r)
{
	struct stat st;

	if (is_descriptor(r->file.path))
		return cli_fail("%s is a descriptor: give the name of the file itself",
				cli_quote(r->file.path));
	if (stat(r->file.path, &st) || S_ISREG(st.st_mode))
		return 0;
	startfile_fail(&r->file, r->name, S_ISDIR(st.st_mode) ? -EISDIR : -ESPIPE);
	return 1;
}

int record_backup_create(struct record *r)
{
	struct stat st;

	if (r->file.mode & ETW_MODE_NEWFILE && strstr(r->file.path, "%d")) {
		r->file.first = free_number(r->file.path, r->old.path);
		if (!r->file.first)
			return cli_fail("%s: no number is free", cli_quote(r->file.path));
		return 0;
	}
	if (strlen(r->file.path) > ETW_FILE_NAME_MAX)
		return cli_fail("%s: %s", cli_quote(r->file.path), strerror(ENAMETOOLONG));
	if (check_kind(r))
		return 1;
	strcpy(r->old.path, r->file.path);
	/* Rename a link, not the file that it names: somebody else may have made the link. */
	if (lstat(r->old.path, &st))
		return 0;	/* opening it reports what is wrong */
	r->old.existed = true;
	r->old.empty = S_ISREG(st.st_mode) && !st.st_size;
	if (r->file.mode & ETW_MODE_APPEND || r->old.empty ||
	    !(S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)))
		return 0;
	if (check_idle(r, &st)) {
		memset(&r->old, 0, sizeof(r->old));
		return 1;
	}
	return move(r);
}

/* A file that was appended to keeps the added buffers: it is still a whole log. */
void record_backup_restore(struct record *r)
{
	struct record_old *old = &r->old;

	if (old->moved[0]) {
		if (move_back(old->moved, old->path) && old->backup)
			move_back(old->backup, old->moved);
	} else if (!r->started) {
		/* This recording wrote nothing: the file belongs to somebody else. */
	} else if (old->empty) {
		if (truncate(old->path, 0))
			cli_fail("%s: %s", cli_quote(old->path), strerror(errno));
	} else if (!old->existed && old->path[0]) {
		unlink(old->path);	/* with --delay-open there may be none yet */
	}
	forget(old);
}

void record_backup_remove(struct record *r)
{
	if (r->old.backup && unlink(r->old.backup))
		cli_fail("%s: %s", cli_quote(r->old.backup), strerror(errno));
	free(r->old.backup);
	r->old.backup = NULL;
}
