/* SPDX-License-Identifier: MIT */
/*
 * enable.c - etw enable: enable a provider for a session
 */
#include <getopt.h>
#include "cli/request/enable_list.h"
#include "cli/request/probe_request.h"
#include "cli/provider.h"
#include "cli/provider_counts.h"
#include "cli/schema.h"
#include "device/kdev.h"

#define OPTIONS_MAX	64

static const struct cli_option own_options[] = {
	{ "provider", 'p', "PROVIDER[:LEVEL[:KEYWORDS]]", "for PROVIDER; may be repeated", NULL },
	CLI_OPTION_END
};

static struct cli_option options[OPTIONS_MAX];

static const struct cli_syntax syntax = {
	.what = "Enable a provider, by name or GUID, for a session.  This replaces what was set\n"
		"for the two before.  A GUID may be enabled before it is registered.\n"
		"Options apply to the -p before them, or to all if they come first.\n"
		"An event must match all options that select; an option that is given several\n"
		"times matches any of its names.  Selecting processes leaves kernel modules out,\n"
		"but not the kernel's own events (tracepoint:, system:).\n"
		"Levels: 1 critical, 2 error, 3 warning, 4 info, 5 verbose, up to 255.\n"
		"Names of levels, keywords, events and fields come from the manifest.",
	.operands = { "SESSION", "[PROVIDER]" },
	.options = options,
	.example = "etw enable demo -p Sample-Block:info --filter 'bytes >= 64K'",
};

/* One of them failed: some are enabled all the same. */
static void report_enabled(const struct enable_list *providers)
{
	const struct enable_request *failed;

	if (providers->enabled)
		cli_note("provider %s %s enabled", cli_quote(providers->list[0]->provider),
			 providers->enabled == 1 ? "is" : "and those before the failed one are");
	failed = providers->enabled < providers->count ? providers->list[providers->enabled] : NULL;
	if (failed && failed->traced_enabled)
		cli_note("of the %u trace events of %s, %u %s enabled", failed->traced.count,
			 cli_quote(failed->provider), failed->traced_enabled,
			 failed->traced_enabled == 1 ? "is" : "are");
}

int cmd_enable(int argc, char **argv)
{
	static struct enable_list providers;
	static struct session session;
	const char *operand;
	char **operands;
	int option, status = 1, fd;

	cli_join(options, OPTIONS_MAX, own_options, enable_options);
	while ((option = cli_next(&syntax, argc, argv)) != -1)
		enable_list_take(&providers, option, optarg);
	operands = cli_operands(&syntax, argc, argv);
	operand = provider_operand(providers.count ? "" : NULL, operands[1]);
	if (!providers.count)
		enable_list_add(&providers, operand);
	cli_name("SESSION", operands[0]);
	if (!enable_list_ready(&providers))
		return 1;
	fd = session_open(operands[0], &session);
	if (fd < 0)
		return 1;
	if (enable_list_find(&providers, fd))
		status = enable_list_enable(&providers, fd, &session, false);
	probe_request_begin(fd, session.s.handle);
	if (status)
		report_enabled(&providers);
	if (!status)
		provider_may_be_untested(fd, &providers, "etw dump --filter");
	etw_kdev_close(fd);
	enable_list_free(&providers);
	schema_unload();
	return status;
}
