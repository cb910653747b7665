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

struct parser {
	struct etw_autolog_conf *conf;
	etw_autolog_report_fn *report;
	void *context;
	const char *at, *end;	/* of the text */
	unsigned int line;	/* of at, from 1 */
	char *out;		/* where the next word goes in conf->words */
	char *words[ETW_AUTOLOG_WORDS + 1];
	int word_count;
	int ret;
};

__attribute__((__format__(__printf__, 3, 4)))
static void fail(struct parser *p, unsigned int line, const char *format, ...)
{
	struct etw_autolog_error error = { .line = line };
	va_list args;

	va_start(args, format);
	vsnprintf(error.what, sizeof(error.what), format, args);
	va_end(args);
	p->ret = -EINVAL;
	p->report(p->context, &error);
}

/* ------------------------------------------------------------- the old format */

/* Earlier files had one value in each line, with the names of Windows' registry. */
static const struct {
	const char *name;
	const char *now;
} old_values[] = {
	{ "Start", "a start line; add --manual to it for Start = 0" },
	{ "Guid", "--guid GUID in the start line" },
	{ "BufferSize", "--buffer-size KB in the start line" },
	{ "ClockType", "--clock qpc, system or cycles in the start line" },
	{ "DisableRealtimePersistence", "nothing, it had no effect" },
	{ "FileName", "--file FILE in the start line" },
	{ "FileMax", "--file-max N in the start line" },
	{ "FlushTimer", "--flush SECONDS in the start line" },
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

static void fail_value(struct parser *p, const char *name, int len)
{
	size_t i;

	for (i = 0; i < sizeof(old_values) / sizeof(old_values[0]); i++) {
		if (strlen(old_values[i].name) != (size_t)len ||
		    strncasecmp(old_values[i].name, name, (size_t)len))
			continue;
		fail(p, p->line, "%s = is the old format: write %s", old_values[i].name,
		     old_values[i].now);
		return;
	}
	fail(p, p->line, "\"%.*s =\" is the old format: write --%.*s 'VALUE' in the enable line", len,
	     name, len, name);
}

/*
 * Report a line of the old format; false: it has another.  The line has len bytes without its
 * newline, and does not begin with a blank.
 */
static bool fail_old(struct parser *p, const char *text, size_t len)
{
	size_t name = 0, blank;

	if (*text == ';') {
		fail(p, p->line, "; is the old format: write # before a comment");
		return true;
	}
	if (*text == '[') {
		fail(p, p->line, "%.*s is the old format: write \"enable PROVIDER\" and its options in one line",
		     len < 80 ? (int)len : 80, text);
		return true;
	}
	while (name < len && text[name] != '=' && text[name] != ' ' && text[name] != '\t' &&
	       name < 40)
		name++;
	for (blank = name; blank < len && (text[blank] == ' ' || text[blank] == '\t'); blank++)
		;
	if (!name || blank == len || text[blank] != '=')
		return false;
	fail_value(p, text, (int)name);
	return true;
}

/* -------------------------------------------------------------------- words */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Does the line end here, with a newline, a carriage return before one, or the text? */
static bool at_end(const struct parser *p)
{
	if (p->at == p->end || *p->at == '\n')
		return true;
	return *p->at == '\r' && (p->at + 1 == p->end || p->at[1] == '\n');
}

static void skip_line(struct parser *p)
{
	while (p->at < p->end && *p->at != '\n')
		p->at++;
	if (p->at < p->end) {
		p->at++;
		p->line++;
	}
}

/* Skip a \ that ends its line, and that end; false: it does not end it. */
static bool skip_joint(struct parser *p)
{
	const char *at = p->at;

	p->at++;
	if (p->at < p->end && at_end(p)) {
		skip_line(p);
		return true;
	}
	p->at = at;
	return false;
}

/* Take a word's quoted part, behind the opening quote.  The error, or NULL. */
static const char *take_quoted(struct parser *p, char quote)
{
	for (; p->at < p->end && *p->at != '\n'; p->at++) {
		if (*p->at == quote) {
			p->at++;
			return NULL;
		}
		if (quote == '"' && *p->at == '\\' && p->at + 1 < p->end &&
		    strchr("\"\\$`", p->at[1]) && p->at[1])
			p->at++;
		*p->out++ = *p->at;
	}
	return quote == '"' ? "the closing \" is missing" : "the closing ' is missing";
}

/* Take one word.  The error, or NULL. */
static const char *take_word(struct parser *p)
{
	const char *bad = NULL;

	if (p->word_count == ETW_AUTOLOG_WORDS)
		return "too many words";
	p->words[p->word_count] = p->out;
	while (!bad && !at_end(p) && !is_blank(*p->at)) {
		char c = *p->at;

		if (c == '\\' && skip_joint(p))
			continue;
		p->at++;
		if (c == '\'' || c == '"') {
			bad = take_quoted(p, c);
			continue;
		}
		if (c == '\\') {
			if (p->at == p->end)
				break;
			c = *p->at++;
		}
		*p->out++ = c;
	}
	*p->out++ = '\0';
	p->word_count++;
	return bad;
}

/* Take the words of a command, to the end of its last line.  The error, or NULL. */
static const char *take_words(struct parser *p)
{
	const char *bad = NULL;

	p->word_count = 0;
	while (!bad) {
		while (p->at < p->end) {
			if (is_blank(*p->at))
				p->at++;
			else if (*p->at != '\\' || !skip_joint(p))
				break;
		}
		if (at_end(p) || *p->at == '#')
			break;
		bad = take_word(p);
	}
	p->words[p->word_count] = NULL;
	return bad;
}

/* ------------------------------------------------------------------- commands */

/* Is the first word this one, whole and unquoted? */
static bool is_command(const struct parser *p, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len >= n && !memcmp(p->at, name, n) &&
	       (len == n || is_blank(p->at[n]) || p->at[n] == '\r');
}

static struct etw_autolog_command *add_command(struct parser *p, unsigned int line)
{
	struct etw_autolog_conf *conf = p->conf;
	struct etw_autolog_command *list;

	if (!strcmp(p->words[0], "start")) {
		if (!conf->start.line)
			return &conf->start;
		fail(p, line, "a second start line, the first is line %u", conf->start.line);
		return NULL;
	}
	if (conf->enable_count == ETW_AUTOLOG_PROVIDERS) {
		fail(p, line, "more than %d providers", ETW_AUTOLOG_PROVIDERS);
		return NULL;
	}
	/* The room grows by powers of two. */
	if (!(conf->enable_count & (conf->enable_count - 1))) {
		list = realloc(conf->enables, (conf->enable_count ? 2 * conf->enable_count : 1) *
					      sizeof(*list));
		if (!list) {
			p->ret = -ENOMEM;
			return NULL;
		}
		conf->enables = list;
	}
	return &conf->enables[conf->enable_count++];
}

static void take_command(struct parser *p)
{
	struct etw_autolog_command *command;
	unsigned int line = p->line;
	const char *bad = take_words(p);
	size_t size;

	if (bad) {
		fail(p, p->line, "%s", bad);
		return;
	}
	command = add_command(p, line);
	if (!command)
		return;
	size = ((size_t)p->word_count + 1) * sizeof(char *);
	command->line = line;
	command->argc = p->word_count;
	command->argv = malloc(size);
	if (command->argv)
		memcpy(command->argv, p->words, size);
	else
		p->ret = -ENOMEM;
}

static void take_line(struct parser *p)
{
	size_t len = 0;

	while (p->at < p->end && is_blank(*p->at))
		p->at++;
	while (p->at + len < p->end && p->at[len] != '\n')
		len++;
	if (len && p->at[len - 1] == '\r')
		len--;
	if (len && *p->at != '#' && !fail_old(p, p->at, len)) {
		if (is_command(p, len, "start") || is_command(p, len, "enable"))
			take_command(p);
		else
			fail(p, p->line, "expected start or enable");
	}
	skip_line(p);
}

/* Without control characters a line can be printed, and a NUL ends no word. */
static bool check_characters(struct parser *p)
{
	unsigned int line = 1;
	const char *at;

	for (at = p->at; at < p->end; at++) {
		unsigned char c = (unsigned char)*at;

		line += c == '\n';
		if ((c >= ' ' && c != 0x7f) || c == '\t' || c == '\n' ||
		    (c == '\r' && (at + 1 == p->end || at[1] == '\n')))
			continue;
		fail(p, line, "control character 0x%02x", c);
		return false;
	}
	return true;
}

int etw_autolog_parse(const char *text, size_t len, struct etw_autolog_conf *conf,
		      etw_autolog_report_fn *report, void *context)
{
	struct parser p = {
		.conf = conf, .report = report, .context = context,
		.at = text, .end = text + len, .line = 1,
	};

	memset(conf, 0, sizeof(*conf));
	/* A word takes a NUL more than its bytes, and a blank or the end follows each. */
	conf->words = malloc(len + 1);
	if (!conf->words)
		return -ENOMEM;
	p.out = conf->words;
	if (!check_characters(&p))
		return p.ret;
	while (p.ret != -ENOMEM && p.at < p.end)
		take_line(&p);
	if (p.ret != -ENOMEM && !conf->start.line)
		fail(&p, 0, "the start line is missing");
	return p.ret;
}

void etw_autolog_free(struct etw_autolog_conf *conf)
{
	size_t i;

	for (i = 0; i < conf->enable_count; i++)
		free(conf->enables[i].argv);
	free(conf->enables);
	free(conf->start.argv);
	free(conf->words);
	memset(conf, 0, sizeof(*conf));
}
