/* SPDX-License-Identifier: MIT */
/*
 * complete.c - what a shell can complete: etw __complete WORD...
 *
 * The words are those after "etw" up to the cursor; the last one, which may be
 * empty, is to be completed.  Each candidate is a line, with a tab and a help
 * text behind it where there is one.  The line ":files" asks the shell for file
 * names.  Commands and options come from the tables that parse and print them.
 * The device is asked for sessions and providers, and silently left alone if
 * it cannot be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "complete.h"
#include "convert/convert.h"
#include "device/kdev.h"
#include "provider.h"
#include "session.h"
#include "tdh/store/store.h"
#include "text.h"

static struct {
	char **words;		/* behind the subcommand; the last is completed */
	int count;
	const char *prefix;	/* what a candidate has to begin with */
	const char *before;	/* printed before each: "--level=" */
} job;

static void candidate(const char *text, const char *help)
{
	if (strncmp(text, job.prefix, strlen(job.prefix)) || strpbrk(text, "\t\n"))
		return;
	printf("%s%s%s%s\n", job.before, text, help ? "\t" : "", help ? help : "");
}

/* The words of a text, separated by blanks */
static void candidates(const char *words)
{
	char *copy = strdup(words), *save = NULL, *word;

	if (!copy)
		return;
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		candidate(word, NULL);
	free(copy);
}

static void sessions(void)
{
	struct session *list;
	unsigned int count, i;
	int fd = etw_kdev_open();

	if (fd < 0)
		return;
	if (!session_list(fd, &list, &count)) {
		for (i = 0; i < count; i++)
			candidate(list[i].name, NULL);
		free(list);
	}
	etw_kdev_close(fd);
}

static void installed_providers(void)
{
	struct etw_store_list all;
	unsigned int j;
	size_t i;

	if (etw_store_all(&all))
		return;
	for (i = 0; i < all.count; i++)
		for (j = 0; j < all.list[i]->provider_count; j++)
			candidate(all.list[i]->providers[j].name, NULL);
	etw_store_list_free(&all);
}

/* By name where that is enough to enable it; a program's own name is not. */
static void registered_providers(void)
{
	char text[GUID_TEXT_SIZE];
	struct etw_guid guid;
	struct etw_provider *list;
	unsigned int count, i;
	int fd = etw_kdev_open();

	if (fd < 0)
		return;
	if (!provider_list(fd, &list, &count)) {
		for (i = 0; i < count; i++)
			if (*list[i].name && provider_named(fd, list[i].name, &guid) == 1)
				candidate(list[i].name, NULL);
			else
				candidate(guid_text(&list[i].guid, text), provider_name(&list[i]));
		provider_list_free(list, count);
	}
	etw_kdev_close(fd);
}

static void providers(void)
{
	installed_providers();
	registered_providers();
}

/* What the kernel can be asked for as well */
static void patterns(void)
{
	candidates("tracepoint: system: profile: pmu: kprobe: kretprobe: uprobe: uretprobe: usdt:");
}

static void all_providers(void)
{
	patterns();
	providers();
}

static void formats(void)
{
	unsigned int i;

	candidates("text json");
	for (i = 0; convert_formats[i]; i++)
		candidate(convert_formats[i]->name, convert_formats[i]->help);
}

static void files(void)
{
	puts(":files");
}

/* Values by what the tables call them, for all commands or for one */
static const struct {
	const char *command, *name, *words;
	void (*list)(void);
} values[] = {
	{ "manifest", "ACTION", "install remove list show check", NULL },
	{ "autologger", "ACTION", "start stop list check", NULL },
	{ "access", "ACTION", "show set add remove load", NULL },
	{ "split", "WHAT", "size= time= events= cpu provider", NULL },
	{ "list", "WHAT", "sessions providers groups", NULL },
	{ "list", "PATTERN", NULL, patterns },
	{ "enable", "PROVIDER", NULL, all_providers },
	{ "disable", "PROVIDER", NULL, all_providers },
	{ "record", "PROVIDER", NULL, all_providers },
	{ "watch", "PROVIDER", NULL, all_providers },
	{ "top", "PROVIDER", NULL, all_providers },
	{ "list", "COLUMNS", "session id mode clock size-kb buffers max free delivered events-lost "
	  "rt-lost provider guid registered enabled-by group members", NULL },
	{ "stat", "COLUMNS", "events total per-second reader lost-events lost-buffers backlog held",
	  NULL },
	{ "dump", "COLUMNS", "time cpu process provider event level fields items", NULL },
	{ "convert", "FORMAT", NULL, formats },
	{ "top", "WHAT", "provider event process thread cpu level", NULL },
	{ "top", "COLUMN", "rate events lost bytes operations p50 p90 p99 p99.9 max name", NULL },
	{ NULL, "SESSION", NULL, sessions },
	{ NULL, "PROVIDER", NULL, providers },
	{ NULL, "GUID", NULL, registered_providers },
	{ NULL, "FILE", NULL, files },
	{ NULL, "DIR", NULL, files },
	{ NULL, "NAME_%d.etl", NULL, files },
	{ NULL, "MANIFEST", NULL, files },
	{ NULL, "COMMAND", NULL, files },
	{ NULL, "ARG", NULL, files },
	{ NULL, "LEVEL", "always critical error warning info verbose", NULL },
	{ NULL, "CLOCK", "qpc system cycles", NULL },
	{ NULL, "SCOPE", "local global", NULL },
	{ NULL, "WHEN", "auto always never", NULL },
	{ NULL, "MODE", "local utc relative delta raw", NULL },
	{ NULL, "ITEMS", "sid login app container process-key event-key stack", NULL },
};

static void value(const char *command, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (strlen(values[i].name) != len || strncmp(values[i].name, name, len) ||
		    (values[i].command && strcmp(values[i].command, command)))
			continue;
		if (values[i].words)
			candidates(values[i].words);
		else
			values[i].list();
		return;
	}
}

/* All that a name of the tables allows: "[FILE|PROVIDER]...", "PROVIDER[:LEVEL]" */
static void value_of(const char *command, const char *name)
{
	size_t len;

	for (name += *name == '['; *name; name += len + (name[len] == '|')) {
		len = strcspn(name, "|[].:=");
		if (name[len] == '.' && name[len + 1] != '.')	/* NAME_%d.etl */
			len = strlen(name);
		value(command, name, len);
		if (name[len] != '|')
			return;
	}
}

static const struct cli_option *option_of(const struct cli_syntax *syntax, const char *word,
					  size_t len)
{
	const struct cli_option *o;

	for (o = syntax->options; o->name; o++)
		if ((len > 2 && !strncmp(word, "--", 2) && strlen(o->name) == len - 2 &&
		     !strncmp(word + 2, o->name, len - 2)) ||
		    (len == 2 && word[0] == '-' && o->value == word[1]))
			return o;
	return NULL;
}

/* The number of the operand that the last word is; -1: the value of *option. */
static int position(const struct cli_syntax *syntax, const struct cli_option **option)
{
	int i, operands = 0;

	*option = NULL;
	for (i = 0; i < job.count - 1; i++) {
		const char *word = job.words[i];
		const struct cli_option *o = option_of(syntax, word, strlen(word));

		if (word[0] != '-') {
			operands++;
		} else if (o && o->arg) {
			/* bash makes three words of "--name=value" */
			if (i + 1 < job.count - 1 && !strcmp(job.words[i + 1], "="))
				i++;
			if (++i < job.count - 1)
				continue;
			*option = o;
			return -1;
		}
	}
	return operands;
}

static void option_names(const struct cli_syntax *syntax)
{
	const struct cli_option *o;
	char name[64];

	for (o = syntax->options; o->name; o++) {
		if (!o->help || cli_is_heading(o))
			continue;	/* refused, and not shown */
		snprintf(name, sizeof(name), "--%s", o->name);
		candidate(name, o->help);
	}
	candidate("--help", "print this help");
}

/* Called with a subcommand's table in place of printing its help. */
static void complete_by(const struct cli_syntax *syntax, const char *command)
{
	const char *word = job.words[job.count - 1];
	const char *equals = !strncmp(word, "--", 2) ? strchr(word, '=') : NULL;
	const struct cli_option *option;
	int operand = position(syntax, &option), i;
	static char before[64];

	job.prefix = strcmp(word, "=") ? word : "";
	job.before = "";
	if (operand < 0) {
		value_of(command, option->arg);
		return;
	}
	if (equals) {
		option = option_of(syntax, word, equals - word);
		if (!option || !option->arg)
			return;
		snprintf(before, sizeof(before), "%.*s", (int)(equals + 1 - word), word);
		job.before = before;
		job.prefix = equals + 1;
		value_of(command, option->arg);
		return;
	}
	if (word[0] == '-') {
		option_names(syntax);
		return;
	}
	for (i = 0; syntax->operands[i]; i++)
		if (i == operand || (!syntax->operands[i + 1] && i < operand &&
				     strstr(syntax->operands[i], "...")))
			value_of(command, syntax->operands[i]);
}

int cli_complete(const struct cli_command *commands, int argc, char **argv)
{
	const struct cli_command *command;
	char help[] = "--help";
	char *args[] = { argv[0], help, NULL };

	job.before = "";
	job.prefix = argc ? argv[argc - 1] : "";
	if (argc <= 1 || !strcmp(argv[0], "help")) {
		for (command = commands; argc <= 2 && command->name; command++)
			candidate(command->name, command->help);
		return 0;
	}
	job.words = argv + 1;
	job.count = argc - 1;
	for (command = commands; command->name && strcmp(command->name, argv[0]); command++)
		;
	if (command->fn == cmd_mc) {
		files();	/* its options are those of mc.exe, and short */
	} else if (command->fn) {
		cli_help_by(complete_by);
		command->fn(2, args);
	}
	return 0;
}
