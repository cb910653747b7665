/* SPDX-License-Identifier: MIT */
/*
 * main.c - the etw command: one table of subcommands
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "base/suggest.h"
#include "cli.h"
#include "complete.h"
#include "request/probe_request.h"

static int cmd_help(int argc, char **argv);

#define RECORD		"record and read"
#define SESSIONS	"sessions"
#define PROVIDERS	"providers"
#define MANIFESTS	"manifests"
#define MACHINE		"the machine"

/* Those of a group stand together. */
static const struct cli_command commands[] = {
	{ "watch", cmd_watch, "print the events of providers, live", RECORD },
	{ "top", cmd_top, "show what is busiest, live", RECORD },
	{ "record", cmd_record, "record events into a file", RECORD },
	{ "dump", cmd_dump, "print the events of a session or of files", RECORD },
	{ "report", cmd_report, "summarize log files", RECORD },
	{ "verify", cmd_verify, "say whether a trace is complete", RECORD },
	{ "convert", cmd_convert, "convert log files to and from other formats", RECORD },
	{ "merge", cmd_merge, "combine log files, or select some events", RECORD },
	{ "split", cmd_split, "split a log file into several", RECORD },
	{ "symbolize", cmd_symbolize, "write names of functions into a log file", RECORD },
	{ "start", cmd_start, "start a session", SESSIONS },
	{ "update", cmd_update, "change a running session", SESSIONS },
	{ "flush", cmd_flush, "deliver what a session has buffered", SESSIONS },
	{ "stop", cmd_stop, "stop a session", SESSIONS },
	{ "query", cmd_query, "show one session", SESSIONS },
	{ "list", cmd_list, "list sessions, providers and groups", SESSIONS },
	{ "stat", cmd_stat, "show rates and losses", SESSIONS },
	{ "enable", cmd_enable, "enable a provider for a session", PROVIDERS },
	{ "disable", cmd_disable, "disable a provider for a session", PROVIDERS },
	{ "capture", cmd_capture, "ask a provider to write its state", PROVIDERS },
	{ "disallow", cmd_disallow, "exclude providers from a session's groups", PROVIDERS },
	{ "manifest", cmd_manifest, "install, remove, list, show or check manifests", MANIFESTS },
	{ "mc", cmd_mc, "compile a manifest into a C header", MANIFESTS },
	{ "autologger", cmd_autologger, "control the sessions that start at boot", MACHINE },
	{ "doctor", cmd_doctor, "look for what keeps this machine from tracing", MACHINE },
	{ "access", cmd_access, "show or change access lists", MACHINE },
	{ "help", cmd_help, "print this list, or the help of a command", MACHINE },
	{ NULL, NULL, NULL, NULL }
};

static void print_summary(FILE *to)
{
	const struct cli_command *command;
	const char *group = "";

	fputs("usage: etw COMMAND [argument]...\n\n"
	      "Trace drivers and programs through /dev/etw.\n", to);
	for (command = commands; command->name; command++) {
		if (strcmp(command->group, group))
			fprintf(to, "\n%s:\n", command->group);
		group = command->group;
		fprintf(to, "  %-10s  %s\n", command->name, command->help);
	}
	fputs("\n'etw COMMAND --help' describes a command; 'etw --version' prints the version.\n",
	      to);
}

static const struct cli_command *need_command(const char *name)
{
	const struct cli_command *command;
	struct suggest near;

	suggest_begin(&near, name);
	for (command = commands; command->name; command++) {
		if (!strcmp(command->name, name))
			return command;
		suggest_try(&near, command->name);
	}
	cli_usage("%s: no such command%s", cli_quote(name), cli_suggested(&near, ""));
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
	int status;

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
	status = command->fn(argc - 1, argv + 1);
	probe_request_end();
	return cli_finish(status);
}
