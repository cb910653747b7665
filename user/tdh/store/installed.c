/* SPDX-License-Identifier: MIT */
/*
 * installed.c - manifests from the folders, read on demand
 *
 * A file is read once, whatever its names. Changes are detected by the time stamps of
 * the folders and of the files that were read.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"
#include "installed.h"

#define PROBLEMS_MAX	64	/* further problems are dropped */

/* A folder's state when it was last checked. */
struct looked {
	bool there;
	bool young;
	struct stat stat;
	char unseen[ETW_FOLDER_LINK];	/* a name that could not be checked; "": none */
};

/*
 * A requested file, a link that is not followed, or anything else with that name. Each
 * inode is listed once, so the list has at most one entry for each name in a folder.
 */
struct file {
	struct file *next;
	unsigned int folder;
	bool young;
	struct stat stat;
	struct etw_manifest *manifest;	/* NULL: invalid, or unreadable */
	char name[];			/* the name of stat; a link is not followed */
};

static struct etw_folder folders[ETW_FOLDERS_MAX];
static struct looked looked[ETW_FOLDERS_MAX];
static unsigned int folder_count;
static bool known;			/* the three above are valid */
static int passing;			/* a temporary error, or 0 */
static struct file *files;
static char *problems[PROBLEMS_MAX];
static unsigned int problem_count;

/* ------------------------------------------------------------------ problems */

__attribute__((format(printf, 1, 2)))
static void add_problem(const char *fmt, ...)
{
	va_list args;
	char *text;
	unsigned int i;

	if (problem_count == PROBLEMS_MAX)
		return;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	for (i = 0; text && i < problem_count; i++)
		if (!strcmp(problems[i], text))
			break;
	if (text && i == problem_count)
		problems[problem_count++] = text;
	else
		free(text);
}

const char *etw_installed_problem(unsigned int i)
{
	return i < problem_count ? problems[i] : NULL;
}

static void report_error(const char *folder, const char *name, int err)
{
	if (err == -EPERM)
		add_problem("%s/%s: not read: it is not a file, or others could have written it",
			    folder, name);
	else
		add_problem("%s/%s: %s", folder, name, strerror(-err));
}

static void report_problems(const char *folder, const char *name, int err,
			  const struct etw_problems *list)
{
	unsigned int i;

	for (i = 0; i < list->count; i++)
		if (!list->list[i].warning)
			break;
	if (i == list->count)
		report_error(folder, name, err);
	else
		add_problem("%s/%s:%u: %s", folder, name, list->list[i].line, list->list[i].text);
}

/* ------------------------------------------------------------------- folders */

/* Errors of this process or temporary errors, not of the file. */
static bool is_passing(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE || err == -EINTR ||
	       err == -EAGAIN;
}

static void note_passing(int err)
{
	if (passing != -ENOMEM && is_passing(err))
		passing = err;
}

/* Was the last change so recent that another one could have the same time stamp? */
static bool is_young(const struct stat *st, time_t before)
{
	return st->st_ctim.tv_sec >= before - 2 && st->st_ctim.tv_sec <= time(NULL) + 2;
}

static struct looked look_at(const char *path)
{
	struct looked now = { .there = false };
	time_t before = time(NULL);

	if (stat(path, &now.stat) || !S_ISDIR(now.stat.st_mode))
		return now;
	now.there = true;
	now.young = is_young(&now.stat, before);
	return now;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* ctime also covers owner and mode, and cannot be set. */
static bool same_stat(const struct stat *a, const struct stat *b)
{
	return same_inode(a, b) && a->st_size == b->st_size &&
	       same_time(&a->st_mtim, &b->st_mtim) && same_time(&a->st_ctim, &b->st_ctim);
}

static int see_file(unsigned int folder, const char *name, struct stat *st)
{
	char path[PATH_MAX + NAME_MAX + 2];

	snprintf(path, sizeof(path), "%s/%s", folders[folder].path, name);
	return lstat(path, st) ? -errno : 0;
}

static bool folder_changed(unsigned int i)
{
	struct looked now = look_at(folders[i].path);
	struct stat st;
	int err;

	if (now.there != looked[i].there)
		return true;
	if (!now.there)
		return false;
	if (looked[i].young || !same_stat(&now.stat, &looked[i].stat))
		return true;
	err = looked[i].unseen[0] ? see_file(i, looked[i].unseen, &st) : -EIO;
	return !err || err == -ENOENT;
}

/* Only checks, without opening anything: this runs every second. */
static bool file_changed(const struct file *file)
{
	struct stat now;

	return file->young || see_file(file->folder, file->name, &now) ||
	       !same_stat(&now, &file->stat);
}

bool etw_installed_changed(void)
{
	const struct file *file;
	unsigned int i;

	if (!known)
		return false;
	if (passing)
		return true;
	for (i = 0; i < folder_count; i++)
		if (folder_changed(i))
			return true;
	for (file = files; file; file = file->next)
		if (file_changed(file))
			return true;
	return false;
}

static void get_known(void)
{
	unsigned int i;

	if (known)
		return;
	folder_count = etw_folders(folders);
	for (i = 0; i < folder_count; i++)
		looked[i] = look_at(folders[i].path);
	known = true;
}

void etw_installed_forget(void)
{
	struct file *file;

	while (files) {
		file = files;
		files = file->next;
		etw_manifest_put(file->manifest);
		free(file);
	}
	while (problem_count)
		free(problems[--problem_count]);
	passing = 0;
	known = false;
}

/* --------------------------------------------------------------------- files */

static struct file *file_of(const struct etw_folder_file *read)
{
	struct file *file;

	for (file = files; file; file = file->next)
		if (read->seen && same_inode(&file->stat, &read->stat))
			return file;
	return NULL;
}

static struct file *add_file(unsigned int folder, const struct etw_folder_file *read,
			     struct etw_manifest *manifest, time_t before)
{
	struct file *file = malloc(sizeof(*file) + strlen(read->name) + 1);

	if (!file) {
		note_passing(-ENOMEM);
		etw_manifest_put(manifest);
		return NULL;
	}
	file->folder = folder;
	file->young = is_young(&read->stat, before);
	file->stat = read->stat;
	file->manifest = manifest;
	strcpy(file->name, read->name);
	file->next = files;
	files = file;
	return file;
}

/*
 * A name that cannot be checked may not even exist, for example if the folder is not
 * searchable: keep one such name, to notice when it can be checked.
 */
static void add_failed(unsigned int folder, const char *name,
		       const struct etw_folder_file *read, int err, time_t before)
{
	struct looked *in = &looked[folder];

	if (err == -ENOENT)
		return;
	note_passing(err);
	if (is_passing(err) || read->seen || !in->unseen[0])
		report_error(folders[folder].path, name, err);
	if (is_passing(err))
		return;
	if (read->seen)
		add_file(folder, read, NULL, before);
	else if (!in->unseen[0])
		snprintf(in->unseen, sizeof(in->unseen), "%s", name);
}

static struct file *parse(unsigned int folder, const struct etw_folder_file *read, time_t before)
{
	struct etw_problems list = { .count = 0 };
	struct etw_manifest *manifest = NULL;
	char path[PATH_MAX + NAME_MAX + 2];
	int err;

	snprintf(path, sizeof(path), "%s/%s", folders[folder].path, read->name);
	err = etw_manifest_read_memory(read->data, read->size, path, &manifest, &list);
	if (err)
		report_problems(folders[folder].path, read->name, err, &list);
	etw_problems_free(&list);
	note_passing(err);
	return is_passing(err) ? NULL : add_file(folder, read, err ? NULL : manifest, before);
}

/* The manifest with that name in an open folder; NULL: none that is readable. */
static struct etw_manifest *manifest_of(unsigned int folder, int fd, const char *name)
{
	struct etw_folder_file read = { .data = NULL };
	time_t before = time(NULL);
	struct file *file;
	int err;

	err = etw_folder_look(fd, name, &read);
	file = file_of(&read);
	if (file)
		return file->manifest;
	if (!err)
		err = etw_folder_read(fd, name, &read);
	if (err) {
		add_failed(folder, name, &read, err, before);
		return NULL;
	}
	file = parse(folder, &read, before);
	free(read.data);
	return file ? file->manifest : NULL;
}

static void report_folder(unsigned int i, int err)
{
	if (err == -EPERM)
		add_problem("%s: not used: others could have written to it", folders[i].path);
	else if (err != -ENOENT && err != -ENOTDIR)
		add_problem("%s: %s", folders[i].path, strerror(-err));
	note_passing(err);
}

static int open_folder(unsigned int i)
{
	int fd = looked[i].there ? etw_folder_open(folders[i].path) : -ENOENT;

	if (fd < 0)
		report_folder(i, fd);
	return fd;
}

const struct etw_mf_provider *etw_manifest_provider(const struct etw_manifest *manifest,
						    const GUID *guid)
{
	unsigned int i;

	for (i = 0; i < manifest->provider_count; i++)
		if (!memcmp(&manifest->providers[i].guid, guid, sizeof(*guid)))
			return &manifest->providers[i];
	for (i = 0; i < manifest->provider_count; i++)
		if (manifest->providers[i].has_control_guid &&
		    !memcmp(&manifest->providers[i].control_guid, guid, sizeof(*guid)))
			return &manifest->providers[i];
	return NULL;
}

unsigned int etw_installed_folders(void)
{
	get_known();
	return folder_count;
}

struct etw_manifest *etw_installed_in(unsigned int folder, const GUID *guid)
{
	struct etw_manifest *manifest;
	char name[ETW_FOLDER_LINK];
	int fd;

	get_known();
	fd = open_folder(folder);
	if (fd < 0)
		return NULL;
	etw_folder_link_name(guid, name);
	manifest = manifest_of(folder, fd, name);
	close(fd);
	if (!manifest || etw_manifest_provider(manifest, guid))
		return manifest;
	add_problem("%s/%s: its manifest has no such provider", folders[folder].path, name);
	return NULL;
}

/* ----------------------------------------------------------------------- all */

/* A file may have several names. */
static int add_once(struct etw_store_list *all, struct etw_manifest *manifest)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		if (all->list[i] == manifest)
			return 0;
	return etw_store_list_add(all, manifest);
}

static int add_folder(unsigned int folder, int fd, struct etw_store_list *all)
{
	struct etw_manifest *manifest;
	struct dirent **names;
	int count, i, ret = 0;

	count = scandirat(fd, ".", &names, NULL, alphasort);
	if (count < 0) {
		report_folder(folder, -errno);
		return 0;
	}
	for (i = 0; i < count; i++) {
		/* Only manifests that can be found by GUID are installed. */
		manifest = !ret && etw_folder_is_link_name(names[i]->d_name) ?
			manifest_of(folder, fd, names[i]->d_name) : NULL;
		if (manifest)
			ret = add_once(all, manifest);
		free(names[i]);
	}
	free(names);
	return ret;
}

int etw_installed_all(struct etw_store_list *all)
{
	unsigned int i;
	int fd, ret = 0;

	get_known();
	for (i = 0; i < folder_count && !ret; i++) {
		fd = open_folder(i);
		if (fd < 0)
			continue;
		ret = add_folder(i, fd, all);
		close(fd);
	}
	return !ret && passing == -ENOMEM ? -ENOMEM : ret;
}
