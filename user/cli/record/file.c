/* SPDX-License-Identifier: MIT */
/*
 * file.c - the file that is recorded into, and what had its name before
 *
 * A recording never destroys the one before: that moves to FILE.old, as with perf.  What
 * FILE.old was goes once something is recorded, and not before.
 * --append goes on in it, and --new-files with the first number that is free.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/cli.h"
#include "record.h"
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

/* The first number behind those of files that exist; 0: there is none. */
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

/* A session writes to it, which a rename would not end: 0, or the exit status. */
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
			status = cli_fail("%s: session %s writes to it", cli_quote(r->old.path),
					  cli_quote(list[i].name));
	free(list);
	return status;
}

/* What FILE.old is now, out of the way; 0 or -errno. */
static int set_aside(struct record_old *old)
{
	struct stat st;

	if (lstat(old->moved, &st))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return etw_atomic_file_aside(old->moved, &old->aside);
}

static void put_back(struct record_old *old)
{
	if (old->aside && rename(old->aside, old->moved))
		cli_fail("%s: cannot be moved back to %s: %s", cli_quote(old->aside),
			 cli_quote(old->moved), strerror(errno));
	free(old->aside);
	old->aside = NULL;
}

static int move(struct record *r)
{
	struct record_old *old = &r->old;
	int err;

	snprintf(old->moved, sizeof(old->moved), "%s.old", old->path);
	err = set_aside(old);
	if (!err && rename(old->path, old->moved)) {
		err = -errno;
		put_back(old);
	}
	if (!err)
		return 0;
	cli_fail("%s: cannot be moved to %s: %s", cli_quote(old->path), cli_quote(old->moved),
		 strerror(-err));
	memset(old, 0, sizeof(*old));
	return 1;
}

/* Does a link stand for what this process has open, as the system's /dev/stdout does? */
static bool is_descriptor(const char *path)
{
	static const char fds[] = "/proc/self/fd/";
	char to[sizeof(fds) - 1];

	return readlink(path, to, sizeof(to)) == sizeof(to) && !memcmp(to, fds, sizeof(to));
}

/* What no log file can be, wherever links lead: 0, or the exit status. */
static int check_kind(const struct record *r)
{
	struct stat st;

	if (is_descriptor(r->file.path))
		return cli_fail("%s: stands for a descriptor: give the file's own name",
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
	/* A link is moved, never followed to a file that somebody chose. */
	if (lstat(r->old.path, &st))
		return 0;	/* whatever is wrong, opening it tells */
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

/*
 * Nothing was recorded: as it was before.  What was appended to is left with the
 * buffers it got, it is a whole log all the same.
 */
void record_backup_restore(struct record *r)
{
	if (r->old.moved[0]) {
		if (rename(r->old.moved, r->old.path))
			cli_fail("%s: cannot be moved back to %s: %s", cli_quote(r->old.moved),
				 cli_quote(r->old.path), strerror(errno));
		else
			put_back(&r->old);
		free(r->old.aside);
	} else if (!r->started) {
		/* Nobody has written: what is there now is another's. */
	} else if (r->old.empty) {
		if (truncate(r->old.path, 0))
			cli_fail("%s: %s", cli_quote(r->old.path), strerror(errno));
	} else if (!r->old.existed && r->old.path[0]) {
		/* Not there at all if it was to be made for the first event. */
		unlink(r->old.path);
	}
	memset(&r->old, 0, sizeof(r->old));
}

void record_keep_way(struct record *r)
{
	if (r->old.aside && unlink(r->old.aside))
		cli_fail("%s: %s", cli_quote(r->old.aside), strerror(errno));
	free(r->old.aside);
	r->old.aside = NULL;
}
