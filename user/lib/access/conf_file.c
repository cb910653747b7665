/* SPDX-License-Identifier: MIT */
/*
 * conf_file.c - read and replace the file of access lists
 *
 * A reader finds either the old file or the new one, complete, also after a crash. A
 * writer holds a lock on a file beside it that only the owner may open, so that others
 * cannot block the writer.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/read_all.h"
#include "conf.h"
#include "conf_file.h"

#define NEW_NAME	".access.conf.new"
#define LOCK_NAME	".access.conf.lock"

/* Read an open file and its status, and close it. */
static int read_file(int fd, struct stat *st, char **text, size_t *len)
{
	int ret;

	if (fstat(fd, st))
		ret = -errno;
	else if (!S_ISREG(st->st_mode))
		ret = S_ISDIR(st->st_mode) ? -EISDIR : -EINVAL;
	else if (st->st_size > ETW_ACCESS_CONF_MAX)
		ret = -EFBIG;
	else
		ret = etw_read_all(fd, st->st_size, text, len);
	close(fd);
	return ret;
}

/* Make etw_access_file_close() a no-op. */
static void clear(struct etw_access_file *file)
{
	memset(file, 0, sizeof(*file));
	file->dir = -1;
	file->lock = -1;
}

int etw_access_file_look(const char *path, bool links, struct etw_access_file *file)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
			    (links ? 0 : O_NOFOLLOW));
	struct stat st;

	clear(file);
	return fd < 0 ? -errno : read_file(fd, &st, &file->text, &file->len);
}

/* Open the file's directory; create it if only the last component is missing. */
static int open_dir(char *path)
{
	char *slash = strrchr(path, '/');
	const char *dir = ".";
	int fd, ret = 0;

	if (slash == path) {
		dir = "/";
	} else if (slash) {
		*slash = '\0';
		dir = path;
	}
	if (mkdir(dir, 0755))
		ret = -errno;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && ret)
		return ret;
	return fd < 0 ? -errno : fd;
}

static int take_lock(struct etw_access_file *file)
{
	file->lock = openat(file->dir, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			    0600);
	if (file->lock < 0)
		return -errno;
	while (flock(file->lock, LOCK_EX))
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Read the current file, if there is one. */
static int read_old(struct etw_access_file *file)
{
	int ret, fd = openat(file->dir, file->name,
			     O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 && errno == ENOENT) {
		file->text = calloc(1, 1);
		return file->text ? 0 : -ENOMEM;
	}
	if (fd < 0)
		return -errno;
	ret = read_file(fd, &st, &file->text, &file->len);
	if (ret)
		return ret;
	file->old = true;
	file->mode = st.st_mode & 07777;
	file->uid = st.st_uid;
	file->gid = st.st_gid;
	return 0;
}

int etw_access_file_open(const char *path, struct etw_access_file *file)
{
	char *copy = strdup(path);
	int ret;

	clear(file);
	file->name = strdup(strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	ret = -ENOMEM;
	if (!copy || !file->name)
		goto err_close;
	ret = open_dir(copy);
	if (ret < 0)
		goto err_close;
	file->dir = ret;
	ret = take_lock(file);
	if (ret)
		goto err_close;
	ret = read_old(file);
	if (ret)
		goto err_close;
	free(copy);
	return 0;

err_close:
	free(copy);
	etw_access_file_close(file);
	return ret;
}

static int write_all(int fd, const char *text, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, text, len);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			len -= n;
		}
	}
	return fsync(fd) ? -errno : 0;
}

/* Give the new file the owner, group and mode of the old one. */
static int keep_owner(const struct etw_access_file *file, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if ((st.st_uid != file->uid || st.st_gid != file->gid) &&
	    fchown(fd, file->uid, file->gid))
		return -errno;
	return fchmod(fd, file->mode) ? -errno : 0;
}

int etw_access_file_prepare(struct etw_access_file *file, const char *text, size_t len)
{
	int fd, ret = 0;

	if (len > ETW_ACCESS_CONF_MAX)
		return -EFBIG;
	/* Left by a writer that died; the lock excludes any other. */
	unlinkat(file->dir, NEW_NAME, 0);
	fd = openat(file->dir, NEW_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    file->old ? 0600 : 0644);
	if (fd < 0)
		return -errno;
	if (file->old)
		ret = keep_owner(file, fd);
	if (!ret)
		ret = write_all(fd, text, len);
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

int etw_access_file_commit(struct etw_access_file *file)
{
	if (renameat(file->dir, NEW_NAME, file->dir, file->name))
		return -errno;
	/* The rename has taken effect; if this fails, it may not be on the disk yet. */
	fsync(file->dir);
	return 0;
}

void etw_access_file_close(struct etw_access_file *file)
{
	/* Without the lock, the new file would be another writer's. */
	if (file->dir >= 0 && file->text)
		unlinkat(file->dir, NEW_NAME, 0);
	/* Unlock explicitly: a child forked meanwhile has the lock file open too. */
	if (file->lock >= 0) {
		flock(file->lock, LOCK_UN);
		close(file->lock);
	}
	if (file->dir >= 0)
		close(file->dir);
	free(file->name);
	free(file->text);
	clear(file);
}
