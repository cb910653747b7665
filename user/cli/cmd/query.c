/* SPDX-License-Identifier: MIT */
/*
 * query.c - etw query: show one session
 */
#include "cli/cli.h"
#include "cli/session.h"
#include "device/kdev.h"

static bool json;
static const struct cli_option options[] = { CLI_OPTION_JSON(json), CLI_OPTION_END };

static const struct cli_syntax syntax = {
	.what = "Show one session: its settings, its buffers and what it lost.",
	.operands = { "SESSION" },
	.options = options,
	.example = "etw query demo",
};

int cmd_query(int argc, char **argv)
{
	const char *name = cli_name("SESSION", cli_parse(&syntax, argc, argv)[0]);
	static struct session session;
	int fd = session_open(name, &session);

	if (fd < 0)
		return 1;
	etw_kdev_close(fd);
	session_show(&session, json);
	return session_file_error(&session);
}
