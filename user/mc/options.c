// SPDX-License-Identifier: MIT
/*
 * options.c - the command line of mc.exe
 *
 * One table of options.  "/name" is the same as "-name", unless it is a file.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emit.h"

enum take {
	TAKE_NOTHING,
	TAKE_TEXT,
	TAKE_MODE,
	TAKE_FLAG,
	TAKE_MAX,
	TAKE_CODEPAGE,
	TAKE_REFUSED,
	TAKE_HELP,
};

struct option {
	const char *name;
	enum take take;
	const char *arg;	/* NULL: no argument */
	size_t field;		/* offset in struct etw_mc_options */
	const struct etw_mc_mode *mode;
	const char *help;	/* or the reason for refusing it */
};

#define FIELD(member)	offsetof(struct etw_mc_options, member)

static const struct option options[] = {
	{ "um", TAKE_MODE, NULL, 0, &etw_mc_mode_um, "code for programs" },
	{ "km", TAKE_MODE, NULL, 0, &etw_mc_mode_km, "code for kernel modules" },
	{ "h", TAKE_TEXT, "DIR", FIELD(header_dir), NULL, "folder for the header" },
	{ "r", TAKE_TEXT, "DIR", FIELD(resource_dir), NULL,
	  "folder for the .rc file and the binaries" },
	{ "z", TAKE_TEXT, "NAME", FIELD(base), NULL,
	  "base name of the files (the manifest's)" },
	{ "e", TAKE_TEXT, "EXT", FIELD(extension), NULL, "extension of the header (h)" },
	{ "p", TAKE_TEXT, "PREFIX", FIELD(prefix), NULL,
	  "prefix of the macros that write (EventWrite)" },
	{ "P", TAKE_TEXT, "PREFIX", FIELD(strip), NULL,
	  "prefix of symbols to leave out in the names of macros" },
	{ "co", TAKE_FLAG, NULL, FIELD(callout), NULL, "call MCGEN_CALLOUT after each write" },
	{ "b", TAKE_FLAG, NULL, FIELD(base_in_name), NULL,
	  "name the message table NAME_MSG00001.bin" },
	{ "m", TAKE_MAX, "LENGTH", FIELD(message_max), NULL, "warn about longer messages" },
	{ "v", TAKE_FLAG, NULL, FIELD(verbose), NULL, "list the files written" },
	{ "?", TAKE_HELP, NULL, 0, NULL, "show this" },
	{ "cp", TAKE_CODEPAGE, "ENCODING", 0, NULL, "of the header: ansi or utf-8, both mean UTF-8" },
	{ "c", TAKE_NOTHING, NULL, 0, NULL, NULL },
	{ "w", TAKE_NOTHING, "FILE", 0, NULL, NULL },
	{ "W", TAKE_NOTHING, "FILE", 0, NULL, NULL },
	{ "x", TAKE_NOTHING, "DIR", 0, NULL, NULL },
	{ "a", TAKE_NOTHING, NULL, 0, NULL, NULL },
	{ "A", TAKE_NOTHING, NULL, 0, NULL, NULL },
	{ "d", TAKE_NOTHING, NULL, 0, NULL, NULL },
	{ "n", TAKE_NOTHING, NULL, 0, NULL, NULL },
	{ "o", TAKE_NOTHING, NULL, 0, NULL, NULL },
	{ "u", TAKE_NOTHING, NULL, 0, NULL, NULL },
	{ "U", TAKE_NOTHING, NULL, 0, NULL, NULL },
	{ "cs", TAKE_REFUSED, "NAMESPACE", 0, NULL, "makes C#, this makes C" },
	{ "css", TAKE_REFUSED, "NAMESPACE", 0, NULL, "makes C#, this makes C" },
	{ "generateProjections", TAKE_REFUSED, NULL, 0, NULL,
	  "makes C++/CX, this makes C" },
	{ "mof", TAKE_REFUSED, NULL, 0, NULL, "is for classic providers, whose MOF nobody reads here" },
	{ "s", TAKE_REFUSED, "DIR", 0, NULL, "no baselines are kept here" },
	{ "t", TAKE_REFUSED, "DIR", 0, NULL, "no baselines are kept here" },
};

#define OPTIONS	(sizeof(options) / sizeof(options[0]))

static int fail(char *error, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(char *error, size_t size, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(error, size, fmt, args);
	va_end(args);
	/* Arguments may contain control characters. */
	for (; *error; error++)
		if ((unsigned char)*error < ' ' || *error == 127)
			*error = '?';
	return -EINVAL;
}

/* NULL: not an option. */
static const struct option *find(const char *word)
{
	size_t i;

	if (*word != '-' && *word != '/')
		return NULL;
	for (i = 0; i < OPTIONS; i++)
		if (!strcmp(options[i].name, word + 1))
			return *word == '/' && !access(word, F_OK) ? NULL : &options[i];
	return NULL;
}

static int take(const struct option *option, const char *word, const char *arg,
		struct etw_mc_options *out, char *error, size_t size)
{
	char *field = (char *)out + option->field, *end;
	unsigned long value;

	switch (option->take) {
	case TAKE_TEXT:
		*(const char **)field = arg;
		break;
	case TAKE_FLAG:
		*(bool *)field = true;
		break;
	case TAKE_MODE:
		if (out->mode && out->mode != option->mode)
			return fail(error, size, "%s: there is -%s already", word,
				    out->mode->option);
		out->mode = option->mode;
		break;
	case TAKE_MAX:
		errno = 0;
		value = strtoul(arg, &end, 10);
		if (errno || *arg < '0' || *arg > '9' || *end || !value || value > INT_MAX)
			return fail(error, size, "%s: \"%s\" is not a length", word, arg);
		*(unsigned int *)field = (unsigned int)value;
		break;
	case TAKE_CODEPAGE:
		if (!strcmp(arg, "utf-16"))
			return fail(error, size, "%s: C compilers do not read UTF-16 here", word);
		if (strcmp(arg, "ansi") && strcmp(arg, "utf-8"))
			return fail(error, size, "%s: \"%s\" is neither ansi nor utf-8", word, arg);
		break;
	case TAKE_REFUSED:
		return fail(error, size, "%s: %s", word, option->help);
	case TAKE_HELP:
		return 1;
	case TAKE_NOTHING:
		break;
	}
	return 0;
}

/* The manifest; refuses unknown options and a second manifest. */
static int operand(const char *word, struct etw_mc_options *out, char *error, size_t size)
{
	size_t len = strlen(word);

	if (*word == '-')
		return fail(error, size, "%s: no such option", word);
	if (len > 3 && !strcmp(word + len - 3, ".mc"))
		return fail(error, size, "%s: text-message files (.mc) are not supported, only manifests are",
			    word);
	if (out->input)
		return fail(error, size, "%s: there is one manifest already, %s", word,
			    out->input);
	out->input = word;
	return 0;
}

static int check(const struct etw_mc_options *out, char *error, size_t size)
{
	const char *const words[] = { out->prefix, out->strip ? out->strip : "" };
	const char *c;
	int i;

	if (!out->input)
		return fail(error, size, "which manifest?");
	if (!*out->extension || strchr(out->extension, '/'))
		return fail(error, size, "-e: \"%s\" is not an extension", out->extension);
	if (out->base && (!*out->base || strchr(out->base, '/')))
		return fail(error, size, "-z: \"%s\" is not a file name", out->base);
	for (i = 0; i < 2; i++) {
		for (c = words[i]; *c; c++) {
			if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && *c != '_' &&
			    !(*c >= '0' && *c <= '9' && c != words[0]))
				return fail(error, size, "-%c: \"%s\" cannot begin an identifier",
					    i ? 'P' : 'p', words[i]);
		}
	}
	return 0;
}

int etw_mc_parse(int argc, char **argv, struct etw_mc_options *out, char *error, size_t size)
{
	int i, ret;

	memset(out, 0, sizeof(*out));
	out->prefix = "EventWrite";
	out->extension = "h";
	for (i = 1; i < argc; i++) {
		const struct option *option = find(argv[i]);
		const char *word = argv[i], *arg = NULL;

		if (!strcmp(word, "--help"))
			return 1;
		if (!option) {
			ret = operand(word, out, error, size);
		} else {
			if (option->arg && option->take != TAKE_REFUSED && i + 1 >= argc)
				return fail(error, size, "%s: %s is missing", word, option->arg);
			if (option->arg && option->take != TAKE_REFUSED)
				arg = argv[++i];
			ret = take(option, word, arg, out, error, size);
		}
		if (ret)
			return ret;
	}
	return check(out, error, size);
}

void etw_mc_help(FILE *to, const char *name)
{
	size_t i;

	fprintf(to, "usage: %s [option]... MANIFEST\n\n"
		"Generate a C header, and resources for Windows, from a manifest.\n\noptions:\n",
		name);
	for (i = 0; i < OPTIONS; i++) {
		if (options[i].help && options[i].take != TAKE_REFUSED)
			fprintf(to, "  -%-2s %-8s  %s\n", options[i].name,
				options[i].arg ? options[i].arg : "", options[i].help);
	}
	fputs("\nWithout -um or -km the header has only constants and descriptors.\n"
	      "Accepted without effect: -a -A -c -d -n -o -u -U, -w FILE -W FILE -x DIR.\n", to);
	fprintf(to, "\nexample:\n  %s -um -h include provider.man\n", name);
}
