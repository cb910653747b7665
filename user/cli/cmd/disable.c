/* SPDX-License-Identifier: MIT */
/*
 * disable.c - etw disable: disable a provider for a session
 */
#include <getopt.h>
#include <stdlib.h>
#include "cli/provider.h"

int cmd_disable(int argc, char **argv)
{
	static const struct cli_option options[] = {
		PROVIDER_OPTION_P,
		PROVIDER_OPTIONS,
		CLI_OPTION_END
	};
	static const struct cli_syntax syntax = {
		.what = "Disable a provider for a session, whether it is enabled or not.",
		.operands = { "SESSION", "[PROVIDER]" },
		.options = options,
		.example = "etw disable demo Sample-Block",
	};
	struct etw_enable enable = { .control = ETW_CONTROL_DISABLE };
	struct provider_names names = { .list = NULL };
	char **operands;
	int option, status;

	while ((option = cli_next(&syntax, argc, argv)) != -1)
		if (!provider_option(option, optarg, &enable))
			provider_names_add(&names, optarg);
	operands = cli_operands(&syntax, argc, argv);
	status = provider_control(operands[0], provider_names_all(&names, operands + 1, true),
				  &enable);
	free(names.list);
	return status;
}
