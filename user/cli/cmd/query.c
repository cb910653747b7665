/* SPDX-License-Identifier: MIT */
/*
 * query.c - etw query: show one session
 */
#include "cli/cli.h"
#include "cli/session.h"
#include "device/kdev.h"

int cmd_query(int argc, char **argv)
{
	static const struct cli_option options[] = {
		CLI_OPTION_JSON, CLI_OPTION_END
	};
	static const struct cli_syntax syntax = {
		.what = "Show one session: its settings, its buffers and what it lost.",
		.operands = { "SESSION" },
		.options = options,
		.example = "etw query demo",
	};

	return session_main(&syntax, etw_kdev_session_query, argc, argv,
			    TAKES_QUERY, session_print);
}
