/* SPDX-License-Identifier: MIT */
/*
 * absolute_path.c - a file's name that does not depend on the working directory
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "absolute_path.h"

int etw_absolute_path(const char *name, char *out, size_t size)
{
	char cwd[PATH_MAX];
	int len;

	if (*name == '/')
		len = snprintf(out, size, "%s", name);
	else if (!getcwd(cwd, sizeof(cwd)))
		return -errno;
	else
		len = snprintf(out, size, "%s/%s", cwd, name);
	return (size_t)len < size ? 0 : -ENAMETOOLONG;
}
