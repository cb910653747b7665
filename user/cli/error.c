/* SPDX-License-Identifier: MIT */
/*
 * error.c - the one place that writes to stderr
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/suggest.h"
#include "cli.h"
#include "text.h"

#define QUOTES		4	/* quoted words in one message */
#define QUOTE_BYTES	160	/* of a word that are shown */

static const char *command;
/* Where cli_try() catches wrong usage */
static struct trap {
	jmp_buf here;
	char *what;
	size_t size;
} *trap;
static const char *wipe = "";

/* Name the subcommand that later messages come from. */
void cli_begin(const char *name)
{
	command = name;
}

/* What wipes off a line that stands there without its end; "": none does. */
void cli_wipe(const char *s)
{
	wipe = s;
}

static void put_line(const char *from, const char *fmt, va_list ap, const char *end)
{
	fflush(stdout);
	fprintf(stderr, "%setw: %s%s", wipe, from ? from : "", from ? ": " : "");
	vfprintf(stderr, fmt, ap);
	fputs(end, stderr);
}

/* Wrong usage: one line with a hint, exit 2. */
void cli_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (trap) {
		vsnprintf(trap->what, trap->size, fmt, ap);
		va_end(ap);
		longjmp(trap->here, 1);
	}
	put_line(command, fmt, ap, "");
	va_end(ap);
	if (command)
		fprintf(stderr, " (try 'etw %s --help')\n", command);
	else
		fputs(" (try 'etw help')\n", stderr);
	exit(CLI_EXIT_USAGE);
}

/*
 * Call a function that may end the command by wrong usage, and return instead: for options
 * that come from a file.  False: the usage was wrong, and the message is in what.  Memory
 * that the function had allocated is lost.
 */
bool cli_try(void (*fn)(void *context), void *context, char *what, size_t size)
{
	struct trap own = { .what = what, .size = size };

	if (setjmp(own.here)) {
		trap = NULL;
		return false;
	}
	trap = &own;
	fn(context);
	trap = NULL;
	return true;
}

/* A failure that cannot be handed up, such as running out of memory: exit 1. */
void cli_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line(command, fmt, ap, "\n");
	va_end(ap);
	exit(EXIT_FAILURE);
}

/* A failure: one line.  Returns the exit status, 1. */
int cli_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line(command, fmt, ap, "\n");
	va_end(ap);
	return EXIT_FAILURE;
}

void *cli_calloc(size_t count, size_t size)
{
	/* At least a byte: NULL of calloc() is an error here. */
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		cli_die("out of memory");
	return memory;
}

void *cli_grow(void *list, size_t count, size_t size)
{
	void *more = reallocarray(list, count + 1, size);

	if (!more)
		cli_die("out of memory");
	return more;
}

char *cli_strdup(const char *s)
{
	return strcpy(cli_calloc(strlen(s) + 1, 1), s);
}

/* Something worth knowing that is no failure: one line on stderr. */
void cli_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line(NULL, fmt, ap, "\n");
	va_end(ap);
}

/* A word from outside for a message: quoted, made printable, cut when long. */
const char *cli_quote(const char *s)
{
	static struct etw_text texts[QUOTES];
	static unsigned int next;
	struct etw_text *text = &texts[next++ % QUOTES];
	size_t len = strlen(s);

	text->len = 0;
	etw_text_add(text, "\"", 1);
	etw_text_escape(text, s, len < QUOTE_BYTES ? len : QUOTE_BYTES);
	etw_text_puts(text, len < QUOTE_BYTES ? "\"" : "...\"");
	return text_data(text);
}

const char *cli_suggested(const struct suggest *near, const char *before)
{
	static char text[6 * SUGGEST_MAX + 32];
	char name[SUGGEST_MAX + 8];

	if (!*near->best)
		return "";
	snprintf(name, sizeof(name), "%s%s", before, near->best);
	snprintf(text, sizeof(text), ": did you mean %s?", cli_quote(name));
	return text;
}

/* What an errno of the device means to the one who typed the command. */
const char *cli_reason(int err)
{
	switch (err) {
	case EPERM:
	case EACCES:
		return "not permitted: run \"etw doctor\", or see etw-access.conf(5)";
	case EINVAL:
		return "refused as invalid";
	case ENOSPC:
		return "a limit is reached";
	case ENOTTY:
		return "this is not an etw device, or the loaded module is of another version: run \"etw doctor\"";
	case E2BIG:
		return "the loaded etw module is of another version: run \"etw doctor\"";
	case ETIMEDOUT:
		return "timed out waiting for the provider's callbacks";
	case ESHUTDOWN:
		return "the session is stopping";
	default:
		return strerror(err);
	}
}

/*
 * Likewise, where it takes a right: which one, on what, as etw-access.conf(5)
 * calls them.  That root may is not said: it is capabilities that count.
 */
const char *cli_denied(int err, const char *takes)
{
	static char text[256];

	if (err != EPERM && err != EACCES)
		return cli_reason(err);
	snprintf(text, sizeof(text), "not permitted: it takes %s; run \"etw doctor\", or see etw-access.conf(5)", takes);
	return text;
}

/* Flush stdout: a full disk must not look like success. */
int cli_finish(int status)
{
	const bool failed = fflush(stdout);

	if (!failed && !ferror(stdout))
		return status;
	if (errno == EPIPE)
		return status;
	/* Of a write that failed before, errno may be gone. */
	return cli_fail("standard output: %s", failed ? strerror(errno) :
			"not all of it could be written");
}
