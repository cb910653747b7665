/* SPDX-License-Identifier: MIT */
/*
 * folder.c - the folders of installed manifests
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "base/guid.h"
#include "base/read_all.h"

#define SUBFOLDER	"etw/manifests"

struct adding {
	struct etw_folder *folders;
	unsigned int count;
};

__attribute__((format(printf, 3, 4)))
static void add(struct adding *to, enum etw_folder_kind kind, const char *fmt, ...)
{
	struct etw_folder *folder = &to->folders[to->count];
	va_list args;
	int len;

	if (to->count == ETW_FOLDERS_MAX)
		return;
	va_start(args, fmt);
	len = vsnprintf(folder->path, sizeof(folder->path), fmt, args);
	va_end(args);
	/*
	 * Reject relative paths, which depend on the working directory, and paths too
	 * long for a file name after them.
	 */
	if (len <= 0 || (size_t)len + 1 + NAME_MAX >= sizeof(folder->path) ||
	    folder->path[0] != '/')
		return;
	folder->kind = kind;
	to->count++;
}

static void add_given(struct adding *to, const char *path)
{
	size_t len;

	for (; *path; path += len + (path[len] == ':')) {
		len = strcspn(path, ":");
		if (len < PATH_MAX)
			add(to, ETW_FOLDER_GIVEN, "%.*s", (int)len, path);
	}
}

/* secure_getenv() returns nothing to processes with more rights than their caller. */
static void add_user(struct adding *to)
{
	const char *data = secure_getenv("XDG_DATA_HOME");
	const char *home = secure_getenv("HOME");

	if (!geteuid())
		return;
	if (data && *data == '/')
		add(to, ETW_FOLDER_USER, "%s/" SUBFOLDER, data);
	else if (home && *home)
		add(to, ETW_FOLDER_USER, "%s/.local/share/" SUBFOLDER, home);
}

unsigned int etw_folders(struct etw_folder folders[ETW_FOLDERS_MAX])
{
	struct adding to = { .folders = folders };
	const char *given = secure_getenv("ETW_MANIFEST_PATH");

	if (given && *given) {
		add_given(&to, given);
		return to.count;
	}
	add_user(&to);
	add(&to, ETW_FOLDER_MACHINE, "/etc/" SUBFOLDER);
	add(&to, ETW_FOLDER_PACKAGE, "/usr/local/share/" SUBFOLDER);
	add(&to, ETW_FOLDER_PACKAGE, "/usr/share/" SUBFOLDER);
	return to.count;
}

/* -------------------------------------------------------------------- names */

void etw_folder_link_name(const GUID *guid, char name[ETW_FOLDER_LINK])
{
	char text[ETW_GUID_TEXT];
	struct etw_guid copy;

	memcpy(&copy, guid, sizeof(copy));
	etw_guid_format(&copy, text);
	text[strlen(text) - 1] = '\0';	/* cut the braces */
	snprintf(name, ETW_FOLDER_LINK, "%s.man", text + 1);
}

bool etw_folder_is_link_name(const char *name)
{
	char text[ETW_FOLDER_LINK], again[ETW_FOLDER_LINK];
	struct etw_guid guid;
	GUID copy;
	size_t len = strlen(name);

	if (len < 4 || len >= sizeof(text) || strcmp(name + len - 4, ".man"))
		return false;
	memcpy(text, name, len - 4);
	text[len - 4] = '\0';
	if (etw_guid_parse(text, &guid))
		return false;
	memcpy(&copy, &guid, sizeof(copy));
	etw_folder_link_name(&copy, again);
	return !strcmp(again, name);
}

/* -------------------------------------------------------------------- files */

static bool is_trusted(const struct stat *st)
{
	return (!st->st_uid || st->st_uid == geteuid()) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

int etw_folder_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : is_trusted(&st) ? 0 : -EPERM;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/*
 * Get the name of the file itself: a link must point to a file in the same folder, and
 * only one link is followed. On -EPERM, it is the requested name.
 */
static int resolve(int folder, const char *name, char real[NAME_MAX + 1])
{
	char target[NAME_MAX + 1];
	ssize_t len;

	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	strcpy(real, name);
	len = readlinkat(folder, name, target, sizeof(target));
	if (len < 0)
		return errno == EINVAL ? 0 : -errno;
	if (len > NAME_MAX || memchr(target, '/', (size_t)len) ||
	    (len == 2 && !memcmp(target, "..", 2)))
		return -EPERM;
	memcpy(real, target, (size_t)len);
	real[len] = '\0';
	return 0;
}

/*
 * Check the file's type before opening it: opening a device may have side effects. A
 * file that cannot be opened must still be recognised the next time.
 */
static int see(int folder, const char *name, struct etw_folder_file *file)
{
	int ret;

	file->name[0] = '\0';
	file->seen = false;
	memset(&file->stat, 0, sizeof(file->stat));
	ret = resolve(folder, name, file->name);
	if (ret && ret != -EPERM)
		return ret;
	if (fstatat(folder, file->name, &file->stat, AT_SYMLINK_NOFOLLOW))
		return -errno;
	file->seen = true;
	return ret ? ret : S_ISREG(file->stat.st_mode) ? 0 : -EPERM;
}

static int open_file(int folder, const char *name, struct etw_folder_file *file)
{
	int ret = see(folder, name, file), fd;
	struct stat st;

	if (ret)
		return ret;
	fd = openat(folder, file->name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno == ELOOP ? -EPERM : -errno;
	if (fstat(fd, &st))
		ret = -errno;
	else
		file->stat = st;	/* the opened file's, in case it was replaced */
	if (!ret && (!S_ISREG(st.st_mode) || !is_trusted(&st)))
		ret = -EPERM;
	else if (!ret && st.st_size > ETW_FOLDER_FILE_MAX)
		ret = -EFBIG;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int etw_folder_look(int folder, const char *name, struct etw_folder_file *file)
{
	int fd = open_file(folder, name, file);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int etw_folder_read(int folder, const char *name, struct etw_folder_file *file)
{
	int fd = open_file(folder, name, file), ret;

	if (fd < 0)
		return fd;
	/* At most the size found before */
	ret = etw_read_all(fd, (size_t)file->stat.st_size, &file->data, &file->size);
	close(fd);
	return ret;
}
