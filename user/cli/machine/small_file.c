/* SPDX-License-Identifier: MIT */
/*
 * small_file.c - the small files of /proc and /sys
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine.h"

#define PATH_ROOM	512

static FILE *open_at(const char *root, const char *fmt, va_list args)
{
	char path[PATH_ROOM];
	int root_len = snprintf(path, sizeof(path), "%s", root), len;

	if (root_len < 0 || (size_t)root_len >= sizeof(path))
		return NULL;
	len = vsnprintf(path + root_len, sizeof(path) - (size_t)root_len, fmt, args);
	return len < 0 || (size_t)(root_len + len) >= sizeof(path) ? NULL : fopen(path, "re");
}

static bool read_line(char *to, size_t size, FILE *file)
{
	bool got = file && fgets(to, (int)size, file);

	if (file)
		fclose(file);
	if (!got)
		*to = '\0';
	to[strcspn(to, "\n")] = '\0';
	return *to;
}

bool machine_read_line(char *to, size_t size, const char *root, const char *fmt, ...)
{
	va_list args;
	FILE *file;

	va_start(args, fmt);
	file = open_at(root, fmt, args);
	va_end(args);
	return read_line(to, size, file);
}

uint32_t machine_read_number(const char *root, const char *fmt, ...)
{
	unsigned long number;
	char text[32], *end;
	va_list args;
	FILE *file;

	va_start(args, fmt);
	file = open_at(root, fmt, args);
	va_end(args);
	/* A package of -1 is how some machines say that they do not know it. */
	if (!read_line(text, sizeof(text), file) || *text < '0' || *text > '9')
		return MACHINE_UNKNOWN;
	errno = 0;
	number = strtoul(text, &end, 10);
	return *end || errno || number >= MACHINE_UNKNOWN ? MACHINE_UNKNOWN : (uint32_t)number;
}
