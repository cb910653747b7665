/* SPDX-License-Identifier: MIT */
/*
 * autologger.c - etw autologger: start and stop the sessions of /etc/etw/autologger.d
 *
 * An error in one of them is printed, recorded and counts in the exit status; the others
 * are started all the same.
 */
#include <errno.h>
#include <string.h>
#include "autologger.h"
#include "cli/cli.h"
#include "cli/machine/append.h"
#include "cli/machine/session.h"
#include "cli/request/probe_missed.h"
#include "cli/schema.h"
#include "cli/session.h"
#include "device/kdev.h"

static bool json;
static const struct cli_option options[] = { CLI_OPTION_JSON(json), CLI_OPTION_END };

static const struct cli_syntax syntax = {
	.what = "Start, stop, list or check the sessions of /etc/etw/autologger.d, or only the\n"
		"NAMEs.  ACTION is one of start, stop, list and check.  At boot a systemd unit\n"
		"starts the sessions without --manual; those are started by name only.",
	.operands = { "ACTION", "[NAME]..." },
	.options = options,
	.example = "etw autologger check",
};

static int start_one(int fd, const char *name, bool by_name)
{
	static struct autologger_conf conf;
	int status = 0;

	autologger_load(name, &conf, true);
	if (conf.status || !conf.manual || by_name)
		status = !autologger_start(fd, &conf);
	autologger_unload(&conf);
	return status;
}

/* The session of that name, if it is the one that was started. */
static int stop_one(int fd, const char *name, bool by_name)
{
	static struct autologger_result result;
	static struct session session;
	uint64_t handle = 0;
	int err;

	(void)by_name;
	if (!autologger_read_result(name, &result))
		return cli_fail("session %s was not started by etw autologger", cli_quote(name));
	err = autologger_find(fd, name, &result.guid);
	autologger_result_free(&result);
	if (!err && !session_do(fd, etw_kdev_session_query, name, &session)) {
		handle = session.s.handle;
		probe_missed_record(fd, handle);
		machine_write(name, &session, false);
	}
	memset(&session, 0, sizeof(session));
	if (!err)
		err = session_do(fd, etw_kdev_session_stop, name, &session);
	probe_missed_end(fd, handle);
	if (err && err != -ENOENT)
		return session_fail(name, err, TAKES_CONTROL);
	if (!err)
		machine_describe_log(&session);
	autologger_forget(name);
	return 0;
}

static int each(int (*act)(int fd, const char *name, bool by_name), char **names, bool by_name)
{
	int fd = device_open(), status = 0;

	if (fd < 0)
		return 1;
	cli_begin("autologger");
	for (; *names; names++)
		status |= act(fd, *names, by_name);
	etw_kdev_close(fd);
	return status;
}

static void check_names(char **names)
{
	for (; *names; names++) {
		cli_name("NAME", *names);
		if (strchr(*names, '/') || **names == '.')
			cli_usage("NAME: %s is not the name of a session here: it is that of its file, without .conf",
				  cli_quote(*names));
		if (strlen(*names) > 200)
			cli_usage("NAME: longer than 200 bytes");
	}
}

int cmd_autologger(int argc, char **argv)
{
	enum { START, STOP, LIST, CHECK };
	static const char *const actions[] = { "start", "stop", "list", "check", NULL };
	char **names = cli_parse(&syntax, argc, argv), **found = NULL;
	bool by_name;
	unsigned int action;
	const char *dir;
	int count = 0, status = 0;

	action = cli_choice("ACTION", *names++, actions, sizeof(*actions));
	if (json && action != LIST)
		cli_usage("--json: goes with list only");
	check_names(names);
	by_name = *names;
	if (!by_name) {
		/* A session that was started may have lost its file since. */
		dir = action == STOP ? AUTOLOGGER_RUN : autologger_dir();
		count = folder_names(dir, action == STOP ? "" : ETW_AUTOLOG_SUFFIX, &found);
		if (count < 0)
			return cli_fail("%s: %s", dir, strerror(-count));
		names = found ? found : names;
	}
	if (action == LIST)
		status = autologger_list(names, json);
	else if (action == CHECK)
		status = autologger_check(names);
	else if (*names)
		status = each(action == START ? start_one : stop_one, names, by_name);
	folder_names_free(found, count);
	schema_unload();
	return status;
}
