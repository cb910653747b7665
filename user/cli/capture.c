/* SPDX-License-Identifier: MIT */
/*
 * capture.c - etw capture: ask a provider to write its state
 */
#include "provider.h"

int cmd_capture(int argc, char **argv)
{
	static const struct cli_option options[] = { CLI_OPTION_END };
	static const struct cli_syntax syntax = {
		.what = "Ask a provider to write its state into a session (capture state).\n"
			"What it writes, if anything, is its own affair.",
		.operands = { "SESSION", "PROVIDER" },
		.options = options,
		.example = "etw capture demo Sample-Block",
	};

	return provider_main(&syntax, ETW_CONTROL_CAPTURE, argc, argv);
}
