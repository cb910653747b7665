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

static void check_command(const struct etw_autolog_command *command, const char *name)
{
	int i;

	if (!command->line || command->argc < 1 || command->argc > ETW_AUTOLOG_WORDS ||
	    strcmp(command->argv[0], name) || command->argv[command->argc])
		abort();
	for (i = 0; i < command->argc; i++)
		if (strpbrk(command->argv[i], "\n\033"))
			abort();
}

static void on_error(void *context, const struct etw_autolog_error *error)
{
	if (!error->what[0])
		abort();
	++*(unsigned int *)context;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct etw_autolog_conf conf;
	unsigned int errors = 0;
	size_t i;
	int ret = etw_autolog_parse((const char *)data, size, &conf, on_error, &errors);

	if (!ret != !errors)
		abort();
	if (!ret || conf.start.line)
		check_command(&conf.start, "start");
	if (conf.enable_count > ETW_AUTOLOG_PROVIDERS)
		abort();
	for (i = 0; i < conf.enable_count; i++)
		check_command(&conf.enables[i], "enable");
	etw_autolog_free(&conf);
	return 0;
}
