/* SPDX-License-Identifier: MIT */
/*
 * atomic_file.c - write a file or folder under a temporary name, then rename it
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
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

/* ---------------------------------------------------------------------- names */

/* The absolute path: the process may change its directory before the commit. */
static char *absolute_path(const char *path, size_t len)
{
	char *copy = strndup(path, len), *name = copy ? strrchr(copy, '/') : NULL;
	char *folder, *all = NULL;

	if (!copy)
		return NULL;
	if (name)
		*name = '\0';
	folder = realpath(!name ? "." : name == copy ? "/" : copy, NULL);
	/* A folder can be writable although its path cannot be resolved. */
	if (!folder)
		all = strndup(path, len);
	else if (asprintf(&all, "%s/%s", strcmp(folder, "/") ? folder : "",
			  name ? name + 1 : copy) < 0)
		all = NULL;
	free(folder);
	free(copy);
	return all;
}

/* Create a file or folder beside path.  Returns an fd, 0 for a folder, or -errno. */
static int create_temp(const char *path, bool folder, mode_t mode, char **temp)
{
	const char *name = strrchr(path, '/');
	size_t dir = name ? (size_t)(name + 1 - path) : 0, len = strlen(path + dir);
	char *made = malloc(dir + len + SUFFIX_LEN + 1);
	uint32_t number;
	int i, fd, err = -EEXIST;

	if (!made)
		return -ENOMEM;
	/* Do not cut a name that has no room for the suffix: the cut may split a character. */
	if (len > NAME_MAX - SUFFIX_LEN)
		len = 0;
	memcpy(made, path, dir + len);
	for (i = 0; i < TRIES && err == -EEXIST; i++) {
		if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
			number = (uint32_t)getpid() * TRIES + (uint32_t)i;
		snprintf(made + dir + len, SUFFIX_LEN + 1, SUFFIX, number & 0xFFFFFF);
		fd = folder ? mkdir(made, mode) :
			      open(made, O_RDWR | O_CLOEXEC | O_NOCTTY | O_CREAT | O_EXCL, mode);
		if (fd >= 0) {
			*temp = made;
			return fd;
		}
		err = -errno;
	}
	free(made);
	return err;
}

/* Rename, but never onto something that exists. */
static int rename_new(const char *from, const char *to)
{
	struct stat st;

	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
		return -errno;
	/* The file system cannot do it in one step. */
	if (!lstat(to, &st))
		return -EEXIST;
	return rename(from, to) ? -errno : 0;
}

int etw_atomic_file_backup(const char *path, bool folder, char **backup)
{
	int err, fd = create_temp(path, folder, folder ? 0700 : 0600, backup);

	if (fd < 0)
		return fd;
	if (!folder)
		close(fd);
	if (!rename(path, *backup))
		return 0;
	err = -errno;
	remove(*backup);
	free(*backup);
	*backup = NULL;
	return err;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	return type == FTW_DP ? rmdir(path) : unlink(path);
}

int etw_atomic_file_remove(const char *path, bool folder)
{
	int ret = folder ? nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS) : unlink(path);

	return ret ? -errno : 0;
}

/* -------------------------------------------------------------------- opening */

static int open_temp(struct etw_atomic_file *f, mode_t mode)
{
	bool folder = f->flags & ETW_ATOMIC_FOLDER;
	struct stat st;
	int fd;

	fd = create_temp(f->path, folder, folder ? mode | (mode & 0444) >> 2 : mode,
			 &f->temp_path);
	if (fd < 0)
		return fd;
	f->fd = folder ? -1 : fd;
	if (folder ? lstat(f->temp_path, &st) : fstat(fd, &st))
		return -errno;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	return 0;
}

static int open_new(struct etw_atomic_file *f, const char *path)
{
	size_t len = strlen(path);

	if (!len)
		return -ENOENT;
	while (f->flags & ETW_ATOMIC_FOLDER && len > 1 && path[len - 1] == '/')
		len--;
	f->path = absolute_path(path, len);
	return f->path ? open_temp(f, 0666) : -ENOMEM;
}

static int open_replacement(struct etw_atomic_file *f, const char *path, const struct stat *st)
{
	f->existed = true;
	f->path = realpath(path, NULL);
	/* A user who may not write to a file may not replace it. */
	if (!f->path || (!S_ISDIR(st->st_mode) && access(f->path, W_OK)))
		return -errno;
	f->mode = st->st_mode & (S_ISDIR(st->st_mode) ? 03777 : 0777);
	f->uid = st->st_uid;
	f->gid = st->st_gid;
	/* The group bits of a file with an access control list are what the list may grant. */
	if (getxattr(f->path, "system.posix_acl_access", NULL, 0) > 0)
		f->mode &= ~0070u;
	return open_temp(f, 0600);
}

static int open_in_place(struct etw_atomic_file *f, const char *path)
{
	f->path = strdup(path);
	if (!f->path)
		return -ENOMEM;
	f->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return f->fd < 0 ? -errno : 0;
}

static bool has_entries(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool any = !dir;

	while (dir && !any && (entry = readdir(dir)))
		any = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	return any;
}

/* A file or folder that has nothing to keep */
static bool is_empty(const char *path, const struct stat *st)
{
	struct stat own;

	if (S_ISDIR(st->st_mode))
		return !has_entries(path);
	return !st->st_size && !lstat(path, &own) && S_ISREG(own.st_mode);
}

static int open_existing(struct etw_atomic_file *f, const char *path)
{
	bool replace = f->flags & ETW_ATOMIC_REPLACE, folder = f->flags & ETW_ATOMIC_FOLDER;
	bool keep = f->flags & ETW_ATOMIC_KEEP && !replace;
	struct stat st;

	if (stat(path, &st))
		return keep && errno == ENOENT ? open_new(f, path) :
		       replace || errno != ENOENT ? -errno : -EEXIST;
	if (f->flags & ETW_ATOMIC_STREAM && !folder && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return open_in_place(f, path);
	if (!replace && !keep)
		return -EEXIST;
	if (folder != S_ISDIR(st.st_mode))
		return folder ? -ENOTDIR : -EISDIR;
	if ((folder || S_ISREG(st.st_mode)) && keep && !is_empty(path, &st))
		return open_new(f, path);
	f->flags |= ETW_ATOMIC_REPLACE;
	if (folder || S_ISREG(st.st_mode))
		return open_replacement(f, path, &st);
	if (!(f->flags & ETW_ATOMIC_DEVICE))
		return -ENOTSUP;
	return S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode) ? open_in_place(f, path) : -ESPIPE;
}

int etw_atomic_file_open(struct etw_atomic_file *file, const char *path, unsigned int flags)
{
	struct stat st;
	int err;

	memset(file, 0, sizeof(*file));
	file->fd = -1;
	file->flags = flags;
	if (!lstat(path, &st))
		err = open_existing(file, path);
	else
		err = errno == ENOENT ? open_new(file, path) : -errno;
	if (err)
		etw_atomic_file_rollback(file);
	return err;
}

/*
 * The owner of the folder may have put another file under the temporary name, which must
 * not be written to, or get the owner of the replaced file.
 */
static int open_again(struct etw_atomic_file *f, int flags)
{
	struct stat st;
	int err = 0;

	f->fd = open(f->temp_path, flags | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	if (f->fd < 0)
		return -errno;
	if (fstat(f->fd, &st))
		err = -errno;
	else if (st.st_dev != f->dev || st.st_ino != f->ino)
		err = -ESTALE;
	if (err) {
		close(f->fd);
		f->fd = -1;
	}
	return err;
}

int etw_atomic_file_reopen(struct etw_atomic_file *file)
{
	if (file->temp_path)
		return open_again(file, O_RDWR);
	file->fd = open(file->path, O_RDWR | O_CLOEXEC | O_NOCTTY);
	return file->fd < 0 ? -errno : 0;
}

/* --------------------------------------------------------------------- ending */

/* A user who may not give files away stays the owner. */
static int copy_owner(const struct etw_atomic_file *f)
{
	mode_t mode = f->mode;

	/* A list inherited from the folder would let others in once the mode is set. */
	if (fremovexattr(f->fd, "system.posix_acl_access") && errno != ENODATA &&
	    errno != ENOTSUP)
		return -errno;
	/* The old group's bits must not open the file to another group. */
	if (fchown(f->fd, f->uid, f->gid) && fchown(f->fd, -1, f->gid))
		mode &= ~0070u;
	return fchmod(f->fd, mode) ? -errno : 0;
}

/* The replaced file must not go before the new one is on the disk. */
static int complete(struct etw_atomic_file *f)
{
	int err = 0;

	if (f->existed && f->flags & ETW_ATOMIC_FOLDER)
		err = open_again(f, O_RDONLY | O_DIRECTORY);
	else if (f->existed && f->fd < 0)
		err = etw_atomic_file_reopen(f);
	if (f->existed && !err)
		err = copy_owner(f);
	if (f->existed && !err && fsync(f->fd))
		err = -errno;
	/* Some file systems report a full disk only now. */
	if (f->fd >= 0 && close(f->fd) && !err)
		err = -errno;
	f->fd = -1;
	return err;
}

static bool has_mark(const struct etw_atomic_file *f)
{
	struct stat st;
	bool found;
	char *path;

	if (!f->mark || asprintf(&path, "%s/%s", f->path, f->mark) < 0)
		return false;
	found = !lstat(path, &st) && S_ISREG(st.st_mode);
	free(path);
	return found;
}

/* Rename over an empty folder; move a full one away first. */
static int place_folder(struct etw_atomic_file *f)
{
	int err;

	if (!rename(f->temp_path, f->path))
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -errno;
	if (!has_mark(f))
		return -ENOTEMPTY;
	err = etw_atomic_file_backup(f->path, true, &f->backup);
	if (!err && rename(f->temp_path, f->path)) {
		err = -errno;
		if (!rename(f->backup, f->path)) {
			free(f->backup);
			f->backup = NULL;
		}
	}
	return err;
}

/* A hard link keeps the old file; without links its name is free for a moment. */
static int keep_backup(struct etw_atomic_file *f)
{
	struct stat st;
	int fd;

	if (lstat(f->path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	fd = create_temp(f->path, false, 0600, &f->backup);
	if (fd < 0)
		return fd;
	close(fd);
	unlink(f->backup);
	if (link(f->path, f->backup) && rename(f->path, f->backup)) {
		fd = -errno;
		free(f->backup);
		f->backup = NULL;
		return fd;
	}
	return 0;
}

/* What has the name by now becomes FILE.old. */
static int place_beside(struct etw_atomic_file *f)
{
	bool folder = f->flags & ETW_ATOMIC_FOLDER;
	struct stat st;
	int err;

	if (lstat(f->path, &st))
		return errno == ENOENT ? rename_new(f->temp_path, f->path) : -errno;
	/* A link is moved itself, whatever it leads to. */
	if (!S_ISLNK(st.st_mode) && folder != S_ISDIR(st.st_mode))
		return folder ? -ENOTDIR : -EISDIR;
	err = etw_older_move(&f->older, f->path, folder, true, f->mark);
	return err ? err : rename_new(f->temp_path, f->path);
}

static int place(struct etw_atomic_file *f, bool backup)
{
	int err = complete(f);

	if (err || !f->temp_path)
		return err;
	if (!(f->flags & ETW_ATOMIC_REPLACE)) {
		err = f->flags & ETW_ATOMIC_KEEP ? place_beside(f) :
						   rename_new(f->temp_path, f->path);
	} else if (f->flags & ETW_ATOMIC_FOLDER) {
		err = place_folder(f);
	} else {
		err = backup ? keep_backup(f) : 0;
		if (!err && rename(f->temp_path, f->path))
			err = -errno;
	}
	f->placed = !err;
	return err;
}

static void release(struct etw_atomic_file *f)
{
	free(f->path);
	free(f->temp_path);
	memset(f, 0, sizeof(*f));
}

static void finish(struct etw_atomic_file *f)
{
	const bool loses = etw_older_loses(&f->older);
	char *kept = f->older.moved;

	if (f->backup)
		etw_atomic_file_remove(f->backup, f->flags & ETW_ATOMIC_FOLDER);
	free(f->backup);
	f->older.moved = NULL;
	etw_older_drop(&f->older);
	release(f);
	f->kept = kept;
	f->kept_last = loses;
}

int etw_atomic_file_commit(struct etw_atomic_file *file)
{
	int err = place(file, false);

	if (err)
		etw_atomic_file_rollback(file);
	else
		finish(file);
	return err;
}

int etw_atomic_file_commit_all(struct etw_atomic_file *const *files, unsigned int count,
			       unsigned int *failed)
{
	unsigned int i;
	int err;

	for (i = 0; i < count; i++) {
		err = place(files[i], true);
		if (err) {
			*failed = i;
			return err;
		}
	}
	for (i = 0; i < count; i++)
		finish(files[i]);
	return 0;
}

int etw_atomic_file_rollback(struct etw_atomic_file *file)
{
	char *backup = file->backup;
	int saved = errno, err = 0;

	/* A commit that failed has rolled back. */
	if (!file->path)
		return backup ? -EIO : 0;
	if (file->fd >= 0)
		close(file->fd);
	if (backup ? rename(backup, file->path) : file->placed && unlink(file->path))
		err = -errno;
	else if (backup)
		unlink(backup);		/* rename() leaves two links to one file alone */
	if (!err)
		err = etw_older_restore(&file->older);
	if (err && file->older.path) {
		backup = file->older.moved;
		file->older.moved = NULL;
		etw_older_forget(&file->older);
	}
	if (!file->placed && file->temp_path)
		etw_atomic_file_remove(file->temp_path, file->flags & ETW_ATOMIC_FOLDER);
	release(file);
	if (err && backup)
		file->backup = backup;
	else
		free(backup);
	errno = saved;
	return file->backup ? err : 0;
}

int etw_write_all(int fd, const void *data, size_t size)
{
	const char *at = data;
	ssize_t n;

	while (size) {
		n = write(fd, at, size);
		if (n < 0)
			return -errno;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}
