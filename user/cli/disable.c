/* SPDX-License-Identifier: MIT */
/*
 * disable.c - etw disable: disable a provider for a session
 */
#include "provider.h"

int cmd_disable(int argc, char **argv)
{
	static const struct cli_option options[] = { PROVIDER_OPTION_GROUP, CLI_OPTION_END };
	static const struct cli_syntax syntax = {
		.what = "Disable a provider for a session.  One that is not enabled is fine.",
		.operands = { "SESSION", "PROVIDER" },
		.options = options,
		.example = "etw disable demo Sample-Block",
	};

	return provider_main(&syntax, ETW_CONTROL_DISABLE, argc, argv);
}
