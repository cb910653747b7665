/* SPDX-License-Identifier: MIT */
/*
 * conf_files.c - find and read the files of autologger sessions
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* secure_getenv */
#endif
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <etw/winerror.h>
#include "autologger.h"
#include "base/guid.h"
#include "cli/cli.h"
#include "cli/request/start_options.h"
#include "lib/access/conf_file.h"

const char *autologger_dir(void)
{
	const char *dir = secure_getenv(AUTOLOGGER_DIR_ENV);

	return dir && *dir ? dir : ETW_AUTOLOG_DIR;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name), end = strlen(suffix);

	return name[0] != '.' && len > end && !strcmp(name + len - end, suffix);
}

/*
 * List the sessions that have a file in a directory, sorted by name.  Returns their number,
 * 0 if there is no directory, or -errno.
 */
int autologger_names(const char *dir, const char *suffix, char ***list)
{
	struct dirent **entries;
	int n, i, count = 0;

	*list = NULL;
	n = scandir(dir, &entries, NULL, alphasort);
	if (n < 0)
		return errno == ENOENT ? 0 : -errno;
	*list = calloc((size_t)n + 1, sizeof(**list));
	if (!*list)
		cli_die("out of memory");
	for (i = 0; i < n; i++) {
		if (has_suffix(entries[i]->d_name, suffix)) {
			entries[i]->d_name[strlen(entries[i]->d_name) - strlen(suffix)] = '\0';
			(*list)[count] = strdup(entries[i]->d_name);
			if (!(*list)[count++])
				cli_die("out of memory");
		}
		free(entries[i]);
	}
	free(entries);
	return count;
}

void autologger_names_free(char **list, int count)
{
	while (count > 0)
		free(list[--count]);
	free(list);
}

/* ------------------------------------------------------------- the start line */

#define MB_DEFAULT	100

enum { OPT_MANUAL = 256, OPT_FILE_MAX };

static const struct cli_option start_options[] = {
	START_OPTIONS,
	{ "buffering", START_OPT_BUFFERING, NULL, "" },
	STARTFILE_OPTIONS,
	{ "manual", OPT_MANUAL, NULL, "" },
	{ "file-max", OPT_FILE_MAX, "N", "" },
	CLI_OPTION_END
};

static const struct cli_syntax start_syntax = { .options = start_options, .in_file = true };

static void take_start_option(struct autologger_conf *to, int option)
{
	if (option == OPT_MANUAL)
		to->at_boot = false;
	else if (option == OPT_FILE_MAX)
		to->file_max = cli_number("--file-max", optarg, 1, ETW_AUTOLOG_FILES);
	else if (option == OPT_FILE_MAX_SIZE && !strcmp(optarg, "none"))
		to->no_limit = true;
	else if (!startfile_option(&to->file, option, optarg))
		start_option(option, optarg, &to->session.s);
}

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

/* Wrong usage ends cli_try(). */
static void take_start(void *context)
{
	struct autologger_conf *to = context;
	const struct etw_autolog_command *command = &to->conf.start;
	int option;

	to->at_boot = true;
	to->session.s.clock = ETW_CLOCK_QPC;
	optind = 0;
	while ((option = cli_next(&start_syntax, command->argc, command->argv)) != -1)
		take_start_option(to, option);
	cli_operands(&start_syntax, command->argc, command->argv);
	check_start(to);
}

/* -------------------------------------------------------------------- a file */

static void set_error(struct autologger_conf *to, uint32_t status, unsigned int line,
		      const char *what)
{
	to->status = status;
	if (line)
		snprintf(to->what, sizeof(to->what), "line %u: %.160s", line, what);
	else
		snprintf(to->what, sizeof(to->what), "%s", what);
}

/* A file that is being read, and which of its errors to print */
struct loading {
	struct autologger_conf *to;
	enum autologger_report report;
};

static void take_error(void *context, const struct etw_autolog_error *error)
{
	const struct loading *loading = context;
	struct autologger_conf *to = loading->to;
	bool first = !to->status;

	if (first)
		set_error(to, ERROR_INVALID_PARAMETER, error->line, error->what);
	if (loading->report != AUTOLOGGER_REPORT_ALL && !(loading->report && first))
		return;
	cli_begin(NULL);
	if (error->line)
		cli_fail("%s:%u: %s", to->path, error->line, error->what);
	else
		cli_fail("%s: %s", to->path, error->what);
	cli_begin("autologger");
}

static bool parse(struct loading *loading, const struct etw_access_file *file)
{
	struct autologger_conf *to = loading->to;
	struct etw_autolog_error error = { .line = 0 };
	int err = etw_autolog_parse(file->text, file->len, &to->conf, take_error, loading);

	if (err == -ENOMEM)
		cli_die("out of memory");
	if (to->conf.start.line &&
	    !cli_try(take_start, to, error.what, sizeof(error.what))) {
		error.line = to->conf.start.line;
		take_error(loading, &error);
	}
	return !to->status;
}

bool autologger_load(const char *name, struct autologger_conf *to, enum autologger_report report)
{
	struct loading loading = { to, report };
	struct etw_access_file file;
	int err;

	memset(to, 0, sizeof(*to));
	snprintf(to->name, sizeof(to->name), "%s", name);
	snprintf(to->path, sizeof(to->path), "%s/%s" ETW_AUTOLOG_SUFFIX, autologger_dir(), name);
	err = etw_access_file_look(to->path, true, &file);
	if (!err) {
		if (!parse(&loading, &file) && report != AUTOLOGGER_REPORT_ALL)
			autologger_unload(to);
		etw_access_file_close(&file);
		return !to->status;
	}
	set_error(to, err == -ENOENT ? ERROR_FILE_NOT_FOUND : ERROR_ACCESS_DENIED, 0,
		  strerror(-err));
	if (report) {
		cli_begin(NULL);
		cli_fail("%s: %s", to->path, to->what);
		cli_begin("autologger");
	}
	return false;
}

void autologger_unload(struct autologger_conf *conf)
{
	etw_autolog_free(&conf->conf);
	/* Its path was one of the words. */
	memset(&conf->file, 0, sizeof(conf->file));
	conf->at_boot = false;
}
