/* SPDX-License-Identifier: MIT */
/*
 * disable.c - etw disable: disable a provider for a session
 */
#include <getopt.h>
#include "cli/provider.h"

int cmd_disable(int argc, char **argv)
{
	static const struct cli_option options[] = { PROVIDER_OPTIONS, CLI_OPTION_END };
	static const struct cli_syntax syntax = {
		.what = "Disable a provider for a session, whether it is enabled or not.",
		.operands = { "SESSION", "PROVIDER" },
		.options = options,
		.example = "etw disable demo Sample-Block",
	};
	struct etw_enable enable = { .control = ETW_CONTROL_DISABLE };
	char **operands;
	int option;

	while ((option = cli_next(&syntax, argc, argv)) != -1)
		provider_option(option, optarg, &enable);
	operands = cli_operands(&syntax, argc, argv);
	return provider_control(operands[0], operands[1], &enable);
}
