/* SPDX-License-Identifier: MIT */
/*
 * top_tmux.h - a program on a screen of tmux: type, and wait for what a person would see
 */
#ifndef ETW_UNIT_TOP_TMUX_H
#define ETW_UNIT_TOP_TMUX_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TMUX_WAIT	600	/* looks, 100 ms apart: generous, for a slow machine */

static char tmux_screen[1 << 16];
static unsigned int tmux_server;	/* its number; a server that ends may still hold its socket */

/* Run tmux with the server of this number and process; its output into tmux_screen. */
__attribute__((__format__(__printf__, 1, 2)))
static bool tmux(const char *format, ...)
{
	char command[4096];
	va_list args;
	FILE *from;
	size_t n;
	int len;

	len = snprintf(command, sizeof(command), "tmux -u -f /dev/null -L etw-top-%d-%u ",
		       (int)getpid(), tmux_server);
	va_start(args, format);
	vsnprintf(command + len, sizeof(command) - (size_t)len, format, args);
	va_end(args);
	from = popen(command, "r");
	if (!from)
		abort();
	n = fread(tmux_screen, 1, sizeof(tmux_screen) - 1, from);
	tmux_screen[n] = '\0';
	return !pclose(from);
}

__attribute__((__unused__))
static bool tmux_look(void)
{
	return tmux("capture-pane -p 2>&1");
}

/* The same with the sequences that set attributes and colours */
__attribute__((__unused__))
static bool tmux_look_closely(void)
{
	return tmux("capture-pane -p -e 2>&1");
}

/* Line number of the screen, from 0 */
__attribute__((__unused__))
static const char *tmux_line(unsigned int number)
{
	static char line[4096];
	const char *at = tmux_screen;

	while (number-- && (at = strchr(at, '\n')))
		at++;
	snprintf(line, sizeof(line), "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
	return line;
}

/* The first line that begins so; "" if there is none */
__attribute__((__unused__))
static const char *tmux_row(const char *begin)
{
	const char *at = tmux_screen;
	unsigned int number = 0;

	for (; at; number++, at = strchr(at, '\n'), at += at != NULL)
		if (!strncmp(at, begin, strlen(begin)))
			return tmux_line(number);
	return "";
}

/* Wait until this is so; what the screen then has is in tmux_screen. */
#define tmux_until(condition) ({						\
	unsigned int left = TMUX_WAIT;						\
	bool is_so = false;							\
										\
	while (left-- && !(is_so = tmux_look() && (condition)))			\
		usleep(100000);							\
	if (!is_so)								\
		printf("# not so: %s\n# %s\n", #condition, tmux_screen);	\
	is_so; })

#define tmux_shows(text)	tmux_until(strstr(tmux_screen, text))
#define tmux_hides(text)	tmux_until(!strstr(tmux_screen, text))

#endif /* ETW_UNIT_TOP_TMUX_H */
