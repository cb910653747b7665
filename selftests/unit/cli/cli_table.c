// SPDX-License-Identifier: MIT
/* Tables of the etw command: alignment, the width of a terminal, chosen columns */
#define _GNU_SOURCE
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/table.h"
#include "lib/tap.h"

static const char *const headings[] = { "NAME", "?>LOST EVENTS", "MODE", "?CLOCK", NULL };
static const char *const other_headings[] = { "  WHO", "NAME", NULL };
static const char *const *const both[] = { headings, other_headings, NULL };

static char shown[4096];

static void print(const char *columns)
{
	struct table table = { .cells = NULL };

	if (columns)
		table_choose("--columns", columns, both);
	table_text(&table, "a\033[31m");
	table_cell(&table, "%u", 7);
	table_cell(&table, "file");
	table_cell(&table, "qpc");
	table_text(&table, "Gr\xc3\xbc\xc3\x9f" "e");
	table_cell(&table, "%u", 4711);
	table_cell(&table, "real-time");
	table_cell(&table, "system");
	table_print(&table, headings);
	table_cell(&table, "x");
	table_cell(&table, "y");
	table_print(&table, other_headings);
}

/* Print on a terminal of that width, or in a pipe if it is 0. */
static int show(unsigned int width, const char *columns)
{
	struct winsize size = { .ws_row = 24, .ws_col = (unsigned short)width };
	char *to = shown, *at;
	int from, ends[2], status;
	ssize_t n;
	pid_t pid;

	fflush(stdout);
	if (!width && pipe(ends))
		return -1;
	pid = width ? forkpty(&from, NULL, NULL, &size) : fork();
	if (!pid) {
		if (!width) {
			dup2(ends[1], STDOUT_FILENO);
			dup2(ends[1], STDERR_FILENO);
		}
		print(columns);
		fflush(stdout);
		_exit(0);
	}
	if (!width) {
		close(ends[1]);
		from = ends[0];
	}
	while ((n = read(from, to, (size_t)(shown + sizeof(shown) - 1 - to))) > 0)
		to += n;
	*to = '\0';
	close(from);
	for (at = to = shown; *at; at++)
		if (*at != '\r')
			*to++ = *at;
	*to = '\0';
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
	       WEXITSTATUS(status) : -1;
}

#define WHOLE	"NAME         LOST EVENTS  MODE       CLOCK\n"	\
		"a\\u001b[31m            7  file       qpc\n"	\
		"Gr\xc3\xbc\xc3\x9f" "e               4711  real-time  system\n"	\
		"  WHO  NAME\nx      y\n"

int main(void)
{
	is(show(0, NULL), 0, "a pipe");
	ok(!strcmp(shown, WHOLE), "has all columns: %s", shown);
	show(43, NULL);
	ok(!strcmp(shown, WHOLE), "as a terminal that is wide enough");
	show(42, NULL);
	ok(strstr(shown, "NAME         LOST EVENTS  MODE\n") == shown, "a narrow one lacks the last: %s",
	   shown);
	show(35, NULL);
	ok(strstr(shown, "NAME         LOST EVENTS  MODE\n") == shown, "just");
	show(34, NULL);
	ok(strstr(shown, "NAME         MODE\n") == shown, "and then another one: %s", shown);
	show(5, NULL);
	ok(strstr(shown, "NAME         MODE\n") == shown, "but none that is needed");
	is(show(10, "mode,lost-events"), 0, "chosen columns");
	ok(!strcmp(shown, "MODE       LOST EVENTS\nfile                 7\nreal-time         4711\n"),
	   "are there at any width, in this order, without the table that has none: %s", shown);
	show(0, "who,Name");
	ok(!strcmp(shown, "NAME\na\\u001b[31m\nGr\xc3\xbc\xc3\x9f" "e\n  WHO  NAME\nx      y\n"),
	   "each table has its own: %s", shown);
	is(show(0, "name,xyz"), 2, "a wrong one");
	ok(strstr(shown, "--columns: there is no column \"xyz\""), "is refused: %s", shown);
	return done_testing();
}
