/* SPDX-License-Identifier: MIT */
/*
 * enable.c - etw enable: enable a provider for a session
 */
#include <getopt.h>
#include "cli/request/enable_request.h"
#include "cli/provider.h"
#include "cli/schema.h"
#include "device/kdev.h"

static const struct cli_syntax syntax = {
	.what = "Enable a provider, by name or GUID, for a session.  This replaces what was set\n"
		"for the two before.  A GUID may be enabled before it is registered.\n"
		"An event must match all options that select; an option that is given several\n"
		"times matches any of its names.  Selecting processes leaves kernel modules out.\n"
		"Levels: 1 critical, 2 error, 3 warning, 4 info, 5 verbose, up to 255.\n"
		"Names of levels, keywords, events and fields come from the manifest.",
	.operands = { "SESSION", "PROVIDER" },
	.options = enable_options,
	.example = "etw enable demo Sample-Block --level info --any 0x3",
};

int cmd_enable(int argc, char **argv)
{
	static struct enable_request request;
	char **operands;
	int option, status, fd;

	enable_request_init(&request);
	while ((option = cli_next(&syntax, argc, argv)) != -1)
		enable_request_take(&request, option, optarg);
	operands = cli_operands(&syntax, argc, argv);
	if (!enable_request_ready(&request, operands[1]))
		return 1;
	fd = provider_find(operands[0], operands[1], &request.enable);
	if (fd < 0)
		return 1;
	enable_request_prepare(&request, &request.enable.provider);
	status = provider_control_in(fd, operands[0], operands[1], &request.enable,
				     request.capture ? PROVIDER_CAPTURE : 0);
	etw_kdev_close(fd);
	enable_request_free(&request);
	schema_unload();
	return status;
}
