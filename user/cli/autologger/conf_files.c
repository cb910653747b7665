/* SPDX-License-Identifier: MIT */
/*
 * conf_files.c - find and read the files of autologger sessions
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* secure_getenv */
#endif
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <etw/winerror.h>
#include "autologger.h"
#include "cli/cli.h"
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
 * The names of sessions that have a file in a directory, sorted.  Returns their number,
 * or -errno; no directory is none.
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

static void say(struct autologger_conf *to, uint32_t status, unsigned int line, const char *what)
{
	to->status = status;
	if (line)
		snprintf(to->what, sizeof(to->what), "line %u: %s", line, what);
	else
		snprintf(to->what, sizeof(to->what), "%s", what);
}

/* A file that is being read, and which of its errors are told */
struct loading {
	struct autologger_conf *to;
	enum autologger_tell tell;
};

static void take_error(void *context, const struct etw_autolog_error *error)
{
	const struct loading *loading = context;
	struct autologger_conf *to = loading->to;
	bool first = !to->status;

	if (first)
		say(to, ERROR_INVALID_PARAMETER, error->line, error->what);
	if (loading->tell != AUTOLOGGER_TELL_ALL && !(loading->tell && first))
		return;
	cli_begin(NULL);
	if (error->line)
		cli_fail("%s:%u: %s", to->path, error->line, error->what);
	else
		cli_fail("%s: %s", to->path, error->what);
	cli_begin("autologger");
}

bool autologger_load(const char *name, struct autologger_conf *to, enum autologger_tell tell)
{
	struct loading loading = { to, tell };
	struct etw_access_file file;
	int err;

	memset(to, 0, sizeof(*to));
	snprintf(to->name, sizeof(to->name), "%s", name);
	snprintf(to->path, sizeof(to->path), "%s/%s" ETW_AUTOLOG_SUFFIX, autologger_dir(), name);
	err = etw_access_file_look(to->path, true, &file);
	if (!err) {
		err = etw_autolog_parse_all(file.text, file.len, &to->conf, take_error, &loading);
		if (err == -ENOMEM)
			cli_die("out of memory");
		to->guid = to->conf.guid;
		if (err && tell != AUTOLOGGER_TELL_ALL)
			etw_autolog_free(&to->conf);
		etw_access_file_close(&file);
		return !err;
	}
	say(to, err == -ENOENT ? ERROR_FILE_NOT_FOUND : ERROR_ACCESS_DENIED, 0, strerror(-err));
	if (tell) {
		cli_begin(NULL);
		cli_fail("%s: %s", to->path, to->what);
		cli_begin("autologger");
	}
	return false;
}

void autologger_unload(struct autologger_conf *conf)
{
	etw_autolog_free(&conf->conf);
}
