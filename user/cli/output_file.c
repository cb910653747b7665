/* SPDX-License-Identifier: MIT */
/*
 * output_file.c - a file, or a folder, that is complete or not there
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
#include "output_file.h"

static int fail(const struct outfile *out, int err)
{
	return cli_fail("%s: %s", cli_quote(out->path), strerror(err));
}

static int exists(const struct outfile *out)
{
	return cli_fail("%s exists; --replace replaces it", cli_quote(out->path));
}

static int refuse(const struct outfile *out, int err)
{
	return err == EEXIST ? exists(out) : fail(out, err);
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

static int open_file(struct outfile *out)
{
	int err = etw_atomic_file_open(&out->file, out->path, out->replace);

	out->fd = out->file.fd;
	/* It has become a pipe since it was looked at. */
	if (err == 1)
		return open_direct(out);
	return err ? refuse(out, -err) : 0;
}

/* Where it goes: without slashes at its end, and where a link to an old one leads. */
static char *folder_name(const char *path, bool there)
{
	size_t len = strlen(path);
	char *name;

	while (len > 1 && path[len - 1] == '/')
		len--;
	name = there ? realpath(path, NULL) : strndup(path, len);
	if (!name && errno == ENOMEM)
		cli_die("out of memory");
	return name;
}

static int open_folder(struct outfile *out, bool there)
{
	char *making;
	int err;

	out->folder_path = folder_name(out->path, there);
	if (!out->folder_path)
		return fail(out, errno);
	err = etw_atomic_file_folder(out->folder_path, &out->part);
	if (err)
		return fail(out, -err);
	if (asprintf(&making, "%s/trace", out->part) < 0)
		cli_die("out of memory");
	out->making = making;
	return 0;
}

/* May what is there be replaced?  Returns the exit status. */
static int check_there(const struct outfile *out, const struct stat *there,
		       const struct inputs *inputs)
{
	const char *inside;

	if (inputs_have(inputs, there))
		return cli_fail("%s is one of the files to convert", cli_quote(out->path));
	if (!out->replace)
		return exists(out);
	if (!!S_ISDIR(there->st_mode) != out->folder)
		return fail(out, out->folder ? ENOTDIR : EISDIR);
	inside = out->folder ? inputs_within(inputs, there) : NULL;
	if (inside)
		return cli_fail("%s is not replaced: %s, which is to be converted, lies in it",
				cli_quote(out->path), cli_quote(inside));
	return 0;
}

int outfile_open(struct outfile *out, const struct inputs *inputs)
{
	struct stat there;
	int status = 0;
	bool found;

	out->fd = -1;
	if (!out->path) {
		out->fd = STDOUT_FILENO;
		out->direct = true;
		return 0;
	}
	found = !stat(out->path, &there);
	if (found) {
		if (!out->folder && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
			return open_direct(out);
		status = check_there(out, &there, inputs);
	} else if (!lstat(out->path, &there)) {
		/* A link that leads nowhere */
		status = out->replace ? fail(out, ENOENT) : exists(out);
	}
	if (status)
		return status;
	return out->folder ? open_folder(out, found) : open_file(out);
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
	free(out->folder_path);
	free((char *)out->making);
	out->part = NULL;
	out->folder_path = NULL;
	out->making = NULL;
}

void outfile_discard(struct outfile *out)
{
	if (out->direct && out->path && out->fd >= 0)
		close(out->fd);
	out->fd = -1;
	etw_atomic_file_drop(&out->file);
	if (out->part)
		remove_tree(out->part);
	forget(out);
}

/* ----------------------------------------------------------------- completion */

static bool is_marked(const struct outfile *out)
{
	struct stat mark;
	bool found;
	char *path;

	if (!out->mark)
		return false;
	if (asprintf(&path, "%s/%s", out->folder_path, out->mark) < 0)
		cli_die("out of memory");
	found = !lstat(path, &mark) && S_ISREG(mark.st_mode);
	free(path);
	return found;
}

/* The old one is in the way: it goes into the folder that the new one was made in. */
static int replace_folder(struct outfile *out)
{
	int err = etw_atomic_file_folder_like(out->making, out->folder_path);
	char *old;

	if (err)
		return err;
	if (!rename(out->making, out->folder_path))
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -errno;
	if (!is_marked(out))
		return -ENOTEMPTY;
	if (asprintf(&old, "%s/old", out->part) < 0)
		cli_die("out of memory");
	if (rename(out->folder_path, old)) {
		err = -errno;
	} else if (rename(out->making, out->folder_path)) {
		err = -errno;
		rename(old, out->folder_path);
	}
	free(old);
	return err;
}

static int finish_folder(struct outfile *out)
{
	int err = out->replace ? replace_folder(out) :
				 etw_atomic_file_rename(out->making, out->folder_path, true);

	if (!err) {
		remove_tree(out->part);
		forget(out);
	}
	return err;
}

static int finish_direct(struct outfile *out)
{
	return out->path && close(out->fd) ? -errno : 0;
}

int outfile_commit(struct outfile *out)
{
	int err;

	if (out->direct)
		err = finish_direct(out);
	else
		err = out->folder ? finish_folder(out) : etw_atomic_file_commit(&out->file);
	out->fd = -1;
	if (!err)
		return 0;
	outfile_discard(out);
	return refuse(out, -err);
}
