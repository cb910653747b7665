/* SPDX-License-Identifier: MIT */
/*
 * start.c - etw start: start a session
 */
#include <getopt.h>
#include "cli/cli.h"
#include "cli/session.h"
#include "cli/request/process_events.h"
#include "cli/request/start_options.h"
#include "device/kdev.h"

static struct session session = { .s.mode = ETW_MODE_REAL_TIME };
static struct startfile file;
static bool json;

static const struct cli_option options[] = {
	STARTFILE_OPTIONS(file),
	{ "buffering", START_OPT_BUFFERING, NULL, "keep the newest events in memory until a flush", NULL },
	START_OPTIONS(session.s),
	CLI_OPTION_JSON(json),
	CLI_HEADING("log files"),
	STARTFILE_MORE_OPTIONS(file),
	CLI_HEADING("the session"),
	START_MORE_OPTIONS(session.s),
	START_PROCESSES_OPTION(session),
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Start a session and print it as it was created.  It runs until 'etw stop'.\n"
		"Sizes that do not fit are corrected.",
	.operands = { "SESSION" },
	.options = options,
	.example = "etw start demo --buffer-size 256K --max-buffers 128",
};

int cmd_start(int argc, char **argv)
{
	const char *name;
	int option, fd, err;

	while ((option = cli_next(&syntax, argc, argv)) != -1)
		start_option(option, optarg, &session.s, &file);
	name = cli_name("SESSION", cli_operands(&syntax, argc, argv)[0]);
	startfile_check(&file, &session);
	fd = device_open();
	if (fd < 0)
		return 1;
	err = start_session(fd, name, &session, &file);
	if (!err)
		process_events_begin(fd, name, &session, false);
	etw_kdev_close(fd);
	if (err)
		return 1;
	older_log_drop(&file);
	older_log_note(&file);
	session_show(&session, json);
	return 0;
}
