/* SPDX-License-Identifier: MIT */
/*
 * atomic_file.c - a file that has its name only once it is complete
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "atomic_file.h"

#define TRIES		100
#define SUFFIX		".part-%06x"
#define SUFFIX_LEN	12
#define ACL		"system.posix_acl_access"

/* -------------------------------------------------------------------- names */

/* From the root, for the process may be elsewhere when the file gets its name. */
static char *from_root(const char *path)
{
	const char *base = strrchr(path, '/');
	char *dir, *real, *all = NULL;

	dir = base ? strndup(path, base + 1 - path) : strdup(".");
	base = base ? base + 1 : path;
	real = dir ? realpath(dir, NULL) : NULL;
	/* A directory that cannot be found so may still be written to. */
	if (!real)
		all = strdup(path);
	else if (asprintf(&all, "%s/%s", strcmp(real, "/") ? real : "", base) < 0)
		all = NULL;
	free(dir);
	free(real);
	return all;
}

/* A name as long as can be is shortened: at the end of a character, if those are UTF-8. */
static size_t kept_len(const char *name)
{
	size_t len = strnlen(name, NAME_MAX), i;

	if (len <= NAME_MAX - SUFFIX_LEN)
		return len;
	len = NAME_MAX - SUFFIX_LEN;
	for (i = len; i > len - 4; i--)
		if ((name[i] & 0xC0) != 0x80)
			return i;
	return len;
}

/* A new file, or folder, beside path.  What open() says, 0 for a folder, -errno. */
static int make_part(const char *path, bool folder, mode_t mode, char **part)
{
	const char *base = strrchr(path, '/');
	size_t dir = base ? (size_t)(base + 1 - path) : 0, len = kept_len(path + dir);
	char *name = malloc(dir + NAME_MAX + 1);
	uint32_t number;
	int i, fd, err = -EEXIST;

	if (!name)
		return -ENOMEM;
	memcpy(name, path, dir + len);
	for (i = 0; i < TRIES && err == -EEXIST; i++) {
		if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
			number = (uint32_t)getpid() * TRIES + (uint32_t)i;
		snprintf(name + dir + len, SUFFIX_LEN + 1, SUFFIX, number & 0xFFFFFF);
		fd = folder ? mkdir(name, mode) :
			      open(name, O_RDWR | O_CLOEXEC | O_NOCTTY | O_CREAT | O_EXCL, mode);
		if (fd >= 0) {
			*part = name;
			return fd;
		}
		err = -errno;
	}
	free(name);
	return err;
}

int etw_atomic_file_folder(const char *path, char **part)
{
	return make_part(path, true, 0700, part);
}

/* ------------------------------------------------------------------- renaming */

static bool unknown(int err)
{
	return err == EINVAL || err == ENOSYS || err == EOPNOTSUPP;
}

/* The last resort: take the name with something empty, whose place it then takes. */
static int rename_claimed(const char *from, const char *to, bool folder)
{
	int err, fd = folder ? mkdir(to, 0700) : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
						      0600);

	if (fd < 0)
		return -errno;
	if (!folder)
		close(fd);
	if (!rename(from, to))
		return 0;
	err = -errno;
	if (folder)
		rmdir(to);
	else
		unlink(to);
	return err;
}

int etw_atomic_file_rename(const char *from, const char *to, bool folder)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (!unknown(errno))
		return -errno;
	/* The file system has no such thing. */
	if (!folder && !link(from, to)) {
		unlink(from);
		return 0;
	}
	if (!folder && errno != EPERM && errno != EMLINK && !unknown(errno))
		return -errno;
	return rename_claimed(from, to, folder);
}

/* -------------------------------------------------------------------- opening */

/* With a list the group's bits of the mode are all that the list can grant to anybody. */
static void keep_acl(struct etw_atomic_file *f)
{
	ssize_t size = getxattr(f->path, ACL, NULL, 0);

	if (size < 0 && (errno == ENODATA || unknown(errno)))
		return;
	f->acl = size > 0 ? malloc((size_t)size) : NULL;
	if (f->acl && getxattr(f->path, ACL, f->acl, (size_t)size) == size) {
		f->acl_size = (size_t)size;
		return;
	}
	/* Without it the group would get what others were granted. */
	free(f->acl);
	f->acl = NULL;
	f->mode &= 0707;
}

/* Whose the file is that is replaced; who may not give files away keeps what he makes. */
static int take_after(struct etw_atomic_file *f)
{
	bool ours = fchown(f->fd, f->uid, f->gid) && fchown(f->fd, -1, f->gid);

	/* The folder may have given it one. */
	fremovexattr(f->fd, ACL);
	/* What was meant for another group; a list sets the group's bits itself. */
	if (fchmod(f->fd, ours || f->acl ? f->mode & 0707 : f->mode))
		return -errno;
	if (f->acl && !ours)
		fsetxattr(f->fd, ACL, f->acl, f->acl_size, 0);
	return 0;
}

static void remember_old(struct etw_atomic_file *f, const struct stat *there)
{
	f->mode = there->st_mode & (S_ISDIR(there->st_mode) ? 03777 : 0777);
	f->uid = there->st_uid;
	f->gid = there->st_gid;
	keep_acl(f);
}

int etw_atomic_file_folder_like(const char *folder, const char *old)
{
	struct etw_atomic_file f = { .path = (char *)old };
	struct stat there;
	int err;

	if (lstat(old, &there))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(there.st_mode))
		return -ENOTDIR;
	f.fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (f.fd < 0)
		return -errno;
	remember_old(&f, &there);
	err = take_after(&f);
	free(f.acl);
	close(f.fd);
	return err;
}

/* Remember which file fd is. */
static int know(struct etw_atomic_file *f)
{
	struct stat st;

	if (fstat(f->fd, &st))
		return -errno;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	return 0;
}

int etw_atomic_file_reopen(struct etw_atomic_file *file)
{
	struct stat st;
	int err = 0;
	int fd = open(file->part, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (st.st_dev != file->dev || st.st_ino != file->ino)
		err = -ESTALE;
	if (err)
		close(fd);
	else
		file->fd = fd;
	return err;
}

/* There is something that is to be replaced. */
static int open_there(struct etw_atomic_file *f, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return 1;
	f->old = true;
	f->path = realpath(path, NULL);
	/* Whoever may not write to it may not replace it. */
	if (!f->path || access(f->path, W_OK))
		return -errno;
	remember_old(f, &st);
	f->fd = make_part(f->path, false, 0600, &f->part);
	return f->fd < 0 ? f->fd : know(f);
}

static int open_new(struct etw_atomic_file *f, const char *path)
{
	if (!*path)
		return -ENOENT;
	f->path = from_root(path);
	if (!f->path)
		return -ENOMEM;
	f->fd = make_part(f->path, false, 0666, &f->part);
	return f->fd < 0 ? f->fd : know(f);
}

int etw_atomic_file_open(struct etw_atomic_file *file, const char *path, bool replace)
{
	struct stat st;
	int ret;

	memset(file, 0, sizeof(*file));
	file->fd = -1;
	file->replace = replace;
	if (lstat(path, &st))
		ret = errno == ENOENT ? open_new(file, path) : -errno;
	else
		ret = replace ? open_there(file, path) : -EEXIST;
	if (ret)
		etw_atomic_file_drop(file);
	return ret;
}

/* --------------------------------------------------------------------- ending */

/* What is replaced goes once the new one is on the disk. */
static int complete(struct etw_atomic_file *f)
{
	int err = 0;

	if (f->fd < 0 && f->old)
		err = etw_atomic_file_reopen(f);
	if (f->old && !err)
		err = take_after(f);
	if (f->old && !err && fsync(f->fd))
		err = -errno;
	/* Some file systems tell only now that there was no room. */
	if (f->fd >= 0 && close(f->fd) && !err)
		err = -errno;
	f->fd = -1;
	return err;
}

int etw_atomic_file_aside(const char *path, char **part)
{
	int err, fd = make_part(path, false, 0600, part);

	if (fd < 0)
		return fd;
	close(fd);
	if (!rename(path, *part))
		return 0;
	err = -errno;
	unlink(*part);
	free(*part);
	return err;
}

/* Change places by two steps, where the file system cannot do it in one. */
static int swap(struct etw_atomic_file *f)
{
	char *aside;
	int err = etw_atomic_file_aside(f->path, &aside);

	if (err)
		return err;
	if (rename(f->part, f->path)) {
		err = -errno;
		rename(aside, f->path);
		free(aside);
		return err;
	}
	free(f->part);
	f->part = aside;
	return 0;
}

/* Give it its name; what it replaces gets the one that it had. */
static int exchange(struct etw_atomic_file *f)
{
	struct stat st;
	int err;

	if (lstat(f->path, &st)) {
		err = etw_atomic_file_rename(f->part, f->path, false);
		if (!err) {
			free(f->part);
			f->part = NULL;
		}
		return err;
	}
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!renameat2(AT_FDCWD, f->part, AT_FDCWD, f->path, RENAME_EXCHANGE))
		return 0;
	return unknown(errno) ? swap(f) : -errno;
}

int etw_atomic_file_place(struct etw_atomic_file *file)
{
	int err;

	if (!file->path)
		return 0;
	err = complete(file);
	if (!err && file->replace) {
		err = exchange(file);
	} else if (!err) {
		err = etw_atomic_file_rename(file->part, file->path, false);
		if (!err) {
			free(file->part);
			file->part = NULL;
		}
	}
	file->placed = !err;
	return err;
}

static void release(struct etw_atomic_file *f)
{
	free(f->path);
	free(f->part);
	free(f->acl);
	memset(f, 0, sizeof(*f));
}

void etw_atomic_file_settle(struct etw_atomic_file *file)
{
	if (file->placed && file->part)
		unlink(file->part);
	release(file);
}

int etw_atomic_file_commit(struct etw_atomic_file *file)
{
	int err = complete(file);

	if (!err && !file->replace)
		err = etw_atomic_file_rename(file->part, file->path, false);
	else if (!err && rename(file->part, file->path))
		err = -errno;
	if (err)
		etw_atomic_file_drop(file);
	else
		release(file);
	return err;
}

int etw_atomic_file_undo(struct etw_atomic_file *file)
{
	if (!file->placed)
		return 0;
	if (file->part ? rename(file->part, file->path) : unlink(file->path))
		return -errno;
	free(file->part);
	file->part = NULL;
	file->placed = false;
	return 0;
}

void etw_atomic_file_drop(struct etw_atomic_file *file)
{
	int saved = errno;

	if (file->path && file->fd >= 0)
		close(file->fd);
	if (file->placed)
		etw_atomic_file_undo(file);
	else if (file->part)
		unlink(file->part);
	release(file);
	errno = saved;
}
