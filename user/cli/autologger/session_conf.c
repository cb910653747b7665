/* SPDX-License-Identifier: MIT */
/*
 * session_conf.c - the file of an autologger session, split into commands and words
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "session_conf.h"

#define BLANKS	" \t"

/* Set the error; -EINVAL. */
__attribute__((__format__(__printf__, 3, 4)))
static int fail(struct etw_autolog_parser *p, unsigned int line, const char *format, ...)
{
	va_list args;

	p->error_line = line;
	va_start(args, format);
	vsnprintf(p->what, sizeof(p->what), format, args);
	va_end(args);
	return -EINVAL;
}

/* ------------------------------------------------------------- the old format */

/* Earlier files had one value in each line, with the names of Windows' registry. */
static const struct {
	const char *name;
	const char *now;
} old_values[] = {
	{ "Start", "a start line; add --manual to it for Start = 0" },
	{ "Guid", "--guid GUID in the start line" },
	{ "BufferSize", "--buffer-size SIZE in the start line" },
	{ "ClockType", "--clock qpc, system or cycles in the start line" },
	{ "DisableRealtimePersistence", "nothing, it had no effect" },
	{ "FileName", "--file FILE in the start line" },
	{ "FileMax", "--file-max N in the start line" },
	{ "FlushTimer", "--flush TIME in the start line" },
	{ "LogFileMode", "the options of its modes in the start line, such as --circular or --real-time" },
	{ "MaxFileSize", "--max-size SIZE in the start line, such as 100M, or none" },
	{ "MinimumBuffers", "--min-buffers N in the start line" },
	{ "MaximumBuffers", "--max-buffers N in the start line" },
	{ "Enabled", "an enable line, or none for Enabled = 0" },
	{ "EnableLevel", "--level LEVEL in the enable line" },
	{ "EnableFlags", "--any HEX in the enable line" },
	{ "MatchAnyKeyword", "--any HEX in the enable line" },
	{ "MatchAllKeyword", "--all HEX in the enable line" },
	{ "payload", "--filter 'EXPRESSION' in the enable line, see etw-filter(7)" },
	{ "EnableProperty", "--with, --stack, --ignore-keyword-0, --exclude-private or --group in the enable line" },
};

static int fail_value(struct etw_autolog_parser *p, const char *name, int len)
{
	size_t i;

	for (i = 0; i < sizeof(old_values) / sizeof(old_values[0]); i++)
		if (strlen(old_values[i].name) == (size_t)len &&
		    !strncasecmp(old_values[i].name, name, (size_t)len))
			return fail(p, p->line, "%s = is the old format: write %s",
				    old_values[i].name, old_values[i].now);
	return fail(p, p->line, "\"%.*s =\" is the old format: write --%.*s 'VALUE' in the enable line",
		    len, name, len, name);
}

/* Does a line of the old format begin here?  Then set its error. */
static int check_old(struct etw_autolog_parser *p)
{
	size_t len = strcspn(p->at, "\n"), name = strcspn(p->at, "=\n" BLANKS);

	if (*p->at == ';')
		return fail(p, p->line, "; is the old format: write # before a comment");
	if (*p->at == '[')
		return fail(p, p->line, "%.*s is the old format: write \"enable PROVIDER\" and its options in one line",
			    len < 80 ? (int)len : 80, p->at);
	if (name && name <= 40 && p->at[name + strspn(p->at + name, BLANKS)] == '=')
		return fail_value(p, p->at, (int)name);
	return 0;
}

/* -------------------------------------------------------------------- words */

static bool at_end(const struct etw_autolog_parser *p)
{
	return !*p->at || *p->at == '\n';
}

static void skip_line(struct etw_autolog_parser *p)
{
	p->at += strcspn(p->at, "\n");
	if (*p->at) {
		p->at++;
		p->line++;
	}
}

/* Skip a \ and the end of its line or of the text; false: there is none. */
static bool skip_joint(struct etw_autolog_parser *p)
{
	if (p->at[0] != '\\' || (p->at[1] && p->at[1] != '\n'))
		return false;
	skip_line(p);
	return true;
}

/* Take a word's quoted part, behind the opening quote.  False: the closing one is missing. */
static bool take_quoted(struct etw_autolog_parser *p, char quote)
{
	for (; !at_end(p); *p->out++ = *p->at++) {
		if (*p->at == quote) {
			p->at++;
			return true;
		}
		if (quote == '"' && *p->at == '\\' && p->at[1] && strchr("\"\\$`", p->at[1]))
			p->at++;
	}
	return false;
}

static int take_word(struct etw_autolog_parser *p)
{
	char c;

	while (!at_end(p) && !strchr(BLANKS, *p->at)) {
		if (skip_joint(p))
			continue;
		c = *p->at++;
		if (c == '\'' || c == '"') {
			if (!take_quoted(p, c))
				return fail(p, p->line, "the closing %c is missing", c);
			continue;
		}
		if (c == '\\')
			c = *p->at++;
		*p->out++ = c;
	}
	*p->out++ = '\0';
	return 0;
}

/* Take the words of a command, to the end of its last line. */
static int take_words(struct etw_autolog_parser *p, struct etw_autolog_command *command)
{
	int err = 0;

	while (!err) {
		while (skip_joint(p) || (*p->at && strchr(BLANKS, *p->at) && p->at++))
			;
		if (at_end(p) || *p->at == '#')
			break;
		if (command->argc == ETW_AUTOLOG_WORDS)
			return fail(p, p->line, "too many words");
		command->argv[command->argc++] = p->out;
		err = take_word(p);
	}
	command->argv[command->argc] = NULL;
	return err;
}

/* ------------------------------------------------------------------- commands */

/* Is the first word this one, whole and unquoted? */
static bool is_command(const struct etw_autolog_parser *p, const char *name)
{
	size_t len = strcspn(p->at, "\n" BLANKS);

	return len == strlen(name) && !memcmp(p->at, name, len);
}

static int take_command(struct etw_autolog_parser *p, struct etw_autolog_command *command)
{
	int err = check_old(p);

	if (err)
		return err;
	if (!is_command(p, "start") && !is_command(p, "enable"))
		return fail(p, p->line, "expected start or enable");
	return take_words(p, command);
}

int etw_autolog_next(struct etw_autolog_parser *p, struct etw_autolog_command *command)
{
	int err;

	for (;; skip_line(p)) {
		p->at += strspn(p->at, BLANKS);
		if (!*p->at)
			return 0;
		if (!at_end(p) && *p->at != '#')
			break;
	}
	command->line = p->line;
	command->argc = 0;
	err = take_command(p, command);
	skip_line(p);
	return err ? err : 1;
}

int etw_autolog_begin(struct etw_autolog_parser *p, const char *text, size_t len)
{
	char *to;
	size_t i;

	memset(p, 0, sizeof(*p));
	p->line = 1;
	/* A copy without carriage returns, and the words, which take a NUL more each. */
	p->text = to = malloc(2 * len + 3);
	if (!to)
		return -ENOMEM;
	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\r' && (i + 1 == len || text[i + 1] == '\n'))
			continue;
		/* Without control characters a line can be printed, and a NUL ends no word. */
		if ((c < ' ' && c != '\t' && c != '\n') || c == 0x7f)
			return fail(p, p->line, "control character 0x%02x", c);
		p->line += c == '\n';
		*to++ = (char)c;
	}
	*to++ = '\0';
	p->out = to;
	p->at = p->text;
	p->line = 1;
	return 0;
}

void etw_autolog_free(struct etw_autolog_parser *p)
{
	free(p->text);
	p->text = NULL;
}
