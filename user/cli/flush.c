/* SPDX-License-Identifier: MIT */
/*
 * flush.c - etw flush: deliver what a session has buffered
 */
#include "cli.h"
#include "session.h"
#include "lib/kdev.h"

int cmd_flush(int argc, char **argv)
{
	static const struct cli_option options[] = {
		CLI_OPTION_JSON, CLI_OPTION_END
	};
	static const struct cli_syntax syntax = {
		.what = "Deliver every event written so far to the session's readers.\n"
			"A session started with --buffering hands over what it holds.",
		.operands = { "SESSION" },
		.options = options,
		.example = "etw flush demo",
	};

	return session_main(&syntax, etw_kdev_session_flush, argc, argv,
			    TAKES_CONTROL, NULL);
}
