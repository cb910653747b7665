/* SPDX-License-Identifier: MIT */
/*
 * cli_autologconf - the file of an autologger session: its commands, words and errors
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "cli/autologger/session_conf.h"

static struct etw_autolog_parser parser;
static struct etw_autolog_command commands[8];
static unsigned int command_count;
static struct {
	unsigned int line;
	char what[192];
} errors[8];
static unsigned int error_count;

static void add_error(void)
{
	if (error_count < 8) {
		errors[error_count].line = parser.error_line;
		strcpy(errors[error_count].what, parser.what);
	}
	error_count++;
}

/* Take all commands and errors; -EINVAL: there were some. */
static int parse_bytes(const char *text, size_t len)
{
	static struct etw_autolog_command command;
	/* A copy of exactly that size, so that the sanitizer sees reads beyond it. */
	char *copy = malloc(len ? len : 1);
	int ret;

	memcpy(copy, text, len);
	etw_autolog_free(&parser);
	command_count = error_count = 0;
	ret = etw_autolog_begin(&parser, copy, len);
	free(copy);
	if (ret) {
		add_error();
		return ret;
	}
	while ((ret = etw_autolog_next(&parser, &command))) {
		if (ret < 0)
			add_error();
		else if (command_count++ < 8)
			commands[command_count - 1] = command;
	}
	return error_count ? -EINVAL : 0;
}

static int parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

/* Does a command have these words, given with a newline after each? */
static bool has_words(const struct etw_autolog_command *command, const char *words)
{
	char text[1024] = "";
	int i;

	for (i = 0; i < command->argc; i++)
		sprintf(text + strlen(text), "%s\n", command->argv[i]);
	return !strcmp(text, words) && !command->argv[command->argc];
}

static void test_commands(void)
{
	is(parse("# comment\r\n\t\n  # another\nstart --guid x # 1\r\n\nenable a\nenable b --level=5"),
	   0, "a session with two providers");
	ok(commands[0].line == 4 && has_words(&commands[0], "start\n--guid\nx\n"), "its start line");
	is(command_count, 3, "its enable lines");
	ok(commands[1].line == 6 && has_words(&commands[1], "enable\na\n"), "the first");
	ok(commands[2].line == 7 && has_words(&commands[2], "enable\nb\n--level=5\n"),
	   "the second, without a newline");
	is(parse("enable a\nstart"), 0, "in the other order");
	ok(has_words(&commands[1], "start\n"), "without options");
}

static void test_words(void)
{
	is(parse("start \"a b\" 'c \"\\' d\\ \\#e\"f\"'g'#h '' #i\n"), 0, "quoted words");
	ok(has_words(&commands[0], "start\na b\nc \"\\\nd #efg#h\n\n"), "as a shell reads them");
	is(parse("start \"\\\"\\\\\\$\\`\\x\" $HOME *\n"), 0, "escaped and special characters");
	ok(has_words(&commands[0], "start\n\"\\$`\\x\n$HOME\n*\n"), "are not expanded");
	is(parse("start \\\n  --a\\\r\n b \\\n\nenable x\n"), 0, "lines that go on");
	ok(commands[0].line == 1 && has_words(&commands[0], "start\n--a\nb\n"), "are one command");
	ok(command_count == 2 && commands[1].line == 5, "and are counted");
	is(parse("start --a \\"), 0, "one that goes on at the end of the file");
	ok(has_words(&commands[0], "start\n--a\n"), "ends there");
	is(parse("start a\\"), 0, "also within a word");
	ok(has_words(&commands[0], "start\na\n"), "which ends, too");
}

static void bad_bytes(const char *text, size_t len, unsigned int line, const char *what)
{
	int ret = parse_bytes(text, len);

	ok(ret == -EINVAL && error_count && errors[0].line == line && strstr(errors[0].what, what),
	   "line %u: %s", errors[0].line, errors[0].what);
}

static void bad(const char *text, unsigned int line, const char *what)
{
	bad_bytes(text, strlen(text), line, what);
}

static void test_bad(void)
{
	bad("start\nstop x\n", 2, "expected start or enable");
	bad("start\nstarts x\n", 2, "expected start or enable");
	bad("start\n\"enable\" x\n", 2, "expected start or enable");
	bad("start\nenable\\x y\n", 2, "expected start or enable");
	bad("start\nenable \"a\nenable b\n", 2, "the closing \" is missing");
	bad("start\nenable \\\n 'a", 3, "the closing ' is missing");
}

/* A line of the old format gets an error that names its replacement. */
static void test_old(void)
{
	bad("Start = 1\n", 1, "Start = is the old format: write a start line");
	bad("start=0\n", 1, "--manual");
	bad("start\nGUID\t= {0}\n", 2, "Guid = is the old format: write --guid GUID in the start line");
	bad("start\nFileMax=4", 2, "--file-max N");
	bad("start\nLogFileMode = REAL_TIME_MODE | SECURE_MODE", 2, "such as --circular or --real-time");
	bad("start\nDisableRealtimePersistence = 1", 2, "write nothing, it had no effect");
	bad("start\nMatchAnyKeyword = 1", 2, "--any HEX in the enable line");
	bad("start\nexe = it's", 2, "\"exe =\" is the old format: write --exe 'VALUE' in the enable line");
	bad("start\n; comment", 2, "write # before a comment");
	bad("start\n[provider Some Name]", 2, "[provider Some Name] is the old format: write \"enable PROVIDER\"");
	/* "=" within a command is not the old format. */
	is(parse("start --level = 5"), 0, "= is a word");
}

/* Each error is reported, and correct lines are parsed. */
static void test_all(void)
{
	static const unsigned int lines[] = { 1, 3, 5 };

	is(parse("Frob = 1\nenable a\n[x]\nenable b\nenable 'c\n"), -EINVAL, "several errors");
	is(error_count, 3, "are all reported");
	ok(errors[0].line == lines[0] && errors[1].line == lines[1] &&
	   errors[2].line == lines[2], "by line");
	ok(command_count == 2 && commands[1].line == 4, "the other lines are parsed");
}

static void test_hostile(void)
{
	static const char whole[] =
		"start --guid \"{01234567-89ab-cdef-0123-456789abcdef}\" \\\n --file '/a b' # c\n"
		"enable *x --filter 'a == \"x\"' --exe=\\a\n";
	const size_t size = 200000;
	char *text = malloc(size), *at;
	size_t i;

	bad_bytes("start\0\n", 7, 1, "control character 0x00");
	bad_bytes("start\n#\033[31m", 12, 2, "control character 0x1b");
	bad_bytes("start\rx", 7, 1, "control character 0x0d");
	at = text + sprintf(text, "start\n");
	for (i = 0; i < 256; i++)
		at += sprintf(at, " \\\n x");
	bad_bytes(text + 6, at - text - 6, 1, "expected start or enable");
	memcpy(text, "start ", 6);
	bad_bytes(text, at - text, 257, "too many words");
	memset(text + 6, 'x', size - 6);
	is(parse_bytes(text, size), 0, "a word may be long");
	/* Every prefix of a file is parsed or refused, and nothing is read beyond it. */
	for (i = 0; i < sizeof(whole) - 1; i++)
		parse_bytes(whole, i);
	is(parse(whole), 0, "the whole of it");
	free(text);
}

int main(void)
{
	test_commands();
	test_words();
	test_bad();
	test_old();
	test_all();
	test_hostile();
	etw_autolog_free(&parser);
	return done_testing();
}
