/* SPDX-License-Identifier: MIT */
/*
 * main.c - the etw command: one table of subcommands
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "cli.h"
#include "complete.h"

#ifndef ETW_VERSION
#define ETW_VERSION	"0.1.0"
#endif

static int cmd_help(int argc, char **argv);

static const struct cli_command commands[] = {
	{ "watch", cmd_watch, "print the events of providers, live" },
	{ "start", cmd_start, "start a session" },
	{ "update", cmd_update, "change a running session" },
	{ "stop", cmd_stop, "stop a session" },
	{ "query", cmd_query, "show one session" },
	{ "flush", cmd_flush, "deliver what a session has buffered" },
	{ "list", cmd_list, "list sessions, providers and groups" },
	{ "enable", cmd_enable, "enable a provider for a session" },
	{ "disable", cmd_disable, "disable a provider for a session" },
	{ "capture", cmd_capture, "ask a provider to write its state" },
	{ "disallow", cmd_disallow, "exclude providers from a session's groups" },
	{ "record", cmd_record, "record events into a file" },
	{ "dump", cmd_dump, "print the events of a session or of files" },
	{ "verify", cmd_verify, "say whether a trace is complete" },
	{ "merge", cmd_merge, "combine log files, or select some events" },
	{ "split", cmd_split, "split a log file into several" },
	{ "convert", cmd_convert, "convert log files to and from other formats" },
	{ "autologger", cmd_autologger, "control the sessions that start at boot" },
	{ "access", cmd_access, "show or change access lists" },
	{ "mc", cmd_mc, "compile a manifest into a C header" },
	{ "manifest", cmd_manifest, "install, remove, list, show or check manifests" },
	{ "stat", cmd_stat, "show rates and losses" },
	{ "help", cmd_help, "print this list, or the help of a command" },
	{ NULL, NULL, NULL }
};

static void print_summary(FILE *to)
{
	const struct cli_command *command;

	fputs("usage: etw COMMAND [argument]...\n\n"
	      "Trace drivers and programs through /dev/etw.\n\n"
	      "commands:\n", to);
	for (command = commands; command->name; command++)
		fprintf(to, "  %-10s  %s\n", command->name, command->help);
	fputs("\n'etw COMMAND --help' describes a command; 'etw --version' prints the version.\n",
	      to);
}

static const struct cli_command *need_command(const char *name)
{
	const struct cli_command *command;

	for (command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	cli_usage("%s: no such command", cli_quote(name));
}

static int cmd_help(int argc, char **argv)
{
	static const struct cli_option options[] = { CLI_OPTION_END };
	static const struct cli_syntax syntax = {
		.what = "Print the list of commands, or the help of one.",
		.operands = { "[COMMAND]" },
		.options = options,
		.example = "etw help start",
	};
	char help[] = "--help";
	char *args[3] = { NULL, help, NULL };

	while (cli_next(&syntax, argc, argv) != -1)
		;
	args[0] = cli_operands(&syntax, argc, argv)[0];
	if (!args[0]) {
		print_summary(stdout);
		return 0;
	}
	cli_begin(NULL);
	if (need_command(args[0])->fn == cmd_help) {
		print_summary(stdout);
		return 0;
	}
	cli_restart(args[0]);
	return need_command(args[0])->fn(2, args);
}

/* The command is also installed as "mc", as Windows calls it. */
static bool is_mc(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return path && !strcmp(slash ? slash + 1 : path, "mc");
}

int main(int argc, char **argv)
{
	const struct cli_command *command;
	const char *word = argc > 1 ? argv[1] : NULL;

	/* A reader that went away ends us quietly, whatever our parent set. */
	signal(SIGPIPE, SIG_DFL);
	/* A message is one write: it does not mix with those of other commands. */
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	if (is_mc(argv[0])) {
		cli_begin("mc");
		return cli_finish(cmd_mc(argc, argv));
	}
	if (!word) {
		print_summary(stderr);
		return CLI_EXIT_USAGE;
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		puts("etw " ETW_VERSION);
		return cli_finish(0);
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		print_summary(stdout);
		return cli_finish(0);
	}
	if (!strcmp(word, "__complete"))
		return cli_finish(cli_complete(commands, argc - 2, argv + 2));
	command = need_command(word);
	cli_begin(command->name);
	return cli_finish(command->fn(argc - 1, argv + 1));
}
