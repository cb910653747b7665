/* SPDX-License-Identifier: MIT */
/*
 * start.c - etw start: start a session
 */
#include <getopt.h>
#include "cli/cli.h"
#include "cli/session.h"
#include "cli/request/start_options.h"
#include "device/kdev.h"

static const struct cli_option options[] = {
	START_OPTIONS,
	{ "buffering", START_OPT_BUFFERING, NULL, "keep the newest events in memory until a flush" },
	STARTFILE_OPTIONS,
	CLI_OPTION_JSON,
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Start a session and print it as it was created.  It runs until 'etw stop'.\n"
		"Sizes that do not fit are corrected.",
	.operands = { "SESSION" },
	.options = options,
	.example = "etw start demo --buffer-size 64 --max-buffers 128",
};

int cmd_start(int argc, char **argv)
{
	static struct session session = { .s.mode = ETW_MODE_REAL_TIME };
	const char *name;
	static struct startfile file;
	bool json = false;
	int option, fd, err;

	while ((option = cli_next(&syntax, argc, argv)) != -1)
		if (!startfile_option(&file, option, optarg) &&
		    !start_option(option, optarg, &session.s))
			json = true;
	name = cli_name("SESSION", cli_operands(&syntax, argc, argv)[0]);
	startfile_check(&file, &session);
	fd = device_open();
	if (fd < 0)
		return 1;
	err = start_session(fd, name, &session, &file);
	etw_kdev_close(fd);
	if (err)
		return 1;
	session_show(&session, json);
	return 0;
}
