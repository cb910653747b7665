/* SPDX-License-Identifier: MIT */
/*
 * enable.c - etw enable: enable a provider for a session
 */
#include <getopt.h>
#include "cli/request/enable_request.h"
#include "cli/provider.h"
#include "cli/schema.h"
#include "device/kdev.h"

#define OPTIONS_MAX	64

static const struct cli_option own_options[] = {
	{ "provider", 'p', "PROVIDER[:LEVEL[:KEYWORDS]]", "in place of PROVIDER", NULL },
	CLI_OPTION_END
};

static struct cli_option options[OPTIONS_MAX];

static const struct cli_syntax syntax = {
	.what = "Enable a provider, by name or GUID, for a session.  This replaces what was set\n"
		"for the two before.  A GUID may be enabled before it is registered.\n"
		"An event must match all options that select; an option that is given several\n"
		"times matches any of its names.  Selecting processes leaves kernel modules out.\n"
		"Levels: 1 critical, 2 error, 3 warning, 4 info, 5 verbose, up to 255.\n"
		"Names of levels, keywords, events and fields come from the manifest.",
	.operands = { "SESSION", "[PROVIDER]" },
	.options = options,
	.example = "etw enable demo -p Sample-Block:info --filter 'bytes >= 64K'",
};

static void take_option(struct enable_request *request, int option)
{
	if (option != 'p') {
		enable_request_take(request, option, optarg);
		return;
	}
	if (request->provider)
		cli_usage("-p: only one provider; the options are for that one");
	enable_request_provider(request, optarg);
}

int cmd_enable(int argc, char **argv)
{
	static struct enable_request request;
	const char *provider;
	char **operands;
	int option, status, fd;

	cli_join(options, OPTIONS_MAX, own_options, enable_options);
	enable_request_init(&request);
	while ((option = cli_next(&syntax, argc, argv)) != -1)
		take_option(&request, option);
	operands = cli_operands(&syntax, argc, argv);
	provider = provider_operand(request.provider, operands[1]);
	if (!enable_request_ready(&request, provider))
		return 1;
	fd = provider_find(operands[0], provider, &request.enable);
	if (fd < 0)
		return 1;
	enable_request_prepare(&request, &request.enable.provider);
	status = provider_control_in(fd, operands[0], provider, &request.enable,
				     request.capture ? PROVIDER_CAPTURE : 0);
	etw_kdev_close(fd);
	enable_request_free(&request);
	schema_unload();
	return status;
}
