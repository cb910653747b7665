/* SPDX-License-Identifier: MIT */
/*
 * outfile.c - a file, or a folder, that is complete or not there
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli.h"
#include "outfile.h"

#define PART	".part-XXXXXX"

static int fail(const struct outfile *out, int err)
{
	return cli_fail("%s: %s", cli_quote(out->path), strerror(err));
}

static int exists(const struct outfile *out)
{
	return cli_fail("%s exists; --replace replaces it", cli_quote(out->path));
}

/* Without slashes at its end, which a folder's name may have */
static char *part_name(const char *path)
{
	size_t len = strlen(path);
	char *part;

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (asprintf(&part, "%.*s" PART, (int)len, path) < 0)
		cli_die("out of memory");
	return part;
}

static int open_file(struct outfile *out)
{
	mode_t mask = umask(0);

	umask(mask);
	out->part = part_name(out->path);
	out->fd = mkostemp(out->part, O_CLOEXEC);
	if (out->fd < 0) {
		free(out->part);
		out->part = NULL;
		return fail(out, errno);
	}
	if (fchmod(out->fd, 0666 & ~mask))
		return fail(out, errno);
	return 0;
}

static int open_folder(struct outfile *out)
{
	char *making;

	out->part = part_name(out->path);
	if (!mkdtemp(out->part)) {
		free(out->part);
		out->part = NULL;
		return fail(out, errno);
	}
	if (asprintf(&making, "%s/trace", out->part) < 0)
		cli_die("out of memory");
	out->making = making;
	return 0;
}

/* Pipes, terminals, /dev/null */
static int open_direct(struct outfile *out)
{
	out->fd = open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (out->fd < 0)
		return fail(out, errno);
	out->direct = true;
	return 0;
}

/* May what is there be replaced?  Returns the exit status. */
static int check_there(const struct outfile *out, const struct stat *there,
		       const struct inputs *inputs)
{
	if (inputs_have(inputs, there))
		return cli_fail("%s is one of the files to convert", cli_quote(out->path));
	if (!out->replace)
		return exists(out);
	if (!!S_ISDIR(there->st_mode) != out->folder)
		return fail(out, out->folder ? ENOTDIR : EISDIR);
	return 0;
}

int outfile_open(struct outfile *out, const struct inputs *inputs)
{
	struct stat there;
	int status = 0;

	out->fd = -1;
	if (!out->path) {
		out->fd = STDOUT_FILENO;
		out->direct = true;
		return 0;
	}
	if (!stat(out->path, &there)) {
		if (!out->folder && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
			return open_direct(out);
		status = check_there(out, &there, inputs);
	}
	if (status)
		return status;
	return out->folder ? open_folder(out) : open_file(out);
}

/* -------------------------------------------------------------------- removal */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	return type == FTW_DP ? rmdir(path) : unlink(path);
}

static int remove_tree(const char *path)
{
	return nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void forget(struct outfile *out)
{
	free(out->part);
	free((char *)out->making);
	out->part = NULL;
	out->making = NULL;
}

void outfile_discard(struct outfile *out)
{
	if (out->fd >= 0 && out->path)
		close(out->fd);
	out->fd = -1;
	if (out->part && out->folder)
		remove_tree(out->part);
	else if (out->part)
		unlink(out->part);
	forget(out);
}

/* ----------------------------------------------------------------- completion */

/* Nothing that is there is replaced, whenever it came there. */
static int rename_new(const char *from, const char *to)
{
	struct stat there;

	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* The file system has no such thing. */
	if (!lstat(to, &there)) {
		errno = EEXIST;
		return -1;
	}
	return rename(from, to);
}

static bool is_marked(const struct outfile *out)
{
	struct stat mark;
	bool found;
	char *path;

	if (!out->mark)
		return false;
	if (asprintf(&path, "%s/%s", out->path, out->mark) < 0)
		cli_die("out of memory");
	found = !lstat(path, &mark) && S_ISREG(mark.st_mode);
	free(path);
	return found;
}

/* The old one is in the way: it goes into the folder that the new one was made in. */
static int replace_folder(struct outfile *out)
{
	char *old;
	int ret;

	if (!rename(out->making, out->path))
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -1;
	if (!is_marked(out)) {
		errno = ENOTEMPTY;
		return -1;
	}
	if (asprintf(&old, "%s/old", out->part) < 0)
		cli_die("out of memory");
	ret = rename(out->path, old);
	if (!ret) {
		ret = rename(out->making, out->path);
		if (ret)
			rename(old, out->path);
	}
	free(old);
	return ret;
}

static int finish_folder(struct outfile *out)
{
	int ret = out->replace ? replace_folder(out) : rename_new(out->making, out->path);

	if (!ret) {
		remove_tree(out->part);
		forget(out);
	}
	return ret;
}

static int finish_file(struct outfile *out)
{
	int ret = out->replace ? rename(out->part, out->path) :
				 rename_new(out->part, out->path);

	if (!ret)
		forget(out);
	return ret;
}

int outfile_commit(struct outfile *out)
{
	int ret = 0, err;

	/* Some file systems tell only now that there was no space. */
	if (out->path && out->fd >= 0)
		ret = close(out->fd);
	out->fd = -1;
	if (!ret && !out->direct)
		ret = out->folder ? finish_folder(out) : finish_file(out);
	if (!ret)
		return 0;
	err = errno;
	outfile_discard(out);
	return err == EEXIST ? exists(out) : fail(out, err);
}
