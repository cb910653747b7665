// SPDX-License-Identifier: GPL-2.0-only
/*
 * autologconf - files of autologger sessions
 *
 *	input := the file
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/autologger/session_conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_command(const struct etw_autolog_command *command)
{
	int i;

	if (!command->line || command->argc < 1 || command->argc > ETW_AUTOLOG_WORDS ||
	    (strcmp(command->argv[0], "start") && strcmp(command->argv[0], "enable")) ||
	    command->argv[command->argc])
		abort();
	for (i = 0; i < command->argc; i++)
		if (strpbrk(command->argv[i], "\n\033"))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct etw_autolog_command command;
	struct etw_autolog_parser parser;
	int ret = etw_autolog_begin(&parser, (const char *)data, size);

	if (ret && !parser.what[0])
		abort();
	if (!ret) {
		while ((ret = etw_autolog_next(&parser, &command))) {
			if (ret > 0)
				check_command(&command);
			else if (!parser.what[0])
				abort();
		}
	}
	etw_autolog_free(&parser);
	return 0;
}
