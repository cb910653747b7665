/* SPDX-License-Identifier: MIT */
/*
 * conf_files.c - find and read the files of autologger sessions
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <etw/winerror.h>
#include "autologger.h"
#include "base/guid.h"
#include "cli/cli.h"
#include "cli/provider.h"
#include "cli/request/start_options.h"
#include "lib/access/conf_file.h"

const char *autologger_dir(void)
{
	const char *dir = secure_getenv(AUTOLOGGER_DIR_ENV);

	return dir && *dir ? dir : ETW_AUTOLOG_DIR;
}

/* ------------------------------------------------------------- the start line */

#define MB_DEFAULT	100

/* The file that is being read */
static struct autologger_conf conf;

static const struct cli_option start_options[] = {
	START_OPTIONS(conf.session.s),
	START_MORE_OPTIONS(conf.session.s),
	START_PROCESSES_OPTION(conf.session),
	{ "buffering", START_OPT_BUFFERING, NULL, "", NULL },
	STARTFILE_OPTIONS(conf.file),
	STARTFILE_MORE_OPTIONS(conf.file),
	{ "manual", 0, NULL, "", CLI_FLAG(conf.manual) },
	{ "file-max", 0, "N", "", CLI_NUMBER(conf.file_max, 1, ETW_AUTOLOG_FILES) },
	CLI_OPTION_END
};

static const struct cli_syntax start_syntax = { .options = start_options, .in_file = true };

static void choose_size(struct autologger_conf *to)
{
	if (to->file.path && !to->file.max_size && !to->no_limit)
		to->file.max_size = (uint64_t)MB_DEFAULT << 20;
}

static void check_start(struct autologger_conf *to)
{
	struct startfile *file = &to->file;
	bool buffering = to->session.s.mode & ETW_MODE_BUFFERING;

	if (etw_guid_is_zero(&to->session.s.guid))
		cli_usage("--guid is missing");
	if (file->mode & ETW_MODE_NEWFILE)
		cli_usage("--new-files: not in a session that is started at boot; --file-max keeps several files");
	if (file->path && *file->path != '/')
		cli_usage("--file: %s is not an absolute path", cli_quote(file->path));
	if (file->path && strlen(file->path) > ETW_FILE_NAME_MAX - strlen(".0001"))
		cli_usage("--file: longer than %zu bytes", ETW_FILE_NAME_MAX - strlen(".0001"));
	if (!file->path && !file->real_time && !buffering) {
		snprintf(to->default_path, sizeof(to->default_path), AUTOLOGGER_LOGS "/%s.etl",
			 to->name);
		file->path = to->default_path;
	} else if (!file->path && file->real_time) {
		to->session.s.mode |= ETW_MODE_REAL_TIME;
		file->real_time = false;
	}
	if (to->file_max && !file->path)
		cli_usage("--file-max: the session has no file");
	/* A limit, given or not, is an error with --buffering; the default applies to it too. */
	if (!buffering)
		choose_size(to);
	startfile_check(file, &to->session);
	choose_size(to);
}

static void take_start(struct autologger_conf *to, struct etw_autolog_command *command)
{
	int option;

	if (to->start_line)
		cli_usage("a second start line, the first is line %u", to->start_line);
	to->start_line = command->line;
	while ((option = cli_next(&start_syntax, command->argc, command->argv)) != -1) {
		if (option == START_OPT_MAX_SIZE && !strcmp(optarg, "none"))
			to->no_limit = true;
		else
			start_option(option, optarg, &to->session.s, &to->file);
	}
	cli_operands(&start_syntax, command->argc, command->argv);
	check_start(to);
}

/* ----------------------------------------------------------- the enable lines */

static const struct cli_syntax enable_syntax = {
	.operands = { "PROVIDER" },
	.options = enable_options,
	.in_file = true,
};

static void refuse_option(int option)
{
	switch (option) {
	case ENABLE_OPT_PID:
		cli_usage("--pid: not in a file, since a process gets another number at each boot");
	case ENABLE_OPT_CAPTURE:
		cli_usage("--capture: not in a file");
	case ENABLE_OPT_MANIFEST:
		cli_usage("--manifest: not in a file; install the manifest");
	}
}

/* *pending: the line's request, until it is known to be correct */
static void take_enable(struct autologger_conf *to, struct etw_autolog_command *command,
			struct autologger_enable **pending)
{
	struct autologger_enable *e;
	const char *provider;
	int option;

	if (to->enable_count == ETW_AUTOLOG_PROVIDERS)
		cli_usage("more than %d providers", ETW_AUTOLOG_PROVIDERS);
	/* The kernel's request points into it: it must not move. */
	e = *pending = cli_calloc(1, sizeof(*e));
	e->line = command->line;
	enable_request_init(&e->request);
	while ((option = cli_next(&enable_syntax, command->argc, command->argv)) != -1) {
		refuse_option(option);
		enable_request_take(&e->request, option, optarg);
	}
	provider = cli_operands(&enable_syntax, command->argc, command->argv)[0];
	provider_check(provider);
	provider_check_group(provider, &e->request.enable);
	enable_request_ready(&e->request, provider);
	to->enables = cli_grow(to->enables, to->enable_count, sizeof(*to->enables));
	to->enables[to->enable_count++] = e;
	*pending = NULL;
}

/* -------------------------------------------------------------------- a file */

/* A file that is being read */
struct loading {
	struct autologger_conf *to;
	bool report;
	struct etw_autolog_command command;
	struct autologger_enable *pending;
};

/* Wrong usage ends cli_try(). */
static void take_command(void *context)
{
	struct loading *loading = context;
	struct etw_autolog_command *command = &loading->command;

	optind = 0;
	if (!strcmp(command->argv[0], "start"))
		take_start(loading->to, command);
	else
		take_enable(loading->to, command, &loading->pending);
}

/* Print an error, if that is wanted, and keep the first; line: 0: of the whole file. */
static void take_error(const struct loading *loading, uint32_t status, unsigned int line,
		       const char *what)
{
	struct autologger_conf *to = loading->to;

	if (loading->report) {
		autologger_at(to, line);
		cli_fail("%s", what);
		cli_begin("autologger");
	}
	if (to->status)
		return;
	to->status = status;
	if (line)
		snprintf(to->what, sizeof(to->what), "line %u: %.160s", line, what);
	else
		snprintf(to->what, sizeof(to->what), "%s", what);
}

static void free_enable(struct autologger_enable *e)
{
	if (e)
		enable_request_free(&e->request);
	free(e);
}

static void take_commands(struct loading *loading, const struct etw_access_file *file)
{
	struct autologger_conf *to = loading->to;
	struct etw_autolog_parser *parser = &to->parser;
	int ret = etw_autolog_begin(parser, file->text, file->len);
	char what[192];

	if (ret == -ENOMEM)
		cli_die("out of memory");
	if (ret) {
		take_error(loading, ERROR_INVALID_PARAMETER, parser->error_line, parser->what);
		return;
	}
	while ((ret = etw_autolog_next(parser, &loading->command))) {
		if (ret < 0)
			take_error(loading, ERROR_INVALID_PARAMETER, parser->error_line,
				   parser->what);
		else if (!cli_try(take_command, loading, what, sizeof(what)))
			take_error(loading, ERROR_INVALID_PARAMETER, loading->command.line, what);
		free_enable(loading->pending);
		loading->pending = NULL;
	}
	if (!to->start_line)
		take_error(loading, ERROR_INVALID_PARAMETER, 0, "the start line is missing");
}

bool autologger_load(const char *name, struct autologger_conf *to, bool report)
{
	struct loading loading = { .to = &conf, .report = report };
	struct etw_access_file file;
	int err;

	memset(&conf, 0, sizeof(conf));
	snprintf(conf.name, sizeof(conf.name), "%s", name);
	snprintf(conf.path, sizeof(conf.path), "%s/%s" ETW_AUTOLOG_SUFFIX, autologger_dir(), name);
	conf.session.s.clock = ETW_CLOCK_QPC;
	err = etw_access_file_look(conf.path, true, &file);
	if (err) {
		take_error(&loading, err == -ENOENT ? ERROR_FILE_NOT_FOUND : ERROR_ACCESS_DENIED, 0,
			   strerror(-err));
	} else {
		take_commands(&loading, &file);
		etw_access_file_close(&file);
	}
	*to = conf;
	if (conf.file.path == conf.default_path)
		to->file.path = to->default_path;
	return !to->status;
}

void autologger_unload(struct autologger_conf *conf)
{
	size_t i;

	for (i = 0; i < conf->enable_count; i++)
		free_enable(conf->enables[i]);
	free(conf->enables);
	conf->enables = NULL;
	conf->enable_count = 0;
	etw_autolog_free(&conf->parser);
	/* Its path was one of the words. */
	conf->file.path = NULL;
}

void autologger_at(const struct autologger_conf *conf, unsigned int line)
{
	static char place[sizeof(conf->path) + 32];

	if (line)
		snprintf(place, sizeof(place), "%s:%u", conf->path, line);
	else
		snprintf(place, sizeof(place), "%s", conf->path);
	cli_begin(place);
}
