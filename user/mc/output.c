// SPDX-License-Identifier: MIT
/*
 * output.c - several files that come to be together, or not at all
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

static char *join(const char *dir, const char *name, const char *end)
{
	size_t size = (dir ? strlen(dir) + 1 : 0) + strlen(name) + strlen(end) + 1;
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%s%s%s%s", dir ? dir : "", dir ? "/" : "", name, end);
	return path;
}

/* With the rights that open() would give: mkstemp() gives fewer. */
static FILE *open_temporary(char *path, int *error)
{
	mode_t mask = umask(0);
	int fd = mkstemp(path);
	FILE *out = NULL;

	umask(mask);
	if (fd >= 0 && !fchmod(fd, 0666 & ~mask))
		out = fdopen(fd, "w");
	if (out)
		return out;
	*error = -errno;
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	return NULL;
}

FILE *etw_mc_file_open(struct etw_mc_files *files, const char *dir, const char *name,
		       int *error)
{
	struct etw_mc_file *file = &files->list[files->count];
	unsigned int i;

	if (files->count == ETW_MC_FILES_MAX) {
		*error = -E2BIG;
		return NULL;
	}
	file->path = join(dir, name, "");
	file->temporary = join(dir, name, ".XXXXXX");
	file->out = NULL;
	*error = -ENOMEM;
	for (i = 0; file->path && i < files->count; i++)
		if (!strcmp(files->list[i].path, file->path))
			*error = -EEXIST;
	if (file->path && file->temporary && *error != -EEXIST)
		file->out = open_temporary(file->temporary, error);
	if (file->out) {
		files->count++;
		return file->out;
	}
	free(file->path);
	free(file->temporary);
	return NULL;
}

static int close_one(struct etw_mc_file *file)
{
	bool bad = ferror(file->out);
	int ret = fclose(file->out) ? -errno : 0;

	file->out = NULL;
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
		struct etw_mc_file *file = &files->list[i];

		*path = file->path;
		if (rename(file->temporary, file->path)) {
			ret = -errno;
			break;
		}
		free(file->temporary);
		file->temporary = NULL;
	}
	for (i = 0; i < files->count && ret; i++)
		if (!files->list[i].temporary)
			unlink(files->list[i].path);
	return ret;
}

void etw_mc_files_free(struct etw_mc_files *files)
{
	unsigned int i;

	for (i = 0; i < files->count; i++) {
		struct etw_mc_file *file = &files->list[i];

		if (file->out)
			fclose(file->out);
		if (file->temporary)
			unlink(file->temporary);
		free(file->temporary);
		free(file->path);
	}
	files->count = 0;
}
