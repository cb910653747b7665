/* SPDX-License-Identifier: MIT */
/*
 * mc.c - etw mc: compile a manifest, with the options of Windows' mc.exe
 */
#include <stdio.h>
#include "cli/cli.h"
#include "mc/mc.h"

int cmd_mc(int argc, char **argv)
{
	struct etw_mc_options options;
	char error[512];
	int ret;

	ret = etw_mc_parse(argc, argv, &options, error, sizeof(error));
	if (ret < 0)
		cli_usage("%s", error);
	if (ret) {
		etw_mc_help(stdout, "etw mc");
		return 0;
	}
	return etw_mc_run(&options, stderr) ? 1 : 0;
}
