/* SPDX-License-Identifier: MIT */
/*
 * files.c - the files that the system shows of itself
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/read_all.h"
#include "cli/cli.h"
#include "files.h"

#define FILE_MAX	(64u << 20)
#define PATHS		4	/* that are valid at the same time */

static const char *path_of(const char *fmt, va_list ap)
{
	static char paths[PATHS][PATH_MAX];
	static unsigned int next;
	const char *root = secure_getenv(DOCTOR_ROOT_ENV);
	char *path = paths[next++ % PATHS];
	size_t len;

	snprintf(path, PATH_MAX, "%s", root ? root : "");
	len = strlen(path);
	/* A path that is cut names another file: none is safer. */
	if (vsnprintf(path + len, PATH_MAX - len, fmt, ap) >= (int)(PATH_MAX - len))
		*path = '\0';
	return path;
}

const char *doctor_path(const char *fmt, ...)
{
	const char *path;
	va_list ap;

	va_start(ap, fmt);
	path = path_of(fmt, ap);
	va_end(ap);
	return path;
}

bool doctor_exists(const char *fmt, ...)
{
	const char *path;
	va_list ap;

	va_start(ap, fmt);
	path = path_of(fmt, ap);
	va_end(ap);
	return !access(path, F_OK);
}

bool doctor_has_package(const char *name)
{
	return doctor_exists("/usr/share/doc/%s/copyright", name);
}

static char *read_file(const char *path, size_t *size)
{
	/* A pipe or a device in place of the file shall not block. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), err;
	char *data = NULL;

	if (fd < 0)
		return NULL;
	err = etw_read_all(fd, FILE_MAX, &data, size);
	close(fd);
	errno = -err;
	return err ? NULL : data;
}

static char *read_of(size_t *size, const char *fmt, va_list ap)
{
	return read_file(path_of(fmt, ap), size);
}

char *doctor_read(size_t *size, const char *fmt, ...)
{
	va_list ap;
	char *data;

	va_start(ap, fmt);
	data = read_of(size, fmt, ap);
	va_end(ap);
	return data;
}

bool doctor_line(char *line, size_t size, const char *fmt, ...)
{
	size_t got;
	char *data;
	va_list ap;

	va_start(ap, fmt);
	data = read_of(&got, fmt, ap);
	va_end(ap);
	if (!data)
		return false;
	data[strcspn(data, "\n")] = '\0';
	snprintf(line, size, "%s", data);
	free(data);
	return true;
}

bool doctor_number(uint64_t *number, const char *fmt, ...)
{
	char *data, *end;
	size_t got;
	va_list ap;
	bool good;

	va_start(ap, fmt);
	data = read_of(&got, fmt, ap);
	va_end(ap);
	if (!data)
		return false;
	*number = strtoull(data, &end, 10);
	good = end > data;
	free(data);
	return good;
}

bool doctor_has_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *at = text;

	for (; (at = strstr(at, word)); at += len)
		if ((at == text || strchr(" \t\n", at[-1])) && strchr(" \t\n", at[len]))
			return true;
	return false;
}
