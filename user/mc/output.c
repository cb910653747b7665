// SPDX-License-Identifier: MIT
/*
 * output.c - several files that come to be together, or not at all
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

static char *join(const char *dir, const char *name)
{
	size_t size = (dir ? strlen(dir) + 1 : 0) + strlen(name) + 1;
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%s%s%s", dir ? dir : "", dir ? "/" : "", name);
	return path;
}

/* 0 or -errno; the file's path is set. */
static int open_one(struct etw_mc_files *files, struct etw_mc_file *file)
{
	unsigned int i;
	int ret;

	if (!file->path)
		return -ENOMEM;
	ret = etw_atomic_file_open(&file->file, file->path, true);
	if (ret)
		return ret > 0 ? -ENOTSUP : ret;	/* a pipe or a device */
	/* One that is another one by a link would take its place. */
	for (i = 0; i < files->count && !ret; i++)
		if (!strcmp(files->list[i].file.path, file->file.path))
			ret = -EEXIST;
	file->out = ret ? NULL : fdopen(file->file.fd, "w");
	if (file->out)
		return 0;
	ret = ret ? ret : -errno;
	etw_atomic_file_drop(&file->file);
	return ret;
}

FILE *etw_mc_file_open(struct etw_mc_files *files, const char *dir, const char *name,
		       int *error)
{
	struct etw_mc_file *file = &files->list[files->count];

	if (files->count == ETW_MC_FILES_MAX) {
		*error = -E2BIG;
		return NULL;
	}
	file->path = join(dir, name);
	*error = open_one(files, file);
	if (!*error) {
		files->count++;
		return file->out;
	}
	free(file->path);
	file->path = NULL;
	return NULL;
}

static int close_one(struct etw_mc_file *file)
{
	bool bad = ferror(file->out);
	int ret = fclose(file->out) ? -errno : 0;

	file->out = NULL;
	file->file.fd = -1;
	return ret ? ret : bad ? -EIO : 0;
}

int etw_mc_files_commit(struct etw_mc_files *files, const char **path)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < files->count && !ret; i++) {
		*path = files->list[i].path;
		ret = close_one(&files->list[i]);
	}
	for (i = 0; i < files->count && !ret; i++) {
		*path = files->list[i].path;
		ret = etw_atomic_file_place(&files->list[i].file);
	}
	for (i = 0; i < files->count && !ret; i++)
		etw_atomic_file_settle(&files->list[i].file);
	return ret;
}

void etw_mc_files_free(struct etw_mc_files *files)
{
	unsigned int i;

	for (i = 0; i < files->count; i++) {
		struct etw_mc_file *file = &files->list[i];

		if (file->out) {
			fclose(file->out);
			file->file.fd = -1;
		}
		etw_atomic_file_drop(&file->file);
		free(file->path);
	}
	files->count = 0;
}
