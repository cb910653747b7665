// SPDX-License-Identifier: MIT
/*
 * output.c - the files that a message compiler run writes: all of them or none
 */
#include <errno.h>
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

static int open_one(struct etw_mc_files *files, struct etw_mc_file *file)
{
	unsigned int i;
	int ret;

	if (!file->path)
		return -ENOMEM;
	ret = etw_atomic_file_open(&file->file, file->path, ETW_ATOMIC_REPLACE);
	/* Links can make two names one file, where one output would replace the other. */
	for (i = 0; i < files->count && !ret; i++)
		if (!strcmp(files->list[i].file.path, file->file.path))
			ret = -EEXIST;
	file->out = ret ? NULL : fdopen(file->file.fd, "w");
	if (file->out)
		return 0;
	ret = ret ? ret : -errno;
	etw_atomic_file_rollback(&file->file);
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
	struct etw_atomic_file *list[ETW_MC_FILES_MAX];
	unsigned int i, failed;
	int ret = 0, err;

	/* All are closed, also after an error: a rollback closes descriptors, not streams. */
	for (i = 0; i < files->count; i++) {
		list[i] = &files->list[i].file;
		err = close_one(&files->list[i]);
		if (err && !ret) {
			ret = err;
			*path = files->list[i].path;
		}
	}
	if (ret)
		return ret;
	ret = etw_atomic_file_commit_all(list, files->count, &failed);
	if (ret)
		*path = files->list[failed].path;
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
		etw_atomic_file_rollback(&file->file);
		free(file->path);
	}
	files->count = 0;
}
