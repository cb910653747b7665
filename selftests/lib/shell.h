/* SPDX-License-Identifier: MIT */
/*
 * shell.h - run a command in a shell
 */
#ifndef ETW_SHELL_H
#define ETW_SHELL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* True if the command exits with 0. */
__attribute__((__format__(__printf__, 1, 2), __unused__))
static bool shell(const char *format, ...)
{
	char command[1024];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(command))
		abort();
	return !system(command);
}

#endif /* ETW_SHELL_H */
