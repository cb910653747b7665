/* SPDX-License-Identifier: MIT */
/*
 * older_log.c - keep an older log file when a session begins one of its name
 *
 * An older FILE becomes FILE.old, see base/older_file.h.  --append adds to FILE, and --new-files
 * begins behind the numbers of existing files.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/output_file.h"
#include "etl/file.h"
#include "start_options.h"

#define NUMBERS_MAX	1000000u

/* Where the number is: in the last part of the path, as the kernel has it. */
static const char *number_place(const char *pattern)
{
	const char *slash = strrchr(pattern, '/');

	return strstr(slash ? slash + 1 : pattern, "%d");
}

bool log_file_number(const char *pattern, uint32_t number, char out[ETW_FILE_NAME_MAX + 1])
{
	const char *place = number_place(pattern);
	int len;

	len = snprintf(out, ETW_FILE_NAME_MAX + 1, "%.*s%u%s", (int)(place - pattern), pattern,
		       number, place + 2);
	return len <= ETW_FILE_NAME_MAX;
}

/* The number in a file's name; 0: it is none of the pattern. */
static uint32_t number_of(const char *name, const char *pattern)
{
	const char *slash = strrchr(pattern, '/'), *base = slash ? slash + 1 : pattern;
	size_t len = (size_t)(number_place(pattern) - base);
	unsigned long number;
	char *end;

	if (strncmp(name, base, len) || name[len] < '1' || name[len] > '9')
		return 0;
	number = strtoul(name + len, &end, 10);
	return strcmp(end, base + len + 2) || number >= NUMBERS_MAX ? 0 : (uint32_t)number;
}

/*
 * The first number behind those of existing files: the session counts on from it, and would
 * overwrite the next ones.  0: none is left, or the folder cannot be read.
 */
static uint32_t free_number(const char *pattern, char path[ETW_FILE_NAME_MAX + 1])
{
	const char *slash = strrchr(pattern, '/');
	char *folder = slash ? strndup(pattern, (size_t)(slash + 1 - pattern)) : cli_strdup(".");
	DIR *dir = folder ? opendir(folder) : NULL;
	uint32_t number, last = 0;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		number = number_of(entry->d_name, pattern);
		last = number > last ? number : last;
	}
	free(folder);
	if (!dir)
		return 0;
	closedir(dir);
	log_file_number(pattern, last + 1, path);
	return last + 1 < NUMBERS_MAX ? last + 1 : 0;
}

bool older_log_is_of_another(const char *path, const struct session *session)
{
	struct etw_etl_file *file;
	struct stat st;
	bool another;
	int err = etw_etl_open(path, NULL, NULL, &file);

	if (err)
		return err == -EINVAL && !stat(path, &st) && st.st_size;
	another = etw_etl_info(file)->header.StartTime.QuadPart != (int64_t)session->s.start_wall;
	etw_etl_close(file);
	return another;
}

/*
 * A session would go on writing to a renamed file; one that buffers makes its file anew each time.
 * 0 or -errno
 */
static int check_idle(int fd, const char *path, const struct stat *st)
{
	struct session *list;
	unsigned int count, i;
	struct stat own;
	int err = 0;

	if (session_list(fd, &list, &count))
		return 0;
	for (i = 0; i < count && !err; i++) {
		if (!list[i].log.log.name_len || list[i].s.mode & ETW_MODE_BUFFERING ||
		    stat(list[i].log.name, &own) || own.st_dev != st->st_dev ||
		    own.st_ino != st->st_ino || older_log_is_of_another(path, &list[i]))
			continue;
		cli_fail("%s: session %s writes to this file", cli_quote(path),
			 cli_quote(list[i].name));
		err = -ETXTBSY;
	}
	free(list);
	return err;
}

/* Does the kernel show this process all sessions? */
static bool sees_all_sessions(void)
{
	const uint64_t any = UINT64_C(1) << CAP_PERFMON | UINT64_C(1) << CAP_SYS_ADMIN;
	FILE *status = fopen("/proc/self/status", "re");
	uint64_t caps = 0;
	char line[128];

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "CapEff: %" SCNx64, &caps) == 1)
			break;
	if (status)
		fclose(status);
	return caps & any;
}

/* FILETIME, to the second */
static int64_t boot_time(void)
{
	struct timespec now, up;

	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &up);
	return (now.tv_sec - up.tv_sec - 1) * INT64_C(10000000) + ETW_UNIX_EPOCH_100NS;
}

/*
 * A session that this user may not query would go on writing to a renamed file, which the next
 * command deletes.  Its file is not closed.  0 or -errno
 */
static int check_unseen(const char *path)
{
	struct etw_etl_file *file;
	bool open;
	int err;

	if (sees_all_sessions())
		return 0;
	err = etw_etl_open(path, NULL, NULL, &file);
	if (err && err != -EACCES)
		return 0;
	/* What an earlier boot has left open nobody writes. */
	open = err || (etw_etl_cut_off(file) &&
		       etw_etl_info(file)->header.StartTime.QuadPart > boot_time());
	if (!err)
		etw_etl_close(file);
	if (!open)
		return 0;
	cli_fail("%s: %s: a session that you may not query may be writing to it", cli_quote(path),
		 err ? "you may not read it" : "it is not closed");
	return -ETXTBSY;
}

/* Is this a link to an open descriptor, as /dev/stdout is? */
static bool is_descriptor(const char *path)
{
	static const char fds[] = "/proc/self/fd/";
	char to[sizeof(fds) - 1];

	return readlink(path, to, sizeof(to)) == sizeof(to) && !memcmp(to, fds, sizeof(to));
}

int older_log_check(const struct startfile *file, const char *session)
{
	struct stat st;
	int err;

	if (is_descriptor(file->path))
		return cli_fail("%s is a descriptor: give the name of the file itself",
				cli_quote(file->path)), -ESPIPE;
	if (stat(file->path, &st) || S_ISREG(st.st_mode))
		return 0;
	err = S_ISDIR(st.st_mode) ? -EISDIR : -ESPIPE;
	startfile_fail(file, session, err);
	return err;
}

static const char *moved_name(const struct older_log *old)
{
	static char moved[ETW_FILE_NAME_MAX + sizeof(ETW_OLDER_SUFFIX)];

	snprintf(moved, sizeof(moved), "%s" ETW_OLDER_SUFFIX, old->path);
	return moved;
}

static int choose_number(struct startfile *file)
{
	file->first = 1;
	if (file->replace)
		return 0;
	errno = 0;
	file->first = free_number(file->path, file->old.path);
	if (file->first)
		return 0;
	cli_fail("%s: %s", cli_quote(file->path), errno ? strerror(errno) : "no number is free");
	return errno ? -errno : -EEXIST;
}

static int move(struct startfile *file)
{
	struct older_log *old = &file->old;
	int err = etw_older_move(&old->older, old->path, false, !file->replace, NULL);

	if (err)
		cli_fail("%s: cannot be moved to %s: %s", cli_quote(old->path),
			 file->replace ? "another name" : cli_quote(moved_name(old)),
			 older_file_error(err));
	return err;
}

int older_log_move(int fd, struct startfile *file, const char *session)
{
	struct older_log *old = &file->old;
	struct stat st;
	int err;

	memset(old, 0, sizeof(*old));
	if (file->mode & ETW_MODE_NEWFILE && number_place(file->path))
		return choose_number(file);
	if (strlen(file->path) > ETW_FILE_NAME_MAX)
		return cli_fail("%s: %s", cli_quote(file->path), strerror(ENAMETOOLONG)),
		       -ENAMETOOLONG;
	err = older_log_check(file, session);
	if (err)
		return err;
	strcpy(old->path, file->path);
	/* Rename a link, not the file that it names: somebody else may have made the link. */
	if (lstat(old->path, &st))
		return 0;	/* opening it reports what is wrong */
	old->existed = true;
	old->empty = S_ISREG(st.st_mode) && !st.st_size;
	if (file->mode & ETW_MODE_APPEND || old->empty ||
	    !(S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)))
		return 0;
	err = check_idle(fd, old->path, &st) ?: check_unseen(old->path);
	if (!err)
		err = move(file);
	if (err)
		memset(old, 0, sizeof(*old));
	return err;
}

void older_log_restore(struct startfile *file, bool begun)
{
	struct older_log *old = &file->old;
	int err;

	if (old->older.path) {
		err = etw_older_restore(&old->older);
		if (err)
			cli_fail("%s: cannot be moved back to %s: %s",
				 cli_quote(old->older.moved ? old->older.moved : old->older.backup),
				 cli_quote(old->path), strerror(-err));
		etw_older_forget(&old->older);
	} else if (!begun || file->mode & ETW_MODE_APPEND) {
		/* Nothing was written, or a whole log was added to: it stays. */
	} else if (old->empty) {
		if (truncate(old->path, 0))
			cli_fail("%s: %s", cli_quote(old->path), strerror(errno));
	} else if (!old->existed && old->path[0]) {
		unlink(old->path);	/* with --delay-open there may be none yet */
	}
	memset(old, 0, sizeof(*old));
}

void older_log_drop(struct startfile *file)
{
	struct older_log *old = &file->old;
	int err;

	if (!old->older.path)
		return;
	old->kept = old->older.moved != NULL;
	old->last = etw_older_loses(&old->older);
	err = etw_older_drop(&old->older);
	if (err)
		cli_fail("%s: the replaced file cannot be deleted: %s", cli_quote(old->path),
			 strerror(-err));
}

const char *older_log_kept(const struct startfile *file)
{
	return file->old.kept ? moved_name(&file->old) : NULL;
}

void older_log_note(const struct startfile *file)
{
	const char *moved = older_log_kept(file);

	if (moved)
		older_file_note("file", moved, file->old.last);
}
