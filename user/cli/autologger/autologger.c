/* SPDX-License-Identifier: MIT */
/*
 * autologger.c - etw autologger: start and stop the sessions of /etc/etw/autologger.d
 *
 * An error in one of them is printed, recorded and counts in the exit status; the others
 * are started all the same.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "autologger.h"
#include "cli/cli.h"
#include "cli/schema.h"
#include "cli/session.h"
#include "device/kdev.h"

static const struct cli_option options[] = { CLI_OPTION_JSON, CLI_OPTION_END };

static const struct cli_syntax syntax = {
	.what = "Start, stop, list or check the sessions of /etc/etw/autologger.d, or only the\n"
		"NAMEs.  ACTION is one of start, stop, list and check.  At boot a systemd unit\n"
		"starts the sessions without --manual; those are started by name only.",
	.operands = { "ACTION", "[NAME]..." },
	.options = options,
	.example = "etw autologger check",
};

static int each_start(char **names, bool by_name)
{
	static struct autologger_conf conf;
	int fd = device_open(), status = 0, i;

	if (fd < 0)
		return 1;
	cli_begin("autologger");
	for (i = 0; names[i]; i++) {
		autologger_load(names[i], &conf, AUTOLOGGER_REPORT_FIRST);
		if (conf.status || conf.at_boot || by_name)
			status |= !autologger_start(fd, &conf);
		autologger_unload(&conf);
	}
	etw_kdev_close(fd);
	return status;
}

/* The session of that name, if it is the one that was started. */
static int stop_one(int fd, const char *name)
{
	static struct autologger_result result;
	static struct session session;
	bool tried = autologger_read_result(name, &result);
	int err;

	if (!tried)
		return cli_fail("session %s was not started by etw autologger", cli_quote(name));
	memset(&session, 0, sizeof(session));
	err = session_do(fd, etw_kdev_session_query, name, &session);
	/* It may be a session of that name that somebody else has started. */
	if (!err && !guid_equal(&session.s.guid, &result.guid))
		err = -ENOENT;
	autologger_result_free(&result);
	if (!err)
		err = session_do(fd, etw_kdev_session_stop, name, &session);
	if (err && err != -ENOENT)
		return session_fail(name, err, TAKES_CONTROL);
	autologger_forget(name);
	return 0;
}

static int each_stop(char **names)
{
	int fd = device_open(), status = 0, i;

	if (fd < 0)
		return 1;
	cli_begin("autologger");
	for (i = 0; names[i]; i++)
		status |= stop_one(fd, names[i]);
	etw_kdev_close(fd);
	return status;
}

static int act(const char *action, char **names, bool by_name, bool json)
{
	if (!strcmp(action, "start"))
		return each_start(names, by_name);
	if (!strcmp(action, "stop"))
		return each_stop(names);
	if (!strcmp(action, "check"))
		return autologger_check(names);
	return autologger_list(names, json);
}

static void check_names(char **names)
{
	for (; *names; names++) {
		cli_name("NAME", *names);
		if (strchr(*names, '/') || **names == '.')
			cli_usage("NAME: %s is no name of a session here: it is that of its file, without .conf",
				  cli_quote(*names));
		if (strlen(*names) > 200)
			cli_usage("NAME: longer than 200 bytes");
	}
}

int cmd_autologger(int argc, char **argv)
{
	static const char *const actions[] = { "start", "stop", "list", "check" };
	char **operands, **found = NULL;
	bool json = false;
	const char *action, *dir;
	int count = 0, status;
	size_t i;

	while (cli_next(&syntax, argc, argv) != -1)
		json = true;
	operands = cli_operands(&syntax, argc, argv);
	action = operands[0];
	for (i = 0; i < 4 && strcmp(actions[i], action); i++)
		;
	if (i == 4)
		cli_usage("%s: no such action (start, stop, list, check)", cli_quote(action));
	if (json && strcmp(action, "list"))
		cli_usage("--json: goes with list only");
	check_names(operands + 1);
	if (!operands[1]) {
		/* A session that was started may have lost its file since. */
		dir = strcmp(action, "stop") ? autologger_dir() : AUTOLOGGER_RUN;
		count = autologger_names(dir, strcmp(action, "stop") ? ETW_AUTOLOG_SUFFIX : "",
					 &found);
		if (count < 0)
			return cli_fail("%s: %s", dir, strerror(-count));
	}
	if (!operands[1] && !count && strcmp(action, "list"))
		status = 0;
	else
		status = act(action, operands[1] ? operands + 1 : found ? found :
			     (char *[]){ NULL }, operands[1] != NULL, json);
	autologger_names_free(found, count);
	schema_unload();
	return status;
}
